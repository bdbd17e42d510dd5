"""The publishing commands as people run them: exit codes, one line for bad input, nothing half-written."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from discreet import Policy
from discreet.tables._checksum import seal
from tests.processes import PATIENT, run, spawn

Done = subprocess.CompletedProcess[str]
PEOPLE = [(i, 20 + i % 7, 200 + i * i % 23, "abc"[i % 3]) for i in range(36)]
ROLES = ["-s", "age", "-p", "chol"]


def write_csv(path: Path, header: str, rows: Any) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A folder in which a release was made."""
    folder = tmp_path_factory.mktemp("published")
    write_csv(folder / "people.csv", "id,age,chol,town", PEOPLE)
    done = spawn(
        "release",
        "people.csv",
        *ROLES,
        *("--max-leakage", "1", "--out", "released.csv", "--policy", "policy.json", "--report", "report.html"),
        *("--keep", "town", "--keep-anyway", "--purpose", "Open data", "--json"),
        cwd=folder,
    )
    return folder, done


# ---------------------------------------------------------------------- good paths


def test_release_writes_table_policy_and_report(published: tuple[Path, Done]) -> None:
    folder, done = published
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["files"] == {"out": "released.csv", "policy": "policy.json", "report": "report.html"}
    assert document["rows"] == 36
    assert document["after"]["L0"] <= 1 < document["before"]["L0"]
    assert document["leakage"]["value"] == document["after"]["L0"]
    policy = Policy.load(folder / "policy.json")
    assert policy.source["file"] == "people.csv"
    assert policy.verify(folder / "released.csv", folder / "people.csv").ok
    page = (folder / "report.html").read_text()
    assert "Open data" in page
    assert hashlib.sha256((folder / "people.csv").read_bytes()).hexdigest() in page
    assert not [name for name in names(folder) if name.startswith(".")]


def test_verify_with_and_without_the_original(published: tuple[Path, Done]) -> None:
    folder, _ = published
    alone = run("verify", "released.csv", "--policy", "policy.json", cwd=folder)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert "not checked: L0" in alone.stdout
    assert "36 rows fit the policy" in alone.stdout
    both = run("verify", "released.csv", "--policy", "policy.json", "--original", "people.csv", "--json", cwd=folder)
    assert both.returncode == 0
    document = json.loads(both.stdout)
    assert document["ok"]
    assert document["problems"] == []
    assert document["measures"]["L0"] <= 1


@pytest.mark.parametrize("as_json", [False, True])
def test_verify_exits_1_for_what_does_not_fit(published: tuple[Path, Done], tmp_path: Path, as_json: bool) -> None:
    folder, _ = published
    lines = (folder / "released.csv").read_text().splitlines()
    (tmp_path / "bad.csv").write_text("\n".join([*lines[:-1], "777–778,a"]) + "\n")
    policy = str(folder / "policy.json")
    done = run("verify", "bad.csv", "--policy", policy, *(["--json"] if as_json else []), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    words = "1 of 36 rows have cells that the policy does not have"
    if as_json:
        assert json.loads(done.stdout)["problems"] == [words]
    else:
        assert f"problem: {words}" in done.stdout
        assert "36 rows do not fit the policy" in done.stdout


def test_verify_exits_1_for_other_columns_and_other_rows(published: tuple[Path, Done], tmp_path: Path) -> None:
    folder, _ = published
    policy = str(folder / "policy.json")
    write_csv(tmp_path / "other.csv", "weight", [(1,), (2,)])
    other = run("verify", "other.csv", "--policy", policy, cwd=tmp_path)
    assert (other.returncode, other.stderr) == (1, "")
    assert "has no column 'chol'" in other.stdout
    original = write_csv(tmp_path / "fewer.csv", "id,age,chol,town", PEOPLE[:-1])
    done = run("verify", str(folder / "released.csv"), "--policy", policy, "--original", str(original), cwd=tmp_path)
    assert done.returncode == 1
    assert "are not those that the policy makes of the original" in done.stdout


def test_apply_releases_new_rows_or_says_why_not(published: tuple[Path, Done], tmp_path: Path) -> None:
    folder, _ = published
    policy = str(folder / "policy.json")
    write_csv(tmp_path / "march.csv", "age,chol", [(age, chol) for _, age, chol, _ in PEOPLE] + [(20, 999)])
    done = run("apply", policy, "march.csv", "--out", "march.parquet", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert (document["rows"], document["suppressed"]) == (36, 1)
    assert document["measures"]["L0"] <= 1
    assert Policy.load(policy).verify(tmp_path / "march.parquet", tmp_path / "march.csv").ok
    told = run("apply", policy, "march.csv", "--out", "march.csv", "--force", cwd=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert "is the original table" in told.stderr
    write_csv(tmp_path / "alike.csv", "age,chol", [(7777, chol) for _, _, chol, _ in PEOPLE])
    broken = run("apply", policy, "alike.csv", "--out", "alike.parquet", cwd=tmp_path)
    assert (broken.returncode, broken.stdout) == (1, "")
    assert broken.stderr.startswith("discreet: the policy's promise does not hold")
    assert broken.stderr.count("\n") == 1
    assert "7777" not in broken.stderr
    assert not (tmp_path / "alike.parquet").exists()


def test_frontier_as_text_with_a_picture_and_others_beside_it(published: tuple[Path, Done], tmp_path: Path) -> None:
    folder, _ = published
    table = str(folder / "people.csv")
    done = run("frontier", table, *ROLES, "--compare", "mondrian", "--normalise", "--plot", "f.png", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Frontier(L0 against distortion by auto" in done.stdout
    assert "mondrian" in done.stdout
    assert "drawn to f.png" in done.stdout
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert names(tmp_path) == {"f.png"}


@pytest.mark.slow
def test_frontier_as_json_in_other_measures(published: tuple[Path, Done], tmp_path: Path) -> None:
    folder, _ = published
    table = str(folder / "people.csv")
    done = run(
        *("frontier", table, *ROLES, "--leakage", "I*", "--utility", "resolution", "--method", "exact", "--json"),
        *("--compare", "agglomerative", "--plot", "f.svg"),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert (document["leakage"], document["utility"], document["method"]) == ("I*", "resolution", "exact")
    assert document["points"][-1]["leakage"] == 0
    assert document["points"][-1]["gap"] == 0
    assert [other["method"] for other in document["compared"]] == ["agglomerative"]
    assert ET.parse(tmp_path / "f.svg").getroot().tag.endswith("svg")  # noqa: S314, our own file
    # Text columns are kept by resolution, without being told to.
    done = run("frontier", table, "-s", "age", "-p", "town", "--json", "--plot", "f.pdf", cwd=tmp_path)
    assert json.loads(done.stdout)["utility"] == "resolution"
    assert (tmp_path / "f.pdf").read_bytes().startswith(b"%PDF")


def test_release_with_every_option(published: tuple[Path, Done], tmp_path: Path) -> None:
    folder, _ = published
    (tmp_path / "out.parquet").write_text("old")
    done = run(
        *("release", str(folder / "people.csv"), "-s", "age", "-p", "chol,id", "--missing", "drop", "--na", "?"),
        *("--type", "id=number"),
        *("--scale", "chol=10", "--scale", "id=20", "--norm", "inf", "--codeword", "chebyshev", "--seed", "3"),
        *("--min-utility", "-2", "--cells", "codeword", "--unseen", "suppress", "--suppress", "2", "--force"),
        *("--out", "out.parquet", "--policy", "p.json", "--method", "mondrian"),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "written to out.parquet" in done.stdout
    assert "policy (private: it lists the values that occurred) written to p.json" in done.stdout
    checked = run("verify", "out.parquet", "--policy", "p.json", "--original", str(folder / "people.csv"), cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert Policy.load(tmp_path / "p.json").unseen == "suppress"


@pytest.mark.slow
def test_a_search_for_rows_to_suppress_that_time_ended_says_so(published: tuple[Path, Done], tmp_path: Path) -> None:
    folder, _ = published
    asked = ("release", str(folder / "people.csv"), "-s", "age", "-p", "chol", "--max-leakage", "1", "--suppress", "3")
    files = ("--out", "out.csv", "--policy", "p.json", "--force")
    said = "the time limit came before the end of the search for rows to suppress"
    assert said in run(*asked, "--time-limit", "0.000001", *files, cwd=tmp_path).stdout
    assert said not in run(*asked, *files, cwd=tmp_path).stdout
    document = json.loads(run(*asked, "--time-limit", "0.000001", "--json", *files, cwd=tmp_path).stdout)
    assert document["stopped"] == "time"


# ---------------------------------------------------------------------- bad input

GOOD = ["release", "people.csv", *ROLES, "--out", "o.csv", "--policy", "p.json"]
APPLY = ["apply", "policy.json", "people.csv", "--out", "o.csv"]
VERIFY = ["verify", "released.csv", "--policy"]
BAD: list[tuple[list[str], str]] = [
    ([*GOOD], "name one of multiplier, max_leakage and min_utility"),
    ([*GOOD, "--max-leakage", "1", "--multiplier", "1"], "name one of"),
    ([*GOOD, "--multiplier", "-1"], "0 or more, not -1"),
    ([*GOOD, "--multiplier", "nan"], "multiplier must be a number"),
    ([*GOOD, "--multiplier", "inf"], "must be finite"),
    ([*GOOD, "--max-leakage", "nan"], "max_leakage must be a number"),
    ([*GOOD, "--max-leakage", "much"], "'much' is not a valid float"),
    ([*GOOD, "--max-leakage", "-1"], "no policy leaks -1 bits or less: the least is 0"),
    ([*GOOD, "--min-utility", "7"], "no policy has a utility of 7 or more: the most is 0"),
    ([*GOOD, "--max-leakage", "1", "--keep", "id"], "'id' is different in every row"),
    ([*GOOD, "--max-leakage", "1", "--suppress", "3", "--leakage", "I*"], "suppressed for leakage 'L0'"),
    ([*GOOD, "--max-leakage", "1", "--seed", "-1"], "seed"),
    ([*GOOD, "--max-leakage", "1", "--time-limit", "0"], "time limit"),
    ([*GOOD, "--max-leakage", "1", "--norm", "3"], "norm 3 is not offered"),
    ([*GOOD, "--max-leakage", "1", "--method", "magic"], "method='magic' is not known"),
    ([*GOOD, "--max-leakage", "1", "--scale", "chol"], "does not read as COLUMN=UNIT"),
    ([*GOOD, "--max-leakage", "1", "--hierarchy", "none.csv"], "none.csv cannot be read"),
    ([*GOOD, "--max-leakage", "1", "--out", "released.csv"], "released.csv exists already: use --force"),
    ([*GOOD, "--max-leakage", "1", "--policy", "policy.json"], "policy.json exists already: use --force"),
    ([*GOOD, "--max-leakage", "1", "--report", "people.csv"], "is the original table"),
    ([*GOOD, "--max-leakage", "1", "--out", "people.csv", "--force"], "is the original table"),
    ([*GOOD, "--max-leakage", "1", "--policy", "people.csv", "--force"], "is the original table"),
    ([*GOOD, "--max-leakage", "1", "--policy", "o.csv"], "need a file each"),
    ([*GOOD, "--max-leakage", "1", "--out", "o.txt"], "does not name a format"),
    ([*GOOD, "--max-leakage", "1", "--out", "none/o.csv"], "there is no folder none"),
    # What can be told to be wrong at once is, before a table is counted for hours.
    ([*GOOD, "-s", "nothing"], "name one of"),
    ([*GOOD, "-s", "nothing", "--max-leakage", "1", "--policy", "policy.json"], "policy.json exists already"),
    (["frontier", "people.csv", "-s", "nothing", "-p", "chol", "--plot", "f.jpg"], "picture format"),
    (["release", "none.csv", *GOOD[2:], "--max-leakage", "1"], "none.csv does not exist"),
    (["release", "one.csv", *GOOD[2:], "--max-leakage", "1"], "'age' has a single value: nothing to protect"),
    (["release", "gaps.csv", *GOOD[2:], "--max-leakage", "1", "--utility", "distortion"], "missing values of 'chol'"),
    (["release", "endless.parquet", *GOOD[2:], "--max-leakage", "1", "--utility", "distortion"], "infinite values"),
    (["frontier", "people.csv", "-s", "age", "-p", "town", "--utility", "distortion"], "column 'town' is not numeric"),
    (["frontier", "people.csv", *ROLES, "--plot", "f.jpg"], "does not name a picture format"),
    (["frontier", "people.csv", *ROLES, "--compare", "magic", "--plot", "f.png"], "method='magic' is not known"),
    (["frontier", "people.csv", *ROLES, "--leakage", "L9"], "leakage='L9' is not known"),
    (["apply", "none.json", *APPLY[2:]], "none.json cannot be read: No such file"),
    (["apply", "short.json", *APPLY[2:]], "short.json is not a policy file, or it is cut short"),
    (["apply", "tampered.json", *APPLY[2:]], "tampered.json was changed after it was written"),
    (["apply", "newer.json", *APPLY[2:]], "newer.json was written by a newer discreet (schema 3): update discreet"),
    (["apply", "binary.json", *APPLY[2:]], "binary.json is not a policy file, or it is cut short: it is not text"),
    (["apply", "others.json", *APPLY[2:]], "no column 'weight'"),
    (["apply", "policy.json", "bare.csv", *APPLY[3:]], "no sensitive columns ['age']"),
    ([*APPLY[:-1], "released.csv"], "released.csv exists already"),
    ([*APPLY[:-1], "people.csv", "--force"], "is the original table"),
    ([*VERIFY, "short.json"], "cut short"),
    ([*VERIFY, "tampered.json"], "its sha256 does not match"),
    (["verify", "none.csv", "--policy", "policy.json"], "none.csv does not exist"),
    ([*VERIFY, "policy.json", "--original", "none.csv"], "none.csv does not exist"),
]


@pytest.fixture(scope="module")
def bad_runs(
    published: tuple[Path, Done], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, bytes], list[Done]]:
    """Every bad command, two at a time, in one folder that none of them may change."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("bad")
    for name in ("people.csv", "released.csv", "policy.json"):
        shutil.copy(published[0] / name, folder)
    text = (folder / "policy.json").read_text()
    document = json.loads(text)
    (folder / "short.json").write_text(text[: len(text) // 2])
    (folder / "tampered.json").write_text(text.replace('"nearest"', '"suppress"'))
    newer = {**{name: value for name, value in document.items() if name != "sha256"}, "schema": 3}
    (folder / "newer.json").write_text(json.dumps({**newer, "sha256": seal(newer)}))
    others = json.loads(text.replace('"chol"', '"weight"'))
    others.pop("sha256")
    (folder / "others.json").write_text(json.dumps({**others, "sha256": seal(others)}))
    (folder / "binary.json").write_bytes(b"\xff\xfe\x00\x01")
    write_csv(folder / "one.csv", "age,chol", [(7777, 1), (7777, 2)])
    write_csv(folder / "gaps.csv", "age,chol", [(1, 200), (2, ""), (1, 210)])
    write_csv(folder / "bare.csv", "chol", [(200,), (210,)])
    pq.write_table(pa.table({"age": [1, 2, 1], "chol": [1.5, float("inf"), 2.0]}), folder / "endless.parquet")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    return folder, before, [run(*arguments, cwd=folder) for arguments, _ in BAD]


@pytest.mark.parametrize("case", range(len(BAD)), ids=[words for _, words in BAD])
def test_bad_input_is_one_line_and_exit_2(bad_runs: tuple[Path, dict[str, bytes], list[Done]], case: int) -> None:
    done, words = bad_runs[2][case], BAD[case][1]
    assert words in done.stderr
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("discreet: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr
    assert "7777" not in done.stderr


def test_bad_input_changes_nothing(bad_runs: tuple[Path, dict[str, bytes], list[Done]]) -> None:
    folder, before, _ = bad_runs
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# ---------------------------------------------------------------------- interrupted, and out of disk


def test_an_interrupt_while_the_table_is_written_leaves_nothing(published: tuple[Path, Done], tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(
        "import time\n"
        "import discreet.tables._writing as writing\n"
        "def slow(target, batches, rows):\n"
        "    target.write_text('half a table')\n"
        f"    open({str(ready)!r}, 'x').close()\n"
        "    time.sleep(10_000)\n"
        "writing._write_text = slow\n"
    )
    out = tmp_path / "out"
    out.mkdir()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "discreet", "release", str(published[0] / "people.csv"), *ROLES),
            *("--max-leakage", "1", "--out", str(out / "r.csv"), "--policy", str(out / "p.json")),
        ],
        env={**os.environ, "PYTHONPATH": str(hooks)},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not ready.exists():  # until the table is half written
        assert process.poll() is None
        time.sleep(0.02)
    assert len(names(out)) == 2  # both under temporary names
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENT)
    assert process.returncode == 130
    assert errors == "discreet: interrupted\n"
    assert names(out) == set()


def test_a_full_disk_is_told_in_one_line(published: tuple[Path, Done], tmp_path: Path) -> None:
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can make a disk that fills up")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let root mount a disk")
    try:
        done = spawn(
            *("release", str(published[0] / "people.csv"), *ROLES, "--max-leakage", "1"),
            *("--out", str(disk / "r.xlsx"), "--policy", str(disk / "p.json")),
            cwd=tmp_path,
        )
        assert done.returncode == 2
        assert done.stderr.startswith("discreet: ")
        assert "No space left on device" in done.stderr
        assert done.stderr.count("\n") == 1
        assert names(disk) == set()
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S607


# ---------------------------------------------------------------------- tables in many files


def test_a_folder_is_audited_released_applied_and_verified_within_a_limit(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for part in range(3):
        write_csv(tmp_path / "parts" / f"{part}.csv", "id,age,chol,town", PEOPLE[part::3])
    limit = ("--memory-limit", "200MB")
    files = ("--out", "released.csv", "--policy", "policy.json")
    assert run("audit", "parts", *ROLES, *limit, cwd=tmp_path).returncode == 0
    assert run("release", "parts", *ROLES, "--max-leakage", "1", *files, *limit, cwd=tmp_path).returncode == 0
    policy = Policy.load(tmp_path / "policy.json")
    assert policy.source["files"] == 3
    again = run("apply", "policy.json", "parts/*.csv", "--out", "again.csv", *limit, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "released.csv").read_bytes()
    done = run("verify", "again.csv", "--policy", "policy.json", "--original", "parts", *limit, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    before = names(tmp_path)
    for command in (
        ("apply", "policy.json", "parts", "--out", "x.csv"),
        ("verify", "again.csv", "--policy", "policy.json"),
    ):
        refused = run(*command, "--memory-limit", "1KB", cwd=tmp_path)
        assert refused.returncode == 2
        assert refused.stderr == "discreet: a memory limit of 1KB is too small to work with: give at least 100MB\n"
    assert names(tmp_path) == before
