"""Command lines at random: mostly what people type, with what they mistype mixed in."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.fuzz.files import COLUMNS

NUMBERS = (
    "0",
    "1",
    "1",
    "2",
    "2",
    "3",
    "0.5",
    "0.5",
    "-1",
    "3e2",
    "1e308",
    "nan",
    "inf",
    "-inf",
    "",
    "x",
    "1,5",
    "９",
    "0x10",
)
WORDS = (
    "",
    " ",
    ",",
    "--",
    "-",
    "ü",
    "a" * 300,
    "*",
    "'",
    '"',
    "%s",
    "{}",
    "\\",
    "nowhere",
    "[]",
    "a=b",
    "#1",
    "../x",
    "\u202e",
)
RULES = (
    "n>=5",
    "n>=2",
    "n>=3",
    "n>=2",
    "k>=2",
    "k>=2",
    "k(illness)>=3",
    "L0<=2",
    "L0<=",
    "n>=99",
    "n",
    "k(nobody)>=2",
    "zz<=1",
    "t(wage)<=0.5",
    "I_2<=1",
    "n>=-1",
    "k>=nan",
    "n>=2.5",
    "",
)
METHODS = ("auto", "agglomerative", "exact", "sweeney", "mondrian", "equal-width", "iac-mdsf", "pairwise", "best", "")
LEAKAGES = ("L0", "I*", "L0|I*=0", "I", "Lmin", "I_inf", "D_2", "D_inf", "D_x", "H", "")
TYPES = (
    "age=number",
    "age=number:10",
    "town=category",
    "postcode=code",
    "day=date",
    "day=date:month",
    "town=ordered:North<South",
    "age=",
    "=number",
    "nobody=code",
    "age=number:0",
    "age=number:x",
    "postcode=hierarchy",
)


class Lines:
    """What is drawn from: the files of a folder, and a generator."""

    def __init__(self, tables: Sequence[str], rng: random.Random) -> None:
        self.tables, self.rng = tables, rng

    def draw(self) -> list[str]:
        """One command line."""
        rng = self.rng
        commands = {
            "audit": 6,
            "frontier": 4,
            "release": 6,
            "apply": 2,
            "verify": 2,
            "init": 2,
            "disclose": 2,
            "query": 1,
            "serve": 1,
            "completion": 1,
        }
        name = rng.choices(list(commands), list(commands.values()))[0]
        line = [name, *getattr(self, f"_{name}")()]
        if rng.random() < 0.05:  # something lost, doubled or strange
            where = rng.randrange(len(line))
            line[where : where + rng.randrange(2)] = rng.choice([[], [rng.choice(WORDS)], [rng.choice(line)]])
        return line

    # ------------------------------------------------------------------ parts

    def table(self) -> str:
        whole = [
            f"people{kind}" for kind in (".csv", ".csv", ".parquet", ".xlsx", ".arrow", ".csv.gz", ".csv.zst", ".tsv")
        ]
        odd = (*self.tables, "sqlite:///no.db#x", "people.xlsx#no", "nowhere.csv")
        return self.rng.choices((self.rng.choice(whole), "damaged", self.rng.choice(odd)), (6, 2, 1))[0]

    def names(self, *likely: str) -> str:
        rng = self.rng
        if rng.random() < 0.95:
            return ",".join(rng.sample(likely, rng.randrange(1, min(3, len(likely)) + 1)))
        any_names = ",".join(rng.choices([*COLUMNS, *WORDS], k=rng.randrange(1, 4)))
        return rng.choice((any_names, "town,", rng.choice(WORDS)))

    def some(self, share: float, *options: Sequence[str]) -> list[str]:
        """Some of the options, each with that probability."""
        return [part for option in options if self.rng.random() < share for part in option]

    def number(self) -> str:
        return self.rng.choice(NUMBERS)

    def roles(self) -> list[str]:
        sensitive = ["-s", self.names("illness", "wage")]
        public = ["-p", self.names("town", "age", "day", "postcode")]
        return self.some(0.98, [self.table()], sensitive, public)

    def reading(self) -> list[str]:
        rng = self.rng
        return self.some(
            0.04,
            ["--missing", rng.choice(("drop", "error", "level", "x"))],
            ["--na", rng.choice(WORDS)],
            ["--table", "x"],
            ["--memory-limit", rng.choice(("1GB", "0", "x", "-1"))],
            ["--side", self.names("age", "town")],
            ["-q"],
            ["--json"],
        )

    def frontier_options(self) -> list[str]:
        rng = self.rng
        return [
            "--time-limit",
            self.rng.choice((*["0.2"] * 40, "0", "-1", "nan", "x")),
            *self.some(0.15, ["--leakage", rng.choice(LEAKAGES)], ["--method", rng.choice(METHODS)]),
            *self.some(
                0.03,
                ["--utility", rng.choice(("distortion", "resolution", "information", "x"))],
                ["--norm", self.number()],
                ["--problem", "bottleneck"],
                ["--at-least", self.number()],
                ["--codeword", rng.choice(("medoid", "chebyshev", "x"))],
                ["--scale", rng.choice(("age=10", "age=0", "age=x", "age"))],
                ["--rank", rng.choice(("town=North,South", "town=", "x=a"))],
                ["--hierarchy", rng.choice(("tree.csv", "town=tree.csv", "town=nowhere", "people.csv"))],
                ["--seed", self.number()],
            ),
        ]

    # ------------------------------------------------------------------ commands

    def _audit(self) -> list[str]:
        rng = self.rng
        return [
            *self.roles(),
            *self.reading(),
            *self.some(0.15, ["-r", rng.choice(RULES)], ["--worst", self.number()], ["--order", self.number()]),
            *self.some(
                0.05,
                ["--html", rng.choice(("out.html", "nowhere/x.html", "people.csv", ""))],
                ["--weights", self.names("age", "wage")],
            ),
            *self.some(
                0.1,
                ["--household", self.names("age", "town")],
                ["--population", rng.choice(("people.csv", "nowhere.csv", "tree.csv"))],
                ["--special", self.number()],
                ["--missing", "wildcard"],
                ["--recipe", rng.choice(("recipe.toml", "people.csv", ""))],
                ["-r", rng.choice(("kmap>=2", "presence_max<=0.5", "risk<=0.5", "delta<=1", "t_ord<=0.2"))],
            ),
        ]

    def _frontier(self) -> list[str]:
        return [
            *self.roles(),
            *self.reading(),
            *self.frontier_options(),
            *self.some(0.05, ["--compare", self.rng.choice(METHODS)], ["--normalise"]),
        ]

    def _release(self) -> list[str]:
        rng = self.rng
        cut = rng.choice(("--max-leakage", "--min-utility", "--multiplier", "--min-leakage"))
        asked = ["-r", rng.choice(RULES)] if rng.random() < 0.5 else [cut, self.number()]
        return [
            *self.roles(),
            *self.reading(),
            *self.frontier_options(),
            *self.some(0.9, asked),
            *self.some(0.98, ["--out", self.out()], ["--policy", rng.choice((*["p.json"] * 12, "out.csv", ""))]),
            *self.some(
                0.04,
                ["--type", rng.choice(TYPES)],
                ["--weight", rng.choice(("age=2", "age=0", "age=x", "x=1"))],
                ["--coarsest", rng.choice(("age=20", "age=0", "day=month", "postcode=2", "age=x"))],
                ["--as-is", self.names("town")],
                ["--shape", rng.choice(("disjoint", "global", "x"))],
                ["--blind"],
                ["--suppress", self.number()],
                ["--keep", self.names("illness", "age", "wage")],
                ["--keep-anyway"],
                ["--cells", "codeword"],
                ["--unseen", "suppress"],
                ["--public-policy", "public.json"],
                ["--report", "r.html"],
                ["--purpose", rng.choice(WORDS)],
                ["--recipe", rng.choice(("recipe.toml", "a.json", "nowhere"))],
                ["--force"],
            ),
        ]

    def out(self) -> str:
        return self.rng.choice(
            (
                *["out.csv", "out.parquet", "out.arrow", "out.xlsx", "out.tsv"] * 3,
                "out",
                "people.csv",
                "nowhere/o.csv",
                "",
            )
        )

    def _apply(self) -> list[str]:
        policy = self.rng.choice(("policy.json", "policy.json", "damaged.json", "a.json", "people.csv", "nowhere"))
        return [
            policy,
            self.table(),
            "--out",
            self.out(),
            *self.some(0.1, ["--keep", self.names("age", "illness")], ["--json"], ["-q"], ["--force"]),
        ]

    def _verify(self) -> list[str]:
        policy = self.rng.choice(("policy.json", "policy.json", "damaged.json", "a.json", "people.csv", "nowhere"))
        released = self.rng.choice(("released.csv", "released.csv", self.table()))
        return [
            released,
            "--policy",
            policy,
            *self.some(0.4, ["--original", self.table()]),
            *self.some(0.1, ["--json"], ["-q"]),
        ]

    def _init(self) -> list[str]:
        return [
            self.table(),
            "--out",
            self.rng.choice(("new.toml", "new.toml", "people.csv", "nowhere/x", "")),
            *self.some(0.1, ["--json"], ["--na", self.rng.choice(WORDS)], ["--schema", "s.json"]),
        ]

    def _disclose(self) -> list[str]:
        return [
            self.table(),
            "--samples",
            self.names("town", "a,b"),
            "--out",
            self.out(),
            "--mapping",
            "m.json",
            "--time-limit",
            "0.5",
            *self.some(
                0.1,
                ["--latent", self.names("illness", "town")],
                ["--windows", self.number()],
                ["--alpha", self.number()],
                ["--smoothing", "laplace"],
                ["--confidence", self.number()],
                ["--seed", self.number()],
                ["--json"],
                ["-q"],
            ),
        ]

    def _query(self) -> list[str]:
        return [
            self.rng.choice(("http://127.0.0.1:9", "", "ftp://x")),
            self.rng.choice(("SELECT 1", "", "DROP TABLE x")),
        ]

    def _serve(self) -> list[str]:
        return ["--check", self.rng.choice(("a.json", "people.csv", "nowhere", "recipe.toml"))]

    def _completion(self) -> list[str]:
        return [self.rng.choice(("bash", "zsh", "fish", "x", ""))]
