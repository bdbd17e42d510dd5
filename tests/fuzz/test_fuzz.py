"""A few of the command lines of `make fuzz`."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from tests.fuzz.run import Fuzz, Outcome, fuzz


@pytest.mark.slow
def test_no_command_line_breaks_a_promise() -> None:
    wrong = fuzz(150, seed=random.Random(20).randrange(1000), slowest=math.inf)  # kernels compile on the first run
    assert not wrong, "\n".join(map(str, wrong))


def test_the_detector_sees_what_it_is_for(tmp_path: Path) -> None:
    made = Fuzz.__new__(Fuzz)
    fine = Outcome(["audit", "x"], 2, "", "discreet: x does not exist\n", 0.1)
    assert not made.judged(fine, {}, {})
    for done, after in (
        (Outcome(["audit"], 3, "", "", 0.1), {}),
        (Outcome(["audit"], "KeyError", "", "", 0.1), {}),
        (Outcome(["audit"], 2, "", "discreet: a\ndiscreet: b\n", 0.1), {}),
        (Outcome(["audit"], 2, "", "discreet: unexpected KeyError: set DISCREET_DEBUG=1\n", 0.1), {}),
        (Outcome(["audit"], 2, "", "discreet: no column zq77-flu\n", 0.1), {}),
        (Outcome(["audit", "out.csv"], 2, "", "discreet: no\n", 0.1), {"out.csv": b""}),
        (Outcome(["audit"], 0, "", "", 0.1), {"other.csv": b""}),
        (Outcome(["audit"], 0, "", "", 0.1), {"scratch/discreet-1": b""}),
    ):
        assert made.judged(done, {}, after)
