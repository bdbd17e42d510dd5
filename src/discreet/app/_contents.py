"""What files hold, as short texts: results are known by them, so that a file that is replaced is never taken for the old."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from discreet.errors import TableError
from discreet.recipe import Recipe
from discreet.tables._paths import locate

ABSENT = "absent"
LARGE = (
    1 << 28
)  # bytes, from which a file is known by its size and when it was written: reading it would keep pages waiting


def contents_of(recipe: Recipe) -> dict[str, str]:
    """The digest of every file that a recipe reads, by its path: table, hierarchies, a policy chosen before.

    A table of a database is known by its name alone.
    """
    named = [each.hierarchy for each in recipe.columns.values() if each.hierarchy]
    named += [recipe.search.policy] if recipe.search.policy else []
    return {str(path): digest_of(path) for path in (*table_files(recipe), *map(recipe.path, named))}


def table_files(recipe: Recipe) -> tuple[Path, ...]:
    """The files that a recipe's table is read from; none of a database."""
    table = recipe.data.table
    if not table or "://" in table:
        return ()
    try:
        return tuple(map(Path, locate(str(recipe.path(table))).paths))
    except TableError:  # it is gone: whoever reads it says so
        return (recipe.path(table),)


def digest_of(path: Path) -> str:
    """The digest of a file's content; read again only where the file was touched."""
    try:
        seen = path.stat()
        written = (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        return _digest(path, written) if seen.st_size < LARGE else str(written)
    except OSError:
        return ABSENT


@lru_cache(maxsize=4096)
def _digest(path: Path, written: tuple[int, ...]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
