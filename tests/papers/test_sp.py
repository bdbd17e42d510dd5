"""SP, claim by claim: the verdicts, the figures, and that a wrong computation shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.sample_privacy import Disclosure, disclose, two_binary_samples
from discreet_papers.claims import Claim, Study
from discreet_papers.sp import (
    PAPER,
    appendices,
    basics,
    example_two,
    families,
    latent_limits,
    many_samples,
    optimum,
    partial,
    two_samples,
    uniform,
)
from discreet_papers.sp.families import matrix
from tests.papers.conftest import Checked, Checks

EXPECTED = {"matches": 74, "misprint": 10, "refuted": 7, "not checkable": 2}
NOT_AS_PRINTED = {
    "misprint": [
        "Proposition 1, proof",
        "Example 2, (20)",
        "Example 2",
        "Example 2",
        "(23)",
        "Theorem 2, (32)",
        "Proposition 5, proof; Appendix D",
        "Example 3, (61)",
        "Example 5, (67) line 3",
        "Appendix C, (91)",
    ],
    "refuted": [
        "Corollary 1.1",
        "Proposition 4",
        "Remark 3, (37)",
        "V-C1",
        "Example 5, (67) line 1",
        "Example 5, end",
        "Appendix C, (83)",
    ],
    "not checkable": ["Fig 3", "Appendix B, (70)–(78)"],
}


@pytest.fixture(scope="module")
def found(checked: Checks) -> Checked:
    """Every claim and figure."""
    return checked("SP")


def test_verdicts(found: Checked) -> None:
    assert Counter(row.verdict for row in found.rows) == EXPECTED
    for verdict, wheres in NOT_AS_PRINTED.items():
        assert [row.where for row in found.rows if row.verdict == verdict] == wheres
    assert all(row.computed and "\n" not in row.computed and "nan" not in row.computed for row in found.rows)


@pytest.mark.slow
def test_figures(found: Checked) -> None:
    curves = {"fig2": 6 + 1, "fig4": 4}  # two curves, chords and gaps, and the place of p; three schemes and (67)
    assert set(found.figures) == {figure.name for figure in PAPER.figures}
    for name, lines in curves.items():
        assert found.figures[name][0].lines == lines and found.figures[name][0].y_label


def claims_at(where: str) -> list[Claim]:
    found = [claim for claim in PAPER.claims if claim.where == where]
    assert found
    return found


def less(*args: Any, **options: Any) -> Disclosure:
    """An engine that forgets the latent."""
    return disclose(args[0])


BROKEN: list[tuple[Any, str, Any, str]] = [
    (example_two, "P", np.array([[1, 3, 2], [2, 2, 2]]) / 12, "Example 2, (21)"),
    (example_two, "MAPPING", np.roll(example_two.MAPPING, 1, axis=1), "Example 2, (22)"),
    (example_two, "VERTICES", example_two.VERTICES[[0, 1, 2, 2]], "Example 2"),
    (two_samples, "NORMAL", np.array([1.0, -1.0, 1.0, -1.0]), "(25)"),
    (two_samples, "two_binary_samples", lambda p: two_binary_samples(p.T), "(26)"),
    (two_samples, "loose_supports", lambda study: (np.full((2, 2), 0.25),) * 2, "Proposition 4"),
    (many_samples, "PRINTED", (8.34e-3, 4.88e-2, 4.48e-2), "Table I"),
    (latent_limits, "separation", lambda one, two: Fraction(1, 100), "Theorem 2, (32)"),
    (uniform, "printed_rate", lambda q: 0.25, "Example 5, (67) line 4"),
    (uniform, "neighbour_sums", lambda made, n: np.ones((2,) * n + (1,)), "Example 5, (67) line 1"),
    (partial, "slid", lambda p, windows: np.ones((*p.shape, 1)), "V-C1"),
    (families, "disclose", less, "Example 2, (21)"),
    (basics, "matrix", lambda p: matrix(p)[1:], "Proposition 1, proof"),
    (optimum, "function_latent", lambda shape, values, of: np.full((*shape, 2), 0.5), "Corollary 1.1"),
    (appendices, "typical", lambda *_: False, "Appendix C, (83)"),
    (appendices, "typical", lambda *_: True, "Appendix C, (91)"),
    (basics, "disclose", less, "Definition 2"),
    (two_samples, "disclose", less, "Fig 2, caption"),
    (optimum, "lightest", lambda points, costs, p: (2.0, np.zeros(len(points))), "(17)"),
    (optimum, "_feasible_bases", lambda case: (1, case.vertices[:1]), "Algorithm 1"),
]


@pytest.mark.parametrize(
    ("module", "name", "broken", "where"), BROKEN, ids=[f"{each[3]} by {each[1]}" for each in BROKEN]
)
def test_a_wrong_computation_is_a_mismatch(
    module: Any, name: str, broken: Callable[..., Any], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, broken)
    assert "mismatch" in {claim.row("SP", Study()).verdict for claim in claims_at(where)}
