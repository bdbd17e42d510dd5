"""Paper SP, claim by claim: perfect sample privacy."""

from __future__ import annotations

# Importing a module adds its claims, so the order is that of the paper's pages.
# isort: off
from discreet.papers.sp.paper import PAPER
from discreet.papers.sp import basics as basics
from discreet.papers.sp import optimum as optimum
from discreet.papers.sp import example_two as example_two
from discreet.papers.sp import two_samples as two_samples
from discreet.papers.sp import latent_limits as latent_limits
from discreet.papers.sp import many_samples as many_samples
from discreet.papers.sp import self_disclosure as self_disclosure
from discreet.papers.sp import partial as partial
from discreet.papers.sp import uniform as uniform
from discreet.papers.sp import appendices as appendices
# isort: on

__all__ = ["PAPER"]
