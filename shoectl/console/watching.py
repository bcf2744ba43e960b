"""For monitors and programs: health, metrics, and the description of the JSON interface.

On loopback anybody may read them; elsewhere whoever is signed in, or has a token.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shoectl import __version__
from shoectl.console.health import health
from shoectl.console.metrics import KIND, Metrics
from shoectl.console.signing import TOKEN, face_of, looking

router = APIRouter(include_in_schema=False)


def _check(request: Request) -> None:
    """Whether this one may look. Raises NotSignedIn."""
    if not face_of(request).settings.local:
        looking(request)


@router.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz(request: Request) -> Response:
    """200 where the table can play, 503 where it cannot; which part is how, as JSON."""
    _check(request)
    well, parts = health(face_of(request))
    return JSONResponse(parts, 200 if well else 503)


@router.api_route("/metrics", methods=["GET", "HEAD"])
async def metrics(request: Request) -> Response:
    """Prometheus."""
    _check(request)
    known: Metrics = request.app.state.metrics
    return Response(known.text(), media_type=KIND)


@router.get("/api/v1/openapi.json")
async def openapi(request: Request) -> Response:
    """The JSON interface."""
    _check(request)
    return Response(json.dumps(described(request.app)), media_type="application/json")


def described(app: FastAPI) -> dict[str, Any]:
    """The interface as an OpenAPI document, with how one signs in."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title="shoectl",
            version=__version__,
            routes=app.routes,
            description="One table: what everybody may see of it, and how persons answer. A program shows a token; a "
            f"page's script is of a session, and sends its token back as {TOKEN} with each change.",
            license_info={"name": "MIT", "identifier": "MIT"},
        )
        cookie = app.state.face.settings.cookie
        schema.setdefault("components", {})["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "shoectl people token NUMBER"},
            "session": {"type": "apiKey", "in": "cookie", "name": cookie},
        }
        schema["security"] = [{"token": []}, {"session": []}]
        app.openapi_schema = schema
    return app.openapi_schema
