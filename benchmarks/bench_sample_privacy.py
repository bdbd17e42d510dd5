"""Perfect sample privacy: what the best private mapping discloses, the proven bound, the leak, and the time.

    python benchmarks/bench_sample_privacy.py [--quick]

n iid Bernoulli(0.3) samples disclosing themselves, random pmfs without any symmetry, larger alphabets, and a latent
variable of exchangeable samples. Each row is a process of its own, whose kernels are loaded on a small problem first.
Targets: n=5 under 1 s; n=6 proven to 1e-6 in under 10 s; n=7 in under 60 s; n=10 and 20 within 2%; a random pmf on 2^5
exactly in under 5 s, on 2^6 within 3%; a latent variable of 100 samples under 2 s. Every leak below 1e-12.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import comb
from typing import Any

from common import Cost, in_process, seconds, start, table, verdict


def _figures(found: Any) -> dict[str, Any]:
    return {
        "information": found.information,
        "bound": found.upper_bound,
        "residual": found.residual,
        "size": found.size,
        "proven": found.proven,
        "engine": found.engine,
    }


def _iid(n: int) -> Any:
    import numpy as np

    p = np.ones(())
    for _ in range(n):
        p = np.multiply.outer(p, [0.7, 0.3])
    return p


def iid(arguments: list[str]) -> Callable[[], Any]:
    """n samples that disclose themselves."""
    from discreet.sample_privacy._solving import solve

    p = _iid(int(arguments[0]))
    solve(_iid(4), engine="branching")
    if p.size > 2048:
        solve(_iid(12), time_limit=0.1)
    return lambda: _figures(solve(p))


def random(arguments: list[str]) -> Callable[[], Any]:
    """A random pmf: values a sample, samples."""
    import numpy as np

    from discreet.sample_privacy._solving import solve

    values, n = (int(a) for a in arguments)
    p = np.random.default_rng(0).dirichlet(np.ones(values**n)).reshape((values,) * n)
    solve(_iid(4), engine="branching")
    return lambda: _figures(solve(p))


def latent(arguments: list[str]) -> Callable[[], Any]:
    """W ~ Bernoulli(1/3), n samples of it through a BSC(0.1), given by their types."""
    import numpy as np

    from discreet.sample_privacy._solving import solve_types

    def given(n: int) -> tuple[Any, Any]:
        def binomial(q: float) -> list[float]:
            return [comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]

        joint = np.stack([2 / 3 * np.array(binomial(0.1)), 1 / 3 * np.array(binomial(0.9))], 1)
        return joint.sum(1), joint / joint.sum(1, keepdims=True)

    n = int(arguments[0])
    p, about = given(n)
    solve_types(*given(4), samples=4)
    return lambda: _figures(solve_types(p, about, samples=n))


WORKERS = {"iid": iid, "random": random, "latent": latent}
# Worker, arguments, seconds allowed, and the largest gap relative to the information (None: no target).
ROWS: list[tuple[str, tuple[str, ...], float | None, float | None]] = [
    ("iid", ("5",), 1.0, 1e-6),
    ("iid", ("6",), 10.0, 1e-6),
    ("iid", ("7",), 60.0, 1e-6),
    ("iid", ("8",), None, None),
    ("iid", ("10",), None, 0.02),
    ("iid", ("20",), None, 0.02),
    ("random", ("2", "5"), 5.0, 1e-6),
    ("random", ("2", "6"), None, 0.03),
    ("random", ("4", "3"), None, None),
    ("random", ("2", "8"), None, None),
    ("latent", ("10",), None, None),
    ("latent", ("100",), 2.0, 1e-6),
]
QUICK = 4  # rows


def met(cost: Cost, allowed: float | None, gap: float | None) -> str:
    """Whether the row's targets are."""
    found = cost.result
    off = found["bound"] - found["information"]
    fine = found["residual"] < 1e-12 and (allowed is None or cost.cpu < allowed)
    return verdict(fine and (gap is None or off <= gap * max(found["information"], 1.0 if gap < 1e-3 else 0.0)))


def bench(options: argparse.Namespace) -> None:
    """Print a row a problem."""
    rows = []
    for worker, arguments, allowed, gap in ROWS[:QUICK] if options.quick else ROWS:
        cost = in_process(worker, *arguments)
        found = cost.result
        off = found["bound"] - found["information"]
        rows.append(
            [
                f"{worker} {'^'.join(arguments)}",
                f"{found['information']:.6f}",
                f"{found['bound']:.6f}",
                f"{100 * off / max(found['information'], 1e-12):.4f}%",
                f"{found['residual']:.0e}",
                f"{found['size']:,}",
                found["engine"],
                seconds(cost.wall),
                seconds(cost.cpu),
                met(cost, allowed, gap) if allowed is not None or gap is not None else "",
            ]
        )
    header = ["problem", "I(W;Y), bits", "bound", "gap", "leak", "|Y|", "engine", "wall", "CPU", "target"]
    table("perfect sample privacy", header, rows)


if __name__ == "__main__":
    start(bench, WORKERS, argparse.ArgumentParser(description=__doc__))
