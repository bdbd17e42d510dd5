"""Small problems on which general statements of the paper are checked: whole families, and random ones of a fixed seed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.sample_privacy import Disclosure, Problem, disclose, enumerate_vertices, leak, make_problem
from discreet_papers.arrays import entropy, information
from discreet_papers.claims import Study
from discreet_papers.sp.paper import Floats

SHAPES = ((2, 2), (2, 3), (2, 2, 2))
"""Alphabets of which every support is tried: 15 + 63 + 255."""


def random_pmf(rng: np.random.Generator, shape: Sequence[int]) -> Floats:
    """A pmf with full support, uniform on the simplex."""
    return np.asarray(rng.dirichlet(np.ones(math.prod(shape))).reshape(shape))


def random_latent(rng: np.random.Generator, shape: Sequence[int], values: int) -> Floats:
    """p(w|xⁿ), uniform on the simplex for every xⁿ."""
    return np.asarray(rng.dirichlet(np.ones(values), tuple(shape)))


def function_latent(shape: Sequence[int], values: int, of: Callable[..., int]) -> Floats:
    """p(w|xⁿ) of W = of(x1, …, xn)."""
    found = np.zeros((*shape, values))
    for x in np.ndindex(*shape):
        found[(*x, of(*x))] = 1.0
    return found


def product(*pmfs: Sequence[float] | Floats) -> Floats:
    """The pmf of independent samples."""
    found = np.ones(())
    for pmf in pmfs:
        found = np.multiply.outer(found, np.asarray(pmf, dtype=np.float64))
    return found


def coins(n: int, q: float) -> Floats:
    """n iid Bernoulli(q) samples."""
    return product(*[(1 - q, q)] * n)


def matrix(p: Floats) -> Floats:
    """P of [SP, (3)]: a row for every value of every sample that occurs, a column for every point of the support."""
    cells = np.argwhere(p > 0)
    return np.concatenate([(cells[:, i] == np.unique(cells[:, i])[:, None]).astype(np.float64) for i in range(p.ndim)])


def worst_leak(p: Floats, channel: Floats) -> float:
    """The largest I(X_i;Y) in bits of a mapping p(y|xⁿ)."""
    return max(leak(p, channel, group=(i,)) for i in range(p.ndim))


def told(p: Floats, channel: Floats, latent: Floats | None = None) -> float:
    """I(W;Y) in bits of a mapping p(y|xⁿ); I(Xⁿ;Y) without a latent."""
    joint = (p[..., None] * channel).reshape(p.size, -1)
    return information(joint if latent is None else latent.reshape(p.size, -1).T @ joint)


def binary_entropy(q: float) -> float:
    """h(q) in bits."""
    return float(entropy([q, 1 - q]))


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, with W or with the samples themselves as W."""

    p: Floats
    latent: Floats | None

    @cached_property
    def problem(self) -> Problem:
        return make_problem(self.p, self.latent)

    @cached_property
    def found(self) -> Disclosure:
        """The optimum and its proof."""
        return disclose(self.p, self.latent)

    @cached_property
    def rank(self) -> int:
        """rank(P), by elimination in floating point: another way than that of the engines."""
        return int(np.linalg.matrix_rank(matrix(self.p)))

    @property
    def support(self) -> int:
        """|X̂|, the number of points of the support."""
        return int((self.p > 0).sum())

    @property
    def nullity(self) -> int:
        return self.support - self.rank

    @cached_property
    def vertices(self) -> Floats:
        """Every extreme point of S on the support, one per row."""
        return enumerate_vertices(self.problem.program).vertices.dense(self.support)

    @cached_property
    def costs(self) -> Floats:
        """H(W|u) in bits of every extreme point u."""
        return self.problem.program.uncertainty(self.vertices)


def supports(shape: Sequence[int]) -> Iterator[Floats]:
    """Every set of points as 0/1 arrays."""
    for chosen in itertools.product((0.0, 1.0), repeat=math.prod(shape)):
        if any(chosen):
            yield np.array(chosen).reshape(shape)


def every_support(study: Study) -> list[Case]:
    """All 333 supports of the SHAPES under a random pmf, each with the samples and with a random ternary W to tell about."""
    rng = np.random.default_rng(1)
    found = []
    for shape in SHAPES:
        for on in supports(shape):
            weights = on * random_pmf(rng, shape)
            p = weights / weights.sum()
            found += [Case(p, None), Case(p, random_latent(rng, shape, 3))]
    return found


def every_function(study: Study) -> list[Case]:
    """All 336 binary functions W of the samples of the SHAPES, under one random pmf each."""
    rng = np.random.default_rng(2)
    found = []
    for shape in SHAPES:
        p = random_pmf(rng, shape)
        functions = itertools.product((0, 1), repeat=p.size)
        found += [Case(p, np.eye(2)[np.array(bits).reshape(shape)]) for bits in functions]
    return found


def random_cases(study: Study) -> list[Case]:
    """80 random problems on larger alphabets, half of them with a W of two to four values."""
    rng = np.random.default_rng(3)
    found = []
    for number in range(40):
        shape = ((3, 3), (2, 4), (2, 2, 3), (2, 2, 2))[number % 4]
        p = random_pmf(rng, shape)
        found += [Case(p, None), Case(p, random_latent(rng, shape, 2 + number % 3))]
    return found


def cases(study: Study) -> list[Case]:
    """All of the above: 1,082 problems, each solved at most once in a run."""
    return [*study.once(every_support), *study.once(every_function), *study.once(random_cases)]


def lightest(points: Floats, costs: Floats, p: Floats) -> tuple[float, Floats]:
    """The linear program (17): min costs·u over u ≥ 0 with pointsᵀ u = p, and u; infinity where p is no mixture of points."""
    from scipy.optimize import linprog

    solved = linprog(
        costs,
        A_eq=points.T,
        b_eq=p,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if solved.x is None or solved.fun is None:
        return math.inf, np.zeros(len(points))
    return float(solved.fun), np.asarray(solved.x, dtype=np.float64)
