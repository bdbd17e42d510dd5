"""One small frontier of every kind: each engine with each leakage and utility that it takes."""

from __future__ import annotations

import datetime as dt
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc

TOWNS = Path(__file__).parent / "towns.csv"


@cache
def joint(kind: str) -> dc.Joint:
    """Joints of a few letters: on a line, in the plane, of words, of days, with side information, of counts."""
    rng = np.random.default_rng(7)
    n = 60
    s, x, y = rng.integers(0, 5, n), rng.integers(0, 16, n), rng.integers(0, 3, n)
    if kind == "side":
        return dc.Joint.from_table({"s": s, "x": x % 8, "a": y}, "s", "x", side="a")
    if kind == "counts":
        return dc.Joint.from_array(rng.integers(0, 4, (3, 12)) + np.eye(3, 12, dtype=np.int64))
    if kind == "few":
        return dc.Joint.from_array(rng.integers(0, 4, (3, 6)) + np.eye(3, 6, dtype=np.int64))
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(each)) for each in x]
    every: dict[str, dict[str, Any]] = {
        "line": {"x": x / 4},
        "plane": {"x": x, "y": y},
        "words": {"x": [f"town {int(each) % 6}" for each in x]},
        "days": {"x": days},
    }
    return dc.Joint.from_table({"s": s, **every[kind]}, "s", list(every[kind]))


def _kinds() -> dict[str, tuple[str, dict[str, Any]]]:
    found: dict[str, tuple[str, dict[str, Any]]] = {}

    def add(kind: str, **options: Any) -> None:
        words = " ".join(str(Path(each).name if name == "hierarchy" else each) for name, each in options.items())
        found[f"{kind} {words}"] = (kind, options)

    for leakage in ("L0", "I*", "L0|I*=0"):
        for method in ("auto", "agglomerative", "exact"):
            for utility in ("resolution", "distortion"):
                add("line", leakage=leakage, utility=utility, method=method, time_limit=5.0)
        for method in ("sweeney", "mondrian", "equal-width", "equal-frequency"):
            add("line", leakage=leakage, utility="distortion", method=method)
        add("plane", leakage=leakage, utility="distortion", method="auto", codeword="chebyshev", scale="range")
    add("plane", leakage="L0", utility="distortion", method="agglomerative", norm=np.inf)
    add("days", leakage="L0", utility="distortion", codeword="medoid")
    add("words", leakage="L0", utility="resolution", method="sweeney")
    for leakage in ("L0", "I*"):
        for utility in ("resolution", "distortion"):
            add("side", leakage=leakage, utility=utility, method="auto")
    add("words", leakage="L0", utility="resolution", hierarchy=str(TOWNS))
    for problem in ("funnel", "bottleneck"):
        for method in ("auto", "iac-mdsf", "pairwise"):
            add("counts", leakage="I", method=method, problem=problem, time_limit=1.0)
        add("few", leakage="I", method="exact", problem=problem)
    add("counts", leakage="I", method="auto", at_least=5, time_limit=1.0)
    for leakage in ("Lmin", "I_inf", "D_2", "D_inf"):
        add("few", leakage=leakage)
    add("counts", leakage="I_inf", at_least=4, time_limit=1.0)
    return found


KINDS = _kinds()


@cache
def frontier_of(name: str) -> dc.Frontier:
    """The frontier of a kind, made once."""
    kind, options = KINDS[name]
    return dc.frontier(joint(kind), **options)
