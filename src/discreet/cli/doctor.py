"""discreet doctor: what is installed, which parts can be used, and a self-test."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import click

from discreet.cli._shared import print_json, progress

PEOPLE: dict[str, list[Any]] = {
    "illness": ["flu", "cold", "gout", "flu", "cold", "gout"],
    "age": [30, 31, 40, 41, 50, 51],
}


@click.command("doctor", epilog="Example: discreet doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option(
    "--compile",
    "compiles",
    is_flag=True,
    help="Compile some 300 kernels first, nearly all there are, in two processes: for images and clusters.",
)
def command(as_json: bool, compiles: bool) -> int:
    """Say which versions, extras and engines are here, and run a small audit, frontier, release and verification.

    Searches run on kernels, which are compiled for this machine when they are first needed: where these are kept, how many
    there are and how large they are is said, too.

    Exit code 1 when a part of the self-test fails. Nothing of it leaves this machine.
    """
    asked = _requirements()
    found: dict[str, Any] = {
        "discreet": version("discreet"),
        "python": f"{platform.python_version()} on {platform.platform()}, {os.cpu_count()} cores",
        "location": str(Path(sys.modules["discreet"].__file__ or "").parent),
        "libraries": _versions(asked[None]),
        "extras": {extra: _versions(names) for extra, names in asked.items() if extra is not None},
        "engines": _engines(),
    }
    with progress("doctor") as report:
        if compiles:
            from discreet._compile_ahead import compile_ahead

            compile_ahead("all", report)
        found["tests"] = _self_test()
        found["kernels"] = _kernels()
    healthy = all(outcome == "works" for outcome in found["tests"].values())
    if as_json:
        print_json({**found, "healthy": healthy})
    else:
        for line in _lines(found):
            click.echo(line)
        click.echo("all is well" if healthy else "something is wrong: see above, and report it with these lines")
    return 0 if healthy else 1


def _requirements() -> dict[str | None, list[str]]:
    """Names of the distributions that discreet (None) and each extra of it ask for."""
    found: dict[str | None, list[str]] = {None: []}
    for text in sorted(requires("discreet") or []):
        name = re.match(r"[\w.-]+", text)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", text)
        if name:
            found.setdefault(extra[1] if extra else None, []).append(name[0])
    return found


def _versions(names: list[str]) -> dict[str, str | None]:
    """What is installed of these; None: not there."""
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def _engines() -> dict[str, str]:
    """Where tables may come from, and whether what reads them is here."""
    needs = {
        "files": "duckdb",
        "workbooks": "openpyxl",
        "data frames": "narwhals",
        "databases": "sqlalchemy",
        "Stata, SPSS, SAS": "pyreadstat",
        "R": "pyreadr",
        "spark": "pyspark",
    }
    return {name: "here" if importlib.util.find_spec(module) else f"needs {module}" for name, module in needs.items()}


def _kernels() -> dict[str, Any]:
    """Where compiled kernels are kept, how many there are, and how large they are."""
    from discreet import _compile
    from discreet._compile_ahead import count_kernels

    folder = _compile.folder()
    if folder is None:
        return {"folder": None, "count": 0, "megabytes": 0.0}
    size = sum(each.stat().st_size for each in folder.iterdir())
    return {"folder": str(folder), "count": count_kernels(folder), "megabytes": round(size / 1e6, 1)}


def _self_test() -> dict[str, str]:
    """Each part of the main job on six made-up people."""
    from discreet.tables._scratch import scratch_folder
    from discreet.tables._writing import write_rows

    with scratch_folder() as folder:
        where = Path(folder)
        write_rows(where / "people.csv", PEOPLE)
        parts: dict[str, Callable[[], object]] = {
            "audit": lambda: _audited(where),
            "frontier": lambda: _frontier(where),
            "release": lambda: _released(where),
            "verify": lambda: _verified(where),
        }
        return {name: _outcome(part) for name, part in parts.items()}


def _outcome(part: Callable[[], object]) -> str:
    try:
        return "works" if part() else "gives a wrong answer"
    except Exception as problem:  # whatever it is, it is what the doctor is asked about
        return f"fails: {type(problem).__name__}: {problem}"


def _audited(folder: Path) -> bool:
    import discreet as dc

    return dc.audit(folder / "people.csv", sensitive="illness", public="age").values["k"] == 1


def _frontier(folder: Path) -> bool:
    import discreet as dc

    found = dc.frontier(dc.Joint.from_table(folder / "people.csv", "illness", "age"))
    return found.at(max_leakage=0).blocks == ((30, 31, 40), (41, 50, 51))


def _released(folder: Path) -> bool:
    import discreet as dc
    from discreet.release._publishing import publish

    found = dc.frontier(dc.Joint.from_table(folder / "people.csv", "illness", "age"))
    out, policy = folder / "released.csv", folder / "policy.json"
    done = publish(folder / "people.csv", found, out=out, policy_file=policy, max_leakage=0.0)
    return done.done.rows == 6 and len(set(out.read_text(encoding="utf-8").splitlines()[1:])) == 2


def _verified(folder: Path) -> bool:
    from discreet.release import Policy

    return Policy.load(folder / "policy.json").verify(folder / "released.csv", folder / "people.csv").ok


def _lines(found: dict[str, Any]) -> list[str]:
    told = [f"discreet {found['discreet']}, Python {found['python']}", f"in {found['location']}"]
    told += _listed("libraries", found["libraries"])
    for extra, versions in found["extras"].items():
        told += _listed(f"[{extra}]", versions)
    told.append("tables from: " + ", ".join(f"{name} ({state})" for name, state in found["engines"].items()))
    told.append(_kernel_line(found["kernels"]))
    return told + [f"self-test, {name}: {outcome}" for name, outcome in found["tests"].items()]


def _kernel_line(kernels: dict[str, Any]) -> str:
    if kernels["folder"] is None:
        return "compiled kernels: kept nowhere, since no folder can be written; NUMBA_CACHE_DIR names one"
    return f"compiled kernels: {kernels['count']:,}, {kernels['megabytes']:g} MB, in {kernels['folder']}"


def _listed(title: str, versions: dict[str, str | None]) -> list[str]:
    return [f"{title}: " + ", ".join(f"{name} {number or 'not installed'}" for name, number in versions.items())]
