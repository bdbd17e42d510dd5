"""Disclosures as users meet them: figures from the mapping, draws, files, tables, the command, and bad input."""

from __future__ import annotations

import datetime as dt
import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ColumnError, InputError
from discreet.tables._checksum import seal
from tests.examples import examples
from tests.processes import run, said

sp = dc.sample_privacy


def iid(q: float, n: int) -> np.ndarray:
    p = np.array([1 - q, q])
    found = p
    for _ in range(n - 1):
        found = np.multiply.outer(found, p)
    return found


def information(joint: np.ndarray) -> float:
    """I of a joint pmf over two axes, term by term."""
    a, b = joint.sum(1), joint.sum(0)
    return sum(
        float(joint[i, j]) * math.log2(joint[i, j] / a[i] / b[j])
        for i, j in product(*map(range, joint.shape))
        if joint[i, j] > 0
    )


def leak(p: np.ndarray, channel: np.ndarray, group: tuple[int, ...]) -> float:
    joint = (p[..., None] * channel).transpose((*group, *(i for i in range(p.ndim) if i not in group), p.ndim))
    size = math.prod(p.shape[i] for i in group)
    return information(joint.reshape(size, -1, channel.shape[-1]).sum(1))


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray | None]:
    shape = draw(st.sampled_from([(2, 2), (2, 3), (3, 3), (2, 2, 2)]))
    counts = draw(st.lists(st.integers(0, 6), min_size=math.prod(shape), max_size=math.prod(shape)).filter(any))
    p = np.array(counts, dtype=float).reshape(shape) / sum(counts)
    if draw(st.booleans()):
        return p, None
    w = np.array(draw(st.lists(st.integers(0, 4), min_size=p.size, max_size=p.size)), dtype=float) / 4
    return p, np.stack([w, 1 - w], axis=-1).reshape(*shape, 2)


@settings(max_examples=examples(40))
@given(problems())
def test_the_channel_is_what_the_figures_say(case: tuple[np.ndarray, np.ndarray | None]) -> None:
    p, latent = case
    found = sp.disclose(p, latent)
    channel = found.channel
    assert channel.shape == (*p.shape, found.size)
    assert np.isfinite(channel).all()
    assert channel.sum(-1) == pytest.approx(np.ones(p.shape), abs=1e-9)
    assert found.p_y == pytest.approx((p[..., None] * channel).reshape(-1, found.size).sum(0), abs=1e-12)
    for i in range(p.ndim):
        assert leak(p, channel, group=(i,)) < 1e-12
    about = np.eye(p.size) if latent is None else latent.reshape(p.size, -1)
    told = information(about.T @ (p[..., None] * channel).reshape(p.size, -1))
    assert found.information == pytest.approx(told, abs=1e-9)
    assert found.information <= found.upper_bound + 1e-12
    assert found.residual < 1e-12


def test_values_of_the_reference() -> None:
    for n, value in {2: 0.398529, 3: 1.044128, 4: 1.791108, 5: 2.587582}.items():
        found = sp.disclose(iid(0.3, n))
        assert found.information == pytest.approx(value, abs=5e-7)
        assert found.proven


def test_a_family_of_windows() -> None:
    p = iid(0.5, 4)
    found = sp.disclose(p, private=sp.windows_of(4, 2))
    assert found.information == pytest.approx(2.0)
    for window in ((0, 1), (1, 2), (2, 3)):
        assert leak(p, found.channel, group=window) < 1e-12


def test_draws_follow_the_channel() -> None:
    p = np.array([[0.3, 0.2], [0.1, 0.4]])
    found = sp.disclose(p)
    rng = np.random.default_rng(5)
    for cell in product(range(2), range(2)):
        y = found.draw(np.tile(cell, (4000, 1)), rng)
        seen = np.bincount(y, minlength=found.size) / 4000
        assert np.abs(seen - found.channel[cell]).max() < 0.05
    assert isinstance(found.draw([0, 1], rng), int)
    assert found.draw([[0, 1], [1, 1]], rng).shape == (2,)


def test_types_are_the_same_problem(tmp_path: Path) -> None:
    n, q = 4, 0.3
    ones = np.indices((2,) * n).sum(0)
    latent = np.stack([ones % 2, 1 - ones % 2], axis=-1).astype(float)
    by_cells = sp.disclose(iid(q, n), latent)
    pmf = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    by_types = sp.disclose_types(pmf, [[k % 2, 1 - k % 2] for k in range(n + 1)], samples=n)
    assert by_types.information == pytest.approx(by_cells.information, abs=1e-9)
    assert by_types.latent_entropy == pytest.approx(by_cells.latent_entropy)
    assert leak(iid(q, n), by_types.channel, group=(2,)) < 1e-12
    by_types.save(tmp_path / "m.json")
    assert sp.Disclosure.load(tmp_path / "m.json").information == pytest.approx(by_types.information)


def test_a_hundred_samples_by_types() -> None:
    n = 100
    likely = [[math.comb(n, k) * e**k * (1 - e) ** (n - k) for k in range(n + 1)] for e in (0.1, 0.9)]
    joint = np.array([[2 / 3], [1 / 3]]) * np.array(likely)
    pmf = joint.sum(0)
    found = sp.disclose_types(pmf / pmf.sum(), (joint / pmf).T, samples=n)
    assert found.proven
    assert found.residual < 1e-12
    assert found.draw(np.zeros(n, dtype=int), np.random.default_rng(0)) in range(found.size)
    with pytest.raises(InputError, match="types"):
        sp.disclose_types([0.5, 0.5], samples=4)


@pytest.mark.slow
def test_large_exchangeable_samples_are_drawn_without_a_channel() -> None:
    found = sp.disclose(iid(0.3, 13))
    assert found.information > 8
    assert found.gap < 0.03 * found.information
    y = found.draw(np.random.default_rng(0).integers(0, 2, (5, 13)), np.random.default_rng(1))
    assert y.shape[0] == 5


@pytest.mark.parametrize(
    ("p", "latent", "private", "message"),
    [
        ([[0.5, 0.4], [0.0, 0.0]], None, None, "sums to 0.9"),
        ([[1.5, -0.5], [0.0, 0.0]], None, None, "negative"),
        ([[math.nan, 1.0], [0.0, 0.0]], None, None, "not finite"),
        ([[0.5, 0.0], [0.0, 0.5]], [[0.5, 0.5]], None, "latent has shape"),
        ([[0.5, 0.0], [0.0, 0.5]], np.ones((2, 2, 2)), None, "sum to one"),
        ([[0.25] * 2] * 2, None, [(0, 2)], "samples are numbered 0 to 1"),
        ([[0.25] * 2] * 2, None, ["a"], "tuples of sample numbers"),
        ("text", None, None, "array of numbers"),
        (0.5, None, None, "one axis a sample"),
    ],
)
def test_what_is_no_problem(p: Any, latent: Any, private: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sp.disclose(p, latent, private)


@pytest.mark.parametrize(
    "options",
    [
        {"private": 0},
        {"private": "a"},
        {"time_limit": "5"},
        {"time_limit": None},
        {"seed": -1},
        {"seed": 1.5},
        {"tolerance": 0},
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sp.disclose(iid(0.5, 2), **options)


def test_rounding_of_a_pmf_is_forgiven() -> None:
    assert sp.disclose(np.full((2, 2), 0.25) * (1 + 1e-10)).information == pytest.approx(1.0)


def test_nothing_to_disclose_says_why() -> None:
    everything = sp.disclose(iid(0.5, 2), private=[(0, 1)])
    assert everything.information == 0
    assert "together are private" in everything.how
    marginal = np.zeros((2, 2, 2))
    marginal[0, :, 0] = marginal[1, :, 1] = 1  # W = X1
    infeasible = sp.disclose(iid(0.5, 2), marginal)
    assert infeasible.information == 0
    assert "p(w|y) = p(w)" in infeasible.how
    assert infeasible.channel.shape == (2, 2, 1)
    assert sp.disclose([1.0, 0.0]).information == 0


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([0, 2], "value outside 0 to 1 in 1 data sets"),
        ([0], "a data set has 2 samples"),
        ([0.5, 1], "whole numbers"),
        ([[[0, 1]]], "a data set has 2 samples"),
        ([[0, 1], [0]], "more or fewer"),
        ([0, math.inf], "value outside"),
        ([0, 1e300], "value outside"),
    ],
)
def test_samples_that_the_mapping_does_not_know(samples: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sp.disclose(iid(0.5, 2)).draw(samples, np.random.default_rng(0))


@pytest.mark.parametrize("n", [6, 8, 10])
@pytest.mark.parametrize("seconds", [1e-6, 0.02])
def test_no_time_still_gives_a_private_mapping_and_a_bound(n: int, seconds: float) -> None:
    p = iid(0.3, n)
    found = sp.disclose(p, time_limit=seconds)
    assert 0 <= found.information <= found.upper_bound
    assert found.upper_bound > 1
    assert found.residual < 1e-12
    assert found.draw(np.zeros((3, n), dtype=int), np.random.default_rng(0)).shape[0] == 3


def test_a_generator_and_a_time_limit_are_needed() -> None:
    with pytest.raises(InputError, match="Generator"):
        sp.disclose(iid(0.5, 2)).draw([0, 1], 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="time limit"):
        sp.disclose(iid(0.5, 2), time_limit=0)


@pytest.mark.parametrize(
    "p",
    [
        pytest.param(np.array([[0.3, 0.2], [0.1, 0.4]]), id="table"),
        pytest.param(iid(0.3, 13), id="orbits", marks=pytest.mark.slow),
    ],
)
def test_files_come_back(p: np.ndarray, tmp_path: Path) -> None:
    found = sp.disclose(p, time_limit=5)
    path = tmp_path / "m.json"
    found.save(path)
    back = sp.Disclosure.load(path)
    assert repr(back) == repr(found)
    samples = np.random.default_rng(2).integers(0, 2, (50, p.ndim))
    assert (back.draw(samples, np.random.default_rng(3)) == found.draw(samples, np.random.default_rng(3))).all()


def test_a_latent_of_exchangeable_samples_comes_back(tmp_path: Path) -> None:
    w = np.indices((2,) * 5).sum(0) % 2
    found = sp.disclose(iid(0.4, 5), np.eye(2)[w])
    found.save(tmp_path / "m.json")
    back = sp.Disclosure.load(tmp_path / "m.json")
    assert back.information == pytest.approx(found.information, abs=1e-12)
    assert back.channel == pytest.approx(found.channel)


def test_files_that_are_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    sp.disclose(iid(0.5, 2)).save(path)
    text = path.read_text()
    for content, message in [
        (text[:80], "cut short"),
        ("[]", "not a mapping"),
        (text.replace('"engine"', '"motor"', 1), "changed"),
    ]:
        path.write_text(content)
        with pytest.raises(InputError, match=message):
            sp.Disclosure.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        sp.Disclosure.load(tmp_path / "none.json")
    document = json.loads(text)
    document["mapping"]["table"] = [[2.0, -1.0]] * 4
    del document["sha256"]
    path.write_text(json.dumps({**document, "sha256": seal(document)}))
    with pytest.raises(InputError, match="does not fit its pmf"):
        sp.Disclosure.load(path)


# ---------------------------------------------------------------------- from a table


def answers(rows: int = 2000) -> dict[str, list[object]]:
    rng = np.random.default_rng(0)
    w = rng.integers(0, 2, rows)
    noisy = [np.where(rng.random(rows) < 0.2, 1 - w, w) for _ in range(3)]
    words = np.array(["no", "yes"])
    return {"w": w.tolist()} | {name: words[each].tolist() for name, each in zip("abc", noisy, strict=True)}


def test_a_table_is_as_good_as_its_frequencies() -> None:
    table = answers()
    found = sp.from_table(table, ["a", "b", "c"], latent="w")
    codes = np.array([[value == "yes" for value in table[name]] for name in "abc"], dtype=int).T
    p = np.zeros((2, 2, 2))
    joint = np.zeros((2, 2, 2, 2))
    for row, w in zip(codes.tolist(), table["w"], strict=True):
        p[tuple(row)] += 1 / len(codes)
        joint[(*row, w)] += 1
    by_hand = sp.disclose(p, joint / joint.sum(-1, keepdims=True))
    assert found.information == pytest.approx(by_hand.information, abs=1e-9)
    assert found.labels == (("no", "yes"),) * 3
    assert found.guarantee is not None
    assert found.guarantee.leak_bound > found.residual


def test_more_rows_leave_less_doubt() -> None:
    few, many = (sp.from_table(answers(rows), ["a", "b", "c"]).guarantee for rows in (200, 20_000))
    assert few is not None
    assert many is not None
    assert many.leak_bound < few.leak_bound


def test_releasing_draws_once_a_row(tmp_path: Path) -> None:
    table = answers()
    found = sp.from_table(table, ["a", "b", "c"])
    released = found.release(table, np.random.default_rng(0))
    assert list(released) == ["y"]
    assert len(released["y"]) == 2000
    rows = list(zip(*(table[name] for name in "abc"), strict=True))
    for row, y in list(zip(rows, released["y"], strict=True))[:200]:  # in the order of rows
        assert found.channel[tuple(found.labels[i].index(value) for i, value in enumerate(row))][y] > 0
    target = tmp_path / "y.parquet"
    assert found.release(table, np.random.default_rng(0), out=target) == target
    with pytest.raises(InputError, match="b has a value that the mapping was not made for, in 1 rows"):
        found.release({"a": ["yes"], "b": ["maybe"], "c": ["no"]}, np.random.default_rng(0))
    with pytest.raises(InputError, match="not made from a table"):
        sp.disclose(iid(0.5, 2)).release(table, np.random.default_rng(0))


def test_what_y_says() -> None:
    coins = sp.disclose(iid(0.5, 2))
    said = [coins.meaning(y) for y in range(2)]
    assert {frozenset(each) for each in said} == {frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})}
    table = answers()
    found = sp.from_table(table, ["a", "b", "c"], latent="w")
    mixed = sum(found.p_y[y] * found.meaning(y).get(1, 0.0) for y in range(found.size))
    assert mixed == pytest.approx(np.mean(np.array(table["w"], dtype=float)))
    with pytest.raises(InputError, match="y is one of 0"):
        found.meaning(found.size)
    assert "about w" in repr(found)
    assert "about W" in repr(sp.disclose(iid(0.5, 2), np.full((2, 2, 2), 0.5)))


def test_processes_are_asked_for_by_name() -> None:
    for call in (lambda: sp.partial_processing([0.7, 0.3], 2), lambda: sp.uniform_masks(np.array([0.7, 0.3]))):  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"Independent\.identical"):
            call()


def test_columns_that_do_not_fit() -> None:
    table = answers(50)
    with pytest.raises(ColumnError, match="once"):
        sp.from_table(table, ["a", "a"])
    with pytest.raises(ColumnError, match="both"):
        sp.from_table(table, ["a", "w"], latent="w")
    with pytest.raises(InputError, match="windows of 3"):
        sp.from_table(table, ["a", "b"], windows=3)
    wrong: list[dict[str, Any]] = [{"confidence": 1.5}, {"confidence": "x"}, {"windows": "2"}, {"windows": True}]
    for options in wrong:
        with pytest.raises(InputError):
            sp.from_table(table, ["a", "b"], **options)
    with pytest.raises(InputError, match="no rows"):
        sp.from_table({"a": [], "b": []}, ["a", "b"])
    assert sp.from_table(table, "a").names == ("a",)


def test_a_midnight_is_a_day() -> None:
    days = [dt.datetime(2026, 1, day) for day in (1, 2, 1, 2)]
    found = sp.from_table({"a": days, "b": [0, 0, 1, 1]}, ["a", "b"])
    assert found.draw([days[0], 1], np.random.default_rng(0)) in range(found.size)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    table = answers()
    path = tmp_path / "survey.csv"
    lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path.write_text(",".join(table) + "\n" + "\n".join(lines) + "\n")
    return path


def test_a_plot_shows_what_each_y_says() -> None:
    found = sp.disclose(np.multiply.outer([0.7, 0.3], [0.7, 0.3]))
    axes = found.plot().axes[0]
    shares = np.asarray(axes.images[0].get_array())
    assert shares.shape == (len(axes.get_yticklabels()), found.size)
    np.testing.assert_allclose(shares.sum(axis=0), 1)
    named = {label.get_text(): row for label, row in zip(axes.get_yticklabels(), shares, strict=True)}
    np.testing.assert_allclose(named["0, 0"], [found.meaning(y).get((0, 0), 0.0) for y in range(found.size)])


def test_the_command(survey: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / name for name in ("y.parquet", "m.json", "r.html", "g.png")}
    done = run(
        *("disclose", str(survey), "--samples", "a,b,c", "--latent", "w", "--seed", "1"),
        *("--out", str(files["y.parquet"]), "--mapping", str(files["m.json"])),
        *("--report", str(files["r.html"]), "--plot", str(files["g.png"])),
    )
    assert done.returncode == 0, done.stderr
    assert "about w" in done.stdout
    assert all(path.stat().st_size for path in files.values())
    assert "Disclosure of what a, b, c say together" in files["r.html"].read_text()
    _, out, _ = said(
        capsys,
        *("disclose", str(survey), "--samples", "a,b,c", "--out", str(tmp_path / "z.csv")),
        *("--mapping", str(tmp_path / "z.json"), "--json"),
    )
    document = json.loads(out)
    assert document["rows"] == 2000
    assert document["proven"]
    assert document["residual"] < 1e-12


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--samples", "a,q"], "no column 'q'"),
        (["--samples", "a,b", "--windows", "5"], "windows of 5"),
        (["--samples", "a,b", "--seed", "-1"], "seed"),
        (["--samples", "a,b", "--plot", "g.txt"], "picture format"),
        (["--samples", "a,b", "--smoothing", "laplace", "--alpha", "-2"], "alpha"),
    ],
)
def test_the_command_refuses_in_one_line(
    survey: Path, tmp_path: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out, mapping = tmp_path / "y.csv", tmp_path / "m.json"
    code, _, reason = said(capsys, "disclose", str(survey), *options, "--out", str(out), "--mapping", str(mapping))
    assert code == 2
    assert len(reason.strip().splitlines()) == 1
    assert words in reason
    assert not out.exists()
    assert not mapping.exists()
