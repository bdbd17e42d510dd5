"""The worst case: searches, proofs and baselines over the ranges [[S|x]] alone [AC].

`merge_path` and `merge_connected` are the paper's algorithms, merge by merge, on the letters that `letters_of` makes of a
joint.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.search._alphabet import letters_of
    from discreet.search.ranges._greedy.path import MergePath, merge_connected, merge_path

# Loaded at first use.
_WHERE = {
    "MergePath": "discreet.search.ranges._greedy.path",
    "letters_of": "discreet.search._alphabet",
    "merge_connected": "discreet.search.ranges._greedy.path",
    "merge_path": "discreet.search.ranges._greedy.path",
}

__all__ = ["MergePath", "letters_of", "merge_connected", "merge_path"]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'discreet.search.ranges' has no attribute {name!r}")
    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
