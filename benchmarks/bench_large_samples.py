"""Large data sets under perfect sample privacy: a million samples through windows, masks and quantiles.

    python benchmarks/bench_large_samples.py [--quick]

Each line is a process of its own, on one thread: the mapping is built (its seconds are shown apart) and a million letters
are drawn. "of H" is the information released over the entropy of the data (over log2 K a sample for quantiles, whose
data are continuous); "of bound" is over H(X^n) − H(X_1), which no private mapping exceeds. "±" is the half-width of an
interval: 0 when exact, proven for quantiles, of 95% confidence or more where masks simulate. Target: seconds.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from typing import Any

from common import Cost, in_process, seconds, start, table, verdict

SEED = 1
MOST_CPU = 10.0


def _told(
    made: Any, build: float, draw: Callable[[], Any], entropy: float, bound: float
) -> Callable[[], dict[str, Any]]:
    def call() -> dict[str, Any]:
        return {
            "released": int((draw() >= 0).sum()),
            "information": made.information,
            "error": made.error_bar,
            "residual": made.residual,
            "entropy": entropy,
            "bound": bound,
            "build": build,
        }

    return call


def windows(arguments: list[str]) -> Callable[[], dict[str, Any]]:
    """Partial processing of Bernoulli(q) samples, or of a two-state chain."""
    import numpy as np

    from discreet.sample_privacy._partial_processing import partial_processing
    from discreet.sample_privacy._processes import Independent, MarkovChain

    kind, n, window, protect = arguments[0], int(arguments[1]), int(arguments[2]), int(arguments[3])
    rng = np.random.default_rng(SEED)
    if kind == "chain":
        process: Independent | MarkovChain = MarkovChain.stationary([[0.9, 0.1], [0.3, 0.7]], n)
        leaves = np.where(rng.random((n, 2)) < [0.1, 0.3], 1, 0)
        x = np.empty(n, dtype=np.int64)
        x[0] = 0
        for i in range(1, n):
            x[i] = x[i - 1] ^ leaves[i, x[i - 1]]
    else:
        process = Independent.identical([1 - float(kind), float(kind)], n)
        x = (rng.random(n) < float(kind)).astype(np.int64)
    partial_processing(Independent.identical([0.5, 0.5], 3), 2)  # loads what is compiled
    began = time.process_time()
    made = partial_processing(process, window, protect=protect)
    build = time.process_time() - began
    return _told(made, build, lambda: made.draw(x, rng), made.entropy, made.upper_bound)


def masks(arguments: list[str]) -> Callable[[], dict[str, Any]]:
    """Masks for samples of Bernoulli(q), or of a Zipf law on many letters; letters "best" or a number."""
    import numpy as np

    from discreet.sample_privacy._masks import uniform_masks
    from discreet.sample_privacy._processes import Independent

    kind, n, letters = arguments[0], int(arguments[1]), arguments[2]
    rng = np.random.default_rng(SEED)
    pmf = np.array([1 - float(kind), float(kind)]) if "." in kind else 1 / np.arange(1, int(kind) + 1)
    pmf /= pmf.sum()
    x = rng.choice(len(pmf), size=n, p=pmf)
    began = time.process_time()
    made = uniform_masks(Independent.identical(pmf, n), letters=None if letters == "best" else int(letters))
    build = time.process_time() - began
    single = -float(pmf @ np.log2(pmf))
    return _told(made, build, lambda: made.draw(x, rng), made.entropy, made.entropy - single)


def quantiles(arguments: list[str]) -> Callable[[], dict[str, Any]]:
    """Normal samples in one column, or a table of two independent columns."""
    import numpy as np

    from discreet.sample_privacy._quantiles import quantile_columns, quantile_sequence

    kind, n, cells = arguments[0], int(arguments[1]), int(arguments[2])
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=n if kind == "sequence" else (n, 2))
    began = time.process_time()
    made = (quantile_sequence if kind == "sequence" else quantile_columns)(x, cells)
    build = time.process_time() - began
    most = n * math.log2(cells)
    return _told(made, build, lambda: made.draw(x, rng), most, most)


def line(name: str, cost: Cost) -> list[str]:
    """One measurement, told."""
    found = cost.result
    total = cost.cpu + found["build"]
    return [
        name,
        f"{found['released']:,}",
        seconds(found["build"]),
        seconds(cost.cpu),
        f"{found['information']:,.1f}",
        f"{found['error']:.2g}",
        f"{found['information'] / found['entropy']:.6f}",
        f"{found['information'] / found['bound']:.6f}",
        f"{found['residual']:.1e}",
        verdict(total < MOST_CPU),
    ]


HEADER = ["release", "letters", "build", "draw", "bits", "±", "of H", "of bound", "residual", "seconds"]


def bench(options: argparse.Namespace) -> None:
    """Print a table a method."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    n = "100000" if options.quick else "1000000"
    rows = [
        line(f"Bernoulli({q}), windows of {k}", in_process("windows", q, n, str(k), "1"))
        for q in ("0.3", "0.1")
        for k in ((2, 4) if options.quick else (2, 3, 4, 5, 6))
    ]
    rows.append(line("Bernoulli(0.3), windows of 5, pairs private", in_process("windows", "0.3", n, "5", "2")))
    rows.append(line("two-state chain, windows of 4", in_process("windows", "chain", n, "4", "1")))
    table(f"windows, {int(n):,} samples", HEADER, rows)
    rows = [
        line(f"{name}, {letters} letters", in_process("masks", kind, n, letters))
        for name, kind, letters in (
            ("Bernoulli(0.3)", "0.3", "2"),
            ("Bernoulli(0.3)", "0.3", "best"),
            ("Bernoulli(0.1234)", "0.1234", "best"),
            ("Zipf on 100", "100", "best"),
            ("Zipf on 5000", "5000", "best"),
        )
    ]
    table(f"masks, {int(n):,} samples", HEADER, rows)
    rows = [
        line(f"{kind}, {cells} cells", in_process("quantiles", kind, n, str(cells)))
        for kind in ("sequence", "columns")
        for cells in (2, 64, 1000)
    ]
    table(f"quantiles, {int(n):,} rows", HEADER, rows)


if __name__ == "__main__":
    start(
        bench,
        {"windows": windows, "masks": masks, "quantiles": quantiles},
        argparse.ArgumentParser(description=__doc__),
    )
