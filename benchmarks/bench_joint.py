"""Building joints against sorting the same data, and the two measures that need components.

Target: building costs about what sorting costs; Gács–Körner and I* of a 200 × 2,000 joint take milliseconds.
"""

from __future__ import annotations

import argparse
import math
from functools import partial
from typing import TYPE_CHECKING, Any

from common import best_here, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = 10_000_000
N_S, N_X, PIECES = 200, 2_000, 8
MOST_MS = 0.1  # seconds


def bench(options: argparse.Namespace) -> None:
    """All of it in one process: nothing here runs long enough to disturb its neighbour."""
    import numpy as np

    from discreet import Joint

    rng = np.random.default_rng(3)
    counts = rng.integers(0, 4, (N_S, N_X))
    size = PAIRS // 100 if options.quick else PAIRS
    pairs = np.stack([rng.integers(0, N_S, size), rng.integers(0, N_X, size)], axis=1)
    keys = pairs[:, 0] * N_X + pairs[:, 1]
    few = [(f"s{s}", f"x{x}") for s, x in pairs[: size // 10].tolist()]
    times = 2 if options.quick else 3

    def line(what: str, build: Callable[[], Any], sort_name: str, sort: Callable[[], Any]) -> list[str]:
        built, sorted_ = best_here(build, times), best_here(sort, times)
        ratio = f"{built.cpu / sorted_.cpu:.2f}"
        return [what, seconds(built.cpu), seconds(sorted_.cpu), ratio, sort_name, repr(built.result)]

    def from_pairs() -> Joint:
        return Joint.from_pairs(pairs)

    table(
        "building a joint against sorting the same data, CPU",
        ["", "build", "sort", "ratio", "sorted by", "reached"],
        [
            line(
                f"from_array {N_S} × {N_X:,}",
                lambda: Joint.from_array(counts),
                "np.sort of the cells",
                lambda: np.sort(counts, axis=None) is None,
            ),
            line(f"from_pairs, array of {size:,}", from_pairs, "np.sort of s·|X|+x", lambda: np.sort(keys) is None),
            line(
                f"from_pairs, array of {size:,}",
                from_pairs,
                "np.lexsort of x, s",
                lambda: np.lexsort((pairs[:, 0], pairs[:, 1])) is None,
            ),
            line(
                f"from_pairs, list of {len(few):,} text pairs",
                lambda: Joint.from_pairs(few),
                "sorted()",
                lambda: sorted(few) is None,
            ),
        ],
    )
    table(
        f"measures of a {N_S} × {N_X:,} joint with {PIECES} equal components, found anew each time",
        ["", "CPU", "target", "", "value", "expected"],
        measures(times),
    )


def measures(times: int) -> list[list[str]]:
    """Gács–Körner and I*, on a joint whose components are known by construction."""
    import numpy as np

    from discreet import Joint
    from discreet import measures as m

    blocks = np.kron(np.eye(PIECES, dtype=np.int64), np.ones((N_S // PIECES, N_X // PIECES), dtype=np.int64))
    expected = math.log2(PIECES)
    rows = []
    asked = {"Gács–Körner, K": m.gacs_korner_information, "maximin, I*": m.maximin_information}
    for name, measure in asked.items():
        # A new joint each time: it keeps its components. The first call loads scipy's graph routines.
        found = [best_here(partial(measure, Joint.from_array(blocks)), 1) for _ in range(times + 1)]
        least = min(cost.cpu for cost in found[1:])
        value = found[-1].result
        assert math.isclose(value, expected), f"{name} is {value}, not {expected}"
        is_met = verdict(least < MOST_MS)
        rows.append([name, seconds(least), "milliseconds", is_met, f"{value:.4f}", f"{expected:.4f}"])
    return rows


if __name__ == "__main__":
    start(bench, {}, argparse.ArgumentParser(description=__doc__))
