"""How tests/reference/files/agents was written: `sealed` by version 0.1.0, `unsealed` by an earlier one without seals.

Kept to show how, and never run again over them. Everything is asked of a real server, as analysts ask. The ledger before seals,
schema 2, was written by the commit before "The agent's ledger is chained": with its src/ first in PYTHONPATH.

    python -m tests.reference.write_ledger EMPTY_FOLDER

Keys of made-up analysts stand in expected.json beside what they were told; nobody is served with them.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from discreet.agent import AgentError, Client
from tests.agent.servers import Server

CONFIG = """\
[datasets.people]
table = "people.csv"
public = ["sex", "city", "age"]
person = "id"
[datasets.people.private.height]
lower = 100
upper = 250
keep = 20
[datasets.people.private.smoker]
lower = 0
upper = 1
keep = 1
integral = true

[datasets.alone]
table = "others.csv"
public = ["sex", "city"]
collude = false
together = [["wage", "bonus"]]
smallest_group = 4
[datasets.alone.private.wage]
lower = 0
upper = 100
keep = 10
[datasets.alone.private.bonus]
lower = 0
upper = 50
keep = 10
[datasets.alone.private.weight]
lower = 30
upper = 200
keep = 20
step = 0.5
"""
LABELS = """\

[datasets.people.private.illness]
categories = ["flu", "cold", "gout", "none"]
keep = 2
"""
QUESTIONS = (
    ("ann", "SELECT AVG(height) FROM people WITH ERROR 5"),
    ("ann", "SELECT AVG(height) FROM people WHERE sex = 'F' AND NOT age >= 65 WITH ERROR 5"),
    ("bob", "SELECT AVG(height) FROM people WHERE sex = 'F' WITH ERROR 3"),
    ("bob", "SELECT AVG(height) FROM people WHERE age < 65 AND sex = 'F' WITH ERROR 5"),  # ann's, in other words
    ("ann", "SELECT COUNT(smoker) FROM people WHERE city IN ('Oslo', 'Rome') WITH ERROR 2"),
    ("ann", "SELECT city, AVG(height) FROM people GROUP BY city WITH ERROR 10"),
    ("bob", "SELECT COUNT(*) FROM people WHERE illness = 'flu' WITH ERROR 2"),
    ("ann", "SELECT SUM(wage + bonus) FROM alone WITH ERROR 50"),
    ("ann", "SELECT AVG(weight) FROM alone WHERE sex = 'M' WITH ERROR 5"),
    ("bob", "SELECT AVG(weight) FROM alone WHERE sex = 'M' WITH ERROR 5"),  # in a book of his own
)


def write_people(folder: Path, *, is_old: bool) -> None:
    """Made-up people; the version before knew no columns of labels."""
    rng = random.Random(7)
    people, others = ["id,sex,city,age,height,smoker,illness"], ["sex,city,wage,bonus,weight"]
    for i in range(40):
        who = f"{rng.choice('FM')},{rng.choice(('Oslo', 'Rome', 'Bern'))}"
        ill = rng.choice(("flu", "cold", "gout", "none"))
        people.append(f"p{i:02d},{who},{rng.randrange(18, 90)},{rng.uniform(150, 200):.1f},{rng.randrange(2)},{ill}")
        if i < 24:
            money = f"{rng.uniform(10, 90):.2f},{rng.uniform(0, 40):.2f}"
            others.append(f"{who},{money},{rng.randrange(90, 240) / 2}")
    (folder / "people.csv").write_text("\n".join(people) + "\n")
    (folder / "others.csv").write_text("\n".join(others) + "\n")
    (folder / "agent.toml").write_text(CONFIG if is_old else CONFIG + LABELS)


def compact(path: Path) -> None:
    """The same content on smaller pages: the repository need not hold what is empty."""
    with closing(sqlite3.connect(path)) as connection:
        for words in ("journal_mode=DELETE", "page_size=512"):
            connection.execute(f"PRAGMA {words}")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode=WAL")


def said(client: Client, question: str) -> dict[str, Any]:
    """What an analyst is told, without what she has left."""
    return {name: value for name, value in client.ask(question).items() if name != "left"}


def main(target: str) -> None:
    folder = Path(target).absolute()
    folder.mkdir(parents=True)
    write_people(folder, is_old=folder.name == "unsealed")
    with Server(folder).start() as server:
        shown = next(line for line in server.log.read_text().splitlines() if line.startswith("the owner's key"))
        owner = shown.rpartition(" ")[2]
        boss = Client(server.url, owner)
        keys = {name: boss.add_analyst(name, budget) for name, budget in (("ann", 200), ("bob", 60), ("eve", 3))}
        told = []
        for name, question in QUESTIONS:
            try:
                reply = said(Client(server.url, keys[name]), question)
            except AgentError as problem:
                print(question, problem)
                continue
            told.append({"analyst": name, "question": question, "reply": reply})
        boss.revoke("eve")
        recorded = {
            "owner": owner,
            "keys": keys,
            "told": told,
            "answers": {name: Client(server.url, keys[name]).ledger()["answers"] for name in ("ann", "bob")},
            "analysts": boss.analysts(),
        }
        server.end()
    server.log.unlink()
    compact(folder / "ledger.sqlite")
    (folder / "expected.json").write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
