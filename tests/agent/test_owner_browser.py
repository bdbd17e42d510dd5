"""The owner's page as the owner sees it, in Chromium: it is live, and a key ends by a click that was confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.agent import AgentError
from tests.agent.conftest import Running, serving
from tests.agent.servers import write_agent
from tests.app.conftest import CHROMIUM
from tests.processes import PATIENT

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
ROME = "SELECT AVG(height) FROM people WHERE city = 'Rome' WITH ERROR 1"


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Any, list[str]]]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with serving(write_agent(tmp_path_factory.mktemp("owner"))) as running, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": 1280, "height": 800},
            http_credentials={"username": "owner", "password": running.owner.key},
        )
        context.set_default_timeout(1000 * PATIENT)
        heard: list[str] = []
        context.on("request", lambda request: heard.append(request.url))
        page = context.new_page()
        page.on("pageerror", lambda problem: heard.append(f"error {problem}"))
        page.on("console", lambda line: heard.append(f"error {line.text}") if line.type == "error" else None)
        page.goto(running.url + "/owner")
        yield running, page, heard
        browser.close()


def test_answers_appear_without_a_reload(owner: tuple[Running, Any, list[str]]) -> None:
    running, page, _ = owner
    page.evaluate("window.same = true")
    ann = running.analyst("ann", 60)
    page.get_by_role("cell", name="ann", exact=True).wait_for()
    ann.ask(ROME)
    page.get_by_text("WHERE city = 'Rome' WITH ERROR 1").wait_for()
    page.get_by_text("after 1 answer", exact=True).wait_for()
    for city in ("Oslo", "Bern"):
        for sex in "FM":
            ann.ask(ROME.replace("'Rome'", f"'{city}' AND sex = '{sex}'"))
    page.get_by_text("after 5 answers", exact=True).wait_for()
    assert page.evaluate("window.same")


def test_a_key_ends_by_a_click_that_was_confirmed(owner: tuple[Running, Any, list[str]]) -> None:
    running, page, _ = owner
    bob = running.analyst("bob <i>", 60)
    row = page.get_by_role("row").filter(has_text="bob <i>")
    row.get_by_text("revoke", exact=True).click()
    page.get_by_text("End the key of bob <i>?").wait_for()
    bob.ask(ROME)  # nothing has happened yet
    page.wait_for_timeout(3500)
    assert page.get_by_role("button", name="End this key").is_visible()  # a live page leaves a question open
    page.get_by_role("button", name="End this key").click()
    page.get_by_text("(revoked)").wait_for()
    assert page.url.endswith("/owner")
    with pytest.raises(AgentError, match="not known, or was revoked"):
        bob.ask(ROME)


def test_another_site_cannot_end_a_key(owner: tuple[Running, Any, list[str]], tmp_path: Path) -> None:
    """A page from elsewhere sends the form, and the browser sends the owner's password along with it."""
    running, page, heard = owner
    eve = running.analyst("eve", 60)
    form = f'<form method="post" action="{running.url}/owner/revoke"><input name="name" value="eve">'
    (tmp_path / "evil.html").write_text(f'{form}<input name="token" value="0"><button>win</button></form>')
    tab = page.context.new_page()
    tab.goto((tmp_path / "evil.html").as_uri())
    tab.get_by_role("button").click()
    tab.get_by_text("this did not come from the owner's page").wait_for()
    tab.close()
    assert eve.ledger()["left"] == 60
    assert not [each for each in heard if "error" in each.split(" ")[0] and "403" not in each]
    assert all(each.startswith((running.url, "file:", "error")) for each in heard)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_every_screen(owner: tuple[Running, Any, list[str]], scheme: Any, width: int, tmp_path: Path) -> None:
    _, page, _ = owner
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.screenshot(path=tmp_path / f"owner-{scheme}-{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
