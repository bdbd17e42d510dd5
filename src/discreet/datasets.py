"""Data sets to try discreet on: made up here, from a dependency, from a folder that you name, or from a cache.

The Hungarian heart data are part of "Heart Disease" in the UCI Machine Learning Repository, given by the Hungarian Institute
of Cardiology, Budapest (principal investigator Andras Janosi, M.D.) under CC BY 4.0. Whoever uses them cites Janosi, A.,
Steinbrunn, W., Pfisterer, M. and Detrano, R. (1989), Heart Disease, UCI Machine Learning Repository,
https://doi.org/10.24432/C52P4X.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from discreet._cache import cache_folder as cache_folder
from discreet._registry import registry as registry
from discreet.errors import InputError, TableError, listed, needs_extra
from discreet.tables._writing import replacing

__all__ = [
    "DIABETES_COLUMNS",
    "HEART_COLUMNS",
    "HUNGARIAN_FILE",
    "HUNGARIAN_SHA256",
    "HUNGARIAN_URL",
    "cache_folder",
    "describe",
    "fetch",
    "load",
    "parse_uci",
]

Columns = dict[str, list[object]]

HUNGARIAN_FILE = "processed.hungarian.data"
HUNGARIAN_SHA256 = "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796"
HUNGARIAN_URL = f"https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/{HUNGARIAN_FILE}"
HEART_COLUMNS = {  # of all "processed" files of UCI's Heart Disease, in the order of the file
    "age": "age in years",
    "sex": "1 male, 0 female",
    "cp": "chest pain: 1 typical angina, 2 atypical angina, 3 other pain, 4 none",
    "trestbps": "resting blood pressure on admission, mm Hg",
    "chol": "serum cholesterol, mg/dl",
    "fbs": "fasting blood sugar above 120 mg/dl: 1 yes, 0 no",
    "restecg": "resting electrocardiogram: 0 normal, 1 abnormal ST-T wave, 2 hypertrophy of the left ventricle",
    "thalach": "highest heart rate reached",
    "exang": "angina brought on by exercise: 1 yes, 0 no",
    "oldpeak": "ST depression by exercise, relative to rest",
    "slope": "slope of the ST segment at peak exercise: 1 up, 2 flat, 3 down",
    "ca": "major vessels coloured by fluoroscopy, 0 to 3",
    "thal": "thallium scan: 3 normal, 6 fixed defect, 7 reversible defect",
    "num": "diagnosis: 0 no major vessel narrowed by half or more, else 1",
}
DIABETES_COLUMNS = {  # the names that the study gives to the six blood serum measurements, in scikit-learn's order
    "age": "age in years",
    "sex": "1 or 2; the study does not say which is which",
    "bmi": "body mass index",
    "blood_pressure": "average blood pressure",
    "cholesterol": "total serum cholesterol",
    "ldl": "low-density lipoproteins",
    "hdl": "high-density lipoproteins",
    "chol_hdl_ratio": "total cholesterol over high-density lipoproteins",
    "log_triglycerides": "logarithm of serum triglycerides",
    "glucose": "blood sugar",
    "progression": "progression of the disease one year later",
}
REGISTRY_COLUMNS = {
    "patient": "number of the patient",
    "age": "age in years",
    "sex": "female or male",
    "postcode": "five digits",
    "admission": "day of admission, in 2025",
    "occupation": "occupation, or child, in education, retired",
    "diagnosis": "main diagnosis",
}
_COLUMNS = {"hungarian": HEART_COLUMNS, "diabetes": DIABETES_COLUMNS, "registry": REGISTRY_COLUMNS}
_MOST_BYTES = 1 << 20  # the published file has ten thousand bytes: what is much larger is not it
_SECONDS = 30.0


def load(name: str, *, data: str | Path | None = None, download: bool = False, repeats: bool = False) -> Columns:
    """A data set by name, as a mapping of columns that every function of discreet takes as a table.

    "hungarian": patients of the Hungarian Institute of Cardiology, 14 columns, as the papers count them: of 294 rows the one
    that repeats another is dropped, and `?` is missing, None. CC BY 4.0; the module's docstring says whom to cite.

    "diabetes": 442 patients of Efron et al. (2004) in natural units, from scikit-learn.

    "registry": 5,000 made-up people admitted to hospital; `registry(rows, seed)` makes any number of them.

    Parameters
    ----------
    data
        The folder of the Hungarian file; else $DISCREET_DATA, else the cache that `fetch` fills.
    download
        Whether to `fetch` the Hungarian file if it is in no such place. Nothing is downloaded unasked.
    repeats
        Whether to keep the Hungarian row that repeats another: 294 rows.

    Raises
    ------
    TableError
        Where the data are not there, or not the published ones.
    """
    describe(name)
    if name == "diabetes":
        return _diabetes()
    if name == "registry":
        return registry()
    columns = parse_uci(_hungarian(data, download))
    return columns if repeats else _without_repeats(columns)


def describe(name: str) -> dict[str, str]:
    """What each column of a data set is, by its name.

    Examples
    --------
    >>> describe("hungarian")["chol"]
    'serum cholesterol, mg/dl'
    """
    if name not in _COLUMNS:
        raise InputError(f"there is no data set {name!r}: choose among {listed(list(_COLUMNS))}")
    return dict(_COLUMNS[name])


def fetch(name: str = "hungarian", *, url: str = HUNGARIAN_URL, cache: str | Path | None = None) -> Path:
    """Download a data set into the cache unless it is there, and return the file's path.

    Only what has the published sha256 is kept, and it takes its place whole or not at all. `url` may name a mirror, `cache`
    a folder other than `cache_folder()`. Raises TableError, in one line, if that fails.
    """
    if name != "hungarian":
        raise InputError(f"{name!r} is not downloaded: only 'hungarian' is")
    target = (Path(cache) if cache is not None else cache_folder()) / HUNGARIAN_FILE
    try:
        if _is_published(target.read_bytes()):
            return target
    except OSError:
        pass  # not there, or not readable: then writing it says why
    content = _downloaded(url)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as temporary:
            temporary.write_bytes(content)
    except (OSError, InputError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise TableError(
            f"the cache {target.parent} cannot be written ({reason}): name another by DISCREET_CACHE"
        ) from None
    return target


def parse_uci(text: str, columns: Sequence[str] = tuple(HEART_COLUMNS)) -> Columns:
    """The columns of a file as UCI writes them: no header, values between commas, `?` for missing (None), all else numbers.

    The other "processed" files of Heart Disease (Cleveland, Switzerland, VA) have the same columns.

    Examples
    --------
    >>> parse_uci("63,1.5\\n?,2\\n", ["age", "oldpeak"])
    {'age': [63, None], 'oldpeak': [1.5, 2]}
    """
    found: Columns = {name: [] for name in columns}
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        if not row:
            continue
        if len(row) != len(columns):
            raise TableError(f"line {number} has {len(row)} values: {len(columns)} are needed")
        for name, value in zip(columns, row, strict=True):
            try:
                found[name].append(_number(value.strip()))
            except ValueError:
                raise TableError(f"line {number} has a value of {name} that is neither a number nor '?'") from None
    return found


def _number(text: str) -> float | int | None:
    if text == "?":
        return None
    value = float(text)
    return int(value) if value.is_integer() else value


def _without_repeats(columns: Columns) -> Columns:
    """Every distinct row once, in the order of first appearance."""
    rows = dict.fromkeys(zip(*columns.values(), strict=True))
    return {name: list(values) for name, values in zip(columns, zip(*rows, strict=True), strict=True)}


def _is_published(content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == HUNGARIAN_SHA256


def _hungarian(data: str | Path | None, download: bool) -> str:
    """The text of the file: from the folder that was named, and only where none was, from the cache."""
    folder = data or os.environ.get("DISCREET_DATA")
    path = Path(folder or cache_folder()) / HUNGARIAN_FILE
    remedy = "take it from UCI again"
    if not folder:
        remedy = "delete it, or replace it by discreet.datasets.fetch()"
        if download:
            path = fetch()
        elif not path.exists():
            raise TableError(
                "the hungarian data are not bundled: discreet.datasets.fetch() downloads them, or put "
                f"{HUNGARIAN_FILE} of UCI's Heart Disease into a folder and name it by data= or DISCREET_DATA"
            )
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise TableError(f"{path} cannot be read: {problem.strerror}") from None
    if not _is_published(content):
        raise TableError(f"{path} is not the published file, its sha256 differs: {remedy}")
    return content.decode("ascii")


def _downloaded(url: str) -> bytes:
    """The published content from an address, or one line on why not."""
    import http.client
    import urllib.error
    import urllib.request

    if not url.startswith(("https://", "http://")):
        raise InputError("an address to download from starts with https:// or http://")
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as response:  # noqa: S310, the scheme was checked
            content: bytes = response.read(_MOST_BYTES)
            announced = response.headers.get("Content-Length")
    except urllib.error.HTTPError as problem:
        problem.close()
        raise TableError(
            f"{url} answered {problem.code}: try later, or take the file by hand and name its folder"
        ) from None
    except (OSError, http.client.HTTPException) as problem:
        reason = getattr(problem, "reason", None) or type(problem).__name__
        raise TableError(f"{url} cannot be reached ({reason}): try later, or take the file by hand") from None
    if announced and announced.isdigit() and len(content) < min(int(announced), _MOST_BYTES):
        raise TableError(f"{url} sent {len(content)} of {announced} bytes, which were not kept: try again")
    if not _is_published(content):
        raise TableError(f"{url} sent another file than the published one, its sha256 differs: it was not kept")
    return content


def _diabetes() -> Columns:
    sklearn = needs_extra("sklearn.datasets", "sklearn")
    bunch = sklearn.load_diabetes(scaled=False)
    *measured, target = DIABETES_COLUMNS
    columns: Columns = {name: bunch.data[:, i].tolist() for i, name in enumerate(measured)}
    columns[target] = bunch.target.tolist()
    return columns
