"""The app as a person uses it, in Chromium."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from discreet.cli import group
from discreet.recipe import Recipe
from tests.app.conftest import App
from tests.processes import PATIENT

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
DOCS = Path(__file__).parents[2] / "docs"
PATIENTS, PEOPLE = DOCS / "patients.csv", DOCS / "people.csv"


def button(page: Any, words: str) -> Any:
    return page.get_by_role("button", name=words, exact=True)


def on(page: Any, step: str) -> None:
    page.wait_for_url(re.compile(f"/{step}$"))


def explored(page: Any) -> None:
    """Wait for the chosen point and two levels, then end the search: the best so far is kept."""
    page.get_by_text("The release that is chosen").wait_for()
    page.get_by_label("at least so safe").wait_for()
    if button(page, "Stop").count():
        button(page, "Stop").click()
        page.get_by_text("Stopped: these are the best found so far.").wait_for()


def point_at(page: Any, place: int) -> tuple[float, float]:
    """Where a point of the frontier is on the screen."""
    found = page.evaluate(
        """place => {
            const box = document.querySelector('.nicegui-echart');
            const chart = getElement(box.id.slice(1)).chart;
            const data = chart.getOption().series[0].data[place].value;
            const [x, y] = chart.convertToPixel({seriesIndex: 0}, data);
            const corner = box.getBoundingClientRect();
            return [corner.x + x, corner.y + y];
        }""",
        place,
    )
    return found[0], found[1]


def figures(page: Any) -> list[str]:
    return [str(text) for text in page.locator(".facts b").all_inner_texts()]


def downloaded(page: Any, name: str, folder: Path) -> Path:
    with page.expect_download() as caught:
        page.get_by_role("link", name=name, exact=True).click()
    caught.value.save_as(folder / name)
    return folder / name


def unpacked(page: Any, name: str, folder: Path) -> Path:
    """A download that is a zip, in an empty folder."""
    folder.mkdir()
    with zipfile.ZipFile(downloaded(page, name, folder.parent)) as pack:
        pack.extractall(folder)
    return folder


def command(*words: str) -> str:
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.output
    return done.output


def test_from_the_first_click_to_a_verified_release(app: App, tmp_path: Path) -> None:
    page = app.page()
    button(page, "Open the example").click()
    button(page, "Continue: who may know what").click()
    on(page, "roles")
    assert button(page, "Continue: what protection costs").is_disabled()  # guesses are not applied by themselves
    button(page, "Take all guesses").click()
    button(page, "Continue: who is exposed").click()
    on(page, "risk")
    page.get_by_text("The worst groups").wait_for()
    assert "4,996 of 5,000" in figures(page)
    table = page.get_by_role("table", name="Worst groups")
    assert "which" not in table.inner_text()
    page.get_by_text("Show sensitive values").click()
    page.get_by_role("columnheader", name="which").wait_for()
    button(page, "Continue: what protection costs").click()
    on(page, "frontier")
    explored(page)
    _choose(page)
    button(page, "Look at the groups").click()
    on(page, "policy")
    _change_by_hand(page)
    button(page, "Continue: compare and release").click()
    on(page, "release")
    page.get_by_text("Take it away").wait_for()
    names = ("released.csv", "cells.json", "private-report.html", "recipe.toml", "private-chosen.json", "registry.csv")
    files = {name: downloaded(page, name, tmp_path) for name in names}
    first = files["released.csv"].read_bytes()
    publish = unpacked(page, "to-publish.zip", tmp_path / "publish")
    assert sorted(path.name for path in publish.iterdir()) == ["README.txt", "cells.json", "released.csv"]
    assert (publish / "released.csv").read_bytes() == first
    assert json.loads((publish / "cells.json").read_text())["may_be_published"] is True
    assert "5,000 rows fit the policy" in command(
        "verify", str(publish / "released.csv"), "--policy", str(publish / "cells.json")
    )
    keep = unpacked(page, "private-to-keep.zip", tmp_path / "keep")
    for path in keep.rglob("private-*.json"):
        assert json.loads(path.read_text())["may_be_published"] is False
    for path in (files["private-report.html"], keep / "as-released" / "private-report.html"):
        assert (
            "PRIVATE" in path.read_text().splitlines()[0] and "Private: do not publish this report" in path.read_text()
        )
    shutil.copy(files["registry.csv"], keep)
    recipe = Recipe.load(keep / "recipe.toml")
    assert recipe.search.policy == "private-chosen.json" and recipe.data.table == "registry.csv"
    command("release", "--recipe", str(keep / "recipe.toml"))
    assert (keep / "released.csv").read_bytes() == first
    assert not app.outside and not app.complaints
    page.close()


def _choose(page: Any) -> None:
    """By the slider, then by a click on a point."""
    safe = page.get_by_label("at least so safe")
    safe.locator("[tabindex]").focus()
    for fewer in (3, 2):  # by the keyboard, which stays on the slider
        page.keyboard.press("ArrowLeft")
        page.get_by_text(f"At least {fewer} records look alike", exact=True).wait_for()
    x, y = point_at(page, 1)
    page.mouse.click(x, y)
    page.get_by_text("At least 3 records look alike", exact=True).wait_for()


def _change_by_hand(page: Any) -> None:
    """Merge two groups, undo, redo."""
    before = figures(page)
    rows = page.locator("tbody tr")
    rows.nth(0).get_by_role("checkbox").click()
    page.get_by_text("Why these became one").wait_for()
    rows.nth(1).get_by_role("checkbox").click()
    button(page, "Merge").click()
    page.get_by_text("before your changes").wait_for()
    merged = figures(page)
    assert int(merged[0].replace(",", "")) == int(before[0].replace(",", "")) - 1
    button(page, "Undo").click()
    page.get_by_text("before your changes").wait_for(state="hidden")
    assert figures(page) == before
    button(page, "Redo").click()
    page.get_by_text("before your changes").wait_for()
    assert figures(page) == merged


def test_an_uploaded_file_a_reload_and_two_tabs(app: App) -> None:
    page, other = app.page(), app.page()
    page.locator("input[type=file]").set_input_files(PATIENTS)
    button(page, "Continue: who may know what").wait_for()
    assert page.url != other.url
    button(page, "Continue: who may know what").click()
    on(page, "roles")
    page.get_by_label("Role of age").click()
    page.get_by_role("option", name="Public").click()
    page.get_by_text("Release age, coarser, and protect who is who.").wait_for()
    page.reload()
    page.get_by_text("Release age, coarser, and protect who is who.").wait_for()
    other.reload()
    button(other, "Open the example").wait_for()  # it knows nothing of the first
    page.close()
    other.close()


def test_bad_and_large_files_are_refused_kindly(app: App, tmp_path: Path) -> None:
    page = app.page()
    bad, large = tmp_path / "people.parquet", tmp_path / "large.csv"
    bad.write_bytes(b"hush-hush\x00\x01\x02")
    large.write_bytes(b"a,b\n" + b"1,2\n" * 1_000_000)
    page.locator("input[type=file]").set_input_files(bad)
    page.get_by_text("Reading the table did not work").wait_for()
    assert "hush" not in page.content() and "Traceback" not in page.content()
    page.locator("input[type=file]").set_input_files(large)
    page.get_by_text("That file is too large").wait_for()
    page.get_by_label("Path, or database URL#table").fill("/not/there.csv")
    button(page, "Open").click()
    page.get_by_text("there.csv").first.wait_for()
    page.close()


def test_nobody_comes_in_without_the_link(app: App) -> None:
    page = app.page()
    stranger = app.browser.new_context()
    stranger.set_default_timeout(1000 * PATIENT)
    tab = stranger.new_page()
    for address in (page.url, app.address, app.link, f"{app.address}/_nicegui/none"):
        answer = tab.goto(address)
        assert answer is not None and answer.status == 403
    assert "This needs the link from the terminal" in tab.content()
    stranger.close()
    page.close()


def test_the_further_pages(app: App, tmp_path: Path) -> None:
    """One column at a proven optimum, one question, sample privacy, the papers."""
    page = app.page()
    page.locator("input[type=file]").set_input_files(PEOPLE)
    button(page, "Continue: who may know what").click()
    for column, role in (("age", "Public"), ("illness", "Sensitive")):
        page.get_by_label(f"Role of {column}").click()
        page.get_by_role("option", name=role).click()
        page.get_by_text(re.compile(f"(Release|protect) .*{column}")).wait_for()
    root = page.url.removesuffix("/roles")
    page.goto(f"{root}/column")
    button(page, "Draw the frontier").click()
    button(page, "Release this column").click()
    recipe, table = (downloaded(page, name, tmp_path) for name in ("column-recipe.toml", "column.csv"))
    policy = json.loads(downloaded(page, "private-column-policy.json", tmp_path).read_text())
    assert policy["may_be_published"] is False
    assert "PRIVATE" in downloaded(page, "private-column-report.html", tmp_path).read_text().splitlines()[0]
    first = table.read_bytes()
    (tmp_path / "people.csv").write_bytes(PEOPLE.read_bytes())
    Recipe.load(recipe).run(force=True)
    assert table.read_bytes() == first
    page.goto(f"{root}/question")
    button(page, "Compute").click()
    page.get_by_text("everybody keeps an interval of at least 100.").wait_for()
    page.get_by_label("people").fill("0")
    page.goto(f"{root}/samples")
    button(page, "Look for the best mapping").click()
    page.get_by_role("link", name="disclosed.csv").wait_for()
    page.goto(f"{root}/papers")
    button(page, "Check their claims").click()
    button(page, "Stop").click()
    button(page, "Stop").wait_for(state="hidden")
    assert not app.outside and not app.complaints
    page.close()


@pytest.mark.parametrize("dark", [False, True])
def test_pages_can_be_used_by_everybody(app: App, dark: bool) -> None:
    """What axe-core finds serious: contrast, names of fields and buttons, order of headings."""
    value = "dark" if dark else "light"
    app.context.add_cookies([{"name": "discreet_theme", "value": value, "url": app.address}])
    page = app.page()
    found = _serious(_seen(page), "welcome")
    button(page, "Open the example").click()
    button(page, "Continue: who may know what").wait_for()
    found += _serious(_seen(page), "data")
    button(page, "Continue: who may know what").click()
    button(page, "Take all guesses").click()
    button(page, "Continue: who is exposed").click()
    page.get_by_text("The worst groups").wait_for()
    found += _serious(_seen(page), "risk")
    page.go_back()
    on(page, "roles")
    page.get_by_text("What you have said").wait_for()
    found += _serious(_seen(page), "roles")
    page.goto(page.url.replace("/roles", "/frontier"))
    explored(page)
    found += _serious(_seen(page), "frontier")
    button(page, "Look at the groups").click()
    page.get_by_text("Cells along a column").wait_for()
    found += _serious(_seen(page), "policy")
    button(page, "Continue: compare and release").click()
    page.get_by_text("Take it away").wait_for()
    found += _serious(_seen(page), "release")
    page.close()
    assert not found, "\n".join(found)


AT_REST = """document.getAnimations().every(
    (each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)"""


def _seen(page: Any) -> Any:
    """What axe-core says of a page that has come to rest: colours are still fading in before."""
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_timeout(600)
    page.wait_for_function(AT_REST)
    return Axe().run(page)


def _serious(results: Any, where: str) -> list[str]:
    found = []
    for each in results.response["violations"]:
        if each["impact"] in ("serious", "critical"):
            for node in each["nodes"]:
                reasons = [reason["message"] for reason in node["any"]][:1]
                found.append(f"{where}: {each['id']}: {node['html'][:200]} {reasons}")
    return found
