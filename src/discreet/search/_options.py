"""The arguments of `discreet.frontier` in one object: checked once, and turned into a task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from discreet import _checks as checks
from discreet._typing import Codeword, Cost, Leakage, Method, Problem, Progress, UtilityName
from discreet.columns import Hierarchy
from discreet.errors import InputError, listed
from discreet.release._cutting import check_cut
from discreet.release._points import Places, Setting
from discreet.release._promises import PROMISED, measured, promised_by
from discreet.search._alphabet import Values, default_utility, has_positions, letters_of, places_of
from discreet.search._protocol import RANGES, Task
from discreet.search._watch import Watch
from discreet.search.information._weights import weights_of
from discreet.search.ranges._figures import worst_utility

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label


PLANNED = 60.0  # seconds that a search may take where no limit is given


@dataclass(frozen=True, eq=False)
class Options:
    """What `discreet.frontier` is asked for; its docstring says what each means."""

    leakage: Leakage = "L0"
    utility: UtilityName | None = None
    method: Method = "auto"
    values: Values | None = None
    problem: Problem = "funnel"
    codeword: Codeword = "centroid"
    scale: Mapping[str, float] | Literal["range"] | None = None
    order: Mapping[str, Sequence[Label]] | None = None
    norm: float = 2.0
    hierarchy: str | Path | None = None
    at_least: int = 0
    time_limit: float | None = None
    seed: int = 0
    progress: Progress | None = None
    cut: Mapping[str, float] | None = None

    @property
    def is_range(self) -> bool:
        """Whether leakage is one of the support alone."""
        return self.leakage in RANGES

    def checked(self) -> Options:
        """The same, complete; InputError for what makes no sense whatever the joint."""
        leakage, is_range = self.leakage, self.is_range
        if not is_range and not (isinstance(leakage, str) and promised_by(leakage)):
            raise InputError(
                f"leakage={leakage!r} is not known: use one of {listed([*PROMISED, 'D_2'])} (D of any order)"
            )
        utility: UtilityName | None = self.utility or (None if is_range else "information")
        if utility is not None:
            checks.choice(utility, UtilityName, name="utility")
        checks.choice(self.method, Method, name="method")
        checks.choice(self.problem, Problem, name="problem")
        checks.choice(self.codeword, Codeword, name="codeword")
        checks.count(self.at_least, name="at_least, a number of records,")
        if (utility == "information") == is_range:
            offered = "resolution or distortion" if is_range else "information"
            raise InputError(f"leakage {leakage!r} is traded against {offered}, not against {utility!r}")
        if self.norm not in (1, 2, math.inf):
            raise InputError(f"norm {self.norm:g} is not offered: use 1, 2 or inf")
        checks.time_limit(PLANNED if self.time_limit is None else self.time_limit)
        checks.seed(self.seed)
        of_the_pmf = {
            f"method {self.method!r}": self.method in ("iac-mdsf", "pairwise"),
            "a bottleneck": self.problem != "funnel",
            "at_least (--at-least)": bool(self.at_least),
        }
        if is_range and any(of_the_pmf.values()):
            asked = next(name for name, is_asked in of_the_pmf.items() if is_asked)
            raise InputError(f"{asked} is for the leakages of the pmf, such as leakage 'I', not for {leakage!r}")
        return replace(self, utility=utility)

    def task(self, joint: Joint) -> Task:
        """What is asked of the engines about a joint; the options are `checked`."""
        setting = self._of_ranges(joint) if self.is_range else self._of_information(joint)
        cut = check_cut(**self.cut) if self.cut else None
        return Task(
            setting,
            self.method,
            self.hierarchy,
            is_patient=self.time_limit is not None,
            progress=self.progress,
            cut=cut,
            watch=Watch(PLANNED if self.time_limit is None else float(self.time_limit)),
        )

    def _of_ranges(self, joint: Joint) -> Setting:
        utility = self.utility or default_utility(joint, self.values, self.scale, self.order)
        is_placed = utility == "distortion" or self.values is not None
        places = self._places(joint) if is_placed else None
        if places is not None and self.codeword == "chebyshev" and self.norm == 1 and places.coordinates.shape[1] > 2:
            raise InputError(
                "the Chebyshev centre in the l_1 norm is for one or two columns of numbers: use norm 2 or inf"
            )
        cost: Cost = "size" if utility == "resolution" else "distortion"
        return Setting(
            joint=joint,
            leakage=self.leakage,
            utility=utility,
            unit=math.log2(joint.n_x) if cost == "size" else 0.0,
            worst=worst_utility(letters_of(joint, places, self.norm), cost, self.codeword),
            places=places,
            codeword=self.codeword,
            norm=float(self.norm),
            hierarchy=None if self.hierarchy is None else Hierarchy.load(self.hierarchy).paths,
            seed=int(self.seed),
        )

    def _of_information(self, joint: Joint) -> Setting:
        weights = weights_of(joint, self.leakage)
        # Codewords are not needed here: only where X has numbers, as users expect.
        is_placed = self.values is not None or bool(self.scale) or bool(self.order) or has_positions(joint)
        return Setting(
            joint=joint,
            leakage=self.leakage,
            utility="information",
            unit=weights.entropy,
            worst=0.0,
            places=self._places(joint) if is_placed else None,
            codeword=self.codeword,
            norm=float(self.norm),
            problem=self.problem,
            at_least=int(self.at_least),
            most=weights.leakage if self.leakage == "I" else measured(joint, self.leakage)[self.leakage],
            seed=int(self.seed),
        )

    def _places(self, joint: Joint) -> Places:
        return places_of(joint, self.values, self.scale, self.order)
