"""How well a model does that was trained on a release, tested on original rows that it never saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import ColumnError, needs_extra
from discreet.release._classes import class_of_values, held_by, place_of
from discreet.release._comparison import FOLDS, MODELLED
from discreet.tables._counting import counted_columns

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.release._table_policy import TablePolicy

LEAST = 10  # records of every class of a target
FEW = 20  # values up to which a target is a class
MANY = 60  # classes of a column that models are shown


@dataclass(frozen=True)
class ModelScore:
    """One kind of model: area under the curve (0.5 is guessing) when trained on the original and on the release."""

    model: str
    original: float
    released: float


def check_target_column(table: object, target: str, na: Sequence[str] = ()) -> None:
    """Refuse a target that no model can be tried on, before anything is searched for."""
    needs_extra("sklearn", "sklearn")
    ((_, codes),), counts = counted_columns(table, [target], na=frozenset(na))
    records = np.bincount(codes, counts)
    if len(records) < 2 or records.min() < LEAST:
        raise ColumnError(f"the target column {target!r} needs two values or more, each with {LEAST} records or more")
    if len(records) > FEW:
        raise ColumnError(
            f"the target column {target!r} has {len(records):,} values: models are tried on columns of at most {FEW}"
        )


def score_models(
    policy: TablePolicy, letters: IntArray, target: IntArray, *, without: str | None = None, seed: int = 0
) -> tuple[ModelScore, ...]:
    """Cross-validated scores; `letters` and `target` give each record's letter and its class.

    Models see the public columns, `without` the target where that is one of them.

    Trained on released rows of the training folds, tested on original rows of the fold held out, so that what the model
    learnt from coarse cells is held against the values they came from.
    """
    needs_extra("sklearn", "sklearn")
    import warnings

    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    if policy.letters is None:
        raise ValueError("scores need the private part of a policy")
    classes = np.unique(target)
    rng = np.random.default_rng(seed)
    group = policy.letters.group[letters]
    kept = np.flatnonzero(group >= 0)
    if len(kept) > MODELLED:
        kept = np.sort(rng.choice(kept, MODELLED, replace=False))
    original, released = _features(policy, letters, without)
    x, coarse, y = original[letters[kept]], released[group[kept]], np.searchsorted(classes, target[kept])
    scores: dict[str, list[tuple[float, float]]] = {}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x, y):
        for name, make in _models(seed).items():
            pair = []
            for features in (x, coarse):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a fit that stops early is still a fit
                    model = make().fit(features[train], y[train])
                chance = model.predict_proba(x[test])
                pair.append(roc_auc_score(y[test], chance[:, 1] if len(classes) == 2 else chance, multi_class="ovr"))
            scores.setdefault(name, []).append((pair[0], pair[1]))
    return tuple(ModelScore(name, *np.mean(each, axis=0).tolist()) for name, each in scores.items())


def _models(seed: int) -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    return {
        "logistic regression": lambda: LogisticRegression(max_iter=500),
        "boosted trees": lambda: HistGradientBoostingClassifier(random_state=seed),
    }


def _features(policy: TablePolicy, letters: IntArray, without: str | None) -> tuple[FloatArray, FloatArray]:
    """Numbers for models: of each letter as it was, and of each box: the mean over the values that a cell may stand for.

    Numbers and dates are shares of their column's range, other values a column each. Nothing is scaled by its variance: a
    value that is rare in the release is not rare in the rows that the model is tried on.
    """
    table = policy.letters
    if table is None:
        raise ValueError("features need the private part of a policy")
    records = np.bincount(letters, minlength=len(table))
    before, after = [], []
    for c, (kind, labels) in enumerate(zip(policy.types, table.labels, strict=True)):
        if policy.public[c] == without:
            continue
        codes, ids = table.codes[:, c], policy.boxes.ids[:, c]
        if kind.kind in ("number", "date"):
            values = _places(labels)[:, None]
        else:
            of_code = np.bincount(codes, records, len(labels)).astype(np.int64)
            names, of_value = class_of_values(kind, labels, of_code, MANY)
            values = np.eye(len(names))[of_value]
        means = [values[held].mean(axis=0) for held in held_by(kind, labels, policy.boxes.cells[c])]
        before.append(values[codes])
        after.append(np.array(means)[ids])
    if not before:
        raise ColumnError(f"the target column {without!r} is the only public one: there is nothing to predict it from")
    return np.concatenate(before, axis=1), np.concatenate(after, axis=1)


def _places(labels: Sequence[Any]) -> FloatArray:
    """Where numbers or dates lie between the least and the greatest; what is missing lies in their middle."""
    where = np.array([place_of(label) for label in labels if label is not None])
    share = (where - where.min()) / max(float(where.max() - where.min()), 1e-300)
    return np.append(share, np.full(len(labels) - len(where), share.mean()))
