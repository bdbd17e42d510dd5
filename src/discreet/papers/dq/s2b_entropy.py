"""II-B: entropies by volume, the adversary's error, Example II.1."""

from __future__ import annotations

import math

import numpy as np

from discreet.joint import Joint
from discreet.measures import (
    conditional_hartley_entropy,
    hartley_entropy,
    maximin_information,
    worst_case_leakage,
    zero_information,
)
from discreet.papers.claims import Outcome, Study, matches, misprint, refuted
from discreet.papers.dq.families import SEED, SLACK, Pieces, ess_sup, graph, mean_of_two, small_ranges, sup
from discreet.papers.dq.paper import PAPER
from discreet.queries import Box, Count, Linear, Max, Mean, Quantile, Query, Sum, Variance, quantise

GRIDS = (10, 100, 1000)
"""Points that stand for [0, 1], each for a cell of volume 1/m."""


def _unit_ball(n: int) -> float:
    """V_n: the volume of a ball of radius 1, which no set of diameter 2 exceeds."""
    return float(math.pi ** (n / 2) / math.gamma(n / 2 + 1))


@PAPER.claim("Rem II.1", "N_ε sets of diameter 2ε cover [[X]] only if μ([[X]]) ≤ (2ε)^n N_ε")
def covering_above(study: Study) -> Outcome:
    lengths, radii = np.linspace(0.05, 3, 60), np.linspace(0.05, 3, 60)
    covers = np.ceil(lengths[:, None] / (2 * radii) - SLACK)
    holds = bool((lengths[:, None] <= 2 * radii * covers + SLACK).all())
    return matches(
        "for 3,600 intervals and ε; in n dimensions a set of diameter 2ε has at most the ball's volume V_n ε^n, "
        "and V_n ≤ 2^n for n = 1 to 50",
        holds,
        all(_unit_ball(n) <= 2**n + SLACK for n in range(1, 51)),
    )


@PAPER.claim("Rem II.1", "ε^n N_ε ≤ μ([[X]]), so that h − [h_ε + n log ε] is never negative")
def covering_below(study: Study) -> Outcome:
    length, radius = 1.0, 2.0
    cover = math.ceil(length / (2 * radius))
    first = next(n for n in range(1, 50) if _unit_ball(n) < 1)
    return refuted(
        f"[[X]] = [0, 1] and ε = 2: one set covers it, and ε N = {radius * cover:g} > 1, as for every interval "
        f"shorter than ε. From n = {first} on "
        f"it fails for every set of positive volume and every ε, since N ≥ μ/(V_n ε^n) and V_{first} = "
        f"{_unit_ball(first):.3f} < 1",
        counterexample=radius * cover > length and _unit_ball(first) < 1 <= _unit_ball(first - 1),
    )


@PAPER.claim("II-B (2)", "h0(X|Y) is the essential supremum over y in [[Y]] of log μ([[X|y]])")
def essential_supremum(study: Study) -> Outcome:
    quantised = study.once(mean_of_two)
    log_volumes = quantised.shares + quantised.domain.log2_size
    pieces: Pieces = [(0.0, float(value)) for value in log_volumes]  # single answers are null sets
    largest = math.log2(6)  # the two middle regions of the square, by hand
    return misprint(
        f"by the definition given, sets of measure 0 do not count: for every quantiser h0(X|Y) would be "
        f"{ess_sup(pieces):g}. The supremum is "
        f"meant: {sup(pieces):.3f} bits for the mean of two numbers, and likewise in (3), (4), (7), (13b) and (14b)",
        printed=abs(ess_sup(pieces) - largest) < SLACK,
        corrected=abs(sup(pieces) - largest) < SLACK,
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
    return matches(f"on all {len(every)} ranges of up to 3 by 3 values, within {worst:.0e} bits", worst < SLACK)


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
        f"times the bound",
        tightest > 1 - SLACK,
    )


@PAPER.claim("Thm II.1, proof", "half the diameter is at least half the Hausdorff measure H^n([[X|y]])")
def hausdorff(study: Study) -> Outcome:
    side, n = 10.0, 2
    region = quantise(Sum(), Box(np.zeros(n), side), error=2 * side)
    measure = side**n * 2**n / _unit_ball(n)  # H^n is the volume in units of a ball of diameter 1
    half = region.adversary_range[1]
    return misprint(
        f"a length against a volume: for a square of side 10 half the diameter is {half:.2f} and H²/2 is "
        f"{measure / 2:.1f}. "
        f"Half the n-th root is meant, here {math.sqrt(measure) / 2:.2f}, and gives the theorem",
        printed=half >= measure / 2,
        corrected=half >= measure ** (1 / n) / 2,
    )


@PAPER.claim(
    "Ex II.1",
    "f(X) = X below 1/2, else 1, on [0, 1]: h0(X|f(X)) = log 1/2, and X̂ = 3/4 attains d_max = 1/4, the bound of "
    "Thm II.1",
)
def example(study: Study) -> Outcome:
    volume: Pieces = [(0.5, -math.inf), (0.0, math.log2(0.5))]  # y below 1/2 leaves a point, y = 1 leaves [1/2, 1]
    errors: Pieces = [(0.5, 0.0), (0.0, 0.25)]
    bound = math.gamma(1.5) / math.sqrt(math.pi) * 0.5
    on_grids = [conditional_hartley_entropy(_half_told(m)) - math.log2(m) for m in GRIDS]
    return misprint(
        f"true of suprema ({sup(volume):g} bit, d_max {sup(errors):g}, bound {bound:g}; the same on grids of 10, "
        f"100 and 1,000 points). By the essential "
        f"suprema of (2) and (4) y = 1 is a null set: h0 = {ess_sup(volume):g} and d_max = {ess_sup(errors):g}",
        printed=ess_sup(volume) == math.log2(0.5) and ess_sup(errors) == 0.25,
        corrected=sup(volume) == -1
        and abs(sup(errors) - bound) < SLACK
        and sup(errors) == 0.25
        and all(abs(found + 1) < SLACK for found in on_grids),
    )


def _half_told(m: int) -> Joint:
    """f of Example II.1 on a grid of m points."""
    return graph([x if x < m // 2 else m for x in range(m)])


@PAPER.claim("Ex II.1, cont'd", "d0(X|f(X)) = −∞, L0(X;f(X)) = +∞ and d_min = 0")
def example_leaks(study: Study) -> Outcome:
    found = [worst_case_leakage(_half_told(m)) for m in GRIDS]
    return matches(
        f"y below 1/2 leaves one point: on grids of 10, 100 and 1,000 points L0 = "
        f"{', '.join(f'{bits:.2f}' for bits in found)} bits, all of log2 m, without bound",
        all(abs(bits - math.log2(m)) < SLACK for bits, m in zip(found, GRIDS, strict=True)),
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
        for query in queries + ([Variance()] if n > 1 else []):
            for share in (0.06, 0.11, 0.26):
                low, high = query.range(box)
                quantised = quantise(query, box, share * (high - low))
                if quantised.adversary_bound > 0:
                    tightest = min(tightest, quantised.adversary_range[1] / quantised.adversary_bound)
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
        f"with the convention log 0 = −∞ of Ex II.1, h0(X,Y) = {entropy:g} and h0(Y) too; (8) is then ∞ − ∞, not a "
        f"number, which is why it cannot be used",
        printed=entropy == 0,
        corrected=entropy == -math.inf and undefined,
    )


@PAPER.claim("Ex II.1, cont'd", "I*(X;f(X)) = +∞")
def example_components(study: Study) -> Outcome:
    found = [maximin_information(_half_told(m)) for m in GRIDS]
    return matches(
        f"every point below 1/2 is a component of its own: {', '.join(f'{bits:.2f}' for bits in found)} bits on "
        f"grids of 10, 100 and 1,000 points, log2(m/2 + 1)",
        all(abs(bits - math.log2(m / 2 + 1)) < SLACK for bits, m in zip(found, GRIDS, strict=True)),
    )
