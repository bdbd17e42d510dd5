"""Cells: a label is true of every value that it stands for, tells its block, and can be read again."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import Policy
from discreet._text import interval, text
from discreet.errors import InputError
from discreet.release import _cells as cells
from discreet.tables._labels import order_key
from tests._oracles.released_cells import Item, read
from tests.examples import examples

Label = Any

# ---------------------------------------------------------------------- what labels are made of

DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))
MOMENTS = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
ZONES = st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=2)), dt.timezone(dt.timedelta(hours=-5, minutes=-30))])
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ON_A_LINE: dict[str, st.SearchStrategy[Label]] = {
    "integers": st.integers(-60, 60),
    "wide integers": st.integers(-(2**70), 2**70),
    "neighbours past 2**53": st.integers(2**60, 2**60 + 40),
    "floats": FLOATS,
    "short floats": st.integers(-100, 100).map(lambda i: i / 8),
    "neighbouring floats": st.integers(0, 20).map(lambda i: 0.1 + i * 2.0**-56),
    "integers and floats": st.one_of(st.integers(-9, 9), st.integers(-90, 90).map(lambda i: i / 10)),
    "decimals": st.decimals(-100, 100, places=2),
    "long decimals": st.integers(0, 20).map(lambda i: Decimal("0.4") + i * Decimal(10) ** -19),
    "fractions": st.fractions(-5, 5, max_denominator=60),
    "days": DAYS,
    "moments": MOMENTS,
    "moments a microsecond apart": st.integers(0, 20).map(lambda i: dt.datetime(2024, 2, 29) + dt.timedelta(0, 0, i)),
    "moments with zones": st.datetimes(
        dt.datetime(1900, 1, 2), dt.datetime(2100, 1, 1), timezones=ZONES, allow_imaginary=False
    ),
}
IN_SETS: dict[str, st.SearchStrategy[Label]] = {
    "text": st.text(max_size=4),
    "text like labels": st.sampled_from(["a", "b", "a, b", "{a, b}", "missing", "a (2)", "1–3", "", "1", "1 (2)"]),
    "booleans": st.booleans(),
    "floats with infinity": st.sampled_from([0.5, float("inf"), float("-inf"), 2.0]),
    "days and moments": st.one_of(DAYS, MOMENTS),
    "moments with and without zones": st.one_of(MOMENTS, st.datetimes(timezones=ZONES, allow_imaginary=False)),
    "anything": st.one_of(st.integers(-3, 3), st.text(max_size=2), DAYS, st.none(), st.binary(max_size=2)),
}
KINDS = {**ON_A_LINE, **IN_SETS}


@st.composite
def alphabets(draw: st.DrawFn, letter: st.SearchStrategy[Label], most: int = 9) -> tuple[list[Label], list[int]]:
    """Letters without repetition, with None among them at times, and a block number for each."""
    letters = draw(st.lists(letter, min_size=1, max_size=most, unique=True))
    if draw(st.booleans()) and None not in letters:
        letters.append(None)
    owner = draw(st.lists(st.integers(0, len(letters) - 1), min_size=len(letters), max_size=len(letters)))
    return letters, owner


def policy_of(letters: list[Label], owner: list[int]) -> Policy:
    """A policy of these blocks; what it leaks does not matter here."""
    blocks: dict[int, list[Label]] = {}
    for letter, block in sorted(zip(letters, owner, strict=True), key=lambda pair: order_key(pair[0])):
        blocks.setdefault(block, []).append(letter)
    width = len(letters[0]) if isinstance(letters[0], tuple) else 1
    public = tuple(f"x{i}" for i in range(width))
    members = tuple(tuple(block) for block in blocks.values())
    return Policy(public, ("s",), (), members, (None,) * len(members), "L0", {}, {})


# ---------------------------------------------------------------------- reading a label as a person would


def end(text: str, like: Label) -> Label:
    """One end of an interval, as the kind of value that the column holds; a day is its midnight."""
    if isinstance(like, dt.date):
        return dt.datetime.fromisoformat(text)
    if "/" in text:
        return Fraction(text)
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return Decimal(text) if isinstance(like, Decimal) else float(text)


def holds(label: str, value: Label, like: Label) -> bool:
    """Whether an interval label is true of a value."""
    stretches = re.sub(r" \(\d+\)$", "", label).replace(" or missing", ", missing").split(", ")
    if value is None:
        return "missing" in stretches
    if type(value) is dt.date:
        value = dt.datetime.combine(value, dt.time())
    for stretch in stretches:
        if stretch != "missing":
            low, _, high = stretch.replace(" to ", "–").partition("–")
            if end(low, like) <= value <= end(high or low, like):
                return True
    return False


# ---------------------------------------------------------------------- laws


@pytest.mark.parametrize("kind", ON_A_LINE)
def test_intervals_are_true_and_tell_their_block(kind: str) -> None:
    @settings(max_examples=examples(35))
    @given(alphabets(ON_A_LINE[kind]))
    def law(case: tuple[list[Label], list[int]]) -> None:
        policy = policy_of(*case)
        like = case[0][0]
        for block, (label,) in zip(policy.blocks, policy.labels, strict=True):
            assert all(holds(label, letter, like) for letter in block), label
        assert len(set(policy.labels)) == len(policy.blocks)

    law()


@pytest.mark.parametrize("kind", KINDS)
def test_every_letter_keeps_its_block_and_labels_are_unique(kind: str) -> None:
    @settings(max_examples=examples(35))
    @given(alphabets(KINDS[kind]))
    def law(case: tuple[list[Label], list[int]]) -> None:
        policy = policy_of(*case)
        assert len(set(policy.labels)) == len(policy.blocks)
        for number, block in enumerate(policy.blocks):
            assert all(policy.block_of(letter) == number for letter in block)

    law()


@given(alphabets(st.sampled_from(["a", "b", "c", "d", "e", "f"])))
def test_sets_list_their_members(case: tuple[list[Label], list[int]]) -> None:
    policy = policy_of(*case)
    for block, (label,) in zip(policy.blocks, policy.labels, strict=True):
        named = set(label.strip("{}").split(", "))
        assert named == {"missing" if letter is None else letter for letter in block}


@pytest.mark.parametrize("kind", ["booleans", "floats with infinity", "days and moments", "anything", "text"])
def test_sets_name_every_member(kind: str) -> None:
    @settings(max_examples=examples(35))
    @given(alphabets(KINDS[kind]))
    def law(case: tuple[list[Label], list[int]]) -> None:
        policy = policy_of(*case)
        assume(cells.column_kind(case[0]) == "text")
        for block, (label,) in zip(policy.blocks, policy.labels, strict=True):
            members = read(label)
            assert len(members) == len(block)
            named = [letter for letter in block if not isinstance(letter, bytes)]
            assert all(
                Item(letter) in members if isinstance(letter, str) else text(letter) in label for letter in named
            )

    law()


@pytest.mark.parametrize("kind", ON_A_LINE)
def test_a_value_never_seen_gets_a_label_that_is_true_of_it(kind: str) -> None:
    @settings(max_examples=examples(35))
    @given(alphabets(ON_A_LINE[kind]), ON_A_LINE[kind])
    def law(case: tuple[list[Label], list[int]], value: Label) -> None:
        policy = policy_of(*case)
        number = policy.block_of(value)
        if number is not None:
            assert holds(policy.labels[number][0], value, case[0][0])

    law()


@pytest.mark.parametrize("kind", ["integers", "wide integers", "neighbours past 2**53", "days"])
def test_whole_values_between_letters_go_to_a_neighbour_and_the_nearest_if_that_is_near(kind: str) -> None:
    @settings(max_examples=examples(35))
    @given(alphabets(ON_A_LINE[kind]), ON_A_LINE[kind])
    def law(case: tuple[list[Label], list[int]], value: Label) -> None:
        policy = policy_of(*case)
        letters = [letter for letter in case[0] if letter is not None]
        number = policy.block_of(value)
        if not min(letters) <= value <= max(letters):
            assert number is None
            return
        assert number is not None
        below, above = max(x for x in letters if x <= value), min(x for x in letters if x >= value)
        near = [x for x in (below, above) if 4 * abs(x - value) < above - below] or [below, above]
        assert value in letters or any(letter in policy.blocks[number] for letter in near)

    law()


@pytest.mark.parametrize("kind", ["floats", "short floats", "moments", "moments a microsecond apart"])
def test_between_the_least_and_the_greatest_nothing_is_suppressed(kind: str) -> None:
    @settings(max_examples=examples(35))
    @given(alphabets(ON_A_LINE[kind]), ON_A_LINE[kind])
    def law(case: tuple[list[Label], list[int]], value: Label) -> None:
        letters = [letter for letter in case[0] if letter is not None]
        assume(min(letters) <= value <= max(letters))
        assert policy_of(*case).block_of(value) is not None

    law()


def test_a_value_between_whole_numbers_or_days_is_suppressed() -> None:
    numbers = policy_of([200, 205, 212, 219], [0, 0, 1, 1])
    assert [numbers.labels, numbers.block_of(209), numbers.block_of(210)] == [(("200–209",), ("210–219",)), 0, 1]
    assert numbers.block_of(209.5) is None
    assert [numbers.block_of(199), numbers.block_of(220), numbers.block_of(None), numbers.block_of("200")] == [None] * 4
    days = policy_of([dt.date(2024, 1, 1), dt.date(2024, 1, 9), dt.date(2024, 2, 1)], [0, 1, 1])
    assert days.labels == (("2024-01-01 to 2024-01-05",), ("2024-01-06 to 2024-02-01",))
    assert days.block_of(dt.datetime(2024, 1, 7)) == 1  # midnight is a day
    assert days.block_of(dt.datetime(2024, 1, 5, 12)) is None
    assert days.block_of(738_900) is None  # a number is not a day, even if it counts days


def test_what_lies_on_no_line_is_suppressed_unless_seen() -> None:
    policy = policy_of(["a", "b", None], [0, 0, 1])
    assert policy.labels == (("{a, b}",), ("missing",))
    assert [policy.block_of("b"), policy.block_of("c"), policy.block_of(None)] == [0, None, 1]
    assert policy.block_of(float("nan")) == 1  # NaN, NaT and null are missing
    mixed = policy_of([1, "a"], [0, 1])
    assert mixed.block_of(1) == 0
    assert mixed.block_of(2) is None


def test_a_number_too_large_for_a_float_is_a_name() -> None:
    policy = policy_of([10**400, 10**400 + 1, 3], [0, 1, 1])
    assert len(set(policy.labels)) == 2
    assert policy.blocks == ((3, 10**400 + 1), (10**400,))
    assert [policy.block_of(3), policy.block_of(10**400)] == [0, 1]
    assert policy_of([3, 5], [0, 0]).block_of(10**400) is None


# ---------------------------------------------------------------------- several columns

COLUMNS = ["integers", "short floats", "days", "text like labels", "booleans", "days and moments", "decimals"]


@st.composite
def tuples(draw: st.DrawFn) -> tuple[list[Label], list[int], list[str], tuple[Label, ...]]:
    """Letters of two or three columns of their own kinds, blocks, the kinds, and one more row."""
    kinds = draw(st.lists(st.sampled_from(COLUMNS), min_size=2, max_size=3))
    row = st.tuples(*(st.one_of(st.none(), KINDS[kind]) for kind in kinds))
    letters = draw(st.lists(row, min_size=1, max_size=8, unique=True))
    owner = draw(st.lists(st.integers(0, len(letters) - 1), min_size=len(letters), max_size=len(letters)))
    return letters, owner, kinds, draw(row)


def column_holds(label: str, value: Label, block: tuple[Label, ...], column: int, kind: str) -> bool:
    """Whether one column's cell is true of a value: an interval holds it, a set lists it."""
    seen = [letter[column] for letter in block]
    present = [each for each in seen if each is not None]
    if present and (kind in ON_A_LINE or (kind == "days and moments" and len(set(map(type, present))) == 1)):
        return holds(label, value, present[0])
    return value in seen and (label.startswith("missing") if not present else True)


@given(tuples())
def test_each_column_has_a_true_cell_of_its_own(
    case: tuple[list[Label], list[int], list[str], tuple[Label, ...]],
) -> None:
    letters, owner, kinds, new = case
    policy = policy_of(letters, owner)
    assert len(set(policy.labels)) == len(policy.blocks)
    for number, (block, label) in enumerate(zip(policy.blocks, policy.labels, strict=True)):
        assert len(label) == len(kinds)
        for letter in block:
            assert policy.block_of(letter) == number
            for i, kind in enumerate(kinds):
                assert column_holds(label[i], letter[i], block, i, kind)
    found = policy.block_of(new)
    if found is not None:
        block = policy.blocks[found]
        assert all(column_holds(policy.labels[found][i], new[i], block, i, kind) for i, kind in enumerate(kinds))


def test_a_new_row_goes_to_the_nearest_block_that_is_true_of_it() -> None:
    policy = policy_of([(0, "a"), (10, "a"), (20, "a"), (40, "a"), (0, "b"), (9, "b")], [0, 0, 1, 1, 2, 2])
    assert policy.labels == (("0–10", "a"), ("0–9", "b"), ("20–40", "a"))
    assert policy.block_of((4, "a")) == 0
    assert policy.block_of((4, "b")) == 1
    assert policy.block_of((30, "a")) == 2
    assert policy.block_of((14, "a")) is None  # no cell is true of it
    assert policy.block_of((4, "c")) is None
    assert policy.block_of((4, None)) is None
    assert policy.block_of(4) is None
    assert policy.block_of((4,)) is None


# ---------------------------------------------------------------------- labels as texts


@given(st.lists(st.tuples(st.sampled_from(["a", "a (2)", "a (3)", "b"]), st.sampled_from(["", "x"])), max_size=9))
def test_numbered_labels_differ_and_keep_their_text(labels: list[tuple[str, ...]]) -> None:
    found = cells.unique(labels)
    assert len(set(found)) == len(labels)
    for label, marked in zip(labels, found, strict=True):
        assert marked[0].startswith(label[0])
        assert marked[1:] == label[1:]


def test_labels_as_people_read_them() -> None:
    assert interval(-5, -2) == "-5 to -2"
    assert interval(-5, 2) == "-5 to 2"
    assert interval(0.25, 1e7) == "0.25–10000000.0"
    assert cells.hull([None, None]) == "missing"
    assert cells.hull(["b", None, "a"]) == "{a, b} or missing"
    assert cells.hull([dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 12)]) == "{2024-01-01, 2024-01-01 12:00:00}"
    assert policy_of(["", "a"], [0, 0]).labels == (("{empty text, a}",),)  # nothing to read is easily taken for missing


# ---------------------------------------------------------------------- JSON

LABELS = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(),
        st.decimals(allow_nan=False),
        st.fractions(),
        st.dates(),
        st.datetimes(timezones=st.one_of(st.none(), ZONES), allow_imaginary=False),
        st.times(),
        st.timedeltas(),
        st.binary(),
    ),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=4,
)


@given(LABELS)
def test_labels_survive_json(label: Label) -> None:
    import json

    text = json.dumps(cells.to_json(label), allow_nan=False)
    back = cells.from_json(json.loads(text))
    assert back == label
    assert type(back) is type(label)


def test_a_label_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="label of type complex cannot be kept in a policy file"):
        cells.to_json(1 + 2j)


@pytest.mark.parametrize(
    "value", [{"colour": "red"}, {"date": "x"}, {"date": "2024-01-01", "text": "a"}, {"decimal": "x"}]
)
def test_what_is_no_label_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="does not read as a label"):
        cells.from_json(value)
