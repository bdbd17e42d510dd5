"""The agent over HTTP: FastAPI with plain answers, one reason for each refusal, and nothing private in a log."""

from __future__ import annotations

import secrets
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any
from urllib.parse import parse_qs

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBasic, HTTPBasicCredentials, HTTPBearer
from starlette.exceptions import HTTPException

import discreet
from discreet.agent import _forms as forms
from discreet.agent._database import UnavailableError
from discreet.agent._desk import Desk
from discreet.agent._history import Histories
from discreet.agent._ledger import (
    Analyst,
    ConflictError,
    DamagedError,
    OverBudgetError,
    RevokedError,
    TakenError,
    UnknownAnalystError,
)
from discreet.agent._logs import logger
from discreet.agent._middleware import Counts, Watch, refusal
from discreet.agent._pages import mark, owner_page, owner_part, token, welcome_page
from discreet.agent._queues import BusyError
from discreet.agent._service import Agent
from discreet.agent._telling import told
from discreet.agent._workers import EndedError
from discreet.errors import DiscreetError

PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
"""What the owner's page may load: nothing."""

STATUSES: dict[type[DiscreetError], int] = {
    RevokedError: 401,
    OverBudgetError: 402,
    UnknownAnalystError: 404,
    TakenError: 409,
    ConflictError: 503,
    DamagedError: 503,
    UnavailableError: 503,
    EndedError: 503,
    BusyError: 429,
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": forms.Reason} for status in (400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 503)
}


def create_app(agent: Agent, *, apart: bool = False, address: str = "") -> FastAPI:
    """The agent's web application; `apart` audits in processes of their own, `address` is where people reach it."""
    desk = Desk(agent, apart=apart)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        starting = threading.Thread(target=desk.start)  # questions may come meanwhile
        starting.start()
        yield
        await to_thread.run_sync(starting.join)
        await to_thread.run_sync(desk.close)
        agent.close()

    app = FastAPI(
        title="discreet agent",
        version=discreet.__version__,
        description="Truthful, coarse answers about data that stay where they are.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,  # the address would be one that the client made up
        responses=REFUSALS,
    )
    app.state.agent, app.state.counts, app.state.desk, app.state.address = agent, Counts(), desk, address
    app.state.histories = Histories()
    app.add_middleware(Watch, most_body=agent.config.most_body, count=app.state.counts)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(DiscreetError, _wrong)
    app.add_exception_handler(RequestValidationError, _misshapen)
    app.add_exception_handler(HTTPException, _not_there)
    for router in (running, asking, owning, owner_pages):
        app.include_router(router)
    return app


# ---------------------------------------------------------------------- refusals


class Refused(Exception):  # noqa: N818, a refusal is an answer
    """A refusal with its status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


async def _refused(_: Request, problem: Any) -> Response:
    return refusal(problem.status, problem.reason, {"WWW-Authenticate": "Bearer"} if problem.status == 401 else None)


async def _wrong(_: Request, problem: Exception) -> Response:
    status = next((status for kind, status in STATUSES.items() if isinstance(problem, kind)), 400)
    if isinstance(problem, BusyError):
        return refusal(status, str(problem), {"Retry-After": str(problem.wait)})
    if status < 500:
        return refusal(status, str(problem))
    logger().warning({"unavailable": getattr(problem, "code", type(problem).__name__)})
    return refusal(status, str(problem), {"Retry-After": "1"})


async def _misshapen(_: Request, problem: Any) -> Response:
    # What was sent is not repeated: it may hold anything.
    places = sorted({".".join(map(str, each["loc"][1:])) for each in problem.errors() if len(each["loc"]) > 1})
    known = [place for place in places if place.isascii() and place.isprintable() and len(place) < 40]
    reason = "the request does not have the form that /openapi.json describes"
    return refusal(422, reason + (f": {', '.join(known)}" if known else ""))


async def _not_there(_: Request, problem: Any) -> Response:
    return refusal(problem.status_code, str(problem.detail).lower(), dict(problem.headers or {}))


# ---------------------------------------------------------------------- keys

bearer = HTTPBearer(auto_error=False, description="An analyst's or the owner's key")
basic = HTTPBasic(auto_error=False)


async def _agent(request: Request) -> Agent:
    return request.app.state.agent  # type: ignore[no-any-return]


async def _desk(request: Request) -> Desk:
    return request.app.state.desk  # type: ignore[no-any-return]


Serving = Annotated[Agent, Depends(_agent)]
AtTheDesk = Annotated[Desk, Depends(_desk)]


async def _key(credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> str:
    if credentials is None or not credentials.credentials.isascii():
        raise Refused(401, "a key is needed: Authorization: Bearer KEY")
    return credentials.credentials


def _analyst(request: Request, agent: Serving, key: Annotated[str, Depends(_key)]) -> Analyst:
    found = agent.ledger.analyst_of(key)
    if found is None:
        if agent.ledger.is_owner(key):
            raise Refused(403, "the owner does not ask: use an analyst's key")
        raise Refused(401, "this key is not known, or was revoked")
    request.state.who = found.name
    return found


def _owner(request: Request, agent: Serving, key: Annotated[str, Depends(_key)]) -> None:
    if not agent.ledger.is_owner(key):
        raise Refused(403 if agent.ledger.analyst_of(key) else 401, "this is for the owner")
    request.state.who = "owner"


Asking = Annotated[Analyst, Depends(_analyst)]


# ---------------------------------------------------------------------- for whoever runs it

running = APIRouter()


@running.get("/health")
def health(agent: Serving) -> forms.Health:
    """Whether the agent and its ledger answer, and there is room for another answer."""
    if not agent.ledger.is_alive():
        raise Refused(503, "the ledger does not answer")
    if not agent.ledger.can_write():
        raise Refused(503, "the ledger cannot be written to: is the disk full?")
    return forms.Health(status="ok", version=discreet.__version__)


@running.get("/metrics", response_class=PlainTextResponse)
def metrics(request: Request, agent: Serving) -> str:
    """Counters in the form that Prometheus reads."""
    answers, bits = agent.ledger.totals()
    lines = request.app.state.counts.lines()
    lines += ["# TYPE discreet_answers_total counter", f"discreet_answers_total {answers}"]
    lines += ["# TYPE discreet_bits_total counter", f"discreet_bits_total {bits:.6f}"]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------- for analysts

asking = APIRouter()


@asking.get("/datasets", response_model=forms.Datasets)
def datasets(agent: Serving, _: Asking) -> dict[str, Any]:
    """The data sets and their columns, no values."""
    return {"datasets": agent.datasets()}


@asking.post("/ask", response_model=forms.Answered | forms.Groups | forms.Rows | forms.Priced)
async def ask(asked: forms.Asked, analyst: Asking, agent: Serving, desk: AtTheDesk) -> dict[str, Any]:
    """Ask a question; the answer is in the ledger before it is sent. With EXPLAIN before it, only its price is told."""
    if asked.is_explain:
        return await price(asked, analyst, desk)
    found = await desk.ask(analyst, await to_thread.run_sync(asked.selection))
    return found | {"left": max(0.0, analyst.budget - await to_thread.run_sync(agent.ledger.spent, analyst.name))}


@asking.post("/price", response_model=forms.Priced, response_model_exclude_unset=True)
async def price(asked: forms.Asked, analyst: Asking, desk: AtTheDesk) -> dict[str, Any]:
    """What a question would cost, without asking it."""
    return await desk.price(analyst, await to_thread.run_sync(asked.selection))


@asking.get("/ledger", response_model=forms.MyLedger)
def my_ledger(analyst: Asking, agent: Serving) -> dict[str, Any]:
    """What I asked, spent, and have left."""
    return agent.my_ledger(analyst)


# ---------------------------------------------------------------------- for the owner

owning = APIRouter(prefix="/owner", dependencies=[Depends(_owner)])


@owning.get("/analysts", response_model=forms.Analysts)
def analysts(agent: Serving) -> dict[str, Any]:
    """Everybody who may ask."""
    return {"analysts": agent.analysts()}


@owning.post("/analysts", status_code=201)
def add_analyst(new: forms.NewAnalyst, agent: Serving) -> forms.Key:
    """A new analyst; the key is shown this once."""
    return forms.Key(name=new.name, key=agent.ledger.add_analyst(new.name, new.budget))


@owning.post("/analysts/{name:path}/key", status_code=201)
def renew_key(name: str, agent: Serving) -> forms.Key:
    """Another key for an analyst who lost hers; the old one ends."""
    return forms.Key(name=name, key=agent.ledger.renew_key(name))


@owning.put("/analysts/{name:path}")
def set_budget(name: str, new: forms.NewBudget, agent: Serving) -> forms.Budget:
    """Give an analyst another budget."""
    agent.ledger.change_analyst(name, budget=new.budget)
    return forms.Budget(name=name, budget=new.budget)


@owning.delete("/analysts/{name:path}")
def revoke(name: str, agent: Serving) -> forms.Revoked:
    """End an analyst's key."""
    agent.ledger.change_analyst(name, revoked=True)
    return forms.Revoked(name=name, revoked=True)


@owning.get("/ledger", response_model=forms.WholeLedger)
def whole_ledger(agent: Serving) -> dict[str, Any]:
    """Every answer to everybody."""
    return {"answers": [told(answer) | {"analyst": answer.analyst} for answer in agent.ledger.read()]}


owner_pages = APIRouter()


@owner_pages.get("/", response_class=HTMLResponse, include_in_schema=False)
def welcome(request: Request) -> Response:
    """For a person who opens the address in a browser: what this is, and where to go; nothing about the data."""
    page = welcome_page(request.app.state.address)
    return HTMLResponse(page, headers={"Content-Security-Policy": PAGE_POLICY})


@owner_pages.get("/owner", response_class=HTMLResponse, include_in_schema=False)
def page(
    request: Request, agent: Serving, credentials: Annotated[HTTPBasicCredentials | None, Depends(basic)]
) -> Response:
    """The owner's page: the browser asks for the key as a password."""
    if credentials is None or not agent.ledger.is_owner(credentials.password):
        reason = "the owner's key is needed, as a password"
        return refusal(401, reason, {"WWW-Authenticate": 'Basic realm="discreet"'})
    request.state.who = "owner"
    nonce = secrets.token_urlsafe(16)
    content = owner_page(agent, request.app.state.histories, credentials.password, nonce)
    policy = f"{PAGE_POLICY}; script-src 'nonce-{nonce}'; connect-src 'self'; form-action 'self'; base-uri 'none'"
    return HTMLResponse(content, headers={"Content-Security-Policy": policy})


def _owner_of_page(
    request: Request, agent: Serving, credentials: Annotated[HTTPBasicCredentials | None, Depends(basic)]
) -> str:
    """The owner's key, as her browser sends it."""
    if credentials is None or not agent.ledger.is_owner(credentials.password):
        raise Refused(401, "the owner's key is needed, as a password")
    request.state.who = "owner"
    return credentials.password


@owner_pages.get("/owner/live", response_class=HTMLResponse, include_in_schema=False)
def live(request: Request, agent: Serving, key: Annotated[str, Depends(_owner_of_page)]) -> Response:
    """The part of the owner's page that changes; nothing if it did not."""
    tag = f'"{mark(agent)}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304)
    content, pending = owner_part(agent, request.app.state.histories, key)
    return HTMLResponse(
        content, headers={"ETag": tag, "X-Pending": str(pending), "Content-Security-Policy": PAGE_POLICY}
    )


@owner_pages.post("/owner/revoke", include_in_schema=False)
async def revoke_by_click(request: Request, agent: Serving, key: Annotated[str, Depends(_owner_of_page)]) -> Response:
    """End an analyst's key, from the owner's page: only that page knows the token."""
    sent = parse_qs((await request.body()).decode("utf-8", "replace"))
    name, given = (sent.get(field, [""])[0] for field in ("name", "token"))
    here = request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    if not here or not secrets.compare_digest(given.encode(), token(key, name).encode()):
        raise Refused(403, "this did not come from the owner's page: open it again")
    await to_thread.run_sync(lambda: agent.ledger.change_analyst(name, revoked=True))
    return Response(status_code=303, headers={"Location": "../owner"})
