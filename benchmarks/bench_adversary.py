"""An adversary against the auditor: thousands of questions on five kinds of columns, and who is exposed by them.

Each round is a small data set, where the promise is hardest to keep, and up to forty questions about it: random halves, all
but one, pairs, overlapping windows and single people, asked so finely that a cell is narrower than a step. Two kinds have
several columns: "two in one book" are asked about alone, added and with weights; "parts and total" follow from each other, as
everybody knows. Then everything that was told is attacked with linear and integer programs (`discreet attack`), which know the
bounds, the steps and the relation. "categories" are counts and histograms of a private category, of which everybody keeps two
to all; what is left is shown as if two were promised. Target: nobody is left with less than was promised. --questions says how
many in all.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from common import in_process, seconds, start, table, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = {  # lower, upper, step, keep
    "real": (0.0, 1.0, 0.0, 0.2),
    "one decimal": (100.0, 106.0, 0.1, 0.6),
    "whole numbers": (0.0, 40.0, 1.0, 4.0),
    "0/1": (0.0, 1.0, 1.0, 1.0),
    "middles of bands": (17.5, 97.5, 5.0, 10.0),
    "two in one book": (0.0, 20.0, 1.0, 4.0),
    "parts and total": (0.0, 1.0, 0.0, 0.2),
}
ROUND = 40
ASKED = {  # what is asked of the columns of one person
    "two in one book": ((1, 0), (0, 1), (1, 1), (1, -3)),
    "parts and total": ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 2)),
}


def rounds(arguments: list[str]) -> Callable[[], Any]:
    """So many questions about columns of one kind."""
    import numpy as np

    from discreet.queries.auditor import Auditor
    from discreet.queries.auditor._attacks import SURE, attacked

    (lower, upper, step, keep), questions = KINDS[arguments[0]], int(arguments[1])
    columns = ASKED.get(arguments[0], ((1,),))
    many_columns = len(columns[0])
    rng = np.random.default_rng(11)

    def group(n: int) -> Any:
        shape = rng.integers(5)
        if shape == 0:
            return np.delete(np.arange(n), rng.integers(n))
        if shape == 1:
            return np.sort(rng.choice(n, 2, replace=False))
        if shape == 2:
            return np.arange(first := int(rng.integers(0, n // 2)), first + n // 2)
        return np.sort(rng.choice(n, int(rng.integers(1, n + 1)) if shape == 3 else n // 2, replace=False))

    def one(n: int, many: int) -> tuple[int, int, float]:
        n = max(3, n // many_columns)
        data: Any = rng.uniform(lower, upper, n * many_columns)
        if step:
            data = lower + step * rng.integers(0, round((upper - lower) / step) + 1, n * many_columns)
        top, prior = np.full(n * many_columns, upper), []
        told: list[Any] = []
        if arguments[0] == "parts and total":  # one part, the other, and their sum
            data[2 * n :], top[2 * n :] = data[:n] + data[n : 2 * n], 2 * upper
            for i in range(n):
                prior.append(({i: 1.0, n + i: 1.0, 2 * n + i: -1.0}, 0.0, 0.0))
                told.append((np.array([i, n + i, 2 * n + i]), 0.0, 0.0, np.array([1.0, 1.0, -1.0])))
        auditor = Auditor(np.full(len(data), lower), top, keep=keep, step=step, prior=prior)
        for _ in range(many):
            people, error = group(n), float(rng.choice([0.4, 4.0])) * (step or 0.001)
            asked = columns[int(rng.integers(len(columns)))]
            members = np.concatenate([people + n * i for i, times in enumerate(asked) if times])
            weights = np.repeat([float(times) for times in asked if times], len(people))
            plain = many_columns == 1
            reply = auditor.ask(members, "sum", error=error, data=data, weights=None if plain else weights)
            if reply.answer is not None:
                told.append((members, *reply.cell) if plain else (members, *reply.cell, weights))
        left = attacked(len(data), lower, top, step, told).lengths
        return len(told) - len(prior), int((left < keep - 6 * SURE * (top - lower)).sum()), float(left.min())

    def run() -> dict[str, Any]:
        asked = answered = exposed = people = 0
        shortest = upper - lower
        while asked < questions:
            n, many = int(rng.integers(6, 17)), min(ROUND, questions - asked)
            told, below, least = one(n, many)
            asked, answered, exposed, people = asked + many, answered + told, exposed + below, people + n
            shortest = min(shortest, least)
        return {"asked": asked, "told": answered, "exposed": exposed, "people": people, "shortest": shortest}

    return run


def categories(arguments: list[str]) -> Callable[[], Any]:
    """So many counts and histograms of a private category, and who can be in fewer categories than was promised."""
    import numpy as np

    from discreet.queries.auditor import CategoryAuditor
    from discreet.queries.auditor._category_attacks import attacked_categories

    questions = int(arguments[1])
    rng = np.random.default_rng(11)

    def one(n: int, many: int) -> tuple[int, int, int, int]:
        classes = int(rng.integers(2, 6))
        keep = int(rng.integers(2, classes + 1))
        data = rng.integers(0, classes, n)
        auditor, told, asked = CategoryAuditor(n, classes, keep=keep), list[Any](), 0
        while asked < many:
            shape = rng.integers(4)
            members = np.sort(
                rng.choice(n, n - 1 if shape == 0 else 2 if shape == 1 else int(rng.integers(1, n + 1)), replace=False)
            )
            error = float(rng.choice([0.4, 0.5, 1.0]))
            for category in range(classes) if rng.random() < 0.5 else [int(rng.integers(classes))]:
                reply = auditor.ask(members, category, error=error, data=data)
                asked += 1
                if reply.answer is not None:
                    told.append((members, category, int(reply.cell[0]), int(reply.cell[1])))
        left = attacked_categories(n, classes, told)[0].sum(axis=1)
        return asked, len(told), int((left < keep).sum()), int((left - keep).min())

    def run() -> dict[str, Any]:
        asked = answered = exposed = people = 0
        spare = 99
        while asked < questions:
            n = int(rng.integers(4, 13))
            more, told, below, least = one(n, min(ROUND, questions - asked))
            asked, answered, exposed, people = asked + more, answered + told, exposed + below, people + n
            spare = min(spare, least)
        return {"asked": asked, "told": answered, "exposed": exposed, "people": people, "shortest": 2 + spare}

    return run


def bench(options: argparse.Namespace) -> None:
    rows = []
    for kind, (*_, keep) in {**KINDS, "categories": (2.0,)}.items():
        cost = in_process(
            "categories" if kind == "categories" else "rounds",
            kind,
            str((200 if options.quick else options.questions) // len(KINDS)),
        )
        found = cost.result
        rows.append(
            [
                kind,
                f"{found['asked']:,}",
                f"{found['told']:,}",
                str(found["people"]),
                f"{keep:g}",
                f"{found['shortest']:.4g}",
                str(found["exposed"]),
                seconds(cost.cpu),
                verdict(not found["exposed"]),
            ]
        )
    header = ("", "questions", "told something", "people", "keep", "shortest left", "exposed", "CPU", "")
    table("Attacks on what the auditor told, target 0 exposed", header, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20_000)
    start(bench, {"rounds": rounds, "categories": categories}, parser)
