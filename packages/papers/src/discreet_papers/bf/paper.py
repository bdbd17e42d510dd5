"""The paper BF; the modules s1 to s7 beside this one add its claims in the order of its pages."""

from __future__ import annotations

from discreet_papers.claims import Paper

PAPER = Paper("BF", "Ding and Farokhi: Measuring Information Leakage in Non-stochastic Brute-Force Guessing")
