"""The types that many rooms share, each written once: arrays, choices by name, and how progress is reported.

Nothing here needs numpy at run time, so that commands can read the choices before anything heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    import numpy as np
    import numpy.typing as npt

FloatArray: TypeAlias = "npt.NDArray[np.float64]"
IntArray: TypeAlias = "npt.NDArray[np.int64]"
BoolArray: TypeAlias = "npt.NDArray[np.bool_]"

Progress = Callable[[str, float | None], None]
"""Told what is being done and how much of it is done, from 0 to 1, or None where nobody knows."""

# What a frontier is asked for.
Leakage = Literal["L0", "I*", "L0|I*=0", "I", "Lmin", "I_inf"] | str  # or D_2, D_inf: any order
UtilityName = Literal["resolution", "distortion", "information"]
Method = Literal[
    "auto",
    "agglomerative",
    "exact",
    "iac-mdsf",
    "pairwise",
    "sweeney",
    "mondrian",
    "equal-width",
    "equal-frequency",
]
Codeword = Literal["centroid", "medoid", "chebyshev"]
Problem = Literal["funnel", "bottleneck"]
Cost = Literal["size", "distortion"]  # what a search over ranges minimises: log of a block's size, or max d

# What a table and a release are asked for.
Stopped = Literal["time", "interrupt"]  # what ended a search before it was done
Engine = Literal["auto", "spark"]
MissingPolicy = Literal["level", "drop", "error"]
Unseen = Literal["nearest", "suppress"]
Cells = Literal["label", "codeword"]
KeepAnyway: TypeAlias = (
    "bool | str | Sequence[str]"  # columns that are kept whatever they break; True: all that are kept
)
Cuts = Literal["round", "halfway"]


class Limits(TypedDict, total=False):
    """What counting a file may use, such as "2GB", and who is told how far it is."""

    memory_limit: str | None
    progress: Progress | None


class Reading(Limits, total=False):
    """How a table is read; see `Joint.from_table`."""

    missing: MissingPolicy | Literal["wildcard"]  # wildcards are for audits alone
    na: str | Iterable[str]
    coarsen: Mapping[str, Any] | None


# What the other rooms are asked for.
Bins = Literal["uniform", "least-leakage"]
Smoothing = Literal["counts", "laplace", "bayes"]


@runtime_checkable
class Result(Protocol):
    """What every result does: it tells itself as what JSON can hold, and shows itself in a notebook.

    Neither ever shows a sensitive value unless it was asked to. A result that can be drawn is also `Plotted`, one that
    can be kept is also `Saved`; a test walks them all.
    """

    def to_dict(self) -> dict[str, Any]: ...

    def _repr_html_(self) -> str: ...


@runtime_checkable
class Plotted(Protocol):
    """A result that can be drawn: `plot` gives a matplotlib figure."""

    def plot(self) -> Any: ...


@runtime_checkable
class Saved(Protocol):
    """A result that can be kept: `save` writes it whole or not at all, `load` reads it and trusts nobody."""

    def save(self, path: str | Path) -> None: ...

    @classmethod
    def load(cls, path: str | Path) -> Self: ...
