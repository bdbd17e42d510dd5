"""Files of statistics packages: Stata, SPSS and SAS (pyreadstat), and R (pyreadr). They are read into memory.

Values that the file has labels for become their labels, as the package itself shows them; empty text is missing, as there. A
column of numbers of which only a few are labelled ("99 or more", "refused") keeps its numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from discreet.errors import TableError, listed, needs_extra
from discreet.tables._frames import Frame
from discreet.tables._labels import is_missing
from discreet.tables._paths import R_FILES, STATISTICS
from discreet.tables._protocol import check_columns
from discreet.tables._whole_files import WholeFile

_READERS = {
    ".dta": ("read_dta", "Stata"),
    ".sav": ("read_sav", "SPSS"),
    ".zsav": ("read_sav", "SPSS"),
    ".por": ("read_por", "SPSS"),
    ".sas7bdat": ("read_sas7bdat", "SAS"),
    ".xpt": ("read_xport", "SAS"),
}


class StatisticsFile(WholeFile):
    """A data set of Stata, SPSS or SAS."""

    endings = STATISTICS

    def columns(self) -> list[str]:
        """The names of its variables, without its rows."""
        return [str(name) for name in self._read(metadataonly=True)[1].column_names]

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row, with value labels for values."""
        check_columns(columns, self.columns(), self.path)
        values, about = self._read(usecols=list(columns), row_limit=most or 0)
        labels = about.variable_value_labels
        return [_labelled(values[name], labels.get(name, {})) for name in columns]

    def _read(self, **options: Any) -> tuple[dict[str, list[Any]], Any]:
        where = self.located()
        reader, package = _READERS[where.kind]
        module = needs_extra("pyreadstat", "stats")
        try:
            found: tuple[dict[str, list[Any]], Any] = getattr(module, reader)(
                where.paths[0], output_format="dict", **options
            )
        except MemoryError:
            raise
        except Exception:  # the library has many, and some of them quote cells
            raise TableError(f"{self.path} is damaged, or not a file of {package}") from None
        return found


class RFile(WholeFile):
    """A data frame that R has saved: people.rds, or people.rdata#name where there are several."""

    endings = R_FILES

    def columns(self) -> list[str]:
        """The names of its columns."""
        return self._frame().columns()

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row; factors by their levels."""
        return self._frame().read(columns, most)

    def _frame(self) -> Frame:
        where = self.located()
        module = needs_extra("pyreadr", "r")
        try:
            found = dict(module.read_r(where.paths[0]))
        except MemoryError:
            raise
        except Exception:
            raise TableError(f"{where.name} is damaged, or holds no data frame of R") from None
        names = [str(name) for name in found]
        if where.sheet is not None and where.sheet not in names:
            raise TableError(f"{where.name} has no data frame {where.sheet!r}: it has {listed(names)}")
        if where.sheet is None and len(found) != 1:
            raise TableError(
                f"{where.name} holds {len(found)} data frames ({listed(names)}): name one, as '{where.name}#{names[0]}'"
                if found
                else f"{where.name} holds no data frame"
            )
        return Frame(found[where.sheet] if where.sheet is not None else next(iter(found.values())))


def _labelled(values: Sequence[Any], labels: dict[Any, str]) -> list[Any]:
    """Labels for values; where two values have one label, both keep their value beside it, so that they stay apart.

    Where most of the numbers that occur have no label, they are amounts, and labels would make text of them.
    """
    occurring = {value for value in values if isinstance(value, int | float) and not is_missing(value)}
    if labels and 2 * len(occurring - labels.keys()) > len(occurring):
        labels = {}
    twice = {label for label, times in Counter(labels.values()).items() if times > 1}
    names = {
        value: f"{label} ({value:g})" if label in twice and not isinstance(value, str) else label
        for value, label in labels.items()
    }
    return [None if value == "" or is_missing(value) else names.get(value, value) for value in values]
