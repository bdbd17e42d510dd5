"""What texts look like: mail addresses, phone numbers, names of people, hashes; in whole columns, and inside longer texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from discreet.columns._given_names import GIVEN_NAMES

NAMED = 0.2  # of the texts, from which a column names people: names that are not in the list are most of some columns

_MAIL = re.compile(r"[^@\s<>()]+@[^@\s<>()]+\.[^@\s<>().]{2,}")
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}([ T].*)?")
_PHONE = re.compile(
    r"(?:\+\d{1,3}|\b00\d{2}|\b0)[\d ()/-]*[ ()/-][\d ()/-]*\d\b|\+\d{7,14}\b|\(\d{3}\) ?\d{3}[ .-]\d{4}\b|"
    r"\b\d{3}[ .-]\d{3}[ .-]\d{4}\b|\b[1-9]\d{2}-\d{2}-\d{4}\b"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?=.*\d)(?=.*[a-fA-F])([0-9a-f]{8,}|[0-9A-F]{8,})")
_RANDOM = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9+/_=-]{16,}")
_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_NUMBER = re.compile(
    r"\b(?:mrn|ssn|nhs|id|pid|pat|patient|patientin|case|fall|record|account|insurance|versicherung)(?:en|s)?"
    r"(?:[ -]?(?:no|nr|num|number|nummer|id))?[.:# ]{1,3}[A-Z-]{0,4}\d{4,}|\b\d{9,}\b",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|Herr|Herrn|Frau|Madame|Monsieur|Mme|Mlle|Signora?|Señora?)\.? +[^\W\d_a-z]\w+"
)
_PAIR = re.compile(r"(\w+\.? +)?\b([^\W\d_a-z][\w'-]+),? +(?=([^\W\d_a-z][\w'-]*))")
_SAINT = re.compile(r"(st|sankt|saint|sainte|san|santa|santo|sao)\.? +", re.IGNORECASE)
# What follows a name where a person is its patron, or found it.
_PLACE = frozenset(
    """
    hospital hospitals clinic clinics klinik klinikum krankenhaus hopital hospiz hospice institute institut school
    schule college university street strasse straße avenue road square platz syndrome syndrom disease krankheit test
    scale score centre center foundation stiftung trust church county harbour park island islands
    """.split()  # noqa: SIM905
)
_TOKEN = re.compile(r"[^\W\d_][\w.'-]*")


def personal_form(words: Sequence[str], *, many: bool) -> str:
    """What most texts of a column are that belongs to one person each; `many`: they are too many to be categories.

    Examples
    --------
    >>> personal_form(["ann@example.org", "b.birk@example.org", "?"], many=False)
    'mail addresses'
    >>> personal_form(["Anna Lang", "Diaz, Pedro", "Yuki Mori"], many=True)
    'names of people'
    >>> personal_form(["Bad Homburg", "New York", "Rio de Janeiro"], many=True)
    ''
    """
    if not words:
        return ""
    half = len(words) / 2
    for said, is_one in _FORMS:
        if sum(map(is_one, words)) > half:
            return said
    if not many:
        return ""
    for said, is_one in _MANY:
        if sum(map(is_one, words)) > half:
            return said
    named = [is_name(word) for word in words]
    return "names of people" if sum(named) > NAMED * len(words) else ""


def is_name(text: str) -> bool:
    """Whether a text is the name of a person, as far as its given name is a common one.

    Examples
    --------
    >>> [is_name(text) for text in ("Anna Lang", "LANG, Anna", "anna", "Anna Lang has a cough", "Santa Ana")]
    [True, True, True, False, False]
    """
    if len(text) > 60 or _SAINT.match(text):
        return False
    parts = text.replace(",", " ").split()
    if not 1 <= len(parts) <= 5 or not all(_TOKEN.fullmatch(part) for part in parts):
        return False
    if len(parts) > 1 and (any(part[:1].islower() and len(part) > 3 for part in parts) or _folded(parts[-1]) in _PLACE):
        return False
    return any(_folded(piece) in GIVEN_NAMES for part in parts for piece in part.split("-"))


def personal_mention(texts: Iterable[str]) -> tuple[str, int]:
    """What texts mention that belongs to one person, and how many of them mention something.

    Examples
    --------
    >>> personal_mention(["was brought by Anna Lang, her aunt", "see Dr. Maier", "no finding"])
    ('names', 2)
    >>> personal_mention(["moved to St. Anna Hospital", "Parkinson disease", "call 030 1234567"])
    ('phone or account numbers', 1)
    """
    found: dict[str, int] = {}
    for text in texts:
        if said := _mentioned(text):
            found[said] = found.get(said, 0) + 1
    if not found:
        return "", 0
    return " and ".join(sorted(found, key=lambda said: -found[said])), sum(found.values())


def _mentioned(text: str) -> str:
    if "@" in text and _MAIL.search(text):
        return "mail addresses"
    if any(map(str.isdigit, text)) and not _DATE.fullmatch(text):
        bare = _DATE.sub(" ", text)
        if any(_is_phone(found.group()) for found in _PHONE.finditer(bare)) or _IBAN.search(bare):
            return "phone or account numbers"
        if " " in text and _NUMBER.search(bare):
            return "numbers of persons"
    if " " in text and (_TITLED.search(text) or _names_somebody(text)):
        return "names"
    return ""


def _names_somebody(text: str) -> bool:
    """Whether a given name stands before or after another capitalised word, and no saint or place is meant."""
    for found in _PAIR.finditer(text):
        before, name, after = found.groups()
        first, second = _folded(name), _folded(after)
        is_named = first in GIVEN_NAMES or (second in GIVEN_NAMES and "," in found.group())
        if is_named and second not in _PLACE and not (before and _SAINT.fullmatch(before)):
            return True
    return False


def _is_phone(word: str) -> bool:
    return 7 <= sum(map(str.isdigit, word)) <= 15


def _folded(word: str) -> str:
    """A word in small letters, without accents and what stands around it."""
    if word.isascii():
        return word.lower().strip(".,'-")
    apart = unicodedata.normalize("NFKD", word.lower().replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).strip(".,'-")


_FORMS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("mail addresses", lambda word: "@" in word and bool(_MAIL.fullmatch(word.strip()))),
    (
        "phone or personal numbers",
        lambda word: bool(_PHONE.fullmatch(word.strip())) and _is_phone(word) and not _DATE.fullmatch(word.strip()),
    ),
    ("account numbers", lambda word: bool(_IBAN.fullmatch(word.strip()))),
)
_MANY: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (
        "hashes or random codes",
        lambda word: bool(_UUID.fullmatch(word) or _HEX.fullmatch(word) or _RANDOM.fullmatch(word)),
    ),
    ("network addresses", lambda word: bool(_ADDRESS.fullmatch(word))),
)
