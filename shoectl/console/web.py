"""The pages, and their forms, which work without a script too: an act leads back to the page it came from."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from shoectl.cards import parse_cards
from shoectl.console import forms
from shoectl.console.acts import Acts, Second
from shoectl.console.errors import status_of
from shoectl.console.face import Caller
from shoectl.console.signing import address_of, caller_of, check_token, face_of
from shoectl.errors import BadInput, ShoectlError
from shoectl.people.signin import NotSignedIn
from shoectl.table.desk import ref_of

PARTS_MOST: Final = 52  # of a deal
PAGES: Final = {"/": "dealer", "/pit": "pit"}
Form = dict[str, str]
router = APIRouter(include_in_schema=False)


def _to(path: str) -> Response:
    return RedirectResponse(path, 303)


@router.get("/")
async def dealer(request: Request) -> Response:
    """The dealer's page."""
    return _page(request, "dealer")


@router.get("/pit")
async def pit(request: Request) -> Response:
    """The pit's page."""
    return _page(request, "pit")


@router.get("/parts/dealer")
async def dealer_parts(request: Request) -> Response:
    """What changes of the dealer's page."""
    return _parts(request, "dealer")


@router.get("/parts/pit")
async def pit_parts(request: Request) -> Response:
    """What changes of the pit's page."""
    return _parts(request, "pit")


def _page(request: Request, name: str) -> Response:
    caller = caller_of(request, touch=True)
    if caller is None:
        return _to("/signin")
    face = face_of(request)
    return HTMLResponse(face.templates.page(name, face.values(name, caller)))


def _parts(request: Request, name: str) -> Response:
    """For the page's own script: 401 where the session has ended, and it loads the page again."""
    caller = caller_of(request, touch=False)
    if caller is None:
        raise NotSignedIn("sign in first")
    face = face_of(request)
    return HTMLResponse(face.templates.parts(name, face.values(name, caller)))


# signing in and out


@router.get("/signin")
async def sign_in_page(request: Request) -> Response:
    """The form, or the link that signs in once."""
    link = request.query_params.get("link")
    if link is None:
        return _sign_in(request, "", "")
    try:
        session = face_of(request).people.by_link(link)
    except ShoectlError as error:
        return _sign_in(request, "", str(error), status_of(error))
    return _signed_in(request, session.id)


@router.post("/signin")
async def sign_in(request: Request) -> Response:
    """Number and PIN."""
    number = ""
    try:
        form = await _form(request)
        number = form.get("operator", "")
        session = await face_of(request).people.begin(number, form.get("pin", ""), address_of(request))
    except ShoectlError as error:
        return _sign_in(request, number, str(error), status_of(error))
    _end(request)
    return _signed_in(request, session.id)


@router.post("/signout")
async def sign_out(request: Request) -> Response:
    """The session ends."""
    caller = caller_of(request, touch=False)
    if caller is not None:
        check_token(caller, (await _form(request)).get("token", ""))
        _end(request)
    answer = _to("/signin")
    settings = face_of(request).settings
    answer.delete_cookie(settings.cookie, secure=settings.secure, httponly=True, samesite="strict")
    return answer


def _end(request: Request) -> None:
    face = face_of(request)
    face.people.sessions.end(request.cookies.get(face.settings.cookie, ""))
    face.stream.wake()


def _signed_in(request: Request, id: str) -> Response:
    settings = face_of(request).settings
    answer = _to("/")
    answer.set_cookie(settings.cookie, id, secure=settings.secure, httponly=True, samesite="strict")
    return answer


def _sign_in(request: Request, number: str, said: str, status: int = 200) -> Response:
    face = face_of(request)
    values = face.common(None, said) | {"operator": number[:12]}
    return HTMLResponse(face.templates.page("signin", values), status)


# acts


@router.post("/act/answer")
async def act_answer(request: Request) -> Response:
    """Answer the open step."""

    async def act(acts: Acts, form: Form) -> None:
        def given(takes: type[Any]) -> dict[str, Any]:
            if form.get("takes", takes.__name__) != takes.__name__:
                raise BadInput("the page is of another step: look again")
            return forms.answer_of(takes, form)

        for ref in _refs(form):
            await acts.answer(ref, given, _second(form))

    return await _act(request, act)


def _refs(form: Form) -> list[str]:
    """The part of a step that is answered, or one after another: up to the one that `through` names, without a face."""
    first, through = ref_of(form.get("ref", "")), form.get("through", "").strip()
    parts = range(first.part, first.part + 1)
    if through:
        if not (through.isascii() and through.isdigit() and first.part < int(through[:6]) <= PARTS_MOST):
            raise BadInput("through: a number of parts")
        parts = range(first.part, int(through))
        if len(parts) > 1 and form.get(forms.CARDS, "").strip():
            raise BadInput("cards: of one part only")
    return [f"{first.round}.{first.step}.{part}" for part in parts]


@router.post("/act/held")
async def act_held(request: Request) -> Response:
    """End the hold of the open step."""

    async def act(acts: Acts, form: Form) -> None:
        card = _card(form)
        if card is not None and parse_cards(card) != parse_cards(form.get("again", "")):
            raise BadInput("The two entries differ: look at the card once more, then enter it twice.")
        await acts.held(form.get("ref", ""), form.get("how", ""), card, _second(form))

    return await _act(request, act)


@router.post("/act/report")
async def act_report(request: Request) -> Response:
    """Report an irregularity."""

    async def act(acts: Acts, form: Form) -> None:
        await acts.report(form.get("ref", ""), form.get("what", ""), form.get("place", ""), _card(form))

    return await _act(request, act)


@router.post("/act/call-floor")
async def act_call_floor(request: Request) -> Response:
    """Call a floorperson."""

    async def act(acts: Acts, _: Form) -> None:
        acts.call_floor()

    return await _act(request, act)


async def _act(request: Request, act: Callable[[Acts, Form], Coroutine[Any, Any, None]]) -> Response:
    """Do it and go back; what is refused is said on the same page, which holds nothing of what was entered."""
    caller = caller_of(request, touch=True)
    if caller is None:
        return _to("/signin")
    back = "/"
    try:
        form = await _form(request)
        back = form.get("back", "/") if form.get("back", "/") in PAGES else "/"
        if caller.id:
            check_token(caller, form.get("token", ""))
        await act(Acts(face_of(request), caller, address_of(request)), form)
    except ShoectlError as error:
        return _refused(request, caller, PAGES[back], error)
    return _to(back)


def _refused(request: Request, caller: Caller, name: str, error: ShoectlError) -> Response:
    face = face_of(request)
    return HTMLResponse(face.templates.page(name, face.values(name, caller, str(error))), status_of(error))


def _second(form: Form) -> Second | None:
    """The second signature, where one was entered."""
    return Second(form.get("floor", ""), form.get("pin", "")) if form.get("floor", "").strip() else None


def _card(form: Form) -> str | None:
    return form.get(forms.CARDS, "").strip() or None


async def _form(request: Request) -> Form:
    return forms.parse(await request.body(), request.headers.get("content-type", ""))
