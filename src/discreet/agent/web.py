"""The agent over HTTP: FastAPI with plain answers, one reason an error, and nothing private in a log."""

# Annotations are not postponed here: FastAPI must see those that name functions inside create_app.

import json
import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBasic, HTTPBasicCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

import discreet
from discreet.agent.ledger import Analyst, ConflictError, OverBudgetError
from discreet.agent.questions import Question
from discreet.agent.service import Agent, told
from discreet.agent.sql import question_of
from discreet.errors import DiscreetError, InputError

bearer = HTTPBearer(auto_error=False, description="An analyst's or the owner's key")
basic = HTTPBasic(auto_error=False)


class Refused(Exception):  # noqa: N818, a refusal is an answer
    """A refusal with its status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Asked(BaseModel):
    """A question: in SQL, or by its parts."""

    model_config = ConfigDict(extra="forbid")
    sql: str | None = Field(None, max_length=10_000, examples=["SELECT AVG(height) FROM people WITH ERROR 5"])
    dataset: str | None = Field(None, max_length=200)
    aggregate: str | None = Field(None, max_length=20)
    column: str | None = Field(None, max_length=200)
    error: float | None = None
    where: Any = None

    def question(self) -> Question:
        """The question that was asked."""
        parts = self.model_dump(exclude={"sql"}, exclude_none=True)
        if self.sql is not None:
            if parts:
                raise InputError("ask in SQL or by parts, not both")
            return question_of(self.sql)
        return Question.from_json(parts)


class NewAnalyst(BaseModel):
    """Somebody who may ask."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(max_length=100)
    budget: float


class NewBudget(BaseModel):
    """Another budget in bits."""

    model_config = ConfigDict(extra="forbid")
    budget: float


class Reason(BaseModel):
    """Why a request was refused."""

    error: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Reason} for status in (400, 401, 402, 403, 404, 405, 409, 413, 422, 503)
}


def create_app(agent: Agent) -> FastAPI:
    """The agent's web application."""
    counts: Counter[tuple[str, str]] = Counter()
    counts_lock = threading.Lock()
    log = _logger()

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

    @app.middleware("http")
    async def watch(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        started = time.monotonic()
        length = request.headers.get("content-length", "0")
        response: Response
        if not length.isdigit() or int(length) > agent.config.most_body:
            response = _refusal(413, f"a request has at most {agent.config.most_body:,} bytes")
        elif request.headers.get("transfer-encoding"):
            response = _refusal(413, "a request says its length")
        else:
            response = await call_next(request)
        route = request.scope.get("route")
        path = getattr(route, "path", "other")
        with counts_lock:
            counts[path, str(response.status_code)] += 1
        spent = round(1000 * (time.monotonic() - started), 1)
        who = getattr(request.state, "who", None)
        log.info(
            json.dumps(
                {"method": request.method, "path": path, "status": response.status_code, "ms": spent, "who": who}
            )
        )
        return response

    @app.exception_handler(Refused)
    async def refused(_: Request, problem: Refused) -> Response:
        return _refusal(problem.status, problem.reason)

    @app.exception_handler(DiscreetError)
    async def wrong(_: Request, problem: DiscreetError) -> Response:
        if isinstance(problem, OverBudgetError):
            return _refusal(402, str(problem))
        return _refusal(409 if isinstance(problem, ConflictError) else 400, str(problem))

    @app.exception_handler(RequestValidationError)
    async def misshapen(_: Request, problem: RequestValidationError) -> Response:
        # What was sent is not repeated: it may hold anything.
        places = sorted({".".join(map(str, each["loc"][1:])) for each in problem.errors() if len(each["loc"]) > 1})
        known = [place for place in places if place.isascii() and len(place) < 40]
        return _refusal(
            422,
            "the request does not have the form that /openapi.json describes"
            + (f": {', '.join(known)}" if known else ""),
        )

    @app.exception_handler(HTTPException)
    async def not_there(_: Request, problem: HTTPException) -> Response:
        return _refusal(problem.status_code, str(problem.detail).lower())

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, problem: Exception) -> Response:
        log.error(json.dumps({"unexpected": type(problem).__name__}))  # its message may quote a private value
        return _refusal(500, "the agent made a mistake: its owner can see which")

    def key_of(request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> str:
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

    @app.get("/health")
    def health() -> dict[str, str]:
        """Whether the agent and its ledger answer."""
        if not agent.ledger.is_alive():
            raise Refused(503, "the ledger does not answer")
        return {"status": "ok", "version": discreet.__version__}

    @app.get("/metrics", response_class=PlainTextResponse)
    def metrics() -> str:
        """Counters in the form that Prometheus reads."""
        answers, bits = agent.totals()
        lines = ["# TYPE discreet_requests_total counter"]
        with counts_lock:
            lines += [
                f'discreet_requests_total{{path="{path}",status="{status}"}} {count}'
                for (path, status), count in sorted(counts.items())
            ]
        lines += ["# TYPE discreet_answers_total counter", f"discreet_answers_total {answers}"]
        lines += ["# TYPE discreet_bits_total counter", f"discreet_bits_total {bits:.6f}"]
        return "\n".join(lines) + "\n"

    @app.get("/datasets")
    def datasets(_: Asking) -> dict[str, Any]:
        """The data sets and their columns, no values."""
        return {"datasets": agent.datasets()}

    @app.post("/ask")
    def ask(asked: Asked, analyst: Asking) -> dict[str, Any]:
        """Ask a question; the answer is in the ledger before it is sent."""
        return told(agent.ask(analyst, asked.question()))

    @app.post("/price")
    def price(asked: Asked, analyst: Asking) -> dict[str, Any]:
        """What a question would cost, without asking it."""
        return agent.price(analyst, asked.question())

    @app.get("/ledger")
    def my_ledger(analyst: Asking) -> dict[str, Any]:
        """What I asked, spent, and have left."""
        return agent.my_ledger(analyst)

    @app.get("/owner/analysts", dependencies=[Depends(owner)])
    def analysts() -> dict[str, Any]:
        """Everybody who may ask."""
        return {"analysts": agent.analysts()}

    @app.post("/owner/analysts", dependencies=[Depends(owner)], status_code=201)
    def add_analyst(new: NewAnalyst) -> dict[str, str]:
        """A new analyst; the key is shown this once."""
        return {"name": new.name, "key": agent.ledger.add_analyst(new.name, new.budget)}

    @app.put("/owner/analysts/{name}", dependencies=[Depends(owner)])
    def set_budget(name: str, new: NewBudget) -> dict[str, Any]:
        """Another budget."""
        agent.ledger.change_analyst(name, budget=new.budget)
        return {"name": name, "budget": new.budget}

    @app.delete("/owner/analysts/{name}", dependencies=[Depends(owner)])
    def revoke(name: str) -> dict[str, Any]:
        """End an analyst's key."""
        agent.ledger.change_analyst(name, revoked=True)
        return {"name": name, "revoked": True}

    @app.get("/owner/ledger", dependencies=[Depends(owner)])
    def whole_ledger() -> dict[str, Any]:
        """Every answer to everybody."""
        return {"answers": [told(answer) | {"analyst": answer.analyst} for answer in agent.ledger.read()]}

    @app.get("/owner", response_class=HTMLResponse, include_in_schema=False)
    def page(request: Request, credentials: Annotated[HTTPBasicCredentials | None, Depends(basic)]) -> Response:
        """The owner's page: the browser asks for the key as a password."""
        if credentials is None or not agent.ledger.is_owner(credentials.password):
            return _refusal(
                401, "the owner's key is needed, as a password", {"WWW-Authenticate": 'Basic realm="discreet"'}
            )
        request.state.who = "owner"
        from discreet.agent.pages import owner_page

        return HTMLResponse(owner_page(agent), headers={"Cache-Control": "no-store"})

    return app


def _refusal(status: int, reason: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": reason}, status_code=status, headers=headers)


def _logger() -> logging.Logger:
    """Lines of JSON on stderr, for this process alone."""
    log = logging.getLogger("discreet.agent")
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter('{"at": "%(asctime)s", "event": %(message)s}'))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False
    return log
