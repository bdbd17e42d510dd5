"""The paper that the claims of this package belong to."""

from __future__ import annotations

from discreet_papers.claims import Paper

PAPER = Paper(
    "PF",
    "Ding and Sadeghi (2019): A Submodularity-based Clustering Algorithm for the Information Bottleneck and Privacy Funnel",
)
