"""Guesses: what each column of an unknown table probably is, with the reason, to be shown and never silently believed.

A guess looks at names and at distinct values, never at single records. Where distance could mean nothing (five-digit numbers
that may be postcodes) the guess is `unsure`, and whoever releases is asked.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discreet.columns._forms import personal_form
from discreet.columns._types import ColumnType

Label = Any
Role = Literal["public", "sensitive", "identifier", "ignored"]
Basis = Literal["content", "name", "repeats"]
NEARLY = 0.9  # distinct values per record from which a column names people
BY_THE_DAY = "released by the day"
MOST = 50_000  # values that are looked at, evenly out of all
FEW = 20  # records below which being unique says nothing
OFTEN = 8  # records of a value from which numbers are more likely those of wards or rooms than of people

_WORDS = {
    "identifier": r"(name|surname|firstname|lastname|e?mail|phone|telephone|mobile|fax|ssn|passport|iban|mrn|id|uuid|guid|"
    r"nhs|insurance|patient|person|customer|account|address|street|url|ip)",
    "code": r"(zip|zipcode|postcode|postal|plz|cap|icd|icd9|icd10|code|atc|naics|sic|fips|isco|nace|cpt|drg|ward|district)",
    "sensitive": r"(diagnosis|disease|illness|icd|icd10|condition|hiv|income|salary|wage|pay|religion|party|orientation|"
    r"offence|crime|result|outcome|treatment|medication|drug|cost|charges|debt|score|grade|num)",
    "public": r"(age|sex|gender|birth|dob|born|zip|zipcode|postcode|plz|postal|town|city|region|county|state|country|race|"
    r"ethnicity|nationality|marital|education|occupation|job|workclass|profession|language|admission|admitted|discharge|date|"
    r"year|month|height|weight)",
}
_PERSON = (  # what a column is called that says who somebody is, whole names only: "ward_name" says it of nobody
    r"((patient|person|customer|client|member|employee|subject|user|full|first|last|given|family|maiden|sur|fore) ?)?names?|"
    r"(patient|person|customer|client|member|employee|subject|user|case|record|admission|insurance|account|policy|passport|nhs|"
    r"phone|telephone|mobile|personal|social security|medical record) ?(id|ids|no|nr|num|number|key|code|nummer)|"
    r"patients?|persons?|customers?|clients?|participants?|households?|"
    r"(participant|household|family|study|medicare|tax) ?(id|no|nr|number)|"
    r"pseudonyms?|pseudo ?id|hash|hash ?id|id ?hash|(patient|person|id|name|e ?mail) hash|hashed (id|name|e ?mail)|"
    r"id|uuid|guid|pid|mrn|ssn|nhs|iban|passport|e ?mail( address)?|"
    r"(tele)?phone|mobile|fax|(home |street |postal )?address|ip|ip address"
)
_WHOSE = (  # whose record it is, for a column that repeats: homonyms and shared phones are no sign of one person
    r"(patient|person|customer|client|member|employee|subject|user|participant|respondent|student|pupil)"
    r"( ?(id|no|nr|num|number|key|code|nummer|pseudonym|hash))?|pseudonym|pid|mrn|ssn|id|"
    r"(nhs|insurance|passport|social security|medical record|personal|national) ?(id|no|nr|num|number|nummer)|"
    r"patienten ?(id|nr|nummer)|versicherten ?(nr|nummer)"
)
_PERSON_ELSEWHERE = (
    r"(patienten?|fall|versicherten?|kunden?|personal|mitglieds?|haushalts?|matrikel|konto|steuer) ?(id|nr|nummer)|haushalt|"
    r"(vor|nach|familien)name|patientin|telefon(nummer)?|adresse|nom|pr[eé]nom|apellidos?|nombre|dni|cognome|codice fiscale"
)
# The same in German, French, Spanish and Italian.
_FOREIGN = {
    "identifier": r"(nachname|vorname|adresse|stra(ss|ß)e|telefon|nom|pr[eé]nom|apellidos?|nombre|dni|cognome)",
    "code": r"(postleitzahl|cp)",
    "sensitive": r"(diagnose|krankheit|befund|einkommen|gehalt|lohn|konfession|maladie|diagnostic|revenu|salaire|"
    r"diagn[oó]stico|enfermedad|ingresos|salario|diagnosi|malattia|reddito|stipendio)",
    "public": r"(geschlecht|geburtsdatum|geburtsjahr|geburtstag|alter|ort|wohnort|stadt|land|beruf|familienstand|"
    r"postleitzahl|staatsangeh[oö]rigkeit|aufnahme|entlassung|sexe|[aâ]ge|naissance|ville|pays|sexo|edad|nacimiento|ciudad|"
    r"provincia|pa[ií]s|sesso|et[aà]|nascita|comune|professione)",
}
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T].*)?")
_OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./])\d{1,2}\2\d{1,2}")
_NUMBER = re.compile(r"[-+]?\d[\d.,]*")
_PREFIXED = re.compile(r"([^\W\d]+[ ._#-]?)\d+")
_ICD = re.compile(r"[A-Z][0-9]{2}(\.?[0-9A-Z]{1,4})?")
_SCALES = (
    ("low", "medium", "high"),
    ("low", "moderate", "high"),
    ("none", "mild", "moderate", "severe"),
    ("mild", "moderate", "severe"),
    ("small", "medium", "large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("xs", "s", "m", "l", "xl"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("i", "ii", "iii", "iv"),
)


@dataclass(frozen=True)
class ColumnGuess:
    """What a column probably is: its role and type with the reasons, and the question where the type is not sure."""

    name: str
    role: Role
    type: ColumnType
    reason: str
    distinct: int
    missing: int
    question: str = ""  # what only a person can say


@dataclass(frozen=True)
class Identified:
    """Why a column names people, and by what that is known: its content, its name, or that it hardly repeats."""

    reason: str
    by: Basis


def guess_type(name: str, labels: Sequence[Label]) -> tuple[ColumnType, str, str]:
    """The type of a column by its name and its distinct labels, the reason, and a question where it could be otherwise.

    Examples
    --------
    >>> guess_type("age", [31, 42])[0].kind, guess_type("zip", ["01234", "50667"])[0].kind
    ('number', 'code')
    >>> guess_type("station", [10117, 50667, 80331, 20095])[2]
    'five-digit numbers: are they codes (type = "code") or amounts (type = "number")?'
    """
    present = [label for label in labels if label is not None]
    if not present:
        return ColumnType("category"), "no values", ""
    if all(isinstance(label, dt.date) for label in present):
        kind = with_unit(ColumnType("date"), present)
        return kind, "dates" if kind.band is None else f"dates with times, {BY_THE_DAY}", ""
    if all(isinstance(label, int | float | Decimal) and not isinstance(label, bool) for label in present):
        return _of_numbers(name, present)
    words = [str(label) for label in present]
    if says(name, "code") and all(len(word) <= 12 and any(map(str.isdigit, word)) for word in words):
        return ColumnType("code"), "named like a code", ""
    if all(word.isdigit() for word in words) and any(word.startswith("0") for word in words):
        return ColumnType("code"), "digits with leading zeros", ""
    if len(present) > 5 and all(_ICD.fullmatch(word) for word in words):
        return ColumnType("code"), "written like ICD codes", ""
    lowered = {word.strip().lower(): word for word in words}
    for scale in _SCALES:
        if len(lowered) > 1 and lowered.keys() <= set(scale):
            order = tuple(lowered[step] for step in scale if step in lowered)
            return ColumnType("ordered", order=order), "words of a scale", ""
    return _misread(words) or (ColumnType("category"), "words", "")


def with_unit(kind: ColumnType, labels: Sequence[Label]) -> ColumnType:
    """A type with the unit that is the finest cell of moments unless another was said: the day.

    Ends of intervals are exact values of somebody, and hardly anybody else was there in the same minute. A column that is
    left as it is keeps its moments.
    """
    unsaid = kind.kind == "date" and kind.band is None and not kind.fixed
    if not unsaid or not any(isinstance(label, dt.datetime) for label in labels):
        return kind
    return replace(kind, band="hour" if kind.coarsest == "hour" else "day")


def _misread(words: Sequence[str]) -> tuple[ColumnType, str, str] | None:
    """Dates and numbers that were read as words, for their form or for a few cells: to be asked about, never guessed."""
    if len(words) < 5:
        return None
    other = sum(bool(_OTHER_DATE.fullmatch(word)) for word in words)
    dates = other + sum(bool(_ISO_DATE.fullmatch(word)) for word in words)
    numbers = sum(bool(_NUMBER.fullmatch(word)) for word in words)
    most = NEARLY * len(words)
    kind = ColumnType("date" if dates >= most else "number")
    if dates < most and numbers < most:
        return None
    what, form = ("dates", "2024-01-31") if kind.kind == "date" else ("numbers", "1234.5")
    few = len(words) - (dates if kind.kind == "date" else numbers)
    if few and (kind.kind == "number" or other < most):
        reason = f"{what}, but for {few:,} of {len(words):,} different values"
    elif few or (kind.kind == "date" and 0 < other < most):
        reason = f"{what} in several forms"
    else:
        reason = f"{what} in another form than {form}"
    asked = f'{reason}: correct them, name what means missing with --na, or say type = "category"'
    return kind, reason, asked


def _of_numbers(name: str, present: Sequence[Any]) -> tuple[ColumnType, str, str]:
    whole = all(math.isfinite(label) and label == int(label) for label in present)
    if whole and says(name, "code"):
        return ColumnType("code"), "whole numbers, named like a code", ""
    amounts = not whole or any(label <= 0 for label in present) or says(name, "amount")
    digits = {0} if amounts else {len(str(int(label))) for label in present}
    if not amounts and len(present) > 3 and len(digits) == 1 and digits <= {5, 6, 7, 8, 9}:
        figure = {5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}[digits.pop()]
        asked = f'{figure}-digit numbers: are they codes (type = "code") or amounts (type = "number")?'
        return ColumnType("code"), f"{figure}-digit numbers", asked
    return ColumnType("number"), "whole numbers" if whole else "numbers", ""


def guess_columns(
    columns: Mapping[str, tuple[Sequence[Label], npt.NDArray[np.int64]]],
    rows: int,
    fine: Mapping[str, int] = MappingProxyType({}),
) -> tuple[ColumnGuess, ...]:
    """Roles and types of all columns; each comes as its sorted labels and how many records have each.

    A column that names people is an identifier. Of the others, the one whose name says most that it is sensitive is
    proposed as such, and columns that others may know about a person are proposed as public. `fine` columns come as a
    sample of their labels, with how many there are.
    """
    found = []
    for name, (labels, counts) in columns.items():
        kind, reason, question = guess_type(name, labels)
        missing = int(counts[-1]) if len(labels) and labels[-1] is None else 0
        distinct = fine.get(name, len(labels) - (1 if missing else 0))
        role, why = _role(name, labels, kind, rows, distinct)
        found.append(ColumnGuess(name, role, kind, f"{reason}; {why}", distinct, missing, question))
    return tuple(found)


def _role(name: str, labels: Sequence[Label], kind: ColumnType, rows: int, distinct: int) -> tuple[Role, str]:
    identified = identify(name, labels, kind, rows, distinct)
    if identified:
        return "identifier", identified.reason
    if len(labels) < 2:
        return "ignored", "the same for everybody"
    if says(name, "public") and not says(name, "sensitive"):
        return "public", "others may know it about a person"
    if says(name, "sensitive"):
        return "sensitive", "named like something to protect"
    if kind.kind == "date" or (kind.kind == "code" and len(labels) > 10):
        return "public", "it can help to find a person"
    return "ignored", "nothing in its name says who may know it: decide"


def identify(
    name: str, labels: Sequence[Label], kind: ColumnType, rows: int, distinct: int | None = None
) -> Identified | None:
    """Why a column names people: what its values look like, how it is called, or that it hardly repeats."""
    present = [label for label in labels if label is not None]
    distinct = len(present) if distinct is None else distinct
    present = present[:: len(present) // MOST + 1]
    words = [str(label) for label in present if isinstance(label, str | uuid.UUID)]
    share = distinct / rows if rows else 0.0
    form = personal_form(words, many=distinct > FEW or (rows > 1 and share >= 0.5))
    if form and len(words) > len(present) / 2:
        return Identified(form, "content")
    if distinct > FEW and re.fullmatch(f"{_PERSON}|{_PERSON_ELSEWHERE}", " ".join(_parts(name))):
        return Identified("named like an identifier, with many values", "name")  # however often people come again
    named = says(name, "identifier")
    unique = rows > FEW and share >= NEARLY
    if named and (share >= 0.5 or (unique and rows > 1)) and rows > 1 and len(present) > 1:
        return Identified("named like an identifier, and it hardly repeats", "name")
    if distinct > FEW and distinct * OFTEN >= rows and not _has_other_meaning(name) and _numbered(words, present):
        return Identified("numbered as people are", "name")
    whole = all(isinstance(label, int) and not isinstance(label, bool) for label in present)
    if unique and words and kind.kind not in ("number", "date"):
        return Identified(f"different for {share:.0%} of the records", "repeats")
    if unique and whole and not says(name, "public") and _counts_up(present, distinct):
        return Identified(f"different for {share:.0%} of the records", "repeats")
    if unique and whole and kind.kind == "code":
        return Identified(f"numbers that are different for {share:.0%} of the records", "repeats")
    return None


def _has_other_meaning(name: str) -> bool:
    return any(says(name, what) for what in ("code", "public", "sensitive", "amount"))


def _numbered(words: Sequence[str], present: Sequence[Label]) -> bool:
    """Whether values are P0001, P0002, … with one beginning, or whole numbers as long as those of persons and phones."""
    if words:
        begun = [_PREFIXED.fullmatch(word) for word in words]
        return len(words) == len(present) and all(begun) and len({found.group(1) for found in begun if found}) == 1
    whole = [label for label in present if isinstance(label, int) and not isinstance(label, bool)]
    return len(whole) == len(present) > 0 and 2 * sum(10**8 <= label < 10**16 for label in whole) > len(whole)


def names_people(name: str) -> bool:
    """Whether a column is called like one that says whose record it is: "patient", "person_id", "mrn"; not "ward" or "name"."""
    return re.fullmatch(_WHOSE, " ".join(_parts(name))) is not None


def _counts_up(numbers: Sequence[int], distinct: int) -> bool:
    """Whether whole numbers lie as close as serial numbers do."""
    return len(numbers) > 1 and max(numbers) - min(numbers) < 2 * distinct


def says(name: str, what: str) -> bool:
    """Whether a column's name has a word of this kind in it: "patient_id", "PostCode" and "zip" are split into words."""
    if what == "amount":
        return bool(
            re.search(
                r"income|salary|wage|cost|price|amount|pay|charge|debt|revenue|count|total|balance|sum", name.lower()
            )
        )
    known = f"{_WORDS[what]}|{_FOREIGN[what]}"
    return any(re.fullmatch(known, part) for part in _parts(name))


def _parts(name: str) -> list[str]:
    """The words of a column's name, in small letters."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [part for part in re.split(r"[\W_]+", parts.lower()) if part]
