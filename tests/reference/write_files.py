"""How the files in tests/reference/files were written, by version 0.1.0: one of every kind that discreet writes.

Kept to show how, and never run again over them: a file that a later version writes is not one that somebody has had since
0.1.0. `expected.json` in each folder records what its files said and did then (tests/frozen.py); where a kind is added, name an
empty folder and bring over what is new. The ledgers stand in write_ledger.py, the cluster's folder in write_cluster.py.

    python -m tests.reference.write_files EMPTY_FOLDER
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc
from discreet import queries, sample_privacy
from discreet.release import ReleaseOptions
from tests import frozen
from tests.search.kinds_of_frontiers import frontier_of, joint

ILLS = ("flu", "cold", "gout", "none")
TOWNS = ("Aarau", "Bern", "Chur", "Davos", "Elm", "Flims", "Zug")
DEGREES = ("none", "school", "college")

# ---------------------------------------------------------------------- tables


def person(rng: random.Random, i: int) -> dict[str, Any]:
    """One made-up person; every illness occurs at every age, so that promises can hold."""
    seen = dt.datetime(2024, 1, 5, 8) + dt.timedelta(hours=rng.randrange(24 * 200))
    return {
        "age": 20 + rng.randrange(16) * 3,
        "chol": round(150 + rng.randrange(240) / 4, 2),
        "admitted": (dt.date(2024, 1, 3) + dt.timedelta(days=rng.randrange(12) * 9)).isoformat(),
        "seen": seen.isoformat(sep=" "),
        "town": rng.choice(TOWNS[:-1]),
        "postcode": f"{rng.choice((10, 11, 20))}{rng.randrange(40):03d}",
        "degree": rng.choice(DEGREES),
        "stay": "?" if i % 11 == 5 else rng.randrange(1, 9),
        "sex": rng.choice("FM"),
        "ill": ILLS[i % 4],
        "smoker": "yes" if rng.random() < 0.4 else "no",
    }


def write_tables(folder: Path) -> None:
    """People, people who came later (those and others), strangers whose illness their public values tell, and samples."""
    rng = random.Random(20240105)
    people = [person(rng, i) for i in range(46)]
    people += [{**person(rng, i), "age": 65, "town": "Zug", "postcode": f"9900{i}"} for i in (0, 1)]
    rng.shuffle(people)
    newcomers = [{**person(rng, i), "age": 21 + 3 * rng.randrange(14)} for i in range(12)]
    strangers = [{**each, "ill": ILLS[each["age"] % 2], "smoker": "no"} for each in people[:20]]
    hidden = [rng.random() < 0.3 for _ in range(60)]
    samples = [
        {"first": int(w ^ (rng.random() < 0.2)), "second": int(w ^ (rng.random() < 0.2)), "third": rng.randrange(3)}
        for w in hidden
    ]
    write_csv(folder / "people.csv", people)
    write_csv(folder / "newcomers.csv", [*people, *newcomers])
    write_csv(folder / "strangers.csv", strangers)
    write_csv(folder / "samples.csv", samples)
    for name, columns in OLD.items():
        document = json.loads((frozen.FILES / "schema1" / f"{name}.json").read_text())
        letters = [letter for block in document["blocks"] for letter in block["letters"]] + document["withheld"]
        rows = [_cells(letter) for letter in letters]
        rows += [[_nearby(row[0]), *row[1:]] for row in rows]
        write_csv(folder / f"{name}.csv", [dict(zip(columns, row, strict=True)) for row in rows])
    (folder / "towns.csv").write_text(
        "".join(f"{town};{'west' if i < 3 else 'east'};*\n" for i, town in enumerate(TOWNS))
    )
    (folder / "ills.csv").write_text("flu;infection;*\ncold;infection;*\ngout;other;*\nnone;other;*\n")


OLD = {"schema1-number": ["chol"], "schema1-columns": ["chol", "town"], "schema1-bottleneck": ["seen"]}
"""Policies of schema 1 and their public columns; nobody has their tables any more, so their letters make one."""


def _nearby(value: Any) -> Any:
    """A value that the policy has perhaps never seen."""
    if isinstance(value, str):
        return (dt.date.fromisoformat(value[:10]) + dt.timedelta(days=9)).isoformat()
    return None if value is None else round(value + 2.9, 6)


def _cells(letter: Any) -> list[Any]:
    parts = letter if isinstance(letter, list) else [letter]
    return [next(iter(part.values())) if isinstance(part, dict) else part for part in parts]


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ---------------------------------------------------------------------- policies of blocks


def write_policies(folder: Path) -> None:
    """By name: columns, how they are counted, how a frontier is searched, where it is cut, and what is released."""
    leaks, keeps, ages = {"max_leakage": 1.0}, {"utility": "resolution"}, {"sensitive": "age"}
    every: dict[str, tuple[Any, dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]] = {
        # public columns, counting, frontier, cut, options
        "number": ("age", {}, {}, leaks, {}),
        "number-medoid": ("chol", {}, {"codeword": "medoid"}, leaks, {}),
        "number-chebyshev": ("chol", {}, {"codeword": "chebyshev", "method": "agglomerative"}, leaks, {}),
        "number-exact": ("age", {}, {"method": "exact"}, {"max_leakage": 0.5}, {}),
        "number-min-utility": ("age", {}, {}, {"min_utility": -12.0}, {}),
        "date": ("admitted", {}, {}, leaks, {}),
        "moment": ("seen", {}, {}, {"max_leakage": 0.5}, {}),
        "text": ("town", ages, keeps, {"max_leakage": 1.5}, {}),
        "text-of-digits": ("postcode", {}, keeps, leaks, {}),
        "columns": (["age", "chol"], {}, {"scale": "range"}, leaks, {}),
        "columns-dated": (["age", "admitted"], {}, {"scale": "range", "norm": np.inf}, leaks, {}),
        "columns-mixed": (["age", "town"], {}, keeps, {"max_leakage": 0.5}, {}),
        "side": ("age", {"side": "sex"}, {}, leaks, {}),
        "withheld": ("chol", {}, {}, {"max_leakage": 0.5}, {"suppress": 5}),
        "hierarchy": ("town", ages, {**keeps, "hierarchy": "towns.csv"}, {"max_leakage": 1.5}, {}),
        "missing-level": ("stay", {**ages, "na": ["?"]}, keeps, {"max_leakage": 1.5}, {"na": ["?"]}),
        "missing-dropped": ("stay", {**ages, "na": ["?"], "missing": "drop"}, {}, {"max_leakage": 1.5}, {"na": ["?"]}),
        "unseen-suppressed": ("age", {}, {}, leaks, {"unseen": "suppress"}),
        "band-of-numbers": ("chol", {"coarsen": {"chol": 5}}, {}, leaks, {}),
        "band-of-dates": ("admitted", {"coarsen": {"admitted": "month"}}, {}, leaks, {}),
        "band-of-moments": ("seen", {"coarsen": {"seen": "week"}}, {}, {"max_leakage": 0.5}, {}),
        "band-of-codes": ("postcode", {"coarsen": {"postcode": "code:3"}}, keeps, leaks, {}),
        "band-of-quantiles": ("chol", {"coarsen": {"chol": "quantiles:8"}}, {}, {"max_leakage": 0.5}, {}),
        "bands-of-columns": (["chol", "town"], {"coarsen": {"chol": 10}}, keeps, {"max_leakage": 0.5}, {}),
        "several-sensitive": ("age", {"sensitive": ["ill", "smoker"]}, {}, leaks, {}),
        "sensitive-number": ("chol", ages, {}, {"max_leakage": 2.0}, {}),
        "maximin": ("chol", {}, {"leakage": "I*"}, {"max_leakage": 0.0}, {}),
        "connected": ("chol", ages, {"leakage": "L0|I*=0"}, {"max_leakage": 2.0}, {}),
        "funnel": ("age", {}, {"leakage": "I"}, {"max_leakage": 0.2}, {}),
        "funnel-at-least": ("age", {}, {"leakage": "I", "at_least": 6}, {"max_leakage": 0.3}, {}),
        "bottleneck": ("age", {}, {"leakage": "I", "problem": "bottleneck"}, {"min_leakage": 0.2}, {}),
        "D_2": ("town", {}, {"leakage": "D_2"}, {"max_leakage": 0.3}, {}),
        "D_inf": ("town", {}, {"leakage": "D_inf"}, {"max_leakage": 0.8}, {}),
        "Lmin": ("town", {}, {"leakage": "Lmin"}, {"max_leakage": 0.5}, {}),
        "I_inf": ("town", {}, {"leakage": "I_inf"}, {"max_leakage": 0.5}, {}),
    }
    for name, (public, counting, search, cut, options) in every.items():
        counted = dc.Joint.from_table("people.csv", **{"sensitive": "ill", "public": public, **counting})
        dc.publish(
            "people.csv",
            dc.frontier(counted, **search),
            out="released.csv",
            policy_file=folder / f"{name}.json",
            options=ReleaseOptions(**options, force=True),
            **cut,
        )
    towns = dc.Joint.from_table("people.csv", "ill", "town")
    west_and_east = [TOWNS[:3], TOWNS[3:]]
    dc.Policy.from_blocks(towns, west_and_east, names=("the west", "the east"), codewords=("W", "E"), at_least=5).save(
        folder / "named-by-hand.json"
    )
    by_age = dc.Joint.from_table("people.csv", "ill", "age")
    halves = [[age for age in by_age.x if (age < 44) == young] for young in (True, False)]
    dc.Policy.from_blocks(by_age, halves, codewords=(30.5, 55.0), cuts="halfway").save(folder / "cut-halfway.json")


# ---------------------------------------------------------------------- policies of whole tables


HANDED_OUT = ("local", "disjoint", "global", "t_hier", "kinds", "two-sensitive")


def write_table_policies(folder: Path) -> None:
    """By name: what a recipe says; each is written whole, some also as the part that may be handed out."""
    public, code = {"role": "public"}, {"role": "public", "type": "code"}
    ill = {"ill": {"role": "sensitive"}}
    plain = {"age": public, "town": public, "postcode": code, **ill}
    ranked = {"role": "public", "type": "ordered", "order": list(DEGREES)}
    every: dict[str, dict[str, Any]] = {
        "local": {"columns": plain},
        "disjoint": {"columns": plain, "search": {"shape": "disjoint"}},
        "global": {"columns": plain, "search": {"shape": "global"}},
        "t_hier": {
            "columns": {**plain, "ill": {"role": "sensitive", "hierarchy": "ills.csv"}},
            "require": ["n>=5", "t_hier<=0.4"],
        },
        "blind": {"columns": plain, "search": {"blind": True}},
        "finest-and-coarsest": {
            "columns": {
                "age": {**public, "band": 5, "coarsest": 40},
                "admitted": {**public, "type": "date", "band": "month"},
                "postcode": {**code, "band": 4},
                "sex": {**public, "fixed": True},
                **ill,
            },
            "require": ["n>=4", "k>=2"],
        },
        "kinds": {
            "columns": {
                "degree": ranked,
                "town": {**public, "type": "hierarchy", "hierarchy": "towns.csv", "weight": 2},
                "seen": {**public, "type": "date"},
                "chol": {**public, "weight": 0.5},
                **ill,
            },
            "require": ["n>=5", "k>=3"],
        },
        "suppressed": {
            "columns": {"age": public, "town": {**public, "fixed": True}, **ill},
            "require": ["n>=3", "k>=2"],
            "search": {"suppress": 8},
            "output": {"unseen": "suppress"},
        },
        "suppressed-global": {"columns": plain, "search": {"shape": "global", "suppress": 4}},
        "missing": {"columns": {"age": public, "stay": public, **ill}, "data": {"na": ["?"]}},
        "dropped": {"columns": {"age": public, "stay": public, **ill}, "data": {"na": ["?"], "missing": "drop"}},
        "records-alone": {"columns": {"age": public, "town": public}, "require": ["n>=5"]},
        "two-sensitive": {
            "columns": {**plain, "smoker": {"role": "sensitive"}},
            "require": ["n>=5", "k(ill)>=3", "k(smoker)>=2", "Lmin(ill)<=1"],
        },
        "models": {
            "columns": plain,
            "require": [
                *("n>=6", "k>=3", "L0<=1", "Lmin<=1.2", "Lr<=1.5", "alpha<=0.5", "beta<=2", "beta_enh<=2", "delta<=2"),
                *("t<=0.35", "l_ent>=2.2", "c_2<=3"),
            ],
        },
        "ordered-closeness": {
            "columns": {"town": public, "postcode": code, "age": {"role": "sensitive"}},
            "require": ["n>=5", "t_ord<=0.3"],
        },
    }
    for name, asked in every.items():
        document = {"require": ["n>=4", "k>=3"], **asked}
        document["data"] = {"table": "people.csv", **asked.get("data", {})}
        document["search"] = {"time_limit": 5, **asked.get("search", {})}
        files = {"policy": str(folder / f"{name}.json")}
        if name in HANDED_OUT:
            files["public_policy"] = str(folder / f"{name}-public.json")
        document["output"] = {"table": "released.csv", **files, **asked.get("output", {})}
        dc.Recipe.from_dict(document).run(force=True)


# ---------------------------------------------------------------------- other files


FRONTIERS = {
    "range-search-listed-packed": "line L0 resolution auto 5.0",
    "range-search-merged": "line L0 distortion auto 5.0",
    "range-search-columns": "plane L0 distortion auto chebyshev range",
    "range-search-days": "days L0 distortion medoid",
    "range-search-connected": "line L0|I*=0 distortion auto 5.0",
    "range-proof": "line L0 distortion exact 5.0",
    "range-proof-by-size": "line I* resolution exact 5.0",
    "agglomerative": "line L0 distortion agglomerative 5.0",
    "agglomerative-columns": "plane L0 distortion agglomerative inf",
    "agglomerative-connected": "line L0|I*=0 distortion agglomerative 5.0",
    "sweeney": "words L0 resolution sweeney",
    "mondrian": "line L0 distortion mondrian",
    "equal-width": "line L0 distortion equal-width",
    "equal-frequency": "line L0 distortion equal-frequency",
    "side-information": "side L0 distortion auto",
    "hierarchy": "words L0 resolution towns.csv",
    "information-search-at-least": "counts I auto 5 1.0",
    "information-proof": "few I exact funnel",
    "other-leakages-Lmin": "few Lmin",
    "other-leakages-I_inf": "counts I_inf 4 1.0",
    "other-leakages-D_2": "few D_2",
}
"""With those below one of every engine and every store, by what tests/search/kinds_of_frontiers.py calls it."""


def write_frontiers(folder: Path) -> None:
    for name, kind in FRONTIERS.items():
        frontier_of(kind).save(folder / f"{name}.frontier")
    for name, options in (
        ("information-search", {"time_limit": 1.0}),
        ("information-search-bottleneck", {"problem": "bottleneck", "time_limit": 1.0}),
        ("iac-mdsf", {"method": "iac-mdsf", "time_limit": 1.0}),
        ("pairwise", {"method": "pairwise", "time_limit": 1.0}),
    ):
        dc.frontier(joint("few"), leakage="I", **options).save(folder / f"{name}.frontier")
    dated = dc.Joint.from_table("people.csv", "ill", "admitted", missing="drop", na=["?"])
    dc.frontier(dated, scale=None).save(folder / "people-by-date.frontier")


def write_channels(folder: Path) -> None:
    towns = dc.Joint.from_table("people.csv", "ill", "town")
    soft = dc.frontier(towns, leakage="I").soften(time_limit=5.0)
    soft[len(soft) // 2].save(folder / "soft.json")
    rng = np.random.default_rng(5)
    dated = dc.Joint.from_table("people.csv", ["ill", "smoker"], ["admitted", "sex"])
    dc.Channel.from_matrix(dated, rng.dirichlet(np.ones(3), dated.n_x)).save(folder / "by-hand.json")


def write_disclosures(folder: Path) -> None:
    p = np.random.default_rng(4).dirichlet(np.ones(12)).reshape(2, 3, 2)
    sample_privacy.disclose(p).save(folder / "table.json")
    latent = np.random.default_rng(6).dirichlet(np.ones(2), (2, 3, 2))
    sample_privacy.disclose(p, latent=latent).save(folder / "table-latent.json")
    sample_privacy.disclose(p, private=[[0, 1], [1, 2]]).save(folder / "windows.json")
    parity = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    sample_privacy.disclose_types([1 / 8, 3 / 8, 3 / 8, 1 / 8], parity, samples=3).save(folder / "types.json")
    sample_privacy.disclose_types([0.1, 0.2, 0.3, 0.25, 0.15], samples=4).save(folder / "orbits.json")
    sample_privacy.from_table("samples.csv", ["first", "second", "third"]).save(folder / "from-a-table.json")


def write_queries(folder: Path) -> None:
    box = queries.Box([-2, -2], [2, 2])
    queries.quantise(queries.Mean(), box, error=0.5).save(folder / "mean.json")
    queries.quantise(queries.Mean(), box, error=0.5, bins="least-leakage").save(folder / "mean-least-leakage.json")
    queries.quantise(queries.Max(), box, error=0.5).save(folder / "max.json")
    queries.quantise(queries.Sum(), queries.IntegerBox([-2, -2], [2, 2]), error=1).save(folder / "sum-of-integers.json")


def write_auditors(folder: Path) -> None:
    rng = np.random.default_rng(3)
    for name, options, data in (
        ("reals", {}, rng.uniform(20, 80, 10)),
        ("whole-numbers", {"integral": True}, rng.integers(20, 80, 10)),
        ("steps", {"step": 0.5}, rng.integers(40, 160, 10) / 2),
    ):
        auditor = queries.Auditor(np.full(10, 0.0), np.full(10, 100.0), keep=20, **options)
        for members in ([0, 1, 2, 3, 4], [0, 1, 2], [3, 4, 5, 6, 7, 8, 9], [0, 1, 2, 3]):
            auditor.ask(members, aggregate="mean", error=3, data=data)
        auditor.ask([0, 5, 7], aggregate="sum", error=4, data=data)
        auditor.save(folder / f"{name}.json")


def write_recipes(folder: Path) -> None:
    """As `discreet init` writes one, as the app leaves one beside the policy that was chosen, and one of a single column."""
    dc.Recipe.guess("people.csv").save(folder / "guessed.toml")
    columns: dict[str, Any] = {
        "age": {"role": "public", "band": 5, "weight": 2},
        "town": {"role": "public", "type": "hierarchy", "hierarchy": "towns.csv"},
        "postcode": {"role": "public", "type": "code", "coarsest": 1},
        "ill": {"role": "sensitive"},
        "sex": {"role": "ignored"},
    }
    whole = {
        "data": {"table": "people.csv", "na": ["?"]},
        "columns": columns,
        "require": ["n>=4", "k>=3"],
        "search": {"shape": "local", "time_limit": 5, "suppress": 2},
        "output": {
            "table": "released.csv",
            "policy": "policy.json",
            "public_policy": "cells.json",
            "purpose": "a test",
        },
    }
    found = dc.Recipe.from_dict(whole)
    found.save(folder / "whole-table.toml")
    found.run(force=True)
    shutil.copy("policy.json", folder / "chosen.json")
    found.override(search={"policy": "chosen.json"}).save(folder / "chosen.toml")
    one = {
        "data": {"table": "people.csv"},
        "columns": {"chol": {"role": "public", "coarsen": 5}, "ill": {"role": "sensitive"}, "sex": {"role": "ignored"}},
        "frontier": {"max_leakage": 1.0, "codeword": "chebyshev"},
        "search": {"time_limit": 5},
        "output": {
            "table": "released.csv",
            "policy": "policy.json",
            "cells": "label",
            "keep": ["smoker"],
            "keep_anyway": True,
        },
    }
    dc.Recipe.from_dict(one).save(folder / "one-column.toml")


# ---------------------------------------------------------------------- all


WRITERS = {
    "policies": write_policies,
    "table_policies": write_table_policies,
    "frontiers": write_frontiers,
    "channels": write_channels,
    "disclosures": write_disclosures,
    "queries": write_queries,
    "auditors": write_auditors,
    "recipes": write_recipes,
}


def record(kind: str, folder: Path) -> None:
    """Look at every file of a kind, and write down what it says and does."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name in ("expected.json", "chosen.json"):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            found[path.name] = frozen.KINDS[kind](path, Path(scratch))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items())
    (folder / "expected.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def main(target: str) -> None:
    """Write everything into an empty folder; in a temporary one, so that no file names a place of this machine."""
    out = Path(target).absolute()
    out.mkdir(parents=True)
    (out / "tables").mkdir()
    write_tables(out / "tables")
    frozen.TABLES, frozen.PEOPLE = out / "tables", out / "tables" / "people.csv"
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for table in (out / "tables").iterdir():
            shutil.copy(table, work)
        for kind, write in WRITERS.items():
            write_into = Path(kind)
            write_into.mkdir()
            write(write_into)
            shutil.copytree(write_into, out / kind)
            record(kind, out / kind)
            print(kind, len(list((out / kind).iterdir())), "files")
    shutil.copytree(frozen.FILES / "schema1", out / "schema1", ignore=shutil.ignore_patterns("expected.json"))
    record("schema1", out / "schema1")


if __name__ == "__main__":
    main(sys.argv[1])
