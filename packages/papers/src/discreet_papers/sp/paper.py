"""The paper itself, which the modules beside this one add their claims to in the order of its pages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet_papers.claims import Paper

Floats = npt.NDArray[np.float64]

PAPER = Paper("SP", "Rassouli, Rosas and Gündüz: Data Disclosure under Perfect Sample Privacy")

EXACT = 1e-9
"""Bits, or probability, within which computed numbers count as equal."""
