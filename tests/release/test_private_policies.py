"""Policy files: no hash of the original, readable by their owner alone, and a public policy for one column as well."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.release import Policy
from discreet.tables._checksum import seal
from tests.processes import run

ROWS = [(age, ill) for age in range(20, 50) for ill in ("flu", "cold", "gout")[: 1 + age % 3]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age,ill\n" + "".join(f"{age},{ill}\n" for age, ill in ROWS))
    return tmp_path


COLUMN = ("--max-leakage", "0.5")
WHOLE = ("--require", "n>=5", "--time-limit", "1")


def released(folder: Path, *more: str, code: int = 0) -> Any:
    table = str((folder / "people.csv").absolute())
    files = ("--out", "out.csv", "--policy", "policy.json", "--report", "report.html", "--force")
    done = run("release", table, "-s", "ill", "-p", "age", *files, *more, cwd=folder)
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize("kind", [COLUMN, WHOLE], ids=["column", "whole"])
def test_no_policy_holds_a_hash_or_a_path_of_the_original(folder: Path, kind: tuple[str, ...]) -> None:
    """With the list of the members, a hash names the one table of all that fit."""
    released(folder, *kind, "--public-policy", "cells.json")
    digest = hashlib.sha256((folder / "people.csv").read_bytes()).hexdigest()
    text = (folder / "policy.json").read_text()
    assert digest not in text and str(folder) not in text
    assert json.loads(text)["source"] == {"file": "people.csv"}
    assert digest in (folder / "report.html").read_text()  # which is private
    assert "people.csv" not in (folder / "cells.json").read_text()


@pytest.mark.parametrize("kind", [COLUMN, WHOLE], ids=["column", "whole"])
def test_full_policies_are_readable_by_their_owner_alone(folder: Path, kind: tuple[str, ...]) -> None:
    released(folder, *kind, "--public-policy", "cells.json")
    modes = {name: stat.S_IMODE((folder / name).stat().st_mode) for name in ("policy.json", "cells.json", "out.csv")}
    assert modes["policy.json"] == 0o600
    assert modes["cells.json"] == modes["out.csv"] != 0o600
    policy = Policy.load(folder / "policy.json")
    policy.save(folder / "again.json")
    policy.face().save(folder / "face.json")
    assert stat.S_IMODE((folder / "again.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "face.json").stat().st_mode) == modes["cells.json"]


def test_a_file_with_a_hash_is_read_and_verifies(folder: Path) -> None:
    for kind in (COLUMN, WHOLE):
        released(folder, *kind)
        document = json.loads((folder / "policy.json").read_text())
        old = {**{name: value for name, value in document.items() if name != "sha256"}}
        old["source"] = {"file": "people.csv", "sha256": "ab" * 32}
        (folder / "old.json").write_text(json.dumps({**old, "sha256": seal(old)}))
        assert Policy.load(folder / "old.json").source["sha256"] == "ab" * 32
        done = run("verify", "out.csv", "--policy", "old.json", "--original", "people.csv", cwd=folder)
        assert done.returncode == 0, done.stdout


def test_one_column_has_a_public_policy_of_cells_alone(folder: Path) -> None:
    done = released(folder, *COLUMN, "--public-policy", "cells.json", "--keep", "ill")
    assert "public policy written to cells.json" in done.stdout
    document = json.loads((folder / "cells.json").read_text())
    assert document["may_be_published"] is True
    assert [set(block) for block in document["blocks"]] == [{"cells"}] * len(document["blocks"])
    assert "source" not in document and "withheld" not in document
    whole, face = (Policy.load(folder / name) for name in ("policy.json", "cells.json"))
    assert face.labels == whole.labels and face.is_public and not whole.is_public
    assert run("verify", "out.csv", "--policy", "cells.json", cwd=folder).returncode == 0
    spoilt = (folder / "out.csv").read_text().replace(face.labels[0][0], "99–120")
    (folder / "spoilt.csv").write_text(spoilt)
    assert run("verify", "spoilt.csv", "--policy", "cells.json", cwd=folder).returncode == 1
    again = Policy.from_dict(face.to_dict())
    assert again.to_dict() == document and "public" in repr(again) and again._repr_html_()


def test_a_public_policy_of_one_column_applies_to_nothing(folder: Path) -> None:
    released(folder, *COLUMN, "--public-policy", "cells.json")
    done = run("apply", "cells.json", "people.csv", "--out", "new.csv", cwd=folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "public policy" in done.stderr and not (folder / "new.csv").exists()
    with pytest.raises(InputError, match="public policy"):
        Policy.load(folder / "cells.json").block_of(30)


def test_codewords_are_public_where_they_are_what_was_released(folder: Path) -> None:
    released(folder, *COLUMN, "--public-policy", "cells.json", "--cells", "codeword")
    assert run("verify", "out.csv", "--policy", "cells.json", cwd=folder).returncode == 0
    assert "codeword" in json.loads((folder / "cells.json").read_text())["blocks"][0]


def test_several_columns_at_one_bound_have_one_too(tmp_path: Path) -> None:
    table = {
        "age": [age for age, _ in ROWS],
        "town": ["AB"[i % 2] for i in range(len(ROWS))],
        "ill": [ill for _, ill in ROWS],
    }
    found = dc.frontier(dc.Joint.from_table(table, "ill", ["age", "town"]), utility="resolution")
    policy = found.at(max_leakage=0.5)
    face = policy.face()
    again = Policy.from_dict(face.to_dict())
    assert again.labels == policy.labels
    assert again.verify(policy.release(table, keep=["ill"])).ok
    assert not {"letters", "codeword"} & set(face.to_dict()["blocks"][0])
