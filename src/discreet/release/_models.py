"""How well a model does that was trained on a release, tested on original rows that it never saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import ColumnError, needs_extra
from discreet.release._comparison import FOLDS, MODELLED, classes_of, place_of

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.columns import Cell
    from discreet.release._table_policy import TablePolicy

FEW = 20  # values up to which a target is a class


@dataclass(frozen=True)
class ModelScore:
    """One kind of model: area under the curve (0.5 is guessing) when trained on the original and on the release."""

    model: str
    original: float
    released: float


def score_models(policy: TablePolicy, letters: IntArray, target: IntArray, seed: int = 0) -> tuple[ModelScore, ...]:
    """Cross-validated scores; `letters` and `target` give each record's letter and its class.

    Trained on released rows of the training folds, tested on original rows of the fold held out, so that what the model
    learnt from coarse cells is held against the values they came from.
    """
    needs_extra("sklearn", "sklearn")
    import warnings

    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    if policy.letters is None:
        raise ValueError("scores need the private part of a policy")
    classes, counts = np.unique(target, return_counts=True)
    if len(classes) < 2 or counts.min() < FOLDS:
        raise ColumnError("the target column needs two values or more, each with a few records")
    if len(classes) > FEW:
        raise ColumnError(f"the target column has {len(classes)} values: models are tried on columns of at most {FEW}")
    rng = np.random.default_rng(seed)
    group = policy.letters.group[letters]
    kept = np.flatnonzero(group >= 0)
    if len(kept) > MODELLED:
        kept = np.sort(rng.choice(kept, MODELLED, replace=False))
    original, released = _features(policy, letters)
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
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "boosted trees": lambda: HistGradientBoostingClassifier(random_state=seed),
    }


def _features(policy: TablePolicy, letters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Numbers for models: of each letter as it was, and of each box, with cells as the mean of the values they stand for."""
    table = policy.letters
    if table is None:
        raise ValueError("features need the private part of a policy")
    records = np.bincount(letters, minlength=len(table))
    before, after = [], []
    for c, (kind, labels) in enumerate(zip(policy.types, table.labels, strict=True)):
        cells, codes, ids = policy.boxes.cells[c], table.codes[:, c], policy.boxes.ids[:, c]
        if kind.kind in ("number", "date") and labels[-1] is not None:
            where = np.array([place_of(label) for label in labels])
            before.append(where[codes][:, None])
            middle = [
                (place_of(cell.low) + place_of(cell.high)) / 2 if cell.low is not None else where.mean()
                for cell in cells
            ]
            after.append(np.array(middle)[ids][:, None])
            continue
        found = classes_of(kind.kind, labels, np.bincount(codes, records, len(labels)).astype(np.int64), cells)
        before.append(np.eye(len(found.names))[found.of_value[codes]])
        after.append(found.of_cell[ids])
    return np.concatenate(before, axis=1), np.concatenate(after, axis=1)


def _middle(cell: Cell, anything: float) -> float:
    """The number that stands for a cell of a line."""
    return anything if cell.low is None else (place_of(cell.low) + place_of(cell.high)) / 2
