"""`solve`: the mapping that discloses most under perfect sample privacy, with a proven bound on what is left.

What cannot disclose anything is decided first [SP, Prop 1]. A latent variable that does not mind the order of
exchangeable samples is solved over types. Everything else is solved over cells, with the symmetry of the samples where
there is one. Bounds: the dual of the program, branch and bound, subsets of the samples [SP, Prop 2].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.sample_privacy import _subset_bounds as subset_bounds
from discreet.sample_privacy import _symmetric as symmetric
from discreet.sample_privacy._assembling import in_every_order, in_turns, table_of
from discreet.sample_privacy._branch_and_bound import Swaps
from discreet.sample_privacy._mapping import ByType, Evidence, Table
from discreet.sample_privacy._optimising import Effort, Engine, Limits, Symmetry, optimise, started
from discreet.sample_privacy._problem import Problem, checked_latent, checked_pmf, make_problem
from discreet.sample_privacy._word_columns import disclose_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._mapping import Mapping, Orbits
    from discreet.sample_privacy._problem import Program
    from discreet.sample_privacy._symmetric import Types

CELLS = 1 << 11  # points of the support up to which posteriors are searched cell by cell
TABLE_LIMIT = 1 << 25  # numbers of a table over cells


@dataclass(frozen=True, eq=False)
class Solution(Evidence):
    """A private mapping and its evidence.

    Attributes
    ----------
    mapping
        What draws y; see `discreet.sample_privacy._mapping`.
    upper_bound
        Proven: no private mapping discloses more bits. Never below ``information``.
    engine, how
        What found it, in a word and in a sentence.
    proven
        Whether ``information`` is within the tolerance of ``upper_bound``.
    problem
        The checked input; None when it was given by types.
    """

    mapping: Mapping
    upper_bound: float
    engine: str
    how: str
    proven: bool
    problem: Problem | None

    @property
    def posteriors(self) -> FloatArray | None:
        """p(x|y) on the support, one row per y; None where the mapping is not a table over cells."""
        return self.mapping.posteriors if isinstance(self.mapping, Table) else None

    def draw_codes(self, samples: IntArray, rng: np.random.Generator) -> IntArray:
        """y for each row of samples (rows × n, values numbered from 0): rows × ``mapping.width`` integers."""
        return self.mapping.draw(samples, rng)


def solve(
    p: npt.ArrayLike,
    latent: npt.ArrayLike | None = None,
    private: Sequence[Sequence[int] | int] | None = None,
    **effort: Unpack[Effort],
) -> Solution:
    """The mapping p(y|xⁿ) with Y independent of every private group that maximises I(W;Y) [SP, (2)].

    Parameters
    ----------
    p
        p(xⁿ), one axis per sample; zeros are allowed.
    latent
        p(w|xⁿ), shape ``p.shape + (|W|,)``; None discloses the samples themselves (W = Xⁿ).
    private
        The groups of samples that Y must be independent of, each as a whole; None: every single sample.
    effort
        time_limit, tolerance, engine, seed, progress; see `Effort`.

    Raises
    ------
    InputError
        When the input is no pmf, shapes disagree, or ``private`` names a sample that is not there.

    Examples
    --------
    >>> found = solve([[0.25, 0.25], [0.25, 0.25]])
    >>> round(found.information, 9), round(found.upper_bound, 9), found.size
    (1.0, 1.0, 2)
    """
    return solve_problem(make_problem(p, latent, private), *started(effort))


def solve_types(
    p: npt.ArrayLike,
    latent: npt.ArrayLike | None = None,
    *,
    samples: int,
    values: int = 2,
    **effort: Unpack[Effort],
) -> Solution:
    """`solve` for exchangeable samples given by their types, each single sample private; for n of any size.

    Parameters
    ----------
    p
        The pmf of the type, in the order of `symmetric.type_counts`; for two values p[k] = P(k samples have value 1).
    latent
        p(w|type), types × |W|; None discloses the samples themselves.
    samples, values
        n, and the size of a sample's alphabet.

    effort
        As for `solve`; ``problem`` of the solution is None.
    """
    limits, engine, rng = started(effort)
    if samples < 1 or values < 1:
        raise InputError("exchangeable samples are at least one, with at least one value")
    pmf = checked_pmf(p)
    count = comb(samples + values - 1, values - 1)
    if pmf.shape != (count,):
        raise InputError(f"{samples} samples of {values} values have {count:,} types, but p has shape {pmf.shape}")
    given = None if latent is None else checked_latent(latent, pmf)[pmf > 0]
    types = symmetric.exchangeable_types(pmf, samples, values)
    known = subset_bounds.by_groups_of_types(types, given)
    if given is not None:
        return _over_types(None, types, given, known, limits, engine, rng)
    if values**samples <= subset_bounds.ALIKE_CELLS:
        return replace(solve_problem(_cells_of(types), limits, engine, rng), problem=None)
    return _over_words(None, types, known, limits, engine, rng)


def _cells_of(types: Types) -> Problem:
    """The samples of these types as a problem over cells, each single sample private."""
    cells = np.argwhere(np.ones(types.shape, bool)).astype(np.int64)
    p = np.append(types.p / np.exp2(types.sizes), 0.0)[types.of(cells)].reshape(types.shape)
    return make_problem(p / p.sum())


def solve_problem(problem: Problem, limits: Limits, engine: Engine, rng: np.random.Generator) -> Solution:
    """`solve` for a checked input."""
    if any(len(group) == problem.n for group in problem.private):
        return _says_nothing(problem, "all samples together are private: Y must be independent of everything", limits)
    if len(problem.weights) == 1:
        return _says_nothing(problem, "the samples have one possible value", limits)
    known = subset_bounds.by_groups(problem)  # [SP, Prop 2]
    classes = symmetric.swap_classes(problem)
    exchangeable = len(np.unique(classes)) < problem.n
    many = len(problem.weights) > CELLS
    if exchangeable and (many or problem.latent is not None):
        types, kind = symmetric.types_of(problem, classes)
        if problem.latent is not None:
            latent = symmetric.latent_by_type(problem, types, kind)
            return _over_types(problem, types, latent, known, limits, engine, rng)
        if problem.private == tuple((i,) for i in range(problem.n)):
            return _over_words(problem, types, known, limits, engine, rng)
        return _over_types(problem, types, None, known, limits, engine, rng)
    if many:
        return _over_part(problem, known, limits, engine, rng)
    reason = nothing_to_disclose(problem.program)
    if reason:
        return _says_nothing(problem, reason, limits)
    return _over_cells(problem, classes if exchangeable else None, known, limits, engine, rng)


def nothing_to_disclose(program: Program) -> str:
    """Why I(W;Y) = 0 for every private Y, or "" when it is not [SP, Prop 1]."""
    if program.rank == program.size:
        return "the private marginals determine p(x|y): the matrix P has no null space"
    if program.latent is not None:
        # Null(P) ⊆ Null(P_{W|X}) exactly when P_{W|X} has no part outside the row space of P.
        basis = np.linalg.qr(program.rows.T)[0]
        outside = program.latent - (program.latent @ basis) @ basis.T
        if np.abs(outside).max() < 1e-11:
            return "p(w|y) = p(w) for every private Y: p(w|x) is a sum of functions of the private groups [SP, Prop 1]"
    return ""


def _says_nothing(problem: Problem, reason: str, limits: Limits) -> Solution:
    return _finish(problem, Table(problem, np.ones((len(problem.weights), 1))), 0.0, "none", reason, limits)


def _over_types(
    problem: Problem | None,
    types: Types,
    latent: FloatArray | None,
    known: float,
    limits: Limits,
    engine: Engine,
    rng: np.random.Generator,
) -> Solution:
    """Y looks at the type only. With no latent given that is one way to disclose samples, but seldom the best."""
    program = symmetric.type_program(types, latent)
    reason = nothing_to_disclose(program)
    if reason:
        mapping = ByType(types, latent, np.ones((program.size, 1)))
        return _finish(problem, mapping, known if latent is None else 0.0, "none", reason, limits)
    floor = program.latent_entropy - known
    found = optimise(program, limits, rng, engine, floor=floor if latent is not None else -np.inf)
    mapping = ByType(types, latent, table_of(found, program.size))
    how = f"{len(types.p):,} types of exchangeable samples; {found.how}"
    bound = known if latent is None else min(known, program.latent_entropy - found.least)
    return _finish(problem, mapping, bound, found.engine, how, limits)


def _over_words(
    problem: Problem | None, types: Types, known: float, limits: Limits, engine: Engine, rng: np.random.Generator
) -> Solution:
    """Exchangeable samples themselves, too many cells to list."""
    limits.note("column generation over words")
    target = types.entropy - known + limits.tolerance
    found = disclose_words(types, limits.part(0.5), limits.part(0.8), rng, target)
    if found is None and len(np.unique(types.classes)) > 1:  # out of time: the type alone can be disclosed at once
        return _over_types(problem, types, None, known, limits, engine, rng)
    mapping, how = found or _by_turns(types, limits, rng)
    bound, best, chosen = known, np.inf, ""
    if known - mapping.information > limits.tolerance and engine != "columns":
        limits.note("bounds from subsets of the samples")
        if len(np.unique(types.classes)) == 1:
            best, size = subset_bounds.by_types(types, limits, _bound_of(limits, rng))
            chosen = f"any {size} samples"
        elif problem is not None:
            best, part = subset_bounds.by_subsets(problem, types.classes, limits, _bound_of(limits, rng))
            chosen = f"samples {', '.join(str(i) for i in part)}"
        if best < bound:
            bound, how = best, f"{how}; bound from {chosen}"
    return _finish(problem, mapping, bound, "columns", how, limits)


def _by_turns(types: Types, limits: Limits, rng: np.random.Generator) -> tuple[Orbits, str]:
    """Out of time for words: the type as far as it may be told, and the samples but for a turn."""
    program = symmetric.type_program(types, None)
    found = optimise(program, replace(limits, deadline=limits.part(0.5)), rng, "columns")
    joint = types.p[:, None] * table_of(found, program.size)
    how = f"every turn of a data set is equally likely given Y; {len(types.p):,} types, {found.how}"
    return in_turns(types, joint[found.cells], found.cells), how


def _over_part(problem: Problem, known: float, limits: Limits, engine: Engine, rng: np.random.Generator) -> Solution:
    """Too many cells: Y looks at some of the samples, and is still independent of every private group."""
    most = min(CELLS // 2, TABLE_LIMIT // len(problem.weights))
    samples = subset_bounds.widest_part(problem, most)
    program, kind = subset_bounds.part_program(problem, problem.cells[:, list(samples)])
    note = f"Y looks at samples {', '.join(str(i) for i in samples)}, because all have {len(problem.weights):,} cells"
    reason = nothing_to_disclose(program)
    if reason:
        program, kind = subset_bounds.part_program(problem, subset_bounds.merged_letters(problem, CELLS // 2))
        note = f"Y looks at merged values of the samples, because all have {len(problem.weights):,} cells"
        reason = nothing_to_disclose(program)
    if reason:
        table, engine_name, how = np.ones((len(problem.weights), 1)), "none", f"{note}; {reason}"
    else:
        found = optimise(program, replace(limits, deadline=limits.part(0.6)), rng, engine)
        table, engine_name, how = table_of(found, program.size), found.engine, f"{note}; {found.how}"
        room = max(1, TABLE_LIMIT // len(problem.weights))
        if table.shape[1] > room:  # the rarest outcomes become one, which is private as they are
            table = np.column_stack([table[:, : room - 1], table[:, room - 1 :].sum(1)])
        table = table[kind]
    best, part = subset_bounds.by_subsets(problem, None, limits, _bound_of(limits, rng))
    if best < known:
        known, how = best, f"{how}; bound from samples {', '.join(str(i) for i in part)}"
    return _finish(problem, Table(problem, table), known, engine_name, how, limits)


def _over_cells(
    problem: Problem, classes: IntArray | None, known: float, limits: Limits, engine: Engine, rng: np.random.Generator
) -> Solution:
    program = problem.program
    if classes is None:
        found = optimise(program, limits, rng, engine, floor=program.latent_entropy - known)
        mapping: Mapping = Table(problem, table_of(found, program.size))
    else:
        kind = symmetric.types_of(problem, classes)[1]
        symmetry = Symmetry(kind, Swaps(problem.cells, classes))
        found = optimise(program, limits, rng, engine, symmetry, floor=program.latent_entropy - known)
        mapping = in_every_order(problem, classes, found, limits)
    bound = min(known, program.latent_entropy - found.least)
    how = found.how
    if bound - mapping.information > limits.tolerance and engine in ("auto", "branching"):
        limits.note("bounds from subsets of the samples")
        best, chosen = subset_bounds.by_subsets(problem, classes, limits, _bound_of(limits, rng))
        if best < bound:
            bound = best
            how += f"; bound from samples {', '.join(str(i) for i in chosen)}"
    return _finish(problem, mapping, bound, found.engine, how, limits)


def _bound_of(limits: Limits, rng: np.random.Generator) -> Callable[[Problem, float], float]:
    def bound(part: Problem, deadline: float) -> float:
        inner = Limits(deadline, limits.tolerance, lambda _: None)
        return solve_problem(part, inner, "auto", rng).upper_bound

    return bound


def _finish(problem: Problem | None, mapping: Mapping, bound: float, engine: str, how: str, limits: Limits) -> Solution:
    information = mapping.information
    upper = max(bound, information)
    proven = upper - information <= max(limits.tolerance, 1e-9)
    return Solution(mapping, upper, engine, how, proven, problem)
