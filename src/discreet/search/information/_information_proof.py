"""Optimal policies with a proof: what `exact` is for leakage I."""

from __future__ import annotations

from discreet.search._protocol import Found, Task
from discreet.search.information._information_engine import worth_having
from discreet.search.information._information_search import EXACT_ALWAYS, LandingEngine, proven, search_all


class InformationProof(LandingEngine):
    """Optimal policies on small alphabets; the best known and the bound when time runs out."""

    name = "information-proof"
    method = "exact"

    def search(self, task: Task) -> Found:
        """What the search knows, and then all partitions at once."""
        task.say("proving optimality")
        if task.weights.n <= EXACT_ALWAYS:
            return proven(task, ())
        known = search_all(task)
        best = known.take(worth_having(task, known))
        return proven(task, list(best))
