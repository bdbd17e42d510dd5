"""The exception tree. A message is one line: what was wrong, where, and what to try. It never shows a private value."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = [
    "ColumnError",
    "DiscreetError",
    "InputError",
    "JointError",
    "MeasureError",
    "MissingExtraError",
    "RequirementError",
    "TableError",
    "UnknownMeasureError",
    "listed",
    "needs_extra",
]


class DiscreetError(Exception):
    """Anything that discreet refuses; the command line turns it into one line and an exit code."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would quote it


class InputError(DiscreetError, ValueError):
    """A value, option or file that cannot be used as given."""


class TableError(InputError):
    """A table that cannot be found, read or counted."""


class ColumnError(InputError):
    """A column that is unknown, named twice, or given two roles."""


class JointError(InputError):
    """Counts that are not a joint: negative, not finite, all zero, or of the wrong shape."""


class MeasureError(InputError):
    """A measure that is unknown, or that this joint cannot answer."""


class UnknownMeasureError(MeasureError, KeyError):
    """A symbol that the registry does not have."""


class RequirementError(DiscreetError):
    """A requirement that the user stated and the data do not meet."""

    exit_code = 1


class MissingExtraError(DiscreetError, ImportError):
    """A part of discreet whose libraries are not installed."""


def needs_extra(module: str, extra: str) -> ModuleType:
    """Import a module of an optional part, or say how to install that part."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(
            f'this needs {module.partition(".")[0]}, which is not installed: pip install "discreet[{extra}]"'
        ) from None


def listed(names: list[str] | tuple[str, ...], most: int = 12) -> str:
    """Names for a message, quoted and cut short."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
