"""The trusted agent: it holds private data, answers questions with a promised error, and knows what it gave away [DQ].

    discreet serve agent.toml

An answer is committed to the ledger before it is sent; the same question gets the same answer for ever.
"""

from __future__ import annotations

from discreet.agent._client import Client
from discreet.agent._config import Config

__all__ = ["Client", "Config"]
