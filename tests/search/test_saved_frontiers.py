"""Frontiers of every kind answer the same after pickling and after loading, and damaged files are refused."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.release import _frontier_files as files
from discreet.tables._checksum import seal
from tests.search.kinds_of_frontiers import KINDS, frontier_of, joint


def pickled(found: dc.Frontier, folder: Path) -> dc.Frontier:
    again = pickle.loads(pickle.dumps(found))  # noqa: S301, just pickled
    assert isinstance(again, dc.Frontier)
    return again


def saved(found: dc.Frontier, folder: Path) -> dc.Frontier:
    found.save(folder / "f.frontier")
    return dc.Frontier.load(folder / "f.frontier")


def cuts(found: dc.Frontier) -> list[dict[str, float]]:
    """Every way to cut it, at points and between them."""
    points = found.points
    leakage, utility = (0.5 * float(axis.min() + axis.max()) for axis in (points.leakage, points.utility))
    on, at = points[len(points) // 2].leakage, points[len(points) // 2].utility
    names = ("min_leakage", "max_utility") if found.problem == "bottleneck" else ("max_leakage", "min_utility")
    by_multiplier = [{"multiplier": each} for each in (0.0, 0.2, 1.0)]
    return [
        *by_multiplier,
        *({names[0]: each} for each in (leakage, on)),
        *({names[1]: each} for each in (utility, at)),
    ]


def same_policy(one: dc.Policy, other: dc.Policy) -> bool:
    return json.dumps(one.to_dict(), sort_keys=True) == json.dumps(other.to_dict(), sort_keys=True)


@pytest.mark.parametrize("again", [pickled, saved])
@pytest.mark.parametrize("name", KINDS)
def test_a_frontier_comes_back_as_it_was(
    name: str, again: Callable[[dc.Frontier, Path], dc.Frontier], tmp_path: Path
) -> None:
    found = frontier_of(name)
    back = again(found, tmp_path)
    assert repr(back) == repr(found)
    assert back.to_dict() == found.to_dict()
    assert (back.method, back.complete, back.seconds) == (found.method, found.complete, found.seconds)
    assert back.setting.joint == found.setting.joint
    assert not back.setting.joint.counts.data.flags.writeable
    for part in ("norm", "seed", "codeword", "unit", "worst", "most", "at_least", "problem", "hierarchy"):
        assert getattr(back.setting, part) == getattr(found.setting, part), part
    assert back.setting.joint.public == found.setting.joint.public
    assert type(back.engine) is type(found.engine)
    for one, other in zip(found.points, back.points, strict=True):
        assert (one.block_of == other.block_of).all()
    for i in {0, len(found.points) // 2, len(found.points) - 1}:
        assert same_policy(found.points[i].policy, back.points[i].policy)
    assert (found.path is None) == (back.path is None)
    if found.path is not None and back.path is not None:
        assert [point.blocks for point in back.path] == [point.blocks for point in found.path]
    for cut in cuts(found):
        one, other = found.point_at(**cut), back.point_at(**cut)
        assert (one.leakage, one.utility, one.bound) == (other.leakage, other.utility, other.bound), cut
        assert same_policy(one.policy, other.policy), cut


@pytest.mark.parametrize("again", [pickled, saved])
def test_what_a_frontier_is_asked_later_works_after_it_comes_back(
    again: Callable[[dc.Frontier, Path], dc.Frontier], tmp_path: Path
) -> None:
    path = frontier_of("line L0 distortion agglomerative 5.0")
    back = again(path, tmp_path)
    assert back.plot().axes and back.plot_convergence(0.2).axes
    assert back._repr_html_() == path._repr_html_()
    point = path.point_at(max_leakage=1.0)
    one, two = path.engine.withhold(path, point, 4), back.engine.withhold(back, back.point_at(max_leakage=1.0), 4)
    assert same_policy(one[1], two[1]) and one[0].utility == two[0].utility
    funnel = frontier_of("few I exact funnel")
    soft = again(funnel, tmp_path).soften(time_limit=1.0)
    assert soft and funnel.gain_of(soft) >= 0
    with pytest.raises(InputError, match="soft policies are offered for leakage 'I', not for 'L0'"):
        back.soften()
    with pytest.raises(InputError, match="rows can be suppressed for leakage 'L0'"):
        funnel.engine.withhold(funnel, funnel.points[0], 1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    frontier_of("line L0 distortion auto 5.0").save(tmp_path / "f.frontier")
    return tmp_path / "f.frontier"


def refused(path: Path, why: str) -> None:
    with pytest.raises(InputError, match=why) as problem:
        dc.Frontier.load(path)
    assert "\n" not in str(problem.value) and str(path) in str(problem.value)


def rewritten(path: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    """The file with other content, as somebody with a zip program would leave it."""
    with zipfile.ZipFile(path) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as new:
        for name, content in entries.items():
            new.writestr(name, content)


def with_header(path: Path, change: Callable[[dict[str, Any]], None], *, sealed: bool) -> None:
    def apply(entries: dict[str, bytes]) -> None:
        header = json.loads(entries["frontier.json"])
        change(header)
        if sealed:
            header["sha256"] = seal({name: header[name] for name in header if name != "sha256"})
        entries["frontier.json"] = json.dumps(header).encode()

    rewritten(path, apply)


def test_the_same_frontier_makes_the_same_file(file: Path, tmp_path: Path) -> None:
    dc.Frontier.load(file).save(tmp_path / "g.frontier")
    assert (tmp_path / "g.frontier").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused(file: Path, share: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    refused(file, "not a saved frontier, or it is cut short")


def test_a_file_that_was_changed_is_refused(file: Path) -> None:
    content = file.read_bytes()
    for place in range(40, len(content) - 1, len(content) // 23):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        file.write_bytes(changed)
        try:
            back = dc.Frontier.load(file)
        except InputError:
            continue
        # What a zip does not use, such as a time stamp, may change.
        assert back.to_dict() == frontier_of("line L0 distortion auto 5.0").to_dict()


def test_other_figures_or_arrays_are_refused(file: Path) -> None:
    content = file.read_bytes()
    with_header(file, lambda header: header["document"]["setting"].update(leakage="I*"), sealed=False)
    refused(file, "was changed after it was written")

    file.write_bytes(content)

    def other_numbers(entries: dict[str, bytes]) -> None:
        out = io.BytesIO()
        array = np.load(io.BytesIO(entries["a0.npy"]))
        np.save(out, array + 1)
        entries["a0.npy"] = out.getvalue()

    rewritten(file, other_numbers)
    refused(file, "the sha256 of its arrays does not match")
    file.write_bytes(content)
    rewritten(file, lambda entries: entries.pop("a0.npy"))
    refused(file, "cut short")


def test_other_files_and_newer_ones_are_refused(file: Path, tmp_path: Path) -> None:
    content = file.read_bytes()
    with_header(file, lambda header: header.update(frontier=files.SCHEMA + 1), sealed=True)
    refused(file, f"newer discreet .schema {files.SCHEMA + 1}.: update discreet")
    file.write_bytes(content)
    with_header(file, lambda header: header.pop("frontier"), sealed=True)
    refused(file, "names no schema")
    file.write_bytes(content)
    with_header(file, lambda header: header["document"]["setting"].update(engine="other"), sealed=True)
    refused(file, "engine 'other' is not known")
    file.write_bytes(content)
    with_header(file, lambda header: header["document"].pop("points"), sealed=True)
    refused(file, "not a complete frontier")
    file.write_bytes(content)

    def other_points(header: dict[str, Any]) -> None:
        header["document"]["points"]["leakage"] = header["document"]["setting"]["joint"]["counts"]["data"]

    with_header(file, other_points, sealed=True)
    refused(file, "does not hold together: its figures are not those of its partitions")
    frontier_of("line L0 distortion auto 5.0").at(max_leakage=1.0).save(tmp_path / "policy.json")
    refused(tmp_path / "policy.json", "not a saved frontier")
    refused(tmp_path / "nowhere", "cannot be read")
    refused(tmp_path, "cannot be read")


def test_a_frontier_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    class Odd:
        """A label that no file can hold."""

        def __lt__(self, other: object) -> bool:
            return False

    odd = dc.Joint.from_pairs([("a", Odd()), ("b", Odd())])
    with pytest.raises(InputError, match="cannot be kept"):
        dc.frontier(odd, utility="resolution").save(tmp_path / "f")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="no folder"):
        frontier_of("line L0 distortion auto 5.0").save(tmp_path / "no" / "f")


def test_joints_of_every_kind_of_label_come_back() -> None:
    for kind in ("line", "plane", "words", "days", "side", "counts"):
        arrays = files._Arrays({})
        document = json.loads(json.dumps(files._joint_document(joint(kind), arrays)))
        again = files._joint_of(document, arrays)
        assert again == joint(kind) and again.missing == joint(kind).missing
        assert (again.sensitive, again.public, again.a) == (joint(kind).sensitive, joint(kind).public, joint(kind).a)
