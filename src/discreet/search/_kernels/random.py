# mypy: ignore-errors
"""Compiled: random numbers that are the same on every machine and version, and a hash."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper


@helper
def mix(x):
    """A fixed scramble of a whole number to 64 bits (splitmix64)."""
    z = (np.uint64(x) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@helper
def new_stream(seed):
    """The state of a stream of random numbers."""
    return np.array([seed | np.uint64(1)], np.uint64)


@helper
def uniform(state):
    """The next number of the stream, in [0, 1): xorshift64*."""
    v = state[0]
    v ^= v >> np.uint64(12)
    v ^= v << np.uint64(25)
    v ^= v >> np.uint64(27)
    state[0] = v
    return float((v * np.uint64(2685821657736338717)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@helper
def below(state, m):
    """An integer in [0, m)."""
    return np.int64(uniform(state) * m)
