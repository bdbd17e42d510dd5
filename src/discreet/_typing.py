"""The types that many rooms share, each written once: arrays, choices by name, and how progress is reported.

Nothing here needs numpy at run time, so that commands can read the choices before anything heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
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
MissingPolicy = Literal["level", "drop", "error"]
Unseen = Literal["nearest", "suppress"]
Cells = Literal["label", "codeword"]

# What the other rooms are asked for.
Bins = Literal["uniform", "least-leakage"]
Smoothing = Literal["counts", "laplace", "bayes"]
