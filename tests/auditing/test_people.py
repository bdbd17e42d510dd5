"""People rather than values: k-anonymity without a sensitive column, the risk of records and households, who is special,
wildcards and the population; each recomputed record by record.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.auditing import individual_risk, special
from discreet.errors import ColumnError, InputError, MeasureError
from tests.examples import examples
from tests.processes import run

Row = tuple[Any, ...]
rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=2, max_size=14)
holey = st.lists(
    st.tuples(*(st.sampled_from([0, 1, 2, None]) for _ in range(3)), st.integers(0, 3)), min_size=3, max_size=14
).filter(
    lambda table: all(any(row[i] is not None for row in table) for i in range(3)) and len({r[3] for r in table}) > 1
)


def columns(table: list[Row], *names: str) -> dict[str, list[Any]]:
    return {name: [row[i] for row in table] for i, name in enumerate(names)}


# ------------------------------------------------------------------ without a sensitive column


@given(rows)
def test_people_are_counted_without_a_sensitive_column(table: list[Row]) -> None:
    found = dc.audit(columns(table, "a", "b", "c"), public=["a", "b", "c"])
    sizes = Counter(table)
    assert found.values == {"n": min(sizes.values())}
    assert found.risk.uniques == sum(size == 1 for size in sizes.values())
    assert found.worst(1)[0].rows == min(sizes.values())
    assert found.columns[0].without is not None
    assert found.columns[0].without["uniques"] == sum(n == 1 for n in Counter(row[1:] for row in table).values())
    assert "distinct" not in found._repr_html_()
    assert found.check(["n>=2"])[0].people == found.risk.uniques


def test_what_is_about_sensitive_values_needs_one() -> None:
    found = dc.audit({"a": [1, 1, 2]}, public="a")
    with pytest.raises(MeasureError, match="k is about sensitive values"):
        found.check(["k>=2"])
    with pytest.raises(ColumnError, match="name a sensitive column"):
        dc.audit({"a": [1, 1, 2], "b": [1, 2, 3]}, public="a", side="b")
    with pytest.raises(ColumnError, match="no public column"):
        dc.audit({"a": [1, 1, 2]})


def test_the_command_without_a_sensitive_column(tmp_path: Path) -> None:
    path, page = tmp_path / "t.csv", tmp_path / "t.html"
    path.write_text("a,b\n1,x\n1,x\n2,x\n")
    done = run("audit", str(path), "-p", "a", "-p", "b", "-r", "n>=2", "--html", str(page))
    assert done.returncode == 1
    assert "3 of 3 records are in groups smaller than 5, 1 of them alone with their a and b." in done.stdout
    assert "1 group breaks it, 1 of 3 records (33.3%): a 2, b x" in done.stdout
    assert '--public a,b --require "n>=5"' in done.stdout
    assert "How easily records are found by a, b" in page.read_text()
    assert json.loads(run("audit", str(path), "-p", "a,b", "--json").stdout)["values"] == {"n": 1}


# ------------------------------------------------------------------ risk of records and households


SIZES = [
    (1, 1.0001),
    (1, 1e4),
    (2, 7.5),
    (3, 300.0),
    (10, 11.0),
    (40, 900.0),
    (50, 1e5),
    (113, 1e5),
    (1000, 1001.0),
    (2800, 7e4),
]


@pytest.mark.parametrize(("f", "people"), SIZES)
def test_individual_risk_is_the_mean_of_one_over_the_people(f: int, people: float) -> None:
    from scipy.stats import nbinom

    more = np.arange(int(nbinom.ppf(1 - 1e-13, f, f / people)) + 1)  # people beside those in the sample
    mean = float((nbinom.pmf(more, f, f / people) / (f + more)).sum())
    assert individual_risk(np.array([f]), np.array([people]))[0] == pytest.approx(mean, rel=1e-6)


def test_weights_below_the_records_give_no_less_than_the_sample() -> None:
    assert individual_risk(np.array([4]), np.array([2.0])).tolist() == [0.25]


def test_a_household_is_found_with_any_of_its_people() -> None:
    table = {"a": [1, 1, 2, 2, 2, 3], "home": ["p", "q", "p", "q", "q", None]}
    found = dc.audit(table, public="a", household="home")
    risk = {1: 1 / 2, 2: 1 / 3, 3: 1.0}
    p = 1 - (1 - risk[1]) * (1 - risk[2])
    q = 1 - (1 - risk[1]) * (1 - risk[2]) ** 2
    assert found.household is not None
    assert found.household.households == 3
    assert found.household.most == 1.0
    assert found.household.expected == pytest.approx(2 * p + 3 * q + 1.0)
    assert found.household.above == 6


def test_risk_is_told_row_by_row() -> None:
    table = {"a": [2, "1", None, 1.0, 2, "?"], "b": ["x", "x", "x", "x", "x", "y"]}
    found = dc.audit(table, public=["a", "b"], missing="drop", na=["?"])
    assert found.risk_by_record(table, na=["?"]).tolist() == pytest.approx(
        [0.5, 0.5, math.nan, 0.5, 0.5, math.nan], nan_ok=True
    )
    banded = dc.audit({"a": [1, 2, 30]}, public="a", coarsen={"a": 10})
    with pytest.raises(InputError, match="coarsened"):
        banded.risk_by_record({"a": [1, 2, 30]})


def test_weights_and_households_in_the_command(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,w,home\n1,10,p\n1,30,q\n2,2.5,p\n")
    asked = ("audit", str(path), "-p", "a", "--weights", "w", "--household", "home")
    done = run(*asked, "-r", "risk<=0.5")
    told = json.loads(run(*asked, "--json").stdout)
    p = 1 / 2.5
    alone = p / (1 - p) * math.log(1 / p)
    assert told["risk"]["individual"] == pytest.approx(alone)
    assert told["household_risk"]["households"] == 2
    assert f"{alone:.1%}" in done.stdout
    assert done.returncode == (1 if alone > 0.5 else 0)
    idle = run(*asked, "-r", "risk<=0.9")  # whoever stands for 2.5 people is found with 61 % at the most
    assert (idle.returncode, "forbids nothing here" in idle.stdout) == (2, True)
    assert run("audit", str(path), "-p", "a", "--household", "house").returncode == 2


# ------------------------------------------------------------------ who is special


def minimal_uniques(table: list[Row], size: int) -> dict[int, list[tuple[int, ...]]]:
    m = len(table[0])

    def alone(row: Row, some: tuple[int, ...]) -> bool:
        return sum(all(row[i] == other[i] for i in some) for other in table) == 1

    found = defaultdict(list)
    for i, row in enumerate(table):
        for j in range(1, size + 1):
            for some in itertools.combinations(range(m), j):
                parts = itertools.chain.from_iterable(itertools.combinations(some, n) for n in range(1, j))
                if alone(row, some) and not any(alone(row, part) for part in parts):
                    found[i].append(some)
    return found


@given(rows, st.integers(1, 4))
def test_special_people_are_those_of_the_definition(table: list[Row], size: int) -> None:
    found = special(dc.audit(columns(table, "a", "b", "c"), public=["a", "b", "c"]).joint, size=size)
    uniques = minimal_uniques(table, min(size, 3))
    assert found.people == len(uniques)
    tally = Counter(tuple("abc"[i] for i in some) for every in uniques.values() for some in every)
    assert dict(found.sets) == dict(tally)
    worth = {j: math.prod(3 - i for i in range(j, min(size, 3))) for j in (1, 2, 3)}
    scores = sorted(sum(worth[len(some)] for some in every) for every in uniques.values())
    assert sorted(found.scores[found.scores > 0].tolist()) == scores
    if scores:
        by_a = sum(worth[len(some)] for every in uniques.values() for some in every if 0 in some)
        assert found.contribution["a"] == pytest.approx(by_a / sum(scores))


def test_special_people_in_the_command(tmp_path: Path) -> None:
    path, page = tmp_path / "t.csv", tmp_path / "t.html"
    path.write_text("sex,job\nf,x\nf,y\nm,x\nf,x\n")
    done = run("audit", str(path), "-p", "sex,job", "--special", "--html", str(page))
    assert done.returncode == 0, done.stderr
    assert "2 of 4 records are singled out by 2 public columns or fewer: by sex (1); job (1)." in done.stdout
    assert "Most special records" in " ".join(done.stdout.split())
    assert "are singled out by 2" in page.read_text()
    told = json.loads(run("audit", str(path), "-p", "sex,job", "--special", "1", "--json").stdout)["special"]
    assert told["people"] == 2
    assert run("audit", str(path), "-p", "sex,job", "--special", "0").returncode == 2


def test_too_many_sets_are_refused_before_they_are_looked_at() -> None:
    wide = {f"c{i}": [0, 1] for i in range(200)}
    with pytest.raises(InputError, match="sets of columns are too many"):
        dc.audit(wide, public=list(wide), special=3)


@pytest.mark.parametrize("people", [1.5, 1e3, 1e10, 1e17, 1e308])
def test_the_risk_of_somebody_alone_however_many_he_stands_for(people: float) -> None:
    p = 1 / people
    assert individual_risk(np.array([1]), np.array([people]))[0] == pytest.approx(-p * math.log(p) / (1 - p), rel=1e-12)
    assert 0 < individual_risk(np.array([2]), np.array([people]))[0] < 1


def test_a_match_with_a_unique() -> None:
    found = special(dc.audit({"a": [1, 2, 3, 3, 4, 4]}, public="a").joint)
    assert found.match_probability(0.5) == pytest.approx(1.0 / (1.0 + 2 * 0.5 * 2))
    assert found.match_probability(1.0) == 1.0
    assert found.match_probabilities(1.0).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert special(dc.audit({"a": [1, 1]}, public="a").joint).match_probabilities(0.1).tolist() == [0.0]


def test_odds_of_a_match_average_to_those_of_the_file() -> None:
    table = {"a": [1, 1, 2, 3, 3, 4, 4, 4], "b": [0, 0, 1, 0, 1, 2, 2, 3], "c": [0, 0, 0, 1, 1, 0, 0, 0]}
    found = special(dc.audit(table, public=["a", "b", "c"]).joint, size=2)
    each = found.match_probabilities(0.05)
    assert len(set(found.scores[found.scores > 0])) > 1 and (
        np.argsort(each, kind="stable")[-1] == found.scores.argmax()
    )
    against, uniques = 1 / each[each > 0] - 1, int((found.records == 1).sum())
    wanted = uniques * (1 / found.match_probability(0.05) - 1)
    assert against.sum() == pytest.approx(wanted)


# ------------------------------------------------------------------ missing cells that match anything


@settings(max_examples=examples(60))
@given(holey)
def test_a_missing_cell_matches_anything(table: list[Row]) -> None:
    def matches(one: Row, other: Row) -> bool:
        return all(a == b or a is None or b is None for a, b in zip(one[:3], other[:3], strict=True))

    near = [[other for other in table if matches(row, other)] for row in table]
    named = columns(table, "a", "b", "c", "ill")
    found = dc.audit(named, "ill", ["a", "b", "c"], missing="wildcard")
    sizes = [len(some) for some in near]
    assert found.values["n"] == min(sizes)
    assert found.values["k"] == min(len({row[3] for row in some}) for some in near)
    assert found.risk.below[3] == sum(size < 3 for size in sizes)
    assert found.risk.marketer == pytest.approx(sum(1 / size for size in sizes) / len(table))
    assert found.check(["n>=3"])[0].people == sum(size < 3 for size in sizes)
    weights = [i + 1.0 for i in range(len(table))]
    weighted = dc.audit({**named, "w": weights}, "ill", ["a", "b", "c"], missing="wildcard", weights="w")
    assert weighted.people is not None
    by_value = dict(zip(weighted.joint.x, weighted.people.tolist(), strict=True))
    for row in table:
        assert by_value[row[:3]] == sum(w for other, w in zip(table, weights, strict=True) if matches(row, other))


def test_wildcards_are_for_audits_alone() -> None:
    table = {"a": [1, None], "ill": ["x", "y"]}
    with pytest.raises(InputError, match="for audits alone"):
        dc.Joint.from_table(table, "ill", "a", missing="wildcard")


@settings(max_examples=examples(40))
@given(holey, holey)
def test_wildcards_in_special_people_and_in_the_population(table: list[Row], everybody: list[Row]) -> None:
    def matches(one: Row, other: Row, some: tuple[int, ...] = (0, 1, 2)) -> bool:
        return all(one[i] == other[i] or one[i] is None or other[i] is None for i in some)

    everybody = table + everybody
    named = columns([row[:3] for row in table], "a", "b", "c")
    population = columns([row[:3] for row in everybody], "a", "b", "c")
    found = dc.audit(named, public=["a", "b", "c"], missing="wildcard", population=population, special=2)
    people = [sum(matches(row, other) for other in everybody) for row in table]
    share = [sum(matches(row, other) for other in table) / sum(matches(row, o) for o in everybody) for row in everybody]
    assert found.values["kmap"] == min(people)
    assert found.values["presence_min"] == pytest.approx(min(share))
    assert found.values["presence_max"] == pytest.approx(max(share))
    sets = [some for j in (1, 2) for some in itertools.combinations(range(3), j)]
    alone = [{some for some in sets if sum(matches(row, other, some) for other in table) == 1} for row in table]
    minimal = [{some for some in mine if not any(set(part) < set(some) for part in mine)} for mine in alone]
    assert found.special is not None
    assert dict(found.special.sets) == dict(Counter(tuple("abc"[i] for i in some) for mine in minimal for some in mine))


def test_wildcards_in_the_command(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,ill\n1,,x\n1,2,y\n,2,z\n")
    done = run("audit", str(path), "-s", "ill", "-p", "a,b", "--missing", "wildcard", "-r", "n>=3", "-r", "k>=3")
    assert done.returncode == 0, done.stdout
    assert "a missing public value matches any" in " ".join(done.stdout.split())
    assert "--missing" not in next(line for line in done.stdout.splitlines() if "  discreet release" in line)


# ------------------------------------------------------------------ the population


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.lists(st.integers(0, 4), max_size=12))
def test_a_table_against_its_population(sample: list[int], others: list[int]) -> None:
    people = Counter(sample + others)
    found = dc.audit({"a": sample}, public="a", population={"a": sample + others})
    share = [Counter(sample)[a] / size for a, size in people.items()]
    assert found.values["kmap"] == min(people[a] for a in sample)
    assert found.population is not None
    assert found.population.journalist == pytest.approx(max(1 / people[a] for a in sample))
    assert found.population.marketer == pytest.approx(sum(1 / people[a] for a in sample) / len(sample))
    assert found.values["presence_max"] == pytest.approx(max(share))
    assert found.values["presence_min"] == pytest.approx(min(share))
    (finding,) = found.check(["kmap>=3"])
    assert finding.people == sum(people[a] < 3 for a in sample)


def test_the_population_in_the_command(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,x\n")
    (tmp_path / "all.csv").write_text("a,b\n1,x\n1,x\n2,x\n3,x\n")
    done = run(
        "audit",
        "t.csv",
        "-p",
        "a,b",
        "--population",
        "all.csv",
        "-r",
        "kmap>=2",
        "-r",
        "presence_max<=0.5",
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "Some record matches one single person of the 4 people in all.csv (k-map 1)." in done.stdout
    assert "from 0.0% to 100.0% (δ-presence)" in done.stdout
    assert run("audit", "t.csv", "-p", "a,b", "-r", "kmap>=2", cwd=tmp_path).returncode == 2
    assert run("audit", "t.csv", "-p", "a,b", "--population", "none.csv", cwd=tmp_path).returncode == 2


def test_records_beyond_the_population_are_told() -> None:
    found = dc.audit({"a": [1, 1, 2]}, public="a", population={"a": [1]})
    assert found.population is not None
    assert (found.population.outside, found.population.kmap) == (2, 0)
    assert "2 records are no part of" in found.population.sentences()[-1]


# ------------------------------------------------------------------ columns together


def test_an_audit_says_what_tells_only_together() -> None:
    bits = list(itertools.product((0, 1), repeat=3)) * 4
    table = {"ward": [a for a, _, _ in bits], "shift": [b for _, b, _ in bits], "coin": [c for _, _, c in bits]}
    table["ill"] = [a ^ b for a, b, _ in bits]
    found = dc.audit(table, "ill", ["ward", "shift", "coin"])
    assert [each.columns for each in found.together] == [("ward", "shift")]
    assert "ward and shift give it away only together: 1.00 of 1.00 bits" in found.to_html()
    assert found.to_dict()["together"][0]["synergy"] == pytest.approx(1.0)


def test_what_so_few_records_show_by_chance_is_not_said() -> None:
    rng = np.random.default_rng(0)
    table = {name: rng.integers(0, 40, 60).tolist() for name in ("a", "b")} | {"ill": rng.integers(0, 4, 60).tolist()}
    joint = dc.Joint.from_table(table, "ill", ["a", "b"])
    assert dc.measures.interactions(joint)[0].synergy > 0.4
    assert dc.audit(table, "ill", ["a", "b"]).together == ()


def test_a_recipe_names_weights_and_households(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,w,home,ill\n1,10,p,x\n1,30,q,y\n2,2.5,p,?\n")
    roles = {"a": "public", "w": "weight", "home": "household", "ill": "sensitive"}
    sections = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    (tmp_path / "recipe.toml").write_text(f'[data]\ntable = "t.csv"\nna = ["?"]\n{sections}')
    told = json.loads(run("audit", "--recipe", "recipe.toml", "--json", cwd=tmp_path).stdout)
    typed = ("audit", "t.csv", "-p", "a", "-s", "ill", "--na", "?", "--weights", "w", "--household", "home", "--json")
    said = json.loads(run(*typed, cwd=tmp_path).stdout)
    assert told.pop("source") == said.pop("source")
    assert told == said
    assert told["household_risk"]["households"] == 2
    (tmp_path / "recipe.toml").write_text('[columns.a]\nrole = "weight"\n[columns.b]\nrole = "weight"\n')
    done = run("audit", "t.csv", "-p", "ill", "--recipe", "recipe.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "all have the role weight" in done.stderr
    assert run("audit", "-p", "a", cwd=tmp_path).returncode == 2
    assert run("audit", "t.csv", cwd=tmp_path).returncode == 2
