"""Trade-off curves: what is given away as the demanded accuracy γ = 1/error grows [DQ, Fig 3]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet._typing import Bins, FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._domains import Domain
from discreet.queries._quantising import quantise
from discreet.queries._query import Query


@dataclass(frozen=True, eq=False)
class TradeOff:
    """One entry a γ, in the order given.

    Attributes
    ----------
    gamma, error
        The demanded accuracy and the worst-case error 1/γ.
    cells
        How many answers there are.
    maximin, leakage, leakage_error
        I*, L0 and its error, in bits.
    adversary_error, interval_left
        d_min, and the shortest interval that any answer leaves to anybody, in the data's units.
    """

    gamma: FloatArray
    error: FloatArray
    cells: IntArray
    maximin: FloatArray
    leakage: FloatArray
    leakage_error: FloatArray
    adversary_error: FloatArray
    interval_left: FloatArray

    def __len__(self) -> int:
        return len(self.gamma)

    def plot(self) -> Any:
        """L0, I* and d_min against γ, as a matplotlib figure [DQ, Fig 3]."""
        from discreet.queries._pictures import trade_off_figure

        return trade_off_figure(self)


def trade_off(
    query: Query,
    domain: Domain,
    gammas: Iterable[float],
    bins: Bins = "uniform",
    rng: np.random.Generator | None = None,
) -> TradeOff:
    """Quantise at every γ. The same samples serve all of them, so that an estimated curve is not ragged by chance.

    Examples
    --------
    >>> from discreet.queries import Box, Mean
    >>> trade_off(Mean(), Box([-2, -2], [2, 2]), [1, 2, 4]).leakage.tolist()
    [1.0, 3.0, 5.0]
    """
    try:
        demanded = np.array([float(gamma) for gamma in gammas])
    except (TypeError, ValueError):
        raise InputError("gammas must be numbers: the accuracies 1/error to try") from None
    if not len(demanded) or not np.isfinite(demanded).all() or (demanded <= 0).any():
        raise InputError("gammas must be positive, finite numbers, one at least")
    seed = 0 if rng is None else int(rng.integers(2**63))
    found = [quantise(query, domain, 1 / gamma, bins, np.random.default_rng(seed)) for gamma in demanded.tolist()]
    return TradeOff(
        demanded,
        1 / demanded,
        np.array([len(result.answers) for result in found]),
        np.array([result.maximin for result in found]),
        np.array([result.leakage for result in found]),
        np.array([result.leakage_error for result in found]),
        np.array([result.adversary_error for result in found]),
        np.array([result.interval_left() for result in found]),
    )
