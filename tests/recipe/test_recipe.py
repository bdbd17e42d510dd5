"""Recipes: guessed, written, read back, overridden, checked and run."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.datasets import registry
from discreet.errors import ColumnError, InputError
from discreet.recipe._sections import ColumnSection, DataSection, FrontierSection, OutputSection, SearchSection


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    table = registry(300, seed=1)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def test_a_guess_is_a_recipe_that_runs(people: Path, tmp_path: Path) -> None:
    guess = dc.Recipe.guess(people)
    assert guess.public == ("age", "sex", "postcode", "admission", "occupation")
    assert guess.sensitive == ("diagnosis",)
    assert guess.having("identifier") == ("patient",)
    path = tmp_path / "recipe.toml"
    guess.save(path)
    recipe = dc.Recipe.load(path)
    assert recipe.to_dict() == guess.to_dict()
    done = recipe.override(search={"time_limit": 1}).run()
    assert {Path(file).name for file in done.files.values()} == {
        "released.csv",
        "private-policy.json",
        "cells.json",
        "private-report.html",
    }
    assert done.to_dict()["n"] >= 5 and done.to_dict()["k"] >= 3
    assert dc.Policy.load(tmp_path / "cells.json").verify(tmp_path / "released.csv").ok
    with pytest.raises(InputError, match="exists"):
        recipe.run()


def test_a_guess_keeps_nothing_that_a_release_would_refuse_to_keep(tmp_path: Path) -> None:
    rows = "".join(f"{20 + i % 7},{3 * i * i + 1000},{'flu' if i % 3 else 'cold'}\n" for i in range(51))
    (tmp_path / "t.csv").write_text("age,income,diagnosis\n" + rows)
    guess = dc.Recipe.guess(tmp_path / "t.csv")
    assert guess.sensitive == ("income", "diagnosis")
    assert guess.output.keep == [
        "diagnosis"
    ]  # nobody's income is another's: released beside the ages it would name people
    guess.save(tmp_path / "recipe.toml")
    done = dc.Recipe.load(tmp_path / "recipe.toml").override(search={"time_limit": 1}).run()
    assert done.to_dict()["n"] >= 5
    assert guess.require == ("n>=5", "k>=2")  # there are two diagnoses


@pytest.mark.slow
def test_a_target_is_measured_and_never_a_feature_of_itself(people: Path, tmp_path: Path) -> None:
    recipe = dc.Recipe.guess(people).override(search={"time_limit": 1}, output={"target": "sex", "report": None})
    done = recipe.relative_to(tmp_path / "recipe.toml").run()
    assert [each.model for each in done.scores] == ["logistic regression", "boosted trees"]
    assert all(each.released < 0.9 for each in done.scores)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("shoe", "has no column 'shoe'"),
        ("patient", "'patient' needs two values or more, each with 10 records or more"),
        ("age", "'age' needs two values or more"),
    ],
)
def test_a_target_that_no_model_can_be_tried_on_is_refused_at_once(
    people: Path, tmp_path: Path, target: str, words: str
) -> None:
    recipe = dc.Recipe.guess(people).override(search={"time_limit": 600}, output={"target": target})
    with pytest.raises(ColumnError, match=words):
        recipe.relative_to(tmp_path / "recipe.toml").run()


def test_what_only_a_person_can_tell_is_asked(tmp_path: Path) -> None:
    rows = [{"station": 10_000 + 37 * (i % 50), "age": i % 80} for i in range(200)]
    guess = dc.Recipe.guess(rows)
    guess = guess.override(columns={"station": {"role": "public"}})
    text = guess.to_toml()
    assert "station" in text
    assert tomllib.loads(text)["columns"]["station"].get("type") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("requre = []", "'requre' is not a key of a recipe: did you mean 'require'"),
        ("[serach]", "did you mean 'search'"),
        ("[search]\nshap = 'local'", "search: 'shap' is not a key of a recipe: did you mean 'shape'"),
        ("[search]\nshape = 'round'", "shape = 'round' does not fit: one of"),
        ("[search]\nseed = true", "seed = True does not fit: a whole number"),
        ("[columns.age]\nrole = 'publik'", "columns.age: role = 'publik' does not fit"),
        ("[columns]\nage = 3", "columns.age is not a section"),
        ("require = 3", "require is a list of texts"),
        ("[data", "does not read as TOML"),
    ],
)
def test_mistakes_are_one_clear_line(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words.replace("[", r"\[")) as caught:
        dc.Recipe.parse(text)
    assert "\n" not in str(caught.value)


def test_a_hierarchy_beside_another_type_contradicts(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;*\nb;*\n")
    recipe = dc.Recipe.parse('[columns.x]\nrole="public"\ntype="number"\nhierarchy="h.csv"', folder=tmp_path)
    with pytest.raises(InputError, match="has a hierarchy, and is said to be a number"):
        recipe.types  # noqa: B018


def test_a_recipe_does_one_job(people: Path, tmp_path: Path) -> None:
    recipe = dc.Recipe.guess(people).override(frontier={"max_leakage": 1.0})
    with pytest.raises(InputError, match="drop one of the two"):
        recipe.run()


def test_one_column_at_a_bound(people: Path, tmp_path: Path) -> None:
    text = (
        f'[data]\ntable = {json.dumps(str(people))}\n[columns.age]\nrole = "public"\n[columns.sex]\nrole = "sensitive"\n'
        "[frontier]\nmax_leakage = 0.0\n"
    )
    done = dc.Recipe.parse(text, folder=tmp_path).run()
    assert done.to_dict()["after"]["L0"] == 0


texts = st.text(st.sampled_from("ab.\"'\\\n\t\x7f\x00#=é–[] "), max_size=6)
values: dict[Any, st.SearchStrategy[Any]] = {
    "table": texts, "name": st.none() | texts.filter(bool), "na": st.lists(texts, max_size=2), "purpose": texts,
    "keep": st.lists(texts, max_size=2), "order": st.lists(texts, max_size=3), "suppress": st.integers(0, 9),
    "seed": st.integers(0, 9), "blind": st.booleans(), "fixed": st.booleans(), "weight": st.integers(0, 9) | st.floats(0, 9),
    "band": st.none() | st.integers(1, 9) | st.just("month"), "max_leakage": st.none() | st.floats(0, 3),
}  # fmt: skip


def section(cls: type[Any]) -> st.SearchStrategy[Any]:
    known = {name: strategy for name, strategy in values.items() if name in cls.__dataclass_fields__}
    return st.builds(cls, **known)


@given(
    section(DataSection), st.dictionaries(texts, section(ColumnSection), max_size=3), st.lists(texts, max_size=2),
    section(SearchSection), section(FrontierSection), section(OutputSection),
)  # fmt: skip
def test_what_is_written_is_read_back(
    data: Any, columns: Any, require: Any, search: Any, frontier: Any, output: Any
) -> None:
    recipe = dc.Recipe(data, columns, tuple(require), search, frontier, output)
    again = dc.Recipe.parse(recipe.to_toml())
    assert again.to_dict() == recipe.to_dict()


def test_the_schema_names_every_key() -> None:
    schema = dc.Recipe.schema()
    for name, cls in (
        ("data", DataSection),
        ("search", SearchSection),
        ("frontier", FrontierSection),
        ("output", OutputSection),
    ):
        assert set(schema["properties"][name]["properties"]) == set(cls.__dataclass_fields__)
    assert all(each["description"] for each in schema["properties"]["search"]["properties"].values())


def test_a_policy_that_was_chosen_before_is_carried_out_without_a_search(people: Path, tmp_path: Path) -> None:
    recipe = dc.Recipe.guess(people).override(search={"time_limit": 1}, output={"keep": [], "report": None})
    done = dc.generalise(people, recipe.public, recipe.sensitive, recipe.require, time_limit=0.2)
    done.policy.save(tmp_path / "chosen.json")
    recipe = recipe.override(data={"table": people.name}, search={"policy": "chosen.json"})
    (tmp_path / "recipe.toml").write_text(recipe.to_toml())
    first = dc.Recipe.load(tmp_path / "recipe.toml").run()
    text = (tmp_path / "released.csv").read_bytes()
    assert first.policy.loss == done.policy.loss
    dc.Recipe.load(tmp_path / "recipe.toml").run(force=True)
    assert (tmp_path / "released.csv").read_bytes() == text


def test_a_chosen_policy_is_about_the_recipes_columns_and_its_promises_are_held_again(
    people: Path, tmp_path: Path
) -> None:
    recipe = dc.Recipe.guess(people).override(output={"keep": [], "report": None})
    done = dc.generalise(people, recipe.public, recipe.sensitive, recipe.require, time_limit=0.2)
    done.policy.save(tmp_path / "chosen.json")
    done.policy.face().save(tmp_path / "cells-only.json")
    chosen = recipe.override(search={"policy": str(tmp_path / "chosen.json")})
    with pytest.raises(InputError, match="other columns"):
        chosen.override(columns={"age": {"role": "ignored"}}).run()
    with pytest.raises(InputError, match="private one"):
        recipe.override(search={"policy": str(tmp_path / "cells-only.json")}).run()
    with pytest.raises(dc.DiscreetError, match="n>=300"):
        chosen.override(require=["n>=300"]).run()
    assert not Path("released.csv").exists()
