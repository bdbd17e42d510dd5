"""Releases bound by the models of others: every group holds them, recomputed from the released rows by hand."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pytest

import discreet as dc
from discreet.auditing._group_requirements import GroupRequirement, findings
from discreet.errors import InputError

Shares = dict[str, float]


def registry(rows: int = 400, seed: int = 5) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    illness = np.array(["flu", "cold", "cough", "gout"])[(rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1]) + age // 60) % 4]
    return {"age": age.tolist(), "ward": rng.integers(1, 6, rows).tolist(), "illness": illness.tolist()}


def entropy(q: Shares, _: Shares) -> float:
    return 2 ** -sum(share * math.log2(share) for share in q.values())


def recursive(q: Shares, _: Shares) -> float:
    ranked = sorted(q.values(), reverse=True)
    return ranked[0] / sum(ranked[1:]) if len(ranked) > 1 else math.inf


def distance(q: Shares, p: Shares) -> float:
    return 0.5 * sum(abs(q.get(s, 0.0) - p[s]) for s in p)


def likeness(q: Shares, p: Shares) -> float:
    return max((share - p[s]) / p[s] for s, share in q.items())


MODELS: list[tuple[str, Callable[[Shares, Shares], float]]] = [
    ("l_ent>=2.2", entropy),
    ("c_2<=1.4", recursive),
    ("alpha<=0.6", lambda q, _: max(q.values())),
    ("t<=0.25", distance),
    ("beta<=0.5", likeness),
    ("beta_enh<=0.9", likeness),
]


@pytest.mark.parametrize(("require", "by_hand"), MODELS)
def test_every_group_of_a_release_holds_it(require: str, by_hand: Callable[[Shares, Shares], float]) -> None:
    table = registry()
    done = dc.generalise(
        table, public=["age", "ward"], sensitive=["illness"], require=["n>=3", require], time_limit=0.2
    )
    released = done.release(keep=["illness"])
    groups: dict[tuple[object, object], Counter[str]] = defaultdict(Counter)
    for age, ward, illness in zip(released["age"], released["ward"], released["illness"], strict=True):
        groups[age, ward][str(illness)] += 1
    total = Counter(map(str, table["illness"]))
    p = {s: count / sum(total.values()) for s, count in total.items()}
    values = [by_hand({s: c / sum(group.values()) for s, c in group.items()}, p) for group in groups.values()]
    wanted = GroupRequirement.parse(require, ["illness"])
    assert len(groups) > 1
    assert wanted.holds(np.array(values)).all()
    joint = dc.Joint.from_table(released, "illness", ["age", "ward"])
    (finding,) = findings([wanted], joint)
    assert finding.met
    assert finding.worst == pytest.approx(min(values) if ">=" in require else max(values))


def test_what_is_refused() -> None:
    for text, words in {
        "t>=0.2": "wrong way round",
        "l_ent<=2": "wrong way round",
        "c_1<=2": "not about single groups",
        "I<=1": "not about single groups",
    }.items():
        with pytest.raises(InputError, match=words):
            GroupRequirement.parse(text, ["illness"])
