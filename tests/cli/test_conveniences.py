"""--quiet, standard input, completion and the doctor."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.cli import COMMANDS, SPEAKING, group
from tests.processes import said

CSV = "illness,town\nflu,North\ncold,South\nflu,South\ncold,North\n"
ROLES = ("-s", "illness", "-p", "town")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------------- --quiet


def test_quiet_prints_nothing_but_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "audit", "people.csv", *ROLES, "--quiet") == (0, "", "")
    assert said(capsys, "audit", "people.csv", *ROLES, "-q", "--require", "n>=9") == (1, "", "")
    code, out, errors = said(capsys, "audit", "nowhere.csv", *ROLES, "-q")
    assert (code, out) == (2, "")
    assert "nowhere.csv does not exist" in errors


def test_quiet_writes_what_it_would(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("release", "people.csv", *ROLES, "--max-leakage", "1", "--out", "r.csv", "--policy", "p.json", "-q")
    assert said(capsys, *asked) == (0, "", "")
    assert (here / "r.csv").exists()
    assert said(capsys, "verify", "r.csv", "--policy", "p.json", "-q") == (0, "", "")


def test_quiet_and_json_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, errors = said(capsys, "audit", "people.csv", *ROLES, "-q", "--json")
    assert (code, out) == (2, "")
    assert "--quiet prints nothing" in errors


def test_every_command_has_it_whose_words_are_not_its_answer() -> None:
    import click

    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        assert any(param.name == "quiet" for param in command.params) == (name not in SPEAKING)


# ---------------------------------------------------------------------- standard input


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"illness": ["flu", "cold"] * 2, "town": ["North", "South", "South", "North"]}), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    "given",
    [
        CSV.encode(),
        parquet(),
        pa.Codec("gzip").compress(CSV.encode(), asbytes=True),
        pa.Codec("zstd").compress(CSV.encode(), asbytes=True),
    ],
    ids=["csv", "parquet", "gz", "zst"],
)
def test_a_table_comes_from_standard_input(
    given: bytes, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", str(here))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given), isatty=lambda: False))
    code, out, errors = said(capsys, "audit", "-", *ROLES, "--json")
    assert (code, errors) == (0, "")
    assert json.loads(out)["rows"] == 4
    assert [path.name for path in here.iterdir()] == ["people.csv"]  # the scratch file is gone


def test_without_a_pipe_there_is_nothing_to_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    code, _, errors = said(capsys, "audit", "-", *ROLES)
    assert code == 2
    assert "standard input" in errors


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_compressed_text(suffix: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = {"gz": "gzip", "zst": "zstd"}[suffix]
    (here / f"people.csv.{suffix}").write_bytes(pa.Codec(name).compress(CSV.encode(), asbytes=True))
    code, out, errors = said(capsys, "audit", f"people.csv.{suffix}", *ROLES, "--json")
    assert (code, errors) == (0, "")
    assert json.loads(out)["rows"] == 4


# ---------------------------------------------------------------------- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_of_shells(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, errors = said(capsys, "completion", shell)
    assert (code, errors) == (0, "")
    assert "_DISCREET_COMPLETE" in out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=out, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("discreet rel", "release"), ("discreet audit --req", "--require"), ("discreet release --shape dis", "disjoint")],
)
def test_words_are_completed(words: str, wanted: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "discreet"],
        env={
            **os.environ,
            "_DISCREET_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"plain,{wanted}" in done.stdout.splitlines()


# ---------------------------------------------------------------------- doctor


def test_the_doctor_says_what_is_here_and_tries_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, errors = said(capsys, "doctor", "--json")
    assert (code, errors) == (0, "")
    found = json.loads(out)
    assert found["healthy"]
    assert found["libraries"]["duckdb"]
    assert found["extras"]["plots"].keys() == {"matplotlib"}
    assert set(found["tests"].values()) == {"works"}
    assert [path.name for path in here.iterdir()] == ["people.csv"]
    kernels = json.loads(out)["kernels"]
    assert kernels["count"] >= 1 and kernels["megabytes"] > 0  # the self-test has needed some
    assert Path(kernels["folder"]).is_dir()


def test_the_doctor_finds_what_is_broken(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("no such disk")

    monkeypatch.setattr("discreet.release._publishing._write_all", broken)
    code, out, _ = said(capsys, "doctor")
    assert code == 1
    assert "self-test, release: fails: OSError" in out
    assert "something is wrong" in out
