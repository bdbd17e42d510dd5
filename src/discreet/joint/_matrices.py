"""Counts as sparse matrices: S down, X across, stored column by column; and the checks on what users hand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import IntArray
from discreet.errors import ColumnError, JointError
from discreet.tables._labels import Alphabet, Label, combine, order_key, plain

if TYPE_CHECKING:
    from scipy import sparse


def matrix_of(
    s: npt.NDArray[Any], x: npt.NDArray[Any], weights: npt.NDArray[Any], *, shape: tuple[int, int]
) -> sparse.csc_array:
    """Counts by (s, x): two counting sorts, so the cost is that of reading the pairs."""
    from scipy import sparse

    index = np.int32 if max(shape) < 2**31 and len(weights) < 2**31 else np.int64
    pairs = sparse.coo_array((weights, (s.astype(index, copy=False), x.astype(index, copy=False))), shape=shape)
    # Through rows first: the second counting sort is stable, so the s of each x come out in order whether or not the
    # rows were sorted. Claiming that they are spares a sort; repeated pairs stand side by side at the end and are
    # added.
    pairs.has_canonical_format = True
    columns = pairs.tocsr().tocsc()
    columns.has_sorted_indices = True
    columns.has_canonical_format = False
    return canonical(columns, copy=False)


def canonical(matrix: Any, *, copy: bool = True) -> sparse.csc_array:
    """Column by column, rows in order, no repeated and no zero entries; a copy where the caller may keep its own."""
    from scipy import sparse

    result = sparse.csc_array(matrix, copy=copy) if matrix.format == "csc" else sparse.csc_array(matrix)
    result.sum_duplicates()
    result.eliminate_zeros()
    return result


def components_of(counts: sparse.csc_array) -> tuple[int, IntArray, IntArray]:
    """Connected components of the support: how many, and which each s and each x belongs to [AC, Lemma 2].

    Every x joins its first s to its other ones, so the graph searched has the letters of S alone for nodes.
    """
    from scipy import sparse
    from scipy.sparse import csgraph

    n_s = counts.shape[0]
    first = counts.indices[counts.indptr[:-1]]
    edges = (np.repeat(first, np.diff(counts.indptr)), counts.indices)
    if n_s * n_s <= 4 * counts.nnz:  # few s: remove repeated edges by counting
        flat = np.bincount(edges[0].astype(np.int64) * n_s + edges[1], minlength=n_s**2)
        graph: Any = sparse.csr_array(flat.reshape(n_s, n_s))
    else:
        graph = sparse.coo_array((np.ones(len(edges[0]), dtype=np.int32), edges), shape=(n_s, n_s)).tocsr()
    number, of_s = csgraph.connected_components(graph, directed=False)
    of_x = of_s[first]
    earliest = np.unique(of_x, return_index=True)[1]
    rank = np.empty(number, dtype=np.int64)
    rank[np.argsort(earliest)] = np.arange(number)
    return int(number), rank[of_s], rank[of_x]


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array, no longer to be written to."""
    array.flags.writeable = False
    return array


def same_matrix(one: sparse.csc_array, other: sparse.csc_array) -> bool:
    """The same entries in the same places."""
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("indptr", "indices", "data"))


def checked(counts: Any) -> Any:
    """An array or sparse matrix of finite, non-negative numbers, some of them positive."""
    from scipy import sparse

    if sparse.issparse(counts):
        counts = _wide(counts)
    else:
        try:
            counts = np.asarray(counts)
        except ValueError:
            raise JointError("the rows of counts differ in length: give a rectangle, S down and X across") from None
        if counts.ndim != 2:
            raise JointError(f"counts have {counts.ndim} dimension(s): two are needed, S down and X across")
    matrix = sparse.csc_array(counts) if not isinstance(counts, np.ndarray) else None
    data = matrix.data if matrix is not None else counts
    if data.dtype.kind not in "biuf":
        raise JointError(f"counts of type {data.dtype} are not numbers")
    if data.dtype == np.float16:
        return checked(counts.astype(np.float64))
    if data.dtype.kind in "iu" and data.size and float(np.abs(data.astype(np.float64)).sum()) >= 2**62:
        raise JointError("counts add up to more than 64 bits can hold: give a pmf instead")
    if data.dtype.kind == "f" and not np.isfinite(data).all():
        raise JointError("counts contain NaN or infinity: give finite numbers")
    if data.dtype.kind in "if" and (data < 0).any():
        raise JointError("counts contain negative numbers: a count is 0 or more")
    if not data.any():
        raise JointError("all counts are zero: nothing was ever seen")
    return matrix if matrix is not None else sparse.csc_array(counts)


def _wide(counts: Any) -> Any:
    """Repeated entries of a sparse matrix are added up: not in eight bits."""
    return counts.astype(np.int64) if counts.dtype.kind in "iu" else counts


def as_counts(matrix: Any) -> Any:
    """Floats that are all whole numbers are counts."""
    whole = matrix.data
    with np.errstate(over="ignore"):
        total = whole.sum()
    if not np.isfinite(total):  # weights so large that only their ratios can be kept
        matrix = matrix / whole.max()
        whole = matrix.data
    if (whole % 1 == 0).all() and whole.sum() < 2**53:
        return matrix.astype(np.int64)
    return matrix.astype(np.float64)


def given_labels(role: str, labels: Sequence[Label] | None, length: int) -> tuple[Alphabet, IntArray | None]:
    """The alphabet of one axis of an array, and the order that sorts it."""
    if labels is None:
        return Alphabet((np.arange(length),)), None
    try:
        names = [plain(label) for label in labels]
    except TypeError as problem:
        raise JointError(f"a label of {role} of type {problem} is not hashable: use text, numbers or tuples") from None
    if len(names) != length:
        raise JointError(f"{len(names)} labels for {length} letters of {role}: give one per letter")
    if len(set(names)) < len(names):
        raise JointError(f"a label of {role} is given twice: labels are distinct")
    ranked = sorted(range(length), key=lambda i: order_key(names[i]))
    return Alphabet(([names[i] for i in ranked],)), np.asarray(ranked, dtype=np.int64)


def subset(alphabet: Alphabet, names: Sequence[str], role: str) -> tuple[Alphabet, IntArray]:
    """The alphabet of some of the columns, and the new number of every old letter."""
    for name in names:
        if name not in alphabet.names:
            raise ColumnError(f"{name!r} is not a {role} column of this joint")
    if alphabet.codes is None:
        return alphabet, np.arange(len(alphabet))
    parts = []
    for name in names:
        place = alphabet.names.index(name)
        parts.append((Alphabet((alphabet.columns[place],)), alphabet.codes[:, place]))
    if len(parts) == 1:  # a label may be used by no letter any more
        used = np.unique(parts[0][1], return_inverse=True)
        narrowed = parts[0][0].take(used[0])
        return Alphabet(narrowed.columns, None, tuple(names)), used[1].astype(np.int64)
    return combine(parts, names)


def leaving_out_each(alphabet: Alphabet) -> Iterator[tuple[int, IntArray]]:
    """For every column of an alphabet of several, in order, the new number of every old letter without that column.

    The columns outside a stretch are joined once for all columns inside it, so m columns take m log m joins and not m².
    """
    codes = alphabet.codes
    if codes is None:
        return
    waiting: list[tuple[int, int, IntArray]] = [(0, codes.shape[1], np.zeros(len(alphabet), dtype=np.int64))]
    while waiting:
        low, high, outside = waiting.pop()
        if high - low == 1:
            yield low, outside
            continue
        middle = (low + high) // 2
        waiting.append((middle, high, _joined(outside, codes[:, low:middle])))
        waiting.append((low, middle, _joined(outside, codes[:, middle:high])))


def _joined(letters: IntArray, columns: IntArray) -> IntArray:
    """Letters told apart by further columns, numbered from 0."""
    for column in columns.T:
        _, letters = np.unique(letters * (int(column.max()) + 1) + column, return_inverse=True)
    return letters.astype(np.int64)


def first_not_a_pair(records: list[Any]) -> int:
    for i, record in enumerate(records):
        try:
            _, _ = record
        except (TypeError, ValueError):
            return i
    return -1
