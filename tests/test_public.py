"""What is public is written down: a page lists the modules, each lists its names, and everything else has an underscore.

The names that others rely on are called once each, as the design spells them, and give what they should.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import discreet
import discreet as dc
from discreet.cli import COMMANDS
from discreet.errors import DiscreetError

PAGE = Path(__file__).parents[1] / "docs" / "python-api.md"


def listed() -> list[str]:
    return re.findall(r"^\| `(discreet[\w.]*)` \|", PAGE.read_text(), re.MULTILINE)


def not_underscored() -> set[str]:
    walked = pkgutil.walk_packages(discreet.__path__, "discreet.")
    names = {module.name for module in walked if not any(part.startswith("_") for part in module.name.split("."))}
    return {"discreet", *names} - {f"discreet.cli.{command}" for command in COMMANDS}


def test_the_page_lists_every_module_without_an_underscore() -> None:
    assert sorted(listed()) == sorted(not_underscored())


@pytest.mark.parametrize("name", listed())
def test_a_public_module_lists_its_names(name: str) -> None:
    module = importlib.import_module(name)
    assert inspect.getdoc(module)
    assert len(set(module.__all__)) == len(module.__all__)
    for public in module.__all__:
        assert not public.startswith("_")
        value = getattr(module, public)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{public} has no docstring"


@pytest.mark.parametrize("name", ["auditing", "joint", "release", "report", "tables"])
def test_a_package_of_results_hides_nothing_and_shows_nothing_else(name: str) -> None:
    """Whatever its __init__ imports is for others."""
    module = importlib.import_module(f"discreet.{name}")
    shown = {key for key, value in vars(module).items() if not key.startswith("_") and not inspect.ismodule(value)}
    assert shown - {"annotations"} == set(module.__all__)


# ---------------------------------------------------------------------- names that others rely on

PAIRS = [("flu", "young"), ("cold", "young"), ("cold", "old"), ("gout", "old"), ("cold", "old")]
TABLE: dict[str, list[Any]] = {
    "age": [20, 21, 22, 40, 41, 42, 60, 61, 62],
    "ill": ["flu", "cold", "gout"] * 3,
    "sex": ["F", "M", "F", "M", "F", "M", "F", "M", "F"],
}
MEASURED = {
    "hartley_entropy": np.log2(3),
    "conditional_hartley_entropy": 1.0,
    "least_uncertainty": 1.0,
    "zero_information": np.log2(3) - 1,
    "worst_case_leakage": np.log2(3 / 2),
    "maximin_information": 0.0,
    "maximal_guessing_leakage": 1.0,
    "distinct_anonymity": 2.0,
    "record_anonymity": 2.0,
    "entropy": -0.6 * np.log2(0.6) - 2 * 0.2 * np.log2(0.2),
    "mutual_information": 0.41997309402,
    "min_entropy_leakage": 0.0,
    "sibson_information": 0.52493326073,
    "arimoto_information": 0.27658386305,
    "maximal_leakage": 1.0,
    "maximal_alpha_leakage": 1.0,
    "realisable_leakage": np.log2(2.5),
    "renyi_leakage": 0.73696559417,
    "gacs_korner_information": 0.0,
    "local_dp_epsilon": np.inf,
    "guessing_entropy": 1.6,
    "conditional_guessing_entropy": 1.4,
    "guessing_leakage": 0.2,
}


def test_joints() -> None:
    joint = dc.Joint.from_table(TABLE, sensitive="ill", public=["age"], side=None, missing="level")
    assert (len(joint.s), len(joint.x)) == (3, 9) and joint.counts.sum() == 9
    pairs = dc.Joint.from_pairs(PAIRS)
    assert (pairs.s, pairs.x) == (("cold", "flu", "gout"), ("old", "young"))
    dense = [[2, 1], [0, 1], [1, 0]]
    for counts in (np.array(dense), sparse.csr_array(dense)):
        found = dc.Joint.from_array(counts, s=pairs.s, x=pairs.x)
        assert found == pairs
        assert found.coarsen([["old", "young"]]).x == (("old", "young"),)
    assert dc.Joint.from_array(np.array(dense)).x == (0, 1)


@pytest.mark.parametrize(("name", "value"), MEASURED.items(), ids=list(MEASURED))
def test_measures(name: str, value: float) -> None:
    measure: Callable[[dc.Joint], float] = getattr(dc.measures, name)
    assert measure(dc.Joint.from_pairs(PAIRS)) == pytest.approx(value, abs=1e-8)


def test_what_else_measures_say() -> None:
    joint = dc.Joint.from_pairs(PAIRS)
    assert dc.measures.overlap_partition(joint) == [(frozenset(joint.s), frozenset(joint.x))]
    assert dc.measures.worst_attribute(joint).keys() == set(joint.s)
    for symbol, name in (("L0", "worst_case_leakage"), ("I*", "maximin_information"), ("I", "mutual_information")):
        assert dc.measures.REGISTRY[symbol](joint) == getattr(dc.measures, name)(joint)
    assert dc.measures.sibson_information(joint, order=3) > dc.measures.sibson_information(joint, order=2)


def test_audits() -> None:
    audit = dc.audit(TABLE, sensitive="ill", public=["age"], side=None)
    assert audit.values["k"] == 1 and audit.values["L0"] == pytest.approx(np.log2(3))
    assert len(audit.worst(2)) == 2
    assert audit.to_dict() and audit.to_html().startswith("<!")


def test_frontiers_and_policies(tmp_path: Path) -> None:
    joint = dc.Joint.from_table(TABLE, sensitive="ill", public=["age"])
    frontier = dc.frontier(
        joint,
        leakage="L0",
        utility="distortion",
        method="agglomerative",
        values=None,
        problem="funnel",
        codeword="centroid",
    )
    finest = frontier.points[0]
    assert finest.leakage == pytest.approx(np.log2(3)) and (finest.utility, len(finest.blocks)) == (0.0, 9)
    policy = frontier.at(max_leakage=0.0)
    assert policy.blocks == ((20, 21, 22), (40, 41, 42), (60, 61, 62)) and policy.codewords == (21, 41, 61)
    assert frontier.at(min_utility=-1).blocks == policy.blocks
    assert frontier.path is not None and frontier.path[-1].blocks == policy.blocks  # more merges would lower nothing
    assert frontier.at(multiplier=0.3).blocks in [point.blocks for point in frontier.path]
    with pytest.raises(DiscreetError):
        frontier.at(min_utility=1)
    bound = dc.frontier(joint, method="exact").bound
    assert bound is not None and len(bound) >= 2
    released = policy.release(TABLE)
    assert released == {"age": [label for (label,) in policy.labels for _ in range(3)]}
    policy.save(tmp_path / "policy.json")
    again = dc.Policy.load(tmp_path / "policy.json")
    assert again.verify(released, TABLE) and not again.verify({"age": ["elsewhere"]})


def test_whole_tables_and_recipes(tmp_path: Path) -> None:
    done = dc.generalise(TABLE, ["age", "sex"], "ill", ["n>=3", "k>=3"], time_limit=1)
    assert isinstance(done, dc.Generalisation) and done.policy.verify(done.policy.release(TABLE), TABLE)
    assert dc.ColumnType("number", band=5).band == 5
    recipe = dc.Recipe.guess(TABLE)
    recipe.save(tmp_path / "recipe.toml")
    assert dc.Recipe.load(tmp_path / "recipe.toml").columns == recipe.columns


def test_disclosures() -> None:
    found = dc.sample_privacy.disclose(np.full((2, 2), 0.25), latent=None, private=None)
    assert found.information == pytest.approx(1.0) and found.upper_bound == pytest.approx(1.0)
    assert found.p_y.tolist() == [0.5, 0.5] and found.channel.shape == (2, 2, 2)
    assert found.residual == pytest.approx(0.0, abs=1e-12)
    one, other = found.draw(np.array([[0, 1], [1, 1]]), np.random.default_rng(0)).tolist()
    assert one != other


def test_queries_and_auditors() -> None:
    box = dc.queries.Box([-2, -2], [2, 2])
    found = dc.queries.quantise(dc.queries.Mean(), box, error=0.5, bins="uniform")
    assert found.edges.tolist() == [-2, -1, 0, 1, 2] and found.answers.tolist() == [-1.5, -0.5, 0.5, 1.5]
    assert (found.maximin, found.answer([0.1, 0.2])) == (2.0, 0.5)
    assert found.leakage == pytest.approx(3.0) and found.adversary_error == pytest.approx(np.sqrt(2))
    assert dc.queries.quantise(dc.queries.Mean(), box, error=0.5, bins="least-leakage").leakage <= found.leakage
    auditor = dc.queries.Auditor(np.zeros(4), np.full(4, 10.0), keep=2, integral=False)
    cells = auditor.offer([0, 1, 2, 3], aggregate="mean", error=1)
    data = np.sqrt([2.0, 3.0, 5.0, 7.0])
    reply = auditor.ask([0, 1, 2, 3], aggregate="mean", error=1, data=data)
    assert reply.cells == cells and reply.cell in cells and reply.cell[0] <= data.mean() <= reply.cell[1]
    assert reply.answer is not None and reply.error is not None
    assert abs(reply.answer - data.mean()) <= reply.error <= 1 + 1e-9
    assert reply.bits == pytest.approx(np.log2(len(cells)))
    assert auditor.intervals().shape == (4, 2) and (np.diff(auditor.intervals()) >= 2).all()
