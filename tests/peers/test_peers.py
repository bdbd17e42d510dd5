"""Published values, ours held against them: a file per field, each value with its source and its equation.

A case says what it is about (a pmf, a prior and a channel, groups of sensitive values, or a table) and has values by name:
symbols of the registry, and the names of `OTHERS`. A list is a value per record or per group; what the source does not tell is
empty.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.auditing import HouseholdRisk, individual_risk, special
from discreet.measures._movers import closeness_by_group
from discreet.tables import count

HERE = Path(__file__).parent
Case = dict[str, Any]


def cases() -> list[Any]:
    """Every value as a test of its own."""
    found = []
    for file in sorted(HERE.glob("*.toml")):
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            for name, value in case["values"].items():
                listed = value if isinstance(value, list) else [value]
                for i, each in enumerate(listed):
                    if each != "":
                        place = i if isinstance(value, list) else None
                        label = f"{file.stem}: {case['name']}: {name}" + ("" if place is None else f" {i + 1}")
                        found.append(pytest.param(case, name, place, each, id=label))
    return found


def joint_of(case: Case) -> dc.Joint:
    if "pmf" in case:
        return dc.Joint.from_array(np.array(case["pmf"], dtype=float))
    if "prior" in case:
        return dc.Joint.from_channel(case["prior"], case["channel"])
    if "groups" in case:
        return dc.Joint.from_pairs([(s, x) for x, group in enumerate(case["groups"]) for s in group])
    if "typewriter" in case:
        n = case["typewriter"]
        return dc.Joint.from_channel(np.full(n, 1 / n), (np.eye(n) + np.roll(np.eye(n), 1, axis=1)) / 2)
    secrets = range(8 if case["program"] == "P" else 256)
    told: dict[str, list[Any]] = {
        "A": [s if s % 8 == 0 else 1 for s in secrets],
        "B": [s & 3 for s in secrets],
        "P": [s == 5 for s in secrets],
    }
    return dc.Joint.from_pairs(list(zip(secrets, told[case["program"]], strict=True)))


def columns(case: Case, key: str = "table") -> dict[str, list[Any]]:
    return {name: [None if cell == "" else cell for cell in cells] for name, cells in case[key].items()}


def audit_of(case: Case) -> dc.Audit:
    return dc.audit(
        columns(case),
        case.get("sensitive"),
        case["public"],
        weights=case.get("weights"),
        missing=case.get("missing", "level"),
        population=columns(case, "population") if "population" in case else None,
    )


def by_record(case: Case, values: Any) -> list[float]:
    """Figures of the public values, told record by record."""
    table, found = columns(case), audit_of(case)
    known = dict(zip(found.joint.x, np.asarray(values(found)).tolist(), strict=True))
    rows = list(zip(*(table[name] for name in case["public"]), strict=True))
    return [known[row if len(row) > 1 else row[0]] for row in rows]


def household(case: Case) -> list[float]:
    found = []
    for risks in case["risks"]:
        counted = count({"home": [1] * len(risks), "x": list(range(len(risks)))}, "home", "x")
        found.append(HouseholdRisk.of(counted, counted.x_codes, np.array(risks)).most)
    return found


def together(case: Case) -> dc.measures.Interaction:
    table = case["together"]
    (found,) = dc.measures.interactions(dc.Joint.from_table(table, "s", ["a", "b"]))
    return found


def gain(case: Case) -> dc.measures.Vulnerability:
    joint = joint_of(case)
    return dc.measures.vulnerability(joint, np.eye(joint.n_s))


def given_side(case: Case) -> dc.Joint:
    return dc.Joint.from_table(case["beside"], "s", "x", side="a")


def second_of(case: Case) -> dc.Joint:
    return dc.Joint.from_channel(case["prior"], case["second"])


def t_hier(case: Case) -> float:
    paths = {s: (s, *above) for s, above in case["paths"].items()}
    return dc.measures.t_closeness(joint_of(case), paths=paths)


m = dc.measures
OTHERS: dict[str, Callable[[Case], Any]] = {
    "H|X": lambda c: m.entropy(joint_of(c)) - m.mutual_information(joint_of(c)),
    "HX": lambda c: m.entropy(joint_of(c).transpose()),
    "HSX": lambda c: m.entropy(joint_of(c)) + m.entropy(joint_of(c).transpose()) - m.mutual_information(joint_of(c)),
    "capacity": lambda c: m.shannon_capacity(joint_of(c), gap=1e-9),
    "mult_capacity": lambda c: m.capacities(joint_of(c)).multiplicative,
    "add_capacity": lambda c: m.capacities(joint_of(c)).additive,
    "before": lambda c: gain(c).before,
    "after": lambda c: gain(c).after,
    "metric": lambda c: m.metric_privacy(joint_of(c), lambda a, b: abs(a - b)),
    "dominates": lambda c: m.dominates(joint_of(c), second_of(c)).holds,
    "wyner": lambda c: m.wyner_information(joint_of(c)).upper,
    "exact": lambda c: m.exact_common_information(joint_of(c)).upper,
    "redundancy": lambda c: together(c).redundancy,
    "synergy": lambda c: together(c).synergy,
    "told": lambda c: together(c).together,
    "I|A": lambda c: m.mutual_information(given_side(c), side=True),
    "K|A": lambda c: m.gacs_korner_information(given_side(c), side=True),
    "I_inf|A": lambda c: m.maximal_leakage(given_side(c), side=True),
    "I_2|A": lambda c: m.sibson_information(given_side(c), 2.0, side=True),
    "I_half|A": lambda c: m.sibson_information(given_side(c), 0.5, side=True),
    "Lmin|A": lambda c: m.min_entropy_leakage(given_side(c), side=True),
    "L0|A": lambda c: m.worst_case_leakage(given_side(c), side=True),
    "metric_root": lambda c: m.metric_privacy(joint_of(c), lambda a, b: math.sqrt(abs(a - b))),
    "dis": lambda c: special(audit_of(c).joint, size=c["size"]).match_probability(c["fraction"]),
    "emd": lambda c: closeness_by_group(joint_of(c), "ordered"),
    "t_hier": t_hier,
    "fk": lambda c: by_record(c, lambda found: found.matched.records),
    "Fk": lambda c: by_record(c, lambda found: found.people),
    "distinct": lambda c: by_record(c, lambda found: found.matched.distinct),
    "risk": lambda c: by_record(c, lambda found: found.individual_risk),
    "suda": lambda c: by_record(c, lambda found: special(found.joint, size=c["size"]).scores),
    "one_risk": lambda c: individual_risk(np.array([c["f"]]), np.array([c["people"]]))[0],
    "household": household,
    "prosecutor": lambda c: audit_of(c).risk.prosecutor,
    "marketer": lambda c: audit_of(c).risk.marketer,
    "uniques": lambda c: audit_of(c).risk.uniques,
    "below5": lambda c: audit_of(c).risk.below[5],
    "kmap": lambda c: audit_of(c).values["kmap"],
    "journalist": lambda c: audit_of(c).population.journalist,  # type: ignore[union-attr]
    "marketer_of_all": lambda c: audit_of(c).population.marketer,  # type: ignore[union-attr]
    "presence_min": lambda c: audit_of(c).values["presence_min"],
    "presence_max": lambda c: audit_of(c).values["presence_max"],
}


@pytest.mark.parametrize(("case", "name", "place", "value"), cases())
def test_a_published_value(case: Case, name: str, place: int | None, value: float) -> None:
    ours: Any = OTHERS[name](case) if name in OTHERS else m.REGISTRY[name](joint_of(case))
    if place is not None:
        ours = ours[place]
    if math.isinf(value):
        assert ours == value
    else:
        assert ours == pytest.approx(value, abs=case.get("tolerance", 1e-8))


def test_every_value_says_where_it_is_from() -> None:
    assert len(cases()) >= 300
    for file in HERE.glob("*.toml"):
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]:
            assert case["source"] and case["equation"], case["name"]
