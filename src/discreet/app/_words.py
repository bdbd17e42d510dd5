"""What a policy does, in words and along the axis of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.app._frontier_charts import Span
from discreet.release._classes import place_of

if TYPE_CHECKING:
    from discreet.release._table_policy import TablePolicy
    from discreet.search.tables import Generalisation
    from discreet.search.tables._workbench import Member


def why_joined(policy: TablePolicy, members: Sequence[Member]) -> str:
    """Why the combinations of values in a group became one, in one sentence."""
    records = sum(each.records for each in members)
    if len(members) == 1:
        return f"All {records} records here have the same public values: nothing was joined."
    n = next((int(each.bound) for each in policy.require if each.symbol == "n"), 0)
    k = next((int(each.bound) for each in policy.require if each.symbol == "k"), 0)
    few = sum(each.records < n for each in members)
    poor = sum(each.distinct < k for each in members)
    if few:
        which = "each" if few == len(members) else str(few)
        alone = f"{which} of these {len(members)} combinations of values has fewer than {n} records"
    elif poor:
        alone = f"{poor} of these {len(members)} combinations of values have fewer than {k} different sensitive values"
    else:
        return f"Every combination could stand alone; together their {records} records cost others less."
    return f"Alone, {alone}; together they are {records} records."


def spans_of(done: Generalisation, column: str) -> tuple[list[Span], list[str] | None]:
    """The different cells of a column from where to where, with their records; and the values, where they are words."""
    policy = done.policy
    c = policy.public.index(column)
    cells, ids = policy.boxes.cells[c], policy.boxes.ids[:, c]
    size_of = dict(zip(done.joint.x, done.joint.records.tolist(), strict=True))
    records = np.bincount(ids, [size_of.get(label, 0) for label in policy.labels], len(cells)).astype(int)
    labels = policy.letters.labels[c] if policy.letters is not None else ()
    on_line = all(cell.low is not None and cell.members is None for cell in cells)
    if on_line and policy.types[c].kind in ("number", "date"):
        spans = [
            Span(cell.text, place_of(cell.low), place_of(cell.high), int(records[i])) for i, cell in enumerate(cells)
        ]
        if policy.types[c].kind == "date":
            first = min(each.low for each in spans)
            spans = [Span(each.text, each.low - first, each.high - first, each.records) for each in spans]
        return sorted(spans, key=lambda each: (each.low, each.high)), None
    found = []
    for i, cell in enumerate(cells):
        held = [place for place, label in enumerate(labels) if cell.holds(label)]
        if held:
            found.append(Span(cell.text, float(held[0]), float(held[-1] + 1), int(records[i])))
    return sorted(found, key=lambda each: (each.low, each.high)), [str(label) for label in labels]
