"""How tests/reference/files/cluster was written, by version 0.1.0 on Spark: folders of policies that a cluster released by.

Kept to show how, and never run again over them. It needs the extra [spark] and Java.

    python -m tests.reference.write_cluster EMPTY_FOLDER
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import discreet as dc
from tests import frozen

MASTER = "local[2]"
PUBLIC: dict[str, Any] = {
    "age": {"role": "public"},
    "town": {"role": "public"},
    "postcode": {"role": "public", "type": "code"},
}
ASKED: dict[str, dict[str, Any]] = {
    "plain": {"columns": {**PUBLIC, "ill": {"role": "sensitive"}}, "require": ["n>=4", "k>=3"]},
    "t_hier": {
        "columns": {
            "age": {"role": "public"},
            "stay": {"role": "public"},
            "ill": {"role": "sensitive", "hierarchy": "ills.csv"},
            "smoker": {"role": "sensitive"},
        },
        "require": ["n>=5", "t_hier(ill)<=0.4", "k(smoker)>=2"],
        "data": {"na": ["?"], "missing": "drop"},
    },
    "suppressed": {
        "columns": {**PUBLIC, "town": {"role": "public", "fixed": True}, "ill": {"role": "sensitive"}},
        "require": ["n>=3", "k>=2"],
        "search": {"suppress": 8},
    },
}


def main(target: str) -> None:
    """Write into a folder that is not there yet, by names without a place."""
    out = Path(target).absolute()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for table in frozen.TABLES.iterdir():
            shutil.copy(table, work)
        frozen.for_spark("people", Path())
        for name, asked in ASKED.items():
            document = {
                **asked,
                "data": {"table": "people.parquet", "engine": "spark", "master": MASTER, **asked.get("data", {})},
                "search": {"time_limit": 5, **asked.get("search", {})},
                "output": {"table": f"{name}-released.parquet", "policy": f"policies/{name}"},
            }
            Path("policies").mkdir(exist_ok=True)
            dc.Recipe.from_dict(document).run()
        shutil.copytree("policies", out)
        found = {}
        for name in ASKED:
            with tempfile.TemporaryDirectory() as scratch:
                found[name] = frozen.of_cluster_policy(out / name, Path(scratch), MASTER)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items())
    (out / "expected.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
