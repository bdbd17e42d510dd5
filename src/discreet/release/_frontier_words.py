"""What a frontier says about itself, for people: one sentence each, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.release._cutting import ROUNDING

if TYPE_CHECKING:
    from discreet.release._frontier import Frontier


def scale_words(frontier: Frontier) -> list[str]:
    """How columns of several kinds are held against each other, for people."""
    places = frontier.setting.places
    if frontier.utility != "distortion" or places is None or not places.is_mixed:
        return []
    how = (
        "numbers are divided by their range, and two categories are 1 apart (--scale says otherwise)"
        if places.by_range
        else "each column in the unit of its scale, where two categories are 1 apart"
    )
    return [f"numbers and categories: {how}; the worst case counts here, the average in a whole table (--require)"]


def bound_words(frontier: Frontier) -> list[str]:
    """What more time might bring, for people."""
    if frontier.hypervolume_bound is None:
        return []
    more = frontier.hypervolume_bound - frontier.hypervolume
    if more < 5e-5:
        return ["more time brings nothing: no policies can have a larger hypervolume, to four digits"]
    return [
        f"more time (--time-limit) brings at most {more:.4f} more hypervolume: no policies can have more than "
        f"{frontier.hypervolume_bound:.4f}"
    ]


def polish_words(frontier: Frontier) -> list[str]:
    """Whether a merge or a move could still pay, for people."""
    if not frontier.engine.polishes or frontier.complete:
        return []
    if frontier.polished is None:
        return ["polished: no, the work planned or the time ended before every merge and move had been tried"]
    gain = "keeps more" if frontier.setting.is_bottleneck else "leaks less"
    by = "" if frontier.polished <= ROUNDING else f"by {frontier.polished:.2g} bits "
    return [f"polished: yes, no merge of two blocks and no move of one letter {gain} {by}at the same utility"]


def stop_words(frontier: Frontier) -> list[str]:
    """What ended the search before it was done, for people."""
    words = {
        "time": "the time limit came first: these are the best policies found until then",
        "interrupt": "interrupted: these are the best policies found until then",
    }
    return [words[frontier.stopped]] if frontier.stopped else []
