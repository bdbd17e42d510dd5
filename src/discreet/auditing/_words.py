"""Plain words: what the value of each measure means to somebody who has never heard of it, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from discreet._text import counted

if TYPE_CHECKING:
    from discreet.auditing._matching import Matched
    from discreet.joint._joint import Joint

Sentence = Callable[[float, "Joint"], str]


def missing_sentence(joint: Joint, matched: Matched | None = None) -> str:
    """How missing values were treated."""
    if matched is not None and matched.has_wildcards and joint.missing and joint.missing.rows:
        rows = counted(joint.missing.rows, "row")
        return f"{rows} with missing values kept; in risk, n, k and L0 a missing public value matches any, else it is a level"
    return joint.missing.sentence() if joint.missing else "missing values were treated before"


def explain(symbol: str, value: float, joint: Joint) -> str:
    """What a value of a measure means for this joint; nothing where the symbol is not known."""
    if symbol in SENTENCES:
        return SENTENCES[symbol](value, joint)
    family, _, order = symbol.rpartition("_")
    return OF_AN_ORDER[family].format(order=order, value=value) if family in OF_AN_ORDER else ""


def _least_shrinking(value: float, joint: Joint) -> str:
    most = max(1, round(joint.n_s / _factor(value)))
    return (
        f"Everybody's candidates shrink {_times(joint.n_s / most)} at least."
        if most < joint.n_s
        else "Somebody learns nothing."
    )


def _most_shrinking(value: float, joint: Joint) -> str:
    n_s, least = joint.n_s, max(1, round(joint.n_s / _factor(value)))
    if least == n_s:
        return "Nobody's candidates shrink."
    return f"Somebody's candidates shrink from {n_s} to {least}, {_times(n_s / least)}."


def _told_apart(value: float, _: Joint) -> str:
    pieces = round(_factor(value))
    if pieces == 1:
        return "Nothing can be told without error."
    return f"The public columns split the records into {pieces} groups with no sensitive value in common."


def _told_apart_by_the_informed(value: float, _: Joint) -> str:
    pieces = round(_factor(value))
    if pieces == 1:
        return "Together with the side information nothing can be told without error."
    return f"Together with the side information, {pieces} groups can be told apart without error."


def _most_exposed(value: float, _: Joint) -> str:
    if value == 0:
        return "No attribute is exposed."
    return f"About the most exposed attribute, the candidates shrink {_times(round(_factor(value)))} in the worst case."


def _worst_group(value: float, _: Joint) -> str:
    if value <= 1:
        return "The worst group has one single sensitive value: it is known."
    return f"The worst group has {value:.0f} different sensitive values."


def _answers(value: float, _: Joint) -> str:
    if value < 1e-9:
        return "On average nothing is learnt."
    return f"On average the release answers {value:.2f} yes-or-no questions about the sensitive value."


def _odds(value: float, _: Joint) -> str:
    if math.isinf(value):
        return "Some public value rules out some sensitive value: differential privacy gives no bound."
    return f"No public value tells two sensitive values apart by odds of more than {_factor(value):.3g} to 1."


def _likeness(value: float, _: Joint) -> str:
    if math.isinf(value):
        return "Some sensitive value gains more than its frequency allows, whatever the β."
    return f"Common sensitive values gain little, rare ones up to {value:.0%} of what they were."


def _disclosure(value: float, _: Joint) -> str:
    if math.isinf(value):
        return "Some group lacks some sensitive value: it is ruled out there."
    return f"No sensitive value becomes likelier or less likely than {_factor(value):.3g}-fold."


def _moved(value: float, joint: Joint) -> str:
    said = f"To look like everybody's, some group's sensitive values would have to move by {value:.0%} of their range"
    in_letters = any(isinstance(joint.s_label(i), str) for i in range(min(joint.n_s, 2)))
    return f"{said}, were the alphabet their order: name grades by numbers." if in_letters else f"{said}."


def _guesses_after(value: float, _: Joint) -> str:
    return (
        "After the release the first guess is right."
        if value == 1
        else f"After the release it takes {_guesses(value)} on average."
    )


SENTENCES: dict[str, Sentence] = {
    "H0": lambda _, joint: f"Before the release every one of the {joint.n_s} sensitive values is possible.",
    "H0|X": lambda value, joint: (
        f"The least telling public value still leaves {round(_factor(value))} of {joint.n_s} sensitive values."
    ),
    "B0": lambda value, joint: (
        f"The most telling public value leaves only {round(_factor(value))} of {joint.n_s} sensitive values."
    ),
    "I0": _least_shrinking,
    "L0": _most_shrinking,
    "I*": _told_apart,
    "L*": _most_exposed,
    "k": _worst_group,
    "n": lambda value, _: f"The smallest group has {value:.0f} record{'s' if value != 1 else ''}.",
    "H": lambda value, _: (
        f"Before the release the sensitive value is as uncertain as {_factor(value):.3g} equally likely ones."
    ),
    "I": _answers,
    "Lmin": lambda value, _: _guess("the sensitive value", value),
    "I_inf": lambda value, _: _guess("any function of the sensitive value", value),
    "Lr": lambda value, _: f"Some sensitive value becomes {_factor(value):.3g} times as likely as before for somebody.",
    "K": lambda value, _: f"{value:.2f} bits of the sensitive value can be read off without any error, on average.",
    "eps": _odds,
    "l_ent": lambda value, _: f"The worst group is as diverse as {value:.3g} equally frequent sensitive values.",
    "alpha": lambda value, _: f"Of somebody it can be said with {value:.0%} certainty which sensitive value is his.",
    "beta": lambda value, _: f"Some sensitive value becomes likelier by {value:.0%} of what it was.",
    "beta_enh": _likeness,
    "delta": _disclosure,
    "t": lambda value, _: f"Some group's sensitive values are distributed otherwise than everybody's, by {value:.0%}.",
    "t_ord": _moved,
    "t_hier": lambda value, _: (
        f"To look like everybody's, some group's sensitive values would have to move by {value:.0%} of the hierarchy."
    ),
    "HG": lambda value, _: (
        f"Guessing the sensitive value one by one takes {_guesses(value)} on average before the release."
    ),
    "HG|X": _guesses_after,
    "LG": lambda value, _: f"The release saves {_guesses(value)} on average.",
    "kmap": lambda value, _: (
        f"Some record matches {value:.0f} {'person' if value == 1 else 'people'} of the population."
    ),
    "presence_max": lambda value, _: f"Of somebody it is known with {value:.0%} certainty that he is in the table.",
    "presence_min": lambda value, _: f"Of everybody in the population it is known with {value:.0%} certainty or more.",
    "L0|A": lambda value, _: (
        f"To somebody who knows the side information, candidates shrink {_times(_factor(value))} in the worst case."
    ),
    "I*,A": _told_apart_by_the_informed,
}
OF_AN_ORDER = {  # Sibson, Arimoto, maximal α-leakage, (c, l)-diversity, Rényi
    "I": "Between average and worst case (order {order}): {value:.2f} bits about the sensitive value.",
    "IA": "The Rényi entropy of order {order} falls by {value:.2f} bits.",
    "L": "At order {order}, at most {value:.2f} bits about any function of the sensitive value, for any prior.",
    "c": "In some group the commonest sensitive value has {value:.3g} times the records of those from rank {order} on.",
    "D": "The most telling public value moves the belief by {value:.2f} bits (order {order}).",
}


def _guesses(value: float) -> str:
    number = f"{value:.3g}"
    return f"{number} guess{'' if number == '1' else 'es'}"


def _factor(bits: float) -> float:
    """How many times: 2 to the bits, short of overflow."""
    return float(2.0 ** min(bits, 1000.0))


def _left(values: int, joint: Joint) -> str:
    return f"{values} of {joint.n_s} sensitive values"


def _guess(about: str, gain: float) -> str:
    if gain < 1e-9:
        return f"One guess at {about} succeeds no more often."
    return f"One guess at {about} succeeds up to {_factor(gain):.3g} times as often."


def _times(factor: float) -> str:
    """A factor in words.

    Examples
    --------
    >>> _times(2), _times(38)
    ('by half', '38-fold')
    """
    return "by half" if factor == 2 else f"{factor:.3g}-fold"


def band_sentences(joint: Joint) -> list[str]:
    """Which columns were made coarser while they were counted, and what that means for the figures."""
    return [
        f"{name} was counted by {band.words()}: the figures are those of a release that says no more; the values themselves "
        "tell at least as much"
        for name, band in joint.bands.items()
    ]
