"""Attacks that break the naive quantiser (AUDITOR.md, traps 2, 5, 7), and what they get from the auditor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from discreet._typing import IntArray
from discreet.queries import Auditor, Reply
from tests._oracles.transcripts import Told, intervals_left

Members: TypeAlias = "Sequence[int] | IntArray"
KEEP = 0.2

NAIVE = 800
"""Questions after which the naive quantiser has exposed nearly everybody."""


def naive(data: npt.NDArray[np.float64], members: Members, error: float) -> Told:
    """The quantiser of one question [DQ]: equal cells of the whole range, whatever was said before."""
    parts = math.ceil(len(members) / (2 * error))
    width = len(members) / parts
    part = min(int(data[np.asarray(members)].sum() / width), parts - 1)
    return members, (part * width, (part + 1) * width)


def attack(
    data: npt.NDArray[np.float64], questions: Iterable[tuple[Members, float]], keep: float = KEEP
) -> tuple[Auditor, list[Reply], list[Told]]:
    """Ask for sums of values in [0, 1]; everybody must keep enough, by linear programs over what was told."""
    auditor = Auditor(np.zeros(len(data)), np.ones(len(data)), keep=keep, step=0)
    replies, told = [], list[Told]()
    for members, error in questions:
        replies.append(auditor.ask(members, "sum", error=error, data=data))
        if replies[-1].answer is not None:
            told.append((members, replies[-1].cell))
    assert least_kept(len(data), told) >= keep - 1e-9
    return auditor, replies, told


def least_kept(n: int, told: Iterable[Told]) -> float:
    left = intervals_left(np.zeros(n), np.ones(n), told)
    return float((left[:, 1] - left[:, 0]).min())


def test_all_and_then_all_but_one() -> None:
    """Trap 2: the naive quantiser tells the one; merging keeps everyone safe at about twice the error."""
    data = np.random.default_rng(0).random(12)
    questions: list[tuple[Members, float]] = [(range(12), 0.06), (range(11), 0.06)]
    assert least_kept(12, [naive(data, *question) for question in questions]) < KEEP
    _, (first, second), told = attack(data, questions)
    assert len(told) == 2
    assert first.error <= 0.06 and second.answer is not None and second.error <= 0.06 * 3


@pytest.mark.slow
@pytest.mark.parametrize("one", [0, 3, 11])
def test_all_but_one_at_tiny_errors(one: int) -> None:
    data = np.random.default_rng(one).random(12)
    others = [i for i in range(12) if i != one]
    for error in (1e-3, 1e-6, 1e-9):
        _, replies, _ = attack(
            data, [(range(12), error), (others, error), (range(12), error / 100), (others, error / 100)]
        )
        assert replies[0].answer is not None and replies[1].answer is not None


def test_pairs_that_close_a_triangle() -> None:
    """x1 + x2, x2 + x3 and x1 + x3 together would tell all three."""
    data = np.array([0.3, 0.55, 0.8])
    questions: list[tuple[Members, float]] = [([0, 1], 0.02), ([1, 2], 0.02), ([0, 2], 0.02)]
    assert least_kept(3, [naive(data, *question) for question in questions]) < 0.1
    _, _, told = attack(data, questions)
    assert len(told) >= 2


def test_single_people() -> None:
    data = np.random.default_rng(4).random(8)
    questions: list[tuple[Members, float]] = [([i % 8], 0.01) for i in range(16)]
    _, replies, _ = attack(data, questions)
    assert all(0.1 <= reply.error <= 0.2 for reply in replies[:8])
    assert [reply.cell for reply in replies[8:]] == [reply.cell for reply in replies[:8]]


def test_prefix_sums() -> None:
    data = np.random.default_rng(5).random(14)
    questions: list[tuple[Members, float]] = [(range(i), 0.05) for i in range(14, 0, -1)]
    assert least_kept(14, [naive(data, *question) for question in questions]) < KEEP
    _, _, told = attack(data, questions)
    assert len(told) >= 8


def test_sliding_windows() -> None:
    data = np.random.default_rng(6).random(16)
    questions: list[tuple[Members, float]] = [(range(i, i + 5), 0.04) for i in range(12)]
    questions += [(range(i, i + 6), 0.04) for i in range(11)]
    assert least_kept(16, [naive(data, *question) for question in questions]) < KEEP
    _, _, told = attack(data, questions)
    assert len(told) >= 12


@pytest.mark.parametrize("seed", [0, 1])
def test_a_targeted_adaptive_adversary(seed: int) -> None:
    """After each reply, ask for the narrowest group known so far with the target put in or taken out."""
    rng = np.random.default_rng(seed)
    data, target = rng.random(15), int(rng.integers(15))
    auditor = Auditor(np.zeros(15), np.ones(15), keep=KEEP, step=0)
    known: dict[frozenset[int], float] = {}
    told: list[Told] = []
    group = frozenset(range(15))
    for step in range(24):
        reply = auditor.ask(sorted(group), "sum", error=0.03, data=data)
        known[group] = reply.cell[1] - reply.cell[0]
        if reply.answer is not None:
            told.append((sorted(group), reply.cell))
        flipped = sorted((width, sorted(g ^ {target})) for g, width in known.items() if g ^ {target} not in known)
        fresh = frozenset(np.flatnonzero(rng.random(15) < 0.5).tolist()) | {target}
        group = frozenset(flipped[0][1]) if flipped and step % 3 else fresh
        group = group or fresh
    left = intervals_left(np.zeros(15), np.ones(15), told)
    assert len(told) > 8
    assert (left[:, 1] - left[:, 0] >= KEEP - 1e-9).all()


def random_adversary(n: int, count: int, error: float, seed: int, *, naive_too: bool) -> list[Told]:
    rng = np.random.default_rng(seed)
    data = rng.random(n)
    questions: list[tuple[Members, float]] = [(np.flatnonzero(rng.random(n) < 0.5), error) for _ in range(count)]
    if naive_too:
        left = intervals_left(np.zeros(n), np.ones(n), [naive(data, *question) for question in questions[:NAIVE]])
        assert np.mean(left[:, 1] - left[:, 0] < KEEP) > 0.5, "the attack is weak"
    _, _, told = attack(data, questions)
    return told


def test_hundreds_of_random_questions() -> None:
    told = random_adversary(20, 150, 0.2, 0, naive_too=True)
    assert len(told) > 40


@pytest.mark.long
@pytest.mark.parametrize(("n", "count", "error"), [(60, 2000, 0.2), (120, 600, 0.6), (200, 300, 1.0)])
def test_thousands_of_random_questions(n: int, count: int, error: float) -> None:
    told = random_adversary(n, count, error, n, naive_too=n == 60)
    assert len(told) > n


@pytest.mark.parametrize("keep", [0.1, 0.3])
def test_a_witness_gives_the_same_transcript(keep: float) -> None:
    """Trap 5: witnesses are strictly inside, so as data they have bit-identical replies; and so has any earlier one."""
    rng = np.random.default_rng(8)
    n = 12
    data = rng.random(n)
    questions = [(np.flatnonzero(rng.random(n) < 0.5), 0.05) for _ in range(25)]
    questions = [(members, error) for members, error in questions if len(members)]
    auditor = Auditor(np.zeros(n), np.ones(n), keep=keep, step=0)
    replies = [auditor.ask(members, "mean", error=error, data=data) for members, error in questions]
    other = auditor.witness()
    assert np.abs(other - data).max() > 0.05
    replay = Auditor(np.zeros(n), np.ones(n), keep=keep, step=0)
    assert [replay.ask(members, "mean", error=error, data=other) for members, error in questions] == replies
    assert replay.to_dict() == auditor.to_dict()


def test_the_ends_of_an_inner_interval_are_possible_data() -> None:
    """For someone in a class of two, the other makes room: a data set at either end has the same replies."""
    data = np.array([0.2, 0.3, 0.9, 0.6])
    auditor = Auditor(np.zeros(4), np.ones(4), keep=0.2, step=0)
    reply = auditor.ask([0, 1], "sum", error=0.1, data=data)
    low, high = auditor.intervals()[0]
    for end in (low, high):
        other = np.array([end, np.clip(sum(reply.cell) / 2 - end, 0, 1), 0.9, 0.6])
        assert Auditor(np.zeros(4), np.ones(4), keep=0.2, step=0).ask([0, 1], "sum", error=0.1, data=other) == reply


def test_capacity_is_finite_and_can_be_priced() -> None:
    """Trap 7: one analyst can use the auditor up; prices known before asking let a quota stop it."""
    rng = np.random.default_rng(9)
    data = rng.random(6)
    auditor = Auditor(np.zeros(6), np.ones(6), keep=0.4, step=0)
    spent, quota, refused = 0.0, 6.0, 0
    for _ in range(40):
        members = np.flatnonzero(rng.random(6) < 0.6)
        if not len(members):
            continue
        price = auditor.price(members, "sum", error=0.1)
        if spent + price.bits > quota:
            refused += 1
            continue
        reply = auditor.ask(members, "sum", error=0.1, data=data)
        assert reply.bits == price.bits and len(reply.cells) == price.cells
        spent += reply.bits
    assert refused and auditor.bits == pytest.approx(spent) and spent <= quota
    groups = [[i for i in range(6) if mask >> i & 1] for mask in range(1, 64)]
    told = [sum(auditor.ask(g, "sum", error=error, data=data).bits > 0 for g in groups) for error in (0.1, 0.05)]
    assert told[0] > 0 and sum(told) < 0.2 * 2 * len(groups)
