"""Joint: how often each s was seen with each x. Every measure is a function of one."""

from discreet.joint._joint import Blocks, Joint

__all__ = ["Blocks", "Joint"]
