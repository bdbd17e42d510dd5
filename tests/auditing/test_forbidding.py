"""Requirements that no set of a table's records could break: told from the others exactly, refused, and said."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.auditing._group_requirements import GroupRequirement
from discreet.columns import Hierarchy
from discreet.errors import InputError
from discreet.measures import REGISTRY
from tests.processes import run

# A quarter of the records each, so that L0, Lr and beta end at 2, 2 and 3 whatever is released.
FOUR = {
    "town": [f"t{i % 3}" for i in range(24)],
    "ill": [("hiv", "flu", "gout", "cold")[i % 4] for i in range(24)],
}
BY_GROUP = [
    "n",
    "k",
    "l_ent",
    "L0",
    "Lmin",
    "Lr",
    "alpha",
    "beta",
    "beta_enh",
    "delta",
    "t",
    "t_ord",
    "t_hier",
    "c_2",
    "c_3",
]
ROLES = '[columns.town]\nrole = "public"\n[columns.ill]\nrole = "sensitive"\n'
TREE = Hierarchy({str(i): (str(i), "ab"[i % 2], "*") for i in range(4)})


def set_partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [each for each in rest if each not in others]
            for part in set_partitions(left):
                yield [[first, *others], *part]


def joint_of(values: list[str], groups: list[list[int]]) -> dc.Joint:
    return dc.Joint.from_table(
        {
            "s": [values[i] for group in groups for i in group],
            "x": [f"g{g}" for g, group in enumerate(groups) for _ in group],
        },
        "s",
        "x",
    )


@given(
    st.lists(st.sampled_from("0123"), min_size=2, max_size=7),
    st.sampled_from(BY_GROUP),
    st.one_of(st.integers(1, 4).map(float), st.floats(0, 3)),
)
@settings(max_examples=100, deadline=None)
def test_a_bound_on_groups_forbids_nothing_just_where_no_set_of_records_breaks_it(
    values: list[str], symbol: str, bound: float
) -> None:
    bound = float(max(1, round(bound))) if symbol in ("n", "k") else bound
    asked = GroupRequirement(symbol, bound, None, {"s": TREE})
    everybody = range(len(values))
    broken = False
    for size in range(1, len(values) + 1):
        for some in itertools.combinations(
            everybody, size
        ):  # a group, and the others as one more: the prior is the table's
            rest = [i for i in everybody if i not in some]
            joint = joint_of(values, [list(some), rest] if rest else [list(some)])
            broken |= not asked.holds(asked.of_groups(joint)[:1])[0]
    assert asked.forbids_nothing(joint_of(values, [list(everybody)])) == (not broken)


@given(
    st.lists(st.sampled_from("012"), min_size=2, max_size=5),
    st.sampled_from(
        [*(s for s in REGISTRY if not REGISTRY[s].has_order and s != "t_hier"), "I_2", "IA_2", "L_2", "D_2", "c_2"]
    ),
    st.sampled_from(["<=", ">=", "<", ">", "="]),
    st.one_of(st.integers(0, 3).map(float), st.floats(0, 3)),
)
@settings(max_examples=100, deadline=None)
def test_a_bound_on_a_table_forbids_nothing_just_where_no_grouping_of_it_breaks_it(
    values: list[str], symbol: str, relation: str, bound: float
) -> None:
    if len(set(values)) < 2:
        return  # an audit refuses a column with one value
    met = [
        dc.audit({"s": values, "x": [str([i in g for g in groups]) for i in range(len(values))]}, "s", "x").check(
            [f"{symbol}{relation}{bound!r}"]
        )[0]
        for groups in set_partitions(list(range(len(values))))
    ]
    assert {each.forbids_nothing for each in met} == {all(each.met for each in met)}


@pytest.mark.parametrize(
    "require", ["L0<=2", "Lr<=2", "beta<=3", "alpha<=1", "t<=0.75", "l_ent>=1", "n>=1", "k>=1", "Lmin<=2"]
)
def test_what_forbids_nothing_is_refused_in_a_release(require: str) -> None:
    with pytest.raises(InputError, match="forbids nothing") as told:
        dc.generalise(FOUR, ["town"], ["ill"], ["n>=2", require], time_limit=0.2)
    assert "\n" not in str(told.value)
    assert "ask for" in str(told.value)


@pytest.mark.parametrize(
    "require", ["L0<=1.9", "Lr<=1.9", "beta<=2.9", "n>=2", "k>=2", "delta<=5", "c_2<=99", "beta_enh<=9"]
)
def test_what_forbids_something_is_not(require: str) -> None:
    dc.generalise(FOUR, ["town"], ["ill"], [require], time_limit=0.2)


def test_one_of_several_sensitive_columns_that_can_break_it_is_enough() -> None:
    table = {**FOUR, "pay": [str(i) for i in range(24)]}
    dc.generalise(table, ["town"], ["ill", "pay"], ["L0<=2"], time_limit=0.2)
    with pytest.raises(InputError, match=r"L0\(ill\)<=2 forbids nothing"):
        dc.generalise(table, ["town"], ["ill", "pay"], ["n>=3", "L0(ill)<=2"], time_limit=0.2)


def written(tmp_path: Path, table: dict[str, list[str]]) -> Path:
    path = tmp_path / "t.csv"
    rows = zip(*table.values(), strict=True)
    path.write_text(",".join(table) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def test_release_and_recipe_refuse_it_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR)
    asked = ("release", str(path), "-s", "ill", "-p", "town", "--out", str(tmp_path / "o.csv"))
    done = run(*asked, "--policy", str(tmp_path / "p.json"), "--require", "n>=2", "--require", "L0<=2")
    assert done.returncode == 2
    assert "L0<=2 forbids nothing" in done.stderr and done.stderr.count("\n") == 1
    recipe = tmp_path / "r.toml"
    recipe.write_text(f'require = ["k>=1"]\n[data]\ntable = "{path.name}"\n{ROLES}')
    done = run("release", "--recipe", str(recipe))
    assert (done.returncode, "k>=1 forbids nothing" in done.stderr) == (2, True)
    assert not (tmp_path / "o.csv").exists() and not (tmp_path / "released.csv").exists()


def test_a_policy_that_was_chosen_before_is_held_to_requirements_that_forbid_something(tmp_path: Path) -> None:
    path = written(tmp_path, FOUR)
    done = dc.generalise(str(path), ["town"], ["ill"], ["n>=2"], time_limit=0.2)
    done.policy.save(tmp_path / "chosen.json")
    recipe = tmp_path / "r.toml"
    recipe.write_text(f'require = ["L0<=2"]\n[data]\ntable = "{path.name}"\n{ROLES}[search]\npolicy = "chosen.json"\n')
    with pytest.raises(InputError, match="forbids nothing"):
        dc.Recipe.load(recipe).run()


def test_an_audit_says_so_and_passes_only_by_another_requirement(tmp_path: Path) -> None:
    asked = ("audit", str(written(tmp_path, FOUR)), "-s", "ill", "-p", "town")
    alone = run(*asked, "--require", "L0<=2", "--html", str(tmp_path / "a.html"))
    assert alone.returncode == 2
    assert "require L0 <= 2: met, found 0, forbids nothing here" in alone.stdout
    assert "could not tell" in alone.stderr and alone.stderr.count("\n") == 1
    assert "forbids nothing here" in (tmp_path / "a.html").read_text()
    both = run(*asked, "--require", "L0<=2", "--require", "k>=2")
    assert (both.returncode, both.stderr) == (0, "")
    assert both.stdout.count("forbids nothing here") == 1
    broken = run(*asked, "--require", "L0<=2", "--require", "k>=4", "--require", "n>=9")
    assert broken.returncode == 1
    told = json.loads(run(*asked, "--require", "L0<=2", "--json").stdout)
    assert [each["forbids_nothing"] for each in told["requirements"]] == [True]


def test_no_promise_of_a_policy_is_judged() -> None:
    """A table of four illnesses is released for L0 <= 2 of nine: the promise holds for a later one that has but four."""
    rng = np.random.default_rng(1)
    many: dict[str, list[Any]] = {
        "age": [int(v) for v in rng.integers(20, 40, 200)],
        "ill": [f"i{v}" for v in rng.integers(0, 9, 200)],
    }
    done = dc.generalise(many, ["age"], ["ill"], ["L0<=2"], time_limit=0.3)
    few = {name: [v for v, ill in zip(column, many["ill"], strict=True) if ill < "i4"] for name, column in many.items()}
    released = done.policy.apply(few, keep=["ill"])
    assert done.policy.verify(released).ok


def test_side_information_population_and_risk_are_judged_too() -> None:
    table = {"s": ["a", "b", "c", "d"] * 6, "x": ["u", "v"] * 12, "w": ["1", "1", "2", "2"] * 6, "weight": [50] * 24}
    found = dc.audit(table, "s", "x", "w", weights="weight", population={"x": ["u", "v", "u", "v"] * 30})
    told = {
        text: found.check([text])[0].forbids_nothing
        for text in (
            "L0|A<=1", "L0|A<=0.9", "I*,A<=2", "I*,A<=1", "risk<=0.1", "risk<=0.01", "kmap>=1", "kmap>=2",
            "presence_max<=1", "presence_max<=0.9", "presence_min>=0",
        )
    }  # fmt: skip
    assert [text for text, idle in told.items() if idle] == [
        "L0|A<=1", "I*,A<=2", "risk<=0.1", "kmap>=1", "presence_max<=1", "presence_min>=0",
    ]  # fmt: skip
    assert not dc.audit(table, "s", "x").check(["risk<=0.1"])[0].forbids_nothing
