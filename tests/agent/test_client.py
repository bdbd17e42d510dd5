"""The client and `discreet query` where things go wrong: nobody there, somebody else there, refusals, time; and in words."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from discreet.agent._client import AgentError, Client, UnreachableError
from discreet.errors import InputError
from tests.agent.conftest import Running
from tests.agent.servers import free_port
from tests.processes import PATIENT, said

QUESTION = "SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 5"


class _Stranger(BaseHTTPRequestHandler):
    """Answers by the first part of the path; writes down the keys that it is sent."""

    keys: list[str | None]
    gone: threading.Event

    def do_GET(self) -> None:
        self.keys.append(self.headers["Authorization"])
        status, body, headers = 200, b"<html>", {}
        match self.path.split("/")[1]:
            case "list":
                body = b"[]"
            case "refuses":
                status, body = 400, json.dumps({"error": "no\nsuch thing"}).encode()
            case "missing":
                status, body = 404, b"<html>not found</html>"
            case "strange":
                status, body = 500, b'["x"]'
            case "elsewhere":
                status, headers = 302, {"Location": "/refuses"}
            case "slow":
                self.gone.wait(PATIENT)
            case "cut":
                headers = {"Content-Length": "100"}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815, the names that http.server calls

    def log_message(self, *_: Any) -> None:
        pass


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """A client that went away is no matter for stderr, which other tests read."""


@pytest.fixture
def stranger() -> Iterator[str]:
    _Stranger.keys, _Stranger.gone = [], threading.Event()
    with _Quiet(("127.0.0.1", 0), _Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        _Stranger.gone.set()
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("html", UnreachableError, "is no agent"),
        ("list", UnreachableError, "is no agent"),
        ("cut", UnreachableError, "no agent|does not answer"),
        ("slow", UnreachableError, "took too long; asking again costs nothing more"),
        ("refuses", AgentError, "^no such thing$"),
        ("missing", AgentError, "says 404 and is no agent"),
        ("strange", AgentError, "says 500 and is no agent"),
        ("elsewhere", AgentError, "says 302 and is no agent"),
    ],
)
def test_what_is_no_agent(stranger: str, path: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        Client(f"{stranger}/{path}", "key", timeout=0.3 if path == "slow" else PATIENT).ledger()
    while not _Stranger.keys:
        time.sleep(0.01)  # it was sent, and may not have been read yet
    assert _Stranger.keys == ["Bearer key"]  # sent once, and not to where somebody points


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        ("ftp://x", "k", "starts with http"),
        ("x", "k", "starts with http"),
        ("http://", "k", "names a host"),
        ("http://[::", "k", "starts with http"),
        ("http://127.0.0.1:1", "ä", "no key"),
        ("http://127.0.0.1:1", "a\nb", "no key"),
    ],
)
def test_addresses_and_keys_that_are_none(url: str, key: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Client(url, key)


def test_nobody_there() -> None:
    for port in (free_port(), 99_999_999, "x"):
        with pytest.raises(UnreachableError, match="does not answer"):
            Client(f"http://127.0.0.1:{port}", "k").ledger()
    with pytest.raises(UnreachableError, match="is it running"):
        Client(f"http://127.0.0.1:{free_port()}", "k").ask(QUESTION)


def test_a_question_that_json_cannot_say(stranger: str) -> None:
    for bad in ({"error": float("nan")}, {"error": {1, 2}}):
        with pytest.raises(InputError, match="a question holds"):
            Client(stranger, "k").ask(bad)
    assert _Stranger.keys == []


def test_a_client_does_not_show_its_key() -> None:
    assert "secret" not in repr(Client("http://127.0.0.1:1", "secret"))


def query(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return said(capsys, "query", *arguments)


def test_the_command_speaks(
    running: Running, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCREET_KEY", running.analyst().key + "\n")  # as `cat` gives it
    code, out, _ = query(capsys, running.url, QUESTION, "--price")
    assert (code, out) == (0, "3.907 bits, 15 cells, an error of at most 5\n")
    code, out, _ = query(capsys, running.url, QUESTION)
    assert code == 0
    assert out.endswith(" ± 5  (3.907 bits)\n")
    fine = QUESTION.replace("ERROR 5", "ERROR 0.000001")
    assert "coarser than the 1e-06 you asked for" in query(capsys, running.url, fine)[1]
    assert json.loads(query(capsys, running.url, fine, "--json")[1])["bits"] > 5
    assert json.loads(query(capsys, running.url, QUESTION, "--price", "--json")[1])["bits"] == 0
    code, out, _ = query(capsys, running.url, "--ledger")
    assert out.startswith("budget 100 bits, spent ")
    assert QUESTION in out
    assert [len(json.loads(query(capsys, running.url, f"--{each}", "--json")[1])[each]) for each in ("datasets",)] == [
        2
    ]
    code, out, _ = query(capsys, running.url, "--datasets")
    assert "people: 300 records\n  height in [100, 250], in steps of 1e-05; everybody keeps 20\n" in out
    assert "smoker in [0, 1], whole numbers; everybody keeps 1" in out
    assert "filters on sex" in out


def test_the_command_says_what_is_wrong(
    shared: Running, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISCREET_KEY", raising=False)
    key = shared.analyst(budget=1).key
    for arguments, words in [
        ([shared.url, QUESTION], "a key is needed: set DISCREET_KEY"),
        ([shared.url, QUESTION, "--key", "wrong"], "this key is not known"),
        ([shared.url, "--key", key], "name a statement"),
        ([shared.url, QUESTION, "--ledger", "--key", key], "one of them"),
        ([shared.url, "--ledger", "--price", "--key", key], "--price needs a statement"),
        ([shared.url, QUESTION, "--key", key], "costs 3.907 bits and you have 1 left"),
        ([shared.url, QUESTION.replace("sex", "height"), "--key", key], "'height' is not public"),
        ([shared.url, QUESTION.replace("'F'", "1"), "--key", key], "'sex' holds text values"),
        ([shared.url, QUESTION.replace("sex", "weight"), "--key", key], "'weight' is not public"),
        ([shared.url, QUESTION.replace("AVG(height)", "AVG(sex)"), "--key", key], "questions are about one of"),
        ([f"http://127.0.0.1:{free_port()}", QUESTION, "--key", key], "is it running"),
        (["nowhere", QUESTION, "--key", key], "starts with http"),
    ]:
        code, out, err = query(capsys, *arguments)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Example: discreet query http" in query(capsys, "--help")[1]
