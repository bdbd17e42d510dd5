"""What is sent to the agent and what it sends back, as /openapi.json describes it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from discreet.agent._filters import COMPARISONS, MOST
from discreet.agent._questions import Selection
from discreet.agent._sql import explained, selection_of
from discreet.errors import InputError

_VALUE = {"type": ["string", "number", "boolean"]}
_COMPARISON = {
    "type": "object",
    "required": ["column", "is"],
    "additionalProperties": False,
    "properties": {
        "column": {"type": "string"},
        "is": {"enum": [*COMPARISONS, "in", "between", "missing"]},
        "value": {"anyOf": [_VALUE, {"type": "array", "items": _VALUE, "minItems": 1}]},
    },
}
_FILTER = {
    "description": "Who is asked about, by public columns; filters of all, any and not are filters again",
    "anyOf": [
        {"type": "null"},
        _COMPARISON,
        *(
            {"type": "object", "required": [kind], "additionalProperties": False, "properties": {kind: content}}
            for kind, content in (
                ("all", {"type": "array", "items": {"type": "object"}, "maxItems": MOST}),
                ("any", {"type": "array", "items": {"type": "object"}, "maxItems": MOST}),
                ("not", {"type": "object"}),
            )
        ),
    ],
    "examples": [{"column": "sex", "is": "=", "value": "F"}],
}
# What a filter may be is checked where it is read, in words that help; here it is only described.
Where = Annotated[Any, WithJsonSchema(_FILTER)]
Number = Annotated[float, Field(strict=True)]


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Term(_Sent):
    """A number times a private column, times a public column of numbers or not."""

    columns: list[str] = Field(min_length=1, max_length=2, examples=[["hours", "wage"]])
    times: Number | str = Field(1.0, description='A number, or a fraction as text, such as "1/12"')


class Aggregate(_Sent):
    """One of several numbers about the same people."""

    aggregate: str = Field(max_length=20, examples=["count"])
    column: str | None = Field(None, max_length=200, examples=["smoker"])
    terms: list[Term] | None = Field(None, max_length=20)
    over: str | None = Field(None, max_length=200)
    error: Number
    name: str | None = Field(None, alias="as", max_length=60)


class Asked(_Sent):
    """A question: in SQL, or by its parts."""

    sql: str | None = Field(None, max_length=10_000, examples=["SELECT AVG(height) FROM people WITH ERROR 5"])
    dataset: str | None = Field(None, max_length=200, examples=["people"])
    aggregate: str | None = Field(None, max_length=20, examples=["mean"])
    column: str | None = Field(None, max_length=200, examples=["height"])
    error: Number | None = None
    where: Where = None
    by: list[str] | None = Field(None, max_length=10, examples=[["city"]])
    terms: list[Term] | None = Field(
        None, max_length=20, description="Instead of a column: a sum of weights times columns"
    )
    over: str | None = Field(None, max_length=200, description="A public column by whose sum the sum is divided")
    name: str | None = Field(None, alias="as", max_length=60, description="What its answer is called")
    aggregates: list[Aggregate] | None = Field(
        None, max_length=20, description="Several numbers about the same people, instead of one"
    )

    def selection(self) -> Selection:
        """What was asked."""
        # Not dumped by the model: its dump recurses into a filter, however deep.
        names = ("dataset", "aggregate", "column", "error", "where", "by", "over")
        parts = {**{name: getattr(self, name) for name in names}, "as": self.name}
        given = {name: value for name, value in parts.items() if value is not None}
        if self.terms:
            given["terms"] = [term.model_dump() for term in self.terms]
        if self.aggregates is not None:
            given["aggregates"] = [each.model_dump(by_alias=True, exclude_none=True) for each in self.aggregates]
        if self.sql is None:
            return Selection.from_json(given)
        if given:
            raise InputError("ask in SQL or by parts, not both")
        return selection_of(explained(self.sql)[0])

    @property
    def is_explain(self) -> bool:
        """Whether it begins with EXPLAIN: its price is wanted."""
        return self.sql is not None and explained(self.sql)[1]


class NewAnalyst(_Sent):
    """Somebody who may ask."""

    name: str = Field(max_length=100)
    budget: Number


class NewBudget(_Sent):
    """Another budget in bits."""

    budget: Number


class Reason(BaseModel):
    """Why a request was refused."""

    error: str


class Health(BaseModel):
    """That all is well."""

    status: str
    version: str


class Column(BaseModel):
    """A private column: the bounds that everybody knows, and the interval that everybody keeps."""

    name: str
    lower: float
    upper: float
    keep: float
    integral: bool
    step: float | None = Field(description="In which values are recorded, as everybody knows; 0 for a continuum")
    missing_as: float | None
    together: list[str] = Field(
        [], description="Columns that share one book with it, so that sums of them can be asked"
    )
    category: list[str] = Field([], description="Labels that are counted, where the column holds labels")
    categories: list[str] = Field(
        [], description="All labels, where each is counted; keep is how many of them everybody keeps"
    )


class Dataset(BaseModel):
    """What can be asked."""

    name: str
    people: int
    public: list[str]
    kinds: dict[str, str] = Field(description="What each public column holds: number, text, date, …")
    private: list[Column]
    collude: bool
    smallest_group: int


class Datasets(BaseModel):
    """All data sets."""

    datasets: list[Dataset]


class Told(BaseModel):
    """An answer: the true value lies in the cell, at most `error` from `answer`; null where nothing new is said."""

    question: dict[str, Any]
    answer: float | None
    error: float | None
    cell: list[float] = Field(min_length=2, max_length=2)
    cells: int = Field(description="How many were offered")
    bits: float = Field(description="What it cost: log2 of the cells")
    number: int
    at: str


class Answered(Told):
    """An answer, and what is left to whoever asked."""

    left: float


class Group(Told):
    """The answer about one group."""

    group: dict[str, Any]


class Groups(BaseModel):
    """Answers about all groups of public columns, asked as one question."""

    question: dict[str, Any]
    groups: list[Group]
    left: float = Field(description="Bits that are left to whoever asked")
    left_out: int = Field(description="Groups with fewer people than a question must be about")
    bits: float


class Row(BaseModel):
    """The answers about one group, by what each is called."""

    group: dict[str, Any]
    answers: dict[str, Told]


class Rows(BaseModel):
    """Answers to several aggregates, of one group or of all groups of public columns, asked as one question."""

    question: dict[str, Any]
    rows: list[Row]
    left: float = Field(description="Bits that are left to whoever asked")
    left_out: int = Field(description="Groups with fewer people than a question must be about")
    bits: float


class ToldTo(Told):
    """An answer, and to whom."""

    analyst: str


class Priced(BaseModel):
    """What a question would cost, and the largest error that its answer could have."""

    bits: float
    cells: int
    error: float | None
    known: bool = Field(description="Whether it was answered before")
    groups: int | None = Field(
        None, description="How many groups it is about, where it has BY: bits are then at most these"
    )
    aggregates: int | None = Field(
        None,
        description="How many numbers it asks for of each group, where these are several: bits are then at most these",
    )


class MyLedger(BaseModel):
    """What an analyst asked, spent, and has left, in bits."""

    analyst: str
    budget: float
    spent: float
    left: float
    answers: list[Told]


class WholeLedger(BaseModel):
    """Every answer to everybody."""

    answers: list[ToldTo]


class Analyst(BaseModel):
    """An analyst, in bits."""

    name: str
    budget: float
    revoked: bool
    spent: float
    left: float


class Analysts(BaseModel):
    """Everybody who may ask, or could."""

    analysts: list[Analyst]


class Key(BaseModel):
    """An analyst's key, shown this once."""

    name: str
    key: str


class Budget(BaseModel):
    """The budget that an analyst has now."""

    name: str
    budget: float


class Revoked(BaseModel):
    """The end of a key."""

    name: str
    revoked: bool
