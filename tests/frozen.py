"""What a file that discreet wrote says and does, by public names only, as plain data that can be recorded and compared.

`tests/reference/write_files.py` recorded it when the files were written; `tests/test_frozen_files.py` looks again.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import discreet as dc
from discreet import queries, sample_privacy
from discreet.errors import DiscreetError
from tests.processes import run

FILES = Path(__file__).parent / "reference" / "files"
TABLES = FILES / "tables"
PEOPLE = TABLES / "people.csv"
REFUSED = "refused"


def plain(value: Any) -> Any:
    """As JSON holds it: tuples are lists, labels that JSON does not have are texts, and so is infinity."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.11g}") if math.isfinite(value) else str(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def same(found: Any, recorded: Any) -> bool:
    """Whether two pieces of plain data agree, numbers up to rounding."""
    if isinstance(found, dict) and isinstance(recorded, dict):
        return found.keys() == recorded.keys() and all(same(found[name], recorded[name]) for name in found)
    if isinstance(found, list) and isinstance(recorded, list):
        return len(found) == len(recorded) and all(map(same, found, recorded))
    if isinstance(found, float | int) and isinstance(recorded, float | int) and not isinstance(found, bool):
        return math.isclose(found, recorded, rel_tol=1e-9, abs_tol=1e-9)
    return bool(found == recorded)


def differences(found: Any, recorded: Any, where: str = "") -> list[str]:
    """Where two pieces of plain data differ, for people."""
    if isinstance(found, dict) and isinstance(recorded, dict):
        names = sorted(found.keys() | recorded.keys())
        return [line for name in names for line in differences(found.get(name), recorded.get(name), f"{where}/{name}")]
    return [] if same(found, recorded) else [f"{where}: {found!r}, recorded {recorded!r}"]


# ---------------------------------------------------------------------- rows

Columns = dict[str, list[Any]]


@cache
def columns_of(path: Path) -> Columns:
    """A table in memory, as texts: files are opened once for each policy, and this is as good for the rest."""
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def rows_of(columns: Columns) -> list[Any]:
    """The rows of a released table, each once with its number, in an order that does not depend on who wrote it."""
    rows = Counter(tuple(map(plain, row)) for row in zip(*columns.values(), strict=True))
    return [[*row, number] for row, number in sorted(rows.items(), key=repr)]


def tried(make: Callable[[], Any]) -> Any:
    """The rows that come out, or that it was refused."""
    try:
        return rows_of(make())
    except DiscreetError:
        return REFUSED


def partition(blocks: Any) -> str:
    """Which letters share a block: of every letter, in their order, the number of its block."""
    letters = sorted(((letter, number) for number, block in enumerate(blocks) for letter in block), key=_place)
    return " ".join(str(number) for _, number in letters)


def _place(pair: tuple[Any, int]) -> tuple[Any, ...]:
    parts = pair[0] if isinstance(pair[0], tuple) else (pair[0],)
    return tuple(
        (isinstance(part, int | float), part if isinstance(part, int | float) else 0, str(part)) for part in parts
    )


def verified(policy: Any, released: Any, original: Columns | None = None) -> dict[str, Any]:
    """Whether a release is found to fit, and what was recomputed from it, where that is not what the policy says."""
    found = policy.verify(released, original)
    measures = plain(found.measures)
    return {"ok": found.ok, "measures": "after" if same(measures, plain(policy.after)) else measures}


def carried_out(policy: Any, path: Path, scratch: Path) -> dict[str, Any]:
    """What a policy makes of the table that it was made for and of other ones, and what verifying finds."""
    original = columns_of(path)
    try:
        released = policy.release(path).to_pydict()
    except DiscreetError:
        return {"released": REFUSED}
    found: dict[str, Any] = {"released": rows_of(released)}
    policy.save(scratch / "again.json")
    assert rows_of(dc.Policy.load(scratch / "again.json").release(original)) == found["released"]
    with_s = policy.release(original, keep=list(policy.sensitive), keep_anyway=True)
    found["verified"] = {
        "alone": verified(policy, released),
        "with the sensitive columns": verified(policy, with_s),
        "with the original": verified(policy, released, original),
    }
    spoilt = {**released, policy.public[0]: ["nobody's cell", *map(str, released[policy.public[0]][1:])]}
    assert not policy.verify(spoilt), "a cell that the policy does not have was not noticed"
    short = {name: values[1:] for name, values in released.items()}
    assert not policy.verify(short, original), "a row that is missing was not noticed"
    for name in ("newcomers", "strangers"):
        table = columns_of(TABLES / f"{name}.csv")
        found[name] = tried(partial(policy.release, table))
        applied = tried(partial(policy.apply, table))
        assert applied in (REFUSED, found[name]), "applying releases otherwise than releasing"
        found[f"applied to {name}"] = applied != REFUSED
    return found


# ---------------------------------------------------------------------- kinds of files


def of_policy(path: Path, scratch: Path) -> dict[str, Any]:
    """A policy that coarsens by letters and blocks."""
    policy = dc.Policy.load(path)
    facts = {
        name: plain(getattr(policy, name))
        for name in (
            *("public", "sensitive", "side", "codewords", "labels", "withheld", "promised"),
            *("before", "after", "utility", "leakage", "problem", "missing", "na", "unseen"),
        )
    }
    done = carried_out(policy, PEOPLE, scratch)
    done["released as codewords"] = tried(partial(policy.release, columns_of(PEOPLE), cells="codeword"))
    return {**facts, "blocks": partition(policy.blocks), **done}


def of_old_policy(path: Path, scratch: Path) -> dict[str, Any]:
    """One of schema 1, whose table nobody has: a table of its letters, and of values between them, is released."""
    policy = dc.Policy.load(path)
    table = TABLES / f"{path.stem}.csv"
    released = policy.release(table).to_pydict()
    policy.save(scratch / "again.json")
    assert dc.Policy.load(scratch / "again.json").release(table).to_pydict() == released
    return {
        **{name: plain(getattr(policy, name)) for name in ("public", "sensitive", "labels", "promised", "after")},
        "released": rows_of(released),
        "verified": verified(policy, released),
    }


def of_table_policy(path: Path, scratch: Path) -> dict[str, Any]:
    """A policy of a whole table, or its public part."""
    policy: Any = dc.Policy.load(path)
    facts = {
        name: plain(getattr(policy, name))
        for name in (
            *("public", "sensitive", "labels", "promised", "before", "after", "loss", "bound", "loss_by_column"),
            *("records", "suppressed", "missing", "na", "unseen", "shape", "blind", "is_public"),
        )
    }
    facts["require"] = [str(each) for each in policy.require]
    done = carried_out(policy, PEOPLE, scratch)
    if policy.is_public:  # it verifies what the whole policy released, too
        whole: Any = dc.Policy.load(path.with_name(path.name.replace("-public.json", ".json")))
        done["verifies the whole policy's release"] = verified(policy, whole.release(columns_of(PEOPLE)))
    else:
        policy.face().save(scratch / "face.json")
        assert dc.Policy.load(scratch / "face.json").labels == policy.labels
    return {**facts, **done}


def of_frontier(path: Path, scratch: Path) -> dict[str, Any]:
    """A saved frontier: its points, its path, its cuts, and the policy in its middle."""
    frontier = dc.Frontier.load(path)
    frontier.save(scratch / "again.frontier")
    assert dc.Frontier.load(scratch / "again.frontier").to_dict() == frontier.to_dict()
    middle = frontier.points[len(frontier.points) // 2]
    names = ("min_leakage", "max_utility") if frontier.problem == "bottleneck" else ("max_leakage", "min_utility")
    cuts = [{"multiplier": 0.2}, {names[0]: middle.leakage}, {names[1]: middle.utility}]
    return {
        **{name: getattr(frontier, name) for name in ("method", "leakage", "utility", "problem", "complete")},
        "points": [
            [*plain((each.leakage, each.utility, each.bound)), partition(each.blocks)] for each in frontier.points
        ],
        "path": None if frontier.path is None else [partition(each.blocks) for each in frontier.path],
        "cuts": [partition(frontier.at(**cut).blocks) for cut in cuts],
        "policy": {name: plain(getattr(middle.policy, name)) for name in ("labels", "codewords", "before", "after")},
        "hypervolume": plain(frontier.hypervolume),
    }


def of_channel(path: Path, scratch: Path) -> dict[str, Any]:
    """A soft policy: its probabilities, and that what is drawn is possible."""
    channel = dc.Channel.load(path)
    channel.save(scratch / "again.json")
    assert dc.Channel.load(scratch / "again.json").to_dict() == channel.to_dict()
    table = columns_of(PEOPLE)
    released = channel.release(table, np.random.default_rng(1))
    assert released == channel.release(table, np.random.default_rng(1))
    (drawn,) = released.values()
    assert len(drawn) == len(table["age"]) and set(drawn) <= set(channel.symbols)
    return {
        **{name: plain(getattr(channel, name)) for name in ("public", "sensitive", "letters", "leakage", "utility")},
        "matrix": plain(channel.matrix),
        "meaning": [plain(channel.meaning(symbol)) for symbol in channel.symbols],
    }


def of_disclosure(path: Path, scratch: Path) -> dict[str, Any]:
    """A mapping of perfect sample privacy: its figures, and that what it draws is possible."""
    found = sample_privacy.Disclosure.load(path)
    found.save(scratch / "again.json")
    assert sample_privacy.Disclosure.load(scratch / "again.json").to_dict() == found.to_dict()
    possible = np.asarray(found.channel)
    cells = np.argwhere(np.ones(found.shape, bool))
    said = found.draw(cells, np.random.default_rng(2))
    if np.asarray(said).ndim == 1 and not found.names:
        assert (possible.reshape(len(cells), -1)[np.arange(len(cells)), said] > 0).all()
    if found.names:
        rows = found.draw_rows(TABLES / "samples.csv", np.random.default_rng(2))
        assert len(rows) == len(columns_of(TABLES / "samples.csv")["first"])
    return {**plain(found.to_dict()), "p_y": plain(found.p_y), "channel": plain(np.round(possible, 12))}


def of_query(path: Path, scratch: Path) -> dict[str, Any]:
    """A quantised query: its cells, its leakage, and what it answers."""
    found = queries.QuantisedQuery.load(path)
    found.save(scratch / "again.json")
    assert queries.QuantisedQuery.load(scratch / "again.json").to_dict() == found.to_dict()
    return {**plain(found.to_dict()), "answered": plain([found.answer(x) for x in ([0, 1], [2, -1], [-2, -2])])}


def of_auditor(path: Path, scratch: Path) -> dict[str, Any]:
    """An auditor's transcript: what everybody keeps, and what is offered next."""
    found = queries.Auditor.load(path)
    found.save(scratch / "again.json")
    assert queries.Auditor.load(scratch / "again.json").to_dict() == found.to_dict()
    return {
        "intervals": plain(found.intervals()),
        "records": len(found.records),
        "offered": plain(found.offer([0, 1, 2, 3], aggregate="mean", error=2)),
    }


def of_recipe(path: Path, scratch: Path) -> dict[str, Any]:
    """A recipe: what it says, and what it makes beside its table."""
    for each in (*path.parent.glob("*.csv"), *path.parent.glob("*.json"), path, *TABLES.glob("*.csv")):
        shutil.copy(each, scratch)
    recipe = dc.Recipe.load(scratch / path.name)
    assert dc.Recipe.parse(recipe.to_toml(), folder=scratch) == recipe
    found = {"says": plain(recipe.to_dict()), "public": list(recipe.public), "sensitive": list(recipe.sensitive)}
    if not recipe.search.policy and not recipe.frontier.max_leakage:
        return found  # what a search finds is not the file's to say
    done = run("release", "--recipe", path.name, "--json", cwd=scratch)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    released = columns_of(scratch / recipe.output.table)
    return {**found, "rows": told["rows"], "suppressed": told["suppressed"], "released": rows_of(released)}


def for_spark(name: str, folder: Path) -> Path:
    """One of the tables as Parquet, which is what Spark reads."""
    columns = columns_of(TABLES / f"{name}.csv")
    kinds = {"age": int, "chol": float}
    typed = {each: list(map(kinds.get(each, str), values)) for each, values in columns.items()}
    pq.write_table(pa.table(typed), folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


def of_cluster_policy(path: Path, scratch: Path, master: str) -> dict[str, Any]:
    """A folder that a cluster wrote, used by the commands; it is not among KINDS, since it needs Spark."""
    spark = ("--engine", "spark", "--master", master, "--json")
    found: dict[str, Any] = {}
    for name in ("people", "newcomers", "strangers"):
        table, out = str(for_spark(name, scratch)), scratch / f"{name}-released.parquet"
        done = run("apply", str(path), table, "--out", str(out), *spark)
        assert done.returncode in (0, 1), done.stderr
        if done.returncode:
            found[name] = REFUSED
            continue
        told = json.loads(done.stdout)
        originals = ("--original", table) if name == "people" else ()  # others have values that the policy never saw
        checked = run("verify", str(out), "--policy", str(path), *originals, *spark)
        found[name] = {
            **{part: plain(told[part]) for part in ("rows", "suppressed", "measures")},
            "released": rows_of(pq.read_table(out).to_pydict()),
            "verified": {part: plain(json.loads(checked.stdout)[part]) for part in ("ok", "measures")},
        }
    return found


KINDS: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "policies": of_policy,
    "schema1": of_old_policy,
    "table_policies": of_table_policy,
    "frontiers": of_frontier,
    "channels": of_channel,
    "disclosures": of_disclosure,
    "queries": of_query,
    "auditors": of_auditor,
    "recipes": of_recipe,
}
"""Folders of files, and who looks at those in them."""
