"""The application: routes, errors and guard, around one table's desk."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from shoectl import __version__
from shoectl.console import api, errors, watching, web
from shoectl.console.face import Face
from shoectl.console.guarded import Guarded
from shoectl.console.metrics import Metrics
from shoectl.console.render import STATIC
from shoectl.console.settings import Settings
from shoectl.devices.station import Station
from shoectl.people.signin import SignIn
from shoectl.status import BusStatus, UpkeepStatus
from shoectl.table.desk import Desk


def create(
    desk: Desk,
    stations: Mapping[str, Station],
    people: SignIn,
    settings: Settings,
    *,
    bus: Callable[[], BusStatus | None] = lambda: None,
    upkeep: Callable[[], UpkeepStatus | None] = lambda: None,
    title: str = "table",
) -> FastAPI:
    """The web face of a table, to be served by any ASGI server. `app.state.face` is what its routes share."""
    app = FastAPI(
        title="shoectl",
        version=__version__,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,
    )
    face = Face(desk, stations, people, settings, title=title, bus=bus, upkeep=upkeep)
    app.state.face = face
    app.state.metrics = Metrics(face)
    app.add_middleware(Guarded, settings=settings, counts=face.counts)
    app.include_router(web.router)
    app.include_router(api.router)
    app.include_router(watching.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    errors.add_to(app)
    return app
