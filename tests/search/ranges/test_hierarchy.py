"""Hierarchies: reading them, refusing bad ones, and the finest cut against all cuts."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.columns import Hierarchy, HierarchyError
from discreet.search.ranges._hierarchy import full_domain, local_recoding
from tests._oracles.ranges_by_enumeration import blocks_of, fewest_distinct, is_canonical, make_letters

if TYPE_CHECKING:
    from pathlib import Path

PLACES = "Lyon;France;Europe;*\nTurin;Italy;Europe;*\nParis;France;Europe;*\nLima;Peru;America;*\n"
LABELS = ["Lima", "Lyon", "Paris", "Turin"]


def test_reads_semicolons_commas_and_quotes() -> None:
    by_semicolon = Hierarchy.parse(PLACES)
    assert by_semicolon.height == 4
    assert by_semicolon.paths["Lyon"] == ("Lyon", "France", "Europe", "*")
    assert Hierarchy.parse(PLACES.replace(";", ",")) == by_semicolon
    assert Hierarchy.parse('"a;b";x\nc;x\n').paths == {"a;b": ("a;b", "x"), "c": ("c", "x")}


def test_reads_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text(PLACES, encoding="utf-8-sig")
    assert Hierarchy.load(path) == Hierarchy.parse(PLACES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no lines"),
        ("a\nb\n", "line 1: only one column"),
        ("a;x;*\nb;*\n", "line 2: 2 columns where the first line has 3"),
        ("a;x;*\n;x;*\n", "line 2: column 1 is empty"),
        ("a;x;*\nb;x;*\na;x;*\n", "line 3: the leaf was given before"),
        ("a;x;u;*\nb;x;v;*\n", "line 2: the node in column 2 has another parent than on line 1"),
        ("a;x\nb;y\n", "2 different roots"),
        ('a;"x\n', "line 1"),
    ],
)
def test_bad_hierarchies_are_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.parse(text)


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="cannot be read"):
        Hierarchy.load(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("Zürich;*\n".encode("latin-1"))
    with pytest.raises(HierarchyError, match="cannot be read"):
        Hierarchy.load(tmp_path / "latin.csv")


def test_letters_that_are_no_leaves_are_named() -> None:
    with pytest.raises(HierarchyError, match="1 of 2 public values are no leaf of the hierarchy, 'Oslo' first"):
        Hierarchy.parse(PLACES).partitions(["Lima", "Oslo"])
    assert Hierarchy.parse(PLACES).missing(["Lima", "Oslo"]) == [1]


def test_partitions_by_level() -> None:
    at = Hierarchy.parse(PLACES).partitions(LABELS)
    assert at.tolist() == [[0, 1, 2, 3], [0, 1, 1, 3], [0, 1, 1, 1], [0, 0, 0, 0]]
    assert Hierarchy.parse("1;*\n2;*\n").partitions([1, 2]).tolist() == [[0, 1], [0, 0]]


def test_finest_cut_by_hand() -> None:
    at = Hierarchy.parse(PLACES).partitions(LABELS)
    letters = make_letters([[0, 1, 2], [0], [1, 2], [0, 1]])
    cuts = local_recoding(letters, at)
    assert [k for k, _ in cuts] == [1, 2, 3]
    assert cuts[0][1].tolist() == [0, 1, 2, 3]
    assert cuts[1][1].tolist() == [0, 1, 1, 3]
    assert cuts[2][1].tolist() == [0, 1, 1, 1]
    assert [k for k, _ in full_domain(letters, at)] == [1, 2, 3, 3]


def all_cuts(at: np.ndarray, level: int, members: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    """Every cut of the subtree of one node."""
    whole = [members]
    if level == 0:
        return [[(m,) for m in members]] if len(members) == 1 else [whole]
    names = sorted(set(at[level - 1][list(members)]))
    children = [tuple(m for m in members if at[level - 1][m] == name) for name in names]
    parts = product(*(all_cuts(at, level - 1, child) for child in children))
    return [whole] + [[block for part in choice for block in part] for choice in parts]


def test_finest_cut_has_the_most_blocks_of_all_cuts() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        n = int(rng.integers(2, 8))
        lines, parents = [], {i: f"m{rng.integers(3)}" for i in range(4)}
        for leaf in range(n):
            node = int(rng.integers(4))
            lines.append(f"x{leaf};g{node};{parents[node]};*")
        at = Hierarchy.parse("\n".join(lines)).partitions([f"x{i}" for i in range(n)])
        letters = make_letters([rng.integers(0, 4, size=rng.integers(1, 4)).tolist() for _ in range(n)])
        cuts = all_cuts(at, 3, tuple(range(n)))
        for k, block_of in local_recoding(letters, at):
            allowed = [sorted(c) for c in cuts if fewest_distinct(letters, c) >= k]
            assert is_canonical(block_of)
            assert blocks_of(block_of) in allowed
            assert len(blocks_of(block_of)) == max(len(c) for c in allowed)


def test_blocks_are_called_by_the_lowest_node_that_they_share() -> None:
    hierarchy = Hierarchy.parse("A;North;*\nB;North;*\nC;South;*\n")
    assert hierarchy.names(["A", "B", "C"], np.array([0, 0, 2])) == ("North", "C")
    assert hierarchy.names(["A", "B", "C"], np.array([0, 0, 0])) == ("*",)
