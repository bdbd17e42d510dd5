"""Whole tables: loss (GCP), CPU seconds and memory on Adult and on a generated registry, against simple rivals.

Adult comes from $DISCREET_DATA/adult, the registry from running $DISCREET_DATA/registry.py in a temporary folder. Every figure
is from a process of its own, whose kernels are warm, and times are CPU seconds. Parts can be chosen; `--parts adult --cases 5
--seconds 20` takes a minute. The rivals are Mondrian (the widest column cut at its median while both halves fit) and k-member
(a group grows by the letter that costs least until it fits), both with twins together and cells as hulls.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from common import in_process, megabytes, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

PUBLIC = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
# n, or n and k with occupation as the sensitive column -> loss to reach, loss to aim for
CASES = {
    "2": (0.0145, 0.0130),
    "5": (0.0400, 0.0370),
    "10": (0.0640, 0.0580),
    "25": (0.104, 0.095),
    "50": (0.143, 0.130),
    "100": (0.188, 0.170),
    "5,3": (0.0225, 0.0200),
    "25,5": (0.0600, 0.0540),
}
SHAPES = {
    "disjoint": {"5": 0.072, "25": 0.230, "100": 0.382},
    "global": {"5": 0.212, "25": 0.305, "100": 0.393},
}
# records -> loss to reach (None: only for the growth), CPU seconds
REGISTRY: dict[int, tuple[float | None, float]] = {
    30_000: (None, 10.0),
    300_000: (0.0105, 20.0),
    3_000_000: (0.0024, 130.0),
}
FIRST = 0.055


def data() -> Path:
    """Where the data are."""
    return Path(os.environ.get("DISCREET_DATA", ""))


def hierarchy(path: Path) -> tuple[dict[str, int], Any]:
    """An ARX file: the code of each leaf in depth-first order, and the levels."""
    with path.open(newline="") as file:
        rows = sorted((row for row in csv.reader(file, delimiter=";") if row), key=lambda row: row[::-1])
    numbers: list[dict[tuple[str, ...], int]] = [{} for _ in rows[0]]
    levels = [[known.setdefault(tuple(row[j:]), len(known)) for j, known in enumerate(numbers)] for row in rows]
    return {row[0]: code for code, row in enumerate(rows)}, levels


def load(path: Path, delimiter: str, public: list[str], sensitive: str, files: str) -> tuple[Any, Any]:
    """Letters and columns of a file; age is a number, every other public column has a hierarchy."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow import csv as arrow

    from discreet.search.tables import Column, Letters

    names = [*public, *([sensitive] if sensitive else [])]
    options = arrow.ConvertOptions(
        include_columns=names, column_types={name: pa.string() for name in names if name != "age"}
    )
    rows = arrow.read_csv(path, parse_options=arrow.ParseOptions(delimiter=delimiter), convert_options=options)
    codes = np.empty((rows.num_rows, len(public)), dtype=np.int32)
    columns = []
    for c, name in enumerate(public):
        if name == "age":
            values = rows[name].to_numpy()
            positions = np.unique(values)
            codes[:, c] = np.searchsorted(positions, values)
            columns.append(Column.line(positions))
        else:
            leaves, levels = hierarchy(path.parent / files.format(name))
            known = pa.array(list(leaves))
            codes[:, c] = np.array(list(leaves.values()))[compute.index_in(rows[name], known).to_numpy()]
            columns.append(Column.tree(levels))
    values = [np.unique(rows[sensitive].to_numpy(zero_copy_only=False), return_inverse=True)[1]] if sensitive else []
    return Letters.from_records(codes, values)[0], tuple(columns)


def adult(case: str) -> tuple[Any, Any, Any]:
    """Adult with the requirement of a case."""
    from discreet.search.tables import Requirement

    n, *k = (int(part) for part in case.split(","))
    public = PUBLIC[:-1] if k else PUBLIC
    path = data() / "adult" / "adult.csv"
    found = load(path, ";", public, "occupation" if k else "", "adult_hierarchy_{}.csv")
    return (*found, Requirement(n, tuple(k)))


def registry(folder: str, records: str) -> tuple[Any, Any, Any]:
    """The registry at n = 5."""
    from discreet.search.tables import Requirement

    path = Path(folder) / f"registry-{records}.csv"
    found = load(path, ",", ["age", "sex", "education", "zip"], "", "registry_hierarchy_{}.csv")
    return (*found, Requirement(5))


def warm(shape: str, sensitive: bool) -> None:
    """Compile the kernels."""
    import numpy as np

    from discreet.search.tables import Column, Letters, Requirement, generalise_letters

    rng = np.random.default_rng(1)
    columns = (Column.line(np.arange(50)), Column.set_of(3))
    codes = np.stack([rng.integers(0, 50, 400), rng.integers(0, 3, 400)], axis=1)
    letters, _ = Letters.from_records(codes, [rng.integers(0, 4, 400)] if sensitive else [])
    generalise_letters(letters, columns, Requirement(3), shape=cast("Any", shape), time_limit=2, suppress=5)


def tell(row: list[str]) -> list[str]:
    """Show a row as soon as it is known; a full run takes an hour."""
    print("  ".join(row), file=sys.stderr, flush=True)
    return row


def ours(arguments: list[str]) -> Callable[[], Any]:
    """Our loss: what table, which shape, how many seconds, what share may be suppressed."""
    import time

    from discreet.search.tables import generalise_letters

    what, which, shape, limit, share = arguments
    warm(shape, "," in which)
    letters, columns, requirement = adult(which) if what == "adult" else registry(what, which)

    def run() -> dict[str, Any]:
        began = time.process_time()
        first: list[float] = []

        def progress(stage: str, share: float, loss: float) -> None:
            if not first:
                first.extend([loss, time.process_time() - began])

        found = generalise_letters(
            letters,
            columns,
            requirement,
            shape=cast("Any", shape),
            suppress=int(float(share) * letters.records),
            time_limit=float(limit),
            clock=time.process_time,
            progress=progress,
        )
        return {
            "loss": found.loss,
            "first": first,
            "groups": found.groups,
            "n": found.n,
            "k": found.k,
            "suppressed": found.suppressed / letters.records,
            "letters": letters.size,
        }

    return run


def rival(arguments: list[str]) -> Callable[[], Any]:
    """The loss of Mondrian or k-member."""
    from discreet.search.tables import measured

    name, case = arguments
    letters, columns, requirement = adult(case)
    method = mondrian if name == "mondrian" else k_member
    return lambda: measured(letters, columns, requirement, method(letters, columns, requirement)).loss


def fitting(letters: Any, requirement: Any) -> Callable[[Any], bool]:
    """Whether letters (numbers in an array) have what a group must have; n and one k."""
    import numpy as np

    k = requirement.k[0] if requirement.k else 0

    def fits(group: Any) -> bool:
        if letters.counts[group].sum() < requirement.n:
            return False
        if k <= 1:
            return True
        values = letters.sensitive[0]
        return (
            len(np.unique(np.concatenate([values.value[values.indptr[x] : values.indptr[x + 1]] for x in group]))) >= k
        )

    return fits


def mondrian(letters: Any, columns: Any, requirement: Any) -> Any:
    """The widest column that can be cut is cut at its median, until none can."""
    import numpy as np

    fits = fitting(letters, requirement)
    group_of = np.zeros(letters.size, dtype=np.int64)
    stack = [np.arange(letters.size)]
    groups = 0
    while stack:
        node = stack.pop()
        codes = letters.codes[node]
        low, high = codes.min(axis=0), codes.max(axis=0)
        widths = np.array([float(column.spans([a], [b])[0]) for column, a, b in zip(columns, low, high, strict=True)])
        for c in np.argsort(-widths, kind="stable"):
            if low[c] == high[c]:
                continue
            order = np.argsort(codes[:, c], kind="stable")
            running = np.cumsum(letters.counts[node[order]])
            median = codes[order[np.searchsorted(running, running[-1] / 2)], c]
            left = codes[:, c] <= (median if median < high[c] else median - 1)
            if fits(node[left]) and fits(node[~left]):
                stack += [node[left], node[~left]]
                break
        else:
            group_of[node] = groups
            groups += 1
    return group_of


def k_member(letters: Any, columns: Any, requirement: Any) -> Any:
    """From the letter furthest from the last seed, a group grows by the letter that costs least until it fits."""
    import numpy as np

    fits = fitting(letters, requirement)
    weights = np.array([column.weight for column in columns]) / sum(column.weight for column in columns)
    codes = letters.codes

    def costs(low: Any, high: Any, free: Any) -> Any:
        total = np.zeros(len(free))
        for c, column in enumerate(columns):
            at = codes[free, c]
            total += weights[c] * column.spans(np.minimum(at, low[c]), np.maximum(at, high[c]))
        return total

    group_of = np.full(letters.size, -1, dtype=np.int64)
    free = np.arange(letters.size)
    last = 0
    hulls: list[tuple[Any, Any, float]] = []
    while len(free) and fits(free):
        seed = free[np.argmax(costs(codes[last], codes[last], free))]
        last, group = int(seed), [int(seed)]
        low, high = codes[seed].copy(), codes[seed].copy()
        free = free[free != seed]
        while not fits(np.array(group)) and len(free):
            new = free[np.argmin(costs(low, high, free))]
            group.append(int(new))
            low, high = np.minimum(low, codes[new]), np.maximum(high, codes[new])
            free = free[free != new]
        if not fits(np.array(group)):
            free = np.array(group)
            break
        group_of[group] = len(hulls)
        hulls.append((low, high, float(letters.counts[group].sum())))
    for x in free:
        one = np.array([x])
        rises = []
        for low, high, weight in hulls:
            now = sum(weights[c] * column.spans([low[c]], [high[c]])[0] for c, column in enumerate(columns))
            rises.append((weight + letters.counts[x]) * costs(low, high, one)[0] - weight * now)
        g = int(np.argmin(rises))
        group_of[x] = g
        low, high, weight = hulls[g]
        hulls[g] = (np.minimum(low, codes[x]), np.maximum(high, codes[x]), weight + float(letters.counts[x]))
    return group_of


def bench_adult(chosen: argparse.Namespace) -> None:
    """Losses of the local shape, and the rivals'."""
    rows = []
    for case in chosen.cases or CASES:
        reach, aim = CASES[case]
        cost = in_process("ours", "adult", case, "local", str(chosen.seconds), "0")
        rivals = [in_process("rival", name, case).result for name in ("mondrian", "k-member")]
        loss = cost.result["loss"]
        first = cost.result["first"]
        row = tell(
            [
                case,
                f"{loss:.4f}",
                f"{reach:.4f}",
                verdict(loss <= reach),
                f"{aim:.4f}",
                f"{cost.cpu:.1f} s",
                f"{first[0]:.4f}",
                seconds(first[1]),
                *(f"{found:.4f} ({found / loss:.1f}×)" for found in rivals),
            ]
        )
        rows.append(row)
        if case == "5":
            print(
                f"first release at n=5: {first[0]:.4f} in {first[1]:.2f} CPU s: {verdict(first[0] <= FIRST and first[1] <= 2)}"
            )
    header = ["n (, k)", "loss", "to reach", "", "aim", "CPU", "first", "after", "Mondrian", "k-member"]
    table("Adult, local cells", header, rows)


def bench_shapes(chosen: argparse.Namespace) -> None:
    """Losses of the other shapes."""
    rows = []
    for shape, goals in SHAPES.items():
        shares = ("0",) if shape == "disjoint" else ("0.05", "1")
        for case, goal in goals.items():
            if chosen.cases and case not in chosen.cases:
                continue
            for share in shares:
                cost = in_process("ours", "adult", case, shape, str(chosen.seconds), share)
                loss, gone = cost.result["loss"], cost.result["suppressed"]
                met = verdict(loss <= goal)
                name = f"{shape}, n={case}"
                rows.append(tell([name, share, f"{loss:.4f}", f"{goal:.3f}", met, f"{gone:.1%}", f"{cost.cpu:.1f} s"]))
    table("Adult, other shapes", ["shape", "may suppress", "loss", "to reach", "", "suppressed", "CPU"], rows)


def bench_registry(chosen: argparse.Namespace) -> None:
    """Losses, time and memory on the registry, and how the time of the first release grows."""
    rows = []
    before: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as folder:
        for records, (goal, limit) in REGISTRY.items():
            if records > chosen.records:
                continue
            subprocess.run([sys.executable, str(data() / "registry.py"), str(records), folder], check=True)
            cost = in_process("ours", folder, str(records), "local", str(limit * 0.97), "0")
            loss, first = cost.result["loss"], cost.result["first"]
            growth = ""
            if before:
                import math

                growth = f"{math.log(first[1] / before[1]) / math.log(records / before[0]):.2f}"
            before = (records, first[1])
            met = "" if goal is None else verdict(loss <= goal and cost.cpu <= limit and cost.peak <= 1024)
            row = tell(
                [
                    f"{records:,}",
                    f"{loss:.5f}",
                    "" if goal is None else f"{goal:.4f}",
                    met,
                    f"{cost.cpu:.1f} s",
                    megabytes(cost.peak),
                    f"{first[0]:.5f}",
                    seconds(first[1]),
                    growth,
                ]
            )
            rows.append(row)
    header = ["records", "loss", "to reach", "", "CPU", "peak", "first", "after", "growth"]
    table("Registry, n=5, local cells (growth: exponent of the first release's time)", header, rows)


def bench(chosen: argparse.Namespace) -> None:
    """The parts that were chosen."""
    if not (data() / "adult" / "adult.csv").exists():
        print("skipped: DISCREET_DATA does not name a folder with adult/adult.csv and registry.py")
        return
    if chosen.quick:
        chosen.seconds, chosen.records, chosen.cases = 5.0, 30_000, chosen.cases or ["5", "5,3"]
    for part in chosen.parts:
        {"adult": bench_adult, "shapes": bench_shapes, "registry": bench_registry}[part](chosen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", default=["adult", "shapes", "registry"], help="adult shapes registry")
    parser.add_argument("--cases", nargs="+", help="n, or n,k: " + " ".join(CASES))
    parser.add_argument("--seconds", type=float, default=58.0, help="CPU seconds of a search on Adult")
    parser.add_argument("--records", type=int, default=3_000_000, help="largest registry")
    start(bench, {"ours": ours, "rival": rival}, parser)
