"""A made-up hospital registry: nobody in it exists, and it looks like the tables that stewards have.

Ages by a mixture, postcodes by towns of very different sizes, admissions fewer at weekends and more in winter, occupations
and diagnoses that go with age and sex. The same seed gives the same people.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from discreet._typing import IntArray

COLUMNS = ("patient", "age", "sex", "postcode", "admission", "occupation", "diagnosis")
_OCCUPATIONS = (
    "nurse", "teacher", "clerk", "engineer", "electrician", "farmer", "driver", "cook", "cleaner", "salesperson",
    "software developer", "lawyer", "carpenter", "care worker", "police officer", "unemployed",
)  # fmt: skip
# Name, how common, age at which it is most common, how far it spreads, share of women.
_DIAGNOSES = (
    ("hypertension", 9.0, 65, 16, 0.5), ("type 2 diabetes", 7.0, 62, 14, 0.45), ("asthma", 5.0, 25, 22, 0.5),
    ("pneumonia", 6.0, 70, 25, 0.45), ("influenza", 5.0, 40, 30, 0.5), ("hip fracture", 4.0, 80, 9, 0.7),
    ("wrist fracture", 4.0, 35, 28, 0.5), ("appendicitis", 4.0, 22, 12, 0.48), ("gallstones", 4.0, 52, 14, 0.66),
    ("kidney stones", 3.0, 45, 13, 0.35), ("stroke", 5.0, 74, 11, 0.5), ("heart failure", 6.0, 77, 10, 0.5),
    ("myocardial infarction", 5.0, 67, 12, 0.32), ("atrial fibrillation", 4.0, 74, 10, 0.45),
    ("breast cancer", 3.0, 60, 13, 0.99), ("prostate cancer", 3.0, 70, 9, 0.0), ("lung cancer", 2.5, 68, 9, 0.4),
    ("colon cancer", 2.5, 68, 12, 0.45), ("melanoma", 1.0, 55, 17, 0.5), ("childbirth", 8.0, 30, 5.5, 1.0),
    ("depression", 4.0, 38, 16, 0.62), ("alcohol dependence", 2.5, 46, 12, 0.28), ("schizophrenia", 1.2, 32, 11, 0.45),
    ("epilepsy", 1.5, 30, 25, 0.48), ("migraine", 2.0, 35, 13, 0.75), ("multiple sclerosis", 0.8, 36, 10, 0.7),
    ("HIV infection", 0.6, 38, 11, 0.22), ("hepatitis C", 0.7, 47, 12, 0.38), ("tonsillitis", 2.5, 12, 8, 0.5),
    ("concussion", 2.5, 20, 16, 0.4),
)  # fmt: skip


def registry(rows: int = 5_000, seed: int = 0) -> dict[str, list[Any]]:
    """People admitted to hospital in one year: patient, age, sex, postcode, admission, occupation, diagnosis.

    Examples
    --------
    >>> people = registry(100)
    >>> list(people), len(people["age"])
    (['patient', 'age', 'sex', 'postcode', 'admission', 'occupation', 'diagnosis'], 100)
    """
    rng = np.random.default_rng(seed)
    age = _ages(rng, rows)
    is_woman = rng.random(rows) < 0.52
    diagnosis = _diagnoses(rng, age, is_woman)
    return {
        "patient": [f"P{number:07d}" for number in rng.choice(9_000_000, rows, replace=False) + 1_000_000],
        "age": age.tolist(),
        "sex": np.where(is_woman, "female", "male").tolist(),
        "postcode": _postcodes(rng, rows),
        "admission": _admissions(rng, rows),
        "occupation": _occupations(rng, age),
        "diagnosis": [_DIAGNOSES[i][0] for i in diagnosis.tolist()],
    }


def _ages(rng: np.random.Generator, rows: int) -> IntArray:
    means, spreads = np.array([3.0, 30.0, 55.0, 76.0]), np.array([3.0, 9.0, 13.0, 9.0])
    part = rng.choice(4, rows, p=[0.08, 0.24, 0.33, 0.35])
    return np.clip(np.abs(rng.normal(means[part], spreads[part])), 0, 99).astype(np.int64)


def _diagnoses(rng: np.random.Generator, age: IntArray, is_woman: np.ndarray[Any, np.dtype[np.bool_]]) -> IntArray:
    common, peak, spread, women = (np.array([each[i] for each in _DIAGNOSES], dtype=float) for i in (1, 2, 3, 4))
    fits = common * (0.02 + np.exp(-0.5 * ((age[:, None] - peak) / spread) ** 2))
    fits *= np.where(is_woman[:, None], women, 1 - women)
    limits = np.cumsum(fits, axis=1)
    drawn = rng.random(len(age)) * limits[:, -1]
    return np.asarray((limits < drawn[:, None]).sum(axis=1), dtype=np.int64)


def _postcodes(rng: np.random.Generator, rows: int) -> list[str]:
    """Twelve districts of ten to forty postcodes; a few are crowded and most are not."""
    districts = [f"{first}{second}" for first, second in zip("555554444666", "012343126780", strict=True)]
    codes = [
        f"{each}{tail:03d}"
        for each in districts
        for tail in sorted(rng.choice(1_000, rng.integers(10, 40), replace=False))
    ]
    weight = 1 / np.arange(1, len(codes) + 1) ** 0.8
    order = rng.permutation(len(codes))
    return [codes[order[i]] for i in rng.choice(len(codes), rows, p=weight / weight.sum())]


def _admissions(rng: np.random.Generator, rows: int) -> list[str]:
    days = [dt.date(2025, 1, 1) + dt.timedelta(days=i) for i in range(365)]
    busy = [(0.6 if day.weekday() > 4 else 1.0) * (1.25 if day.month in (1, 2, 12) else 1.0) for day in days]
    weight = np.array(busy)
    return [days[i].isoformat() for i in rng.choice(365, rows, p=weight / weight.sum())]


def _occupations(rng: np.random.Generator, age: IntArray) -> list[str]:
    weight = 1 / np.arange(1, len(_OCCUPATIONS) + 1) ** 0.6
    working = rng.choice(len(_OCCUPATIONS), len(age), p=weight / weight.sum())
    retires, studies = rng.integers(60, 69, len(age)), rng.integers(16, 27, len(age))
    return [
        "child" if years < 6 else "in education" if years < until else "retired" if years >= stop else _OCCUPATIONS[job]
        for years, until, stop, job in zip(
            age.tolist(), studies.tolist(), retires.tolist(), working.tolist(), strict=True
        )
    ]
