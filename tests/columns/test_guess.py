"""Guesses about columns nobody described: right for what stewards have, and a question where only a person can tell."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from discreet import generalise
from discreet.columns import guess_columns, guess_type
from discreet.errors import InputError


@pytest.mark.parametrize(
    ("name", "labels", "kind"),
    [
        ("age", [17, 18, 90], "number"),
        ("bmi", [18.5, 22.1], "number"),
        ("income", [20_000, 35_000, 51_000, 99_000], "number"),
        ("zip", [10007, 10014, 20001], "code"),
        ("PostCode", ["01067", "50667"], "code"),
        ("region_code", [1, 2, 3], "code"),
        ("account", ["00123", "00124"], "code"),
        ("main", ["A00.1", "B20", "C50.9", "E11", "F32", "I10"], "code"),
        ("admission", [dt.date(2024, 1, 1)], "date"),
        ("sex", ["F", "M"], "category"),
        ("smoker", [False, True], "category"),
        ("pain", ["mild", "none", "severe"], "ordered"),
        ("risk", ["High", "Low", "Medium"], "ordered"),
    ],
)
def test_types(name: str, labels: list[Any], kind: str) -> None:
    found, reason, question = guess_type(name, labels)
    assert found.kind == kind
    assert reason
    assert not question


def test_words_of_a_scale_are_in_its_order() -> None:
    assert guess_type("risk", ["High", "Low", "Medium"])[0].order == ("Low", "Medium", "High")


def test_five_digit_numbers_are_asked_about() -> None:
    assert "codes" in guess_type("station", [10117, 20095, 50667, 80331])[2]
    assert not guess_type("height", [150, 160, 170, 180])[2]
    assert not guess_type("salary", [10117, 20095, 50667, 80331])[2]


def columns(rows: int, **given: list[Any]) -> dict[str, tuple[list[Any], Any]]:
    found = {}
    for name, values in given.items():
        labels = sorted(set(values), key=str)
        found[name] = (labels, np.array([values.count(label) for label in labels]))
    return found


def test_roles() -> None:
    rows = 100
    table = columns(
        rows,
        name=[f"Person {i if i else 1}" for i in range(rows)],  # one name twice
        patient_no=list(range(5000, 5000 + rows)),
        contact=[f"p{i}@example.org" for i in range(rows)],
        age=[20 + i % 50 for i in range(rows)],
        postcode=[50667 + i % 30 for i in range(rows)],
        diagnosis=[f"d{i % 7}" for i in range(rows)],
        hospital=["one"] * rows,
        bmi=[20 + i / 7 for i in range(rows)],
    )
    roles = {each.name: each.role for each in guess_columns(table, rows)}
    assert roles == {
        "name": "identifier",
        "patient_no": "identifier",
        "contact": "identifier",
        "age": "public",
        "postcode": "public",
        "diagnosis": "sensitive",
        "hospital": "ignored",
        "bmi": "ignored",
    }


@pytest.mark.parametrize(
    ("labels", "kind", "reason"),
    [
        ([f"{day:02d}.03.1990" for day in range(1, 29)], "date", "dates in another form than 2024-01-31"),
        ([f"2024-05-{day:02d}" for day in range(1, 30)] + ["soon"], "date", "dates, but for 1 of 30 different values"),
        ([f"{i},5" for i in range(20)], "number", "numbers in another form than 1234.5"),
        ([str(i) for i in range(1000, 1040)] + ["k.A."], "number", "numbers, but for 1 of 41 different values"),
    ],
)
def test_what_was_read_as_words_for_a_few_cells_is_asked_about(labels: list[str], kind: str, reason: str) -> None:
    found, why, question = guess_type("when", labels)
    assert (found.kind, why) == (kind, reason)
    assert question.startswith(reason)
    with pytest.raises(InputError, match=r"^column 'when' holds .*: correct them, name what means missing with --na"):
        generalise({"when": labels * 2}, "when", require="n>=2")


def test_names_in_other_languages() -> None:
    ones = np.ones(30, dtype=np.int64)
    values = [f"w{i}" for i in range(30)]
    names = ["Geschlecht", "Familienstand", "âge", "Straße", "Diagnóstico", "reddito"]
    found = {each.name: each.role for each in guess_columns(dict.fromkeys(names, (values, 10 * ones)), 300)}
    assert [found[name] for name in names] == ["public", "public", "public", "ignored", "sensitive", "sensitive"]
