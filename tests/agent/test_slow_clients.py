"""Clients that are slow, silent or send too much: they are cut off or told so, and hold nobody up."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from discreet.agent import _connections as connections
from discreet.agent import _middleware as middleware
from discreet.agent._logs import BURST, RATE, Lines, Throttle
from tests.agent.conftest import Running
from tests.agent.servers import request, status_of
from tests.processes import PATIENT

HALF = b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Le"


@pytest.fixture
def opened(running: Running) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connect(running: Running, stack: ExitStack, sent: bytes) -> socket.socket:
    made = stack.enter_context(socket.create_connection(("127.0.0.1", urlsplit(running.url).port), timeout=60))
    made.sendall(sent)
    return made


@pytest.mark.slow
def test_half_sent_headers_are_cut_off(running: Running, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS", 0.2)
    # From the beginning, silent from the beginning, and behind a request that was answered.
    for sent in (HALF, b"", b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" + HALF):
        with suppress(ConnectionError):  # on a busy machine it may be cut off before it has sent anything
            client = connect(running, opened, sent)
            while client.recv(1 << 16):
                pass  # until it is closed
    monkeypatch.undo()
    assert status_of(running.url + "/health")[0] == 200


def test_many_silent_clients_keep_nobody_out(
    running: Running, opened: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 10)
    silent = [connect(running, opened, HALF) for _ in range(40)]
    assert status_of(running.url + "/health")[0] == 200
    for client in silent[:20]:  # those who were silent for longest
        with suppress(ConnectionResetError):
            assert not client.recv(100)


def test_a_body_that_never_ends_is_ended(running: Running, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    key = running.analyst().key
    monkeypatch.setattr(middleware, "SENDING", 0.2)
    monkeypatch.setattr(middleware, "LINGER", 0.1)
    head = f"POST /ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: 50\r\n\r\n"
    client = connect(running, opened, head.encode() + b"{")
    assert b"408" in client.recv(1 << 16).partition(b"\r\n")[0]


@pytest.mark.parametrize("chunked", [False, True])
def test_who_sends_too_much_hears_so(
    running: Running, opened: ExitStack, monkeypatch: pytest.MonkeyPatch, chunked: bool
) -> None:
    """All of it is sent before the reply is looked at, as most clients do."""
    monkeypatch.setattr(middleware, "LINGER", PATIENT)
    size = 20 << 20
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    key = running.analyst().key
    client = connect(
        running, opened, f"POST /ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{length}\r\n\r\n".encode()
    )
    part = b"x" * (1 << 16)
    for _ in range(size >> 16):
        client.sendall(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
    if chunked:
        client.sendall(b"0\r\n\r\n")
    heard = b""
    while got := client.recv(1 << 16):
        heard += got
    head, _, body = heard.partition(b"\r\n\r\n")
    assert b"413" in head.partition(b"\r\n")[0] and b"connection: close" in head.lower()
    assert "at most 65,536 bytes" in json.loads(body)["error"]


def test_no_address_is_taken_from_a_client(running: Running) -> None:
    for path in ("/datasets/", "/health/", "/owner/"):
        status, _, headers = request(running.url + path, headers={"Host": "evil.example"})
        assert status == 404 and "location" not in {name.lower() for name in headers}
    assert "evil.example" not in status_of(running.url + "/", headers={"Host": "evil.example"})[1]


def test_lines_of_one_kind_are_throttled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 5.0
    monkeypatch.setattr("discreet.agent._logs.time", SimpleNamespace(monotonic=lambda: now))
    throttle, written = Throttle(), []
    for i in range(BURST + 50):
        record = logging.LogRecord("asyncio", logging.ERROR, "x.py", 1, f"problem {i}", None, None)
        if throttle.filter(record):
            written.append(json.loads(Lines().format(record)))
    assert len(written) == BURST
    assert throttle.filter(logging.LogRecord("asyncio", logging.WARNING, "x.py", 1, "another kind", None, None))
    now += 2 / RATE
    record = logging.LogRecord("asyncio", logging.ERROR, "x.py", 1, "later", None, None)
    assert throttle.filter(record)
    assert json.loads(Lines().format(record))["left_out"] == 50
