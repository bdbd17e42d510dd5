"""Quantised answers: published values, the promised error, optimal cells, and what is left to people."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.queries import (
    Box,
    Count,
    Domain,
    FiniteSet,
    Function,
    IntegerBox,
    Linear,
    Max,
    Mean,
    Min,
    Quantile,
    QuantisedQuery,
    Query,
    Sum,
    Variance,
    quantise,
    trade_off,
)
from discreet.queries._adversary import corners, cut_box_squares, slab_squares, smallest_ball
from discreet.queries._finite_domains import every_data_set
from discreet.tables._checksum import write_sealed
from tests._oracles.regions import corner_ball, most_of_smallest
from tests.examples import examples

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "queries.toml").read_text())
SLACK = 1 + 1e-9


def quadratic(x: Any) -> Any:
    """x1² + 2 x2² [DQ, (21)]."""
    return x[..., 0] ** 2 + 2 * x[..., 1] ** 2


def product_of(x: Any) -> Any:
    """x1 x2 … xn."""
    return x.prod(axis=-1)


# -- published values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", REFERENCE["mean"])
def test_mean_on_a_square(case: dict[str, Any]) -> None:
    found = quantise(Mean(), Box(case["lower"], case["upper"], people=case["people"]), error=1 / case["gamma"])
    assert found.answers.tolist() == case["answers"]
    assert found.maximin == math.log2(len(case["answers"]))
    assert found.leakage == case["leakage"] and found.leakage_error == 0
    assert found.adversary_error == pytest.approx(case["adversary_error"], rel=1e-14)
    assert found.interval_left() == 2.0


def test_quadratic_on_a_square() -> None:
    case = REFERENCE["quadratic"]
    box = Box(case["lower"], case["upper"], people=2)
    found = quantise(
        Function(quadratic, case["range"][0], case["range"][1], lipschitz=case["lipschitz"]),
        box,
        error=1 / case["gamma"],
    )
    assert found.answers.tolist() == [i + 0.5 for i in range(case["cells"])]
    assert found.evidence["smallest_cell"] == case["smallest_cell"]
    low, high = found.evidence["leakage_within"]
    assert low <= found.leakage <= high <= low + 0.2
    # The smallest ball is that round the ellipse x1² + 2 x2² ≤ 1.
    assert 0.98 <= found.adversary_error <= 1 and found.adversary_bound <= found.adversary_error


def test_square_in_general() -> None:
    case = REFERENCE["square"]
    curve = trade_off(Mean(), Box([-2, -2], [2, 2]), gammas=case["gammas"])
    q = np.array(case["cells"])
    assert curve.cells.tolist() == case["cells"]
    assert curve.maximin == pytest.approx(np.log2(q))
    assert curve.leakage == pytest.approx(np.log2(q**2 / 2), abs=1e-12)
    assert curve.adversary_error == pytest.approx(4 * math.sqrt(2) / q)


@pytest.mark.parametrize("case", REFERENCE["heights"])
def test_heights(case: dict[str, Any]) -> None:
    found = quantise(Mean(), Box(100, 250, people=case["people"]), error=1 / case["gamma"])
    n, w = case["people"], 150 / case["cells"]
    assert len(found.answers) == case["cells"]
    assert found.adversary_error == pytest.approx(case["adversary_error"])
    assert found.adversary_error == pytest.approx(w * math.sqrt(n * (n - 1)))
    assert found.leakage == pytest.approx(case["leakage"], abs=1e-9)
    assert found.leakage == pytest.approx(math.log2(math.factorial(n) * (case["cells"] / n) ** n))
    assert found.interval_left() == pytest.approx(n * w)


def test_heights_within_ten_centimetres() -> None:
    case, box = REFERENCE["heights_limit"], Box(100, 250, people=2)
    assert quantise(Mean(), box, error=75 / case["enough"]).adversary_error >= case["least"]
    assert quantise(Mean(), box, error=75 / case["too_many"]).adversary_error < case["least"]


@pytest.mark.parametrize("case", REFERENCE["gain"])
def test_gain_of_wide_ends(case: dict[str, Any]) -> None:
    box = Box(0, 1, people=case["people"])
    even, best = (quantise(Mean(), box, error=0.15, bins=bins) for bins in ("uniform", "least-leakage"))
    assert even.leakage - best.leakage == pytest.approx(case["bits"], abs=0.005)
    assert best.edges == pytest.approx([0, 0.3, 0.5, 0.7, 1])
    assert best.leakage == pytest.approx(best.leakage_bound)  # proven optimal
    same = quantise(Mean(), box, error=0.125, bins="least-leakage")  # cells of .25 divide the range
    assert same.leakage == quantise(Mean(), box, error=0.125).leakage


# -- laws on any input --------------------------------------------------------------------------------------------------

QUERIES: list[Query] = [
    Mean(),
    Sum(),
    Min(),
    Max(),
    Quantile(0.4),
    Count(at_least=2),
    Variance(),
    Function(lambda x: np.abs(x).max(axis=-1), 0, 12, lipschitz=1),
    Function(lambda x: np.abs(x).max(axis=-1), 0, 12),
]
domains = st.one_of(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 5)), min_size=1, max_size=4).map(
        lambda pairs: Box([a for a, _ in pairs], [a + b for a, b in pairs])
    ),
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), min_size=1, max_size=4).map(
        lambda pairs: IntegerBox([a for a, _ in pairs], [a + b for a, b in pairs])
    ),
    st.lists(st.sets(st.integers(-4, 6), min_size=1, max_size=4), min_size=1, max_size=4).map(
        lambda sets: FiniteSet([sorted(values) for values in sets])
    ),
)


@settings(max_examples=examples(40))
@given(
    query=st.sampled_from(QUERIES),
    domain=domains,
    error=st.floats(0.05, 4),
    bins=st.sampled_from(["uniform", "least-leakage"]),
)
def test_answers_keep_their_promise(query: Query, domain: Domain, error: float, bins: Any) -> None:
    found = quantise(query, domain, error=error, bins=bins, rng=np.random.default_rng(1))
    low, high = query.range(domain)
    assert found.edges[0] >= low - 1e-9 and found.edges[-1] <= high + 1e-9
    assert (np.diff(found.edges) > 0).all() or len(found.answers) == 1
    assert len(found.edges) == len(found.answers) + 1
    assert found.worst_error <= error * SLACK
    x = domain.draw(300, np.random.default_rng(2))
    answers, values = found.answer(x), query(x)
    assert (np.abs(answers - values) <= error * SLACK + 1e-9).all()
    assert set(answers) <= set(found.answers)
    assert found.maximin == math.log2(len(found.answers)) <= found.leakage + found.leakage_error + 1e-9
    assert found.leakage_bound <= found.leakage + found.leakage_error + 1e-9
    assert found.leakage <= domain.log2_size + 1e-9 or isinstance(domain, Box)
    low_end, high_end = found.adversary_range
    assert 0 <= low_end == found.adversary_error <= high_end * SLACK
    assert found.adversary_bound <= high_end * SLACK
    cell = found.cell(x)
    for i in np.unique(cell):
        left = found.intervals(int(i))
        if found.evidence["intervals"] == "exact":
            inside = x[cell == i]
            assert (inside >= left[:, 0] - 1e-9).all() and (inside <= left[:, 1] + 1e-9).all()
        assert (left[:, 1] - left[:, 0] >= found.interval_left() - 1e-9).all()
    json.dumps(found.to_dict(), allow_nan=False)
    assert repr(found) and "<table>" in found._repr_html_()


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(query=st.sampled_from(QUERIES[:7]), domain=domains, error=st.floats(0.1, 3))
def test_least_leakage_is_never_worse(query: Query, domain: Domain, error: float) -> None:
    even, best = (quantise(query, domain, error=error, bins=bins) for bins in ("uniform", "least-leakage"))
    assert best.leakage <= even.leakage + (0 if even.evidence["proven"] else even.leakage_error) + 1e-9
    assert best.leakage_bound == even.leakage_bound
    if even.evidence["proven"]:
        assert best.leakage == pytest.approx(-best.shares.min(), abs=1e-9)
        assert np.exp2(best.shares).sum() == pytest.approx(1)


@settings(max_examples=examples(60))
@given(
    sets=st.lists(st.sets(st.integers(0, 6), min_size=1, max_size=4), min_size=1, max_size=3),
    error=st.sampled_from([0.3, 0.5, 1.0, 1.6, 2.5]),
)
def test_discrete_cells_against_all_partitions(sets: list[set[int]], error: float) -> None:
    domain = FiniteSet([sorted(values) for values in sets])
    values, counts = np.unique(every_data_set(domain).sum(axis=1), return_counts=True)
    best = quantise(Sum(), domain, error=error, bins="least-leakage")
    smallest = most_of_smallest(values.tolist(), counts.tolist(), 2 * error + 1e-9)
    assert best.leakage == pytest.approx(math.log2(counts.sum() / smallest), abs=1e-9)


@pytest.mark.parametrize("error", [0.05, 0.12, 0.17, 0.21, 0.4])
def test_flat_laws_reach_a_fine_grid(error: float) -> None:
    # One weight dominates, so the law is nearly flat and wide ends are not the best: compare with all edges on a grid.
    query, box = Linear([1, 0.1, 0.05]), Box(0, 1, people=3)
    best = quantise(query, box, error=error, bins="least-leakage")
    grid = np.linspace(0, 1.15, 24)
    share = np.exp2(quantise(query, box, error=error)._volumes.cells(grid).log2)
    whole = (share * 1e12).astype(int).tolist()
    rough = most_of_smallest_of_cells(grid, whole, 2 * error) / 1e12
    assert np.exp2(-best.leakage) >= rough - 1e-9


def most_of_smallest_of_cells(edges: Any, counts: list[int], wide: float) -> int:
    """The same over edges out of a grid, by the plainest dynamic program."""
    best = [sum(counts)] + [0] * len(counts)
    for j in range(1, len(counts) + 1):
        for i in range(j):
            if edges[j] - edges[i] <= wide + 1e-12:
                best[j] = max(best[j], min(best[i], sum(counts[i:j])))
    return best[-1]


def test_one_person_cannot_do_better_than_equal_cells() -> None:
    found = quantise(Sum(), Box([0], [1]), error=0.15, bins="least-leakage")
    assert found.leakage == 2.0 == found.leakage_bound


def test_more_accuracy_gives_more_away() -> None:
    curve = trade_off(Mean(), Box(0, 1, people=4), gammas=np.linspace(0.6, 20, 60))
    for values, sign in ((curve.cells, 1), (curve.leakage, 1), (curve.adversary_error, -1), (curve.interval_left, -1)):
        assert (sign * np.diff(values) >= -1e-12).all()
    assert len(curve) == 60


# -- what is left to people ---------------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(
    query=st.sampled_from([*QUERIES[:6], Linear([1, 2, -3]), Linear([2, 2, 0])]),
    sets=st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), min_size=3, max_size=3),
    whole=st.booleans(),
    error=st.sampled_from([0.2, 0.5, 1.0, 1.7]),
)
def test_discrete_regions_against_all_data_sets(query: Query, sets: list[set[int]], whole: bool, error: float) -> None:
    domain: Domain = FiniteSet([sorted(values) for values in sets])
    if whole:
        domain = IntegerBox([min(values) for values in sets], [max(values) for values in sets])
    found = quantise(query, domain, error=error)
    assert isinstance(domain, IntegerBox | FiniteSet)
    every = every_data_set(domain)
    cell = found.cell(every)
    assert sorted(set(cell)) == list(range(len(found.answers)))
    lengths, radii = [], []
    for i in range(len(found.answers)):
        inside = every[cell == i]
        expected = np.stack((inside.min(axis=0), inside.max(axis=0)), axis=1)
        assert found.intervals(i).tolist() == expected.tolist()
        lengths.append(np.ptp(inside, axis=0))
        radii.append(math.sqrt(smallest_ball(inside)[1]))
    assert found.evidence["intervals"] == "exact"
    assert found.interval_left() == np.min(lengths)
    assert [found.interval_left(i) for i in range(3)] == np.min(lengths, axis=0).tolist()
    low, high = found.adversary_range
    assert low <= min(radii) + 1e-6 and min(radii) <= high + 1e-6
    assert found.leakage == pytest.approx(math.log2(len(every) / np.bincount(cell).min()), abs=1e-9)


@settings(max_examples=examples(60))
@example(widths=[1, 1, 6, 6], cell=(0.4296875, 0.5))  # points that nearly coincide
@given(
    widths=st.lists(st.integers(1, 6), min_size=2, max_size=4),
    cell=st.tuples(st.floats(0, 0.95), st.floats(0.03, 0.6)),
)
def test_balls_round_cut_boxes(widths: list[int], cell: tuple[float, float]) -> None:
    size = np.array(widths, float)
    start, end = cell[0] * size.sum(), min(cell[0] + cell[1], 1.0) * size.sum()
    points = corners(size, start, end) * size
    low, high = smallest_ball(points)
    assert low <= high <= low + 1e-10 * (1 + high)
    below, above = cut_box_squares(size, size, start, end)
    assert below <= high + 1e-9 and low <= above + 1e-9
    if len(points) <= 12:
        assert math.sqrt(high) == pytest.approx(corner_ball(points), abs=1e-6)
    if len(set(widths)) == 1:
        scaled = slab_squares(len(widths), np.array([start / size[0]]), np.array([end / size[0]]))
        assert size[0] ** 2 * scaled[0] == pytest.approx(high, abs=1e-4 * (1 + high))


@pytest.mark.parametrize(
    ("query", "box"),
    [
        (Quantile(0.5), Box(0, 1, people=3)),
        (Quantile(0.5), Box([0, 0.3, 0.5, 0], [1, 0.6, 2, 0.1])),
        (Max(), Box([0, 0.5], [1, 3])),
        (Min(), Box(0, 1, people=4)),
        (Count(at_least=0.7), Box(0, 1, people=3)),
        (Count(at_least=0.2, at_most=0.5), Box([0, 0.3], [1, 0.4])),
        (Variance(), Box(0, 1, people=3)),
        (Variance(), Box([0, 0, 2], [1, 1, 5])),
        (Linear([1, -2, 0.5]), Box(0, [1, 2, 3])),
    ],
)
def test_real_regions_against_samples(query: Query, box: Box) -> None:
    low, high = query.range(box)
    found = quantise(query, box, error=(high - low) / 9)
    x = box.draw(200_000, np.random.default_rng(0))
    cell = found.cell(x)
    radii = []
    for i in range(len(found.answers)):
        inside = x[cell == i]
        left = found.intervals(i)
        assert (inside.min(axis=0) >= left[:, 0] - 1e-9).all() and (inside.max(axis=0) <= left[:, 1] + 1e-9).all()
        if len(inside) > 2000:  # enough to come close to the ends
            assert inside.min(axis=0) == pytest.approx(left[:, 0], abs=0.1 * box.widths.max())
            assert inside.max(axis=0) == pytest.approx(left[:, 1], abs=0.1 * box.widths.max())
        radii.append(math.sqrt(smallest_ball(inside[:4000])[0]) if len(inside) else math.inf)
    low_end, high_end = found.adversary_range
    assert low_end <= high_end * SLACK and min(radii) <= high_end * SLACK
    if low_end == pytest.approx(high_end):  # exact: samples must come close
        assert min(radii) >= 0.75 * low_end


def test_columns_that_are_not_read_stay_unknown() -> None:
    one = quantise(Mean(), Box([0, 0], [4, 4]), error=0.5)
    two = quantise(Mean(column=0), Box([0, 0], [4, 6], people=2), error=0.5)
    assert two.leakage == one.leakage
    assert two.adversary_error == pytest.approx(math.hypot(one.adversary_error, 3, 3))
    assert two.interval_left() == one.interval_left()
    assert two.intervals(0).shape == (2, 2)
    both = quantise(Linear([[1, 0], [1, 0]]), Box([0, 0], [4, 6], people=2), error=1)
    assert both.leakage == one.leakage and both.intervals(0).shape == (2, 2, 2)
    assert both.adversary_error == pytest.approx(two.adversary_error)
    assert both.interval_left(1) == one.interval_left()


def test_nothing_to_learn() -> None:
    for domain in (Box([3, 3], [3, 3]), IntegerBox([3, 3], [3, 3]), Box(0, 1, people=2)):
        found = quantise(Mean(), domain, error=5.0, bins="least-leakage")
        assert len(found.answers) == 1 and found.leakage == 0 == found.maximin
        assert "-0" not in repr(found) and math.copysign(1, found.leakage) == 1
        assert found.answer(domain.lower) == found.answers[0]


# -- asked the wrong way ------------------------------------------------------------------------------------------------


def test_inputs_taken_as_written() -> None:
    assert len(quantise(Mean(), Box(0, 0.3, people=2), error=0.05).answers) == 3
    assert len(quantise(Mean(), Box(0, 1, people=2), error=1 / 6).answers) == 3
    assert len(quantise(Mean(), Box(0, 1, people=2), error=np.float32(0.25)).answers) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [0, -1, math.nan, math.inf, True, "1", None, [1.0]])
def test_errors_that_are_none(error: Any) -> None:
    with pytest.raises(InputError, match="positive, finite number"):
        quantise(Mean(), Box([0], [1]), error=error)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quantise("mean", Box([0], [1]), error=1), "not a query"),  # type: ignore[arg-type]
        (lambda: quantise(Mean(), [0, 1], error=1), "not a domain"),  # type: ignore[arg-type]
        (lambda: quantise(Mean(), Box([0], [1]), error=1, bins="equal"), "bins must be one of"),  # type: ignore[arg-type]
        (lambda: quantise(Mean(), Box([0], [1]), error=1, rng=3), "Generator"),  # type: ignore[arg-type]
        (lambda: quantise(Mean(), Box([0], [1]), error=1e-12), "more than 10,000,000 answers"),
        (lambda: quantise(Linear([1, 2]), Box([0], [1]), error=1), "one weight per entry"),
        (lambda: quantise(Function(np.sum, 0, 1), Box([0, 0], 1), error=0.1), "must map arrays"),
        (
            lambda: quantise(Function(lambda x: x[..., 0], 0, 0.5), Box([0, 0], 1), error=0.1),
            "leaves its declared range",
        ),
        # At a corner only, which samples do not reach.
        (lambda: quantise(Function(quadratic, 0, 11.999), Box([-2, -2], 2), error=0.5), "leaves its declared range"),
        (lambda: quantise(Function(np.prod, 0, 80), IntegerBox(0, 3, people=1), error=1), "must map arrays"),
        (
            lambda: quantise(Function(product_of, 0, 80), IntegerBox(0, 3, people=4), error=1),
            "leaves its declared range",
        ),
        (
            lambda: quantise(Function(product_of, 0, 1e9), IntegerBox(0, 3, people=30), error=1e6),
            "leaves its declared range",
        ),
        (lambda: quantise(Function(quadratic, 0, 12, lipschitz=5), Box([-2, -2], 2), error=0.5), "Lipschitz constant"),
        (lambda: trade_off(Mean(), Box([0], [1]), gammas=[]), "positive, finite"),
        (lambda: trade_off(Mean(), Box([0], [1]), gammas=[0.0]), "positive, finite"),
        (lambda: trade_off(Mean(), Box([0], [1]), gammas=["a"]), "must be numbers"),  # type: ignore[list-item]
    ],
)
def test_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.fixture
def square() -> QuantisedQuery:
    return quantise(Mean(), Box([0, 0], [1, 1]), error=0.1)


@pytest.mark.parametrize("x", [[0.5, 1.625], [0.5], [0.5, math.nan], [[0.5, 0.5], [0.5, -1.625]], ["a", "b"]])
def test_data_outside_are_refused_unseen(square: QuantisedQuery, x: Any) -> None:
    with pytest.raises(InputError) as caught:
        square.answer(x)
    assert "1.625" not in str(caught.value)


def test_what_notebooks_show() -> None:
    shown = quantise(Mean(), Box([-2, -2], [2, 2]), error=0.5)._repr_html_()
    for words in ("mean within 0.5, uniform cells", "-1.5, -0.5, 0.5, 1.5", "3.000 bits", "Irwin–Hall", 'role="img"'):
        assert words in shown
    assert shown.count("<line") == 3
    many = quantise(Function(lambda x: x[..., 0], 0, 1), Box([0, 0], 1), error=1e-3)._repr_html_()
    assert "500" in many and "…" in many and "<line" not in many and "±" in many
    assert "1 cells" in quantise(Mean(), Box([3], [3]), error=1)._repr_html_()


def test_cells_and_people_that_are_not_there(square: QuantisedQuery) -> None:
    for call in (lambda: square.intervals(5), lambda: square.intervals(-1), lambda: square.interval_left(2)):
        with pytest.raises(InputError, match="there is no"):
            call()


def test_edges_are_half_open_and_the_last_closed(square: QuantisedQuery) -> None:
    assert square.answer([0.0, 0.0]) == square.answers[0]
    assert square.answer([1.0, 1.0]) == square.answers[-1]
    assert isinstance(square.answer([0.5, 0.5]), float)
    middle = float(square.edges[2])
    assert square.answer([middle, middle]) == square.answers[2]
    assert square.answer(np.full((3, 4, 2), 0.5)).shape == (3, 4)


def test_functions_that_leave_their_range_are_refused_when_answering() -> None:
    spike = Function(lambda x: np.where(x[..., 0] == 0.5, 9.0, x[..., 0]), 0, 1)
    found = quantise(spike, Box([0], [1]), error=0.1)
    assert found.answer([0.25]) == pytest.approx(0.3)
    with pytest.raises(InputError, match="leaves its declared range"):
        found.answer([0.5])


def test_samples_follow_the_generator() -> None:
    query = Function(lambda x: np.prod(x, axis=-1), 0, 1)
    first, again, other = (
        quantise(query, Box(0, 1, people=5), error=0.1, rng=np.random.default_rng(seed)).leakage for seed in (1, 1, 2)
    )
    assert first == again != other


def test_cells_never_sampled_leave_no_error_bar() -> None:
    found = quantise(Function(lambda x: x.sum(axis=-1), 0, 20), Box(0, 1, people=20), error=1.0)
    assert found.leakage_error == math.inf and found.adversary_bound == 0
    assert math.isfinite(found.leakage) and found.interval_left() == 0
    assert json.loads(json.dumps(found.to_dict()))["leakage_error"] == "inf"


@pytest.mark.parametrize(
    ("query", "domain", "error"),
    [
        (Mean(), Box(100, 250, people=10), 5),
        (Linear([[1, 2.5], [0, -1]], offset=0.5), Box([[0, 0], [1, 2]], [[1, 1], [3, 4]]), 0.4),
        (Count(at_least=3), IntegerBox(0, 5, people=6), 1),
        (Min(column=1), Box([0, 0], [[1, 2], [3, 4]]), 0.2),
        (Quantile(0.5), FiniteSet([[0, 1], [2, 3, 5], [0, 9]]), 1.5),
        (Variance(), Box(0, 1, people=5), 0.02),  # sampled
    ],
)
def test_a_saved_query_answers_as_before(query: Query, domain: Domain, error: float, tmp_path: Path) -> None:
    before = quantise(query, domain, error=error, bins="least-leakage")
    before.save(tmp_path / "q.json")
    after = QuantisedQuery.load(tmp_path / "q.json")
    assert after.to_dict() == before.to_dict() and after.evidence == before.evidence
    x = domain.draw(50, np.random.default_rng(1))
    assert after.answer(x).tolist() == before.answer(x).tolist()


def test_a_query_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "q.json"
    quantise(Mean(), Box(0, 1, people=3), error=0.1).save(file)
    file.write_text(file.read_text().replace("Mean", "Sum"))
    with pytest.raises(InputError, match="was changed after it was written"):
        QuantisedQuery.load(file)
    write_sealed(file, {"quantised": 1, "query": {"kind": "Mean"}})
    with pytest.raises(InputError, match="not a complete quantised query"):
        QuantisedQuery.load(file)
    with pytest.raises(InputError, match="holds a function has no file"):
        quantise(Count(lambda v: v > 1), IntegerBox(0, 2, people=2), error=0.5).save(file)
