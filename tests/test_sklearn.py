"""The scikit-learn transformer: scikit-learn's own checks, what it learns, and how it behaves in a pipeline."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import discreet as dc
from discreet import Joint, Policy
from discreet.errors import InputError
from discreet.sklearn import Coarsener
from tests.examples import examples


@parametrize_with_checks(  # type: ignore[untyped-decorator, unused-ignore]
    [
        Coarsener(),
        Coarsener(max_leakage=1.0, codeword="chebyshev", norm=math.inf),
        Coarsener(leakage="I*", utility="resolution", multiplier=0.3, method="agglomerative"),
        Coarsener(scale="range", codeword="medoid", method="mondrian"),
    ]
)
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def rows(n: int = 60, columns: int = 1, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, (n, columns)).astype(float), rng.choice(["flu", "cold", "gout", "none"], n)


def test_what_is_learnt_is_a_policy_of_the_rows() -> None:
    X, s = rows()
    fitted = Coarsener(max_leakage=0.5).fit(X, s)
    joint = Joint.from_pairs(list(zip(s.tolist(), X[:, 0].tolist(), strict=True)))
    plain = dc.frontier(joint).at(max_leakage=0.5)
    assert fitted.policy_.blocks == plain.blocks
    assert fitted.policy_.codewords == plain.codewords
    assert fitted.policy_.after == plain.after
    assert fitted.policy_.after["L0"] <= 0.5
    assert fitted.policy_.public == ("x0",)
    assert fitted.frontier_.method == "auto"
    assert fitted.n_features_in_ == 1


@settings(max_examples=examples(20))
@given(st.integers(1, 3), st.integers(0, 99), st.sampled_from(["centroid", "medoid", "chebyshev"]), st.booleans())
def test_every_row_becomes_its_blocks_codeword(columns: int, seed: int, codeword: Any, by_size: bool) -> None:
    X, s = rows(25, columns, seed)
    utility: Any = "resolution" if by_size else "distortion"
    fitted = Coarsener(max_leakage=1, codeword=codeword, utility=utility).fit(X, s)
    policy = fitted.policy_
    out = fitted.transform(X)
    assert out.shape == X.shape
    assert out.dtype == np.float64
    for row, released in zip(X.tolist(), out.tolist(), strict=True):
        block = policy.block_of(tuple(row) if columns > 1 else row[0])
        assert block is not None
        assert released == pytest.approx(np.atleast_1d(policy.codewords[block]))
    # What is released leaks no more than was asked for.
    coarse = Joint.from_pairs([(each, tuple(word)) for each, word in zip(s.tolist(), out.tolist(), strict=True)])
    assert dc.measures.worst_case_leakage(coarse) <= 1 + 1e-12


@pytest.mark.parametrize("scale", [None, "range", {"x1": 10.0}])
@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_a_row_never_seen_goes_to_the_nearest(norm: float, scale: Any) -> None:
    X, s = rows(30, 2, 5)
    X[:, 1] *= 10
    fitted = Coarsener(max_leakage=1, scale=scale, norm=norm).fit(X, s)
    units = np.ptp(X, axis=0) if scale == "range" else np.array([1.0, 10.0 if scale else 1.0])
    new = np.random.default_rng(1).normal(60, 60, (40, 2))
    known = fitted.transform(X)
    for row, released in zip(new, fitted.transform(new), strict=True):
        far = np.linalg.norm((X - row) / units, ord=norm, axis=1)
        nearest = known[np.isclose(far, far.min())]
        assert any(np.allclose(released, each) for each in nearest)


def test_none_of_the_three_means_least_leakage() -> None:
    X, s = rows()
    assert Coarsener().fit(X, s).policy_.after["L0"] == 0
    assert Coarsener(leakage="I*").fit(X, s).policy_.after["I*"] == 0
    most = Coarsener(min_utility=0).fit(X, s)
    assert (most.transform(X) == X).all()
    assert len(Coarsener(multiplier=1e9, method="agglomerative").fit(X, s).policy_.blocks) == len(np.unique(X))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_leakage": 1, "multiplier": 1}, "name one of"),
        ({"max_leakage": -1}, "no policy leaks -1 bits or less"),
        ({"multiplier": -1}, "0 or more"),
        ({"method": "magic"}, "method='magic' is not known"),
        ({"scale": {"y": 1.0}}, "scale names 'y'"),
        ({"norm": 3}, "norm 3 is not offered"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_parameters_are_refused_in_fit(options: dict[str, Any], words: str) -> None:
    X, s = rows()
    with pytest.raises(InputError, match=words):
        Coarsener(**options).fit(X, s)


def test_bad_rows_are_refused() -> None:
    X, s = rows()
    with pytest.raises(ValueError, match="requires y"):
        Coarsener().fit(X)
    with pytest.raises(ValueError, match="NaN"):
        Coarsener().fit(np.where(X > 3, np.nan, X), s)
    with pytest.raises(ValueError, match="infinity"):
        Coarsener().fit(np.where(X > 3, np.inf, X), s)
    with pytest.raises(ValueError, match="could not convert"):
        Coarsener().fit([["a"], ["b"]], ["c", "d"])
    with pytest.raises(NotFittedError):
        Coarsener().transform(X)
    with pytest.raises(ValueError, match="2 features"):
        Coarsener().fit(X, s).transform(np.column_stack([X, X]))


def test_names_go_in_and_come_out() -> None:
    X, s = rows(40, 2)
    frame = pd.DataFrame(X, columns=["age", "s"])
    fitted = Coarsener(max_leakage=1, scale={"age": 5.0}).fit(frame, s)
    assert fitted.feature_names_in_.tolist() == ["age", "s"]
    assert fitted.get_feature_names_out().tolist() == ["age", "s"]
    assert fitted.policy_.public == ("age", "s")
    assert fitted.policy_.sensitive == ("s_",)
    out = fitted.set_output(transform="pandas").transform(frame)
    assert list(out.columns) == ["age", "s"]
    assert (out.index == frame.index).all()
    polars = fitted.set_output(transform="polars").transform(frame)
    assert polars.columns == ["age", "s"]


def test_in_a_pipeline_under_clone_and_search() -> None:
    X, s = rows(80, 2)
    coarsener = Coarsener(max_leakage=1, seed=3)
    assert clone(coarsener).get_params() == coarsener.get_params()
    assert set(coarsener.get_params()) >= {"leakage", "utility", "max_leakage", "method", "codeword", "seed"}
    piped = make_pipeline(StandardScaler(), Coarsener(max_leakage=1)).fit(X, s)
    assert piped.transform(X).shape == X.shape
    assert piped.get_feature_names_out().tolist() == ["x0", "x1"]
    target = (s == "flu").astype(float)
    search = GridSearchCV(
        make_pipeline(Coarsener(), LinearRegression()),
        {"coarsener__max_leakage": [0.2, 1.0]},
        cv=2,
        error_score="raise",
    ).fit(X, target)
    assert search.best_params_["coarsener__max_leakage"] in (0.2, 1.0)


def test_the_same_rows_give_the_same_policy() -> None:
    X, s = rows(40, 2)
    order = np.random.default_rng(2).permutation(len(X))
    one, two = Coarsener(max_leakage=1).fit(X, s), Coarsener(max_leakage=1).fit(X[order], s[order])
    assert one.policy_.to_json() == two.policy_.to_json()


def test_a_fitted_one_can_be_pickled_and_its_policy_saved(tmp_path: Path) -> None:
    X, s = rows(40, 2)
    fitted = Coarsener(max_leakage=1).fit(X, s)
    back = pickle.loads(pickle.dumps(fitted))  # noqa: S301, our own
    assert (back.transform(X) == fitted.transform(X)).all()
    assert back.policy_.to_json() == fitted.policy_.to_json()
    assert not hasattr(back, "frontier_")
    fitted.policy_.save(tmp_path / "p.json")
    assert Policy.load(tmp_path / "p.json").blocks == fitted.policy_.blocks


def test_without_scikit_learn_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sklearn.py").write_text("raise ImportError('no sklearn')\n")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport discreet.sklearn"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "discreet[sklearn]"' in done.stderr.splitlines()[-1]


def test_several_columns_and_a_requirement() -> None:
    rng = np.random.default_rng(0)
    rows, s = rng.integers(0, 30, (200, 3)).astype(float), rng.integers(0, 6, 200)
    fitted = Coarsener(require=["n>=5", "k>=3"], time_limit=0.2).fit(rows, s)
    coarse = fitted.transform(rows)
    groups: dict[tuple[float, ...], list[int]] = {}
    for row, value in zip(map(tuple, coarse.tolist()), s.tolist(), strict=True):
        groups.setdefault(row, []).append(value)
    assert min(map(len, groups.values())) >= 5
    assert min(len(set(each)) for each in groups.values()) >= 3
    assert pickle.loads(pickle.dumps(fitted)).transform(rows).tolist() == coarse.tolist()  # noqa: S301
    assert np.abs(coarse - rows).mean() < np.abs(rows - rows.mean(axis=0)).mean()
