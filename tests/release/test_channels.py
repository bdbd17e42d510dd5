"""Soft policies: their figures against brute force, what they release, their files, and what they refuse."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet import Channel, Joint
from discreet.errors import DiscreetError, InputError
from discreet.testing import joints

TABLE = {"age": [30, 30, 31, 31, 32, 33] * 20, "chol": [1, 1, 2, 2, 3, 3] * 20}


def brute_information(pairs: dict[tuple[int, int], float]) -> float:
    """Mutual information from its definition, term by term."""
    first: dict[int, float] = {}
    second: dict[int, float] = {}
    for (a, b), p in pairs.items():
        first[a] = first.get(a, 0) + p
        second[b] = second.get(b, 0) + p
    return sum(p * math.log2(p / first[a] / second[b]) for (a, b), p in pairs.items() if p > 0)


@st.composite
def channels(draw: st.DrawFn) -> tuple[Joint, np.ndarray]:
    joint = draw(joints(max_s=4, max_x=5))
    symbols = draw(st.integers(1, 4))
    weight = st.lists(st.integers(0, 5), min_size=symbols, max_size=symbols).filter(any)
    rows = np.array(draw(st.lists(weight, min_size=joint.n_x, max_size=joint.n_x)), dtype=float)
    return joint, rows / rows.sum(axis=1, keepdims=True)


@given(channels())
def test_figures_are_those_of_the_definition(case: tuple[Joint, np.ndarray]) -> None:
    joint, rows = case
    channel = Channel.from_matrix(joint, rows)
    pmf = joint.pmf.toarray()
    about_s = {
        (s, y): sum(pmf[s, x] * rows[x, y] for x in range(joint.n_x))
        for s in range(joint.n_s)
        for y in range(rows.shape[1])
    }
    about_x = {(x, y): pmf[:, x].sum() * rows[x, y] for x in range(joint.n_x) for y in range(rows.shape[1])}
    assert channel.leakage == pytest.approx(brute_information(about_s), abs=1e-9)
    assert channel.utility == pytest.approx(brute_information(about_x), abs=1e-9)
    assert channel.leakage <= channel.utility + 1e-9  # S − X − X̂
    assert channel.leakage <= dc.measures.mutual_information(joint) + 1e-9


def test_a_partition_is_a_channel() -> None:
    joint = Joint.from_table(TABLE, "age", "chol")
    channel = Channel.from_matrix(joint, [[1, 0], [1, 0], [0, 1]])
    coarse = joint.coarsen([[1, 2], [3]])
    assert channel.is_hard
    assert channel.leakage == pytest.approx(dc.measures.mutual_information(coarse))
    assert channel.meaning("symbol 1") == {1: pytest.approx(0.5), 2: pytest.approx(0.5)}


def test_symbols_that_never_occur_are_left_out() -> None:
    joint = Joint.from_pairs([("a", 1), ("b", 2)])
    assert len(Channel.from_matrix(joint, [[0, 0.5, 0.5], [0, 1, 0]]).symbols) == 2


def test_a_release_draws_as_the_channel_says() -> None:
    joint = Joint.from_table(TABLE, "age", "chol")
    channel = Channel.from_matrix(joint, [[0.5, 0.5], [1, 0], [0, 1]])
    done = channel.carry_out(TABLE, np.random.default_rng(7))
    assert done.rows == 120
    assert list(done.columns) == ["chol"]
    assert done.joint is not None
    drawn = done.joint.counts.toarray()
    assert drawn.sum(axis=1).tolist() == [40, 40, 20, 20]  # everybody got one symbol
    assert drawn[1].tolist() == [40, 0]
    assert drawn[2].tolist() == [0, 20]
    assert 8 <= drawn[0, 0] <= 32  # 40 fair draws
    again = channel.carry_out(TABLE, np.random.default_rng(7))
    assert again.counts.tolist() == done.counts.tolist()


def test_a_release_is_of_the_kind_given_or_a_file(tmp_path: Path) -> None:
    joint = Joint.from_table(TABLE, "age", "chol")
    channel = Channel.from_matrix(joint, [[0.5, 0.5], [1, 0], [0, 1]])
    released = channel.release(TABLE, np.random.default_rng(1))
    assert set(released) == {"chol"}
    assert len(released["chol"]) == 120
    target = tmp_path / "soft.csv"
    assert channel.release(TABLE, np.random.default_rng(1), out=target) == target
    assert len(target.read_text().splitlines()) == 121
    with pytest.raises(InputError, match="exists"):
        channel.release(TABLE, np.random.default_rng(1), out=target)


def test_several_columns_become_one() -> None:
    table = {"s": [1, 2, 1], "a": ["u", "u", "v"], "b": [1, 2, 2]}
    joint = Joint.from_table(table, "s", ["a", "b"])
    channel = Channel.from_matrix(joint, np.eye(3))
    assert list(channel.carry_out(table, np.random.default_rng(0)).columns) == ["a and b"]


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    joint = Joint.from_table(TABLE, "age", "chol")
    channel = Channel.from_matrix(joint, [[0.25, 0.75], [1, 0], [0, 1]])
    path = tmp_path / "channel.json"
    channel.save(path)
    back = Channel.load(path)
    assert repr(back) == repr(channel)
    assert (back.matrix == channel.matrix).all()
    assert back.letters == channel.letters
    assert back.meaning(back.symbols[0]) == channel.meaning(channel.symbols[0])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 0]], "a row for each of the 3 letters"),
        ([[1, 0], [0.4, 0.4], [0, 1]], "row 1 of the channel sums to 0.8"),
        ([[1, 0], [2, -1], [0, 1]], "not negative"),
        ([[1, 0], [math.nan, 1], [0, 1]], "finite"),
        ([1, 0, 1], "shape"),
    ],
)
def test_rows_that_are_no_channel(rows: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Channel.from_matrix(Joint.from_table(TABLE, "age", "chol"), rows)


def test_what_cannot_be_released() -> None:
    joint = Joint.from_table(TABLE, "age", "chol")
    channel = Channel.from_matrix(joint, np.eye(3))
    with pytest.raises(InputError, match="2 rows have values that this channel was not made for"):
        channel.release({"chol": [1, 8, 9]}, np.random.default_rng(0))
    with pytest.raises(InputError, match="Generator"):
        channel.release(TABLE, 7)  # type: ignore[arg-type]
    with pytest.raises(DiscreetError, match="chol"):
        channel.release({"age": [1]}, np.random.default_rng(0))
    with pytest.raises(InputError, match="no symbol of that name"):
        channel.meaning("symbol 9")


def test_a_support_has_no_channel() -> None:
    with pytest.raises(DiscreetError, match="count"):
        Channel.from_matrix(Joint.from_array(np.array([[True, False], [True, True]])), np.eye(2))


def test_files_that_are_no_channel(tmp_path: Path) -> None:
    joint = Joint.from_pairs([("a", 1), ("b", 2)])
    path = tmp_path / "c.json"
    Channel.from_matrix(joint, np.eye(2)).save(path)
    text = path.read_text()
    for content, message in [
        (text[:50], "cut short"),
        ("[]", "not a channel"),
        (text.replace("1.0, 0.0", "0.0, 1.0"), "changed"),
        (json.dumps({"channel": 99}), "schema"),
    ]:
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            Channel.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        Channel.load(tmp_path / "none.json")
