"""Files that somebody has had since version 0.1.0 still load, and keep what they promised: rows, figures, answers, seals."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discreet.agent import AgentError, Client
from tests import frozen
from tests.agent.servers import Server
from tests.cluster import Cluster
from tests.processes import run


def expected(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((frozen.FILES / kind / "expected.json").read_text(encoding="utf-8"))
    return found


RECORDED = [(kind, name, each) for kind in frozen.KINDS for name, each in expected(kind).items()]


@pytest.mark.parametrize(("kind", "name", "recorded"), RECORDED, ids=[f"{kind}/{name}" for kind, name, _ in RECORDED])
def test_a_file_says_and_does_what_it_did(kind: str, name: str, recorded: dict[str, Any], tmp_path: Path) -> None:
    found = frozen.KINDS[kind](frozen.FILES / kind / name, tmp_path)
    assert frozen.differences(found, recorded) == []


def test_every_file_is_looked_at() -> None:
    """A file that nobody looks at promises nothing."""
    beside = {"expected.json", "chosen.json"}  # chosen.json is what a recipe names
    for kind in frozen.KINDS:
        assert {path.name for path in (frozen.FILES / kind).iterdir()} - beside == set(expected(kind)), kind


def test_no_file_names_a_place_of_the_machine_that_wrote_it() -> None:
    for path in frozen.FILES.rglob("*"):
        if path.is_file():
            assert not re.search(rb"/(tmp|home|root|work|Users)/", path.read_bytes()), path


@pytest.mark.parametrize("name", ["sealed", "unsealed"])
def test_a_ledger_opens_repeats_its_answers_and_notices_changes(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(frozen.FILES / "agents" / name, folder)
    recorded = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    answers = sum(map(len, recorded["answers"].values()))
    if name == "unsealed":  # nobody can know what was taken away before it is sealed: the owner says that it is whole
        assert f"{answers} answers and no seal" in check(folder)
        assert run("serve", str(folder / "agent.toml"), "--seal").returncode == 0
    assert f"{answers} answers, none missing or changed" in check(folder)
    with Server(folder).start() as server:
        clients = {who: Client(server.url, key) for who, key in recorded["keys"].items()}
        for each in recorded["told"]:
            reply = clients[each["analyst"]].ask(each["question"])
            free = (
                {"bits": 0.0} if "groups" in each["reply"] else {}
            )  # what a statement costs now; an answer, what it cost
            found = {part: value for part, value in reply.items() if part != "left"}
            assert frozen.differences(found, {**each["reply"], **free}) == []
        for who, mine in recorded["answers"].items():
            assert frozen.differences({"answers": clients[who].ledger()["answers"]}, {"answers": mine}) == []
        analysts = Client(server.url, recorded["owner"]).analysts()
        assert frozen.differences({"analysts": analysts}, {"analysts": recorded["analysts"]}) == []
        with pytest.raises(AgentError) as refused:  # her key was revoked
            clients["eve"].ask(recorded["told"][0]["question"])
        assert refused.value.status == 401
        new = clients["ann"].ask("SELECT AVG(height) FROM people WHERE city = 'Oslo' WITH ERROR 12")
        assert new["number"] > 1
        server.end()
    assert f"{answers + 1} answers, none missing or changed" in check(folder)
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger, ledger:
        ledger.execute("UPDATE discreet_answers SET low = low - 1 WHERE number = 1")
    assert "damaged" in check(folder)


@pytest.mark.spark
@pytest.mark.parametrize(("name", "recorded"), expected("cluster").items(), ids=expected("cluster"))
def test_a_policy_that_a_cluster_wrote_does_what_it_did(
    name: str, recorded: dict[str, Any], cluster: Cluster, tmp_path: Path
) -> None:
    found = frozen.of_cluster_policy(frozen.FILES / "cluster" / name, tmp_path, cluster.url)
    assert frozen.differences(found, recorded) == []


def check(folder: Path) -> str:
    """What the owner is told about the ledger, without starting to serve."""
    done = run("serve", str(folder / "agent.toml"), "--check")
    assert (done.returncode == 0) == (not done.stderr)
    return done.stdout + done.stderr
