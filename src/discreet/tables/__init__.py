"""Any table -> the distinct (s, x[, a]) with their counts, computed where the data live.

Engines are asked for nothing else: distinct counts pushed down are silently wrong on some of them, and they disagree
about nulls. Everything else is derived from the counts, in one place.
"""

from __future__ import annotations

from discreet._typing import MissingPolicy
from discreet.tables._counting import Counted, Missing, count
from discreet.tables._sources import column_names

__all__ = ["Counted", "Missing", "MissingPolicy", "column_names", "count"]
