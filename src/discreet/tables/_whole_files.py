"""What files have in common that are read into memory whole: those of workbooks and of statistics packages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet._typing import IntArray
from discreet.errors import TableError
from discreet.tables._paths import Located, locate, path_parts

if TYPE_CHECKING:
    from typing import Self

    from discreet._typing import Progress


@dataclass(frozen=True)
class WholeFile(ABC):
    """A file that is known by how it ends, and holds one table, or several by name: file.xlsx#name."""

    path: str
    endings: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, table: object) -> Self | None:
        """A path that ends so names one."""
        if not isinstance(table, str | PathLike):
            return None
        path = str(fspath(table))
        return cls(path) if path_parts(path)[1] in cls.endings else None

    @property
    def name(self) -> str:
        """The path, as it was given."""
        return self.path

    def files(self) -> list[str]:
        """The file itself, without the name of a table in it."""
        return list(locate(self.path).paths)

    @abstractmethod
    def columns(self) -> list[str]:
        """The names of its columns, in order."""

    @abstractmethod
    def read(self, columns: Sequence[str]) -> list[Any]:
        """The named columns row by row."""

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """Every row, counting once."""
        found = self.read(columns)
        return found, np.ones(len(found[0]), dtype=np.int64)

    def located(self) -> Located:
        """The file, which is one alone."""
        where = locate(self.path)
        if len(where.paths) > 1:
            raise TableError(f"{self.path} names several files: name one")
        return where
