"""Frontiers in files: a zip of plain arrays and one JSON document that holds the sha256 of each of them and of itself.

Nothing in a file is ever run: arrays are read without pickle, and engines are named, not stored. A file that is cut short,
changed or written by a newer version is refused with one line.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import discreet
from discreet.errors import InputError
from discreet.joint._joint import Joint
from discreet.joint._side import Side
from discreet.release import _cells as cells
from discreet.release._by_k import Levels
from discreet.release._engine import REGISTERED
from discreet.release._partitions import KINDS, Partitions
from discreet.release._points import Places, Points, Setting
from discreet.tables._checksum import seal
from discreet.tables._counting import Missing
from discreet.tables._labels import Alphabet
from discreet.tables._writing import replacing

if TYPE_CHECKING:
    from scipy import sparse

    from discreet.release._frontier import Frontier
    from discreet.release._partitions import Store

SCHEMA = 1
HEADER = "frontier.json"
PLAIN = "biuf"  # kinds of numpy arrays that files hold as they are
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same frontier makes the same file


def write(frontier: Frontier, path: str | Path) -> None:
    """Write a frontier, whole or not at all."""
    arrays = _Arrays({})
    document = {
        "method": frontier.method,
        "complete": frontier.complete,
        "polished": frontier.polished,
        "seconds": frontier.seconds,
        "stopped": frontier.stopped,
        "setting": _setting_document(frontier.setting, arrays),
        "points": _partitions_document(frontier.points.partitions, arrays),
        "path": None if frontier.path is None else _partitions_document(frontier.path.partitions, arrays),
        "levels": None if frontier.levels is None else _levels_document(frontier.levels, arrays),
    }
    header: dict[str, Any] = {
        "frontier": SCHEMA,
        "tool": f"discreet {discreet.__version__}",
        "document": document,
        "arrays": {name: _digest(array) for name, array in arrays.found.items()},
    }
    header["sha256"] = seal(header)
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr(_entry(HEADER), json.dumps(header, ensure_ascii=False, allow_nan=False))
        for name, array in arrays.found.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            file.writestr(_entry(f"{name}.npy"), content.getvalue())


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def read(path: str | Path) -> dict[str, Any]:
    """What `Frontier` is made of, from a file."""
    try:
        with zipfile.ZipFile(path) as file:
            header = json.loads(file.read(HEADER))
            _check_header(header, path)
            found = {name: _read_array(file, name) for name in header["arrays"]}
    except InputError:
        raise
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or type(problem).__name__}") from None
    except (zipfile.BadZipFile, zlib.error, LookupError, ValueError, TypeError, EOFError, RuntimeError):
        raise InputError(f"{path} is not a saved frontier, or it is cut short") from None
    if any(_digest(array) != header["arrays"][name] for name, array in found.items()):
        raise InputError(f"{path} was changed after it was written: the sha256 of its arrays does not match")
    try:
        return _parts_of(header["document"], _Arrays(found))
    except InputError as problem:
        raise InputError(f"{path} does not hold together: {problem}") from None
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"{path} is not a complete frontier ({type(problem).__name__})") from None


def _check_header(header: Any, path: str | Path) -> None:
    schema = header.get("frontier") if isinstance(header, dict) else None
    if type(schema) is not int or schema < 1:
        raise InputError(f"{path} is not a saved frontier: it names no schema")
    if schema > SCHEMA:
        raise InputError(f"{path} was written by a newer discreet (schema {schema}): update discreet")
    if header.get("sha256") != seal({name: header[name] for name in header if name != "sha256"}):
        raise InputError(f"{path} was changed after it was written: its sha256 does not match")


def _read_array(file: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    with file.open(f"{name}.npy") as content:
        return np.asarray(np.lib.format.read_array(content, allow_pickle=False))


def _digest(array: npt.NDArray[Any]) -> str:
    kind = f"{array.dtype.str} {array.shape} ".encode()
    return hashlib.sha256(kind + np.ascontiguousarray(array).tobytes()).hexdigest()


class _Arrays:
    """Arrays by name: a document names them."""

    def __init__(self, found: dict[str, npt.NDArray[Any]]) -> None:
        self.found = found

    def put(self, array: npt.NDArray[Any] | None) -> str | None:
        if array is None:
            return None
        name = f"a{len(self.found)}"
        self.found[name] = array
        return name

    def get(self, name: str | None) -> Any:
        return None if name is None else self.found[name]


# ---------------------------------------------------------------------- partitions


def _partitions_document(found: Partitions, arrays: _Arrays) -> dict[str, Any]:
    return {
        "leakage": arrays.put(found.leakage),
        "utility": arrays.put(found.utility),
        "bound": arrays.put(found.bound),
        "store": _value_document(found.store, arrays),
    }


def _value_document(value: Any, arrays: _Arrays) -> Any:
    """A store or one of its fields: an array, a store, or a tuple of stores or of bytes."""
    if isinstance(value, np.ndarray):
        return {"array": arrays.put(value)}
    if is_dataclass(value):
        parts = {field.name: _value_document(getattr(value, field.name), arrays) for field in fields(value)}
        return {"store": type(value).__name__, **parts}
    if all(isinstance(part, bytes) for part in value):
        lengths = np.array([len(part) for part in value], dtype=np.int64)
        return {"bytes": arrays.put(np.frombuffer(b"".join(value), dtype=np.uint8)), "lengths": arrays.put(lengths)}
    return {"parts": [_value_document(part, arrays) for part in value]}


def _value_of(document: dict[str, Any], arrays: _Arrays) -> Any:
    if "array" in document:
        return arrays.get(document["array"])
    if "store" in document:
        kind = KINDS[document["store"]]
        return kind(**{field.name: _value_of(document[field.name], arrays) for field in fields(kind)})
    if "bytes" in document:
        whole, ends = arrays.get(document["bytes"]).tobytes(), np.cumsum(arrays.get(document["lengths"])).tolist()
        return tuple(whole[start:end] for start, end in zip([0, *ends], ends, strict=False))
    return tuple(_value_of(part, arrays) for part in document["parts"])


def _points_of(document: dict[str, Any], setting: Setting, arrays: _Arrays) -> Points:
    store: Store = _value_of(document["store"], arrays)
    leakage, utility, bound = (arrays.get(document[name]) for name in ("leakage", "utility", "bound"))
    sizes = {len(leakage), len(utility), len(store), len(leakage if bound is None else bound)}
    if len(sizes) > 1 or not len(leakage) or len(store.partition(0)) != setting.joint.n_x:
        raise InputError("its figures are not those of its partitions")
    return Points(setting, Partitions(leakage, utility, store, bound))


def _levels_document(levels: Levels, arrays: _Arrays) -> dict[str, Any]:
    return {"asked": arrays.put(levels.asked), **_partitions_document(levels.points.partitions, arrays)}


def _levels_of(document: dict[str, Any], setting: Setting, arrays: _Arrays) -> Levels:
    levels = Levels(arrays.get(document["asked"]), _points_of(document, setting, arrays))
    if len(levels.asked) != len(levels.points):
        raise InputError("its levels are not those of its partitions")
    return levels


def _parts_of(document: dict[str, Any], arrays: _Arrays) -> dict[str, Any]:
    setting = _setting_of(document["setting"], arrays)
    return {
        "points": _points_of(document["points"], setting, arrays),
        "path": None if document["path"] is None else _points_of(document["path"], setting, arrays),
        "levels": None if document.get("levels") is None else _levels_of(document["levels"], setting, arrays),
        "method": str(document["method"]),
        "complete": bool(document["complete"]),
        "polished": None if document.get("polished") is None else float(document["polished"]),
        "seconds": float(document["seconds"]),
        "stopped": None if document.get("stopped") is None else str(document["stopped"]),
    }


# ---------------------------------------------------------------------- the setting


def _setting_document(setting: Setting, arrays: _Arrays) -> dict[str, Any]:
    places, hierarchy = setting.places, setting.hierarchy
    plain = ("leakage", "utility", "codeword", "problem", "at_least", "most", "seed")
    return {
        "engine": setting.engine.name,
        **{name: getattr(setting, name) for name in plain},
        **{name: cells.to_json(float(getattr(setting, name))) for name in ("unit", "worst", "norm")},
        "places": None
        if places is None
        else {
            "coordinates": arrays.put(places.coordinates),
            "scale": arrays.put(places.scale),
            "is_single": places.is_single,
            "kinds": list(places.kinds),
            "by_range": places.by_range,
        },
        "hierarchy": None if hierarchy is None else [list(nodes) for nodes in hierarchy.values()],
        "joint": _joint_document(setting.joint, arrays),
    }


def _setting_of(document: Mapping[str, Any], arrays: _Arrays) -> Setting:
    engine = REGISTERED.get(document["engine"])
    if engine is None:
        raise InputError(f"engine {document['engine']!r} is not known: import discreet.search, or update discreet")
    places, hierarchy = document["places"], document["hierarchy"]
    return Setting(
        joint=_joint_of(document["joint"], arrays),
        leakage=document["leakage"],
        utility=document["utility"],
        unit=cells.from_json(document["unit"]),
        worst=cells.from_json(document["worst"]),
        places=None
        if places is None
        else Places(
            arrays.get(places["coordinates"]),
            arrays.get(places["scale"]),
            bool(places["is_single"]),
            tuple(places["kinds"]),
            bool(places.get("by_range", False)),
        ),
        codeword=document["codeword"],
        norm=cells.from_json(document["norm"]),
        hierarchy=None if hierarchy is None else {nodes[0]: tuple(nodes) for nodes in hierarchy},
        problem=document["problem"],
        at_least=int(document["at_least"]),
        most=document["most"],
        seed=int(document["seed"]),
        engine=engine,
    )


# ---------------------------------------------------------------------- the joint


def _joint_document(joint: Joint, arrays: _Arrays) -> dict[str, Any]:
    side = joint.side if joint.has_side else None
    return {
        "s": _alphabet_document(joint._s, arrays),
        "x": _alphabet_document(joint._x, arrays),
        "counts": _matrix_document(joint.counts, arrays),
        "has_counts": joint.has_counts,
        "missing": None if joint.missing is None else asdict(joint.missing),
        "side": None
        if side is None
        else {
            "a": _alphabet_document(side.a, arrays),
            "counts": _matrix_document(side.counts, arrays),
            "x_of": arrays.put(side.x_of),
            "a_of": arrays.put(side.a_of),
        },
    }


def _joint_of(document: Mapping[str, Any], arrays: _Arrays) -> Joint:
    side, missing = document["side"], document["missing"]
    return Joint(
        _alphabet_of(document["s"], arrays),
        _alphabet_of(document["x"], arrays),
        _matrix_of(document["counts"], arrays),
        side=None
        if side is None
        else Side(
            _alphabet_of(side["a"], arrays),
            _matrix_of(side["counts"], arrays),
            arrays.get(side["x_of"]),
            arrays.get(side["a_of"]),
        ),
        missing=None if missing is None else Missing(**missing),
        has_counts=bool(document["has_counts"]),
    )


def _alphabet_document(alphabet: Alphabet, arrays: _Arrays) -> dict[str, Any]:
    columns = [
        {"array": arrays.put(column)}
        if isinstance(column, np.ndarray) and column.dtype.kind in PLAIN
        else {"labels": [cells.to_json(label) for label in Alphabet((column,)).labels()]}
        for column in alphabet.columns
    ]
    return {"columns": columns, "codes": arrays.put(alphabet.codes), "names": list(alphabet.names)}


def _alphabet_of(document: Mapping[str, Any], arrays: _Arrays) -> Alphabet:
    columns = tuple(
        arrays.get(column["array"]) if "array" in column else [cells.from_json(label) for label in column["labels"]]
        for column in document["columns"]
    )
    return Alphabet(columns, arrays.get(document["codes"]), tuple(document["names"]))


def _matrix_document(matrix: sparse.csc_array, arrays: _Arrays) -> dict[str, Any]:
    parts = {name: arrays.put(getattr(matrix, name)) for name in ("data", "indices", "indptr")}
    return {**parts, "shape": [int(side) for side in matrix.shape]}


def _matrix_of(document: Mapping[str, Any], arrays: _Arrays) -> sparse.csc_array:
    from scipy import sparse

    parts = tuple(arrays.get(document[name]) for name in ("data", "indices", "indptr"))
    matrix = sparse.csc_array(parts, shape=tuple(document["shape"]))
    matrix.check_format(full_check=True)
    return matrix
