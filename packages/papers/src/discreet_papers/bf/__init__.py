"""BF: Ding and Farokhi on non-stochastic brute-force guessing, claim by claim.

Here X is what is private and Y what is released, so that in a Joint of this package X stands down (`n_s`) and Y across (`n_x`).
"""

from __future__ import annotations

# In the order of the pages: each adds its claims to PAPER when it is imported.
from discreet_papers.bf import (
    s1_introduction,
    s2_uncertain_variables,
    s3_leakage,
    s3_majority_vote,
    s4_identifiability,
    s5_one_shot,
    s6_experiment,
    s7_appendices,
)
from discreet_papers.bf.paper import PAPER

__all__ = [
    "PAPER",
    "s1_introduction",
    "s2_uncertain_variables",
    "s3_leakage",
    "s3_majority_vote",
    "s4_identifiability",
    "s5_one_shot",
    "s6_experiment",
    "s7_appendices",
]
