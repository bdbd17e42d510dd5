"""How many people break a requirement, not only how many groups; and the models of groups as requirements of an audit."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.auditing._group_requirements import GroupRequirement, findings
from tests.processes import run

TABLE = {
    "town": ["A"] * 3 + ["B"] * 5 + ["C"] * 2,
    "ill": ["x", "x", "y", "x", "y", "z", "z", "z", "x", "x"],
}


@pytest.mark.parametrize(
    "require", ["n>=4", "k>=3", "L0<=0.5", "alpha<=0.6", "t<=0.3", "beta<=0.5", "l_ent>=2", "c_2<=1.5"]
)
def test_records_that_break_it_are_counted_one_by_one(require: str) -> None:
    found = dc.audit(TABLE, "ill", "town")
    (finding,) = found.check([require])
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for town, ill in zip(TABLE["town"], TABLE["ill"], strict=True):
        groups[town][ill] += 1
    total = Counter(TABLE["ill"])
    people = sum(
        sum(group.values())
        for group in groups.values()
        if not GroupRequirement.parse(require, ["ill"]).holds(np.array([by_hand(require, group, total)]))[0]
    )
    assert not finding.met
    assert finding.people == people
    assert finding.failing == len([*finding.groups]) > 0


def by_hand(require: str, group: Counter[str], total: Counter[str]) -> float:
    n, rows = sum(group.values()), sum(total.values())
    q = {s: c / n for s, c in group.items()}
    p = {s: c / rows for s, c in total.items()}
    ranked = sorted(group.values(), reverse=True)
    return {
        "n": float(n),
        "k": float(len(group)),
        "L0": math.log2(len(total) / len(group)),
        "alpha": max(q.values()),
        "t": sum(abs(q.get(s, 0) - p[s]) for s in p) / 2,
        "beta": max(q[s] / p[s] for s in q) - 1,
        "l_ent": 2 ** -sum(each * math.log2(each) for each in q.values()),
        "c_2": ranked[0] / sum(ranked[1:]) if len(ranked) > 1 else math.inf,
    }[require.replace(">", "<").partition("<")[0]]


def test_an_average_is_broken_by_no_group() -> None:
    (finding,) = dc.audit(TABLE, "ill", "town").check(["I<=0.01"])
    assert not finding.met
    assert (finding.failing, finding.people, finding.groups) == (0, 0, ())


def test_the_command_says_how_many_records(tmp_path: Path) -> None:
    path, page = tmp_path / "t.csv", tmp_path / "t.html"
    path.write_text("town,ill\n" + "".join(f"{a},{b}\n" for a, b in zip(TABLE["town"], TABLE["ill"], strict=True)))
    asked = ("audit", str(path), "-s", "ill", "-p", "town", "--require", "n>=4")
    done = run(*asked, "--html", str(page))
    assert done.returncode == 1
    assert "2 groups break it, 5 of 10 records (50.0%): C; A" in done.stdout
    assert "5 of 10 records (50.0%)" in page.read_text()
    (told,) = json.loads(run(*asked, "--json").stdout)["requirements"]
    assert (told["failing_groups"], told["failing_records"], told["share"]) == (2, 5, 0.5)


def test_a_release_says_how_many_records() -> None:
    joint = dc.Joint.from_table(TABLE, "ill", "town")
    (finding,) = findings([GroupRequirement.parse("n>=4", ["ill"])], joint)
    assert finding.people == 5
    assert finding.sentence() == "2 groups with 5 of 10 records break n>=4; the worst has 2"


def test_delta_and_ordered_closeness_bind_a_release() -> None:
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(20, 60, 600).tolist(), "grade": rng.integers(1, 4, 600).tolist()}
    for require in ("delta<=1.5", "t_ord<=0.15"):
        done = dc.generalise(table, public=["age"], sensitive=["grade"], require=["n>=3", require], time_limit=0.2)
        joint = dc.Joint.from_table(done.release(keep=["grade"]), "grade", "age")
        assert joint.n_x > 1
        assert dc.audit(done.release(keep=["grade"]), "grade", "age").check([require])[0].met
