"""What is public is written down: a page lists the modules, each lists its names, and everything else has an underscore."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import discreet
from discreet.cli import COMMANDS

PAGE = Path(__file__).parents[1] / "docs" / "python-api.md"


def listed() -> list[str]:
    return re.findall(r"^\| `(discreet[\w.]*)` \|", PAGE.read_text(), re.MULTILINE)


def not_underscored() -> set[str]:
    walked = pkgutil.walk_packages(discreet.__path__, "discreet.")
    names = {module.name for module in walked if not any(part.startswith("_") for part in module.name.split("."))}
    return {"discreet", *names} - {f"discreet.cli.{command}" for command in COMMANDS}


def test_the_page_lists_every_module_without_an_underscore() -> None:
    assert sorted(listed()) == sorted(not_underscored())


@pytest.mark.parametrize("name", listed())
def test_a_public_module_lists_its_names(name: str) -> None:
    module = importlib.import_module(name)
    assert inspect.getdoc(module)
    assert len(set(module.__all__)) == len(module.__all__)
    for public in module.__all__:
        assert not public.startswith("_")
        value = getattr(module, public)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{public} has no docstring"


@pytest.mark.parametrize("name", ["auditing", "joint", "release", "report", "tables"])
def test_a_package_of_results_hides_nothing_and_shows_nothing_else(name: str) -> None:
    """Whatever its __init__ imports is for others."""
    module = importlib.import_module(f"discreet.{name}")
    shown = {key for key, value in vars(module).items() if not key.startswith("_") and not inspect.ismodule(value)}
    assert shown - {"annotations"} == set(module.__all__)
