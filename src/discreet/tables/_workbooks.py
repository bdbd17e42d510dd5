"""Sheets of Excel workbooks: people.xlsx, or people.xlsx#sheet. They fit in memory, or Excel would not have them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from discreet.errors import TableError
from discreet.tables._paths import EXCEL
from discreet.tables._protocol import check_columns
from discreet.tables._whole_files import WholeFile


class Workbook(WholeFile):
    """One sheet: its first row names the columns."""

    endings = EXCEL

    def columns(self) -> list[str]:
        """The header, without the rest."""
        return self._sheet(header_only=True)[0]

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row; rows without any value are no rows."""
        names, values = self._sheet()
        check_columns(columns, names, self.located().name)
        return [values[names.index(name)][:most] for name in columns]

    def _sheet(self, *, header_only: bool = False) -> tuple[list[str], list[list[object]]]:
        where = self.located()
        return _excel(where.paths[0], where.sheet, header_only=header_only)


def _excel(path: str, sheet: str | None, *, header_only: bool) -> tuple[list[str], list[list[object]]]:
    """A worksheet: the first row names the columns."""
    import openpyxl

    try:
        with _quiet(), closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
            if sheet is not None and sheet not in book.sheetnames:
                raise TableError(f"{path} has no sheet {sheet!r}: it has {', '.join(map(repr, book.sheetnames))}")
            rows = book[sheet or book.sheetnames[0]].iter_rows(values_only=True)
            header = next(rows, ())
            names = ["" if name is None else str(name) for name in header]
            if not any(names):
                raise TableError(f"{path} has no header: the first row must name the columns")
            body = [] if header_only else [row for row in rows if any(cell is not None for cell in row)]
    except (TableError, MemoryError):
        raise
    except Exception:  # a damaged archive fails anywhere, in ways that zip files, XML and the library have many of
        raise TableError(f"{path} is damaged or not an Excel workbook") from None
    # Trailing empty cells are left out of a row by some writers.
    return names, [[row[i] if i < len(row) else None for row in body] for i in range(len(names))]


def further_sheets(table: object) -> list[str]:
    """Name the sheets of a workbook beside the one that is read, hidden ones too; none where a table is no workbook."""
    import openpyxl

    source = Workbook.of(table)
    if source is None:
        return []
    where = source.located()
    with _quiet(), closing(openpyxl.load_workbook(where.paths[0], read_only=True)) as book:
        hidden = {sheet.title: getattr(sheet, "sheet_state", "visible") != "visible" for sheet in book.worksheets}
        read = where.sheet or book.sheetnames[0]
        return [f"{name!r}{' (hidden)' if hidden.get(name) else ''}" for name in book.sheetnames if name != read]


@contextmanager
def _quiet() -> Iterator[None]:
    """The library warns about what it leaves out (validation, styles), which is none of our business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
