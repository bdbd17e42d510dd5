"""discreet frontier of whole tables: loss against n and k, with the bound, as text, JSON and a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from discreet.cli import group
from discreet.datasets import registry
from discreet.errors import DiscreetError


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "people.csv"
    table = registry(300, seed=2)
    rows = zip(*(table[name] for name in ("age", "sex", "postcode", "diagnosis")), strict=True)
    path.write_text("age,sex,postcode,diagnosis\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def frontier(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["frontier", *map(str, arguments)])


ROLES = ("-s", "diagnosis", "-p", "age,sex,postcode", "--type", "postcode=code", "--time-limit", "0.2")


def test_loss_against_n_and_k_with_the_bound_in_one_picture(people: Path, tmp_path: Path) -> None:
    done = frontier(people, *ROLES, "-r", "n>=4", "-r", "k>=2", "--plot", tmp_path / "f.svg")
    assert done.exit_code == 0, done.output
    assert "loss against n, beside k>=2\n  n>=2: loss 0." in done.output
    assert "loss against k, beside n>=4\n  k>=2: loss 0." in done.output
    picture = (tmp_path / "f.svg").read_text()
    assert "at least so many records in every group (n)" in picture
    assert "at least so many different sensitive values in every group (k)" in picture


def test_the_figures_as_json_never_fall(people: Path) -> None:
    done = frontier(people, *ROLES, "-r", "k>=3", "--against", "n=2,6,20", "--json")
    (only,) = json.loads(done.stdout)["frontiers"]
    assert (only["against"], only["beside"], only["ended"]) == ("n", ["k>=3"], None)
    assert [point["n"] for point in only["points"]] == [2, 6, 20]
    for name in ("loss", "bound"):
        values = [point[name] for point in only["points"]]
        assert values == sorted(values)
    assert all(0 < point["bound"] <= point["loss"] for point in only["points"])


@pytest.mark.slow
def test_mondrian_beside_it_loses_no_less(people: Path, tmp_path: Path) -> None:
    more = ("--against", "n=3,8", "--compare", "mondrian")
    (only,) = json.loads(frontier(people, *ROLES, *more, "--json").stdout)["frontiers"]
    assert all(point["loss"] <= point["mondrian"] <= 1 for point in only["points"])
    done = frontier(people, *ROLES, *more, "--plot", tmp_path / "f.svg")
    assert done.output.count(", Mondrian 0.") == 2
    assert "Mondrian" in (tmp_path / "f.svg").read_text()


def test_n_alone_needs_no_sensitive_column(people: Path) -> None:
    done = frontier(people, "-p", "age,sex", "--against", "n=3,10", "--time-limit", "0.2")
    assert done.exit_code == 0, done.output
    assert done.output.count("loss against") == 1


def test_a_recipe_says_it_all(people: Path) -> None:
    recipe = people.parent / "recipe.toml"
    recipe.write_text(
        'require = ["n>=5"]\n[data]\ntable = "people.csv"\n[columns.age]\nrole = "public"\n[search]\ntime_limit = 0.2\n'
    )
    done = frontier("--recipe", recipe, "--against", "n=5,10")
    assert "n>=10: loss" in done.output


def test_a_frontier_ends_where_no_release_exists(people: Path) -> None:
    done = frontier(people, *ROLES, "--as-is", "sex", "--against", "n=5,290")
    assert done.exit_code == 0, done.output
    assert "n>=290: no release of these 300 records" in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--against", "m=2"], "does not read as n=2,5,10 or k=2,3"),
        (["--against", "n=two"], "does not read as n=2,5,10 or k=2,3"),
        (["--against", "n=0"], "n must be a whole number of at least 1"),
        (["--against", "n=301"], "n>=301 cannot hold: the table has 300 records"),
        (["-r", "n>=5", "--compare", "sweeney"], "--compare mondrian"),
        (["-r", "n>=5", "--soft"], "--soft is about one bound"),
        (["-r", "n>=5", "--weight", "age=2", "--weight", "age=3"], "--weight is given twice for 'age', as 2 and as 3"),
        (["-r", "n>=5", "--plot", "f.txt"], "does not name a picture format"),
    ],
)
def test_bad_input_is_one_line(people: Path, arguments: list[str], words: str) -> None:
    done = frontier(people, *ROLES, *arguments)
    assert isinstance(done.exception, DiscreetError)
    assert words in str(done.exception)
    assert "\n" not in str(done.exception)


def test_k_needs_a_sensitive_column_and_a_table_its_name(people: Path) -> None:
    assert "needs a sensitive column" in str(frontier(people, "-p", "age", "--against", "k=2").exception)
    assert "name --public, or a --recipe that does" in frontier(people, "--against", "n").output
