"""The auditor: seconds a question, and whether ordinary analysts notice it.

Each run is a process of its own; the first question, which compiles, is left out of the times. CPU seconds of one
thread, because the machine may be shared. Targets: 100,000 people: under 1 s a question up to 50 answered, under 4 s at
75, no answer coarser than asked; 2,000 people of 0 and 1: under 2 s up to 100 answered; 200 people: under 0.1 s up to 200.
"rich" has ten public columns, so that nearly everybody is a class alone; "plain" has five.

Other shapes of groups, with an error of 2%: random halves, which make everybody a class alone; nested groups (all below a
threshold), whose differences are thin; overlapping windows; everybody and all but one, which must get coarser; single
people, who are answered as finely as they may keep; and two private columns with an auditor each. Histograms of five
categories, each one question: under 2 s up to 30 answered.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

from common import Cost, in_process, megabytes, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = {"plain": (2, 3, 5, 8, 10), "rich": (2, 2, 3, 4, 5, 6, 8, 10, 16, 20)}
KEEP = 0.2
ERRORS = (0.01, 0.02, 0.05)


def groups(arguments: list[str]) -> Callable[[], Any]:
    """Means of groups with one to three conditions on public columns."""
    import numpy as np

    from discreet.queries.auditor._auditor import Auditor

    people, questions, columns = int(arguments[0]), int(arguments[1]), COLUMNS[arguments[2]]
    step = {"real": 0.0, "steps": 1 / 1500, "0/1": 1.0}[arguments[3]]
    rng = np.random.default_rng(7)
    public = [rng.integers(0, levels, people) for levels in columns]
    data = (rng.random(people) < 0.3).astype(float) if step == 1 else rng.random(people)
    size = 1500.0 if 0 < step < 1 else 1.0  # one decimal between 100 and 250 cm, in millimetres
    if size > 1:
        data = np.rint(size * data)

    def chosen() -> Any:
        mask = np.ones(people, bool)
        for column in rng.choice(len(columns), rng.integers(1, 4), replace=False):
            levels = rng.choice(columns[column], rng.integers(1, columns[column]), replace=False)
            mask &= np.isin(public[column], levels)
        return np.flatnonzero(mask)

    def run() -> dict[str, Any]:
        keep = 1 if step == 1 else KEEP * size
        auditor = Auditor(np.zeros(people), np.full(people, size), keep=keep, step=round(step * size))
        times: list[float] = []
        coarser = 0
        while len(times) < questions:
            members, error = chosen(), size * float(rng.choice(ERRORS))
            if len(members) < people // 1000:
                continue
            began = time.process_time()
            reply = auditor.ask(members, "mean", error=error, data=data)
            times.append(time.process_time() - began)
            coarser += reply.error > error
        return {"times": times[1:], "coarser": coarser, "bits": auditor.bits}

    return run


def shapes(arguments: list[str]) -> Callable[[], Any]:
    """Means of groups of one shape."""
    import numpy as np

    from discreet.queries.auditor._auditor import Auditor

    people, questions, shape, error = int(arguments[0]), int(arguments[1]), arguments[2], float(arguments[3])
    rng = np.random.default_rng(7)
    columns = 2 if shape == "two columns" else 1
    data = rng.random((columns, people))

    def chosen(number: int) -> Any:
        if shape in ("halves", "two columns"):
            return np.flatnonzero(rng.random(people) < 0.5)
        if shape == "nested":
            return np.arange(people * (number + 1) // questions)
        if shape == "windows":
            start = people * number // (2 * questions)
            return np.arange(start, start + people // 2)
        if shape == "all but one":
            return np.delete(np.arange(people), number) if number else np.arange(people)
        return np.array([number])  # single people

    def run() -> dict[str, Any]:
        auditors = [Auditor(np.zeros(people), np.ones(people), keep=KEEP, step=0) for _ in range(columns)]
        times: list[float] = []
        coarser = 0
        for number in range(questions):
            members = chosen(number)
            began = time.process_time()
            replies = [a.ask(members, "mean", error=error, data=x) for a, x in zip(auditors, data, strict=True)]
            times.append(time.process_time() - began)
            coarser += any(reply.error > error for reply in replies)
        return {"times": times[1:], "coarser": coarser, "bits": sum(auditor.bits for auditor in auditors)}

    return run


def histograms(arguments: list[str]) -> Callable[[], Any]:
    """Histograms of five categories in groups with one to three conditions on public columns."""
    import numpy as np

    from discreet.queries.auditor import CategoryAuditor

    people, questions, error = int(arguments[0]), int(arguments[1]), float(arguments[2])
    rng = np.random.default_rng(7)
    columns = COLUMNS["plain"]
    public = [rng.integers(0, levels, people) for levels in columns]
    data = rng.choice(5, people, p=[0.4, 0.3, 0.15, 0.1, 0.05])

    def run() -> dict[str, Any]:
        auditor = CategoryAuditor(people, 5)
        times: list[float] = []
        coarser = 0
        while len(times) < questions:
            mask = np.ones(people, bool)
            for column in rng.choice(len(columns), rng.integers(1, 4), replace=False):
                levels = rng.choice(columns[column], rng.integers(1, columns[column]), replace=False)
                mask &= np.isin(public[column], levels)
            if mask.sum() < people // 1000 + 5:
                continue
            began = time.process_time()
            replies = auditor.histogram(np.flatnonzero(mask), error=error, data=data)
            times.append(time.process_time() - began)
            coarser += any(reply.error > error for reply in replies)
        return {"times": times[1:], "coarser": coarser, "bits": auditor.bits}

    return run


def line(name: str, cost: Cost, parts: list[tuple[int, int, float]], fine: bool) -> list[list[str]]:
    """A row for each stretch of questions with its target; the first also says whether any answer was coarser."""
    times, coarser = cost.result["times"], cost.result["coarser"]
    rows = []
    for first, last, most in parts:
        some = times[first:last]
        if not some:
            continue
        met = max(some) < most and not (fine and coarser)
        rows.append(
            [
                f"{name}, questions {first + 2} to {first + len(some) + 1}",
                seconds(sum(some) / len(some)),
                seconds(max(some)),
                seconds(most),
                str(coarser),
                f"{cost.result['bits']:.0f}",
                megabytes(cost.peak),
                verdict(met),
            ]
        )
    return rows


def bench(options: argparse.Namespace) -> None:
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    people, many, few = ("5000", "20", "40") if options.quick else ("100000", "75", "200")
    stretches = [(0, 49, 1.0), (49, 74, 4.0)]
    rows: list[list[str]] = []
    for columns in COLUMNS:
        for kind in ("real", "steps", "0/1") if columns == "plain" or not options.quick else ("real",):
            asked = "50" if kind != "real" and not options.quick else many
            cost = in_process("groups", people, asked, columns, kind)
            limits = {"real": stretches, "steps": [(0, 49, 1.0)], "0/1": [(0, 49, 4.0)]}[kind]
            rows += line(f"{people} people, {columns}, {kind}", cost, limits, fine=True)
    cost = in_process("groups", "2000", "20" if options.quick else "100", "plain", "0/1")
    rows += line("2000 people, plain, 0/1", cost, [(0, 99, 2.0)], fine=False)
    for shape in ("halves", "two columns", "nested", "windows", "all but one", "single"):
        cost = in_process("shapes", people, "20" if options.quick else "50", shape, "0.02")
        limit = 2.0 if shape == "two columns" else 1.0
        rows += line(f"{people} people, {shape}", cost, [(0, 49, limit)], fine=shape in ("halves", "two columns"))
    for size, shape, error in (
        ("200", "halves", "0.01"),
        ("200", "nested", "0.02"),
        ("200", "windows", "0.02"),
        ("200", "all but one", "0.02"),
        ("60", "halves", "0.02"),
    ):
        cost = in_process("shapes", size, few, shape, error)
        rows += line(f"{size} people, {shape}", cost, [(0, 199, 0.1)], fine=False)
    for size, error in (("2000", "10"), ("2000", "2"), (people, "100")):
        cost = in_process("histograms", size, "10" if options.quick else "30", error)
        rows += line(f"{size} people, histograms ± {error}", cost, [(0, 29, 2.0)], fine=False)
    header = ("", "mean", "worst", "target", "coarser", "bits", "memory", "")
    table("A question to the auditor, CPU seconds", header, rows)


if __name__ == "__main__":
    start(
        bench,
        {"groups": groups, "shapes": shapes, "histograms": histograms},
        argparse.ArgumentParser(description=__doc__),
    )
