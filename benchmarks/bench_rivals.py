"""Side by side with what a user would pick instead, each in an environment of its own (`sh benchmarks/rivals` makes them).

The floor is the bare group-by of DuckDB and of polars. CPU seconds of all cores, wall, peak memory of the process, the
exponent by which CPU grew from the size before, and the quality reached. A rival that is not there is skipped with a
line; a size is left out where the one before took more than 60 CPU seconds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench_anonymity import QUASI, discreet, frame, make, pycanon
from common import Cost, growth, in_process, megabytes, seconds, start, table

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (30_000, 300_000, 3_000_000)
LEVELS = ("20", "2", "50", "10")
LONG = 60.0  # CPU seconds after which larger sizes are left out
MOST = 180.0  # seconds after which somebody is stopped, and asked nothing larger
NUMBERS = ("age", "region", "education")  # quasi-identifiers as numbers, for those that coarsen
K = 5


# ------------------------------------------------------------------ k of a table


def duckdb(arguments: list[str]) -> Callable[[], Any]:
    """The bare group-by and its least count."""
    import duckdb as engine
    import pyarrow as pa

    data = pa.Table.from_pandas(frame(*arguments), preserve_index=False)
    con = engine.connect()
    con.register("data", data)
    query = f"SELECT min(n) FROM (SELECT count(*) AS n FROM data GROUP BY {', '.join(QUASI)})"
    return lambda: [float(con.sql(query).fetchall()[0][0])]


def polars(arguments: list[str]) -> Callable[[], Any]:
    """The same in polars."""
    import polars as engine

    data = engine.from_pandas(frame(*arguments))
    return lambda: [float(data.group_by(QUASI).len()["len"].min())]


# ------------------------------------------------------------------ making a table k-anonymous


def numbers(path: str) -> Any:
    """The quasi-identifiers as numbers, and a sensitive column."""
    return frame(path, "numbers")[[*NUMBERS, "s"]]


def released(arguments: list[str]) -> Callable[[], Any]:
    """discreet: the first release within a few seconds, and its loss."""
    import discreet as dc

    data = numbers(arguments[0])

    def run(rows: Any, limit: float) -> list[float]:
        types = dict.fromkeys(NUMBERS, "number")
        done = dc.generalise(rows, NUMBERS, require=f"n>={K}", types=types, time_limit=limit)
        return [done.policy.loss]

    run(data.head(1000), 1.0)
    return lambda: run(data, float(arguments[1]))


def anonypy(arguments: list[str]) -> Callable[[], Any]:
    """anonypy's Mondrian; the loss of its intervals, measured as ours is."""
    import anonypy as rival

    data = numbers(arguments[0])
    width = {name: float(data[name].max() - data[name].min()) for name in NUMBERS}

    def run() -> list[float]:
        rows = rival.Preserver(data, list(NUMBERS), "s").anonymize_k_anonymity(k=K)
        lost = sum(row["count"] * sum(_width(row[name]) / width[name] for name in NUMBERS) for row in rows)
        return [lost / len(NUMBERS) / sum(row["count"] for row in rows)]

    return run


def anjana(arguments: list[str]) -> Callable[[], Any]:
    """anjana's k-anonymity over hierarchies of doubling intervals, none suppressed."""
    import numpy as np
    from anjana.anonymity import k_anonymity

    data = numbers(arguments[0])
    width = {name: float(data[name].max() - data[name].min()) for name in NUMBERS}
    trees = {}
    for name in NUMBERS:
        values = data[name].to_numpy()
        steps = [2**i for i in range(1, int(np.ceil(np.log2(width[name] + 1))) + 1)]
        trees[name] = {
            0: values,
            **{i + 1: np.array([f"{v // s * s}-{v // s * s + s - 1}" for v in values]) for i, s in enumerate(steps)},
        }

    def run() -> list[float]:
        found = k_anonymity(data, [], list(NUMBERS), K, 0, trees)
        lost = [found[name].map(_width).mean() / width[name] for name in NUMBERS]
        return [float(sum(lost)) / len(NUMBERS)]

    return run


def _width(cell: Any) -> float:
    parts = str(cell[0] if isinstance(cell, list) else cell).split("-")
    return float(parts[-1]) - float(parts[0])


# ------------------------------------------------------------------ information


def channel(letters: int) -> Any:
    """Counts of 20 values of s by x, the same for everybody."""
    import numpy as np

    return np.random.default_rng(2).integers(1, 50, (20, letters)).astype(float)


def measures(arguments: list[str]) -> Callable[[], Any]:
    """discreet: mutual information and min-entropy leakage."""
    import discreet as dc

    counts = channel(int(arguments[0]))
    pmf = counts / counts.sum()

    def run() -> list[float]:
        joint = dc.Joint.from_array(pmf)
        return [dc.measures.mutual_information(joint), dc.measures.min_entropy_leakage(joint)]

    run()
    return run


def dit(arguments: list[str]) -> Callable[[], Any]:
    """dit: mutual information."""
    import dit as rival

    counts = channel(int(arguments[0]))
    pmf = counts / counts.sum()
    outcomes = [(i, j) for i in range(len(pmf)) for j in range(pmf.shape[1])]

    def run() -> list[float]:
        joint = rival.Distribution(outcomes, pmf.ravel().tolist())
        return [float(rival.shannon.mutual_information(joint, [0], [1]))]

    return run


def qif(arguments: list[str]) -> Callable[[], Any]:
    """qif: mutual information and min-entropy leakage."""
    import numpy as np
    import qif as rival

    counts = channel(int(arguments[0]))
    prior = counts.sum(axis=1) / counts.sum()
    rows = np.ascontiguousarray(counts / counts.sum(axis=1, keepdims=True))

    def run() -> list[float]:
        return [
            float(rival.measure.shannon.add_leakage(prior, rows)),
            float(rival.measure.bayes_vuln.min_entropy_leakage(prior, rows)),
        ]

    return run


def bottleneck(arguments: list[str]) -> Callable[[], Any]:
    """discreet: the frontier of a bottleneck; bits about S kept at half the bits about X."""
    import discreet as dc

    joint = dc.Joint.from_array(channel(int(arguments[0])).astype(int))
    half = dc.measures.entropy(joint.transpose()) / 2

    def run() -> list[float]:
        found = dc.frontier(joint, leakage="I", problem="bottleneck", utility="information", time_limit=20)
        return [max((p.leakage for p in found.points if p.utility <= half), default=0.0)]

    run()
    return run


def embo(arguments: list[str]) -> Callable[[], Any]:
    """embo: its curve of soft policies; the same figure, between two of them by sharing time."""
    import embo as rival
    import numpy as np

    counts = channel(int(arguments[0]))
    pxy = (counts / counts.sum()).T
    of_x = pxy.sum(axis=1)
    half = float(-(of_x * np.log2(of_x)).sum()) / 2

    def run() -> list[float]:
        found = rival.InformationBottleneck(pxy=pxy.copy(), processes=1, maxbeta=100, numbeta=100)
        order = np.argsort(np.ravel(found.get_ix()))
        return [float(np.interp(half, np.ravel(found.get_ix())[order], np.ravel(found.get_iy())[order]))]

    return run


# ------------------------------------------------------------------ clustering


def points(letters: int) -> Any:
    """A joint of 12 values of s, few with each of many numbers."""
    import numpy as np

    import discreet as dc

    rng = np.random.default_rng(4)
    s = rng.integers(0, 12, 4 * letters)
    return dc.Joint.from_pairs(np.stack([s, rng.permutation(np.repeat(np.arange(letters), 4))], axis=1))


def agglomerative(arguments: list[str]) -> Callable[[], Any]:
    """discreet: the whole merge path; the leakage at a distortion of 20."""
    import discreet as dc

    joint = points(int(arguments[0]))
    dc.frontier(points(50), method="agglomerative")

    def run() -> list[float]:
        return [dc.frontier(joint, method="agglomerative").at(min_utility=-20).after["L0"]]

    return run


def sklearn(arguments: list[str]) -> Callable[[], Any]:
    """scikit-learn: complete linkage up to the same distortion; it knows nothing of S."""
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering

    joint = points(int(arguments[0]))
    places = np.array(joint.x, dtype=float)[:, None]

    def run() -> list[float]:
        from discreet import measures as m

        found = AgglomerativeClustering(n_clusters=None, distance_threshold=40.0, linkage="complete").fit(places)
        return [m.worst_case_leakage(joint.coarsen_by(found.labels_.astype(np.int64)))]

    return run


# ------------------------------------------------------------------ the run


def python_of(rival: str, folder: str) -> str | None:
    """The interpreter of a rival's environment, or None with a line that says so."""
    if rival in OWN:
        return sys.executable
    python = Path(folder) / rival / "bin" / "python"
    done = (
        subprocess.run([str(python), "-c", f"import {rival}"], capture_output=True, check=False)
        if python.exists()
        else None
    )
    if done is None or done.returncode:
        print(f"{rival}: skipped, it is not in {folder} (sh benchmarks/rivals {folder})")
        return None
    return str(python)


OWN = ("discreet", "released", "measures", "bottleneck", "agglomerative", "duckdb", "polars", "sklearn")


def compare(title: str, quality: str, sides: dict[str, str], sizes: list[tuple[int, list[str]]], folder: str) -> None:
    """Every side at every size, in turn."""
    pythons = {name: python_of(worker, folder) for name, worker in sides.items()}
    body, last = [], dict[str, tuple[int, Cost]]()
    for size, arguments in sizes:
        for name, worker in sides.items():
            python = pythons[name]
            if python is None or (name in last and last[name][1].cpu > LONG):
                continue
            try:
                cost = in_process(worker, *arguments, python=python, timeout=MOST)
            except subprocess.TimeoutExpired:
                body.append([f"{size:,}", name, f"> {MOST:.0f} s", "", "", "", "stopped"])
                pythons[name] = None
                continue
            except subprocess.CalledProcessError:
                print(f"{name} at {size:,}: failed, and is left out")
                continue
            before = last.get(name)
            grew = f"{growth(before[1].cpu, cost.cpu, size / before[0]):.2f}" if before else ""
            reached = ", ".join(f"{value:.4g}" for value in cost.result)
            body.append([f"{size:,}", name, seconds(cost.cpu), grew, seconds(cost.wall), megabytes(cost.peak), reached])
            last[name] = (size, cost)
    table(title, ["size", "", "CPU", "grew by", "wall", "peak memory", quality], body)


def _finer(rows: int) -> tuple[str, ...]:
    """Levels of a table whose regions grow with its rows."""
    age, sex, region, education = LEVELS
    return age, sex, str(int(region) * rows // SIZES[0]), education


def bench(options: argparse.Namespace) -> None:
    """Every question, all who answer it."""
    sizes = SIZES[:1] if options.quick else SIZES
    folder = str(Path(options.rivals).absolute())

    def ask(title: str, quality: str, sides: dict[str, str], sizes: list[tuple[int, list[str]]]) -> None:
        if options.ask in title:
            compare(title, quality, sides, sizes, folder)

    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as scratch:
        tables = []
        for rows in sizes:
            path = str(Path(scratch) / f"{rows}.npy")
            in_process("make", path, str(rows), *LEVELS)
            tables.append((rows, path))
        asked = {"discreet": "discreet", "pycanon": "pycanon", "DuckDB, bare": "duckdb", "polars, bare": "polars"}
        ask(
            "k of four text quasi-identifiers, by rows",
            "k (and distinct k, groups)",
            asked,
            [(n, [p, "text"]) for n, p in tables],
        )
        asked = {"discreet": "released", "anonypy": "anonypy", "anjana": "anjana"}
        seconds_given = "2" if options.quick else "10"
        finer = []
        for rows in sizes:  # three rows a combination, so that no size is without a loss
            path = str(Path(scratch) / f"finer-{rows}.npy")
            in_process("make", path, str(rows), *_finer(rows))
            finer.append((rows, [path, seconds_given]))
        ask(f"a table with n ≥ {K}, a third as many combinations as rows, by rows", "loss", asked, finer)
    letters = [(n, [str(n)]) for n in ((50,) if options.quick else (50, 500, 5_000))]
    asked = {"discreet": "measures", "dit": "dit", "qif": "qif"}
    ask("mutual information (and Lmin) of 20 × n, by n", "bits", asked, letters)
    letters = [(n, [str(n)]) for n in ((20,) if options.quick else (20, 60))]
    ask(
        "an information bottleneck of 20 × n, by n",
        "bits about S at half the bits about X",
        {"discreet": "bottleneck", "embo": "embo"},
        letters,
    )
    letters = [(n, [str(n)]) for n in ((500,) if options.quick else (500, 5_000, 20_000))]
    ask(
        "merging n numbers up to a distortion of 20, by n",
        "L0",
        {"discreet": "agglomerative", "scikit-learn": "sklearn"},
        letters,
    )
    print("ARX: `bench_tables.py` runs it where Java and DISCREET_ARX are")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rivals", default=os.environ.get("DISCREET_RIVALS", ".rivals"), metavar="DIR", help="where they are installed"
    )
    parser.add_argument("--ask", default="", metavar="WORD", help="only questions with this word in them")
    workers = {
        "make": make, "discreet": discreet, "pycanon": pycanon, "duckdb": duckdb, "polars": polars, "released": released,
        "anonypy": anonypy, "anjana": anjana, "measures": measures, "dit": dit, "qif": qif, "bottleneck": bottleneck,
        "embo": embo, "agglomerative": agglomerative, "sklearn": sklearn,
    }  # fmt: skip
    start(bench, workers, parser)
