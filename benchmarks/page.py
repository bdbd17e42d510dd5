"""Write docs/benchmarks.md and its pictures from what the benchmarks kept; `make bench` and `make bench-full` end with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
DOCS = RESULTS.parent.parent / "docs"

HEAD = """# Benchmarks

Speed is measured by scripts, not asserted by tests. `make bench` runs them all at a small size, `make bench-full` at
full size; both keep what they print, and JSON with the machine beside it, in `benchmarks/results/`, and write this
page. `sh benchmarks/rivals` installs what others would pick instead, each into an environment of its own. Below are the
last results kept, from a machine with two cores that had other work as well: read CPU seconds, ratios and growth
exponents, which carry over to other machines, before seconds by the clock, which do not. Where a script can be faster
by being worse, it prints the quality reached as well.
"""

RIVALS = """## Beside what you would pick instead

{plots}
{tables}

A rival without a row at a size took more than 60 CPU seconds at the one before, or was stopped there after three minutes.

Where others win:

- For files the bare group-by of DuckDB is the floor: at a hundred million rows an audit costs 1.1 to 1.5 times as much
  (`bench_far`); with a million letters polars takes less CPU than DuckDB.
- qif computes mutual information and min-entropy leakage of a dense channel at a fraction of the cost: it is compiled
  for that alone. dit knows far more measures of information than discreet.
- anonypy and anjana are a few lines of Python to read, and need no search; pycanon computes more models of anonymity in
  one call.
- embo finds soft policies in a fraction of a second, and they keep more bits than hard ones at equal cost. discreet releases
  hard policies only, because a released cell is true; `frontier --soft` says what they would gain.
- scikit-learn's clustering is at home in any number of dimensions and with any metric. It does not know what is
  sensitive.
- ARX has more models of privacy and of data utility, and a desktop application; `bench_tables` runs it where Java and
  ARX are.
"""

LOOKS = {
    "discreet": "#1f5fa8", "released": "#1f5fa8", "pycanon": "#c2571a", "anonypy": "#c2571a", "anjana": "#7a8b2a",
    "duckdb": "#8a8a8a", "polars": "#b5b5b5",
}  # fmt: skip
NAMES = {"released": "discreet", "duckdb": "DuckDB, bare group-by", "polars": "polars, bare group-by"}


def kept(name: str) -> dict[str, Any] | None:
    """The results of a script: at full size where there are, else at a small one."""
    for folder in (RESULTS, RESULTS / "quick"):
        path = folder / f"bench_{name}.json"
        if path.exists():
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
    return None


def main() -> None:
    """Page and pictures."""
    rivals = kept("rivals")
    parts = [HEAD]
    if rivals is not None:
        (DOCS / "benchmarks").mkdir(exist_ok=True)
        plots = [
            by_rows(
                rivals, ("discreet", "pycanon", "duckdb", "polars"), "k of four text quasi-identifiers", "k-of-a-table"
            ),
            by_rows(rivals, ("released", "anonypy", "anjana"), "a table with n ≥ 5", "coarsening-a-table"),
        ]
        told = "\n\n".join(as_markdown(each) for each in rivals["tables"])
        here = rivals["machine"]
        size = " at a small size" if rivals["quick"] else ""
        where = f"`bench_rivals`{size}: {here['cores']} cores, {here['memory_gb']} GB, load {here['load'][0]} when it ended."
        parts += [RIVALS.format(plots="\n".join(plots), tables=f"{where}\n\n{told}")]
    parts += ["## All results\n\n<!-- benchmarks: results -->\n"]
    (DOCS / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")


def as_markdown(told: dict[str, Any]) -> str:
    """A printed table."""
    lines = [told["header"], ["---", "---", *["---:"] * (len(told["header"]) - 2)], *told["rows"]]
    return f"**{told['title']}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_rows(found: dict[str, Any], workers: tuple[str, ...], title: str, name: str) -> str:
    """CPU against rows, both by powers of ten; the picture as Markdown."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for worker in workers:
        points = sorted(
            (int(each["arguments"][0].removeprefix("finer-").removesuffix(".npy")), each["cpu"])
            for each in found["measured"]
            if each["worker"] == worker
        )
        if points:
            rows, cpu = zip(*points, strict=True)
            axes.plot(rows, cpu, marker="o", color=LOOKS[worker], label=NAMES.get(worker, worker))
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU seconds", title=title)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": name}):  # equal results, equal files
        figure.savefig(DOCS / "benchmarks" / f"{name}.svg", metadata={"Date": None})
    return f"![CPU seconds against rows: {title}](benchmarks/{name}.svg)\n"


if __name__ == "__main__":
    main()
