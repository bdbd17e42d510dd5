"""Who may come in: the token once, the cookie, Host and Origin, sizes; and what a refusal says."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest

from discreet.app._guard import Guard, Rules
from discreet.app._server import Settings, read_people
from discreet.errors import InputError

HERE = "http://127.0.0.1:8000"


async def _inside(scope: Any, receive: Any, send: Any) -> None:
    """What is guarded: it says whose request it is and how long, or greets."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"{scope['state']['owner']}: {size}".encode()})


@dataclass
class Answer:
    status_code: int
    headers: dict[str, str]
    text: str


@dataclass
class Visitor:
    """A browser as far as the guard can tell."""

    guard: Guard
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self.ask("GET", path, [b""], headers or {})

    def post(
        self, path: str, parts: list[bytes], headers: Mapping[str, str] | None = None, *, length: bool = True
    ) -> Answer:
        told = {"content-length": str(sum(map(len, parts)))} if length else {}
        return self.ask("POST", path, parts, {**told, **(headers or {})})

    def ask(self, method: str, path: str, parts: list[bytes], headers: Mapping[str, str]) -> Answer:
        sent = self._sent({"type": "http", "method": method}, path, headers, parts)
        start = next(each for each in sent if each["type"] == "http.response.start")
        body = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")
        found = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        for name, morsel in SimpleCookie(found.get("set-cookie", "")).items():
            self.cookies[name] = morsel.value
        return Answer(start["status"], found, body.decode())

    def socket(self, headers: Mapping[str, str]) -> str:
        return str(self._sent({"type": "websocket"}, "/ws", headers, [])[0]["type"])

    def _sent(self, scope: dict[str, Any], path: str, headers: Mapping[str, str], parts: list[bytes]) -> list[Any]:
        place, _, query = path.partition("?")
        known = {"host": "127.0.0.1:8000", "cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()), **headers}
        pairs = [(name.encode(), value.encode()) for name, value in known.items()]
        messages = [
            {"type": "http.request", "body": part, "more_body": i + 1 < len(parts)} for i, part in enumerate(parts)
        ]
        sent: list[Any] = []

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {**scope, "path": place, "query_string": query.encode(), "headers": pairs}
        asyncio.run(self.guard(scope, receive, send))
        return sent


def rules(**more: Any) -> Rules:
    return Rules({"127.0.0.1:8000": HERE}, 1000, **{"token": "once", **more})


def client(given: Rules) -> Visitor:
    return Visitor(Guard(_inside, given))


@pytest.fixture
def inside() -> Visitor:
    visitor = client(rules())
    assert visitor.get("/?token=once").status_code == 303
    return visitor


def test_the_token_opens_once_and_is_gone_from_the_address() -> None:
    given = rules()
    first, second = client(given), client(given)
    assert first.get("/").status_code == 403
    entered = first.get("/?token=once&table=x")
    assert (entered.status_code, entered.headers["location"]) == (303, "/?table=x")
    assert "HttpOnly" in entered.headers["set-cookie"] and "SameSite=strict" in entered.headers["set-cookie"]
    assert first.get("/").text == "you: 0"
    assert second.get("/?token=once").status_code == 403
    assert second.get("/?token=guess").status_code == 403


def test_another_name_for_this_machine_is_refused(inside: Visitor) -> None:
    assert inside.get("/", headers={"host": "evil.example"}).status_code == 421


def test_another_page_is_refused(inside: Visitor) -> None:
    assert inside.post("/", [b"x"], headers={"origin": "http://evil.example"}).status_code == 403
    assert inside.post("/", [b"x"], headers={"origin": HERE}).text == "you: 1"
    assert inside.post("/", [b"x"], headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {}])
def test_a_websocket_needs_the_origin(inside: Visitor, headers: dict[str, str]) -> None:
    assert inside.socket(headers) == "websocket.close"
    assert inside.socket({"origin": HERE}) == "websocket.accept"


def test_a_websocket_needs_the_cookie() -> None:
    assert client(rules()).socket({"origin": HERE}) == "websocket.close"


def test_what_is_too_large_is_refused_by_its_length_and_by_its_bytes(inside: Visitor) -> None:
    assert inside.post("/", [b"x" * 2000]).status_code == 413
    assert inside.post("/", [b"x" * 600, b"x" * 600], length=False).status_code == 413


def test_answers_forbid_what_comes_from_elsewhere(inside: Visitor) -> None:
    headers = inside.get("/").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"


def test_people_with_passwords() -> None:
    given = rules(token=None, people={"ann": "correct horse battery"})
    visitor = client(given)
    assert visitor.get("/").status_code == 401
    for wrong in ("ann:wrong", "bob:correct horse battery", "ann:", ":"):
        secret = base64.b64encode(wrong.encode()).decode()
        assert visitor.get("/", headers={"authorization": f"Basic {secret}"}).status_code == 401
    assert visitor.get("/", headers={"authorization": "Basic ?"}).status_code == 401
    secret = base64.b64encode(b"ann:correct horse battery").decode()
    assert visitor.get("/", headers={"authorization": f"Basic {secret}"}).status_code == 303
    assert visitor.get("/").text == "ann: 0"


def test_beyond_this_machine_needs_people_and_tls() -> None:
    with pytest.raises(InputError, match="--auth"):
        Settings(host="0.0.0.0").checked()  # noqa: S104
    with pytest.raises(InputError, match="TLS"):
        Settings(host="0.0.0.0", people={"ann": "x"}).checked()  # noqa: S104
    with pytest.raises(InputError, match="https"):
        Settings(proxy="http://data.example.org", people={"ann": "x"}).checked()
    assert not Settings(proxy="https://data.example.org", people={"ann": "x"}).checked().local
    assert Settings().checked().local


def test_a_file_of_people(tmp_path: Path) -> None:
    path = tmp_path / "people.txt"
    path.write_text("# who\nann:correct horse battery\n")
    assert read_people(str(path)) == {"ann": "correct horse battery"}
    path.write_text("ann:short\n")
    with pytest.raises(InputError, match="line 1: write NAME:PASSWORD"):
        read_people(str(path))
    with pytest.raises(InputError, match="cannot be read"):
        read_people(str(path) + "-not-there")
