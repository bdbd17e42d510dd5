"""Plain words: what each number means to somebody who has never heard of it, and how labels and numbers are shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label


def shown(label: Label) -> Any:
    """A label for JSON and people: plain types stay, tuples become lists, missing is null."""
    if label is None or isinstance(label, str | int | bool):
        return label
    if isinstance(label, float):
        return json_number(label)
    if isinstance(label, tuple):
        return [shown(part) for part in label]
    return str(label)


def label_text(label: Label) -> str:
    """A label on one line.

    Examples
    --------
    >>> label_text((1.0, None, "a b"))
    '1, missing, a b'
    """
    if label is None:
        return "missing"
    if isinstance(label, tuple):
        return ", ".join(label_text(part) for part in label)
    if isinstance(label, float):
        return f"{label:g}" if abs(label) < 1e6 and float(f"{label:g}") == label else repr(label)
    text = str(label)
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def json_number(value: float) -> float | str:
    """A number as JSON has it: infinity is the string "inf"."""
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def number_text(value: float, units: str) -> str:
    """A measure's value for people."""
    if math.isinf(value):
        return "∞"
    if units == "count":
        return f"{value:,.0f}"
    return f"{value:.3f}"


def missing_sentence(joint: Joint) -> str:
    """How missing values were treated."""
    return joint.missing.sentence() if joint.missing else "missing values were treated before"


def explain(symbol: str, value: float, joint: Joint) -> str:
    """What a value of a measure means for this joint, in one sentence."""
    n_s = joint.n_s
    least, most = int(joint.distinct.min()), int(joint.distinct.max())
    # Every sentence below is built, whatever the symbol: a count of a thousand records must not be taken for bits.
    factor = 2.0 ** min(value, 1000.0)
    pieces = round(factor)
    sentences = {
        "H0": f"Before the release every one of the {n_s} sensitive values is possible.",
        "H0|X": f"The least telling public value still leaves {most} of {n_s} sensitive values.",
        "B0": f"The most telling public value leaves only {least} of {n_s} sensitive values.",
        "I0": f"Everybody's candidates shrink {_times(n_s / most)} at least."
        if most < n_s
        else "Somebody learns nothing.",
        "L0": f"Somebody's candidates shrink from {n_s} to {least}, {_times(n_s / least)}."
        if least < n_s
        else "Nobody's candidates shrink.",
        "I*": "Nothing can be told without error."
        if pieces == 1
        else f"The public columns split the people into {pieces} groups with no sensitive value in common.",
        "L*": f"About the most exposed attribute, the candidates shrink {_times(n_s - least + 1)} in the worst case."
        if least < n_s
        else "No attribute is exposed.",
        "k": f"The worst group has {value:.0f} different sensitive values."
        if value > 1
        else "The worst group has one single sensitive value: it is known.",
        "n": f"The smallest group has {value:.0f} record{'s' if value != 1 else ''}.",
        "H": f"Before the release the sensitive value is as uncertain as {factor:.3g} equally likely ones.",
        "I": "On average nothing is learnt."
        if value < 1e-9
        else f"On average the release answers {value:.2f} yes-or-no questions about the sensitive value.",
        "Lmin": _guess("the sensitive value", value),
        "I_inf": _guess("any function of the sensitive value", value),
        "Lr": f"Some sensitive value becomes {factor:.3g} times as likely as before for somebody.",
        "K": f"{value:.2f} bits of the sensitive value can be read off without any error, on average.",
        "eps": "Some public value rules out some sensitive value: differential privacy gives no bound."
        if math.isinf(value)
        else f"No public value tells two sensitive values apart by odds of more than {factor:.3g} to 1.",
        "HG": f"Guessing the sensitive value one by one takes {value:.3g} guesses on average before the release.",
        "HG|X": "After the release the first guess is right."
        if value == 1
        else f"After the release it takes {value:.3g} guesses on average.",
        "LG": f"The release saves {value:.3g} guesses on average.",
        "L0|A": f"To somebody who knows the side information, candidates shrink {_times(factor)} in the worst case.",
        "I*,A": f"Together with the side information, {pieces} groups can be told apart without error."
        if pieces > 1
        else "Together with the side information nothing can be told without error.",
    }
    if symbol in sentences:
        return sentences[symbol]
    family, _, order = symbol.rpartition("_")
    return {
        "I": f"Between average and worst case (order {order}): {value:.2f} bits about the sensitive value.",
        "IA": f"The Rényi entropy of order {order} falls by {value:.2f} bits.",
        "L": f"At order {order}, at most {value:.2f} bits about any function of the sensitive value, for any prior.",
        "D": f"The most telling public value moves the belief by {value:.2f} bits (order {order}).",
    }.get(family, "")


def _guess(about: str, gain: float) -> str:
    if gain < 1e-9:
        return f"One guess at {about} succeeds no more often."
    return f"One guess at {about} succeeds up to {2.0 ** min(gain, 1000.0):.3g} times as often."


def _times(factor: float) -> str:
    """A factor in words.

    Examples
    --------
    >>> _times(2), _times(38)
    ('by half', '38-fold')
    """
    return "by half" if factor == 2 else f"{factor:.3g}-fold"
