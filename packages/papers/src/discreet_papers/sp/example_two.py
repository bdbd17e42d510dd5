"""Example 2 of section III-A: a coin seen through a symmetric and an erasure channel, every printed number."""

from __future__ import annotations

import itertools

import numpy as np

from discreet_papers.claims import Outcome, Study, matches, misprint
from discreet_papers.sp.families import Case, lightest, matrix, told, worst_leak
from discreet_papers.sp.paper import EXACT, PAPER, Floats

P = np.array([[1, 3, 2], [2, 3, 1]]) / 12
"""p(x1, x2) as printed, x2 = 0, erased, 1."""

LATENT = np.array([[[1, 0], [2 / 3, 1 / 3], [0, 1]], [[1, 0], [1 / 3, 2 / 3], [0, 1]]])
"""p(w|x1, x2) as (20) prints it."""

A = np.array(
    [
        [4082, 4082, 4082, 4082, 4082, 4082],
        [4082, 4082, 4082, -4082, -4082, -4082],
        [-4677, 5270, -593, -4677, 5270, -593],
        [-3385, -2385, 5743, -3385, -2358, 5743],
    ]
)
"""10⁴ times the matrix A as printed."""

VERTICES = np.array([[1, 0, 1, 0, 2, 0], [0, 2, 0, 1, 0, 1], [1, 1, 0, 0, 1, 1], [0, 1, 1, 1, 1, 0]]) / 4
"""p_1 to p_3 as printed, and the p_4 that (21) has as well."""

MAPPING = np.array([[1, 0, 1 / 2, 0, 2 / 3, 0], [0, 2 / 3, 0, 1 / 2, 0, 1], [0, 1 / 3, 1 / 2, 1 / 2, 1 / 3, 0]])
"""(22) as printed: p(y|x), one row a y."""


def seen_through(crossover: float, erasure: float) -> tuple[Floats, Floats]:
    """p(x1, x2) and p(w|x1, x2) of a fair W through a BSC and a BEC."""
    flips = np.array([[1 - crossover, crossover], [crossover, 1 - crossover]])  # p(x1|w)
    erases = np.array([[1 - erasure, erasure, 0], [0, erasure, 1 - erasure]])  # p(x2|w)
    joint = 0.5 * np.einsum("wa,wb->abw", flips, erases)
    total = joint.sum(axis=2)
    return total, joint / total[..., None]


@PAPER.claim(
    "Example 2, (20)", "α = 2/3, e = 1/2 give p = (1,3,2,2,3,1)/12 and P_{W|X} with first row (1, 2/3, 0, 1, 1/3, 0)"
)
def _setting(study: Study) -> Outcome:
    p, latent = seen_through(2 / 3, 1 / 2)
    other_p, other_latent = seen_through(1 / 3, 1 / 2)
    same = Case(p, latent).found.information - Case(P, LATENT).found.information
    return misprint(
        "the two belong to different α: 2/3 gives that p, with the row (1, 1/3, 0, 1, 2/3, 0); (20) is that of α = 1/3, "
        "with p = (2,3,1,1,3,2)/12. I_s is the same",
        printed=np.allclose(p, P) and np.allclose(latent, LATENT),
        corrected=np.allclose(p, P)
        and np.allclose(latent[..., 0].ravel(), [1, 1 / 3, 0, 1, 2 / 3, 0])
        and np.allclose(other_latent, LATENT)
        and np.allclose(other_p.ravel() * 12, [2, 3, 1, 1, 3, 2])
        and abs(same) < EXACT,
    )


def _spans(a: Floats) -> bool:
    """Whether the rows are orthonormal and span the rows of P, to the printed figures."""
    rows = matrix(P)
    return bool(np.abs(a @ a.T - np.eye(4)).max() < 5e-4 and np.abs(rows - rows @ a.T @ a).max() < 5e-4)


@PAPER.claim("Example 2", "A has the last row (−3385, −2385, 5743, −3385, −2358, 5743)/10⁴")
def _svd(study: Study) -> Outcome:
    printed = A / 1e4
    corrected = printed.copy()
    corrected[3, 1] = -0.2358
    return misprint(
        "the second entry is −2358, like the fifth: as printed the row is "
        f"{np.abs(matrix(P) - matrix(P) @ printed.T @ printed).max():.4f} off the rows of P",
        printed=_spans(printed),
        corrected=_spans(corrected),
    )


@PAPER.claim("Example 2", "at most 15 choices of 4 linearly independent columns of A")
def _choices(study: Study) -> Outcome:
    rows = matrix(P)
    regular = sum(np.linalg.matrix_rank(rows[:, chosen]) == 4 for chosen in itertools.combinations(range(6), 4))
    return matches(
        f"rank(P) = {Case(P, None).rank}, C(6, 4) = 15 choices, {regular} of them independent", 0 < regular <= 15
    )


@PAPER.claim("Example 2", "the extreme points of S are p_1, p_2 and p_3")
def _points(study: Study) -> Outcome:
    found = {tuple(row) for row in np.round(Case(P, None).vertices * 4, 9)}
    return misprint(
        "there are four, and (21) uses four: (1,0,1,0,2,0)/4, (0,2,0,1,0,1)/4, (1,1,0,0,1,1)/4 and (0,1,1,1,1,0)/4. The last "
        "is missing (our text of these vectors is damaged, so it may be missing there only)",
        printed=found == {tuple(row) for row in VERTICES[:3] * 4},
        corrected=found == {tuple(row) for row in VERTICES * 4},
    )


@PAPER.claim("Example 2, (21)", "min H(W|Y) = 0.9866 bits with u* = (1/3, 1/3, 0, 1/3), so I_s = 0.0134 bits")
def _optimum(study: Study) -> Outcome:
    costs = Case(P, LATENT).problem.program.uncertainty(VERTICES)
    least, weights = lightest(VERTICES, costs, P.ravel())
    found = Case(P, LATENT).found
    printed = np.array([1 / 3, 1 / 3, 0, 1 / 3])
    return matches(
        f"{least:.7f} and {found.information:.7f} bits, u = ({', '.join(f'{w:.4f}' for w in weights)})",
        round(least, 4) == 0.9866,
        round(found.information, 4) == 0.0134,
        found.proven,
        np.allclose(printed @ VERTICES, P.ravel()),
        abs(float(printed @ costs) - least) < EXACT,
    )


@PAPER.claim("Example 2, (22)", "the mapping with rows (1,0,½,0,⅔,0), (0,⅔,0,½,0,1), (0,⅓,½,½,⅓,0) attains it")
def _attains(study: Study) -> Outcome:
    channel = MAPPING.T.reshape(2, 3, 3)
    said, leaked = told(P, channel, LATENT), worst_leak(P, channel)
    return matches(
        f"I(W;Y) = {said:.7f} bits, I(X_i;Y) ≤ {leaked:.0e}",
        abs(said - Case(P, LATENT).found.information) < EXACT,
        leaked < EXACT,
    )
