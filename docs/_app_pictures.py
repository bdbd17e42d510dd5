"""The pictures of the app for the documentation: every page, light and dark, as small PNGs in docs/app/.

    python docs/_app_pictures.py

It needs Chromium, and starts the app by itself.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parent / "app"
COLOURS = 96
# Mondrian's losses are there.
_COMPARED = """() => {
  const box = document.querySelector('.nicegui-echart');
  const chart = box && getElement(box.id.slice(1)).chart;
  return chart && chart.getOption().series.some(each => each.name.includes('Mondrian') && each.data.length >= 5);
}"""


def main() -> None:
    """Start the app, walk through it twice, and end it."""
    command = [sys.executable, "-m", "discreet", "app", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None  # noqa: S101
        found = re.search(r"(http://\S+)/\?token=\S+", server.stdout.readline())
        assert found is not None  # noqa: S101
        try:
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                context = browser.new_context(viewport={"width": 1280, "height": 800})
                page = context.new_page()
                page.goto(found[0])
                for theme in ("light", "dark"):
                    context.add_cookies([{"name": "discreet_theme", "value": theme, "url": found[1]}])
                    _walk(page, found[1], theme)
                browser.close()
        finally:
            server.terminate()


def _walk(page: Any, address: str, theme: str) -> None:
    def click(words: str) -> None:
        page.get_by_role("button", name=words, exact=True).click()

    page.goto(address)
    page.get_by_text("Open the example").wait_for()
    _keep(page, f"welcome-{theme}")
    click("Open the example")
    page.get_by_text("hardly any value occurs twice").wait_for()
    _keep(page, f"data-{theme}")
    click("Continue: who may know what")
    click("Take all guesses")
    page.get_by_text("Continue: who is exposed").wait_for()
    _keep(page, f"roles-{theme}")
    click("Continue: who is exposed")
    page.get_by_text("The worst groups").wait_for()
    _keep(page, f"risk-{theme}")
    click("Continue: what protection costs")
    page.get_by_text("At least 5 records look alike", exact=True).wait_for(timeout=240_000)
    page.wait_for_function(_COMPARED, timeout=240_000)
    _keep(page, f"frontier-{theme}")
    click("Stop")
    click("Look at the groups")
    page.get_by_role("checkbox", name="Select this group").first.click()
    page.get_by_text("Why these became one").wait_for()
    _keep(page, f"policy-{theme}")
    click("Continue: compare and release")
    page.get_by_text("Take it away").wait_for()
    _keep(page, f"release-{theme}")
    root = page.url.removesuffix("/release")
    page.goto(f"{root}/column")
    click("Draw the frontier")
    page.get_by_text("Release this column").wait_for(timeout=120_000)
    _keep(page, f"column-{theme}")
    page.get_by_label("what is lowered").click()
    page.get_by_role("option", name=re.compile("privacy funnel")).click()
    click("Draw the frontier")
    page.get_by_role("button", name="Release this column").wait_for(state="hidden")
    page.get_by_role("button", name="Release this column").wait_for(timeout=240_000)
    page.mouse.click(*_soft(page))
    page.get_by_text("This policy draws").wait_for()
    _keep(page, f"soft-{theme}")
    page.goto(f"{root}/question")
    click("Compute")
    page.get_by_text("everybody keeps an interval").wait_for()
    _keep(page, f"question-{theme}")
    page.goto(f"{root}/papers")
    click("Check their claims")
    page.locator("figure img").first.wait_for(timeout=240_000)
    page.locator("figure").first.scroll_into_view_if_needed()
    _keep(page, f"papers-{theme}")
    _samples(page, address, theme)


def _samples(page: Any, address: str, theme: str) -> None:
    """Of another table: the example's columns have too many values."""
    page.goto(address)
    page.locator("input[type=file]").set_input_files(FOLDER.parent / "people.csv")
    page.get_by_role("button", name="Continue: who may know what", exact=True).wait_for()
    page.goto(page.url.rsplit("/", 1)[0] + "/samples")
    page.get_by_role("button", name="Look for the best mapping", exact=True).click()
    page.get_by_role("link", name="disclosed.csv").wait_for(timeout=240_000)
    _keep(page, f"samples-{theme}")


def _soft(page: Any) -> tuple[float, float]:
    """Where a soft policy is on the screen."""
    found = page.evaluate(
        """() => {
            const box = document.querySelector('.nicegui-echart');
            const chart = getElement(box.id.slice(1)).chart;
            const series = chart.getOption().series.findIndex(each => each.name.startsWith('soft'));
            const data = chart.getOption().series[series].data;
            const [x, y] = chart.convertToPixel({seriesIndex: series}, data[Math.floor(data.length / 2)].value);
            const corner = box.getBoundingClientRect();
            return [corner.x + x, corner.y + y];
        }"""
    )
    return found[0], found[1]


def _keep(page: Any, name: str) -> None:
    page.wait_for_timeout(700)  # fonts and charts
    page.mouse.move(2, 400)
    picture = Image.open(io.BytesIO(page.screenshot()))
    FOLDER.mkdir(exist_ok=True)
    picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
