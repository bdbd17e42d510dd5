"""Names: how a value is written in a released cell, such that no cell can be taken for another.

A value is written as it is, unless that could be read as something else: a set, an interval, a prefix, a placeholder, or
another value of its column (1 and "1"). Then it stands in quotation marks, as a JSON string with every character escaped that
cannot be seen. So bare names hold none of the marks that cells are made of, and quoted ones begin with one that bare names
never begin with.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from discreet._text import word

Label = Any
MISSING = "missing"
EMPTY = "empty text"
ANYTHING = "*"
PLACEHOLDERS = frozenset({MISSING, EMPTY, ANYTHING})

_MARKS = re.compile(r'[{}–*]|, | or missing|^"|"$|^\s|\s$| \(\d+\)$|^(-|\d+-\d\d).* to ', re.DOTALL)
# Characters that Python takes for printable, and that show nothing.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def quote(text: str) -> str:
    """Write a text as a JSON string, with every character escaped that cannot be seen.

    Examples
    --------
    >>> print(quote("a, b"), quote("a\\u200b"))
    "a, b" "a\\u200b"
    """
    given = json.dumps(text, ensure_ascii=False)
    if given.isprintable() and not _UNSEEN.search(given):
        return given
    return "".join(c if c.isprintable() and not _UNSEEN.match(c) else json.dumps(c)[1:-1] for c in given)


def is_bare(text: str) -> bool:
    """Tell whether a text can be read as nothing but itself."""
    plain = bool(text) and text not in PLACEHOLDERS and text.isprintable()
    return plain and not _MARKS.search(text) and not _UNSEEN.search(text)


def name(label: Label) -> str:
    """Write one value, whatever else its column holds.

    Examples
    --------
    >>> [name(label) for label in ("a", 1, None, "", "missing", "a, b")]
    ['a', '1', 'missing', 'empty text', '"missing"', '"a, b"']
    """
    if label is None:
        return MISSING
    text = word(label)
    if text == "":
        return EMPTY
    return text if is_bare(text) else quote(text)


def names_of(labels: Iterable[Label]) -> dict[Label, str]:
    """Write every value of a column, no two alike.

    Where a text and another value would be written alike, the text is quoted; where other values would, their type is said.

    Examples
    --------
    >>> names_of(["1", 1, "a", None])
    {'1': '"1"', 1: '1', 'a': 'a', None: 'missing'}
    """
    names = {label: name(label) for label in labels}
    for write in (word, repr, None):
        shared = {each for each, count in Counter(names.values()).items() if count > 1}
        texts = [label for label in names if isinstance(label, str) and names[label] in shared]
        others = [label for label in names if not isinstance(label, str) and names[label] in shared]
        kept = {names[label] for label in texts if names[label] != quote(label)}  # the other value stays as it is
        names |= {label: quote(label) for label in texts}
        for number, label in enumerate(others):
            if names[label] not in kept:
                said = f" ({number + 1})" if write is None else quote(write(label))
                names[label] = f"{type(label).__name__}{said}"
    return names


def set_of(names: Sequence[str]) -> str:
    """Write a set of names; one alone is written as it is."""
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
