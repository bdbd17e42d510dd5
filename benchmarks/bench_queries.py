"""Quantised queries: the volume of the smallest region, its accuracy, and the cells that leak least.

Exact rational volumes for a thousand alike people in tens of milliseconds; the contour integral for a thousand unlike
ones within 1e-12 bits a bit of leakage; order statistics, counts and whole values likewise. Quality: how far the
contour is from the exact volume, and what least-leakage cells gain over uniform ones.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from common import Cost, alternate, in_process, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

EXACT_SECONDS = 0.05
CONTOUR_BITS = 1e-11


def case(name: str, people: int) -> tuple[Any, Any, float]:
    """A query, a domain and an error, by name."""
    import numpy as np

    from discreet.queries import Box, Count, IntegerBox, Linear, Max, Mean, Quantile

    rng = np.random.default_rng(7)
    low = rng.uniform(0, 1, people)
    unlike = Box(low, low + rng.uniform(0.1, 2, people))
    made: dict[str, tuple[Any, Any, float]] = {
        "mean, alike": (Mean(), Box(100, 250, people=people), 3.57),
        "linear, unlike": (Linear(rng.uniform(-1, 1, people)), unlike, people / 20),
        "maximum, unlike": (Max(), unlike, 0.05),
        "median, unlike": (Quantile(0.5), unlike, 0.05),
        "count, unlike": (Count(at_least=1), unlike, people / 30),
        "mean of ages": (Mean(), IntegerBox(18, 90, people=people), 1.3),
        "mean of yes and no": (Mean(), IntegerBox(0, 1, people=people), 0.02),
    }
    return made[name]


def quantise(arguments: list[str]) -> Callable[[], Any]:
    """Edges, L0 and what is left to people."""
    from discreet.queries import Box, Mean
    from discreet.queries import quantise as run

    name, people, bins = arguments
    query, domain, error = case(name, int(people))
    run(Mean(), Box(0, 1, people=20), error=0.1)

    def call() -> list[float]:
        found = run(query, domain, error=error, bins=bins)  # type: ignore[arg-type]
        return [len(found.answers), found.leakage, found.leakage_error, found.interval_left(), found.adversary_error]

    return call


def volume(arguments: list[str]) -> Callable[[], Any]:
    """The corner cell of an eighth of the range, exactly or through the contour."""
    from fractions import Fraction

    import numpy as np

    from discreet.queries._uniform_sums import RationalSum, log2_ratio, log_share

    way, people = arguments[0], int(arguments[1])
    if way == "exact":
        return lambda: log2_ratio(RationalSum([Fraction(1)] * people).below(Fraction(1, 8)))
    one, count = np.ones(1), np.array([float(people)])
    return lambda: log_share(one, count, 0.0, people / 8)[0] / math.log(2)


def bench(options: argparse.Namespace) -> None:
    """Volumes two ways, then every kind of query with both kinds of cells."""
    rows = []
    for people in (10, 100, 1000):

        def way(name: str, people: int = people) -> Cost:
            return in_process("volume", name, str(people))

        found = alternate({"exact": lambda: way("exact"), "contour": lambda: way("contour")}, 1 if options.quick else 3)
        exact, contour = found["exact"], found["contour"]
        apart = abs(exact.result - contour.result)
        met = exact.cpu <= EXACT_SECONDS and apart <= CONTOUR_BITS
        rows.append(
            [f"{people}", f"{exact.result:.6f}", seconds(exact.cpu), seconds(contour.cpu), f"{apart:.1e}", verdict(met)]
        )
    table(
        f"corner cell of an eighth, bits; targets: exact {EXACT_SECONDS} s, contour {CONTOUR_BITS} bits away",
        ["people", "log2 share", "exact", "contour", "apart", ""],
        rows,
    )
    rows = []
    group = "100" if options.quick else "1000"
    for name in (
        "mean, alike",
        "linear, unlike",
        "maximum, unlike",
        "median, unlike",
        "count, unlike",
        "mean of ages",
        "mean of yes and no",
    ):
        even, best = (in_process("quantise", name, group, bins) for bins in ("uniform", "least-leakage"))
        cells, leakage, wrong, left, radius = even.result
        gain = leakage - best.result[1]
        assert gain >= -1e-9, "least-leakage cells leak more than uniform ones"
        rows.append(
            [
                name,
                f"{cells:,}",
                f"{leakage:.3f}",
                f"{wrong:.0e}",
                f"{gain:.3f}",
                seconds(even.cpu),
                seconds(best.cpu),
                f"{left:.4g}",
                f"{radius:.4g}",
            ]
        )
    table(
        f"{group} people: L0 of uniform cells, what least-leakage ones gain, CPU of both",
        ["", "cells", "L0, bits", "error", "gain", "uniform", "least-leakage", "interval left", "adversary's error"],
        rows,
    )


if __name__ == "__main__":
    start(bench, {"quantise": quantise, "volume": volume}, argparse.ArgumentParser(description=__doc__))
