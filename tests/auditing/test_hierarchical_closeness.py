"""t_hier in requirements: audits, releases, their files and what verifies them, all with the hierarchy that was given."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.auditing import GroupRequirement
from discreet.columns import Hierarchy
from discreet.errors import InputError, RequirementError
from discreet.release import Policy
from tests.processes import said

TREE = "flu;lungs;*\ncold;lungs;*\ncough;lungs;*\ngout;joints;*\nsprain;joints;*\nrash;skin;*\n"
ORGAN = {line.split(";")[0]: line.split(";")[1] for line in TREE.splitlines()}


def people(rows: int = 300, seed: int = 3) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    names = np.array(["flu", "cold", "cough", "gout", "sprain"])
    illness = names[(rng.choice(5, rows, p=[0.35, 0.25, 0.2, 0.12, 0.08]) + (age > 60)) % 5]
    return {"age": age.tolist(), "ward": rng.integers(1, 6, rows).tolist(), "illness": illness.tolist()}


def by_hand(rows: dict[str, list[Any]]) -> float:
    """The mean of two total variations, of values and of their organs, in the worst group."""
    groups: dict[Any, Counter[str]] = defaultdict(Counter)
    for x, s in zip(zip(rows["age"], rows["ward"], strict=True), rows["illness"], strict=True):
        groups[x][s] += 1
    total = sum(groups.values(), Counter())

    def apart(group: Counter[str], named: Any) -> float:
        mine, all_of_them = Counter[str](), Counter[str]()
        for s, count in group.items():
            mine[named(s)] += count
        for s, count in total.items():
            all_of_them[named(s)] += count
        return sum(max(0.0, mine[v] / mine.total() - all_of_them[v] / all_of_them.total()) for v in mine)

    return max((apart(group, str) + apart(group, ORGAN.get)) / 2 for group in groups.values())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    columns = people()
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "organs.csv").write_text(TREE)
    return tmp_path


def read(path: Path) -> dict[str, list[Any]]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


# ---------------------------------------------------------------------- Python


def test_an_audit_has_it_where_the_hierarchy_is_given() -> None:
    table, tree = people(), Hierarchy.parse(TREE)
    found = dc.audit(table, "illness", ["age", "ward"], hierarchies={"illness": tree})
    assert found.values["t_hier"] == pytest.approx(by_hand(table))
    assert found.values["t_hier"] <= found.values["t"]
    (finding,) = found.check(["t_hier<=0.1"])
    assert not finding.met
    own = GroupRequirement("t_hier", 0.1, None, {"illness": tree}).of_groups(found.joint)
    assert finding.failing == int((own > 0.1).sum())
    assert "t_hier" not in dc.audit(table, "illness", "age").values
    with pytest.raises(InputError, match=r"t_hier needs the hierarchy of 'illness': --hierarchy illness=FILE"):
        dc.audit(table, "illness", "age").check(["t_hier<=0.1"])
    with pytest.raises(InputError, match="'age', which is not a sensitive column"):
        dc.audit(table, "illness", "age", hierarchies={"age": tree})


def test_several_sensitive_columns_are_held_one_by_one() -> None:
    table = people()
    table["sex"] = ["f" if i % 3 else "m" for i in range(len(table["age"]))]
    trees = {"illness": Hierarchy.parse(TREE), "sex": Hierarchy.parse("f,*\nm,*\n")}
    found = dc.audit(table, ["illness", "sex"], ["ward"], hierarchies=trees)
    (finding,) = found.check(["t_hier<=0.001"])
    alone = {name: dc.audit(table, name, ["ward"], hierarchies={name: trees[name]}).values["t_hier"] for name in trees}
    assert (finding.column, finding.value) == max(alone.items(), key=lambda each: each[1])
    assert {name: found.sensitive[name]["t_hier"] for name in trees} == alone
    assert found.check(["t_hier(sex)<=1"])[0].value == alone["sex"]
    done = dc.generalise(
        table, ["ward"], ["illness", "sex"], ["t_hier(sex)<=0.6"], hierarchies={"sex": trees["sex"]}, time_limit=0.2
    )
    assert [each.column for each in done.findings] == ["sex"]
    with pytest.raises(InputError, match="needs the hierarchy of 'illness'"):
        dc.generalise(table, ["ward"], ["illness", "sex"], ["t_hier<=0.9"], hierarchies={"sex": trees["sex"]})


def test_what_is_missing_stands_alone_under_the_root() -> None:
    table = {"illness": ["flu", "cold", None, None], "ward": [1, 1, 2, 2]}
    found = dc.audit(table, "illness", "ward", hierarchies={"illness": Hierarchy.parse(TREE)})
    assert found.values["t_hier"] == 0.5


def test_a_value_that_the_hierarchy_lacks_is_counted_and_not_named() -> None:
    table, tree = people(), {"illness": Hierarchy.parse(TREE.replace("gout", "cramp"))}
    with pytest.raises(InputError, match=r"column 'illness': 1 of its 5 values are no leaf") as refused:
        dc.generalise(table, ["age"], "illness", "t_hier<=0.5", hierarchies=tree)
    assert "gout" not in str(refused.value)
    with pytest.raises(InputError, match="1 of its 5 values are no leaf") as refused:
        dc.audit(table, "illness", "age", hierarchies=tree)
    assert "gout" not in str(refused.value)


# ---------------------------------------------------------------------- released, written, verified


def test_a_release_keeps_it_and_its_file_verifies_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ("--sensitive", "illness", "--public", "age,ward", "--hierarchy", f"illness={folder / 'organs.csv'}")
    out, policy, face = (str(folder / name) for name in ("out.csv", "policy.json", "face.json"))
    written = ("--out", out, "--policy", policy, "--public-policy", face, "--keep", "illness")
    asked = ("--require", "n>=3", "--require", "t_hier<=0.25", "--time-limit", "0.2")
    code, text, err = said(capsys, "release", str(folder / "people.csv"), *told, *asked, *written)
    assert (code, err) == (0, "")
    assert "t_hier<=0.25 of illness holds in every group; the worst has" in text
    worst = by_hand(read(folder / "out.csv"))
    assert worst <= 0.25
    code, text, _ = said(capsys, "verify", out, "--policy", policy, "--json")
    assert code == 0
    assert json.loads(text)["measures"]["t_hier"] == pytest.approx(worst)
    assert json.loads(text)["unchecked"] == []
    assert "joints" not in Path(face).read_text()  # the hierarchy lists sensitive values
    code, text, _ = said(capsys, "verify", out, "--policy", face)
    assert code == 0
    assert "not checked: t_hier<=0.25: t_hier needs the hierarchy of 'illness': --hierarchy illness=FILE" in text
    code, text, _ = said(capsys, "verify", out, "--policy", face, "--hierarchy", str(folder / "organs.csv"), "--json")
    assert (code, json.loads(text)["measures"]["t_hier"]) == (0, pytest.approx(worst))


def test_a_changed_release_is_found_out(folder: Path) -> None:
    done = dc.generalise(
        folder / "people.csv",
        ["age", "ward"],
        "illness",
        ["t_hier<=0.2", "n>=3"],
        hierarchies={"illness": folder / "organs.csv"},
        time_limit=0.2,
    )
    done.policy.save(folder / "policy.json")
    policy = Policy.load(folder / "policy.json")
    rows = done.release(keep=["illness"]).to_pydict()
    assert policy.verify(rows)
    first = next(iter(zip(rows["age"], rows["ward"], strict=True)))
    tampered = [
        "gout" if (age, ward) == first else s
        for age, ward, s in zip(rows["age"], rows["ward"], rows["illness"], strict=True)
    ]
    assert any("t_hier<=0.2" in words for words in policy.verify({**rows, "illness": tampered}).problems)
    strange = policy.verify({**rows, "illness": ["plague", *list(rows["illness"])[1:]]})
    assert not strange
    assert any("values are no leaf of its hierarchy" in words for words in strange.problems)
    assert not any("plague" in words for words in (*strange.problems, *strange.unchecked))


def test_no_promise_is_forgotten_on_new_rows(folder: Path) -> None:
    done = dc.generalise(
        folder / "people.csv",
        ["age", "ward"],
        "illness",
        ["t_hier<=0.3", "n>=3"],
        hierarchies={"illness": folder / "organs.csv"},
        shape="disjoint",
        time_limit=0.2,
    )
    face = done.policy.face()
    with pytest.raises(RequirementError, match="t_hier needs the hierarchy"):
        face.apply(folder / "people.csv")
    assert face.with_hierarchies({"illness": folder / "organs.csv"}).apply(folder / "people.csv")


def test_recipes_frontiers_and_audits_read_the_same_hierarchy(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = folder / "recipe.toml"
    recipe.write_text(
        'require = ["n>=3", "t_hier<=0.25"]\n[data]\ntable = "people.csv"\n[columns.age]\nrole = "public"\n'
        '[columns.ward]\nrole = "public"\n[columns.illness]\nrole = "sensitive"\nhierarchy = "organs.csv"\n'
        '[search]\ntime_limit = 0.2\n[output]\ntable = "out.csv"\nkeep = ["illness"]\n'
    )
    assert said(capsys, "release", "--recipe", str(recipe))[0] == 0
    assert by_hand(read(folder / "out.csv")) <= 0.25
    code, text, _ = said(capsys, "audit", "--recipe", str(recipe), "--json", "--require", "t_hier<=0.5")
    assert (code, json.loads(text)["values"]["t_hier"]) == (1, pytest.approx(by_hand(read(folder / "people.csv"))))
    code, text, _ = said(capsys, "frontier", "--recipe", str(recipe), "--against", "n=3,5")
    assert (code, "beside t_hier<=0.25" in text) == (0, True)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "t_hier needs the hierarchy of 'illness': --hierarchy illness=FILE"),
        (("--hierarchy", "town=organs.csv"), "does not name a column: say --hierarchy COLUMN=FILE"),
        (("--hierarchy", "illness=nowhere.csv"), "cannot be read"),
        (("--hierarchy", "illness=crooked.csv"), "line 2: 2 columns where the first line has 3"),
        (("--hierarchy", "illness=short.csv"), "column 'illness': 4 of its 5 values are no leaf of its hierarchy"),
    ],
)
@pytest.mark.parametrize("command", ["audit", "release", "frontier"])
def test_bad_input_is_one_line(
    command: str,
    more: tuple[str, ...],
    words: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    (folder / "crooked.csv").write_text("flu;lungs;*\ncold;*\n")
    (folder / "short.csv").write_text("flu;lungs;*\n")
    written = ("--out", "out.csv", "--policy", "policy.json") if command == "release" else ()
    told = ("people.csv", "-s", "illness", "-p", "age,ward", "--require", "t_hier<=0.2")
    code, out, err = said(capsys, command, *told, *written, *more)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert words in err
    assert not any(illness in err.replace("illness", "") for illness in ORGAN)
    assert not (folder / "out.csv").exists()


@pytest.mark.slow
def test_two_hundred_thousand_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = {
        "age": rng.integers(18, 95, 200_000),
        "ward": rng.integers(0, 40, 200_000),
        "illness": np.array([f"I{i:03}" for i in range(300)])[(300 * rng.random(200_000) ** 2).astype(int)],
    }
    tree = Hierarchy.parse("".join(f"I{i:03};chapter {i // 30};*\n" for i in range(300)))
    done = dc.generalise(
        table, ["age", "ward"], "illness", ["n>=5", "t_hier<=0.4"], hierarchies={"illness": tree}, time_limit=20
    )
    done.policy.save(tmp_path / "policy.json")
    found = Policy.load(tmp_path / "policy.json").verify(done.release(keep=["illness"]))
    assert found
    assert found.measures["t_hier"] <= 0.4
