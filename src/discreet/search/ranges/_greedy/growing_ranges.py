# mypy: ignore-errors
"""Compiled: the ranges [[S|block]] as sets that only grow, and which blocks have equal ones.

Few s: one bit each. Many: one hash table holds the pairs (set, s), and joining moves the smaller set into the
larger, so that a whole run costs O(nnz log nnz) however many s there are. A 64-bit digest finds candidates
for equality; equality itself is always decided on the elements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet._compile import helper
from discreet.search._kernels.random import mix

_VACANT = -1
_MOST_WORDS = 16  # bitsets up to 1024 levels of S


class Ranges(NamedTuple):
    """Sets of s by set number, the set of each block, and the class of each block (equal ranges, equal
    class).
    """

    n_s: int
    words: Any  # uint64[n, n_s / 64] bitsets by set; no columns when there are too many s
    code: Any  # int32[nnz]: the s of an element
    following: Any  # int64[nnz]: next element of the same set
    first: Any  # int64[n]
    last: Any  # int64[n]
    size: Any  # int64[n]: |[[S|.]]| by set
    digest: Any  # uint64[n]
    table: Any  # int64[capacity]: set * n_s + s
    used: Any  # int64[1]: occupied places of the table, those of vanished sets included
    set_of: Any  # int64[n]: the set of each block
    label: Any  # int64[n]: the class of each block
    index: Any  # int64[places]: open addressing, digest -> class
    known: Any  # int64[1]: classes numbered so far
    class_digest: Any  # uint64[2n]
    class_head: Any  # int64[2n]: some block of the class, -1 when it has none
    after: Any  # int64[n]: blocks of one class, doubly linked
    before: Any  # int64[n]


@helper
def _place(table, key):
    """Where the key is, or the vacant place where it would go."""
    mask = len(table) - 1
    at = np.int64(mix(key) & np.uint64(mask))
    while table[at] != _VACANT and table[at] != key:
        at = (at + 1) & mask
    return at


@helper
def _contains(ranges, number, s):
    key = number * ranges.n_s + s
    return ranges.table[_place(ranges.table, key)] == key


@helper
def _weigh(ranges, number):
    """Size and digest of a set from its bits."""
    size, digest = np.uint64(0), np.uint64(0)
    for w in range(ranges.words.shape[1]):
        v = ranges.words[number, w]
        digest = mix(digest ^ v)
        v -= (v >> np.uint64(1)) & np.uint64(0x5555555555555555)
        v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
        v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        size += (v * np.uint64(0x0101010101010101)) >> np.uint64(56)
    ranges.size[number], ranges.digest[number] = np.int64(size), digest


@helper
def _same(ranges, one, two):
    if ranges.size[one] != ranges.size[two]:
        return False
    if ranges.words.shape[1] > 0:
        for w in range(ranges.words.shape[1]):
            if ranges.words[one, w] != ranges.words[two, w]:
                return False
        return True
    element = ranges.first[one]
    while element >= 0:
        if not _contains(ranges, two, ranges.code[element]):
            return False
        element = ranges.following[element]
    return True


@helper
def _join_class(ranges, block, label):
    head = ranges.class_head[label]
    ranges.label[block], ranges.after[block], ranges.before[block] = label, head, -1
    if head >= 0:
        ranges.before[head] = block
    ranges.class_head[label] = block


@helper
def _classify(ranges, block):
    """Give the block the class of the blocks with its range, or a class of its own."""
    number = ranges.set_of[block]
    digest = ranges.digest[number]
    mask = len(ranges.index) - 1
    at = np.int64(digest & np.uint64(mask))
    deserted = -1
    label = -1
    while ranges.index[at] != _VACANT:
        candidate = ranges.index[at]
        if ranges.class_digest[candidate] == digest:
            head = ranges.class_head[candidate]
            if head < 0:
                deserted = candidate
            elif _same(ranges, number, ranges.set_of[head]):
                label = candidate
                break
        at = (at + 1) & mask
    if label < 0 and deserted >= 0:
        # A number nobody bears any more; without it a range that comes and goes would fill the index.
        label = deserted
    if label < 0:
        label = ranges.known[0]
        ranges.known[0] += 1
        ranges.class_digest[label] = digest
        ranges.index[at] = label
    _join_class(ranges, block, label)


@helper
def _leave_class(ranges, block):
    after, before = ranges.after[block], ranges.before[block]
    if before >= 0:
        ranges.after[before] = after
    else:
        ranges.class_head[ranges.label[block]] = after
    if after >= 0:
        ranges.before[after] = before


@helper
def new_ranges(indptr, indices, n_s):
    """The ranges of single letters, from compressed rows."""
    n, nnz = len(indptr) - 1, len(indices)
    words = (n_s + 63) // 64
    if words > _MOST_WORDS:
        words = 0
    capacity, places = 8, 8
    while capacity < 4 * nnz and words == 0:
        capacity *= 2
    while places < 4 * n:
        places *= 2
    ranges = Ranges(
        n_s,
        np.zeros((n, words), dtype=np.uint64),
        indices,
        np.full(nnz, -1, dtype=np.int64),
        indptr[:-1].copy(),
        indptr[1:] - 1,
        np.diff(indptr),
        np.zeros(n, dtype=np.uint64),
        np.full(capacity, _VACANT, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.arange(n),
        np.empty(n, dtype=np.int64),
        np.full(places, _VACANT, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(2 * n, dtype=np.uint64),
        np.full(2 * n, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64),
    )
    for x in range(n):
        for element in range(indptr[x], indptr[x + 1]):
            if element + 1 < indptr[x + 1]:
                ranges.following[element] = element + 1
            if words > 0:
                ranges.words[x, indices[element] // 64] |= np.uint64(1) << np.uint64(indices[element] % 64)
            else:
                ranges.digest[x] += mix(indices[element])
                key = x * n_s + indices[element]
                ranges.table[_place(ranges.table, key)] = key
                ranges.used[0] += 1
        if words > 0:
            _weigh(ranges, x)
    for x in range(n):
        _classify(ranges, x)
    return ranges


@helper
def _sweep(ranges, alive):
    """Rebuild the table from the sets that are still in use."""
    ranges.table[:] = _VACANT
    ranges.used[0] = 0
    for block in range(len(alive)):
        if not alive[block]:
            continue
        number = ranges.set_of[block]
        element = ranges.first[number]
        while element >= 0:
            key = number * ranges.n_s + ranges.code[element]
            ranges.table[_place(ranges.table, key)] = key
            ranges.used[0] += 1
            element = ranges.following[element]


@helper
def _absorb(ranges, large, small):
    """Enter one set's elements into another."""
    if ranges.words.shape[1] > 0:
        for w in range(ranges.words.shape[1]):
            ranges.words[large, w] |= ranges.words[small, w]
        _weigh(ranges, large)
        return
    element = ranges.first[small]
    while element >= 0:
        following = ranges.following[element]
        s = ranges.code[element]
        key = large * ranges.n_s + s
        at = _place(ranges.table, key)
        if ranges.table[at] != key:
            ranges.table[at] = key
            ranges.used[0] += 1
            ranges.following[ranges.last[large]] = element
            ranges.following[element] = -1
            ranges.last[large] = element
            ranges.size[large] += 1
            ranges.digest[large] += mix(s)
        element = following


@helper
def unite_ranges(ranges, a, b, alive):
    """[[S|a ∪ b]] for the block a; b leaves. Returns its number of distinct s.

    `alive` says which blocks there are, b still among them.
    """
    if ranges.used[0] > len(ranges.table) // 2:
        _sweep(ranges, alive)
    large_block = a if ranges.size[ranges.set_of[a]] >= ranges.size[ranges.set_of[b]] else b
    large, label = ranges.set_of[large_block], ranges.label[large_block]
    size = ranges.size[large]
    _absorb(ranges, large, ranges.set_of[a + b - large_block])
    _leave_class(ranges, a)
    _leave_class(ranges, b)
    ranges.set_of[a] = large
    if ranges.size[large] == size:
        _join_class(ranges, a, label)  # nothing new: a giant range that swallows small ones is not compared again
    else:
        _classify(ranges, a)
    return ranges.size[large]
