"""IV-C and V: how many iterations and evaluations it takes, and what is left open."""

from __future__ import annotations

import math

import numpy as np

from discreet import Joint
from discreet.search import frontier
from discreet.search.information import information, modular_modular, pairwise, step_difference
from discreet_papers.claims import Outcome, Study, matches, not_checkable
from discreet_papers.pf.families import MULTIPLIERS, SLACK, set_functions, tables, weights
from discreet_papers.pf.paper import PAPER
from discreet_papers.pf.procedure import PROBLEMS, SEEDS, THRESHOLD, algorithm_1, merged_by_pairs, runs, settings


@PAPER.claim("IV-C", "the pairwise merges of [4] end at a local optimum too")
def pairs_end(study: Study) -> Outcome:
    left = ends = 0
    for table in tables()[::4]:
        counted = weights(table)
        for problem in PROBLEMS:
            have = counted.entropy if problem == "funnel" else counted.leakage
            for share in MULTIPLIERS:
                path = pairwise(counted, share * have, problem)
                blocks = counted.merged(path.partition(len(path) - 1))
                kept = [
                    information(blocks, np.where(np.arange(blocks.n) == j, i, np.arange(blocks.n)))
                    for i in range(blocks.n)
                    for j in range(i + 1, blocks.n)
                ]
                left += any((use if problem == "funnel" else leak) >= share * have + SLACK for leak, use in kept)
                ends += 1
    return matches(
        f"where they end no pair fits the threshold any more, in {ends} runs on small tables (for IAC-MDSF see III-B)",
        left == 0,
    )


@PAPER.claim("IV-C, Fig 4", "[4, Alg 1] merges |X| = 197 into |X̂⁽¹⁰⁸⁾| = 90 clusters")
def ninety_blocks(study: Study) -> Outcome:
    path = study.once(merged_by_pairs)["funnel"]
    blocks = 197 - len(path.merges)
    return matches(
        f"for θ = {THRESHOLD:g} bits: {len(path.merges)} merges leave {blocks} blocks; the 108th iteration is the "
        "one that finds no pair",
        study.once(settings)["A"].n == 197,
        blocks == 90,
        len(path.merges) + 1 == 108,
    )


@PAPER.claim(
    "Fig 4",
    "I(S;X̂) by [4, Alg 1] and I(X;X̂) by [4, Alg 2] fall for more than 100 iterations, the axes reaching 140 and 8",
)
def fig_4(study: Study) -> Outcome:
    found = study.once(merged_by_pairs)
    funnel, bottleneck = found["funnel"], found["bottleneck"]
    merges = len(funnel.merges), len(bottleneck.merges)
    return matches(
        f"with θ = {THRESHOLD:g} for both, {merges[0]} and {merges[1]} merges: I(S;X̂) falls from "
        f"{funnel.leakage[0]:.2f} to {funnel.leakage[-1]:.2f} and I(X;X̂) from {bottleneck.utility[0]:.2f} to "
        f"{bottleneck.utility[-1]:.2f} bits",
        min(merges) > 100,
        max(merges) <= 140,
        7 < bottleneck.utility[0] < 8,
        bool((np.diff(funnel.leakage) <= SLACK).all() and (np.diff(bottleneck.utility) <= SLACK).all()),
    )


@PAPER.claim("IV-C", "that takes around 107 × 197² operations; exactly Σ i(i−1)/2 for i from 90 to 197")
def operations(study: Study) -> Outcome:
    exact = sum(math.comb(i, 2) for i in range(90, 198))
    iterations = len(study.once(merged_by_pairs)["funnel"].merges) + 1
    seen = sum(math.comb(197 - k, 2) for k in range(iterations))  # every pair of the blocks of each iteration
    about = 107 * 197**2
    return matches(
        f"the sum is exact: {seen:,} pairs over {iterations} iterations. 107 × 197² = {about:,} is a bound rather than "
        f'"around" it, {about / exact:.1f} times as many (197 letters have half of 197² pairs, and the blocks get fewer)',
        exact == seen,
        exact <= about < 10 * exact,
    )


@PAPER.claim("IV-C", "IAC-MDSF merges many at a time and converges in a few iterations")
def few_iterations(study: Study) -> Outcome:
    found = study.once(runs)
    most = {
        problem: max(run.iterations for (_, p), of in found.items() if p == problem for run in of)
        for problem in PROBLEMS
    }
    pairs = {problem: len(path.merges) for problem, path in study.once(merged_by_pairs).items()}
    return matches(
        f"at most {most['funnel']} for the funnel and {most['bottleneck']} for the bottleneck over all λ and both "
        f"settings, against {pairs['funnel']} and {pairs['bottleneck']} by pairs; for the bottleneck at a price, "
        "see IV-B",
        max(most.values()) * 5 < min(pairs.values()),
    )


@PAPER.claim("Abstract, IV-C", "IAC-MDSF is computationally much less complex than pairwise merging")
def complexity(study: Study) -> Outcome:
    exact = sum(math.comb(i, 2) for i in range(90, 198))
    kept = math.comb(197, 2) + sum(
        i - 2 for i in range(91, 198)
    )  # a new block is compared once with each of the others
    found = study.once(runs)
    most = max(run.evaluations for (letter, _), of in found.items() if letter == "A" for run in of)
    exponent = _exponent(study)
    return matches(
        f"X = {{sex, cholesterol}}: at most {most:,} marginal values of f or g a run against {exact:,} pairs, and "
        f"growth like n^{exponent:.1f} (λ = .9, {SIZES[0]} to {SIZES[-1]} letters) against n³ for merging all by "
        "pairs; the solver's own algebra is not counted. Only against brute force, though: a pair's worth does "
        f"not depend on the other blocks, and remembered pairs take {kept:,}",
        most * 10 < exact,
        exponent < 2.5,
        kept < exact,
    )


SIZES = (25, 50, 100, 197)


def _exponent(study: Study) -> float:
    """Slope of log evaluations over log n, on the first n letters of setting A, the mean of several seeds."""
    whole = study.once(settings)["A"]
    asked = []
    for n in SIZES:
        pairs = slice(0, int(whole.indptr[n]))
        table = np.zeros((whole.n_s, n))
        table[whole.indices[pairs], whole.letter_of_pair[pairs]] = whole.weight[pairs]
        counted = weights(table.astype(np.int64))
        asked.append(
            np.mean(
                [algorithm_1(counted, 0.9, "funnel", np.random.default_rng(seed)).evaluations for seed in range(SEEDS)]
            )
        )
    return float(np.polyfit(np.log(SIZES), np.log(asked), 1)[0])


@PAPER.claim("IV-C", "the asymptotic complexity of the min-norm algorithm is unknown")
def min_norm(study: Study) -> Outcome:
    return not_checkable(
        "a statement about the literature; Chakrabarty, Jain and Kothari (2014) had proven a pseudo-polynomial "
        "bound, and polynomial ones are known for other algorithms"
    )


@PAPER.claim("IV-C", "[9, Alg 3] can be used instead, minimising a modular function in O(|X̂|) at each iteration")
def modular_alternative(study: Study) -> Outcome:
    stuck = helped = tried = 0
    for functions in study.once(set_functions)[::4]:
        for problem in PROBLEMS:
            for multiplier in MULTIPLIERS:
                difference = step_difference(functions.merges, multiplier, problem)
                changes = functions.changes(multiplier) * (1 if problem == "funnel" else -1)
                if changes.min() > -SLACK:
                    continue
                nothing = np.zeros(functions.n, bool)
                stuck += modular_modular(difference, np.random.default_rng(tried), start=nothing).value > -SLACK
                pairs = np.array([np.isin(np.arange(functions.n), (0, j)) for j in range(1, functions.n)])
                helped += any(
                    modular_modular(difference, np.random.default_rng(tried), start=pair).value < -SLACK
                    for pair in pairs
                )
                tried += 1
    return matches(
        f"yes, but not from ∅: f and g are 0 on every single block, so it never moves from there ({stuck} of "
        f"{tried} steps); from pairs it finds a helpful merge in {helped}",
        stuck == tried,
        helped > 0.9 * tried,
    )


@PAPER.claim("V", "left open: whether soft p(x̂|x) improve the frontiers of deterministic ones")
def soft_policies(study: Study) -> Outcome:
    hard = frontier(Joint.from_array([[0, 0, 1], [1, 2, 1]]), leakage="I", method="exact")
    gain = hard.gain_of(hard.soften())
    return matches(
        "they do: on counts [0 0 1 | 1 2 1], whose deterministic frontier is proven, a soft policy leaks up to "
        f"{gain:.3f} bits less at equal I(X;X̂)",
        gain > 0.05,
        max(point.gap or 0.0 for point in hard.points) < SLACK,
    )
