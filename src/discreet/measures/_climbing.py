"""The prior that suits the adversary best: a concave function of p(s) climbed to a certified gap.

The functions here depend on p through r_x = Σ_s p(s) c(s, x), so that their second derivatives are a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray

if TYPE_CHECKING:
    from scipy import sparse

DENSE = 2_000  # letters of S up to which Newton's matrix is kept
_CELLS = 20_000_000  # a channel of up to this many cells is multiplied densely
_STEPS = 300

Value = tuple[float, FloatArray, FloatArray]  # f(p), its gradient, and how fast the slope in each r_x falls
Proof = Callable[[float, FloatArray, FloatArray], bool]  # of f(p), its gradient and p


def excess(gradient: FloatArray, p: FloatArray) -> float:
    """How far any prior's f may be above f(p), by concavity: max_s ∂f/∂p(s) − Σ_s p(s) ∂f/∂p(s)."""
    return max(0.0, float(gradient.max()) - float(np.dot(p, gradient)))


def newton(channel: sparse.csc_array, f: Callable[[FloatArray], Value], is_proven: Proof) -> float | None:
    """The largest f by Newton steps on f(p) + μ Σ log p(s) along falling μ; quadratic, but a dense matrix of |[[S]]| squared.

    None where the steps run out before the value is proven.
    """
    n_s = channel.shape[0]
    matrix = channel.toarray() if channel.shape[0] * channel.shape[1] <= _CELLS else channel
    p = np.full(n_s, 1.0 / n_s)
    barrier = 0.1 / n_s
    for _ in range(_STEPS):
        value, gradient, curvature = f(p)
        if is_proven(value, gradient, p):
            return value
        # In the scaled step u = d/p the system is P A P + μ I, well conditioned however small p(s) gets.
        hessian = (matrix * curvature) @ matrix.T
        system = (hessian if isinstance(hessian, np.ndarray) else hessian.toarray()) * np.outer(p, p)
        system[np.diag_indices(n_s)] += barrier
        solved = np.linalg.solve(system, np.stack([p * gradient + barrier, p], axis=1))
        slope = float(np.dot(p, solved[:, 0]) / np.dot(p, solved[:, 1]))  # keeps Σ p(s) = 1
        step = solved[:, 0] - slope * solved[:, 1]
        length = min(1.0, 0.9 / max(1e-300, -float(step.min())))
        p = p * (1 + length * step)
        p /= p.sum()
        if length == 1.0:
            barrier *= 0.1
    return None
