"""A hook of mkdocs: the reference of Python names, written from docstrings; no public name can be forgotten.

A page asks with `<!-- api: discreet.queries -->`, or for some names only with `<!-- api: discreet: Joint audit -->`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from mkdocs.exceptions import PluginError

_ASKED = re.compile(r"<!-- api: ([\w.]+)(?:: ([\w ]+))? -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put in the names that a page asks for."""
    return _ASKED.sub(lambda asked: names(asked[1], (asked[2] or "").split()), markdown)


def names(module: str, chosen: list[str]) -> str:
    """One section a class or function that the module lists as public."""
    found = importlib.import_module(module)
    public = getattr(found, "__all__", None) or [name for name in vars(found) if not name.startswith("_")]
    if unknown := [name for name in chosen if not hasattr(found, name)]:
        raise PluginError(f"{module} has no {', '.join(unknown)}")
    sections = []
    for name in chosen or public:
        value = getattr(found, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        # Where a module lists nothing, what it defines is public, and what it imports is not.
        if value.__module__ == module or (name in (chosen or getattr(found, "__all__", ()))):
            if not inspect.getdoc(value):
                raise PluginError(f"{module}.{name} has no docstring")
            sections.append(f"::: {value.__module__}.{value.__name__}")
    return "\n\n".join(sections)
