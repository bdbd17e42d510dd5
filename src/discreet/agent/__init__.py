"""The trusted agent: it holds private data, answers questions with a promised error, and knows what it gave away [DQ].

    discreet serve agent.toml

An answer is committed to the ledger before it is sent; the same question gets the same answer for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.agent._client import AgentError, Client, UnreachableError

if TYPE_CHECKING:
    from discreet.agent._config import Config

__all__ = ["AgentError", "Client", "Config", "UnreachableError"]

for _public in (AgentError, Client, UnreachableError):
    _public.__module__ = __name__  # as people import it, and as a traceback names it


def __getattr__(name: str) -> object:
    if name == "Config":  # loaded at first use: whoever only asks needs nothing but the standard library
        from discreet.agent._config import Config

        return Config
    raise AttributeError(f"module 'discreet.agent' has no attribute {name!r}")
