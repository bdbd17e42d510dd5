"""Adversaries that know the rules: they choose the data and the cells that are worst, and try every data set."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

from discreet._typing import IntArray
from discreet.errors import InputError
from discreet.queries import Auditor, Price, Reply
from tests._oracles.transcripts import Told, intervals_left


def some_group(rng: np.random.Generator, n: int) -> IntArray:
    """Single people, pairs, prefixes, everybody, all but one, and random groups."""
    kind = rng.integers(6)
    if kind == 0:
        return np.array([rng.integers(n)])
    if kind == 1:
        return np.sort(rng.choice(n, min(2, n), replace=False))
    if kind == 2:
        return np.arange(rng.integers(1, n + 1))
    if kind == 3:
        return np.arange(n)
    if kind == 4 and n > 1:
        return np.delete(np.arange(n), rng.integers(n))
    mask = rng.random(n) < rng.uniform(0.2, 0.9)
    mask[rng.integers(n)] = True
    return np.flatnonzero(mask)


def possible_data(rng: np.random.Generator, lower: Any, upper: Any, told: list[Told]) -> npt.NDArray[np.float64]:
    """A data set that fits, near a random corner of all that do: half of the way from the deepest point to it."""
    rows, ends = [], []
    for members, (first, last) in told:
        row = np.zeros(len(lower))
        row[np.asarray(members)] = 1
        rows += [row, -row]
        ends += [last, -first]
    table, right, bounds = np.array(rows), np.array(ends), list(zip(lower, upper, strict=True))
    deepest = linprog(
        np.append(np.zeros(len(lower)), -1.0),
        A_ub=np.hstack((table, np.ones((len(table), 1)))),
        b_ub=right,
        bounds=[*bounds, (None, None)],
    )
    assert deepest.x is not None and deepest.x[-1] > 0, "a cell without inside was offered"
    corner = linprog(rng.normal(size=len(lower)), A_ub=table, b_ub=right, bounds=bounds)
    assert corner.x is not None
    return np.clip(0.5 * deepest.x[:-1] + 0.5 * corner.x, lower, upper)


@pytest.mark.parametrize("seed", range(6))
def test_whoever_chooses_the_worst_cell_and_data_in_it_leaves_everyone_enough(seed: int) -> None:
    """The data follow the adversary: whatever they are, the promise holds for all who could have them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    lower, upper = np.zeros(n), [np.ones(n), 10.0 ** rng.integers(-2, 3, n)][seed % 2]
    if seed == 4:
        upper[0] = 0.0  # known to everybody
    wide = np.where(upper > 0, upper, 1.0)
    keep = upper * float(rng.choice([0.05, 0.2, 0.5]))
    auditor, told = Auditor(lower, upper, keep=keep, step=0), list[Told]()
    data = rng.uniform(lower, upper)
    for _ in range(7):
        members = some_group(rng, n)
        error = float(rng.choice([1e-3, 0.02, 0.2])) * max(float(upper[members].sum()), 1e-3)
        cells = auditor.offer(members, "sum", error=error)
        if auditor.price(members, "sum", error=error).bits:
            looked_at = {0, len(cells) - 1, int(rng.integers(len(cells)))}
            left = {i: intervals_left(lower, upper, [*told, (members, cells[i])]) for i in looked_at}
            spare = {i: float(((ends[:, 1] - ends[:, 0] - keep) / wide).min()) for i, ends in left.items()}
            assert min(spare.values()) >= -1e-8
            worst = min(spare, key=lambda i: (spare[i], i))
            data = possible_data(rng, lower, upper, [*told, (members, cells[worst])])
            told.append((members, cells[worst]))
        reply = auditor.ask(members, "sum", error=error, data=data)
        assert reply.cells == cells and (not reply.bits or reply.cell == told[-1][1])
    inner = auditor.intervals()
    assert (inner[:, 1] - inner[:, 0] >= keep * (1 - 1e-12)).all()


@pytest.mark.parametrize(
    ("highest", "keep", "questions"),
    [
        ([1, 1, 1, 1], 1, [([0, 1, 2, 3], 0.5), ([0, 1], 0.5), ([1, 2, 3], 0.4), ([0, 3], 1.0)]),
        ([1, 1, 1, 1, 1], 1, [([0, 1, 2], 0.5), ([2, 3, 4], 0.5), ([0, 4], 0.4), ([0, 1, 2, 3, 4], 0.5)]),
        ([2, 2, 1], [1, 2, 0], [([2], 0.1), ([0, 1], 0.5), ([0, 1, 2], 0.3), ([1], 0.4)]),
        ([0, 3, 3], [0, 2, 2], [([0, 1], 0.5), ([1, 2], 0.6), ([0, 2], 0.4)]),
    ],
)
def test_every_data_set_and_every_path(highest: list[int], keep: Any, questions: list[tuple[list[int], float]]) -> None:
    """All whole-number data sets: who have the same transcript leave everyone enough, and bits are a Kraft length."""
    every = np.array(list(itertools.product(*(range(top + 1) for top in highest))))
    behind: dict[tuple[Any, ...], list[Any]] = {}
    spent: dict[tuple[Any, ...], float] = {}
    offered: dict[tuple[Any, ...], Any] = {}
    for data in every:
        auditor, path = Auditor(np.zeros(len(highest)), highest, keep=keep, integral=True), tuple[Any, ...]()
        for members, error in questions:
            reply = auditor.ask(members, "sum", error=error, data=data)
            assert offered.setdefault(path, reply.cells) == reply.cells
            assert reply.cell[0] <= data[members].sum() <= reply.cell[1]
            path = (*path, reply.cell)
        behind.setdefault(path, []).append(data)
        assert spent.setdefault(path, auditor.bits) == auditor.bits
    for together in behind.values():
        assert (np.ptp(together, axis=0) >= keep).all()
    assert len(behind) > 1
    assert sum(2.0**-bits for bits in spent.values()) <= 1 + 1e-12
    assert math.log2(len(behind)) <= max(spent.values()) + 1e-12  # I* of the whole transcript [DQ, (9)]


def thin_slabs(seed: int, n: int) -> Iterator[tuple[IntArray, float]]:
    """Sixty questions with errors from a third to a billionth of the range."""
    rng = np.random.default_rng(seed)
    often = [some_group(rng, n) for _ in range(6)]
    for _ in range(60):
        members = some_group(rng, n) if rng.random() < 0.5 else often[rng.integers(6)]
        yield members, len(members) * float(10.0 ** -rng.uniform(0.5, 9))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "n"), [(9, 4), (3, 9), (5, 12)])
def test_intervals_are_found_among_slabs_a_billion_times_thinner_than_others(seed: int, n: int) -> None:
    """An interior point runs out of digits there; what is shown as kept must not fall below what is kept."""
    data = np.random.default_rng(100 + seed).random(n)
    auditor, told = Auditor(np.zeros(n), np.ones(n), keep=0.2, step=0), list[Told]()
    for members, error in thin_slabs(seed, n):
        reply = auditor.ask(members, "sum", error=error, data=data)
        if reply.answer is not None and reply.bits:
            told.append((members, reply.cell))
    exact, inner, outer = intervals_left(np.zeros(n), np.ones(n), told), auditor.intervals(), auditor.intervals("outer")
    assert (exact[:, 1] - exact[:, 0] >= 0.2 - 1e-7).all()
    assert (inner[:, 1] - inner[:, 0] >= 0.2).all()
    assert np.abs(inner - exact).max() < 1e-4 and np.abs(outer - exact).max() < 1e-4


def test_whoever_keeps_nothing_may_be_told() -> None:
    """Cells of a single whole number have no inside: nothing may break on them."""
    data = [1, 0, 1, 1]
    auditor = Auditor(np.zeros(4), np.ones(4), keep=0, integral=True)
    for members in ([0], [0, 1], [1], [0, 1, 2], [2], [0, 1, 2, 3]):
        reply = auditor.ask(members, "count", error=0.1, data=data)
        assert reply.cell == (sum(data[i] for i in members),) * 2
    assert auditor.intervals().tolist() == [[1, 1], [0, 0], [1, 1], [1, 1]] == auditor.intervals("outer").tolist()
    real = Auditor(np.zeros(3), np.ones(3), keep=0, step=0)
    for error in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15):
        assert (
            abs(0.3 - sum(real.ask([0], "mean", error=error, data=[0.3, 0.5, 0.7]).cell) / 2)
            <= max(error, 1e-11) + 1e-15
        )


def test_a_value_next_to_the_end_of_its_cell_is_not_taken_for_changed_data() -> None:
    """Between the last step of the grid and the end of a cell there is room, which a narrow range shows."""
    for back in (1e-10, 1e-13, 1e-16):
        auditor = Auditor([0, 0], [1e5, 1e-5], keep=[1e3, 1e-7], step=0)
        end = auditor.offer([1], "sum", error=1.1e-7)[7][1]
        data = [5e4, end - back]
        auditor.ask([1], "sum", error=1.1e-7, data=data)
        assert auditor.ask([0, 1], "sum", error=1e3, data=data).answer is not None


def test_prior_rows_with_negative_weights_fit_data_at_their_ends() -> None:
    auditor = Auditor([0, 0], [3, 3], keep=1, integral=True, prior=[({0: -1}, -3.4, -1.6)])
    assert auditor.ask([1], "sum", error=0.1, data=[3, 0]).cell[0] <= 0


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"upper": [1e16, 1]}, "1 people have bounds over .* times closer"),
        ({"upper": [1e292, 1]}, "too large to add up"),
        ({"upper": [1, 1e-300]}, "too close for floating point"),
        ({"integral": [True, False]}, "True or False"),
        ({"integral": np.array([True, False])}, "True or False"),
        ({"prior": None}, "list of rows"),
    ],
)
def test_bounds_that_floats_or_the_grid_cannot_hold(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        Auditor(**{"lower": [0, 0], "upper": [1, 1], "keep": [0, 0], **wrong})


@pytest.mark.parametrize("error", [10**400, True, np.array([0.1, 0.2])])
def test_errors_that_are_no_numbers(error: Any) -> None:
    with pytest.raises(InputError, match="positive, finite"):
        Auditor([0, 0], [1, 1]).offer([0, 1], "sum", error=error)


def test_errors_are_taken_as_written() -> None:
    """As quantise does: 0.06 is less than six hundredths in binary, and would cut 12 into 101 cells."""
    cells = Auditor(np.zeros(12), np.ones(12), keep=0, step=0).offer(range(12), "sum", error=0.06)
    assert len(cells) == 100 and cells[1] == (0.12, 0.24)


@pytest.mark.parametrize("integral", [False, True])
def test_errors_beyond_every_range_tell_nothing(integral: bool) -> None:
    auditor = Auditor(np.zeros(3), np.ones(3), keep=1, step=int(integral))
    assert auditor.ask([0, 1], "mean", error=1.7e308, data=[0, 1, 0]).answer is None


def broken(change: Any) -> Any:
    auditor = Auditor([0, 0, 0], [1, 1, 1], keep=0.2, step=0)
    auditor.ask([0, 1], "sum", error=0.3, data=[0.2, 0.3, 0.4])
    state = json.loads(json.dumps(auditor.to_dict()))
    change(state)
    return state


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["records"][0].update(chosen=99),
        lambda state: state["records"][0].update(chosen=-1),
        lambda state: state["records"][0].update(members="xx"),
        lambda state: state["records"][0].update(error="1/0"),
        lambda state: state["records"][0].update(error="-1"),
        lambda state: state["records"][0].update(divisor=7),
        lambda state: state["records"][0]["cells"].update(cuts=[[0, 0]]),
        lambda state: state["records"][0]["cells"].update(cuts=[[1, 2]]),
        lambda state: state["records"][0].pop("free"),
        lambda state: state.pop("prior"),
        lambda state: state.update(records=3),
        lambda state: state.update(prior=[1]),
    ],
)
def test_states_that_no_auditor_wrote_are_refused(change: Any) -> None:
    with pytest.raises(InputError, match="no transcript"):
        Auditor.from_dict(broken(change))
    with pytest.raises(InputError, match="no transcript"):
        Auditor.from_dict(3)  # type: ignore[arg-type]


def test_what_notebooks_show() -> None:
    auditor = Auditor([0, 0], [1, 2], keep=[0.6, 0.7], step=0)
    reply = auditor.ask([0, 1], "sum", error=0.25, data=[0.25, 0.5])
    assert isinstance(reply, Reply) and isinstance(auditor.price([0, 1], "sum", error=0.25), Price)
    shown = reply._repr_html_()
    assert "0.75" in shown or "± " in shown
    assert shown.count("<line") == len(reply.cells) - 1 and 'role="img"' in shown
    again = auditor.ask([0, 1], "sum", error=0.25, data=[0.25, 0.5])._repr_html_()
    assert "free" in again
    assert "0.6 to 0.7" in auditor._repr_html_() and "0.25" not in auditor._repr_html_()
    nothing = Auditor([0], [1], keep=1, step=0).ask([0], "mean", error=0.1, data=[0.3])._repr_html_()
    assert "nothing new" in nothing and "0.3" not in nothing
    assert "<line" not in Reply(0.5, 0.1, (0.4, 0.6), [(i / 500, (i + 1) / 500) for i in range(500)], 9.0)._repr_html_()
