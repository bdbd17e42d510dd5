# mypy: ignore-errors
"""Compiled: partitions as arrays, one block for each letter: their blocks in rows, and what merges make of them."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel


@helper
def rows_of_blocks(labels, blocks):
    """Letters listed block by block, (offsets, letters); labels are 0 .. blocks - 1."""
    offsets = np.zeros(blocks + 1, np.int64)
    for i in range(len(labels)):
        offsets[labels[i] + 1] += 1
    place = np.empty(blocks, np.int64)
    for b in range(blocks):
        place[b] = offsets[b]
        offsets[b + 1] += offsets[b]
    letters = np.empty(len(labels), np.int64)
    for i in range(len(labels)):
        letters[place[labels[i]]] = i
        place[labels[i]] += 1
    return offsets, letters


@kernel
def group_by_block(block_of):
    """The same for any labels below n, blocks in the order of their lowest letter."""
    rank = np.full(len(block_of), -1, np.int64)
    labels = np.empty(len(block_of), np.int64)
    blocks = np.int64(0)
    for i in range(len(block_of)):
        if rank[block_of[i]] < 0:
            rank[block_of[i]] = blocks
            blocks += 1
        labels[i] = rank[block_of[i]]
    return rows_of_blocks(labels, blocks)


@kernel
def block_distinct(indptr, indices, n_s, offsets, members):
    """|[[S|block]]| of every block; one stamp per s makes it O(nnz)."""
    stamp = np.full(n_s, -1, np.int64)
    out = np.zeros(len(offsets) - 1, np.int64)
    for b in range(len(out)):
        for t in range(offsets[b], offsets[b + 1]):
            x = members[t]
            for e in range(indptr[x], indptr[x + 1]):
                if stamp[indices[e]] != b:
                    stamp[indices[e]] = b
                    out[b] += 1
    return out
