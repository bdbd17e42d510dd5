"""The command line as people run it: exit codes, one line for bad input, nothing half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes import PATIENT, run, spawn

CSV = "age,sex,chol\n30,F,200\n31,M,200\n32,F,210\n30,M,210\n33,F,220\n33,M,220\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(CSV)
    return path


def test_audit_as_text(people: Path) -> None:
    done = run("audit", str(people), "--sensitive", "age", "--public", "chol", "--worst", "2")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for words in (
        "For 2 of 6 records, chol gives away age for certain",
        "L0",
        "Homogeneity: in 1 group of two",
        "Worst groups",
    ):
        assert words in done.stdout
    assert "33" not in done.stdout.replace("33 ", "")  # the sensitive value of the worst group


def test_audit_as_json_and_html(people: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = run("audit", str(people), "-s", "age,sex", "-p", "chol", "--json", "--html", str(page), "--order", "3")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["rows"] == 6
    assert document["sensitive"] == ["age", "sex"]
    assert document["values"]["eps"] == "inf"
    assert "D_3" in document["values"]
    assert page.read_text().startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_requirement_about_one_of_several_sensitive_columns(people: Path) -> None:
    asked = ("audit", str(people), "-s", "age", "-s", "sex", "-p", "chol")
    met = run(*asked, "--require", "k(sex)>=2", "--require", "L0( sex ) <= 0")
    assert met.returncode == 0, met.stdout + met.stderr
    assert "require k(sex) >= 2: met" in met.stdout
    broken = run(*asked, "--require", "k(age)>=2")
    assert broken.returncode == 1
    assert "require k(age) >= 2: not met, found 1" in broken.stdout
    for wrong, why in (
        ("k(chol)>=2", "not sensitive"),
        ("n(age)>=2", "not about one"),
        ("H0(age)<=2", "not about one"),
    ):
        refused = run(*asked, "--require", wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert why in refused.stderr and refused.stderr.count("\n") == 1


def test_requirements_decide_the_exit_code(people: Path) -> None:
    met = run("audit", str(people), "-s", "age", "-p", "chol", "--require", "L0<=2", "--require", "n>=2")
    assert met.returncode == 0
    broken = run("audit", str(people), "-s", "age", "-p", "chol", "--require", "L0<=2", "--require", "k>=2")
    assert broken.returncode == 1
    assert "require k >= 2: not met, found 1" in broken.stdout
    assert "1 group breaks it, 2 of 6 records (33.3%): 220" in broken.stdout
    as_json = run("audit", str(people), "-s", "age", "-p", "chol", "-r", "k>=2", "--json")
    assert as_json.returncode == 1
    (finding,) = json.loads(as_json.stdout)["requirements"]
    assert finding == {
        "requirement": "k >= 2",
        "value": 1.0,
        "met": False,
        "forbids_nothing": False,
        "column": None,
        "failing_groups": 1,
        "failing_records": 2,
        "share": pytest.approx(1 / 3),
        "groups": [{"value": 220, "rows": 2, "distinct": 1}],
    }


def test_show_values_names_them(people: Path) -> None:
    hidden = run("audit", str(people), "-s", "age", "-p", "chol", "--json")
    shown = run("audit", str(people), "-s", "age", "-p", "chol", "--json", "--show-values")
    assert "sensitive" not in json.loads(hidden.stdout)["worst"][0]
    assert json.loads(shown.stdout)["worst"][0]["sensitive"] == [33]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "people.csv", "-s", "age", "-p", "weight"], "no column 'weight'"),
        (["audit", "people.csv", "-s", "age", "-p", "age"], "both sensitive and public"),
        (["audit", "people.csv", "-s", "age", "-p", "chol,chol"], "named twice"),
        (["audit", "none.csv", "-s", "age", "-p", "chol"], "does not exist"),
        (["audit", "empty", "-s", "age", "-p", "chol"], "is a folder without a table"),
        (["audit", ".", "-s", "age", "-p", "chol"], "different headers"),
        (["audit", "*.parquet", "-s", "age", "-p", "chol"], "no file matches"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--memory-limit", "1MB"], "too small to work with"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "-r", "Q<=2"], "no measure 'Q'"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "-r", "L0<=x"], "not a number"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--html", "no/where.html"], "no folder"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--html", "."], "is a folder"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--order", "nan"], "order"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--order", "-1"], "order"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--memory-limit", "much"], "not a size"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--missing", "guess"], "'guess' is not one of"),
        (["audit", "people.csv", "-s", "age"], "Missing option"),
        (["audit"], "Missing argument"),
        (["audit", "one.csv", "-s", "age", "-p", "chol"], "single value"),
        (["audit", "postgresql://127.0.0.1:1/base#people", "-s", "age", "-p", "chol"], "cannot be reached"),
        (["nonsense"], "No such command"),
        (["audit", "people.csv", "-s", "age", "-p", "chol", "--nonsense"], "No such option"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(people: Path, arguments: list[str], words: str) -> None:
    (people.parent / "one.csv").write_text("age,chol\n7777,1\n7777,2\n")
    (people.parent / "empty").mkdir()
    before = sorted(people.parent.iterdir())
    done = run(*arguments, cwd=people.parent)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.startswith("discreet: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert "7777" not in done.stderr
    assert sorted(people.parent.iterdir()) == before


@pytest.mark.parametrize("arguments", [["--help"], ["audit", "--help"], ["demo", "--help"], ["-h"]])
def test_help_has_an_example(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 0
    assert "Example: discreet" in done.stdout


def test_alone_it_prints_its_help() -> None:
    done = run()
    assert done.returncode == 0
    assert "Commands:" in done.stdout


def test_version() -> None:
    assert run("--version").stdout.startswith("discreet 0.")


def test_a_sheet_or_table_is_named_by_an_option(tmp_path: Path) -> None:
    import sqlite3

    con = sqlite3.connect(tmp_path / "t.db")
    for name in ("people", "other"):
        con.execute(f"create table {name} (age, chol)")
    con.executemany("insert into people values (?, ?)", [(1, 2), (2, 2)])
    con.commit()
    con.close()
    done = run("audit", f"sqlite:///{tmp_path}/t.db", "--table", "people", "-s", "age", "-p", "chol", "--json")
    assert json.loads(done.stdout)["rows"] == 2


def test_an_unforeseen_error_shows_no_value(people: Path, tmp_path: Path) -> None:
    hook = tmp_path / "sitecustomize.py"
    hook.write_text(
        "import discreet.auditing\n"
        "def explode(*a, **k):\n    raise RuntimeError('secret value 42')\n"
        "discreet.auditing.audit = explode\n"
    )
    done = spawn("audit", str(people), "-s", "age", "-p", "chol", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "secret" not in done.stderr
    assert "unexpected RuntimeError" in done.stderr


def test_an_interrupt_exits_130_and_leaves_nothing(tmp_path: Path) -> None:
    fifo = tmp_path / "people.csv"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "discreet",
            "audit",
            str(fifo),
            "-s",
            "age",
            "-p",
            "chol",
            "--html",
            str(tmp_path / "r.html"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    writer = None
    while writer is None:  # until it reads, and waits
        assert process.poll() is None, process.communicate()
        with suppress(OSError):
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENT)
    os.close(writer)
    assert process.returncode == 130
    assert errors == "discreet: interrupted\n"
    assert not (tmp_path / "r.html").exists()


def test_a_reader_that_goes_away(people: Path) -> None:
    line = (
        f"{sys.executable} -m discreet audit {people} -s age -p chol | head -c 1 > /dev/null; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENT, check=False)  # noqa: S607
    assert "Traceback" not in done.stderr
    assert done.stdout.strip() in ("0", "141")  # never 1, which means a requirement that is not met


@pytest.mark.slow
def test_demo(tmp_path: Path) -> None:
    done = run("demo", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    names = {
        "people.csv",
        "recipe.toml",
        "audit.html",
        "frontier.png",
        "released.csv",
        "private-policy.json",
        "cells.json",
        "private-report.html",
    }
    assert names <= {file.name for file in (tmp_path / "out").iterdir()}
    assert "5,000 rows fit the policy" in done.stdout


def test_without_plots_the_report_says_what_to_install(people: Path, tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('no matplotlib')\n")
    done = spawn(
        "audit", str(people), "-s", "age", "-p", "chol", "--html", str(tmp_path / "r.html"), PYTHONPATH=str(tmp_path)
    )
    assert done.returncode == 2
    assert 'pip install "discreet[plots]"' in done.stderr
    assert not (tmp_path / "r.html").exists()


def test_a_terminal_that_lacks_letters(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("s,x\n1,ß→\n2,b\n")
    done = run("audit", "t.csv", "-s", "s", "-p", "x", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    done = run("audit", "t.csv", "-s", "s", "-p", "x", "--json", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert "ß→" in {group["value"] for group in json.loads(done.stdout)["worst"]}


def test_columns_with_commas_and_blanks_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('s,"a,b", x\n1,2,3\n2,2,4\n')
    done = run("audit", "t.csv", "-s", "s", "-p", "a,b", "-p", " x", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["public"] == ["a,b", " x"], done.stderr


def test_the_report_may_not_replace_the_table(people: Path) -> None:
    done = run("audit", str(people), "-s", "age", "-p", "chol", "--html", str(people))
    assert done.returncode == 2
    assert people.read_text() == CSV


def test_an_interrupt_while_the_engine_counts(tmp_path: Path) -> None:
    import duckdb

    rows = "SELECT hash(i) % 1000 AS s, hash(i * 7) % 3000000 AS x FROM range(12000000) t(i)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{tmp_path}/t.parquet'")
    ready, hooks = tmp_path / "ready", tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(
        "import discreet.tables._files as files\n"
        "run = files.run\n"
        "def told(*arguments):\n"
        f"    open({str(ready)!r}, 'w').close()\n"
        "    return run(*arguments)\n"
        "files.run = told\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "discreet", "audit", str(tmp_path / "t.parquet"), "-s", "s", "-p", "x"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(hooks), os.environ.get("PYTHONPATH", "")])},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    while not ready.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(0.2)  # by now it is in the engine, nearly always
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENT)
    assert process.returncode == 130, errors
    assert errors == "discreet: interrupted\n"
