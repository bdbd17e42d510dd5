"""Parts of a statement as the parser hands them over: what each is called, and a refusal by name of what does not belong."""

from __future__ import annotations

import math
import re
from typing import Any

from discreet.errors import InputError

FORM = "SELECT AVG(column) FROM data WHERE … WITH ERROR 5"
WORD = r"[A-Za-z_][A-Za-z_0-9]{0,29}"

_CALLED = {  # what people call the parts of a statement that the parser has other names for
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "DPipe": "||", "Column": "a column alone",
    "Literal": "a value alone", "Boolean": "TRUE or FALSE as a value here", "Paren": "an expression in brackets",
    "Subquery": "a subquery", "Select": "a subquery", "Tuple": "a list", "Window": "OVER", "National": "N'…'",
    "Table": "a table", "Joins": "JOIN", "Locks": "FOR UPDATE", "Laterals": "LATERAL", "Kind": "SELECT AS",
    "Operation_modifiers": "a modifier after SELECT", "Placeholder": "a placeholder", "Parameter": "a parameter",
    "Db": "a schema before the data set", "Catalog": "a catalog before the data set", "Alias": "AS", "Sample": "TABLESAMPLE",
}  # fmt: skip


def number(text: str) -> float:
    """A number as SQL writes it; what Python alone would read is none."""
    return float(text) if re.fullmatch(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII) else math.nan


def column(node: Any) -> str:
    """The name of a column that stands alone."""
    if type(node).__name__ != "Column":
        raise InputError(f"{said(node)} in WHERE is not offered where the name of a column belongs")
    if any(value for name, value in node.args.items() if name != "this"):
        raise InputError("a table before a column is not offered: name the column alone")
    if type(node.this).__name__ != "Identifier":
        raise InputError(f"{said(node.this)} is not offered where the name of a column belongs")
    return str(node.this.this)


def only(node: Any, *expected: str) -> Any:
    """Refuse whatever else the parser found at a place, by its name."""
    for name, value in node.args.items():
        if value and name not in expected:
            bare = name.strip("_")
            raise InputError(f"{_CALLED.get(bare.capitalize(), bare.upper())} is not offered: a question is {FORM}")
    return node


def said(node: Any) -> str:
    """What a part of a statement is called; its content may be anything and is not repeated."""
    kind = type(node).__name__
    if kind == "Anonymous" and re.fullmatch(WORD, str(node.this)):
        return str(node.this).upper()  # a function that the parser does not know
    if kind == "Star":
        return "*"
    return _CALLED.get(kind, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper())
