"""Schemathesis against a real server: requests made from the OpenAPI description, well-formed and not, with every kind of key.

Whatever is sent, the answer has a documented status and form and is never a 500. That data of the right form are accepted is
not asked for: a data set of any other name is refused, as it should be.
"""

from __future__ import annotations

import copy
import json
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from requests import Session
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.agent.conftest import Running
from tests.agent.servers import CITIES, status_of

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    missing_required_header,
    unsupported_method,
    ignored_auth,
]
OPERATIONS = {
    "GET /health", "GET /metrics", "GET /datasets", "POST /ask", "POST /price", "GET /ledger", "GET /owner/analysts",
    "POST /owner/analysts", "PUT /owner/analysts/{name}", "DELETE /owner/analysts/{name}", "GET /owner/ledger",
    "POST /owner/analysts/{name}/key",
}  # fmt: skip
SQL = [
    f"SELECT {call}({column}) FROM {dataset} {where} WITH ERROR {error}"
    for call in ("AVG", "SUM", "COUNT")
    for column, dataset in (("height", "people"), ("smoker", "people"), ("weight", "alone"))
    for where in ("", "WHERE city = 'Rome'", "WHERE NOT sex = 'F' OR city IN ('Oslo', 'Bern')")
    for error in (0.5, 10)
]


def exact(**properties: Any) -> dict[str, Any]:
    """An object with these properties, of which `where` may be missing."""
    required = [name for name in properties if name != "where"]
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


def likely(description: dict[str, Any]) -> dict[str, Any]:
    """The description narrowed to names that exist, so that most requests get past the first refusal."""
    found = copy.deepcopy(description)
    simple = exact(column={"enum": ["sex", "city"]}, value={"enum": [*CITIES, "F", "M"]})
    simple["properties"]["is"] = {"enum": ["=", "!=", "<", ">="]}
    simple["required"].append("is")
    several = {"type": "array", "items": simple, "maxItems": 3}
    parts = exact(
        dataset={"enum": ["people", "alone"]},
        aggregate={"enum": ["mean", "sum", "count"]},
        column={"enum": ["height", "smoker", "weight"]},
        error={"type": "number", "exclusiveMinimum": 0, "maximum": 50},
        where={"anyOf": [simple, exact(all=several), exact(any=several), exact(**{"not": simple})]},
    )
    found["components"]["schemas"]["Asked"] = {"anyOf": [exact(sql={"enum": SQL}), parts]}
    for path in ("/owner/analysts/{name}", "/owner/analysts/{name}/key"):
        for operation in found["paths"][path].values():
            operation["parameters"][0]["schema"] = {"enum": ["bob", "a/b", "nobody"]}
    return found


def send_many(
    operation: Any, url: str, keys: st.SearchStrategy[str], session: Session, checks: list[Any], examples: int
) -> None:
    """Send requests to one operation, and check every response."""
    takes_data = bool(operation.body or operation.path_parameters)
    negative = [GenerationMode.NEGATIVE] if takes_data else []
    modes = st.sampled_from([GenerationMode.POSITIVE, GenerationMode.POSITIVE, *negative])

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=modes.flatmap(operation.as_strategy), key=keys)
    def send(case: Any, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        response = case.call(base_url=url, session=session, headers=headers)
        # A body that is too large is refused before it is read: a rejection that the check does not know.
        is_large = response.status_code == 413
        case.validate_response(
            response,
            checks=[each for each in checks if not (is_large and each is negative_data_rejection)],
            headers=headers,
            transport_kwargs={"base_url": url, "session": session, "headers": headers},
        )

    send()


def check(running: Running, *, examples: int, seed_names: bool) -> None:
    """Send requests to every operation."""
    ann = running.analyst("ann", 1000)
    for name in ("bob", "a/b"):
        running.analyst(name, 5)
    description = json.loads(status_of(running.url + "/openapi.json")[1])
    schema = schemathesis.openapi.from_dict(likely(description) if seed_names else description)
    # The narrowed description refuses more than the agent does.
    checks = [each for each in CHECKS if not (seed_names and each is negative_data_rejection)]
    operations = [cast(Any, result).ok() for result in schema.get_all_operations()]
    assert {operation.label for operation in operations} == OPERATIONS
    with Session() as session:
        session.headers["Connection"] = "close"  # making a request may take longer than an idle connection is kept
        for operation in operations:
            right = st.just(running.owner.key if operation.path.startswith("/owner") else ann.key)
            keys = st.one_of(right, right, right, st.sampled_from([running.owner.key, ann.key, "wrong", ""]))
            send_many(operation, running.url, keys, session, checks, examples)
    counted = status_of(running.url + "/metrics")[1]
    assert 'status="500"' not in counted
    assert 'path="/ask",status="200"' in counted or not seed_names


@pytest.mark.slow
@pytest.mark.parametrize("seed_names", [True, False], ids=["names that exist", "any names"])
def test_no_request_breaks_the_agent(running: Running, seed_names: bool) -> None:
    check(running, examples=10, seed_names=seed_names)


@pytest.mark.slow
@pytest.mark.parametrize("seed_names", [True, False], ids=["names that exist", "any names"])
def test_no_request_of_many_breaks_the_agent(running: Running, seed_names: bool) -> None:
    check(running, examples=150, seed_names=seed_names)
