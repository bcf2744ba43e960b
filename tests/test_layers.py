"""Who may import whom, read from the source itself; and no file grows past what a person reads in one go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("protocols", "firmware_sim", "shoectl")
LONGEST = 300
LONGER: dict[str, str] = {}  # path -> why it is longer


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py")) if (ROOT / package).is_dir() else [ROOT / f"{package}.py"]


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file it does so, relative imports resolved."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def offences(files: list[Path], forbidden: tuple[str, ...]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files
        for module in imports(path)
        if any(within(module, package) for package in forbidden)
    ]


@pytest.mark.parametrize(
    ("package", "forbidden"),
    [
        ("protocols", ("firmware_sim", "shoectl", "asyncio", "logging", "time", "random")),
        ("firmware_sim", ("shoectl",)),
        ("shoectl", ("firmware_sim",)),
        ("shoectl/games", ("protocols", "shoectl.devices", "shoectl.transports", "shoectl.table", "asyncio", "random")),
        ("shoectl/cards", ("protocols", "shoectl.devices", "shoectl.games", "asyncio", "random")),
        ("shoectl/devices", ("shoectl.games", "shoectl.table", "shoectl.commands")),
        ("shoectl/transports", ("shoectl.games", "shoectl.table", "shoectl.devices", "shoectl.commands")),
        ("shoectl/odds", ("protocols", "shoectl.devices", "shoectl.transports", "shoectl.table", "asyncio", "random")),
        ("shoectl/daemon", ("shoectl.odds",)),
        ("shoectl/table_setup", ("shoectl.odds",)),
        ("shoectl/table", ("shoectl.odds", "shoectl.commands", "shoectl.transports")),
        ("shoectl/table", ("shoectl.terminal", "shoectl.daemon")),
    ],
)
def test_a_layer_imports_only_what_lies_below_it(package: str, forbidden: tuple[str, ...]) -> None:
    assert offences(sources(package), forbidden) == []


@pytest.mark.parametrize(
    ("library", "homes"),
    [
        ("construct", ("protocols/",)),
        ("serial", ("shoectl/transports/",)),
        ("usb", ("shoectl/transports/",)),
        ("aiomqtt", ("shoectl/mqtt/",)),
        ("paho", ("shoectl/mqtt/",)),
        ("starlette", ("shoectl/console/",)),
        ("fastapi", ("shoectl/console/",)),
        ("uvicorn", ("shoectl/console/",)),
        ("jinja2", ("shoectl/console/",)),
        ("prometheus_client", ("shoectl/console/",)),
        ("argon2", ("shoectl/people/",)),
        ("numpy", ("shoectl/odds/question",)),
        ("rich", ("shoectl/terminal", "shoectl/commands/")),
    ],
)
def test_a_library_is_imported_in_its_one_place_only(library: str, homes: tuple[str, ...]) -> None:
    outside = [
        path for package in OURS for path in sources(package) if not str(path.relative_to(ROOT)).startswith(homes)
    ]
    assert offences(outside, (library,)) == []


def test_a_game_imports_its_odds_in_its_own_odds_alone() -> None:
    files = [path for path in sources("shoectl/games") if not path.name.startswith("odds")]
    assert offences(files, ("shoectl.odds",)) == []


def test_no_file_is_longer_than_a_person_reads_in_one_go() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for package in OURS
        for path in sources(package)
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST and name not in LONGER} == {}
    assert [name for name in LONGER if lengths.get(name, 0) <= LONGEST] == [], "a reason that is no longer needed"


def test_the_packages_say_that_they_are_typed() -> None:
    assert [package for package in OURS if not (ROOT / package / "py.typed").exists()] == []


def test_every_package_has_its_init() -> None:
    folders = {path.parent for package in OURS for path in sources(package)}
    assert [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()] == []
