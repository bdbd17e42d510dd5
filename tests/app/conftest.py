"""One server and one browser for all tests that drive the app."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.processes import PATIENT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@dataclass
class App:
    """A server under test and the browser that came in first, by the link."""

    address: str
    link: str
    browser: Any
    context: Any
    outside: list[str] = field(default_factory=list)  # requests that went anywhere else
    complaints: list[str] = field(default_factory=list)  # of the browser, about pages

    def page(self, path: str = "/") -> Any:
        """A new tab, watched."""
        tab = self.context.new_page()
        tab.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        tab.goto(self.address + path)
        return tab

    def watch(self, request: Any) -> None:
        """Note what leaves the machine."""
        here = (self.address, self.address.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(here):
            self.outside.append(request.url)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    home = tmp_path_factory.mktemp("app")
    command = [sys.executable, "-m", "discreet", "app", "--no-open", "--max-upload", "2"]
    with (home / "said").open("w") as said, (home / "errors").open("w") as errors:
        server = subprocess.Popen(command, cwd=home, stdout=said, stderr=errors)
        try:
            found = _link(home, server)
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
                context.set_default_timeout(1000 * PATIENT)
                made = App(found[1], found[0], browser, context)
                context.on("request", made.watch)
                tab = context.new_page()
                tab.goto(made.link)
                tab.close()
                yield made
                browser.close()
        finally:
            server.terminate()
            server.wait(PATIENT)
    assert (home / "errors").read_text() in ("", "discreet: interrupted\n")
    assert sorted(path.name for path in home.iterdir()) == ["errors", "said"]  # nothing is left where it was started


def _link(home: Path, server: subprocess.Popen[bytes]) -> re.Match[str]:
    """The link, as soon as the server printed it."""
    end = time.monotonic() + PATIENT
    while time.monotonic() < end and server.poll() is None:
        found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=\S+", (home / "said").read_text())
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError((home / "errors").read_text())
