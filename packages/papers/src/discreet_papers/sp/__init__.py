"""Paper SP, claim by claim: perfect sample privacy."""

from __future__ import annotations

# Importing a module adds its claims, so the order is that of the paper's pages.
# isort: off
from discreet_papers.sp.paper import PAPER
from discreet_papers.sp import basics as basics
from discreet_papers.sp import optimum as optimum
from discreet_papers.sp import example_two as example_two
from discreet_papers.sp import two_samples as two_samples
from discreet_papers.sp import latent_limits as latent_limits
from discreet_papers.sp import many_samples as many_samples
from discreet_papers.sp import self_disclosure as self_disclosure
from discreet_papers.sp import partial as partial
from discreet_papers.sp import uniform as uniform
from discreet_papers.sp import appendices as appendices
# isort: on

__all__ = ["PAPER"]
