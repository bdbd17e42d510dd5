"""II-B: entropies by volume, the adversary's error, Example II.1."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet import Joint
from discreet.measures import (
    conditional_hartley_entropy,
    hartley_entropy,
    maximin_information,
    worst_case_leakage,
    zero_information,
)
from discreet.queries import Box, Count, Linear, Max, Mean, Quantile, Query, Sum, quantise
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted
from discreet_papers.dq.families import SEED, SLACK, Pieces, ess_sup, graph, mean_of_two, small_ranges, sup
from discreet_papers.dq.paper import PAPER

GRIDS = (10, 100, 1000)
"""Points that stand for [0, 1], each for a cell of volume 1/m."""


TOLD_HALF: Pieces = [(0.5, -math.inf), (0.0, math.log2(0.5))]
"""log2 μ([[X|y]]) in Example II.1: y below 1/2 leaves a point, y = 1 leaves [1/2, 1]."""
HALF_ERRORS: Pieces = [(0.5, 0.0), (0.0, 0.25)]
"""The error of its estimator there."""


def _unit_ball(n: int) -> float:
    """V_n: the volume of a ball of radius 1, which no set of diameter 2 exceeds."""
    return float(math.pi ** (n / 2) / math.gamma(n / 2 + 1))


def _fewest(intervals: Sequence[tuple[float, float]], radius: float) -> int:
    """N_ε of a union of closed intervals on the line: sets of diameter 2ε laid from left to right where something is bare."""
    count, reached = 0, -math.inf
    for low, high in sorted(intervals):
        if high <= reached:
            continue
        start = max(low, reached)
        sets = max(math.ceil((high - start) / (2 * radius) - SLACK), 1)
        count, reached = count + sets, start + 2 * radius * sets
    return count


@PAPER.claim("Rem II.1", "μ([[X]]) ≤ (2ε)^n N_ε, where N_ε sets of diameter 2ε cover [[X]] and fewer do not")
def covering_above(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    least, cases = math.inf, 0
    for radius in np.geomspace(0.02, 2, 20):
        for pieces in range(1, 6):
            ends = np.sort(rng.uniform(0, 3, 2 * pieces)).reshape(-1, 2)
            measure = float((ends[:, 1] - ends[:, 0]).sum())
            intervals = [(float(low), float(high)) for low, high in ends]
            least = min(least, 2 * radius * _fewest(intervals, float(radius)) - measure)
            cases += 1
    return matches(
        f"holds for {cases} unions of up to 5 intervals, covered from left to right. In n dimensions a set of "
        "diameter 2ε has at most the volume V_n ε^n of a ball, and V_n ≤ 2^n for n = 1 to 50",
        least > -SLACK,
        all(_unit_ball(n) <= 2**n + SLACK for n in range(1, 51)),
    )


@PAPER.claim("Rem II.1", "ε^n N_ε ≤ μ([[X]]), so that h − [h_ε + n log ε] is never negative")
def covering_below(study: Study) -> Outcome:
    apart, radius = [(0.0, 0.1), (0.9, 1.0)], 0.25
    cover, measure = _fewest(apart, radius), 0.2
    points = _fewest([(0.0, 0.0), (1.0, 1.0)], radius)
    intervals = all(
        radius * _fewest([(0.0, length)], radius) <= length + SLACK
        for length in np.linspace(0.05, 3, 60).tolist()
        for radius in np.linspace(0.01, length, 60).tolist()
    )
    first = next(n for n in range(1, 50) if _unit_ball(n) < 1)
    return refuted(
        f"true of an interval and ε up to its length. But [0, .1] ∪ [.9, 1] has μ = {measure:g}, and ε = ¼ needs "
        f"{cover} sets: ε N = {radius * cover:g}; two points have μ = 0 and N = {points} for every ε below ½. "
        f"With Euclidean diameters no bounded set of positive volume obeys it from n = {first} on: N ≥ μ/(V_n "
        f"ε^n), and V_{first} = {_unit_ball(first):.3f} < 1",
        counterexample=radius * cover > measure
        and points == 2
        and intervals
        and _unit_ball(first) < 1 <= _unit_ball(first - 1),
    )


@PAPER.claim(
    "II-B (2) to (4), (7); (13b), (14b)",
    "h0(X|Y), d_max and the error of an answer are essential suprema over y in [[Y]], which leave out Lebesgue null sets",
)
def essential_suprema(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    quantiser: Pieces = [(0.0, float(share + quantised.domain.log2_size)) for share in quantised.shares]
    largest = math.log2(6)  # the two middle regions of the square, by hand
    # f(x) = max(x, 1/2) on [0, 1]; g(y) = y but for g(1/2) = 3/2. Half of all x have f(x) = 1/2, a null set of y.
    of_x: Pieces = [(0.5, 1.0), (0.5, 0.0)]
    of_y: Pieces = [(0.0, 1.0), (0.5, 0.0)]
    return misprint(
        f"suprema are meant. Single answers are null sets: as printed h0(X|Y) is {ess_sup(quantiser):g} for every "
        f"quantiser (the mean of two numbers, γ = 2: {sup(quantiser):.3f} bits); Ex II.1 would have h0 = "
        f"{ess_sup(TOLD_HALF):g} and d_max = {ess_sup(HALF_ERRORS):g}; and (13b) would fail: f(x) = max(x, ½) on "
        f"[0, 1], g(½) = 3/2 and else g(y) = y have 1/Q = {ess_sup(of_x):g} by (11), {ess_sup(of_y):g} by (13b). "
        "The proofs of Thms III.1 and IV.3 write ess inf where (5) has inf",
        printed=ess_sup(quantiser) == largest or ess_sup(TOLD_HALF) == -1 or ess_sup(of_x) == ess_sup(of_y),
        corrected=abs(sup(quantiser) - largest) < SLACK and sup(TOLD_HALF) == -1 and sup(of_x) == sup(of_y),
    )


@PAPER.claim("II-B (3)", "I0(X;Y) = h0(X) − h0(X|Y) is the least log μ([[X]])/μ([[X|y]])")
def zero_informations(study: Study) -> Outcome:
    every = study.once(small_ranges)
    worst = 0.0
    for table in every:
        joint = Joint.from_array(table)
        least = min(math.log2(table.shape[0] / column) for column in table.sum(axis=0))
        apart = hartley_entropy(joint) - conditional_hartley_entropy(joint)
        worst = max(worst, abs(least - apart), abs(least - zero_information(joint)))
    return matches(f"holds on all {len(every)} ranges of up to 3 by 3 values, within {worst:.0e} bits", worst < SLACK)


@PAPER.claim(
    "Thm II.1",
    "Γ(n/2+1)^(1/n)/√π · exp(h0(X|Y)/n) ≤ d_max: the largest region has at least the radius of a ball of its volume",
)
def largest_region(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    tightest, cases = math.inf, 0
    for n in (1, 2, 3, 4, 6):
        for _ in range(6):
            cuts = [np.concatenate(([0.0], np.sort(rng.random(2)), [1.0])) * rng.uniform(1, 10) for _ in range(n)]
            sides = np.stack(
                [[np.diff(cut)[i] for cut in cuts] for i in range(3)]
            )  # cells along the diagonal of a grid of boxes
            regions = [quantise(Sum(), Box(np.zeros(n), side), error=float(side.sum())) for side in sides]
            volume = max(region.domain.log2_size for region in regions)
            bound = math.exp((math.lgamma(n / 2 + 1) + volume * math.log(2)) / n) / math.sqrt(math.pi)
            radius = max(region.adversary_range[1] for region in regions)
            tightest, cases = min(tightest, radius / bound), cases + 1
    return matches(
        f"holds for boxes cut into boxes, {cases} cases of 1 to 6 people; the radius is at least {tightest:.3f} "
        "times the bound",
        tightest > 1 - SLACK,
    )


@PAPER.claim("Thm II.1, proof", "half the diameter is at least half the Hausdorff measure H^n([[X|y]])")
def hausdorff(study: Study) -> Outcome:
    side, n = 10.0, 2
    region = quantise(Sum(), Box(np.zeros(n), side), error=2 * side)
    measure = side**n * 2**n / _unit_ball(n)  # H^n is the volume in units of a ball of diameter 1
    half = region.adversary_range[1]
    return misprint(
        "half the n-th root of it is meant, which gives the theorem; as printed a length is held against a "
        f"volume. A square of side 10: half the diameter is {half:.2f}, H²/2 is {measure / 2:.1f}, √H²/2 is "
        f"{math.sqrt(measure) / 2:.2f}",
        printed=half >= measure / 2,
        corrected=half >= measure ** (1 / n) / 2,
    )


@PAPER.claim(
    "Ex II.1",
    "f(X) = X below 1/2, else 1, on [0, 1]: h0(X|f(X)) = log 1/2, and X̂ = 3/4 for y = 1 attains d_max = 1/4, "
    "the bound of Thm II.1",
)
def example(study: Study) -> Outcome:
    bound = math.gamma(1.5) / math.sqrt(math.pi) * 0.5
    on_grids = [conditional_hartley_entropy(_half_told(m)) - math.log2(m) for m in GRIDS]
    return matches(
        f"with suprema, see (2): h0(X|f(X)) = {sup(TOLD_HALF):g} bit, on grids of 10, 100 and 1,000 points too; "
        f"d_max = {sup(HALF_ERRORS):g}, and the bound is {bound:g}",
        sup(TOLD_HALF) == -1,
        sup(HALF_ERRORS) == 0.25,
        abs(sup(HALF_ERRORS) - bound) < SLACK,
        all(abs(found + 1) < SLACK for found in on_grids),
    )


def _half_told(m: int) -> Joint:
    """f of Example II.1 on a grid of m points."""
    return graph([x if x < m // 2 else m for x in range(m)])


@PAPER.claim("Ex II.1, cont'd", "d0(X|f(X)) = −∞, L0(X;f(X)) = +∞ and d_min = 0")
def example_leaks(study: Study) -> Outcome:
    told = [_half_told(m) for m in GRIDS]
    found = [worst_case_leakage(joint) for joint in told]
    widths = [min(np.ptp(np.flatnonzero(column)) for column in joint.support.toarray().T) for joint in told]
    return matches(
        f"y below 1/2 leaves one point, at distance {max(widths) / 2:g} from its estimate: on grids of 10, 100 "
        f"and 1,000 points L0 = {', '.join(f'{bits:.2f}' for bits in found)} bits, all of log2 m, without bound",
        all(abs(bits - math.log2(m)) < SLACK for bits, m in zip(found, GRIDS, strict=True)),
        max(widths) == 0,
    )


@PAPER.claim("Thm II.2", "Γ(n/2+1)^(1/n)/√π · exp(d0(X|Y)/n) ≤ d_min")
def smallest_region(study: Study) -> Outcome:
    rng = np.random.default_rng(SEED)
    tightest, cases = math.inf, 0
    for n in (1, 2, 3, 5, 8):
        box = Box(0, 1, people=n)
        queries: list[Query] = [
            Mean(),
            Sum(),
            Max(),
            Quantile(0.5),
            Count(at_least=0.4),
            Linear(rng.uniform(0.5, 2, n)),
        ]
        for query in queries:
            for share in (0.06, 0.11, 0.26):
                low, high = query.range(box)
                quantised = quantise(query, box, error=share * (high - low))
                low, high = quantised.adversary_range
                if quantised.adversary_bound > 0 and high - low < SLACK:  # d_min is known
                    tightest = min(tightest, high / quantised.adversary_bound)
                    cases += 1
    return matches(
        f"holds for {cases} quantised queries of 1 to 8 people; the smallest ball round a region is at least "
        f"{tightest:.3f} times the bound",
        tightest > 1 - SLACK,
        cases > 80,
    )


@PAPER.claim("II-B", "I0 and L0 are not symmetric")
def asymmetric(study: Study) -> Outcome:
    smallest: dict[str, np.ndarray] = {}
    for table in sorted(study.once(small_ranges), key=lambda each: int(each.sum())):
        one, other = Joint.from_array(table), Joint.from_array(table.T)
        for name, measure in (("I0", zero_information), ("L0", worst_case_leakage)):
            if name not in smallest and abs(measure(one) - measure(other)) > SLACK:
                smallest[name] = table
    points = {name: int(table.sum()) for name, table in smallest.items()}
    leaks = [worst_case_leakage(Joint.from_array(table)) for table in (smallest["L0"], smallest["L0"].T)]
    return matches(
        f"smallest joint range that shows it, of those up to 3 by 3: {points['L0']} points for L0 "
        f"({min(leaks):.3f} and {max(leaks):.3f} bits), {points['I0']} for I0",
        set(points) == {"I0", "L0"},
    )


@PAPER.claim(
    "II-B (8)",
    "the transmission h0(X) + h0(Y) − h0(X,Y) cannot be used: for discrete [[Y]], μ = 0 and thus h0(X,Y) = 0",
)
def transmission(study: Study) -> Outcome:
    volume = 4.0**2 * 0.0  # of the square times four single answers
    entropy = math.log2(volume) if volume > 0 else -math.inf
    undefined = math.isnan(4.0 + entropy - entropy)
    return misprint(
        f"log 0 = −∞ by the convention of Ex II.1, so that h0(X,Y) = {entropy:g}, and h0(Y) too. (8) is then ∞ − "
        "∞, not a number, and cannot be used, as concluded",
        printed=entropy == 0,
        corrected=entropy == -math.inf and undefined,
    )


@PAPER.claim("Ex II.1, cont'd", "I*(X;f(X)) = +∞")
def example_components(study: Study) -> Outcome:
    found = [maximin_information(_half_told(m)) for m in GRIDS]
    return matches(
        f"every point below 1/2 is a component of its own: {', '.join(f'{bits:.2f}' for bits in found)} bits on "
        "grids of 10, 100 and 1,000 points, log2(m/2 + 1)",
        all(abs(bits - math.log2(m / 2 + 1)) < SLACK for bits, m in zip(found, GRIDS, strict=True)),
    )
