"""Sessions: kept apart, their work in other processes, undo and redo, and folders that go with them."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.app import _store as store
from discreet.app._downloads import file_of
from discreet.app._sessions import Session
from discreet.app._store import Sessions
from discreet.app._work import Job, Workers
from discreet.recipe import Recipe
from tests.processes import PATIENT

PATIENTS = Path(__file__).parents[2] / "docs" / "patients.csv"


@pytest.fixture(scope="module")
def sessions() -> Iterator[Sessions]:
    workers = Workers()
    found = Sessions(workers)
    yield found
    workers.close()
    found.close()
    assert not found.root.exists()


def finished(job: Job) -> Job:
    end = time.monotonic() + PATIENT
    while job.running and time.monotonic() < end:
        time.sleep(0.05)
    return job


@pytest.fixture(scope="module")
def opened(sessions: Sessions) -> Session:
    session = sessions.new("you")
    assert finished(session.open_path(str(PATIENTS))).state == "done"
    return session


def test_sessions_are_their_owners(sessions: Sessions) -> None:
    one, other = sessions.new("ann"), sessions.new("bob")
    assert one.id != other.id and one.folder != other.folder
    assert sessions.get(one.id, "ann") is one
    assert sessions.get(one.id, "bob") is None
    assert sessions.get("../" + one.id, "ann") is None
    assert one.folder.stat().st_mode & 0o077 == 0


def test_the_oldest_session_makes_room(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST", 1)
    workers = sessions.workers
    few = Sessions(workers)
    first = few.new("you")
    second = few.new("you")
    assert few.get(first.id, "you") is None and not first.folder.exists()
    assert few.get(second.id, "you") is second
    few.close()


def test_side_information_is_for_the_audit_and_not_for_whole_groups(sessions: Sessions) -> None:
    session = sessions.new("you")
    text = '[columns.age]\nrole = "public"\n[columns.ill]\nrole = "sensitive"\n[columns.town]\nrole = "{}"\n'
    session.recipe = Recipe.parse('require = ["n>=5", "k>=3"]\n' + text.format("side"))
    before = session.key()
    assert session.recipe.having("side") == ("town",) and not session.asked().having("side")
    session.change(columns={"town": {"role": "ignored"}})
    assert session.key() != before  # another audit
    session.change(columns={"ill": {"role": "ignored"}})
    assert session.asked().require == ("n>=5",)  # without anything sensitive there is no k


def test_what_is_computed_from_a_file_is_forgotten_when_the_file_changes(sessions: Sessions, tmp_path: Path) -> None:
    session, table = sessions.new("you"), tmp_path / "people.csv"
    table.write_text("town,ill\nBonn,flu\nGraz,cold\n")
    assert finished(session.open_path(str(table))).state == "done"
    session.change(columns={"town": {"role": "public", "type": "hierarchy", "hierarchy": "tree.csv"}})
    tree, seen = session.folder / "tree.csv", [session.key()]
    tree.write_text("Bonn;north;*\nGraz;south;*\n")
    seen.append(session.key())
    session.results["column"] = session.key(), "found"
    assert session.result("column", session.key()) == "found"
    tree.write_text("Bonn;upper;*\nGraz;lower;*\n")  # as long as before
    seen.append(session.key())
    assert session.result("column", session.key()) is None
    table.write_text("town,ill\nBonn,flu\nGraz,pain\n")
    seen.append(session.key())
    tree.unlink()
    seen.append(session.key())
    assert len(set(seen)) == len(seen)
    session.read_again()
    assert finished(session.jobs["open"]).state == "done"
    assert session.recipe.public == ("town",) and session.preview is not None
    assert session.preview.column("ill").values == ("flu", "pain")
    job = session.jobs["open"]
    session.read_again()
    assert session.jobs["open"] is job  # nothing has changed since


def test_a_table_that_cannot_be_read_says_so_in_one_line(sessions: Sessions, tmp_path: Path) -> None:
    session = sessions.new("you")
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"secret-value\x00\x01")
    job = finished(session.open_path(str(bad)))
    assert job.state == "failed" and "\n" not in job.problem and "secret-value" not in job.problem
    assert session.preview is None


def test_a_password_in_an_address_is_not_shown(sessions: Sessions) -> None:
    session = sessions.new("you")
    job = session.open_path("postgresql://ann:hush@127.0.0.1:1/db#people")
    assert "hush" not in session.name
    job.stop()


@pytest.mark.slow
def test_work_can_be_stopped_and_what_was_found_stays(opened: Session) -> None:
    assert opened.preview is not None and opened.preview.guess.public
    assert not opened.recipe.public and not opened.recipe.sensitive  # guesses are offered, and not applied
    for name in opened.recipe.columns:
        opened.take_guess(name)
    opened.change(search={"time_limit": PATIENT})
    job = opened.start_exploring()
    end = time.monotonic() + PATIENT
    while not opened.points and time.monotonic() < end and job.running:
        time.sleep(0.05)
    job.stop()
    assert job.state == "stopped" and opened.points and opened.explored
    losses = [opened.points[key].loss for key in sorted(opened.points) if key[0] == "n"]
    assert losses == sorted(losses)
    _edit_undo_redo_and_release(opened)


def _names_in(path: Path | None) -> set[str]:
    assert path is not None
    with zipfile.ZipFile(path) as pack:
        return set(pack.namelist())


def _edit_undo_redo_and_release(session: Session) -> None:
    symbol, level = min(session.points)
    session.choose(symbol, level)
    first = session.current
    assert first is not None and session.work is not None
    session.edit(session.work.merge(first.policy, [0, 1]))
    changed = session.current
    assert changed is not None and changed.groups == first.groups - 1
    session.undo()
    session.undo()
    assert session.current is first
    session.redo()
    session.redo()
    assert session.current is changed
    assert file_of(session, "released.csv") is None
    job = finished(session.start_release())
    assert job.state == "done", job.problem
    assert file_of(session, "released.csv") is not None
    assert file_of(session, "private-policy.json") is None  # it is in the files to keep, and not asked for alone
    publish, keep = (_names_in(file_of(session, name)) for name in ("to-publish.zip", "private-to-keep.zip"))
    assert publish == {"README.txt", "released.csv", "cells.json"}
    private = {"private-report.html", "private-policy.json"}
    assert keep == {"README.txt", "recipe.toml", "private-chosen.json", *(f"as-released/{name}" for name in private)}
    assert Recipe.load(session.folder / "recipe.toml").data.table == PATIENTS.name  # wherever it was
    assert file_of(session, "../recipe.toml") is None
    session.change(output={"keep": ["diagnosis"]})
    assert file_of(session, "released.csv") is None  # another release than the one asked for
    session.change(output={"keep": []})
    assert file_of(session, "released.csv") is not None
    session.change(columns={"age": {"weight": 2}})
    assert not session.explored
