"""Loads and compiles what audits need, once, in the process that the others are copies of."""

from __future__ import annotations

import numpy as np

import discreet.agent._service  # noqa: F401, loaded for the copies
from discreet.queries.auditor import Auditor

for step in (0, 1):
    auditor = Auditor(np.zeros(8), np.ones(8), keep=0.5, step=step)
    for first in range(4):
        auditor.ask(range(first, first + 5), "sum", error=0.6, data=np.arange(8) % 2)
