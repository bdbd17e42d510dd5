"""What every engine must do, tried on all of the table; and the one engine that each task goes to."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet import measures
from discreet.errors import InputError
from discreet.release._engine import REGISTERED
from discreet.search._engines import ENGINES, engine_for
from discreet.search._options import Options
from discreet.search._protocol import SearchEngine, Task
from tests.search.kinds_of_frontiers import KINDS, joint

NAMES = [engine.name for engine in ENGINES]


def task_of(kind: str, **options: Any) -> Task:
    return Options(**options).checked().task(joint(kind))


TASKS = {name: task_of(kind, **options) for name, (kind, options) in KINDS.items()}


def tasks_for(engine: SearchEngine) -> list[Task]:
    """A few tasks of different kinds that an engine is asked."""
    mine = {
        (task.leakage, task.setting.utility, task.problem): task
        for task in TASKS.values()
        if engine.accepts(task) is None
    }
    return list(mine.values())


def leak(joint: dc.Joint, measure: str) -> float:
    """By the measures of the coarsened joint, which no engine had a hand in."""
    order = {"D_2": 2.0, "D_inf": np.inf}.get(measure)
    if order is not None:
        return measures.renyi_leakage(joint, order=order)
    symbol = "L0" if measure == "L0|I*=0" else measure
    if joint.has_side and symbol in ("L0", "I*"):
        return measures.REGISTRY[symbol](joint, side=True)
    return measures.REGISTRY[symbol](joint)


def keep(joint: dc.Joint, block_of: Any, utility: str) -> float | None:
    if utility == "resolution":
        return float(np.log2(joint.n_x / np.bincount(block_of).max()))
    return measures.entropy(dc.Joint.from_array(np.diag(np.bincount(block_of, weights=joint.records)))) if (
        utility == "information"
    ) else None  # fmt: skip


def test_names_are_unique_and_known_to_files() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(REGISTERED[engine.name] is engine for engine in ENGINES)


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_an_engine_says_what_it_accepts(engine: SearchEngine) -> None:
    answers = [engine.accepts(task) for task in TASKS.values()]
    assert None in answers, "no kind of frontier tries this engine"
    assert all(answer is None or isinstance(answer, str) for answer in answers)
    assert all("\n" not in answer for answer in answers if answer)
    assert type(pickle.loads(pickle.dumps(engine))) is type(engine)  # noqa: S301, just pickled
    assert not vars(engine), "an engine has no state: what it needs is in the task"


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_an_engine_keeps_its_word(engine: SearchEngine) -> None:
    for task in tasks_for(engine):
        setting = replace(task.setting, engine=engine)
        task = replace(task, setting=setting)
        found = engine.search(task)
        every = found.partitions
        assert len(every) == len(every.store) == len(every.leakage) == len(every.utility) > 0
        best = every.take(engine.worth_having(task, every))
        sign = -1.0 if setting.is_bottleneck else 1.0
        assert (np.diff(best.utility) <= 1e-9).all() and (np.diff(best.leakage) <= 1e-9).all(), "finest first"
        bound = engine.prove(task, found, best)
        if bound is not None:
            assert bound.shape == best.leakage.shape
            assert (sign * bound <= sign * best.leakage + 1e-12).all()
        if found.complete:
            assert bound is not None and (bound == best.leakage).all()
        for i in range(0, len(best), max(1, len(best) // 4)):
            block_of = best.partition(i)
            names, first = np.unique(block_of, return_index=True)
            assert (names == first).all(), "a block is named by its earliest letter"
            after = task.joint.coarsen_by(block_of)
            assert leak(after, task.leakage) == pytest.approx(best.leakage[i], abs=1e-9)
            kept = keep(task.joint, block_of, setting.utility)
            assert kept is None or kept == pytest.approx(best.utility[i], abs=1e-9)
            assert len(engine.codewords(setting, block_of)) == len(names)
            assert len(engine.names(setting, block_of)) in (0, len(names))
            if task.leakage == "L0|I*=0":
                assert measures.maximin_information(after) == 0
            if setting.at_least:
                assert after.records.min() >= setting.at_least
        if found.path is not None:
            blocks = [len(np.unique(each)) for each in found.path]
            assert blocks == sorted(blocks, reverse=True)


@pytest.mark.parametrize("name", KINDS)
def test_every_task_has_one_engine(name: str) -> None:
    task = TASKS[name]
    accepting = [engine for engine in ENGINES if engine.accepts(task) is None]
    assert accepting == [engine_for(task)]


def test_tasks_that_nobody_accepts_are_told_why() -> None:
    towns = KINDS[next(name for name in KINDS if "towns" in name)][1]["hierarchy"]
    refusals: list[tuple[str, dict[str, Any], str]] = [
        ("line", {"leakage": "I", "method": "agglomerative"}, "use auto, exact, iac-mdsf, pairwise"),
        ("line", {"leakage": "I", "method": "sweeney", "at_least": 2}, "use auto, exact, iac-mdsf, pairwise"),
        ("words", {"utility": "resolution", "method": "mondrian"}, "cuts numbers"),
        ("plane", {"method": "equal-width"}, "bins one numeric column"),
        ("side", {"method": "exact"}, "'exact' does not know side information: use 'agglomerative'"),
        ("side", {"leakage": "L0|I*=0"}, "'L0|I\\*=0' does not know side information: use 'L0' or 'I\\*'"),
        ("side", {"leakage": "I"}, "leakage 'I' does not take side information"),
        ("words", {"leakage": "I", "hierarchy": towns}, "leakage 'I' does not take a hierarchy"),
        ("words", {"utility": "resolution", "method": "exact", "hierarchy": towns}, "a hierarchy is for leakage L0"),
        ("words", {"utility": "resolution", "leakage": "I*", "hierarchy": towns}, "a hierarchy is for leakage L0"),
        ("few", {"leakage": "Lmin", "method": "exact"}, "offered as a funnel, by method auto"),
        ("few", {"leakage": "Lmin", "problem": "bottleneck"}, "offered as a funnel, by method auto"),
        ("few", {"leakage": "I", "method": "pairwise", "at_least": 2}, "knows no at_least: use method auto or exact"),
        ("few", {"leakage": "I", "at_least": 10_000}, "no block can have 10000 records"),
    ]
    for kind, options, why in refusals:
        with pytest.raises(InputError, match=why):
            engine_for(task_of(kind, **options))
