"""The app in Chromium: how long a page, a slider and a merge take, and the memory of opening a table.

    python benchmarks/bench_app.py [TABLE]
    python benchmarks/bench_app.py --newcomer

Without a table it opens the example. Times are from the key or click until the page shows what comes of it. A newcomer presses
the one filled button of every page, after two seconds of looking, until there is a file.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

# Runs an action, and waits frame by frame until an element says something.
_TIMED = """([press, where, words, gone]) => new Promise(done => {
  const start = performance.now();
  if (press) [...document.querySelectorAll('button')].find(each => each.innerText.trim().endsWith(press)).click();
  const look = () => {
    const found = [...document.querySelectorAll(where)].some(each => each.innerText.includes(words));
    if (found !== gone) done(performance.now() - start); else requestAnimationFrame(look);
  };
  look();
})"""


LOOKS = 2.0  # seconds before every click of a newcomer
WAY = (
    "Open the example",
    "Continue: who may know what",
    "Take all guesses",
    "Continue: who is exposed",
    "Continue: what protection costs",
    "Compare and release",
)


def main(table: str | None, *, newcomer: bool = False) -> dict[str, Any]:
    """Everything that is measured."""
    begun = time.perf_counter()
    server = subprocess.Popen([sys.executable, "-m", "discreet", "app", "--no-open"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        link = re.search(r"http://\S+", server.stdout.readline())
        assert link is not None
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.set_default_timeout(600_000)
            found = walked(page, link[0], begun) if newcomer else measured(page, link[0], table, server.pid)
            browser.close()
    finally:
        server.terminate()
        server.wait()
    return found


def measured(page: Any, link: str, table: str | None, server: int) -> dict[str, Any]:
    """Walk through the app with a watch."""

    def button(words: str) -> Any:
        return page.get_by_role("button", name=words, exact=True)

    found: dict[str, Any] = {"table": table or "the example", "first page, s": _until(page, link)}
    if table:
        page.get_by_label("Path, or database URL#table").fill(table)
    started = time.perf_counter()
    button("Open" if table else "Open the example").click()
    peak = 0
    while not button("Continue: who may know what").count():
        peak = max(peak, peak_memory(server))
        page.wait_for_timeout(50)
    found["opened, s"] = round(time.perf_counter() - started, 2)
    found["peak memory of the largest process, MB"] = peak
    button("Continue: who may know what").click()
    button("Take all guesses").click()
    page.get_by_text("What you have said").wait_for()
    page.wait_for_timeout(500)
    page.goto(page.url.replace("/roles", "/frontier"))
    page.get_by_text("k ≥ 3").wait_for()
    button("Stop").click()
    page.get_by_text("Stopped: these are").wait_for()
    page.locator(".q-slider [tabindex]").first.focus()
    found["slider, ms"] = [
        _pressed(page, key, level) for key, level in (("Left", 3), ("Left", 2), ("Right", 3), ("Right", 5))
    ]
    button("Look at the groups").click()
    boxes = page.get_by_role("checkbox", name="Select this group")
    for i in range(2):
        boxes.nth(i).click()
        page.wait_for_timeout(700)
    for name, gone in (("Merge", False), ("Undo", True), ("Redo", False)):
        found[f"{name.lower()}, ms"] = round(page.evaluate(_TIMED, [name, ".facts", "before your changes", gone]))
    return found


def walked(page: Any, link: str, begun: float) -> dict[str, Any]:
    """From the command to a released file of the example, by the button that every page offers."""
    page.goto(link)
    for words in WAY:
        button = page.get_by_role("button", name=words, exact=True)
        button.wait_for()
        page.wait_for_timeout(1000 * LOOKS)
        button.click()
    page.get_by_text("Take it away").wait_for()
    with page.expect_download() as caught:
        page.get_by_role("link", name="released.csv", exact=True).click()
    rows = len(Path(caught.value.path()).read_text(encoding="utf-8").splitlines()) - 1
    return {"from the command to a released file, s": round(time.perf_counter() - begun, 1), "rows": rows}


def _until(page: Any, link: str) -> float:
    started = time.perf_counter()
    page.goto(link)
    page.get_by_role("button", name="Open the example").wait_for()
    return round(time.perf_counter() - started, 2)


def _pressed(page: Any, key: str, level: int) -> int:
    """From the key to the words beside the slider."""
    page.evaluate(f"void (window.waiting = ({_TIMED})([null, '.small', 'At least {level} people look alike', false]))")
    page.keyboard.press(f"Arrow{key}")
    return round(float(page.evaluate("window.waiting")))


def peak_memory(server: int) -> int:
    """The most that the server or one of its processes had in memory so far, in MB."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    peaks = []
    for process in (str(server), *children):
        with suppress(OSError):  # it has ended
            peaks += re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return max((int(each) for each in peaks), default=0) // 1024


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else None
    print(json.dumps(main(None if asked == "--newcomer" else asked, newcomer=asked == "--newcomer"), indent=2))
