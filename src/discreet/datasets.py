"""Data sets to try discreet on. None is bundled: they come from a dependency, or from a folder that you name."""

from __future__ import annotations

import csv
import hashlib
import os
from pathlib import Path

from discreet.errors import InputError, TableError, listed, needs_extra

Columns = dict[str, list[object]]

HUNGARIAN_FILE = "processed.hungarian.data"
HUNGARIAN_SHA256 = "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796"
HUNGARIAN_COLUMNS = (  # as UCI documents them
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg"),
    *("thalach", "exang", "oldpeak", "slope", "ca", "thal", "num"),
)


def load(name: str, *, data: str | Path | None = None) -> Columns:
    """A data set by name, as a mapping of columns that every function of discreet takes as a table.

    "hungarian": UCI Heart Disease, Hungarian Institute of Cardiology, as the papers use it (the one repeated row
    dropped, `?` as missing). Read from the folder `data`, or from $DISCREET_DATA.

    "diabetes": 442 patients of Efron et al. (2004) in natural units, from scikit-learn.
    """
    if name == "hungarian":
        return _hungarian(data)
    if name == "diabetes":
        return _diabetes()
    raise InputError(f"there is no data set {name!r}: choose among {listed(['hungarian', 'diabetes'])}")


def _hungarian(data: str | Path | None) -> Columns:
    folder = data or os.environ.get("DISCREET_DATA")
    if not folder:
        raise TableError(
            f"the hungarian data are not bundled: put {HUNGARIAN_FILE} of the UCI repository's Heart Disease data set "
            "into a folder and name it by data= or DISCREET_DATA"
        )
    path = Path(folder) / HUNGARIAN_FILE
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise TableError(f"{path} cannot be read: {problem.strerror}") from None
    if hashlib.sha256(content).hexdigest() != HUNGARIAN_SHA256:
        raise TableError(f"{path} is not the published file: its sha256 differs")
    rows = dict.fromkeys(tuple(row) for row in csv.reader(content.decode("ascii").splitlines()) if row)
    return {
        name: [None if row[i] == "?" else _number(row[i]) for row in rows] for i, name in enumerate(HUNGARIAN_COLUMNS)
    }


def _number(text: str) -> float | int:
    value = float(text)
    return int(value) if value.is_integer() else value


def _diabetes() -> Columns:
    sklearn = needs_extra("sklearn.datasets", "sklearn")
    bunch = sklearn.load_diabetes(scaled=False)
    # The names that the study gives to the six blood serum measurements.
    names = [
        "age",
        "sex",
        "bmi",
        "blood_pressure",
        "cholesterol",
        "ldl",
        "hdl",
        "chol_hdl_ratio",
        "log_triglycerides",
        "glucose",
    ]
    columns: Columns = {name: bunch.data[:, i].tolist() for i, name in enumerate(names)}
    columns["progression"] = bunch.target.tolist()
    return columns
