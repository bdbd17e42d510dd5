"""One question to a MILP solver: is there a policy at this level with no block above this cost?

Letters are assigned to blocks that are represented by one of their own letters, so that no two solutions are
the same policy under other names: the medoid where that is the codeword, else the first letter in a fixed
order. Whatever the cost demands is then linear, or is added when a solution breaks it:

- size: at most m letters per block; medoid: only letters within reach of the representative;
- Chebyshev centre: letters farther apart than 2D are never together, and sets that do not fit a ball are cut
  off;
- centroid: g . (x_j - mean) <= D for every unit direction g, multiplied by the number of letters in the
  block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import Codeword
from discreet.search._codewords import box_coordinates, distance_matrix
from discreet.search.ranges import _costs as costs
from discreet.search.ranges._assignment_model import Model

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.search._letters import Letters

PAIR_LIMIT = 20_000  # pairs of letter and representative: a bigger model is not worth building


class Assignment:
    """Letters, cost and codeword of a family of questions; holds what all of them share."""

    def __init__(self, letters: Letters, component_of: IntArray, cost: str, codeword: Codeword) -> None:
        self.letters, self.cost, self.codeword = letters, cost, codeword
        self.component_of = component_of
        self.distances: FloatArray | None = None
        self.columns = 0 if letters.values is None else letters.values.shape[1]
        order = np.arange(letters.n)
        if cost == "distortion":
            values = costs.required_values(letters)
            box = box_coordinates(values, letters.norm)
            if codeword == "chebyshev" and box is not None:
                # Then a block costs half its longest distance, to the last bit.
                self.distances, self.few_costs = distance_matrix(box, np.inf), True
            else:
                self.distances, self.few_costs = distance_matrix(values, letters.norm), codeword == "medoid"
            order = np.lexsort((order, values[:, 0]))
        self.place = np.empty(letters.n, np.int64)
        self.place[order] = np.arange(letters.n)
        # s that lie with the same letters count together: [[S]] may be far larger than the alphabet.
        holders: dict[tuple[int, ...], int] = {}
        by_s: list[list[int]] = [[] for _ in range(letters.n_s)]
        for letter in range(letters.n):
            for s in letters.range_of(letter):
                by_s[int(s)].append(letter)
        for members in by_s:
            holders[tuple(members)] = holders.get(tuple(members), 0) + 1
        self.kinds = [(frozenset(members), weight) for members, weight in holders.items()]

    def candidate_costs(self) -> FloatArray | None:
        """All costs a policy may have, sorted, where they are few; None where any number may occur."""
        if self.distances is None:
            return np.arange(1.0, self.letters.n + 1)
        if not self.few_costs:
            return None
        return np.unique(self.distances if self.codeword == "medoid" else self.distances / 2)

    def _pairs(self, most: float) -> int:
        """How many pairs of a letter and a representative a question about this cost has."""
        n = self.letters.n
        if self.distances is None:
            return n * (n + 1) // 2
        if self.codeword == "medoid":
            return int((self.distances <= most).sum())
        return (int((self.distances / 2 <= most).sum()) + n) // 2

    def ask(
        self, most: float, least_distinct: int, most_components: int | None, deadline: float
    ) -> IntArray | str | None:
        """A policy whose blocks cost at most ``most``, if there is one.

        Parameters
        ----------
        most
            The cost that no block may exceed.
        least_distinct
            Distinct s that every block must have.
        most_components
            Components that may be left; None for any number.
        deadline
            When to give up, by the monotonic clock.

        Returns
        -------
        The policy's block_of; None if there is proven to be none; "unknown" when a limit was reached.
        """
        if self._pairs(most) > PAIR_LIMIT:
            return "unknown"
        model = Model(self, most, least_distinct)
        if model.hopeless:
            return None
        if most_components is not None and least_distinct == 1:
            model.connect(most_components)
            most_components = None
        while True:
            solution = model.solve(deadline)
            if solution is None or isinstance(solution, str):
                return solution
            broken = model.cut_off(solution)
            if broken:
                continue
            if most_components is None:
                return solution
            if costs.components(self.letters, solution) <= most_components:
                return solution
            # Only when it is needed: a policy with many s in each block often hangs together by itself.
            model.connect(most_components)
            most_components = None
