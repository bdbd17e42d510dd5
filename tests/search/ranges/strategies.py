"""Random tiny alphabets: several s a letter, repeated values, one or two columns, every norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests._oracles.ranges_by_enumeration import make_letters

if TYPE_CHECKING:
    from discreet.search._letters import Letters


@st.composite
def alphabets(draw: st.DrawFn, most: int = 7, columns: tuple[int, ...] = (1, 2)) -> Letters:
    """Letters with integer values, so that ties are frequent and sums exact."""
    n = draw(st.integers(1, most))
    n_s = draw(st.integers(1, n + 1))
    ranges = draw(st.lists(st.lists(st.integers(0, n_s - 1), min_size=1, max_size=3), min_size=n, max_size=n))
    d = draw(st.sampled_from(columns))
    values = draw(st.lists(st.tuples(*[st.integers(0, 12)] * d), min_size=n, max_size=n))
    return make_letters(ranges, values, draw(st.sampled_from((1.0, 2.0, math.inf))))
