"""A client of the trusted agent, with nothing but the standard library."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from discreet.agent._reply_table import reply_html
from discreet.errors import DiscreetError, InputError


class AgentError(DiscreetError):
    """What the agent refused, in its own words, with the status of its reply: 401 keys, 402 budgets, 400 questions."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UnreachableError(DiscreetError, ConnectionError):
    """No agent answered: what was asked may or may not be in its ledger, and asking again costs nothing more."""


class Reply(dict[str, Any]):
    """What the agent said, as a dictionary that a notebook shows: the answer, its cell, its error, bits spent and left."""

    def _repr_html_(self) -> str:
        return reply_html(self)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An agent never sends anybody elsewhere; the key must not go there either."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Client:
    """An analyst's (or, with the owner's key, the owner's) way to an agent.

    Client("http://127.0.0.1:8400", key).ask("SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5")

    Raises AgentError for what the agent refuses and UnreachableError where none answers within `timeout` seconds.
    """

    url: str
    key: str
    timeout: float = 60.0

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit("" if "[" in self.url and "]" not in self.url else self.url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError("an agent's address starts with http:// or https:// and names a host")
        if not self.key.isascii() or not self.key.isprintable():
            raise InputError("this is no key: keys are letters, digits, - and _")

    def __repr__(self) -> str:
        return f"Client({self.url!r})"  # without the key

    def datasets(self) -> list[dict[str, Any]]:
        """The data sets and their columns."""
        return self._listed("/datasets", "datasets")

    def ask(self, question: str | dict[str, Any]) -> Reply:
        """Ask, in SQL or as {dataset, aggregate, column, error, where}: the answer, its error, its cell and its price.

        Several aggregates, or {dataset, aggregates: [{aggregate, column, error, as}], where, by}, are answered in `rows`.

        A statement that begins with EXPLAIN tells the price, and nothing is asked.
        """
        return Reply(self._call("POST", "/ask", _body(question)))

    def price(self, question: str | dict[str, Any]) -> dict[str, Any]:
        """What a question would cost, and how coarse its answer would be, without asking it."""
        return self._call("POST", "/price", _body(question))

    def ledger(self) -> dict[str, Any]:
        """What I asked, what I spent, and what is left."""
        return self._call("GET", "/ledger")

    def analysts(self) -> list[dict[str, Any]]:
        """For the owner: every analyst."""
        return self._listed("/owner/analysts", "analysts")

    def add_analyst(self, name: str, budget: float) -> str:
        """For the owner: a new analyst with a budget in bits; returns the key, which is shown this once."""
        return str(self._call("POST", "/owner/analysts", {"name": name, "budget": budget})["key"])

    def renew_key(self, name: str) -> str:
        """For the owner: another key for an analyst who lost hers; the old one ends."""
        return str(self._call("POST", f"/owner/analysts/{urllib.parse.quote(name, safe='')}/key")["key"])

    def set_budget(self, name: str, budget: float) -> None:
        """For the owner: another budget."""
        self._call("PUT", f"/owner/analysts/{urllib.parse.quote(name, safe='')}", {"budget": budget})

    def revoke(self, name: str) -> None:
        """For the owner: an analyst's key ends."""
        self._call("DELETE", f"/owner/analysts/{urllib.parse.quote(name, safe='')}")

    def whole_ledger(self) -> dict[str, Any]:
        """For the owner: every answer to everybody."""
        return self._call("GET", "/owner/ledger")

    def _listed(self, path: str, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", path)[name]
        return found

    def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        try:
            data = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError):
            raise InputError("a question holds texts, numbers, true, false and lists of them") from None
        request = urllib.request.Request(  # noqa: S310, the scheme was checked
            self.url.rstrip("/") + path,
            method=method,
            data=data,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.build_opener(_NoRedirect).open(request, timeout=self.timeout) as response:
                content = json.load(response)
        except urllib.error.HTTPError as problem:
            with problem:
                raise AgentError(_reason(problem), problem.code) from None
        except ValueError:
            raise UnreachableError(f"what answers at {self.url} is no agent: check the address") from None
        except (OSError, http.client.HTTPException) as problem:
            raise UnreachableError(f"the agent at {self.url} does not answer: {_why(problem)}") from None
        if not isinstance(content, dict):
            raise UnreachableError(f"what answers at {self.url} is no agent: check the address")
        return content


def _body(question: str | dict[str, Any]) -> dict[str, Any]:
    return {"sql": question} if isinstance(question, str) else question


def _reason(problem: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(problem)["error"])
    except (ValueError, LookupError, TypeError, OSError):
        return f"what answers at this address says {problem.code} and is no agent: check the address"


def _why(problem: Exception) -> str:
    reason = getattr(problem, "reason", problem)
    if isinstance(reason, TimeoutError):
        return "it took too long; asking again costs nothing more"
    if isinstance(reason, ConnectionRefusedError):
        return "nobody listens there, is it running?"
    return getattr(reason, "strerror", None) or type(reason).__name__
