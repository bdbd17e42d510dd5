"""The pages, one for each step."""

from discreet.app._pages import _data, _frontier, _policy, _release, _risk, _roles

PAGES = {
    "data": _data.build,
    "roles": _roles.build,
    "risk": _risk.build,
    "frontier": _frontier.build,
    "policy": _policy.build,
    "release": _release.build,
}
