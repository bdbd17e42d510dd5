"""A client of the trusted agent, with nothing but the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from discreet.errors import DiscreetError, InputError


class AgentError(DiscreetError):
    """What the agent refused, in its own words."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Client:
    """An analyst's (or, with the owner's key, the owner's) way to an agent.

    Client("http://127.0.0.1:8400", key).ask("SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5")
    """

    url: str
    key: str
    timeout: float = 60.0

    def __repr__(self) -> str:
        return f"Client({self.url!r})"  # without the key

    def datasets(self) -> list[dict[str, Any]]:
        """The data sets and their columns."""
        found: list[dict[str, Any]] = self._call("GET", "/datasets")["datasets"]
        return found

    def ask(self, question: str | dict[str, Any]) -> dict[str, Any]:
        """Ask, in SQL or as {dataset, aggregate, column, error, where}: the answer, its error, its cell and its price."""
        return self._call("POST", "/ask", _body(question))

    def price(self, question: str | dict[str, Any]) -> dict[str, Any]:
        """What a question would cost, and how coarse its answer would be, without asking it."""
        return self._call("POST", "/price", _body(question))

    def ledger(self) -> dict[str, Any]:
        """What I asked, what I spent, and what is left."""
        return self._call("GET", "/ledger")

    def analysts(self) -> list[dict[str, Any]]:
        """For the owner: every analyst."""
        found: list[dict[str, Any]] = self._call("GET", "/owner/analysts")["analysts"]
        return found

    def add_analyst(self, name: str, budget: float) -> str:
        """For the owner: a new analyst with a budget in bits; returns the key, which is shown this once."""
        return str(self._call("POST", "/owner/analysts", {"name": name, "budget": budget})["key"])

    def set_budget(self, name: str, budget: float) -> None:
        """For the owner: another budget."""
        self._call("PUT", f"/owner/analysts/{urllib.parse.quote(name, safe='')}", {"budget": budget})

    def revoke(self, name: str) -> None:
        """For the owner: an analyst's key ends."""
        self._call("DELETE", f"/owner/analysts/{urllib.parse.quote(name, safe='')}")

    def whole_ledger(self) -> dict[str, Any]:
        """For the owner: every answer to everybody."""
        return self._call("GET", "/owner/ledger")

    def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        if not self.url.startswith(("http://", "https://")):
            raise InputError("an agent's address starts with http:// or https://")
        request = urllib.request.Request(  # noqa: S310, the scheme was checked
            self.url.rstrip("/") + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:  # noqa: S310
                content: dict[str, Any] = json.load(response)
                return content
        except urllib.error.HTTPError as problem:
            raise AgentError(_reason(problem), problem.code) from None
        except (OSError, ValueError) as problem:
            raise InputError(f"the agent at {self.url} does not answer ({type(problem).__name__})") from None


def _body(question: str | dict[str, Any]) -> dict[str, Any]:
    return {"sql": question} if isinstance(question, str) else question


def _reason(problem: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(problem)["error"])
    except (ValueError, LookupError, TypeError):
        return f"the agent answered {problem.code}"
