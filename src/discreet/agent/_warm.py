"""Loads and compiles what audits need, once, in the process that the others are copies of."""

from __future__ import annotations

import discreet.agent._service  # noqa: F401, loaded for the copies
from discreet._tours import TOURS

for name in ("answer", "count"):
    TOURS[name]()
