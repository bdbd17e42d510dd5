"""Record anonymity and distinct anonymity of a pandas frame, against pycanon's k alone.

3 million rows, four quasi-identifiers; several alphabets, because pycanon's cost grows with the number of groups
and discreet's hardly does. Both sides must find the same k, which discreet calls n. Target: at least 15 times less
CPU.

pycanon holds numpy and pandas back, so keep it in an environment of its own, named by --pycanon-python or
$PYCANON_PYTHON.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common import Cost, alternate, in_process, megabytes, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 3_000_000
QUASI = ["age", "sex", "region", "education"]
LEAST = 15.0
# name -> levels of the quasi-identifiers, and whether those after age are text
SHAPES = {
    "20,000 groups": ((20, 2, 50, 10), False),
    "20,000 groups, text": ((20, 2, 50, 10), True),
    "256,000 groups": ((80, 2, 100, 16), False),
    "2,880,000 possible groups": ((90, 2, 1000, 16), False),
}


def make(arguments: list[str]) -> Callable[[], Any]:
    """Write the codes of a table."""
    import numpy as np

    path, rows, *levels = arguments

    def write() -> None:
        rng = np.random.default_rng(7)
        columns = [rng.integers(0, int(level), int(rows), dtype=np.int32) for level in [*levels, "40"]]
        np.save(path, np.stack(columns))

    return write


def frame(path: str, as_text: str) -> Any:
    """The codes as a pandas frame."""
    import numpy as np
    import pandas as pd

    made = pd.DataFrame(dict(zip([*QUASI, "s"], np.load(path), strict=True)))
    if as_text == "text":
        for name in QUASI[1:]:
            texts = np.array([f"{name} {i}" for i in range(int(made[name].max()) + 1)], dtype=object)
            made[name] = texts[made[name]]
    return made


def discreet(arguments: list[str]) -> Callable[[], Any]:
    """Both anonymities: how many records, and how many different s, in the worst group."""
    import discreet as dc

    data = frame(*arguments)

    def run(rows: Any) -> list[float]:
        joint = dc.Joint.from_table(rows, "s", QUASI)
        return [dc.measures.record_anonymity(joint), dc.measures.distinct_anonymity(joint), joint.n_x]

    run(data.head(1000))
    return lambda: run(data)


def pycanon(arguments: list[str]) -> Callable[[], Any]:
    """k-anonymity alone."""
    from pycanon import anonymity

    data = frame(*arguments)
    anonymity.k_anonymity(data.head(1000), QUASI)
    return lambda: [float(anonymity.k_anonymity(data, QUASI))]


def has_pycanon(python: str) -> bool:
    """Whether that Python can import pycanon."""
    done = subprocess.run([python, "-c", "import pycanon.anonymity"], capture_output=True, check=False)
    return done.returncode == 0


def bench(options: argparse.Namespace) -> None:
    """Every alphabet, both sides."""
    rows = ROWS // 30 if options.quick else ROWS
    there = has_pycanon(options.pycanon_python)
    print(f"anonymity of a pandas frame: {rows:,} rows, four quasi-identifiers; imports loaded before timing")
    if not there:
        print("pycanon is not installed: discreet alone (name a Python that has it by --pycanon-python)")
    body = []
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        path = str(Path(folder) / "table.npy")
        for name, (levels, as_text) in SHAPES.items():
            in_process("make", path, str(rows), *map(str, levels))
            kind = "text" if as_text else "numbers"

            def ours(kind: str = kind) -> Cost:
                return in_process("discreet", path, kind)

            def theirs(kind: str = kind) -> Cost:
                return in_process("pycanon", path, kind, python=options.pycanon_python)

            sides = {"discreet": ours, "pycanon": theirs} if there else {"discreet": ours}
            body.append(row(name, alternate(sides, 1 if options.quick else 2)))
    table(
        "CPU for k (records) and distinct k by discreet, for k alone by pycanon",
        ["", "discreet", "pycanon", "times less", "target", "", "discreet's", "pycanon's memory", "k", "distinct k"],
        body,
    )


def row(name: str, found: dict[str, Cost]) -> list[str]:
    """One alphabet; both sides must agree on k."""
    ours, theirs = found["discreet"], found.get("pycanon")
    records, distinct, groups = ours.result
    label = f"{name} ({groups:,.0f} seen)"
    reached = [f"{records:g}", f"{distinct:g}"]
    if theirs is None:
        return [label, seconds(ours.cpu), *[""] * 4, megabytes(ours.peak), "", *reached]
    assert theirs.result == [records], f"pycanon finds k = {theirs.result[0]:g}, discreet {records:g}"
    ratio = theirs.cpu / ours.cpu
    against = [seconds(theirs.cpu), f"{ratio:.1f}", f"{LEAST:g}", verdict(ratio >= LEAST)]
    return [label, seconds(ours.cpu), *against, megabytes(ours.peak), megabytes(theirs.peak), *reached]


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    other = os.environ.get("PYCANON_PYTHON", sys.executable)
    arguments.add_argument("--pycanon-python", default=other, metavar="PATH", help="the Python that has pycanon")
    start(bench, {"make": make, "discreet": discreet, "pycanon": pycanon}, arguments)
