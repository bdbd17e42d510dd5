"""PF: Ding and Sadeghi on the privacy funnel and the information bottleneck by submodular clustering, claim by claim."""

from __future__ import annotations

# In the order of the pages: each adds its claims to PAPER when it is imported.
from discreet_papers.pf import figures, s1_problem, s3a_algorithm, s3b_theorem, s4b_frontiers, s4c_complexity, s5_proof
from discreet_papers.pf.paper import PAPER

__all__ = [
    "PAPER",
    "figures",
    "s1_problem",
    "s3a_algorithm",
    "s3b_theorem",
    "s4b_frontiers",
    "s4c_complexity",
    "s5_proof",
]
