"""What is on the disk for a while: remembered, so that it is gone also when the process has to leave without unwinding."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_REMEMBERED: set[Path] = set()


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder that goes away."""
    path = Path(tempfile.mkdtemp(prefix="discreet-"))
    _REMEMBERED.add(path)
    try:
        yield str(path)
    finally:
        _remove(path)


@contextmanager
def scratch_file(folder: Path, prefix: str, suffix: str) -> Iterator[Path]:
    """An empty file in a folder; it goes away unless it was given another name by then."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=prefix, suffix=suffix)
    path = Path(name)
    _REMEMBERED.add(path)
    os.close(handle)
    try:
        yield path
    finally:
        _remove(path)


def sweep() -> None:
    """Remove all that is there now."""
    for path in list(_REMEMBERED):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
    _REMEMBERED.discard(path)
