"""The paper's algorithms: its examples step by step, and whole merge logs against the plain transcription."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from discreet.search._kernels.geometry import ball_centre, ball_radius
from discreet.search._letters import Letters
from discreet.search.ranges._greedy.path import MergePath, merge_connected, merge_path
from tests._oracles.plain_agglomeration import Naive
from tests.examples import examples

EXAMPLE_1 = [[0, 1], [0], [2], [2], [3], [4], [5]]
VALUES_3 = [0.2, 0.1, 0.4, 0.3, 0.6, 1.5, 1.0]  # [AC, (3)]
CODEWORDS = ["centroid", "medoid", "chebyshev"]


def letters_of(ranges: list[list[int]], values: Any = None, norm: float = 2.0) -> Letters:
    """Letters with the levels of S renumbered without gaps."""
    levels = sorted({s for r in ranges for s in r})
    indptr = np.cumsum([0, *(len(set(r)) for r in ranges)]).astype(np.int64)
    indices = np.array([levels.index(s) for r in ranges for s in sorted(set(r))], dtype=np.int32)
    points = None if values is None else np.asarray(values, dtype=np.float64).reshape(len(ranges), -1)
    return Letters(indptr, indices, len(levels), points, norm)


def blocks(path: MergePath, step: int) -> str:
    """A partition as the paper writes it, letters from 1: "127 35 46"."""
    names = path.partition(step)
    return " ".join("".join(str(x + 1) for x in np.flatnonzero(names == b)) for b in np.unique(names))


def agrees(path: MergePath, oracle: tuple[list[tuple[int, int]], list[Any]]) -> None:
    """Every merge, every step, every statistic."""
    merges, rows = oracle
    assert list(zip(path.left.tolist(), path.right.tolist(), strict=True)) == merges
    assert list(
        zip(
            path.step.tolist(),
            path.distinct.tolist(),
            path.components.tolist(),
            path.size.tolist(),
            strict=True,
        )
    ) == [row[:4] for row in rows]
    np.testing.assert_allclose(path.distortion, [row[4] for row in rows], rtol=1e-12, atol=1e-12)


def check(
    ranges: list[list[int]], values: Any, norm: float, codeword: Any, multipliers: tuple[float, ...] = ()
) -> None:
    """Both algorithms (and problem (7) for the multipliers), both costs, against the oracle."""
    letters = letters_of(ranges, values, norm)
    plain = Naive([set(r) for r in ranges], letters.values, norm, codeword)
    for cost in ("size", "distortion") if values is not None else ("size",):
        agrees(merge_path(letters, "L0", cost, codeword), plain.algorithm_1(cost))
        agrees(merge_path(letters, "I*", cost, codeword), plain.algorithm_2(cost))
        for multiplier in multipliers:
            agrees(merge_connected(letters, cost, multiplier, codeword), plain.problem_7(cost, multiplier))


def draw(rng: np.random.Generator, n: int, columns: int) -> tuple[list[list[int]], Any]:
    """Ranges and values with many ties: few levels, repeated ranges, repeated values, ladders, decimals."""
    levels, most = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    if rng.random() < 0.2:
        levels = n
    ranges = [rng.integers(0, levels, int(rng.integers(1, most + 1))).tolist() for _ in range(n)]
    shape = (n, columns)
    values = (
        rng.integers(0, 3, shape),
        rng.permutation(n * columns).reshape(shape),
        rng.integers(0, 3 * n, shape),
        rng.integers(-20, 20, shape) / 10,
    )[int(rng.integers(4))]
    return ranges, values


# --- the paper's examples ----------------------------------------------------------------------------------


def test_example_2_resolution() -> None:
    path = merge_path(letters_of(EXAMPLE_1), "L0", "size")
    assert [blocks(path, i) for i in range(len(path))] == [
        "1 2 3 4 5 6 7",
        "127 35 46",
        "127 3456",
        "1234567",
    ]
    assert path.delta(0.3, "L0", "size") == pytest.approx([-0.5245, -0.4605, -0.7578], abs=5e-5)
    assert path.cut(0.3, "L0", "size") == 3


def test_example_2_distortion() -> None:
    path = merge_path(letters_of(EXAMPLE_1, VALUES_3), "L0", "distortion")
    assert [blocks(path, i) for i in range(len(path))] == ["1 2 3 4 5 6 7", "124 35 67", "1234567"]
    assert path.delta(2.5, "L0", "distortion") == pytest.approx([-0.375, 0.0758], abs=5e-5)
    assert path.cut(2.5, "L0", "distortion") == 1
    assert path.distortion == pytest.approx([0.0, 0.25, 6.4 / 7])


def test_example_3() -> None:
    path = merge_path(letters_of(EXAMPLE_1), "I*", "size")
    assert [blocks(path, i) for i in range(len(path))] == [
        "1 2 3 4 5 6 7", "13 2 4 5 6 7", "13 25 4 6 7", "13 25 46 7", "137 25 46",
    ]  # fmt: skip
    assert path.delta(0.3, "I*", "size")[0] == pytest.approx(-0.0219, abs=5e-5)
    assert path.components.tolist() == [5, 4, 3, 2, 1]
    assert path.cut(0.3, "I*", "size") == 4


def test_example_4() -> None:
    path = merge_path(letters_of(EXAMPLE_1, [*VALUES_3[:6], 4.0]), "I*", "distortion")
    assert [blocks(path, i) for i in range(len(path))] == [
        "1 2 3 4 5 6 7", "14 2 3 5 6 7", "14 2 35 6 7", "14 2 356 7", "14 27 356",
    ]  # fmt: skip
    assert path.delta(0.3, "I*", "distortion")[3] == pytest.approx(-0.615, abs=5e-4)
    assert path.cut(0.3, "I*", "distortion") == 4
    assert path.cut(0.7792, "I*", "distortion") == 4
    assert path.cut(0.7794, "I*", "distortion") == path.cut(1.031, "I*", "distortion") == 3
    assert path.cut(1.033, "I*", "distortion") == 2


def test_example_5() -> None:
    path = merge_connected(letters_of(EXAMPLE_1), "size", 0.3)
    assert [blocks(path, i) for i in range(len(path))] == [
        "1 2 3 4 5 6 7", "1 23 4 5 6 7", "1 23 45 6 7", "1 23 45 67", "167 23 45",
    ]  # fmt: skip
    assert path.components[-1] == 1


# --- whole logs against the transcription ------------------------------------------------------------------


@pytest.mark.parametrize("codeword", CODEWORDS)
def test_one_column_equals_the_transcription(codeword: str) -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        check(*draw(rng, int(rng.integers(1, 13)), 1), 2.0, codeword)


@pytest.mark.parametrize("norm", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("codeword", CODEWORDS)
def test_two_columns_equal_the_transcription(codeword: str, norm: float) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        check(*draw(rng, int(rng.integers(1, 11)), 2), norm, codeword)


@pytest.mark.parametrize("codeword", CODEWORDS)
@pytest.mark.parametrize("columns", [1, 2])
def test_problem_7_equals_the_transcription(codeword: str, columns: int) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        check(*draw(rng, int(rng.integers(1, 9)), columns), 2.0, codeword, (0.0, 0.3, 1.0, 2.5))


@pytest.mark.parametrize("codeword", CODEWORDS)
@pytest.mark.parametrize("family", ["one s each", "runs", "few values", "ladder", "one s but a few"])
def test_longer_paths_equal_the_transcription(family: str, codeword: str) -> None:
    n, rng = 60, np.random.default_rng(7)
    s = {
        "one s each": rng.permutation(n),
        "runs": np.arange(n) // 12,
        "few values": rng.integers(0, 20, n),
        "ladder": rng.integers(0, 25, n),
        "one s but a few": np.where(np.arange(n) % 20 == 7, np.arange(n), 0),
    }[family]
    values = rng.integers(0, 6, n) if family == "few values" else np.arange(n)
    check([[int(k)] for k in s], values, 2.0, codeword)


def test_more_levels_than_bitsets_hold() -> None:
    for seed in range(6):  # as many elements as make the table of (set, s) be swept on the way
        rng = np.random.default_rng(seed)
        ranges = [rng.integers(0, 2500, int(rng.integers(2, 62))).tolist() for _ in range(64)]
        letters = letters_of(ranges, rng.integers(0, 40, 64))
        assert letters.n_s > 1024
        plain = Naive([set(r) for r in ranges], letters.values)
        agrees(merge_path(letters, "L0", "size"), plain.algorithm_1("size"))
        agrees(merge_path(letters, "L0", "distortion"), plain.algorithm_1("distortion"))


def test_a_tie_that_only_the_younger_block_knows() -> None:
    """A centroid moves back: {0,10,20} costs less with {225,255} than with 225 or 255, its first partners.

    All three last merges cost 153, and the middle one must not wait for the last, which joins a smaller
    component.
    """
    hub, large, middle, small = 0, 1, 2, 3
    placed = [(0, hub), (10, 4), (20, 5), (10000, hub), (20000, hub)]
    placed += [(10306, large), (225, middle), (255, 6), (20306, small)]
    placed += [(10**6 + 1000 * i, s) for i, s in enumerate([hub] * 5 + [large] * 5)]
    values, ranges = [v for v, _ in sorted(placed)], [[s] for _, s in sorted(placed)]
    path = merge_path(letters_of(ranges, values), "I*", "distortion")
    assert path.distortion.tolist() == [0.0, 5.0, 10.0, 15.0, 153.0, 153.0, 153.0]
    merged = [(values[a], values[b]) for a, b in zip(path.left, path.right, strict=True)]
    assert merged[-3:] == [(10000, 10306), (0, 225), (20000, 20306)]
    check(ranges, values, 2.0, "centroid")


@settings(max_examples=examples(150))
@given(st.data())
def test_any_small_alphabet_equals_the_transcription(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 9))
    ranges = data.draw(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), min_size=n, max_size=n))
    columns = data.draw(st.integers(1, 2))
    number = st.integers(-3, 6) | st.integers(-30, 60).map(lambda v: v / 10)
    row = st.lists(number, min_size=columns, max_size=columns)
    values = data.draw(st.none() | st.lists(row, min_size=n, max_size=n))
    check(ranges, values, data.draw(st.sampled_from([1.0, 2.0, np.inf])), data.draw(st.sampled_from(CODEWORDS)))


def test_three_columns_equal_the_transcription() -> None:
    for seed in range(30):
        check(*draw(np.random.default_rng(seed), 9, 3), 2.0, "centroid")


@pytest.mark.parametrize(
    ("codeword", "norm"),
    [(codeword, norm) for codeword in ("centroid", "medoid") for norm in (1.0, 2.0, np.inf)] + [("chebyshev", np.inf)],
)
def test_many_coordinates_equal_the_transcription(codeword: Any, norm: float) -> None:
    """A category is a coordinate a value; from six coordinates on all blocks are looked at, and not a tree of them."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        ranges, values = draw(rng, 14, 7)
        if seed % 2:
            one, two = (np.eye(k)[rng.integers(0, k, 14)] for k in (2, 4))
            values = np.hstack([one, two, rng.integers(0, 30, (14, 1)) / 10])
        letters = letters_of(ranges, values, norm)
        plain = Naive([set(r) for r in ranges], letters.values, norm, codeword)
        agrees(merge_path(letters, "L0", "distortion", codeword), plain.algorithm_1("distortion"))


def test_smallest_ball_in_space() -> None:
    # A regular tetrahedron of edge sqrt(8), and points inside: the radius is sqrt(3).
    corners = [[0, 0, 0], [2, 2, 0], [2, 0, 2], [0, 2, 2], [1, 1, 1], [1, 1, 0]]
    path = merge_path(letters_of([[i] for i in range(6)], corners), "L0", "distortion", "chebyshev")
    assert path.size[-1] == 6
    assert path.distortion[-1] == pytest.approx(np.sqrt(3.0), rel=1e-12)


def test_smallest_balls_round_categories_end_where_they_must() -> None:
    """All pairs of numbers and categories lie on few spheres: what is met on the hull of others must not be met for ever.

    A subset's smallest ball is where no direction leads away from all of its farthest letters, however it was found.
    """
    values = np.array([[age / 20, *a, *b] for age in range(21) for a in np.eye(3) / 2**0.5 for b in np.eye(5) / 2**0.5])
    whole = ball_radius(values, np.arange(len(values)), len(values))
    assert whole == pytest.approx(np.sqrt(0.25 + (1 - 1 / 3) / 2 + (1 - 1 / 5) / 2), rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(40):
        points = values[rng.permutation(len(values))[:60]] - values[0]
        centre = ball_centre(points / 2) * 2
        away = np.linalg.norm(points - centre, axis=1)
        far = points[away >= away.max() - 1e-9] - centre
        _, rest = nnls(np.vstack([far.T, np.ones(len(far))]), np.array([*np.zeros(9), 1.0]))
        assert rest < 1e-7  # the centre is a mixture of the farthest


# --- corners -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranges", [[[0]], [[0, 1, 2]], [[0], [0], [0]], [[0, 1], [0, 1], [1, 0]]])
def test_nothing_to_merge(ranges: list[list[int]]) -> None:
    letters = letters_of(ranges, np.arange(len(ranges)))
    for cost in ("size", "distortion"):
        for path in (
            merge_path(letters, "L0", cost),
            merge_path(letters, "I*", cost),
            merge_connected(letters, cost, 1.0),
        ):
            assert len(path) == 1 and len(path.left) == 0
            assert path.partition(0).tolist() == list(range(len(ranges)))
            assert path.cut(0.0, "L0", cost) == 0


def test_scale_of_values_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    ranges = [[int(s)] for s in rng.integers(0, 6, 40)]
    whole = np.cumsum(rng.integers(1, 4, 40)).astype(float)
    for leakage in ("L0", "I*"):
        plain = merge_path(letters_of(ranges, whole), leakage, "distortion")
        for scale in (0.1, 1 / 37, 1e6, 2.0**-30):
            scaled = merge_path(letters_of(ranges, whole * scale), leakage, "distortion")
            assert scaled.left.tolist() == plain.left.tolist() and scaled.right.tolist() == plain.right.tolist()
            np.testing.assert_allclose(scaled.distortion, plain.distortion * scale, rtol=1e-12)


def test_values_off_any_lattice() -> None:
    rng = np.random.default_rng(4)
    for scale in (1.0, 1e300, 1e-280):
        values = rng.random(50) * scale
        path = merge_path(letters_of([[int(s)] for s in rng.integers(0, 5, 50)], values), "L0", "distortion")
        for step, names in enumerate(map(path.partition, range(len(path)))):
            worst = max(np.abs(values[names == b] - values[names == b].mean()).max() for b in np.unique(names))
            assert path.distortion[step] == pytest.approx(worst, rel=1e-12, abs=0.0)


def test_partitions_in_any_order() -> None:
    path = merge_path(letters_of(EXAMPLE_1), "I*", "size")
    assert path.partition(0).tolist() == list(range(path.n))
    assert path.partition(-1).tolist() == path.partition(4).tolist()
    assert [len(set(path.partition(i).tolist())) for i in (4, 0, 2)] == [path.n - int(path.step[i]) for i in (4, 0, 2)]
    with pytest.raises(IndexError):
        path.partition(5)


def test_bad_requests() -> None:
    bare = letters_of(EXAMPLE_1)
    with pytest.raises(ValueError, match="value"):
        merge_path(bare, "L0", "distortion")
    with pytest.raises(ValueError, match="infinite"):
        merge_path(letters_of(EXAMPLE_1, [*VALUES_3[:6], np.nan]), "L0", "distortion")
    with pytest.raises(ValueError, match="norm"):
        merge_path(letters_of(EXAMPLE_1, VALUES_3, norm=3.0), "L0", "distortion")
    for multiplier in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="multiplier"):
            merge_connected(bare, "size", multiplier)
        with pytest.raises(ValueError, match="multiplier"):
            merge_path(bare, "L0", "size").cut(multiplier, "L0", "size")
    with pytest.raises(ValueError, match="distortion"):
        merge_path(bare, "L0", "size").cut(0.3, "L0", "distortion")
    with pytest.raises(ValueError, match="l_1"):
        merge_path(letters_of([[0], [1]], np.eye(2, 3), norm=1.0), "L0", "distortion", "chebyshev")
