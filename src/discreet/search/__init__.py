"""What makes frontiers: the papers' merging, better searches with proven bounds, exact methods and baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from discreet._typing import Codeword, Leakage, Method, Problem, UtilityName
from discreet.release._frontier import Frontier
from discreet.search._alphabet import Values, has_positions
from discreet.search._engines import solve
from discreet.search._options import Options
from discreet.search._protocol import RANGES

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

__all__ = [
    "RANGES",
    "Codeword",
    "Frontier",
    "Leakage",
    "Method",
    "Problem",
    "UtilityName",
    "frontier",
    "has_positions",
]


def frontier(
    joint: Joint,
    leakage: Leakage = "L0",
    utility: UtilityName | None = None,
    method: Method = "auto",
    values: Values | None = None,
    problem: Problem = "funnel",
    codeword: Codeword = "centroid",
    *,
    scale: Mapping[str, float] | Literal["range"] | None = None,
    order: Mapping[str, Sequence[Label]] | None = None,
    norm: float = 2.0,
    hierarchy: str | Path | None = None,
    at_least: int = 0,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    cut: Mapping[str, float] | None = None,
) -> Frontier:
    """Every policy worth having between a measure of leakage and one of utility.

    Parameters
    ----------
    leakage
        "L0", "I*", or "L0|I*=0" for L0 among the policies that tell nobody apart for certain [AC, (2), (4), (7)]. With
        counts also "I" (mutual information, [PF, (1)]), "Lmin" (min-entropy leakage), "I_inf" (maximal leakage) and
        "D_2", "D_inf", … (worst-case Rényi leakage of that order).
    utility
        "resolution" (U1, bits) for any X; "distortion" (U2 = −max d) where X has numbers; "information" (I(X;X̂), bits)
        with the leakages of the pmf, and only with them. By default information there; else distortion, or resolution
        where all columns are categories without an order and a scale.
    method
        "auto" is the best known, and not dominated by the papers' on alphabets where these run too; "agglomerative" is
        AC's, with its path, "iac-mdsf" and "pairwise" are PF's; "exact" proves optimality on small alphabets within
        `time_limit`; "sweeney", "mondrian", "equal-width" and "equal-frequency" are baselines.
    values
        {x: number or tuple}, needed when x is not numeric; otherwise numbers and dates speak for themselves.
    problem
        For leakage "I": "funnel" lowers I(S;X̂) and keeps I(X;X̂), "bottleneck" keeps I(S;X̂) and lowers I(X;X̂).
    codeword
        What a block is released as where numbers are asked for, and what distortion is measured from.
    scale, order, norm
        For several columns: the unit of each (or "range"), the order of ordered categories, and the l_p norm. Two
        categories without an order are 1 apart; where they stand beside numbers, "range" is the default.
    hierarchy
        A CSV of categories as ARX writes them; blocks are then nodes of the hierarchy.
    at_least
        Records that every block must have, with the leakages of the pmf.
    time_limit
        Seconds, for every method: the best policies found by then are returned, as they are after an interrupt. A limit that
        is given is used, while fresh starts find something or proofs are missing, and more of it is never worse. Without one a
        search ends as planned, after a minute at most.
    cut
        Where the frontier will be cut, such as {"max_leakage": 2}: of many levels only the one that is asked for is then
        searched to the end. As in `Frontier.at`.

    Examples
    --------
    >>> from discreet import Joint
    >>> found = frontier(Joint.from_pairs([("a", 1), ("b", 2), ("a", 3), ("b", 4)]), codeword="chebyshev")
    >>> [(point.leakage, point.utility, point.gap) for point in found.points]
    [(1.0, 0.0, 0.0), (0.0, -0.5, 0.0)]
    >>> found.at(max_leakage=0).blocks
    ((1, 2), (3, 4))
    """
    asked = Options(
        leakage=leakage,
        utility=utility,
        method=method,
        values=values,
        problem=problem,
        codeword=codeword,
        scale=scale,
        order=order,
        norm=norm,
        hierarchy=hierarchy,
        at_least=at_least,
        time_limit=time_limit,
        seed=seed,
        progress=progress,
        cut=cut,
    )
    return solve(asked.checked().task(joint))
