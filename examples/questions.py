"""Answer questions: heights that nobody may learn, means that everybody may ask for.

    python examples/questions.py [FOLDER]

One question with a promised error and what it gives away; then many questions to an auditor who keeps twenty centimetres of
doubt about everybody, an attack on one person among them. Writes `trade_off.png`, `regions.png` and `intervals.png`
into FOLDER. The heights are made up.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from discreet import queries as dq
from discreet.report import _plots as plots

LOWER, UPPER, KEEP = 100.0, 250.0, 20.0  # centimetres
PEOPLE = 8


def main(folder: str | Path = ".") -> dq.Auditor:
    """Ask once, ask often, look at what is left."""
    rng = np.random.default_rng(7)
    heights = np.clip(rng.normal(170, 12, PEOPLE), LOWER, UPPER)

    one = dq.quantise(dq.Mean(), dq.Box(LOWER, UPPER, people=PEOPLE), error=1)
    print(f"the mean height is {one.answer(heights):.1f} cm, give or take 1")
    print(f"  {len(one.answers)} possible answers; it leaves {one.interval_left():.0f} cm of doubt about anybody\n")

    auditor = dq.Auditor(np.full(PEOPLE, LOWER), np.full(PEOPLE, UPPER), keep=KEEP, step=0)
    everybody = np.arange(PEOPLE)
    groups = {
        "everybody": everybody,
        "the first half": everybody[: PEOPLE // 2],
        "everybody but the first": everybody[1:],  # with the first answer, this would corner one person
        "everybody once more": everybody,
        "the first alone": everybody[:1],
    }
    for name, members in groups.items():
        told = auditor.ask(members, aggregate="mean", error=1, data=heights)
        said = "nothing that is safe can be said" if told.answer is None else f"{told.answer:.1f} ± {told.error:.1f} cm"
        print(f"mean of {name}: {said}, for {told.bits:.2f} bits")

    left = auditor.intervals()
    width = left[:, 1] - left[:, 0]
    print(f"\nthe least doubt about anybody is {width.min():.1f} cm; {auditor.bits:.1f} bits were given away")

    square = dq.quantise(dq.Mean(), dq.Box([-2, -2], [2, 2]), error=0.5)
    square.plot().savefig(Path(folder) / "regions.png", dpi=150)
    dq.trade_off(dq.Mean(), dq.Box(LOWER, UPPER, people=10), gammas=np.linspace(0.05, 1, 20)).plot().savefig(
        Path(folder) / "trade_off.png", dpi=150
    )
    drawing, axes = plots.figure()
    axes.vlines(everybody, left[:, 0], left[:, 1], color=plots.ACCENT, linewidth=3)
    axes.set_xlabel("person")
    axes.set_ylabel("heights that remain possible (cm)")
    axes.set_ylim(LOWER, UPPER)
    drawing.savefig(Path(folder) / "intervals.png", dpi=150)
    return auditor


if __name__ == "__main__":
    main(*sys.argv[1:])
