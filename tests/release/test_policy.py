"""Policies: what a policy file holds, that it comes back as it was, and every way a file can be bad."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import discreet as dc
from discreet import Joint, Policy
from discreet.errors import InputError
from discreet.measures import REGISTRY
from discreet.release import _policy_files as policy_files
from discreet.release._policy_files import SCHEMA
from discreet.release._promises import MEASURED
from discreet.tables._checksum import seal
from discreet.testing import coarsened_joints
from tests.examples import examples

AWARE = dt.datetime(2024, 5, 6, 7, 8, 9, 10, tzinfo=dt.UTC)
ALPHABETS: dict[str, list[Any]] = {
    "integers": [1, 2, 3, 10**30],
    "floats": [0.1, 1e-300, 2.5, 1e300],
    "decimals": [Decimal("1.10"), Decimal("2.123456789012345678901"), Decimal(3)],
    "text": ["a", "", "a, b", 'quo"te', "naïve – ☂", "missing"],
    "days": [dt.date(2020, 2, 29), dt.date(2021, 1, 1), dt.date(2021, 1, 2)],
    "moments": [dt.datetime(2020, 2, 29, 1, 2, 3, 4), dt.datetime(2021, 1, 1), dt.datetime(2021, 1, 2)],
    "moments with a zone": [AWARE, AWARE + dt.timedelta(microseconds=1), AWARE + dt.timedelta(days=1)],
    "booleans": [False, True],
    "missing": [1, 2, None],
    "mixed": [1, 2.5, "a", dt.date(2020, 1, 1), True, None, b"\xff", dt.timedelta(1), dt.time(3)],
    "tuples": [(1, "a", None), (2.5, "b", dt.date(2020, 1, 1)), (3, "c", None), (None, "a", dt.date(2021, 1, 1))],
    "infinite": [float("-inf"), 0.5, float("inf")],
}


def policy_of(letters: list[Any], **options: Any) -> Policy:
    """Two letters a block, three values of s that repeat."""
    joint = Joint.from_pairs([(f"secret{i % 3}", letter) for i, letter in enumerate(letters * 2)])
    blocks = [joint.x[i : i + 2] for i in range(0, joint.n_x, 2)]
    return Policy.from_blocks(joint, blocks, codewords=[float(i) for i in range(len(blocks))], **options)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "policy.json"
    policy_of([1, 2, 3, 4, None], leakage="I*", unseen="suppress", na=["?"]).save(path)
    return path


def same(one: Policy, other: Policy) -> None:
    assert one.to_dict() == other.to_dict()
    for name in vars(one):
        if name in Policy.__dataclass_fields__:
            assert getattr(one, name) == getattr(other, name), name
    assert [type(x) for block in one.blocks for x in block] == [type(x) for block in other.blocks for x in block]
    assert one.labels == other.labels


# ---------------------------------------------------------------------- there and back


@pytest.mark.parametrize("kind", ALPHABETS)
def test_save_and_load(kind: str, tmp_path: Path) -> None:
    policy = policy_of(ALPHABETS[kind], utility={"resolution": 1.5}, unseen="suppress").with_source(file="a.csv")
    policy.save(tmp_path / "p.json")
    back = Policy.load(tmp_path / "p.json")
    same(policy, back)
    for number, block in enumerate(policy.blocks):
        assert [back.block_of(letter) for letter in block] == [number] * len(block)
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


@settings(max_examples=examples(30))
@given(coarsened_joints())
def test_any_policy_comes_back(case: Any) -> None:
    joint, blocks = case
    policy = Policy.from_blocks(joint, blocks)
    same(policy, Policy.from_dict(json.loads(policy.to_json())))
    assert policy.blocks == joint.coarsen(blocks).x


@settings(max_examples=examples(30))
@given(coarsened_joints())
def test_before_and_after_are_the_measures_of_the_two_joints(case: Any) -> None:
    joint, blocks = case
    policy = Policy.from_blocks(joint, blocks)
    assert set(policy.before) == set(policy.after) == set(MEASURED)
    for symbol in MEASURED:
        assert policy.before[symbol] == REGISTRY[symbol](joint)
        assert policy.after[symbol] == REGISTRY[symbol](joint.coarsen(blocks))


def test_a_support_or_a_pmf_has_the_measures_that_it_can_have() -> None:
    support = Policy.from_blocks(Joint.from_array([[True, False], [True, True]]), [[0, 1]])
    assert {"L0", "I*", "k"} <= set(support.after)
    assert not {"I", "n"} & set(support.after)
    pmf = Policy.from_blocks(Joint.from_array([[0.25, 0.0], [0.5, 0.25]]), [[0, 1]])
    assert "I" in pmf.after
    assert "n" not in pmf.after
    same(pmf, Policy.from_dict(json.loads(pmf.to_json())))


def test_what_a_policy_says_of_itself() -> None:
    policy = policy_of([1, 2, 3, 4], utility={"distortion": -1.0})
    assert repr(policy) == "Policy(x0: 4 letters in 2 blocks, L0 0.000, I* 0.000, k 3, largest distortion 1)"
    assert policy.promised_distinct == 3
    assert "1–2" in policy._repr_html_()
    assert policy.with_source(file="a").with_source(sha256="b").source == {"file": "a", "sha256": "b"}


def test_blocks_that_are_no_partition_are_refused() -> None:
    joint = Joint.from_pairs([("a", 1), ("b", 2)])
    for blocks in ([[1]], [[1, 2], [2]], [[1, 2], []], [[1, 2, 3]]):
        with pytest.raises(InputError, match="block"):
            Policy.from_blocks(joint, blocks)


# ---------------------------------------------------------------------- what the file holds


def test_the_file_holds_no_records_and_no_sensitive_value(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows: list[dict[str, Any]] = [
        {"ill": f"private-{rng.randrange(9)}", "age": rng.randrange(20, 40)} for _ in range(200)
    ]
    policy = dc.frontier(Joint.from_table(rows, "ill", "age")).at(max_leakage=1)
    text = policy.to_json()
    assert "private" not in text
    assert json.loads(text)["columns"]["sensitive"] == ["ill"]
    letters = [x for block in json.loads(text)["blocks"] for x in block["letters"]]
    assert sorted(letters) == sorted({row["age"] for row in rows})
    # The order of rows does not show, and only measures of records show how many there are.
    rng.shuffle(rows)
    assert dc.frontier(Joint.from_table(rows, "ill", "age")).at(max_leakage=1).to_json() == text
    doubled = dc.frontier(Joint.from_table(rows * 2, "ill", "age")).at(max_leakage=1).to_dict()
    once = json.loads(text)
    changed = {name for name in once if once[name] != doubled[name]} - {"sha256"}
    assert changed <= {"before", "after", "records"}
    assert {name for name in once["after"] if abs(once["after"][name] - doubled["after"][name]) > 1e-12} <= {"n"}


def test_the_document_says_what_a_reader_needs(saved: Path) -> None:
    document = json.loads(saved.read_text())
    assert document["schema"] == SCHEMA
    assert document["columns"] == {"public": [{"name": "x0", "type": "number"}], "sensitive": [], "side": []}
    assert document["missing"] == "level"
    assert document["unseen"] == "suppress"
    assert document["na"] == ["?"]
    assert document["blocks"][-1] == {"cells": ["missing"], "codeword": 2.0, "letters": [None]}
    assert document["leakage"] == "I*"


def test_a_label_that_cannot_be_kept_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="label of type complex"):
        policy_of([1j, 2j]).save(tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------- bad files


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where every value of a JSON document stands."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))


def changed(document: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    change(place, path[-1])
    return copy


def other_than(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return value + "x" if isinstance(value, str) else ("changed" if value is None else type(value)())


def remove(place: Any, key: Any) -> None:
    del place[key]


def replace_by(new: Any) -> Callable[[Any, Any], None]:
    def change(place: Any, key: Any) -> None:
        place[key] = new(place[key]) if callable(new) else new

    return change


def test_any_single_field_changed_or_removed_is_refused(saved: Path) -> None:
    document = json.loads(saved.read_text())
    every = list(leaves(document))
    assert len(every) > 50
    for path in every:
        for change in (replace_by(other_than), remove):
            bad = changed(document, path, change)
            if bad != document:
                saved.write_text(json.dumps(bad))
                with pytest.raises(InputError, match=r"policy\.json (was|is not)"):
                    Policy.load(saved)


def test_every_truncation_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    for length in [*range(0, len(content) - 1, 37), len(content) - 2]:
        saved.write_bytes(content[:length])
        with pytest.raises(InputError, match="cut short"):
            Policy.load(saved)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "does not read as JSON"),
        (b"age,chol\n30,200\n", "does not read as JSON"),
        (b"{'schema': 1}", "does not read as JSON"),
        (b'{"schema": NaN}', "does not read as JSON"),
        (b"[" * 100_000, "does not read as JSON"),
        (b"PAR1\x15\xff\xfe\x00", "it is not text"),
        ("{}".encode("utf-16"), "it is not text"),
        (b"[1, 2]", "names no schema"),
        (b"null", "names no schema"),
        (b"{}", "names no schema"),
        (b'{"schema": "1"}', "names no schema"),
        (b'{"schema": true}', "names no schema"),
        (b'{"schema": 0}', "names no schema"),
        (b'{"schema": 99}', r"newer discreet \(schema 99\): update discreet"),
        (b'{"schema": 1}', "sha256 does not match"),
        (b'{"schema": 1, "sha256": 5}', "sha256 does not match"),
    ],
)
def test_what_is_no_policy_file_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        Policy.load(path)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        Policy.load(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        Policy.load(tmp_path)


def forged(document: Any) -> Any:
    """A document whose hash was made to fit by whoever changed it."""
    content = {key: value for key, value in document.items() if key != "sha256"}
    return {**content, "sha256": seal(content)}


@pytest.mark.parametrize("wrong", [None, 3, "text", [], {}, [[]], [None], {"a": 1}, True])
def test_a_forged_file_with_wrong_types_is_refused_or_harmless(saved: Path, wrong: Any) -> None:
    """Whatever a field is replaced by, loading says that it is wrong, and never breaks otherwise."""
    document = json.loads(saved.read_text())
    refused = 0
    for path in leaves(document):
        if path != ("sha256",):
            bad = forged(changed(document, path, replace_by(wrong)))
            try:
                policy_files.policy_of(bad, Policy, where="p.json")
            except InputError:
                refused += 1
    assert refused > 20


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("leakage",), "L9", "leakage is not known"),
        (("missing",), "guess", "missing values is not known"),
        (("unseen",), "guess", "unseen values is not known"),
        (("blocks", 0, "letters"), [], "no blocks, or an empty one"),
        (("blocks",), [], "no blocks, or an empty one"),
        (("blocks", 0, "letters"), [1, 3], "a letter stands in two blocks"),
        (("withheld",), [1], "a letter stands in two blocks"),
        (("blocks", 0, "cells"), ["0–9"], "cells are not those of its blocks"),
        (("blocks", 0, "letters"), [{"decimal": "x"}, 2], "does not read as a label"),
        (("columns", "public"), [], "no public columns"),
        (("columns", "public", 0, "name"), 5, "not named by text"),
        (("columns", "sensitive"), ["s0", "s0"], "named twice"),
        (("columns", "public"), [{"name": "a"}, {"name": "b"}], "not one value a column"),
        (("after",), {"L0": 0.0, "I*": 0.0}, "what it promises"),
        (("source",), [], "not a list of facts"),
        (("before",), [], "not a complete policy file"),
        (("after", "L0"), "x", "not a complete policy file"),
        (("blocks", 0), 7, "not a complete policy file"),
        (("after", "L0"), float("nan"), "not a complete policy file"),
    ],
)
def test_a_forged_file_that_does_not_hold_together(saved: Path, path: tuple[Any, ...], value: Any, words: str) -> None:
    document = changed(json.loads(saved.read_text()), path, replace_by(value))
    with pytest.raises(InputError, match=words):
        policy_files.policy_of(document if value != value else forged(document), Policy, where="p.json")


def test_a_policy_with_side_information_promises_what_the_informed_learn() -> None:
    rows = [{"s": i % 4, "x": i % 7, "a": i % 2} for i in range(40)]
    joint = Joint.from_table(rows, "s", "x", "a")
    policy = dc.frontier(joint, utility="resolution").at(max_leakage=1)
    coarse = joint.coarsen(policy.blocks)
    assert policy.promised == ("L0", "L0|A")
    assert policy.after["L0|A"] == dc.measures.worst_case_leakage(coarse, side=True)
    assert policy.after["I*,A"] == dc.measures.maximin_information(coarse, side=True)
    same(policy, Policy.from_dict(json.loads(policy.to_json())))
    cube = [{"s": s, "x": x, "a": a} for s in (0, 1) for x in "pq" for a in (0, 1)]
    whole = Policy.from_blocks(Joint.from_table(cube, "s", "x", "a"), [["p"], ["q"]])
    assert whole.broken_by(Joint.from_table(cube, "s", "x", "a")) == []
    assert whole.broken_by(Joint.from_table(cube[1:], "s", "x", "a")) == ["L0|A is 1 bits, the policy promises 0"]
    assert whole.broken_by(Joint.from_table(cube[1:], "s", "x")) == []  # who does not know A learns nothing


def test_every_promise_of_the_leakage_is_held_to() -> None:
    joint = Joint.from_pairs([(1, "a"), (2, "a"), (3, "b"), (4, "b")])
    apart = joint.coarsen([["a"], ["b"]])
    joined = Joint.from_pairs([(1, "a"), (2, "a"), (2, "b"), (4, "b"), (3, "a"), (3, "b")])
    for leakage, promised in (("L0", 1), ("I*", 1), ("L0|I*=0", 2)):
        policy = Policy.from_blocks(joined, [["a"], ["b"]], leakage=leakage)
        assert len(policy.promised) == promised
        assert policy.broken_by(joined) == []
        reasons = policy.broken_by(apart)
        assert any(reason.startswith("I* is 1 bits") for reason in reasons) == (leakage != "L0")


OLD = sorted((Path(__file__).parents[1] / "reference" / "files" / "schema1").glob("schema1-*.json"))


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_policy_files_of_schema_1_still_load(path: Path) -> None:
    """Written by the first release; somebody out there has such files, and their promises must still be readable."""
    policy = Policy.load(path)
    document = json.loads(path.read_text())
    assert document["schema"] == 1
    assert policy.promised_distinct == document["after"]["k"]
    assert [list(label) for label in policy.labels] == [block["cells"] for block in document["blocks"]]
    assert policy.block_of(policy.blocks[-1][0]) == len(policy.blocks) - 1
    new = ("schema", "tool", "may_be_published", "sha256")
    facts = {name: value for name, value in policy.to_dict().items() if name not in new}
    assert facts == {name: document[name] for name in facts}


def test_there_are_policy_files_of_schema_1() -> None:
    assert len(OLD) == 3
