"""Tours of the kernels: each calls some as commands do, on a few made-up records, so that they are compiled.

Numba compiles a kernel when it is first called, for the types that it is called with. `python -m discreet._tours NAME …` is
one process of `discreet._compile_ahead`; NAME is a tour, `all` for all of them or `backwards` for all from the last on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from discreet.auditing._group_requirements import parse_all
from discreet.errors import DiscreetError
from discreet.joint._joint import Joint
from discreet.queries.auditor import Auditor, CategoryAuditor
from discreet.sample_privacy import disclose
from discreet.search import frontier
from discreet.search._options import Options
from discreet.search._watch import Watch
from discreet.search.information._moves import sweep_moves
from discreet.search.information._polish import polish
from discreet.search.tables import generalise
from discreet.search.tables._coded_table import CodedTable, engine_requirement
from discreet.search.tables._column_types import axes_of, said_types
from discreet.search.tables._improve import Improver
from discreet.search.tables._problem import Problem
from discreet.tables._counting import count


def _people() -> dict[str, list[Any]]:
    rng = np.random.default_rng(1)
    ages, towns, illness = rng.integers(20, 80, 60), rng.integers(0, 9, 60), rng.integers(0, 5, 60)
    return {
        "age": ages.tolist(),
        "town": [f"51{town:03d}" for town in towns],
        "sex": [("female", "male")[i % 2] for i in range(60)],
        "illness": [f"illness {each}" for each in illness],
    }


PUBLIC = {"age": "number", "town": "code", "sex": "category"}


def _release(require: Iterable[str] = ("n>=3", "k>=2"), **options: Any) -> None:
    generalise(_people(), list(PUBLIC), "illness", require, types=PUBLIC, time_limit=0.3, **options)


def _improve() -> None:
    """Improve a grouping, which is what a search of a table does last."""

    counted = count(_people(), ("illness",), tuple(PUBLIC), bare=True)
    table = CodedTable.of(counted, axes_of(counted, said_types(tuple(PUBLIC), PUBLIC, None, None), None), ("illness",))
    asked = engine_requirement(parse_all(("n>=3", "k>=2"), ("illness",), {}), table, 0)
    problem = Problem.of(table.letters, table.columns, asked)
    every = np.arange(problem.letters.size)
    Improver(problem, np.minimum(every // 20, 1), every, seed=0, watch=Watch(10.0)).settle(1)


def _joint(columns: int = 1, letters: int = 24, values: int = 6) -> Joint:
    rng = np.random.default_rng(2)
    s, x = rng.integers(0, values, 200).tolist(), rng.integers(0, letters, (200, columns)).tolist()
    return Joint.from_pairs([(a, tuple(b) if columns > 1 else b[0]) for a, b in zip(s, x, strict=True)])


def _frontier(columns: int = 1, letters: int = 24, values: int = 6, **options: Any) -> None:
    frontier(_joint(columns, letters, values), time_limit=0.5, **options)


def _polish(**options: Any) -> None:
    """Move and merge blocks, which is what a search of an average leakage does last."""

    task = Options(**options).checked().task(_joint())
    pairs = np.arange(task.weights.n) // 2
    path = sweep_moves(task.weights, pairs, 0.5, task.problem, rng=np.random.default_rng(0), max_sweeps=2)
    polish(task.weights, path, task.problem, seconds=0.1, leakage=task.leakage, watch=task.watch)


def _disclose() -> None:
    disclose(np.random.default_rng(3).dirichlet(np.ones(12)).reshape(3, 2, 2), time_limit=1.0)


def _answer() -> None:
    for step in (0, 1):
        auditor = Auditor(np.zeros(8), np.ones(8), keep=0.5, step=step)
        for first in range(4):
            auditor.ask(range(first, first + 5), "sum", error=0.6, data=np.arange(8) % 2)


def _count() -> None:
    auditor = CategoryAuditor(9, 4)
    for first in range(3):
        auditor.ask(range(first, first + 6), first, data=np.arange(9) % 4)


def _merge() -> None:
    from discreet.search._kernels.partitions import group_by_block

    group_by_block(np.array([0, 1, 0]))


TOURS: dict[str, Callable[[], None]] = {
    "merge": _merge,
    "table": _release,
    "improve": _improve,
    "disjoint": lambda: _release(shape="disjoint"),
    "global": lambda: _release(shape="global", suppress=5),
    "models": lambda: _release(require=("n>=3", "L0<=2", "Lmin<=2.2"), suppress=5),
    "I": lambda: _frontier(leakage="I"),
    "polish": lambda: _polish(leakage="I"),
    "bottleneck": lambda: _frontier(leakage="I", problem="bottleneck"),
    "exact I": lambda: _frontier(letters=8, leakage="I"),
    "two values": lambda: _frontier(values=2, leakage="I", problem="bottleneck"),
    "Lmin": lambda: _frontier(leakage="Lmin"),
    "I_inf": lambda: _frontier(leakage="I_inf"),
    "D_2": lambda: _frontier(leakage="D_2"),
    "L0": _frontier,
    "mondrian": lambda: _frontier(method="mondrian"),
    "exact L0": lambda: _frontier(letters=14, method="exact"),
    "tiny L0": lambda: _frontier(letters=8),
    "L0 columns": lambda: _frontier(columns=2),
    "L0 resolution": lambda: _frontier(utility="resolution"),
    "L0 chebyshev": lambda: _frontier(codeword="chebyshev"),
    "L0 medoid": lambda: _frontier(codeword="medoid"),
    "medoid columns": lambda: _frontier(columns=2, codeword="medoid"),
    "I*": lambda: _frontier(leakage="I*"),
    "I* resolution": lambda: _frontier(leakage="I*", utility="resolution"),
    "L0|I*=0": lambda: _frontier(leakage="L0|I*=0"),
    "disclose": _disclose,
    "answer": _answer,
    "count": _count,
}


def main(names: list[str]) -> None:
    """Take tours; one whose extra is not installed is left out."""
    every = {"all": list(TOURS), "backwards": list(reversed(TOURS))}
    for name in [each for given in names for each in every.get(given, [given])]:
        with suppress(DiscreetError):
            TOURS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
