"""The engines in one table, which of them is asked, and what becomes of what it found.

`auto` and every other method ask them in this order; the first that accepts is the one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from discreet import _clock
from discreet._typing import Method
from discreet.errors import InputError
from discreet.release._by_k import Levels
from discreet.release._engine import register
from discreet.release._frontier import Frontier
from discreet.release._points import Points
from discreet.search.information._iac_mdsf import IacMdsf
from discreet.search.information._information_search import InformationProof, InformationSearch
from discreet.search.information._other_leakages import OtherLeakages
from discreet.search.information._pairwise import Pairwise
from discreet.search.ranges._baselines import EqualFrequency, EqualWidth, Mondrian, Sweeney
from discreet.search.ranges._hierarchy import HierarchyEngine
from discreet.search.ranges._paper import Agglomerative, Connected
from discreet.search.ranges._range_search import RangeProof, RangeSearch
from discreet.search.ranges._side_information import SideInformation

if TYPE_CHECKING:
    from discreet.search._protocol import SearchEngine, Task

ENGINES: tuple[SearchEngine, ...] = (
    HierarchyEngine(),
    SideInformation(),
    RangeSearch(),
    RangeProof(),
    Agglomerative(),
    Connected(),
    Sweeney(),
    Mondrian(),
    EqualWidth(),
    EqualFrequency(),
    OtherLeakages(),
    InformationSearch(),
    InformationProof(),
    IacMdsf(),
    Pairwise(),
)

for _engine in ENGINES:
    register(_engine)


def engine_for(task: Task) -> SearchEngine:
    """The first engine that accepts a task; InputError, in the words of the first that has any, where none does."""
    reasons = []
    for engine in ENGINES:
        reason = engine.accepts(task)
        if reason is None:
            return engine
        reasons.append(reason)
    spoken = [reason for reason in reasons if reason]
    if spoken:
        raise InputError(spoken[0])
    plain = replace(task, setting=replace(task.setting, at_least=0))
    others = [
        method
        for method in get_args(Method)
        if any(engine.accepts(replace(plain, method=method)) is None for engine in ENGINES)
    ]
    raise InputError(f"method {task.method!r} is not for leakage {task.leakage!r}: use {', '.join(others)}")


def solve(task: Task) -> Frontier:
    """The frontier of a task: searched, thinned out to what is worth having, and bounded."""
    started = _clock.now()
    engine = engine_for(task)
    task = replace(task, setting=replace(task.setting, engine=engine))
    found = engine.search(task)
    best = found.partitions.take(engine.worth_having(task, found.partitions))
    return Frontier(
        Points(task.setting, best.bounded(engine.prove(task, found, best))),
        None if found.path is None else Points(task.setting, found.path),
        engine.method,
        complete=found.complete,
        polished=found.polished,
        stopped="interrupt" if task.watch.interrupted else "time" if task.watch.stopped else None,
        seconds=_clock.now() - started,
        levels=None if found.levels is None else Levels(found.levels[0], Points(task.setting, found.levels[1])),
    )
