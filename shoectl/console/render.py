"""The pages out of their templates. Everything that goes into one is escaped; none holds a script of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"
PARTS: Final = "parts"  # the block of a page that its script fetches again


class Templates:
    """The templates of the pages.

    Each page has, beside its own values: `title` of the table, `person` (None before the sign-in), `token` (a form
    sends it back), `said` (why something was refused, one line), `idle_minutes`, `simulated`.
    """

    def __init__(self) -> None:
        loader = FileSystemLoader(HERE / "templates")
        self._jinja = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, auto_reload=False)

    def page(self, name: str, values: Mapping[str, Any]) -> str:
        """A whole page."""
        return self._jinja.get_template(f"{name}.html").render(values)

    def parts(self, name: str, values: Mapping[str, Any]) -> str:
        """What is inside of a page's block `parts`, alone."""
        template = self._jinja.get_template(f"{name}.html")
        return "".join(template.blocks[PARTS](template.new_context(dict(values))))
