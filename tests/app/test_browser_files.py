"""Other tables in Chromium: a hierarchy that is replaced, a table that changes, dates with times of day."""

from __future__ import annotations

import csv
import datetime as dt
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import App
from tests.app.test_browser import button, command, downloaded, explored, on, unpacked
from tests.app.test_browser_more import _roles

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
TOWNS = ("Bonn", "Cork", "Graz", "Lyon", "Rome", "Turin")


def stays(path: Path, rows: int = 240) -> Path:
    """A table of made-up stays in six towns."""
    draw = random.Random(5)
    lines = [f"{draw.choice(TOWNS)},{draw.choice(('flu', 'cold', 'asthma', 'none'))}" for _ in range(rows)]
    lines += [f"{town},flu" for town in TOWNS[:2]]
    path.write_text("\n".join(["town,illness", *lines]) + "\n")
    return path


def hierarchy(path: Path, *names: str) -> Path:
    """The towns two by two, under these names."""
    path.write_text("".join(f"{town};{names[i // 2]};*\n" for i, town in enumerate(TOWNS)))
    return path


def use_hierarchy(page: Any, words: str, path: Path) -> None:
    """Give the one category of the page a file as ARX writes them."""
    button(page, words).click()
    page.locator(".q-dialog input[type=file]").set_input_files(path)
    page.locator(".q-dialog").wait_for(state="hidden")


def released(page: Any, folder: Path) -> set[str]:
    """Search, release, and the towns as they were released."""
    explored(page)
    button(page, "Compare and release").click()
    on(page, "release")
    page.get_by_text("Take it away").wait_for()
    return _column(downloaded(page, "released.csv", folder), "town")


def test_a_replaced_hierarchy_and_a_table_that_changed_are_read_again(app: App, tmp_path: Path) -> None:
    table = stays(tmp_path / "stays.csv")
    page = app.page()
    page.get_by_label("Path, or database URL#table").fill(str(table))
    button(page, "Open").click()
    button(page, "Continue: who may know what").click()
    on(page, "roles")
    _roles(page, town="Public", illness="Sensitive")
    use_hierarchy(page, "Group categories…", hierarchy(tmp_path / "one.csv", "north", "middle", "south"))
    page.goto(page.url.replace("/roles", "/frontier"))
    page.get_by_text("What every group must have, and how long to look").click()
    page.get_by_label("records that look alike (n)").fill("50")
    button(page, "Look again").click()
    assert released(page, tmp_path) <= {"north", "middle", "south", "*"}
    root = page.url.removesuffix("/release")
    page.goto(f"{root}/roles")
    use_hierarchy(page, "Change the groups…", hierarchy(tmp_path / "two.csv", "left", "centre", "right"))
    page.get_by_role("link", name="Release").wait_for(state="hidden")  # there is none of the new hierarchy yet
    page.goto(f"{root}/release")
    on(page, "frontier")
    assert released(page, tmp_path) <= {"left", "centre", "right", "*"}
    keep = unpacked(page, "private-to-keep.zip", tmp_path / "keep")
    assert (keep / "private-hierarchy-town.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    shutil.copy(table, keep)
    command("release", "--recipe", str(keep / "recipe.toml"))  # elsewhere: with what is in the folder, and nothing else
    assert (keep / "released.csv").read_bytes() == (tmp_path / "released.csv").read_bytes()
    assert str(tmp_path) not in (keep / "recipe.toml").read_text()
    stays(table, rows=480)
    page.goto(f"{root}/data")
    page.get_by_text("482", exact=True).wait_for()
    page.goto(f"{root}/risk")
    page.get_by_text("of 482").first.wait_for()
    page.goto(f"{root}/roles")
    page.get_by_text("Release town, coarser, and protect illness.").wait_for()  # what was said of columns still stands
    assert not app.complaints
    page.close()


def test_dates_with_times_are_released_by_the_day(app: App, tmp_path: Path) -> None:
    draw = random.Random(3)
    start = dt.datetime(2023, 7, 3, 9, 53)
    moments = [start + dt.timedelta(minutes=draw.randrange(50 * 24 * 60)) for _ in range(300)]
    rows = [f"{moment},{draw.choice(('flu', 'cold', 'asthma', 'none'))}" for moment in moments]
    (tmp_path / "stays.csv").write_text("\n".join(["admitted,illness", *rows]) + "\n")
    page = app.page()
    page.locator("input[type=file]").set_input_files(tmp_path / "stays.csv")
    page.get_by_text("dates with times").wait_for()
    button(page, "Continue: who may know what").click()
    on(page, "roles")
    page.get_by_text("public, date: dates with times, released by the day").wait_for()
    _roles(page, admitted="Public", illness="Sensitive")
    page.get_by_role("group", name="admitted").get_by_text("days", exact=True).wait_for()
    page.goto(page.url.replace("/roles", "/frontier"))
    explored(page)
    root = page.url.removesuffix("/frontier")
    button(page, "Compare and release").click()
    page.get_by_text("Take it away").wait_for()
    cells = _column(downloaded(page, "released.csv", tmp_path), "admitted")
    assert all(re.fullmatch(r"2023-\d\d-\d\d( to 2023-\d\d-\d\d)?", cell) for cell in cells), cells
    page.goto(f"{root}/column")
    button(page, "Draw the frontier").click()
    button(page, "Release this column").click()
    cells = _column(downloaded(page, "column.csv", tmp_path), "admitted")
    assert all(re.fullmatch(r"2023-\d\d-\d\d( to 2023-\d\d-\d\d)?", cell) for cell in cells), cells
    assert not app.complaints
    page.close()


def _column(path: Path, name: str) -> set[str]:
    with path.open(newline="") as file:
        return {row[name] for row in csv.DictReader(file)}
