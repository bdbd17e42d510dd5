"""What makes frontiers: the papers' merging, better searches with proven bounds, exact methods and baselines."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from discreet.errors import InputError, listed
from discreet.frontiers import Frontier, Setting
from discreet.merging.alphabet import Values, has_positions, letters_of, space_of

if TYPE_CHECKING:
    from discreet.joint import Joint
    from discreet.labels import Codes, Label
    from discreet.tables.counting import Progress

Leakage = Literal["L0", "I*", "L0|I*=0"]
UtilityName = Literal["resolution", "distortion"]
Method = Literal["auto", "agglomerative", "exact", "sweeney", "mondrian", "equal-width", "equal-frequency"]
Codeword = Literal["centroid", "medoid", "chebyshev"]

__all__ = ["Codeword", "Leakage", "Method", "UtilityName", "frontier", "has_positions"]


def frontier(
    joint: Joint,
    leakage: Leakage = "L0",
    utility: UtilityName = "distortion",
    method: Method = "auto",
    values: Values | None = None,
    codeword: Codeword = "centroid",
    *,
    scale: Mapping[str, float] | Literal["range"] | None = None,
    order: Mapping[str, Sequence[Label]] | None = None,
    norm: float = 2.0,
    hierarchy: str | Path | None = None,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Frontier:
    """Every policy worth having between a measure of leakage and one of utility.

    Parameters
    ----------
    leakage
        "L0", "I*", or "L0|I*=0" for L0 among the policies that tell nobody apart for certain [AC, (2), (4), (7)].
    utility
        "resolution" (U1, bits) for any X; "distortion" (U2 = −max d) where X has numbers.
    method
        "auto" is the best known and never dominated by the paper's; "agglomerative" is the paper's, with its path; "exact"
        proves optimality on small alphabets within `time_limit` seconds; "sweeney", "mondrian", "equal-width" and
        "equal-frequency" are baselines.
    values
        {x: number or tuple}, needed when x is not numeric; otherwise numbers and dates speak for themselves.
    codeword
        What a block is released as where numbers are asked for, and what distortion is measured from.
    scale, order, norm
        For several columns: the unit of each (or "range"), the order of ordered categories, and the l_p norm.
    hierarchy
        A CSV of categories as ARX writes them; blocks are then nodes of the hierarchy.

    >>> from discreet import Joint
    >>> found = frontier(Joint.from_pairs([("a", 1), ("b", 2), ("a", 3), ("b", 4)]), codeword="chebyshev")
    >>> [(point.leakage, point.utility, point.gap) for point in found.points]
    [(1.0, 0.0, 0.0), (0.0, -0.5, 0.0)]
    >>> found.at(max_leakage=0).blocks
    ((1, 2), (3, 4))
    """
    _check(leakage, get_args(Leakage), "leakage")
    _check(utility, get_args(UtilityName), "utility")
    _check(method, get_args(Method), "method")
    _check(codeword, get_args(Codeword), "codeword")
    if norm not in (1, 2, math.inf):
        raise InputError(f"norm {norm:g} is not offered: use 1, 2 or inf")
    if not time_limit > 0:
        raise InputError("the time limit must be a positive number of seconds")
    if seed < 0:
        raise InputError("the seed must be a whole number of at least 0")
    from discreet.merging import engines

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


def _check(value: object, choices: Sequence[str], name: str) -> None:
    if value not in choices:
        raise InputError(f"{name}={value!r} is not known: use one of {listed(tuple(choices))}")


def _no_codewords(block_of: Codes) -> tuple[Label, ...]:
    return (None,) * len(set(block_of.tolist()))
