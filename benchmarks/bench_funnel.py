"""Privacy funnel and information bottleneck: hypervolume and time of every method beside the proven bound.

    python benchmarks/bench_funnel.py [--soft]

Settings A and B of the paper on the Hungarian data, where DISCREET_DATA names their folder: S = (age, sex), X = (sex, chol)
for A and (age, chol) for B. Hypervolume is the area dominated within [0, I(S;X)] × [0, H(X)] as a share of that box; that
of the bound is what no policy at all can exceed. Kernels are loaded on a small joint first.
Beside them the Pareto mapper's own pairs of letters, where $DISCREET_PARETO_DIB names a checkout of andrewktan/pareto_dib.
Targets: A funnel .657, B funnel .644, A bottleneck .620, B bottleneck .650, each whole frontier in under 30 s on two cores.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from common import measure, table

import discreet as dc
from discreet.release._area import area
from discreet.search.information import weights_of
from discreet.search.information._bounds import bound

ENGLISH = Path("/usr/share/common-licenses")
"""Where English text is: pairs of neighbouring letters of four licences are a dense joint of 27 by 27."""

PUBLIC = {"A": ("sex", "chol"), "B": ("age", "chol")}
METHODS = ("auto", "iac-mdsf", "pairwise")
TARGETS = {("A", "funnel"): 0.657, ("B", "funnel"): 0.644, ("A", "bottleneck"): 0.620, ("B", "bottleneck"): 0.650}


def setting(name: str) -> dc.Joint:
    """A column may not have two roles in a table, so the pairs are made here."""
    columns = dc.datasets.load("hungarian")
    s = zip(columns["age"], columns["sex"], strict=True)
    x = zip(*(columns[each] for each in PUBLIC[name]), strict=True)
    return dc.Joint.from_pairs(list(zip(s, x, strict=True)))


def letters() -> dc.Joint | None:
    """Pairs of neighbouring letters (26 and the space) in licences, where they are installed."""
    files = [ENGLISH / name for name in ("GPL-3", "GPL-2", "MPL-2.0", "Apache-2.0")]
    if not all(file.exists() for file in files):
        return None
    text = re.sub("[^a-z]+", " ", " ".join(file.read_text() for file in files).lower())
    return dc.Joint.from_pairs(list(itertools.pairwise(text)))


def english() -> None:
    """The letters, by `auto` as planned and with longer limits."""
    joint = letters()
    if joint is None:
        return
    rows = []
    for problem in ("bottleneck", "funnel"):
        for limit in (None, 10.0, 30.0):
            options: Any = {"leakage": "I", "problem": problem, "time_limit": limit}
            found = measure(partial(dc.frontier, joint, **options))
            best: dc.Frontier = found.result
            rows.append(
                [
                    f"letters {problem}",
                    "planned" if limit is None else f"{limit:g} s",
                    f"{best.hypervolume:.6f}",
                    f"{best.hypervolume_bound:.4f}",
                    f"{found.cpu:.1f}",
                    str(len(best.points)),
                ]
            )
    table("Pairs of letters in English text", ["setting", "limit", "auto", "bound", "CPU s", "points"], rows)


def mapped() -> None:
    """Beside the Pareto mapper of Tan, Tegmark and Chuang (2022) on its pairs of letters, where $DISCREET_PARETO_DIB has it.

    Its other joint, of colours (30 by 18), takes it more than 15 minutes.
    """
    where = os.environ.get("DISCREET_PARETO_DIB")
    if not where:
        print("the Pareto mapper is skipped: DISCREET_PARETO_DIB does not name a checkout of pareto_dib")
        return
    sys.path.insert(0, where)
    pareto_mapper = importlib.import_module("pareto_dib").pareto_mapper

    pmf = np.load(Path(where) / "examples" / "data" / "pxy_alpha27.npy")
    joint = dc.Joint.from_array(pmf.T)  # it compresses rows
    np.random.seed(0)  # noqa: NPY002, the mapper draws from it
    theirs = measure(partial(pareto_mapper, pmf))
    ours = measure(partial(dc.frontier, joint, leakage="I", problem="bottleneck"))
    best: dc.Frontier = ours.result
    size = np.array([-point[0] for point in theirs.result[0]])
    kept = np.array([point[1] for point in theirs.result[0]])
    size_of_ours, kept_of_ours = best.points.utility, best.points.leakage
    both = area(best.setting, np.append(kept_of_ours, kept), np.append(size_of_ours, size))
    area_of_theirs = f"{area(best.setting, kept, size):.6f}"
    won = beat(size, kept, size_of_ours, kept_of_ours), beat(size_of_ours, kept_of_ours, size, kept)
    rows = [
        ["Pareto mapper", area_of_theirs, f"{theirs.cpu:.1f}", str(len(size)), won[0]],
        ["auto", f"{best.hypervolume:.6f}", f"{ours.cpu:.1f}", str(len(best.points)), won[1]],
        ["both together", f"{both:.6f}", "", "", ""],
    ]
    header = ["", "hypervolume", "CPU s", "points", "points that beat the other"]
    table("The bottleneck of the Pareto mapper's pairs of letters, 27 by 27", header, rows)


def beat(size: Any, kept: Any, than_size: Any, than_kept: Any) -> str:
    """How many points keep more bits than any of the other's that are as small."""
    other = [than_kept[than_size <= each + 1e-9].max(initial=0.0) for each in size]
    return str(np.sum(kept > np.array(other) + 1e-9))


def bound_area(joint: dc.Joint, problem: Any, cells: int = 2_000) -> float:
    """The area that the proven bound leaves to policies; cells are counted whole, so that it is an upper bound too."""
    weights = weights_of(joint)
    utility = np.linspace(0.0, weights.entropy, cells + 1)
    leakage = bound(weights, utility, problem) / weights.leakage
    return float((1 - leakage[:-1]).mean() if problem == "funnel" else leakage[1:].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--soft", action="store_true", help="also whether soft policies beat the hard ones")
    arguments = parser.parse_args()
    dc.frontier(dc.Joint.from_array(np.eye(12, dtype=np.int64) + 1), "I", problem="bottleneck")
    english()
    mapped()
    if not os.environ.get("DISCREET_DATA"):
        print("the Hungarian data are not bundled: set DISCREET_DATA to their folder")
        return
    small = dc.Joint.from_array(np.random.default_rng(0).integers(0, 3, (4, 30)) + np.eye(4, 30, dtype=np.int64))
    rows = []
    for name in PUBLIC:
        joint = setting(name)
        for problem in ("funnel", "bottleneck"):
            found = {}
            for method in METHODS:
                options: Any = {"leakage": "I", "method": method, "problem": problem}
                dc.frontier(small, **options)
                found[method] = measure(partial(dc.frontier, joint, **options))
            best: dc.Frontier = found["auto"].result
            soft = ""
            if arguments.soft:
                channels = best.soften()
                soft = f"{best.gain_of(channels):.3f}"
            rows.append(
                [
                    f"{name} {problem}",
                    *(f"{found[method].result.hypervolume:.4f}" for method in METHODS),
                    f"{bound_area(joint, problem):.4f}",
                    f"{TARGETS[name, problem]:.3f}",
                    *(f"{found[method].wall:.1f}" for method in METHODS),
                    str(len(best.points)),
                    *([soft] if arguments.soft else []),
                ]
            )
    header = ["setting", *METHODS, "bound", "target", *(f"{method} s" for method in METHODS), "points"]
    table("Hypervolume and seconds by the clock", [*header, *(["soft gain, bits"] if arguments.soft else [])], rows)


if __name__ == "__main__":
    main()
