"""Errors as answers: a status, and one line."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from shoectl.console.face import Face
from shoectl.errors import BadInput, DeviceFailed, ShoectlError
from shoectl.games.layout import Refused
from shoectl.people.attempts import TooMany
from shoectl.people.roles import Forbidden
from shoectl.people.signin import NotNow, NotSignedIn
from shoectl.table.openstep import StepClosed

SAID = {400: "The body is nothing that could be read as JSON.", 404: "There is nothing here.", 405: "Not in this way."}


def status_of(error: ShoectlError) -> int:
    """The HTTP status of an error."""
    match error:
        case NotSignedIn():
            return 401
        case Forbidden():
            return 403
        case StepClosed():
            return 409
        case Refused():
            return 422
        case TooMany():
            return 429
        case NotNow() | DeviceFailed():
            return 503
        case BadInput():
            return 400
    return 422


def add_to(app: FastAPI) -> None:
    """See to it that every error of the application is answered so."""
    app.add_exception_handler(ShoectlError, _ours)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _by_http)


def answer(request: Request, status: int, said: str, rule: str | None = None) -> Response:
    """An error, as JSON or as a page, by what was asked for."""
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": said, "rule": rule}, status, headers)
    face: Face = request.app.state.face
    values = face.common(None, said) | {"status": status}
    return HTMLResponse(face.templates.page("error", values), status, headers)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, ShoectlError)
    return answer(request, status_of(error), str(error), getattr(error, "rule", None))


async def _not_understood(request: Request, error: Exception) -> Response:
    """The first thing that is wrong, without what was sent."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")[:60]
    return answer(request, 400, f"{where or 'the body'}: {first['msg'][:1].lower()}{first['msg'][1:]}"[:200])


async def _by_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return answer(request, error.status_code, SAID.get(error.status_code, "That did not work."))
