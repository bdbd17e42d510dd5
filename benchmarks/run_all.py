"""Every benchmark, one after the other: what each prints and measures is kept, and the docs' page is written anew.

    python benchmarks/run_all.py [--quick] [--only far rivals …]

At full size results are kept in benchmarks/results/, at a small size (--quick) in benchmarks/results/quick/, as text and as
JSON with the machine beside it. A script that fails leaves its last results where they are, and is named at the end.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import machine

HERE = Path(__file__).resolve().parent
SMALL = {
    "app": [],
    "funnel": [],
    "merging": ["--letters", "1000", "--plane", "300", "--connected", "200", "--naive", "100"],
}
"""Arguments that make a script small; all others take --quick."""


def main() -> int:
    """Run what was asked for; 1 where a script failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="all at a small size, to see that they run")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="some of them, such as far rivals")
    options = parser.parse_args()
    out = HERE / "results" / "quick" if options.quick else HERE / "results"
    out.mkdir(parents=True, exist_ok=True)
    names = options.only or [path.stem.removeprefix("bench_") for path in sorted(HERE.glob("bench_*.py"))]
    failed = [name for name in names if not run(name, out, quick=options.quick)]
    subprocess.run([sys.executable, HERE / "page.py"], check=True)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def run(name: str, out: Path, *, quick: bool) -> bool:
    """One script in a process of its own; its results take their place when it ended well."""
    arguments = SMALL.get(name, ["--quick"]) if quick else []
    script = f"benchmarks/bench_{name}.py"
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as scratch:
        told = Path(scratch) / "measured.json"
        more = ["--json", str(told)] if writes_json(name) else []
        command = [sys.executable, script, *arguments]
        done = subprocess.run([*command, *more], cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=False)
        measured = (
            json.loads(told.read_text(encoding="utf-8")) if told.exists() else {"quick": quick, "machine": machine()}
        )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{name}: {'done' if done.returncode == 0 else 'FAILED'} in {wall:.0f} s, {cpu:.0f} CPU s", flush=True)
    if done.returncode:
        return False
    spoken = " ".join(["python", script, *arguments])
    kept = {"command": spoken, "wall": wall, "cpu": cpu, **measured, "printed": done.stdout.splitlines()}
    (out / f"bench_{name}.txt").write_text(f"{spoken}\n{done.stdout}", encoding="utf-8")
    (out / f"bench_{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return True


def writes_json(name: str) -> bool:
    """Whether a script measures by `common.start`, which can write what it measured."""
    return "start(bench" in (HERE / f"bench_{name}.py").read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
