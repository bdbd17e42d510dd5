# mypy: disable-error-code="no-untyped-call, call-overload, attr-defined, import-untyped"
"""How kernels are compiled: `@kernel` for what Python calls, `@helper` for what only kernels call.

Compiled kernels are kept in one folder of the user's cache, whose name is a hash over the sources of all kernels, numba,
llvmlite, Python and the processor: numba itself looks at a kernel's own file only, and would run a kernel with the helper
that it was compiled with long after the helper has changed.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher, cpu_target

from discreet._cache import kernel_folder

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same kernel
    fcntl = None  # type: ignore[assignment]

MARK = b"from discreet._compile import "
PATIENCE = 120.0
"""Seconds to wait for a kernel that another process compiles."""


def kernel(function: Callable[..., Any] | None = None, *, nogil: bool = False) -> Any:
    """Compile a function that Python calls."""
    if function is None:
        return lambda function: kernel(function, nogil=nogil)
    return _cached(numba.njit(nogil=nogil, no_cfunc_wrapper=True)(function))


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call, without what Python needs to call it."""
    made = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)
    if isinstance(made, CPUDispatcher):
        made.__class__ = _Helper
    return _cached(made)


class _Helper(CPUDispatcher):
    """A compiled function that Python cannot call: without a wrapper, the process would crash."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} is a helper, which only kernels call: make it a kernel")


def _cached(made: Any) -> Any:
    if isinstance(made, CPUDispatcher) and folder() is not None:
        made._cache = _KernelCache(made.py_func)
        _check_source(made.py_func.__module__, made.py_func.__code__.co_filename)
    return made


@cache
def key() -> str:
    """Hash all that a compiled kernel depends on."""
    codegen = cpu_target.target_context.codegen()
    versions = numba.__version__, llvmlite.__version__, sys.version, codegen.magic_tuple()
    return hashlib.sha256(repr((versions, sorted(_sources().items()))).encode()).hexdigest()[:24]


@cache
def _sources() -> dict[str, str]:
    """Hash each module that defines kernels; they import none but one another, so that these are all that is compiled."""
    return dict(_hash_sources(importlib.resources.files("discreet"), "discreet"))


def _hash_sources(where: Traversable, package: str) -> Iterator[tuple[str, str]]:
    for each in where.iterdir():
        if each.name.endswith(".py"):
            if MARK in (source := each.read_bytes()):
                yield f"{package}.{each.name.removesuffix('.py')}", hashlib.sha256(source).hexdigest()
        elif each.is_dir() and each.name != "__pycache__":
            yield from _hash_sources(each, f"{package}.{each.name}")


@cache
def _check_source(module: str, file: str) -> None:
    """Keep no kernel from now on if a module was edited after it was hashed and before it was loaded."""
    try:
        source = Path(file).read_bytes()
    except OSError:  # in an archive, which nobody edits
        return
    if _sources().get(module) != hashlib.sha256(source).hexdigest():
        _KernelCache.is_trusted = False


@cache
def folder() -> Path | None:
    """Where compiled kernels are kept; None: nowhere, since nothing can be written."""
    return kernel_folder(key())


class _Locator(_CacheLocator):
    """Tells numba that all kernels are kept in one folder, and are good as long as it has its name."""

    def __init__(self, function: Any) -> None:
        self._py_file = function.__code__.co_filename  # for numba's warnings

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(folder())

    def get_source_stamp(self) -> str:
        return key()

    def get_disambiguator(self) -> str:
        return ""


class _Storage(CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]  # noqa: RUF012, as numba has it

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._filename_base = f"{py_func.__module__}.{py_func.__qualname__}".removeprefix("discreet.")


class _KernelCache(FunctionCache):
    """One kernel on the disk. A process that finds none compiles it, and those that need it meanwhile wait for it."""

    _impl_class = _Storage
    is_trusted = True

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self.is_trusted:
            return None
        found = self._load(sig, target_context)
        if found is None and _lock(self._impl.filename_base):  # whoever had the lock before may have compiled it
            found = self._load(sig, target_context)
            if found is not None:
                _unlock(self._impl.filename_base)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            if self.is_trusted:
                super().save_overload(sig, data)
        except OSError:  # read-only, or the disk is full: it is compiled all the same
            pass
        finally:
            _unlock(self._impl.filename_base)

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever is wrong with a file, the kernel can be compiled anew
            with suppress(OSError):
                self.flush()
            return None


@cache
def _lock_file() -> int | None:
    """One file for the locks of all kernels, each a byte of it; they end with the process, however that ends."""
    try:
        return os.open(Path(str(folder()), "locks"), os.O_RDWR | os.O_CREAT, 0o666) if fcntl else None
    except OSError:
        return None


def _lock(name: str) -> bool:
    """Wait until no other process compiles this kernel; False: it cannot be known, or took too long."""
    file = _lock_file()
    if file is None:
        return False
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, zlib.crc32(name.encode()))
            return True
        except (BlockingIOError, PermissionError):
            time.sleep(0.02)
        except OSError:  # a file system without locks
            return False
    return False


def _unlock(name: str) -> None:
    file = _lock_file()
    if file is not None:
        try:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, zlib.crc32(name.encode()))
        except OSError:
            return
