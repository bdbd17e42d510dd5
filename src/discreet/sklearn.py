"""A scikit-learn transformer: learn a policy from rows and their sensitive values, release codewords for any rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from discreet._typing import Codeword, FloatArray, Leakage, Method, UtilityName
from discreet.errors import needs_extra
from discreet.joint._joint import Joint, from_codes
from discreet.search import frontier
from discreet.search.tables import generalise
from discreet.tables._labels import combine, encode

needs_extra("sklearn", "sklearn")

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

if TYPE_CHECKING:
    from typing import Self

    from discreet.release._frontier import Frontier
    from discreet.release._policy import Policy

__all__ = [
    "Coarsener",
]


class Coarsener(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace numeric features by the codewords of a policy that bounds what they give away about `y`.

    `fit(X, y=s)` counts how often each row of X was seen with each sensitive value s, computes the frontier and picks a
    policy of it: the best one under `max_leakage` or `min_utility`, the one for `multiplier`, or, when none of the three
    is given, the best one that leaks least. `transform` needs no s: a row seen in `fit` becomes its block's codeword, any
    other row that of the nearest row seen. What is promised is about the rows of `fit`.

    Parameters
    ----------
    leakage, utility, method, codeword, scale, norm, time_limit, seed
        As of `discreet.frontier`; `scale` is "range", or a unit by feature name (x0, x1, … where X has no names).
    max_leakage, min_utility, multiplier
        As of `Frontier.at`; at most one of them.
    require, weights
        As of `discreet.generalise`, such as ["n>=5", "k>=3"]: rows are grouped so that every group meets the requirement at
        the least average loss, and each feature becomes the middle of its group's interval. No frontier is computed then.

    Attributes
    ----------
    policy_ : Policy
        What was learnt; `policy_.save` writes it, `policy_.before` and `policy_.after` say what is leaked.
    frontier_ : Frontier
        All the policies that were to choose from. It is left behind when the estimator is pickled.
    n_features_in_, feature_names_in_
        As of every estimator.

    Examples
    --------
    >>> X, s = [[1.0], [2.0], [10.0], [12.0]], ["flu", "cold", "flu", "cold"]
    >>> coarsener = Coarsener(max_leakage=0).fit(X, s)
    >>> coarsener.transform([[1.0], [12.0], [9.0]]).tolist()
    [[1.5], [11.0], [11.0]]
    """

    policy_: Policy  # or a TablePolicy, with require
    frontier_: Frontier

    def __init__(
        self,
        *,
        leakage: Leakage = "L0",
        utility: UtilityName = "distortion",
        max_leakage: float | None = None,
        min_utility: float | None = None,
        multiplier: float | None = None,
        method: Method = "auto",
        codeword: Codeword = "centroid",
        scale: Mapping[str, float] | Literal["range"] | None = None,
        norm: float = 2.0,
        time_limit: float = 60.0,
        seed: int = 0,
        require: str | Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self.leakage = leakage
        self.utility = utility
        self.max_leakage = max_leakage
        self.min_utility = min_utility
        self.multiplier = multiplier
        self.method = method
        self.codeword = codeword
        self.scale = scale
        self.norm = norm
        self.time_limit = time_limit
        self.seed = seed
        self.require = require
        self.weights = weights

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, scikit-learn's name
        """Learn a policy from rows X (samples × features, numbers) and their sensitive values y, one a row."""
        rows, s = validate_data(self, X, y, dtype=np.float64)
        names = tuple(map(str, self.get_feature_names_out()))
        if self.require is not None:
            return self._fit_groups(rows, s, names)
        joint = _joint(rows, s, names)
        is_resolution = self.utility == "resolution"  # it needs no numbers, but codewords are made of them
        found = frontier(
            joint,
            self.leakage,
            self.utility,
            self.method,
            {letter: letter for letter in joint.x} if is_resolution else None,
            codeword=self.codeword,
            scale=self.scale,
            norm=self.norm,
            time_limit=self.time_limit,
            seed=self.seed,
        )
        cut = {"multiplier": self.multiplier, "max_leakage": self.max_leakage, "min_utility": self.min_utility}
        asked = any(value is not None for value in cut.values())
        self.frontier_ = found
        self.policy_ = found.at(**cut) if asked else found.points[-1].policy
        policy = self.policy_
        letters = np.array([letter for block in policy.blocks for letter in block], dtype=np.float64)
        words = np.array(policy.codewords, dtype=np.float64).reshape(-1, len(policy.public))
        words = np.repeat(words, [len(block) for block in policy.blocks], axis=0)
        self._learn_places(letters.reshape(-1, len(policy.public)), words)
        return self

    def _fit_groups(self, rows: FloatArray, s: npt.NDArray[Any], names: tuple[str, ...]) -> Self:
        """Learn groups of rows that each meet the requirement, at the least average loss; a cell becomes its middle."""
        sensitive = _unlike("s", names)
        table = {**{name: rows[:, i].tolist() for i, name in enumerate(names)}, sensitive: list(s)}
        types = dict.fromkeys(names, "number")
        asked = [self.require] if isinstance(self.require, str) else list(self.require or ())
        done = generalise(
            table, names, sensitive, asked, types, weights=self.weights, time_limit=self.time_limit, seed=self.seed
        )
        self.policy_ = done.policy  # type: ignore[assignment]
        known = done.policy.letters
        assert known is not None  # noqa: S101, a policy that was just made has them
        kept = known.group >= 0
        letters = np.stack([np.array(labels)[known.codes[:, c]] for c, labels in enumerate(known.labels)], axis=1)
        middles = [np.array([(cell.low + cell.high) / 2 for cell in cells]) for cells in done.policy.boxes.cells]
        boxes = done.policy.boxes.ids[known.group[kept]]
        words = np.stack([middle[boxes[:, c]] for c, middle in enumerate(middles)], axis=1)
        self._learn_places(letters[kept].astype(np.float64), words)
        return self

    def _learn_places(self, letters: FloatArray, words: FloatArray) -> None:
        """Where the letters lie in the units of `scale`, and the codeword of each."""
        from scipy.spatial import KDTree

        names = self.policy_.public
        given = self.scale if isinstance(self.scale, Mapping) else {}
        units = np.array([float(given.get(name, 1.0)) for name in names])
        if self.scale == "range":
            spans = np.ptp(letters, axis=0)
            units = np.where(spans > 0, spans, 1.0)
        self._units: FloatArray = units
        self._words: FloatArray = words
        self._tree = KDTree(letters / units)

    def transform(self, X: Any) -> FloatArray:  # noqa: N803, scikit-learn's name
        """The codeword of every row's block; of the nearest row's block where a row was never seen."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        _, nearest = self._tree.query(rows / self._units, p=self.norm)
        return self._words[nearest]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # A frontier holds the counts of the training data; what is deployed is the policy.
        return {name: value for name, value in super().__getstate__().items() if name != "frontier_"}


def _joint(rows: FloatArray, s: npt.NDArray[Any], names: tuple[str, ...]) -> Joint:
    x = combine([encode(column) for column in rows.T], names)
    return from_codes(combine([encode(s)], [_unlike("s", names)]), x, np.ones(len(rows), dtype=np.int64))


def _unlike(name: str, names: tuple[str, ...]) -> str:
    """A name that none of the others is."""
    while name in names:
        name += "_"
    return name
