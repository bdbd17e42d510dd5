# mypy: ignore-errors
"""Local search over bases whose columns are words: data sets written out, where cells are too many to list."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel
from discreet.sample_privacy._bases_kernels import masses_of
from discreet.sample_privacy._simplex_kernels import PIVOT, copy_into, information, invert


@helper
def _uniform(state):
    """A number in [0, 1) and the next state, by xorshift: the same draws on every machine."""
    s = state[0]
    s ^= s << np.uint64(13)
    s ^= s >> np.uint64(7)
    s ^= s << np.uint64(17)
    state[0] = s
    return np.float64(s >> np.uint64(11)) / 9007199254740992.0


@helper
def _price(word, classes, weights, codes, prices):
    """Price of a word by its type; a word that cannot occur is forbidden."""
    code = np.int64(0)
    for i in range(len(word)):
        code += weights[classes[i], word[i]]
    at = np.searchsorted(codes, code)
    if at < len(codes) and codes[at] == code:
        return prices[at]
    return -1e9


@kernel
def word_columns(words, offsets, r):
    """Columns of A for words: one, and an indicator for every sample and value but the first: r × words."""
    found = np.zeros((r, len(words)))
    for k in range(len(words)):
        found[0, k] = 1.0
        for i in range(words.shape[1]):
            if words[k, i] > 0:
                found[offsets[i] + words[k, i] - 1, k] = 1.0
    return found


@kernel
def descend_words(words, b, offsets, sizes, classes, weights, codes, prices, tries, steps, state):
    """`descend` where cells are too many to scan: neighbours enter by words near those of the basis.

    Tried at each step: every change of one sample of a word with mass, and ``tries`` words with a swap, a few random
    changes, or a mixture of two words. ``words`` (rank × n) is updated; returns the value reached.
    """
    r, n = words.shape
    identity = np.arange(r)
    value = np.inf
    word = np.empty(n, np.int64)
    best_word = np.empty(n, np.int64)
    direction = np.empty(r)
    price = np.empty(r)
    for _ in range(steps):
        inverse, sound = invert(word_columns(words, offsets, r), identity)
        if not sound:
            return np.inf
        masses = masses_of(inverse, b)
        linear = 0.0
        value = 0.0
        for k in range(r):
            price[k] = _price(words[k], classes, weights, codes, prices)
            linear += price[k] * masses[k]
            value += information(masses[k])
        value -= linear
        singles = 0
        for i in range(n):
            singles += sizes[i] - 1
        best, leaving = value - 1e-9, -1
        for trial in range(r * singles + tries):
            if trial < r * singles:
                k = trial // singles
                if masses[k] <= 0.0:
                    continue
                copy_into(word, words[k])
                at = trial - k * singles
                i = 0
                while at >= sizes[i] - 1:
                    at -= sizes[i] - 1
                    i += 1
                word[i] = at if at < word[i] else at + 1
            else:
                k = int(_uniform(state) * r)
                copy_into(word, words[k])
                kind = _uniform(state)
                if kind < 0.4:
                    i, j = int(_uniform(state) * n), int(_uniform(state) * n)
                    if sizes[i] == sizes[j]:
                        word[i], word[j] = word[j], word[i]
                elif kind < 0.7:
                    other = int(_uniform(state) * r)
                    for i in range(n):
                        if _uniform(state) < 0.5:
                            word[i] = words[other, i]
                else:
                    for _ in range(2 + int(_uniform(state) * 4)):
                        i = int(_uniform(state) * n)
                        word[i] = int(_uniform(state) * sizes[i])
            here = _price(word, classes, weights, codes, prices)
            if here <= -1e8:
                continue
            for k in range(r):
                d = inverse[k, 0]
                for i in range(n):
                    if word[i] > 0:
                        d += inverse[k, offsets[i] + word[i] - 1]
                direction[k] = d if abs(d) > PIVOT else 0.0
            step, row = np.inf, -1
            for k in range(r):
                if direction[k] > 0.0 and masses[k] < step * direction[k]:
                    step, row = masses[k] / direction[k], k
            if row < 0 or step <= 0.0:
                continue
            gain = here
            for k in range(r):
                gain -= price[k] * direction[k]
            there = information(step) - linear - step * gain
            for k in range(r):
                if k != row:
                    there += information(masses[k] - step * direction[k])
            if there < best:
                best, leaving = there, row
                copy_into(best_word, word)
        if leaving < 0:
            break
        copy_into(words[leaving], best_word)
        value = best
    return value
