"""A disk that is full: nothing is said that was not written, health says so, and all goes on when there is room again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from discreet.agent._client import AgentError
from tests.agent.conftest import serving
from tests.agent.servers import status_of, write_agent


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with little room."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("file systems cannot be mounted here")
    yield folder
    subprocess.run(["/bin/umount", "-l", str(folder)], check=True)


def test_health_knows_a_full_disk(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.agent._database.FRESH", -1.0)
    folder = write_agent(tmp_path, ledger=f"sqlite:///{small / 'ledger.sqlite'}")
    with serving(folder) as running:
        ann = running.analyst(budget=1000)
        first = ann.ask("SELECT AVG(height) FROM people WITH ERROR 9")
        assert status_of(running.url + "/health")[0] == 200
        assert running.agent.ledger.totals()[0] == 1
        with (small / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while filler.write(b"x" * 1024):
                pass
        status, said = status_of(running.url + "/health")
        assert status == 503 and "is the disk full?" in said
        assert ann.ask("SELECT AVG(height) FROM people WITH ERROR 9") == first  # what is known is still told
        for error in (5, 4, 3, 2, 1, 0.5, 0.4, 0.3, 0.2):  # the log may have room for some
            with suppress(AgentError):
                ann.ask(f"SELECT AVG(height) FROM people WITH ERROR {error}")
        with pytest.raises(AgentError) as refused:
            ann.ask("SELECT AVG(height) FROM people WITH ERROR 0.1")
        assert refused.value.status == 503
        (small / "filler").unlink()
        assert status_of(running.url + "/health")[0] == 200
        assert ann.ask("SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 3")["cells"]
        rows = running.agent.ledger.read()
        assert [row.number for row in rows] == list(range(1, len(rows) + 1))
        with running.agent.ledger._database.reading() as connection:
            assert running.agent.ledger._fact(connection, "probe") is None  # the probe was taken back
