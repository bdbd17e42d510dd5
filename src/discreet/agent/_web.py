"""The agent over HTTP: FastAPI with plain answers, one reason an error, and nothing private in a log."""

# Annotations are not postponed here: FastAPI must see those that name functions inside create_app.

import logging
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBasic, HTTPBasicCredentials, HTTPBearer
from starlette.exceptions import HTTPException

import discreet
from discreet.agent import _forms as forms
from discreet.agent._database import UnavailableError
from discreet.agent._ledger import (
    Analyst,
    ConflictError,
    OverBudgetError,
    RevokedError,
    TakenError,
    UnknownAnalystError,
)
from discreet.agent._middleware import Counts, Watch, logger, refusal
from discreet.agent._service import Agent, DamagedError, told
from discreet.errors import DiscreetError

bearer = HTTPBearer(auto_error=False, description="An analyst's or the owner's key")
basic = HTTPBasic(auto_error=False)

AUDITS = 24
"""New questions that are worked on or wait for their book, at a time; what is known already passes them by."""

GRACE = 30
"""Seconds that requests have to end after the server was told to stop."""

STATUSES: dict[type[DiscreetError], int] = {
    RevokedError: 401,
    OverBudgetError: 402,
    UnknownAnalystError: 404,
    TakenError: 409,
    ConflictError: 503,
    DamagedError: 503,
    UnavailableError: 503,
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": forms.Reason} for status in (400, 401, 402, 403, 404, 405, 409, 413, 422, 503)
}


class Refused(Exception):  # noqa: N818, a refusal is an answer
    """A refusal with its status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def create_app(agent: Agent) -> FastAPI:
    """The agent's web application."""
    counts, log, audits = Counts(), logger(), CapacityLimiter(AUDITS)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        agent.close()

    app = FastAPI(
        title="discreet agent",
        version=discreet.__version__,
        description="Truthful, coarse answers about data that stay where they are.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        responses=REFUSALS,
    )
    app.add_middleware(Watch, most_body=agent.config.most_body, count=counts)

    # ------------------------------------------------------------------ refusals

    @app.exception_handler(Refused)
    async def refused(_: Request, problem: Refused) -> Response:
        return refusal(
            problem.status, problem.reason, {"WWW-Authenticate": "Bearer"} if problem.status == 401 else None
        )

    @app.exception_handler(DiscreetError)
    async def wrong(_: Request, problem: DiscreetError) -> Response:
        status = next((status for kind, status in STATUSES.items() if isinstance(problem, kind)), 400)
        if status < 500:
            return refusal(status, str(problem))
        log.warning({"unavailable": getattr(problem, "code", type(problem).__name__)})
        return refusal(status, str(problem), {"Retry-After": "1"})

    @app.exception_handler(RequestValidationError)
    async def misshapen(_: Request, problem: RequestValidationError) -> Response:
        # What was sent is not repeated: it may hold anything.
        places = sorted({".".join(map(str, each["loc"][1:])) for each in problem.errors() if len(each["loc"]) > 1})
        known = [place for place in places if place.isascii() and place.isprintable() and len(place) < 40]
        return refusal(
            422,
            "the request does not have the form that /openapi.json describes"
            + (f": {', '.join(known)}" if known else ""),
        )

    @app.exception_handler(HTTPException)
    async def not_there(_: Request, problem: HTTPException) -> Response:
        return refusal(problem.status_code, str(problem.detail).lower(), dict(problem.headers or {}))

    # ------------------------------------------------------------------ keys

    async def key_of(credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> str:
        if credentials is None or not credentials.credentials.isascii():
            raise Refused(401, "a key is needed: Authorization: Bearer KEY")
        return credentials.credentials

    def analyst_of(request: Request, key: Annotated[str, Depends(key_of)]) -> Analyst:
        found = agent.ledger.analyst_of(key)
        if found is None:
            if agent.ledger.is_owner(key):
                raise Refused(403, "the owner does not ask: use an analyst's key")
            raise Refused(401, "this key is not known, or was revoked")
        request.state.who = found.name
        return found

    def owner(request: Request, key: Annotated[str, Depends(key_of)]) -> None:
        if not agent.ledger.is_owner(key):
            raise Refused(403 if agent.ledger.analyst_of(key) else 401, "this is for the owner")
        request.state.who = "owner"

    Asking = Annotated[Analyst, Depends(analyst_of)]  # noqa: N806, a type

    # ------------------------------------------------------------------ for whoever runs it

    @app.get("/health")
    def health() -> forms.Health:
        """Whether the agent and its ledger answer."""
        if not agent.ledger.is_alive():
            raise Refused(503, "the ledger does not answer")
        return forms.Health(status="ok", version=discreet.__version__)

    @app.get("/metrics", response_class=PlainTextResponse)
    def metrics() -> str:
        """Counters in the form that Prometheus reads."""
        answers, bits = agent.ledger.totals()
        lines = counts.lines()
        lines += ["# TYPE discreet_answers_total counter", f"discreet_answers_total {answers}"]
        lines += ["# TYPE discreet_bits_total counter", f"discreet_bits_total {bits:.6f}"]
        return "\n".join(lines) + "\n"

    # ------------------------------------------------------------------ for analysts

    @app.get("/datasets", response_model=forms.Datasets)
    def datasets(_: Asking) -> dict[str, Any]:
        """The data sets and their columns, no values."""
        return {"datasets": agent.datasets()}

    @app.post("/ask", response_model=forms.Told)
    async def ask(asked: forms.Asked, analyst: Asking) -> dict[str, Any]:
        """Ask a question; the answer is in the ledger before it is sent."""
        inquiry = await to_thread.run_sync(lambda: agent.inquiry(analyst, asked.question()))
        answer = await to_thread.run_sync(agent.recall, inquiry)
        if answer is None:
            answer = await to_thread.run_sync(agent.answer, inquiry, limiter=audits)
        return told(answer) | {"question": inquiry.question.to_json()}  # in the asker's words, not in another's

    @app.post("/price", response_model=forms.Priced)
    async def price(asked: forms.Asked, analyst: Asking) -> dict[str, Any]:
        """What a question would cost, without asking it."""
        return await to_thread.run_sync(lambda: agent.price(analyst, asked.question()), limiter=audits)

    @app.get("/ledger", response_model=forms.MyLedger)
    def my_ledger(analyst: Asking) -> dict[str, Any]:
        """What I asked, spent, and have left."""
        return agent.my_ledger(analyst)

    # ------------------------------------------------------------------ for the owner

    @app.get("/owner/analysts", dependencies=[Depends(owner)], response_model=forms.Analysts)
    def analysts() -> dict[str, Any]:
        """Everybody who may ask."""
        return {"analysts": agent.analysts()}

    @app.post("/owner/analysts", dependencies=[Depends(owner)], status_code=201)
    def add_analyst(new: forms.NewAnalyst) -> forms.Key:
        """A new analyst; the key is shown this once."""
        return forms.Key(name=new.name, key=agent.ledger.add_analyst(new.name, new.budget))

    @app.post("/owner/analysts/{name:path}/key", dependencies=[Depends(owner)], status_code=201)
    def renew_key(name: str) -> forms.Key:
        """Another key for an analyst who lost hers; the old one ends."""
        return forms.Key(name=name, key=agent.ledger.renew_key(name))

    @app.put("/owner/analysts/{name:path}", dependencies=[Depends(owner)])
    def set_budget(name: str, new: forms.NewBudget) -> forms.Budget:
        """Another budget."""
        agent.ledger.change_analyst(name, budget=new.budget)
        return forms.Budget(name=name, budget=new.budget)

    @app.delete("/owner/analysts/{name:path}", dependencies=[Depends(owner)])
    def revoke(name: str) -> forms.Revoked:
        """End an analyst's key."""
        agent.ledger.change_analyst(name, revoked=True)
        return forms.Revoked(name=name, revoked=True)

    @app.get("/owner/ledger", dependencies=[Depends(owner)], response_model=forms.WholeLedger)
    def whole_ledger() -> dict[str, Any]:
        """Every answer to everybody."""
        return {"answers": [told(answer) | {"analyst": answer.analyst} for answer in agent.ledger.read()]}

    @app.get("/owner", response_class=HTMLResponse, include_in_schema=False)
    def page(request: Request, credentials: Annotated[HTTPBasicCredentials | None, Depends(basic)]) -> Response:
        """The owner's page: the browser asks for the key as a password."""
        if credentials is None or not agent.ledger.is_owner(credentials.password):
            return refusal(
                401, "the owner's key is needed, as a password", {"WWW-Authenticate": 'Basic realm="discreet"'}
            )
        request.state.who = "owner"
        from discreet.agent._pages import owner_page

        policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
        return HTMLResponse(owner_page(agent), headers={"Content-Security-Policy": policy})

    return app


def run(agent: Agent, listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT: then no more requests are taken, those begun are ended, and it returns."""
    import uvicorn

    logger("uvicorn", logging.WARNING)
    config = uvicorn.Config(
        create_app(agent),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    # The server raises the signal again when it has ended; by then all is done.
    before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
