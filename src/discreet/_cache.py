"""The folders of this user's cache: downloads, and kernels that were compiled for this machine."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

KEPT = 3
"""How many sets of compiled kernels are kept, however old they are."""

WEEK = 7 * 24 * 3600.0
"""Seconds for which a set of compiled kernels is kept in any case."""


def cache_folder() -> Path:
    """Where downloads are kept: $DISCREET_CACHE, else the folder `discreet` in the platform's cache of the user."""
    if named := os.environ.get("DISCREET_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "discreet"


def kernel_folder(key: str) -> Path | None:
    """Find the folder of compiled kernels with this key: in $NUMBA_CACHE_DIR if that is set, else in the user's cache.

    A folder that holds kernels already may be read-only: a container image or a cluster shares it. Where nothing can be
    written, not beside the package either, there is none: kernels are compiled for each process anew.
    """
    for place in _places():
        folder = place / key
        try:
            is_new = not folder.is_dir()
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                os.utime(folder)  # it was used now
        except OSError:
            if next(folder.glob("*.nbi"), None) is None:
                continue
        else:
            if is_new:
                _sweep(place)
        return folder
    return None


def _places() -> Iterator[Path]:
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(named) / "discreet"
    with suppress(RuntimeError):  # there is no home
        yield cache_folder() / "kernels"
    yield Path(__file__).parent / "__pycache__" / "kernels"


def _sweep(place: Path) -> None:
    """Remove the kernels of other versions that nobody has used for a week, but for the latest."""
    used = {each: each.stat().st_mtime for each in place.iterdir() if each.is_dir()}
    for folder in sorted(used, key=used.__getitem__, reverse=True)[KEPT:]:
        if used[folder] < time.time() - WEEK:
            shutil.rmtree(folder, ignore_errors=True)
