"""The files that command lines are about: whole ones of every kind, and damaged copies."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

MARK = "zq77"  # part of every private cell, and of nothing else
ROWS = 48


def table() -> dict[str, list[object]]:
    """People: two private columns, the others public; some values are missing, one name has a comma."""
    rng = random.Random(0)
    return {
        "illness": [f"{MARK}-{rng.choice(['flu', 'cold', 'gout', 'ague'])}" for _ in range(ROWS)],
        "wage": [7_700_000 + rng.randrange(40) for _ in range(ROWS)],
        "town": [rng.choice(["North", "South", "Ost, Köln", None]) for _ in range(ROWS)],
        "age": [rng.randrange(20, 60) for _ in range(ROWS)],
        "day": [f"2021-0{rng.randrange(1, 9)}-1{rng.randrange(9)}" for _ in range(ROWS)],
        "postcode": [f"0{rng.randrange(1000, 1030)}" for _ in range(ROWS)],
        "a,b": [rng.randrange(3) for _ in range(ROWS)],
    }


COLUMNS = tuple(table())


def write_all(folder: Path) -> list[str]:
    """All of them into a folder; their names."""
    data = pa.table(table())
    text = _csv(table())
    (folder / "people.csv").write_text(text, encoding="utf-8")
    (folder / "people.tsv").write_text(_csv(table(), "\t"), encoding="utf-8")
    (folder / "people.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "people.csv.zst").write_bytes(pa.Codec("zstd").compress(text.encode(), asbytes=True))
    pq.write_table(data, folder / "people.parquet")
    with pa.OSFile(str(folder / "people.arrow"), "wb") as sink, pa.ipc.new_file(sink, data.schema) as writer:
        writer.write_table(data)
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in zip(*([name, *values] for name, values in table().items()), strict=True):
        sheet.append(row)
    book.save(folder / "people.xlsx")
    (folder / "latin.csv").write_bytes(text.encode("latin-1", errors="replace"))
    (folder / "wide.csv").write_bytes(text.encode("utf-16"))
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text(text.splitlines()[0] + "\n")
    (folder / "ragged.csv").write_text(text + "only,three,cells\n")
    (folder / "tree.csv").write_text('North,country\nSouth,country\n"Ost, Köln",country\n')
    (folder / "a.json").write_text(json.dumps({"policy": 1}))
    (folder / "folder.csv").mkdir()
    return sorted(path.name for path in folder.iterdir())


def _csv(columns: dict[str, list[object]], mark: str = ",") -> str:
    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return f'"{text}"' if mark in text else text

    rows = [mark.join(map(cell, columns)), *(mark.join(map(cell, row)) for row in zip(*columns.values(), strict=True))]
    return "\n".join(rows) + "\n"


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Cut short, with bytes changed, a part repeated, or rubbish at the end."""
    if not content:
        return bytes(rng.randrange(256) for _ in range(20))
    how = rng.randrange(4)
    if how == 0:
        return content[: rng.randrange(len(content))]
    if how == 1:
        changed = bytearray(content)
        for _ in range(rng.choice((1, 1, 3, 30, 300))):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    at = rng.randrange(len(content))
    if how == 2:
        return content[:at] + content[at // 2 : at] + content[at:]
    return content + bytes(rng.randrange(256) for _ in range(rng.randrange(1, 200)))
