"""Under which version of the rules a round is played."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from shoectl import __version__

# what decides which step comes next: the games, and the session around them
_RULES = ("games/**/*.py", "games/**/*.toml", "table/session*.py", "table/deck*.py", "table/policies.py")


@cache
def versions() -> Mapping[str, str]:
    """The version of shoectl, and a digest of the rules as they are installed."""
    home = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _RULES for path in home.glob(pattern)}):
        digest.update(f"{path.relative_to(home)}\n".encode() + path.read_bytes())
    return {"shoectl": __version__, "rules": digest.hexdigest()[:16]}
