"""The two settings of [PF, IV] on the Hungarian heart data, as weights (SPEC 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from discreet import Joint
from discreet.search.information import weights_of
from discreet.search.information._weights import Weights

SETTINGS = {"A": ("sex", "chol"), "B": ("age", "chol")}


def hungarian_joint(table: Mapping[str, Sequence[object]], setting: Literal["A", "B"]) -> Joint:
    """S = (age, sex) against X = (sex, chol) for A, X = (age, chol) for B; a missing chol is a level of its own."""
    s = zip(table["age"], table["sex"], strict=True)
    x = zip(*(table[name] for name in SETTINGS[setting]), strict=True)
    return Joint.from_pairs(list(zip(s, x, strict=True)))


def hungarian_weights(table: Mapping[str, Sequence[object]], setting: Literal["A", "B"]) -> Weights:
    """The same as weights: 68 s; 197 letters for A, 281 for B."""
    return weights_of(hungarian_joint(table, setting))
