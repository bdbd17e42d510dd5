"""The paper that the claims of this package belong to."""

from __future__ import annotations

from discreet_papers.claims import Paper

PAPER = Paper(
    "DQ",
    "Farokhi (2019): Development and Analysis of Deterministic Privacy-Preserving Policies "
    "Using Non-Stochastic Information Theory",
)
