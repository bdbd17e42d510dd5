"""What makes frontiers: the papers' merging, better searches with proven bounds, exact methods and baselines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from discreet._typing import Codeword, Leakage, Method, Problem, UtilityName
from discreet.errors import InputError, listed
from discreet.release._frontier import Frontier
from discreet.release._points import Setting
from discreet.release._promises import PROMISED, promised_by
from discreet.search._alphabet import Values, has_positions, letters_of, space_of

if TYPE_CHECKING:
    from discreet._typing import IntArray, Progress
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

RANGES = ("L0", "I*", "L0|I*=0")  # leakages of the support alone; the others are of the pmf

__all__ = ["Codeword", "Leakage", "Method", "Problem", "UtilityName", "frontier", "has_positions"]


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
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
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
        with the leakages of the pmf, and only with them. By default distortion, or information.
    method
        "auto" is the best known, and not dominated by the papers' on alphabets where these run too; "agglomerative" is
        AC's, with its path, "iac-mdsf" and "pairwise" are PF's; "exact" proves optimality on small alphabets within
        `time_limit` seconds; "sweeney", "mondrian", "equal-width" and "equal-frequency" are baselines.
    values
        {x: number or tuple}, needed when x is not numeric; otherwise numbers and dates speak for themselves.
    problem
        For leakage "I": "funnel" lowers I(S;X̂) and keeps I(X;X̂), "bottleneck" keeps I(S;X̂) and lowers I(X;X̂).
    codeword
        What a block is released as where numbers are asked for, and what distortion is measured from.
    scale, order, norm
        For several columns: the unit of each (or "range"), the order of ordered categories, and the l_p norm.
    hierarchy
        A CSV of categories as ARX writes them; blocks are then nodes of the hierarchy.
    at_least
        Records that every block must have, with the leakages of the pmf.

    Examples
    --------
    >>> from discreet import Joint
    >>> found = frontier(Joint.from_pairs([("a", 1), ("b", 2), ("a", 3), ("b", 4)]), codeword="chebyshev")
    >>> [(point.leakage, point.utility, point.gap) for point in found.points]
    [(1.0, 0.0, 0.0), (0.0, -0.5, 0.0)]
    >>> found.at(max_leakage=0).blocks
    ((1, 2), (3, 4))
    """
    is_range = leakage in RANGES
    if not is_range and not (isinstance(leakage, str) and promised_by(leakage)):
        raise InputError(f"leakage={leakage!r} is not known: use one of {listed([*PROMISED, 'D_2'])} (D of any order)")
    utility = utility or ("distortion" if is_range else "information")
    _check(utility, get_args(UtilityName), "utility")
    _check(method, get_args(Method), "method")
    _check(problem, get_args(Problem), "problem")
    _check(codeword, get_args(Codeword), "codeword")
    if isinstance(at_least, bool) or not isinstance(at_least, int) or at_least < 0:
        raise InputError("at_least is a number of records: 0, 1, 2, …")
    if (utility == "information") == is_range:
        offered = "resolution or distortion" if is_range else "information"
        raise InputError(f"leakage {leakage!r} is traded against {offered}, not against {utility!r}")
    if norm not in (1, 2, math.inf):
        raise InputError(f"norm {norm:g} is not offered: use 1, 2 or inf")
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float) or not time_limit > 0:
        raise InputError("the time limit must be a positive number of seconds")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError("the seed must be a whole number of at least 0")
    stochastic = {
        f"method {method!r}": method in ("iac-mdsf", "pairwise"),
        "a bottleneck": problem != "funnel",
        "at_least (--at-least)": bool(at_least),
    }
    if is_range and any(stochastic.values()):
        asked = next(name for name, is_asked in stochastic.items() if is_asked)
        raise InputError(f"{asked} is for the leakages of the pmf, such as leakage 'I', not for {leakage!r}")
    if not is_range:
        from discreet.search import information as funnel

        return funnel.frontier(
            joint,
            leakage,
            method,
            problem,
            words=_words(joint, values, scale, order, codeword, norm),
            at_least=at_least,
            has_hierarchy=hierarchy is not None,
            time_limit=time_limit,
            seed=seed,
            progress=progress,
        )
    from discreet.search.ranges import _engines as engines

    started = time.perf_counter()
    needs_values = utility == "distortion" or values is not None
    space = space_of(joint, values, scale, order) if needs_values else None
    if space is not None and codeword == "chebyshev" and norm == 1 and space.coordinates.shape[1] > 2:
        raise InputError("the Chebyshev centre in the l_1 norm is offered for up to two columns: use norm 2 or inf")
    letters = letters_of(joint, space, norm)
    cost: Literal["size", "distortion"] = "size" if utility == "resolution" else "distortion"
    words = space.codewords(codeword, norm) if space is not None else _no_codewords
    setting = Setting(
        joint=joint,
        leakage=leakage,
        utility=utility,
        codewords=words,
        unit=math.log2(joint.n_x) if cost == "size" else 0.0,
        worst=engines.worst_utility(letters, cost, codeword),
        letters=letters,
        codeword=codeword,
    )
    task = engines.Task(letters, setting, cost, codeword, seed, time_limit, progress)
    if hierarchy is not None:
        if joint.has_side or method != "auto" or leakage != "L0" or len(joint.public) > 1:
            raise InputError("a hierarchy is for leakage L0, one public column, method auto and no side information")
        found = engines.by_hierarchy(task, hierarchy)
    elif joint.has_side:
        found = engines.with_side_information(task, method)
    else:
        found = engines.METHODS[method](task)
    return found.timed(time.perf_counter() - started)


def _words(
    joint: Joint,
    values: Values | None,
    scale: Mapping[str, float] | Literal["range"] | None,
    order: Mapping[str, Sequence[Label]] | None,
    codeword: Codeword,
    norm: float,
) -> Callable[[IntArray], tuple[Label, ...]]:
    """Codewords for policies that do not need any: where X has numbers, as users expect."""
    placed = values is not None or bool(scale) or bool(order) or has_positions(joint)
    return space_of(joint, values, scale, order).codewords(codeword, norm) if placed else _no_codewords


def _check(value: object, choices: Sequence[str], name: str) -> None:
    if value not in choices:
        raise InputError(f"{name}={value!r} is not known: use one of {listed(tuple(choices))}")


def _no_codewords(block_of: IntArray) -> tuple[Label, ...]:
    return (None,) * len(set(block_of.tolist()))
