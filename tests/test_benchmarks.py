"""The benchmarks' runner and page: results are kept whole, and the page shows what was kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "benchmarks"
SIDE = ("discreet", "pycanon", "released", "anonypy")
SCRIPT = """
import argparse
from common import start, table
def bench(options):
    table("sorting", ["size", "CPU"], [["10" if options.quick else "1000", "1 s"]])
    print("done")
if __name__ == "__main__":
    start(bench, {}, argparse.ArgumentParser())
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the runner, its page, and two scripts, one of which fails."""
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    for name in ("common.py", "run_all.py", "page.py"):
        (tmp_path / "benchmarks" / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "benchmarks" / "bench_sorting.py").write_text(SCRIPT)
    (tmp_path / "benchmarks" / "bench_broken.py").write_text("raise SystemExit(3)\n")
    return tmp_path


def test_results_and_page_are_written(project: Path) -> None:
    costs = [{"worker": side, "arguments": [f"{rows}.npy"], "cpu": rows / 1e4} for side in SIDE for rows in (10, 100)]
    rivals = {
        "quick": False,
        "machine": {"cores": 2, "memory_gb": 4, "load": [0.1]},
        "tables": [{"title": "k of a table", "header": ["size", "", "CPU"], "rows": [["10", "discreet", "1 ms"]]}],
        "measured": costs,
    }
    (project / "benchmarks" / "results" / "bench_rivals.json").write_text(json.dumps(rivals))
    (project / "benchmarks" / "results" / "bench_broken.txt").write_text("as it was")
    command = [sys.executable, str(project / "benchmarks" / "run_all.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.endswith("failed: broken\n"), done.stderr
    kept = json.loads((project / "benchmarks" / "results" / "quick" / "bench_sorting.json").read_text())
    assert kept["command"] == "python benchmarks/bench_sorting.py --quick"
    assert kept["tables"] == [{"title": "sorting", "header": ["size", "CPU"], "rows": [["10", "1 s"]]}]
    assert kept["printed"][-1] == "done"
    assert kept["machine"]["cores"] >= 1
    assert (project / "benchmarks" / "results" / "bench_broken.txt").read_text() == "as it was"
    page = (project / "docs" / "benchmarks.md").read_text()
    assert "| 10 | discreet | 1 ms |" in page
    assert "2 cores, 4 GB" in page
    assert (project / "docs" / "benchmarks" / "k-of-a-table.svg").read_text().startswith("<?xml")
