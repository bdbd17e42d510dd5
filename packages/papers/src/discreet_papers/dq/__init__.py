"""DQ: Farokhi on deterministic policies by non-stochastic information theory, claim by claim.

X is private and Y = f(X) is released, so that in a Joint of this package X stands down (`n_s`) and Y across (`n_x`). The paper
works in nats and with Lebesgue measure; figures here are in bits, and finite examples count letters, each of which stands for a
cell of unit volume.
"""

from __future__ import annotations

# In the order of the pages: each adds its claims to PAPER when it is imported.
from discreet_papers.dq import (
    figures,
    s1_introduction,
    s2a_ranges,
    s2b_entropy,
    s2c_taxicab,
    s3_formulation,
    s4a_policies,
    s4b_examples,
    s5_anonymity,
)
from discreet_papers.dq.paper import PAPER

__all__ = [
    "PAPER",
    "figures",
    "s1_introduction",
    "s2a_ranges",
    "s2b_entropy",
    "s2c_taxicab",
    "s3_formulation",
    "s4a_policies",
    "s4b_examples",
    "s5_anonymity",
]
