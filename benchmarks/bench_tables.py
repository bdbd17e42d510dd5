"""Whole tables: loss (GCP), CPU seconds and memory on Adult and on a generated registry, against simple rivals.

Adult comes from $DISCREET_DATA/adult, the registry from running $DISCREET_DATA/registry.py in a temporary folder. Every figure
is from a process of its own, whose kernels are warm, and times are CPU seconds. Parts can be chosen; `--parts adult --cases 5
--seconds 20` takes a minute. The rivals are Mondrian (the widest column cut at its median while both halves fit) and k-member
(a group grows by the letter that costs least until it fits), both with twins together and cells as hulls; and ARX, where there
are Java and, in $DISCREET_ARX, a class path with ARX and its libraries. ARX's groups are labelled with their own hulls, which
flatters it.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
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
# n -> what logistic regression and boosted trees are to reach; None: within CLOSE of the original
MODELS: dict[str, tuple[float | None, float | None]] = {"5": (None, None), "100": (0.859, 0.847)}
CLOSE = 0.005


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


def load(path: Path, delimiter: str, public: list[str], sensitive: str, files: str) -> tuple[Any, Any, Any]:
    """Letters and columns of a file, and each record's letter; age is a number, all other public columns have hierarchies."""
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
    letters, letter_of = Letters.from_records(codes, values)
    return letters, tuple(columns), letter_of


def adult(case: str) -> tuple[Any, Any, Any, Any]:
    """Letters and columns of Adult, the requirement of a case, and each record's letter."""
    from discreet.search.tables import Requirement

    n, *k = (int(part) for part in case.split(","))
    public = PUBLIC[:-1] if k else PUBLIC
    path = data() / "adult" / "adult.csv"
    letters, columns, letter_of = load(path, ";", public, "occupation" if k else "", "adult_hierarchy_{}.csv")
    return letters, columns, Requirement(n, tuple(k)), letter_of


def registry(folder: str, records: str) -> tuple[Any, Any, Any, Any]:
    """The registry at n = 5."""
    from discreet.search.tables import Requirement

    path = Path(folder) / f"registry-{records}.csv"
    letters, columns, letter_of = load(path, ",", ["age", "sex", "education", "zip"], "", "registry_hierarchy_{}.csv")
    return letters, columns, Requirement(5), letter_of


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
    letters, columns, requirement, _ = adult(which) if what == "adult" else registry(what, which)

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
    from discreet.search.tables._mondrian import mondrian

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests._oracles.simple_groupings import k_member

    name, case = arguments
    letters, columns, requirement, _ = adult(case)
    method = mondrian if name == "mondrian" else k_member
    return lambda: measured(letters, columns, requirement, method(letters, columns, requirement)).loss


def no_arx() -> str:
    """Why ARX is not run; nothing if it is."""
    if not os.environ.get("DISCREET_ARX"):
        return "DISCREET_ARX does not name a class path with ARX"
    return "" if shutil.which("java") and shutil.which("javac") else "there is no Java"


def arx(arguments: list[str]) -> Callable[[], Any]:
    """The loss of ARX, local or global, and the CPU seconds of its process."""
    import numpy as np

    from discreet.search.tables import measured

    case, shape = arguments
    letters, columns, requirement, letter_of = adult(case)
    public = PUBLIC[:-1] if requirement.k else PUBLIC
    k = requirement.k[0] if requirement.k else 1

    def run() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            where = os.environ["DISCREET_ARX"]
            subprocess.run(["javac", "-cp", where, "-d", folder, str(Path(__file__).parent / "Arx.java")], check=True)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = ["java", "-cp", f"{folder}{os.pathsep}{where}", "Arx", str(data() / "adult")]
            command += [str(requirement.n), str(k), shape, *public]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = done.stdout.splitlines()
        _, cell = np.unique(rows, return_inverse=True)
        group_of = np.full(letters.size, -1, dtype=np.int64)
        group_of[letter_of] = np.where([row.startswith("1") for row in rows], -1, cell)
        numbers = np.unique(group_of, return_inverse=True)[1] - int(group_of.min() < 0)
        loss = measured(letters, columns, requirement, numbers).loss
        return {"loss": loss, "cpu": after.ru_utime - before.ru_utime}

    return run


def bench_adult(chosen: argparse.Namespace) -> None:
    """Losses of the local shape, and the rivals'."""
    rows = []
    for case in chosen.cases or CASES:
        reach, aim = CASES[case]
        cost = in_process("ours", "adult", case, "local", str(chosen.seconds), "0")
        rivals = [in_process("rival", name, case).result for name in ("mondrian", "k-member")]
        if not no_arx():
            rivals += [in_process("arx", case, shape).result["loss"] for shape in ("local", "global")]
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
    table("Adult, local cells", header if no_arx() else [*header, "ARX local", "ARX global"], rows)
    if no_arx():
        print(f"ARX: skipped, {no_arx()}")


def models(arguments: list[str]) -> Callable[[], Any]:
    """Areas under the curve for the salary class, trained on a release, and on the original."""
    import time

    from discreet.auditing._group_requirements import parse_all
    from discreet.columns import ColumnType, Hierarchy
    from discreet.release._models import score_models
    from discreet.release._table_release import targets_of
    from discreet.search.tables import generalise_letters
    from discreet.search.tables._coded_table import CodedTable, engine_requirement
    from discreet.search.tables._column_types import axes_of
    from discreet.tables._counting import count

    n, limit = arguments
    folder = data() / "adult"
    path = str(folder / "adult.csv")
    warm("local", False)

    def run() -> list[Any]:
        counted = count(path, (), PUBLIC, bare=True)
        files = {name: folder / f"adult_hierarchy_{name}.csv" for name in PUBLIC if name != "age"}
        said = {name: ColumnType("hierarchy", hierarchy=Hierarchy.load(file)) for name, file in files.items()}
        problem = CodedTable.of(counted, axes_of(counted, {"age": ColumnType("number"), **said}, None), ())
        wanted = parse_all(f"n>={n}", ())
        found = generalise_letters(
            problem.letters,
            problem.columns,
            engine_requirement(wanted, problem),
            time_limit=float(limit),
            clock=time.process_time,
        )
        policy, _ = problem.policy(found, wanted, "local", blind=True, bound=None)
        letters, target = targets_of(path, policy, "salary-class")
        scores = score_models(policy, letters, cast("Any", target))
        return [(each.model, each.original, each.released) for each in scores]

    return run


def bench_models(chosen: argparse.Namespace) -> None:
    """How well models do that were trained on a release, on original rows that they never saw."""
    rows = []
    for case, goals in MODELS.items():
        if chosen.cases and case not in chosen.cases:
            continue
        for (name, original, released), goal in zip(
            in_process("models", case, str(chosen.seconds)).result, goals, strict=True
        ):
            least = original - CLOSE if goal is None else goal
            row = [f"n={case}", name, f"{original:.4f}", f"{released:.4f}", f"{least:.4f}", verdict(released >= least)]
            rows.append(tell(row))
    table("Adult, salary class: area under the curve", ["", "model", "original", "released", "to reach", ""], rows)


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
        {"adult": bench_adult, "shapes": bench_shapes, "models": bench_models, "registry": bench_registry}[part](chosen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ["adult", "shapes", "models", "registry"]
    parser.add_argument("--parts", nargs="+", default=parts, help=" ".join(parts))
    parser.add_argument("--cases", nargs="+", help="n, or n,k: " + " ".join(CASES))
    parser.add_argument("--seconds", type=float, default=58.0, help="CPU seconds of a search on Adult")
    parser.add_argument("--records", type=int, default=3_000_000, help="largest registry")
    start(bench, {"ours": ours, "rival": rival, "arx": arx, "models": models}, parser)
