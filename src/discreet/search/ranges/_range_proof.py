"""Optimal policies with a proof: what `exact` is for the leakages of the support."""

from __future__ import annotations

from dataclasses import replace

from discreet.search._protocol import Found, Task
from discreet.search.ranges._figures import worth_having
from discreet.search.ranges._range_engine import EXACT_ALWAYS, ProvingEngine, proven_optima
from discreet.search.ranges._range_search import RangeSearch


class RangeProof(ProvingEngine):
    """Optimal policies on small alphabets; the best known and the gap when time runs out."""

    name = "range-proof"
    method = "exact"

    def search(self, task: Task) -> Found:
        """What the search knows, and then every level asked about until time is up."""
        if task.letters.n <= EXACT_ALWAYS:
            return proven_optima(task, ())
        known = RangeSearch().search(task)
        best = known.partitions.take(worth_having(task, known.partitions))
        found = proven_optima(task, list(best))
        return replace(found, ladders=(*found.ladders, *known.ladders))
