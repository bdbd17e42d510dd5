"""How many examples Hypothesis tries: a quarter in `make test`, all of them in `make slow`, which runs every property again."""

from __future__ import annotations

import os

ALL = os.environ.get("DISCREET_EXAMPLES") == "all"
FEWEST = 8


def examples(most: int) -> int:
    """Return the number of examples for a property that is worth `most` of them."""
    return most if ALL else min(most, max(FEWEST, most // 4))
