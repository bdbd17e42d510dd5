"""The definitions, followed to the letter on tiny alphabets: slow, plain, and written apart from the package."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from discreet import Joint

Table = dict[tuple[int, int], float]


def pmf(joint: Joint) -> Table:
    counts = joint.counts.toarray()
    total = counts.sum()
    return {(s, x): counts[s, x] / total for s in range(len(counts)) for x in range(len(counts[0])) if counts[s, x]}


def ranges(p: Table) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for s, x in p:
        found.setdefault(x, set()).add(s)
    return found


def marginal(p: Table, axis: int) -> dict[int, float]:
    found: dict[int, float] = {}
    for key, value in p.items():
        found[key[axis]] = found.get(key[axis], 0.0) + value
    return found


def l0(p: Table) -> float:
    alphabet = {s for s, _ in p}
    return max(math.log2(len(alphabet) / len(seen)) for seen in ranges(p).values())


def i0(p: Table) -> float:
    alphabet = {s for s, _ in p}
    return math.log2(len(alphabet)) - max(math.log2(len(seen)) for seen in ranges(p).values())


def parts(p: Table) -> list[set[int]]:
    """The overlap partition of [[S]]: join ranges that meet until none do [AC, Def 1]."""
    found = [set(seen) for seen in ranges(p).values()]
    while True:
        for one, other in itertools.combinations(found, 2):
            if one & other:
                found.remove(other)
                one |= other
                break
        else:
            return found


def i_star(p: Table) -> float:
    return math.log2(len(parts(p)))


def set_partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for partition in set_partitions(rest):
        yield [[first], *partition]
        for i in range(len(partition)):
            yield [*partition[:i], [first, *partition[i]], *partition[i + 1 :]]


def attributes(p: Table) -> Iterator[dict[int, int]]:
    """Every function g of S, up to renaming its values."""
    for partition in set_partitions(sorted({s for s, _ in p})):
        yield {s: u for u, block in enumerate(partition) for s in block}


def l_star(p: Table) -> float:
    """The supremum over all attributes [BF, Def 2]."""
    best = 0.0
    for g in attributes(p):
        u_seen = {x: {g[s] for s in seen} for x, seen in ranges(p).items()}
        best = max(best, math.log2(len(set(g.values())) / min(len(seen) for seen in u_seen.values())))
    return best


def i_star_as_supremum(p: Table) -> float:
    """Over attributes that every x determines [BF, Prop 6]."""
    best = 0.0
    for g in attributes(p):
        u_seen = [{g[s] for s in seen} for seen in ranges(p).values()]
        if all(len(seen) == 1 for seen in u_seen):
            best = max(best, math.log2(len(set(g.values()))))
    return best


def entropy(weights: dict[int, float]) -> float:
    return -sum(w * math.log2(w) for w in weights.values() if w > 0)


def mutual_information(p: Table) -> float:
    return entropy(marginal(p, 0)) + entropy(marginal(p, 1)) + sum(v * math.log2(v) for v in p.values())


def maximal_leakage(p: Table) -> float:
    """As the supremum over attributes of the multiplicative gain of one guess, for deterministic g and uniform priors

    the closed form is what SPEC gives: log Σ_x max_s p(x|s).
    """
    p_s = marginal(p, 0)
    return math.log2(sum(max(p.get((s, x), 0.0) / p_s[s] for s in p_s) for x in ranges(p)))


def min_entropy_leakage(p: Table) -> float:
    best = sum(max(v for (_, each), v in p.items() if each == x) for x in ranges(p))
    return math.log2(best) - math.log2(max(marginal(p, 0).values()))


def sibson(p: Table, order: float) -> float:
    p_s = marginal(p, 0)
    total = sum(sum(p_s[s] * (p.get((s, x), 0.0) / p_s[s]) ** order for s in p_s) ** (1 / order) for x in ranges(p))
    return order / (order - 1) * math.log2(total)


def arimoto(p: Table, order: float) -> float:
    p_s = marginal(p, 0)
    prior = math.log2(sum(v**order for v in p_s.values())) / (1 - order)
    norm = sum(sum(v**order for (_, each), v in p.items() if each == x) ** (1 / order) for x in ranges(p))
    return prior - order / (1 - order) * math.log2(norm)


def renyi(p: Table, order: float) -> float:
    p_s, p_x = marginal(p, 0), marginal(p, 1)
    return max(
        math.log2(sum((p[s, x] / p_x[x]) ** order * p_s[s] ** (1 - order) for s in seen)) / (order - 1)
        for x, seen in ranges(p).items()
    )


def worst_kl(p: Table) -> float:
    p_s, p_x = marginal(p, 0), marginal(p, 1)
    return max(
        sum(p[s, x] / p_x[x] * math.log2(p[s, x] / p_x[x] / p_s[s]) for s in seen) for x, seen in ranges(p).items()
    )


def realisable(p: Table) -> float:
    p_s, p_x = marginal(p, 0), marginal(p, 1)
    return max(math.log2(v / p_s[s] / p_x[x]) for (s, x), v in p.items())


def gacs_korner(p: Table) -> float:
    p_s = marginal(p, 0)
    return entropy({i: sum(p_s[s] for s in part) for i, part in enumerate(parts(p))})


def local_dp(p: Table) -> float:
    p_s = marginal(p, 0)
    worst = 0.0
    for x in ranges(p):
        chances = [p.get((s, x), 0.0) / p_s[s] for s in p_s]
        worst = max(worst, math.inf if min(chances) == 0 else math.log2(max(chances) / min(chances)))
    return worst


def guesses(weights: list[float]) -> float:
    """The least average number of guesses, over every order of guessing."""
    return min(sum((i + 1) * w for i, w in enumerate(order)) for order in itertools.permutations(weights))


def guessing_entropy(p: Table) -> float:
    return guesses(list(marginal(p, 0).values()))


def conditional_guessing_entropy(p: Table) -> float:
    return sum(guesses([v for (_, each), v in p.items() if each == x]) for x in ranges(p))


ORACLE: dict[str, Callable[[Table], float]] = {
    "H0": lambda p: math.log2(len({s for s, _ in p})),
    "H0|X": lambda p: max(math.log2(len(seen)) for seen in ranges(p).values()),
    "B0": lambda p: min(math.log2(len(seen)) for seen in ranges(p).values()),
    "I0": i0,
    "L0": l0,
    "I*": i_star,
    "L*": l_star,
    "k": lambda p: min(len(seen) for seen in ranges(p).values()),
    "H": lambda p: entropy(marginal(p, 0)),
    "I": mutual_information,
    "Lmin": min_entropy_leakage,
    "I_inf": maximal_leakage,
    "Lr": realisable,
    "K": gacs_korner,
    "eps": local_dp,
    "HG": guessing_entropy,
    "HG|X": conditional_guessing_entropy,
    "LG": lambda p: guessing_entropy(p) - conditional_guessing_entropy(p),
    "I_1": mutual_information,
    "I_0.5": lambda p: sibson(p, 0.5),
    "I_3": lambda p: sibson(p, 3.0),
    "IA_0": i0,
    "IA_0.5": lambda p: arimoto(p, 0.5),
    "IA_3": lambda p: arimoto(p, 3.0),
    "IA_inf": min_entropy_leakage,
    "D_0.5": lambda p: renyi(p, 0.5),
    "D_1": worst_kl,
    "D_3": lambda p: renyi(p, 3.0),
    "D_inf": realisable,
    "L_1": mutual_information,
    "L_inf": maximal_leakage,
}
