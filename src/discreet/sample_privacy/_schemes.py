"""What is optimal, and what the two schemes for long data sets give up, for iid binary samples [SP, Figs 4, 5]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.report._plots import curves_figure
from discreet.sample_privacy._disclosing import disclose_types
from discreet.sample_privacy._masks import uniform_masks
from discreet.sample_privacy._partial_processing import partial_processing
from discreet.sample_privacy._processes import Independent
from discreet.sample_privacy._uniformiser import asymptotic_efficiency


@dataclass(frozen=True, eq=False)
class Schemes:
    """Curves against q = P(X = 1), one per scheme, and what they are of."""

    q: FloatArray
    curves: dict[str, FloatArray]
    what: str

    def plot(self) -> Any:
        """The curves, as a matplotlib figure."""
        return curves_figure(self.q, self.curves, x_label="P(X = 1)", y_label=self.what)


def compare_schemes(q: Sequence[float], n: int = 4, *, window: int = 2, time_limit: float = 60.0) -> Schemes:
    """Bits disclosed about n iid Bernoulli(q) samples: optimal, by windows that share a sample, and by masks [SP, Fig 4].

    Examples
    --------
    >>> compare_schemes([0.3]).curves["optimal"].round(4).tolist()
    [1.7911]
    """
    optimal, windows, masks = [], [], []
    for each in _checked(q):
        ones = np.array([comb(n, k) * each**k * (1 - each) ** (n - k) for k in range(n + 1)])
        optimal.append(disclose_types(ones / ones.sum(), samples=n, time_limit=time_limit).information)
        process = Independent.identical([1 - each, each], n)
        windows.append(partial_processing(process, window).information)
        masks.append(uniform_masks(process, letters=2).information)
    curves = {"optimal": optimal, f"windows of {window}": windows, "masks": masks}
    return Schemes(np.asarray(q, dtype=np.float64), _arrays(curves), f"bits disclosed about {n} samples")


def efficiencies(q: Sequence[float], windows: Sequence[int] = (2, 4)) -> Schemes:
    """The share of H(X) that the schemes disclose of ever more iid Bernoulli(q) samples; the optimum tends to 1 [SP, Fig 5].

    Windows that share a sample disclose Î_s of k samples for every k − 1 of them.
    """
    curves: dict[str, list[float]] = {"optimal": [], **{f"windows of {k}": [] for k in windows}, "masks": []}
    for each in _checked(q):
        entropy = -each * np.log2(each) - (1 - each) * np.log2(1 - each)
        curves["optimal"].append(1.0)
        for k in windows:
            one = partial_processing(Independent.identical([1 - each, each], k), k).information
            curves[f"windows of {k}"].append(one / ((k - 1) * entropy))
        curves["masks"].append(asymptotic_efficiency(np.array([1 - each, each]), 2))
    return Schemes(np.asarray(q, dtype=np.float64), _arrays(curves), "disclosed share of H(X), many samples")


def _checked(q: Sequence[float]) -> list[float]:
    values = [float(each) for each in q]
    if not values or not all(0 < each < 1 for each in values):
        raise InputError("q are probabilities strictly between 0 and 1, at least one")
    return values


def _arrays(curves: dict[str, list[float]]) -> dict[str, FloatArray]:
    return {name: np.asarray(values, dtype=np.float64) for name, values in curves.items()}
