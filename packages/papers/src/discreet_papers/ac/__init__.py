"""AC: Ding and Farokhi on release policies by agglomerative clustering, claim by claim.

The text has lost the pictures, so the figures are redrawn from what the captions and the examples say.
"""

from __future__ import annotations

# In the order of the pages: each adds its claims to PAPER when it is imported.
from discreet_papers.ac import (
    s2_ranges,
    s4_graphs,
    s5a_algorithm,
    s5a_choice,
    s5a_example,
    s5b_maximin,
    s5c_connected,
    s6a_leakages,
    s6b_common,
    s7a_frontiers,
    s7b_hungarian,
    s8_conclusion,
    s9_proofs,
    views,
)
from discreet_papers.ac.shared import PAPER

__all__ = [
    "PAPER",
    "s2_ranges",
    "s4_graphs",
    "s5a_algorithm",
    "s5a_choice",
    "s5a_example",
    "s5b_maximin",
    "s5c_connected",
    "s6a_leakages",
    "s6b_common",
    "s7a_frontiers",
    "s7b_hungarian",
    "s8_conclusion",
    "s9_proofs",
    "views",
]
