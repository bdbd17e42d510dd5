"""Helpers that only kernels call, for tests that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def from_python(helper: Any) -> Callable[..., Any]:
    """Compile a function that calls a helper with its arguments: Python itself cannot."""
    import numba

    def call(*arguments: Any) -> Any:
        return helper(*arguments)

    compiled: Callable[..., Any] = numba.njit(call)
    return compiled
