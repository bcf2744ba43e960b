"""Who asks: the person behind a request, and that a change is meant by him."""

from __future__ import annotations

import hmac
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import Request

from shoectl.console.acts import Acts
from shoectl.console.face import Caller, Face
from shoectl.people.roles import Forbidden
from shoectl.people.signin import NotSignedIn

TOKEN: Final = "x-csrf-token"  # the header in which a script of the page sends the session's token back


def face_of(request: Request) -> Face:
    """The face that serves this request."""
    face: Face = request.app.state.face
    return face


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def caller_of(request: Request, *, touch: bool) -> Caller | None:
    """Who asks: by `Authorization: Bearer TOKEN`, else by the session's cookie. Raises NotSignedIn for a bad token.

    `touch`: it is a person who does something, which keeps his session alive; looking on does not.
    """
    face = face_of(request)
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind:
        if kind.lower() != "bearer":
            raise NotSignedIn("the scheme is Bearer")
        return Caller(face.people.by_token(token.strip()))
    session = face.people.find(request.cookies.get(face.settings.cookie, ""), touch=touch)
    return Caller(session.person, session.token, session.id) if session else None


def check_token(caller: Caller, sent: str) -> None:
    """Whether a change was asked for by a page of this session. Raises Forbidden."""
    if not hmac.compare_digest(caller.token.encode(), sent.encode()):
        raise Forbidden("This page is of an earlier sign-in: load it again.")


def looking(request: Request) -> Caller:
    """Whoever looks at the JSON interface. Raises NotSignedIn."""
    caller = caller_of(request, touch=False)
    if caller is None:
        raise NotSignedIn("sign in first")
    return caller


def acting(request: Request) -> Acts:
    """Whoever changes something through the JSON interface. Raises NotSignedIn, Forbidden."""
    caller = caller_of(request, touch=True)
    if caller is None:
        raise NotSignedIn("sign in first")
    if caller.id:
        check_token(caller, request.headers.get(TOKEN, ""))
    return Acts(face_of(request), caller, address_of(request))


FaceOf = Annotated[Face, Depends(face_of)]
CallerOf = Annotated[Caller, Depends(looking)]
ActsOf = Annotated[Acts, Depends(acting)]
