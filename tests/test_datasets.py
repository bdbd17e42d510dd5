"""Data sets: loaded from where they are, checked, downloaded only when asked, and never bundled."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from discreet import Joint, datasets
from discreet.errors import InputError, TableError

# A stand-in for the published file, so that downloads are tested where the data are absent.
STAND_IN = (
    b"40,1,2,140,289,0,0,172,0,0,?,?,?,0\n49,0,3,160,180,0,0,156,0,1.5,2,?,?,1\n40,1,2,140,289,0,0,172,0,0,?,?,?,0\n"
)
Answer = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no named folder, and the stand-in as the published file."""
    monkeypatch.setattr(datasets, "HUNGARIAN_SHA256", hashlib.sha256(STAND_IN).hexdigest())
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    monkeypatch.setenv("DISCREET_CACHE", str(tmp_path / "deep" / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "deep" / "cache"


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The address of a file on a server of our own that answers in this way."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, the base class names it so
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that hung up is no matter for stderr, which other tests read."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{datasets.HUNGARIAN_FILE}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def sends(content: bytes, announced: int | None = None, status: int = 200) -> Answer:
    """A server that sends this content, and may announce more of it."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        if announced is not None:
            handler.send_header("Content-Length", str(announced))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """A server that ends the connection before it says anything."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def files_under(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


# ------------------------------------------------------------------ the papers' counts


def test_the_hungarian_data_are_those_of_the_papers(hungarian: dict[str, list[object]]) -> None:
    assert list(hungarian) == list(datasets.describe("hungarian"))
    assert len(hungarian["age"]) == 293
    assert hungarian["chol"].count(None) == 22
    assert all(isinstance(age, int) for age in hungarian["age"])
    assert len(datasets.load("hungarian", repeats=True)["age"]) == 294


@pytest.mark.parametrize(
    ("missing", "rows", "ages", "levels", "pairs", "once", "sex_chol"),
    [("level", 293, 38, 154, 281, 269, 197), ("drop", 271, 37, 153, 266, 261, 195)],
)
def test_the_filter_gives_the_papers_counts(
    hungarian: dict[str, list[object]],
    missing: str,
    rows: int,
    ages: int,
    levels: int,
    pairs: int,
    once: int,
    sex_chol: int,
) -> None:
    joint = Joint.from_table(hungarian, "age", "chol", missing=missing)  # type: ignore[arg-type]
    assert (joint.total, joint.n_s, joint.n_x, joint.counts.nnz) == (rows, ages, levels, pairs)
    assert int((joint.counts.data == 1).sum()) == once
    both = Joint.from_table(hungarian, "age", ["sex", "chol"], missing=missing)  # type: ignore[arg-type]
    assert both.n_x == sex_chol


# ------------------------------------------------------------------ the parser


def test_the_parser_reads_numbers_and_missing_values() -> None:
    assert datasets.parse_uci("1,?\n\n2.5, 3.0\n", ["a", "b"]) == {"a": [1, 2.5], "b": [None, 3]}
    with pytest.raises(TableError, match="line 2 has 1 values: 2 are needed"):
        datasets.parse_uci("1,2\n3\n", ["a", "b"])
    with pytest.raises(TableError, match="line 1 has a value of b that is neither"):
        datasets.parse_uci("1,x\n", ["a", "b"])


# ------------------------------------------------------------------ what is not there


def test_what_is_not_there(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(TableError, match=r"not bundled: discreet\.datasets\.fetch\(\) downloads them"):
        datasets.load("hungarian")
    with pytest.raises(TableError, match="cannot be read"):
        datasets.load("hungarian", data=tmp_path)
    (tmp_path / datasets.HUNGARIAN_FILE).write_text("1,2,3\n")
    with pytest.raises(TableError, match="sha256 differs"):
        datasets.load("hungarian", data=tmp_path)
    with pytest.raises(InputError, match="no data set 'iris'"):
        datasets.load("iris")
    with pytest.raises(InputError, match="no data set 'iris'"):
        datasets.describe("iris")
    assert not cache.exists()


def test_a_named_folder_is_the_only_one_looked_into(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir(parents=True)
    (cache / datasets.HUNGARIAN_FILE).write_bytes(STAND_IN)
    assert len(datasets.load("hungarian")["age"]) == 2
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))
    with pytest.raises(TableError, match="cannot be read"):
        datasets.load("hungarian", download=True)
    assert len(datasets.load("hungarian", data=cache)["age"]) == 2


# ------------------------------------------------------------------ the cache


def test_a_download_is_kept_and_not_repeated(cache: Path) -> None:
    asked = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        sends(STAND_IN, len(STAND_IN))(handler)

    with serving(answer) as url:
        path = datasets.fetch("hungarian", url=url)
        assert path == cache / datasets.HUNGARIAN_FILE and path.read_bytes() == STAND_IN
        assert datasets.fetch("hungarian", url=url) == path
    assert asked == [f"/{datasets.HUNGARIAN_FILE}"]
    assert files_under(cache.parent) == [datasets.HUNGARIAN_FILE]
    assert datasets.load("hungarian")["chol"] == [289, 180]
    assert datasets.load("hungarian", repeats=True)["slope"] == [None, 2, None]


def test_loading_downloads_only_when_asked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def downloaded(url: str) -> bytes:
        asked.append(url)
        return STAND_IN

    monkeypatch.setattr(datasets, "_downloaded", downloaded)
    with pytest.raises(TableError, match="not bundled"):
        datasets.load("hungarian")
    assert not asked
    assert len(datasets.load("hungarian", download=True)["age"]) == 2
    assert asked == [datasets.HUNGARIAN_URL] and datasets.HUNGARIAN_URL.startswith("https://archive.ics.uci.edu/")


def test_a_spoilt_cache_is_said_and_mended(cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / datasets.HUNGARIAN_FILE).write_bytes(STAND_IN[:-1])
    with pytest.raises(TableError, match=r"sha256 differs: delete it, or replace it by discreet\.datasets\.fetch"):
        datasets.load("hungarian")
    with serving(sends(STAND_IN)) as url:
        datasets.fetch(url=url)
    assert len(datasets.load("hungarian")["age"]) == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (sends(STAND_IN[:50], len(STAND_IN)), f"sent 50 of {len(STAND_IN)} bytes, which were not kept"),
        (sends(STAND_IN[:50]), "another file than the published one, its sha256 differs: it was not kept"),
        (sends(STAND_IN + b"\n", len(STAND_IN) + 1), "its sha256 differs"),
        (sends(b"<html>moved</html>", 18), "its sha256 differs"),
        (sends(b"", 0), "its sha256 differs"),
        (sends(b"?" * (3 << 20)), "its sha256 differs"),
        (sends(b"gone", 4, status=404), "answered 404"),
        (sends(b"busy", 4, status=503), "answered 503"),
        (hangs_up, "cannot be reached"),
    ],
    ids=["truncated", "truncated-unannounced", "longer", "a-page", "empty", "huge", "404", "503", "hangs-up"],
)
def test_a_bad_download_is_one_line_and_leaves_nothing(cache: Path, answer: Answer, message: str) -> None:
    with serving(answer) as url, pytest.raises(TableError, match=message) as problem:
        datasets.fetch(url=url)
    assert "\n" not in str(problem.value)
    assert not cache.exists()


def test_a_server_that_is_down(cache: Path) -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(TableError, match=r"cannot be reached \(.*refused"):
            datasets.fetch(url=f"http://127.0.0.1:{taken.getsockname()[1]}/x")
    assert not cache.exists()
    with pytest.raises(InputError, match="starts with https"):
        datasets.fetch(url="file:///etc/hosts")
    with pytest.raises(InputError, match="'diabetes' is not downloaded"):
        datasets.fetch("diabetes")


def test_a_cache_that_cannot_be_written(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    with serving(sends(STAND_IN)) as url:
        with pytest.raises(TableError, match=r"cannot be written \(.*\): name another by DISCREET_CACHE"):
            datasets.fetch(url=url, cache=tmp_path / "file")
        (cache / datasets.HUNGARIAN_FILE).mkdir(parents=True)
        with pytest.raises(TableError, match="is a folder"):
            datasets.fetch(url=url)
        # A disk that is full halfway: the temporary file goes, too.
        monkeypatch.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError(28, os.strerror(28))))
        with pytest.raises(TableError, match="No space left"):
            datasets.fetch(url=url, cache=tmp_path / "full")
    assert files_under(tmp_path) == ["file"]


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_CACHE", "/somewhere")
    assert datasets.cache_folder() == Path("/somewhere")
    monkeypatch.delenv("DISCREET_CACHE")
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("USERPROFILE", "/home/ann")
    for platform, variable, default in (
        ("linux", "XDG_CACHE_HOME", "/home/ann/.cache"),
        ("win32", "LOCALAPPDATA", "/home/ann/AppData/Local"),
        ("darwin", None, "/home/ann/Library/Caches"),
    ):
        monkeypatch.setattr("sys.platform", platform)
        if variable:
            monkeypatch.setenv(variable, "/cache")
            assert datasets.cache_folder() == Path("/cache/discreet")
            monkeypatch.delenv(variable)
        assert datasets.cache_folder() == Path(default) / "discreet"


# ------------------------------------------------------------------ from scikit-learn


def test_the_diabetes_data_come_from_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    table = datasets.load("diabetes")
    assert list(table) == list(datasets.describe("diabetes"))
    assert len(table["age"]) == 442
    assert (min(table["age"]), max(table["age"])) == (19, 79)  # type: ignore[type-var]
