"""Section V-C2: making samples uniform before they are masked, and the conclusions."""

from __future__ import annotations

import itertools

import numpy as np

from discreet.sample_privacy import Independent, Uniformiser, asymptotic_efficiency, uniform_masks
from discreet_papers.claims import Outcome, Study, matches, misprint, refuted
from discreet_papers.sp.families import (
    binary_entropy,
    coins,
    every_function,
    function_latent,
    product,
    random_latent,
    told,
    worst_leak,
)
from discreet_papers.sp.paper import EXACT, PAPER, Floats
from discreet_papers.sp.schemes import GRID, crossover, ever_more, few_samples, printed_rate


def neighbour_sums(made: Floats, n: int) -> Floats:
    """p(y|xⁿ) of Y_i = S_i + S_{i+1} mod M, each S drawn by p(s|x) = made."""
    values, letters = made.shape
    drawn: Floats = np.ones((1, 1))
    for _ in range(n):
        drawn = np.asarray(np.kron(drawn, made), dtype=np.float64)  # p(sⁿ|xⁿ)
    s = np.stack(np.unravel_index(np.arange(letters**n), (letters,) * n), axis=1)
    y = np.ravel_multi_index(tuple(((s[:, 1:] + s[:, :-1]) % letters).T), (letters,) * (n - 1))
    channel = np.zeros((values**n, letters ** (n - 1)))
    np.add.at(channel.T, y, drawn.T)
    return channel.reshape(*(values,) * n, -1)


def z_channel(q: float) -> Floats:
    """p(s|x) of Example 5: a zero becomes a one with probability β."""
    beta = crossover(q)
    return np.array([[1 - beta, beta], [0.0, 1.0]])


@PAPER.claim("V-C2", "for uniform samples Y = (X_i + X_{i+1} mod |X|)_i is private and optimal")
def _uniform(study: Study) -> Outcome:
    worst, tried = 0.0, 0
    for m, most in ((2, 6), (3, 4), (4, 3), (5, 3)):
        for n in range(2, most + 1):
            p, channel = np.full((m,) * n, float(m) ** -n), neighbour_sums(np.eye(m), n)
            worst = max(worst, worst_leak(p, channel), abs(told(p, channel) - (n - 1) * float(np.log2(m))))
            tried += 1
    return matches(
        f"(n − 1) log M bits, the bound of Lemma 6, on {tried} pairs of M ≤ 5 and n ≤ 6, to {worst:.0e}", worst < EXACT
    )


@PAPER.claim("V-C2", "if the marginals are not uniform, that mapping is not private")
def _not_uniform(study: Study) -> Outcome:
    """Every choice of three pmfs from a grid, the uniform one among them, for two and three values."""
    leaks, uniform = [], 0.0
    of_two = np.array([(0.5, 0.5), (0.4, 0.6), (0.2, 0.8)])
    of_three = np.array([(1 / 3,) * 3, (0.3, 0.3, 0.4), (0.1, 0.45, 0.45)])
    for pmfs in (of_two, of_three):
        channel = neighbour_sums(np.eye(pmfs.shape[1]), 3)
        for chosen in itertools.product(range(3), repeat=3):
            found = worst_leak(product(*(pmfs[i] for i in chosen)), channel)
            if any(chosen):
                leaks.append(found)
            else:
                uniform = max(uniform, found)
    return matches(
        f"it leaks on all {len(leaks)} non-uniform triples of a grid of pmfs with 2 or 3 values, {min(leaks):.1e} "
        "bits or more",
        min(leaks) > 1e-4,
        uniform < EXACT,
    )


@PAPER.claim("V-C2", "uniformised samples masked in this way are private: X_i − S_i − Y and Y ⊥ S_i")
def _uniformised(study: Study) -> Outcome:
    rng, worst, tried = np.random.default_rng(71), 0.0, 0
    for _ in range(20):
        values, letters, n = int(rng.integers(2, 4)), int(rng.integers(2, 5)), 3
        pmf = rng.dirichlet(np.ones(values))
        made = Uniformiser.of(pmf, letters)
        table = np.zeros((values, letters))
        table[made.x, made.s] = made.mass
        worst = max(worst, worst_leak(product(*[pmf] * n), neighbour_sums(table, n)))
        tried += 1
    return matches(
        f"leak at most {worst:.0e} bits on {tried} random pmfs of 2 or 3 values and 2 to 4 letters", worst < EXACT
    )


@PAPER.claim("Example 5", "a Z channel with β = (½ − q)/(1 − q) makes Bern(q) uniform")
def _z(study: Study) -> Outcome:
    worst = max(abs(float(np.array([1 - q, q]) @ z_channel(q)[:, 1]) - 0.5) for q in GRID)
    return matches(f"P(S = 1) = ½ to {worst:.0e} on {len(GRID)} q up to ½", worst < EXACT)


@PAPER.claim("Example 5, (67) line 1", "I(Y;Xⁿ) = Σ_k I(S_k ⊕ S_{k+1}; X_k, X_{k+1})")
def _sum(study: Study) -> Outcome:
    two = max(abs(told(coins(2, q), neighbour_sums(z_channel(q), 2)) - printed_rate(q)) for q in GRID)
    three = [told(coins(3, q), neighbour_sums(z_channel(q), 3)) - 2 * printed_rate(q) for q in GRID]
    ours = uniform_masks(Independent.identical([0.7, 0.3], 3), letters=2).information
    direct = told(coins(3, 0.3), neighbour_sums(z_channel(0.3), 3))
    return refuted(
        f"smallest n = 3: q = 0.3 has I = {direct:.4f} bits, the sum is {2 * printed_rate(0.3):.4f}. Neighbours share S_k, and "
        f"with it the randomness that made it, so the sum is too small at every q < ½ of the grid (by up to {max(three):.3f} "
        "bits); it is right for n = 2",
        counterexample=two < EXACT and min(three[:-1]) > 1e-5 and abs(three[-1]) < EXACT and abs(ours - direct) < EXACT,
    )


@PAPER.claim(
    "Example 5, (67) line 3", "each term is 1 − Σ_{x_k, x_{k+1}} H(S_k ⊕ S_{k+1} | X_k = x_k, X_{k+1} = x_{k+1})"
)
def _weights(study: Study) -> Outcome:
    unweighted, weighted = 0.0, 0.0
    for q in GRID:
        p, channel = coins(2, q), neighbour_sums(z_channel(q), 2)
        rests = np.array([[binary_entropy(float(channel[a, b, 1])) for b in range(2)] for a in range(2)])
        said = told(p, channel)
        unweighted = max(unweighted, abs(said - (1 - float(rests.sum()))))
        weighted = max(weighted, abs(said - (1 - float((p * rests).sum()))))
    return misprint(
        f"the weights p(x_k) p(x_{{k+1}}) are missing (line 4 has them): as printed it is off by up to "
        f"{unweighted:.2f} bits at n = 2",
        printed=unweighted < EXACT,
        corrected=weighted < EXACT,
    )


@PAPER.claim(
    "Example 5, (67) line 4",
    "the conditional entropies are h(β), h(β), h(2β(1 − β)) and 0, so a pair tells 1 − 2q(1−q)h(β) − (1−q)²h(2β(1−β))",
)
def _entropies(study: Study) -> Outcome:
    worst = 0.0
    for q in GRID:
        channel, beta = neighbour_sums(z_channel(q), 2), crossover(q)
        expected = [[binary_entropy(2 * beta * (1 - beta)), binary_entropy(beta)], [binary_entropy(beta), 0.0]]
        found = [[binary_entropy(float(channel[a, b, 1])) for b in range(2)] for a in range(2)]
        worst = max(
            worst, float(np.abs(np.subtract(found, expected)).max()), abs(told(coins(2, q), channel) - printed_rate(q))
        )
    return matches(f"for one pair, n = 2, to {worst:.0e} on {len(GRID)} q", worst < EXACT)


@PAPER.claim("Example 5, end", "the efficiency tends to [1 − 2q(1−q)h(β) − (1−q)²h(2β(1−β))]/h(q)")
def _asymptotic(study: Study) -> Outcome:
    q = 0.3
    printed, right = (
        printed_rate(q) / binary_entropy(q),
        (1 - (1 - q) * binary_entropy(crossover(q))) / binary_entropy(q),
    )
    far = uniform_masks(Independent.identical([1 - q, q], 10_000), letters=2)
    low = [
        uniform_masks(Independent.identical([1 - each, each], 10_000), letters=2).lower_bound for each in GRID[4:-1:5]
    ]
    above = [
        value / (10_000 * binary_entropy(each)) - printed_rate(each) / binary_entropy(each)
        for value, each in zip(low, GRID[4:-1:5], strict=True)
    ]
    return refuted(
        f"by (67), so too small: it tends to [1 − (1−q)h(β)]/h(q). At q = 0.3 that is {right:.4f} ({far.efficiency:.4f} at n = "
        f"10,000), the printed limit is {printed:.4f}",
        counterexample=far.lower_bound / far.entropy > printed + 0.1
        and abs(far.efficiency - right) < 1e-3
        and abs(asymptotic_efficiency(np.array([1 - q, q]), 2) - right) < EXACT
        and min(above) > 0.01,
    )


@PAPER.claim("Example 5, end", "the efficiency of the uniformiser grows with n")
def _grows(study: Study) -> Outcome:
    risen = []
    for q in (0.1, 0.3, 0.45):
        shares = [uniform_masks(Independent.identical([1 - q, q], n), letters=2).efficiency for n in range(2, 41)]
        risen.append(bool((np.diff(shares) > 0).all()))
    return matches("for n = 2 to 40 at q = 0.1, 0.3 and 0.45, exactly computed", all(risen))


def better_masks(study: Study) -> list[float]:
    """The q of the grid at which the uniformiser beats pairs when samples are many."""
    curves = study.once(ever_more).curves
    return [
        q for q, mask, pair in zip(GRID, curves["masks"], curves["windows of 2"], strict=True) if mask > pair + EXACT
    ]


@PAPER.claim(
    "Fig 5", "for ever more iid bits the optimum discloses all (Theorem 4), the two heuristics less unless q = ½"
)
def _below(study: Study) -> Outcome:
    pairs, masks = (study.once(ever_more).curves[name] for name in ("windows of 2", "masks"))
    printed = np.array([printed_rate(q) / binary_entropy(q) for q in GRID])
    better, at = study.once(better_masks), GRID.index(0.1)
    return matches(
        f"at q = 0.1 the uniformiser discloses {masks[at]:.3f} of H and pairs {pairs[at]:.3f}: it is the better one at all q ≤ "
        f"{max(better)} of the grid. Drawn by the printed limit ({printed[at]:.3f}) it would be the worse one at every q < ½ "
        "(the curves are not in our text)",
        bool((pairs[:-1] < 1).all() and (masks[:-1] < 1).all()),
        abs(pairs[-1] - 1) < EXACT and abs(masks[-1] - 1) < EXACT,
        bool((printed[:-1] < pairs[:-1]).all()),
        better == [q for q in GRID if q <= max(better)] and 0.1 in better,
    )


@PAPER.claim("V-C2, end", "for small alphabets the uniformiser is often less efficient than pairs")
def _often(study: Study) -> Outcome:
    four = study.once(few_samples).curves
    worse = int((four["masks"] < four["windows of 2"] - EXACT).sum())
    better = study.once(better_masks)
    return matches(
        f"bits, n = 4: at {worse} of the {len(GRID) - 1} q < ½ of the grid; for many samples at "
        f"{len(GRID) - 1 - len(better)}, those above {max(better)}",
        worse == len(GRID) - 1,
        0 < len(better) < len(GRID) - 1,
    )


@PAPER.claim("VI", "any function of a private Y is private")
def _processed(study: Study) -> Outcome:
    rng, worst, tried = np.random.default_rng(72), 0.0, 0
    for case in study.once(every_function)[::4]:
        after = random_latent(rng, (case.found.size,), 2)
        worst = max(worst, worst_leak(case.p, case.found.channel @ after))
        tried += 1
    merged = neighbour_sums(np.eye(2), 3) @ function_latent((4,), 2, lambda y: y % 2)
    worst = max(worst, worst_leak(coins(3, 0.5), merged))
    return matches(
        f"leak at most {worst:.0e} bits on {tried + 1} optimal mappings after a random or fixed channel", worst < EXACT
    )
