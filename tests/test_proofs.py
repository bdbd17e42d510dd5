"""The page of proofs names tests, and pages link to proofs: both are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")


def test_every_proof_names_a_test_that_is_there() -> None:
    named = re.findall(r"`(tests/[^`]+)`", PAGE)
    assert len(named) >= 12
    for each in named:
        path, _, name = each.partition("::")
        assert (ROOT / path).exists(), each
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), each
    assert PAGE.count("**Statement.**") <= PAGE.count("*Tried by*")


def test_links_to_proofs_have_their_place() -> None:
    places = set(re.findall(r"\{ #([\w-]+) \}", PAGE))
    for page in (ROOT / "docs").glob("*.md"):
        for place in re.findall(r"\(proofs\.md#([\w-]+)\)", page.read_text(encoding="utf-8")):
            assert place in places, f"{page.name}: {place}"
