"""The JSON interface. Errors are `{"error": "…", "rule": "…"}`, in one line, and hold no face that is not shown."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from shoectl.console.acts import Second
from shoectl.console.devices import devices
from shoectl.console.signing import ActsOf, CallerOf, FaceOf, caller_of
from shoectl.errors import ShoectlError
from shoectl.people.roles import Person
from shoectl.strict_json import loads

Ref = Annotated[str, Field(max_length=40, description="The open step, as listed: round.step.part", examples=["12.7.0"])]
Word = Annotated[str, Field(max_length=40)]


class Body(BaseModel):
    """What is sent: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Signature(Body):
    """Another person's signature: number and PIN."""

    operator: Word
    pin: Annotated[str, Field(max_length=40, repr=False)]

    def second(self) -> Second:
        """The same, as the acts take it."""
        return Second(self.operator, self.pin)


class Answer(Body):
    """The answer to the open step; `with` as the step's `takes` says. A floorperson may sign as `second`."""

    ref: Ref
    given: Annotated[dict[str, Any], Field(alias="with")]
    second: Signature | None = None


class Held(Body):
    """The word that ends the hold of the open step."""

    ref: Ref
    how: Word
    card: Word | None = None
    second: Signature | None = None


class Report(Body):
    """What only people can see: `exposed`, `wrong number` or `misread`, and where."""

    ref: Ref
    what: Word
    at: Word
    card: Word | None = None


class Entry(BaseModel):
    """The number of the entry in the journal that says so. It is durable."""

    entry: int


class Error(BaseModel):
    """Why not, in one line, and the paragraph that it offends."""

    error: str
    rule: str | None = None


class Steps(BaseModel):
    """The open step, if any, what answers it and what ends its hold."""

    steps: list[dict[str, Any]]


class Devices(BaseModel):
    """The devices of the table."""

    devices: list[dict[str, Any]]


class Me(BaseModel):
    """Who is signed in. `token` goes into the header X-CSRF-Token of each change (empty for a program's own token)."""

    number: int
    name: str
    role: str
    token: str


_LOOKS: dict[int | str, dict[str, Any]] = {401: {"model": Error, "description": "Nobody is signed in"}}
_ACTS: dict[int | str, dict[str, Any]] = _LOOKS | {
    400: {"model": Error, "description": "Not understood"},
    403: {"model": Error, "description": "Not this person, or not from a page of this session"},
    409: {"model": Error, "description": "That step is not open any more"},
    422: {"model": Error, "description": "Not allowed by the rules; nothing was written"},
    429: {"model": Error, "description": "Too many tries with a PIN"},
    503: {"model": Error, "description": "Nothing can be written at the moment"},
}


class Strict(APIRoute):
    """A route whose body is read strictly first: the framework takes the last of two equal keys."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request. Raises BadInput in it."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            if request.method == "POST" and (body := await request.body()):
                loads(body)
            return await handle(request)

        return strictly


router = APIRouter(prefix="/api/v1", route_class=Strict)


@router.get("/me", responses=_LOOKS)
async def me(caller: CallerOf) -> Me:
    """Who is signed in."""
    person: Person = caller.person
    return Me(number=person.number, name=person.name, role=person.role, token=caller.token)


@router.get("/view", responses=_LOOKS)
async def view(face: FaceOf, caller: CallerOf) -> dict[str, Any]:
    """What everybody may see of the round (the dealer sees what everybody sees)."""
    return face.view(caller.person)


@router.get("/steps", responses=_LOOKS)
async def steps(face: FaceOf, _: CallerOf) -> Steps:
    """The open step."""
    return Steps(steps=face.desk.steps())


@router.get("/devices", name="devices", responses=_LOOKS)
async def all_devices(face: FaceOf, _: CallerOf) -> Devices:
    """Every device: how it is, what its link counts, its last verdicts."""
    return Devices(devices=devices(face.stations, face.history))


@router.get(
    "/stream",
    response_class=StreamingResponse,
    responses=_LOOKS | {200: {"content": {"text/event-stream": {}}, "description": "An event at each change"}},
)
async def stream(request: Request, face: FaceOf, caller: CallerOf) -> Response:
    """Server-sent events: `view` at each change, `signed-out` at the end of the session."""

    def still() -> bool:
        try:
            return caller_of(request, touch=False) is not None
        except ShoectlError:
            return False  # the token is not valid any more, or the register cannot be read

    return face.stream.answer(caller.person.number, still)


@router.post("/answer", responses=_ACTS)
async def answer(acts: ActsOf, body: Answer) -> Entry:
    """Answer the open step."""
    second = body.second.second() if body.second else None
    return Entry(entry=await acts.answer(body.ref, lambda _: body.given, second))


@router.post("/held", responses=_ACTS)
async def held(acts: ActsOf, body: Held) -> Entry:
    """End the hold of the open step."""
    second = body.second.second() if body.second else None
    return Entry(entry=await acts.held(body.ref, body.how, body.card, second))


@router.post("/report", responses=_ACTS)
async def report(acts: ActsOf, body: Report) -> Entry:
    """Report an irregularity."""
    return Entry(entry=await acts.report(body.ref, body.what, body.at, body.card))


@router.post("/call-floor", status_code=204, responses=_ACTS)
async def call_floor(acts: ActsOf) -> None:
    """Call a floorperson; one who says the same has come."""
    acts.call_floor()
