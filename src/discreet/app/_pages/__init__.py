"""The pages, one for each step."""

from discreet.app._pages import (
    _column,
    _data,
    _frontier,
    _papers,
    _policy,
    _question,
    _release,
    _risk,
    _roles,
    _samples,
)

PAGES = {
    "data": _data.build,
    "roles": _roles.build,
    "risk": _risk.build,
    "frontier": _frontier.build,
    "policy": _policy.build,
    "release": _release.build,
    "column": _column.build,
    "question": _question.build,
    "samples": _samples.build,
    "papers": _papers.build,
}
