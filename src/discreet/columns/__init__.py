"""What a public column is: its type, how its values become codes, and what a coarse cell of it says and costs."""

from discreet.columns._axes import SetAxis, axis_of
from discreet.columns._axis import Axis, Cell
from discreet.columns._guess import ColumnGuess, guess_columns, guess_type
from discreet.columns._hierarchy import Hierarchy, HierarchyError
from discreet.columns._line_axis import LineAxis
from discreet.columns._tree_axis import TreeAxis
from discreet.columns._types import KINDS, UNITS, ColumnType, parse_type

__all__ = [
    "KINDS",
    "UNITS",
    "Axis",
    "Cell",
    "ColumnGuess",
    "ColumnType",
    "Hierarchy",
    "HierarchyError",
    "LineAxis",
    "SetAxis",
    "TreeAxis",
    "axis_of",
    "guess_columns",
    "guess_type",
    "parse_type",
]
