"""What can go wrong on demand: `[FAMILY:]NAME[@KEY=VALUE,...]`.

Triggers are counts of cards, cycles, draws, frames, events or writes, never times, so a run with faults can be run
again. Where something can break, the code there asks the plan (`plan.take("jam", device, card=31)`); a new fault is
one entry in the catalogue and one question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from firmware_sim.catalogue import CATALOGUE, GROUPS, Key, Kind
from firmware_sim.mixers import stream


class BadFault(ValueError):
    """A fault that cannot be: one line saying what, where and what is allowed."""


@dataclass(frozen=True)
class Fault:
    """One fault of the plan, with all its keys filled in; None where any value triggers."""

    kind: Kind
    family: str | None
    values: Mapping[str, int | str | None]
    spec: str

    def number(self, key: str) -> int:
        """The value of a key that is a number; 0 where it is not given, or not for that family."""
        value = self.values.get(key)
        return value if isinstance(value, int) else 0

    def text(self, key: str) -> str | None:
        """The value of a key that is a text."""
        value = self.values.get(key)
        return None if value is None else str(value)

    def fits(self, device: str, at: Mapping[str, int]) -> bool:
        """Whether it strikes this device (`birch` or `birch@4`) at these counts.

        One that names an event strikes at that event and nowhere else; one that names none, at no event.
        """
        if self.family is not None and self.family not in (device, device.partition("@")[0]):
            return False
        if device.partition("@")[0] not in self.kind.families:
            return False
        if at and self.values.get("event") != at.get("event"):
            return False
        return all(self.values.get(key) in (None, count) for key, count in at.items())


@dataclass
class FaultPlan:
    """The faults of one run.

    `fired` counts how often each struck; `remember` is told so that a restart does not strike again.
    """

    seed: int = 0
    faults: list[Fault] = field(default_factory=list)
    fired: dict[str, int] = field(default_factory=dict)
    remember: Callable[[str, int], None] = lambda spec, times: None
    _counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, spec: str) -> Fault:
        """Arm a fault. Raises BadFault."""
        fault = parse(spec, self.seed)
        self.faults.append(fault)
        return fault

    def lasting(self, name: str, device: str) -> bool:
        """Whether a fault that does not come and go is in the plan."""
        return any(fault.kind.name == name and fault.fits(device, {}) for fault in self.faults)

    def option(self, name: str, device: str, key: str) -> int | None:
        """The value of a key of such a fault."""
        fitting = [fault for fault in self.faults if fault.kind.name == name and fault.fits(device, {})]
        return fitting[-1].number(key) if fitting else None

    def take(self, name: str, device: str, **at: int) -> Fault | None:
        """The fault of that name that strikes here and now, if any; it counts as having struck."""
        return next(iter(self.strikes((name,), device, at, one=True)), None)

    def strikes(self, names: Collection[str], device: str, at: Mapping[str, int], *, one: bool = False) -> list[Fault]:
        """Those of these names that strike here and now (`one`: the first of them); they count as having struck."""
        struck: list[Fault] = []
        for fault in self.faults:
            if fault.kind.name in names and fault.fits(device, at) and self._left(fault):
                self._struck(fault)
                struck.append(fault)
                if one:
                    break
        return struck

    def take_since(self, name: str, device: str, suits: Callable[[Fault], bool], **since: int) -> Fault | None:
        """As `take`, for one that waits from its counts on until something comes that suits it."""
        for fault in self.faults:
            come = all(fault.number(key) <= count for key, count in since.items())
            if fault.kind.name == name and come and suits(fault) and fault.fits(device, {}) and self._left(fault):
                self._struck(fault)
                return fault
        return None

    def count(self, what: str, device: str) -> int:
        """The number of the next event or write of a device in this run."""
        number = self._counts[what, device] = self._counts.get((what, device), 0) + 1
        return number

    def _struck(self, fault: Fault) -> None:
        key = self._key(fault)
        self.fired[key] = self.fired.get(key, 0) + 1
        self.remember(key, self.fired[key])

    def _left(self, fault: Fault) -> bool:
        times = fault.number("times")
        return times == 0 or self.fired.get(self._key(fault), 0) < times

    def _key(self, fault: Fault) -> str:
        before = next(i for i, other in enumerate(self.faults) if other is fault)
        twins = sum(other.spec == fault.spec for other in self.faults[:before])
        return f"{fault.spec}#{twins}"


def parse(spec: str, seed: int = 0) -> Fault:
    """Read `alder:jam@card=31,tries=3`; a value `?` is drawn by the seed. Raises BadFault."""
    head, _, tail = spec.partition("@")
    if "=" in head.partition(":")[0] or not head:
        raise BadFault(f"--fault {spec!r}: write [FAMILY:]NAME[@KEY=VALUE,...]")
    family, name = _split_family(spec, head, tail)
    kind = CATALOGUE.get(name)
    if kind is None:
        raise BadFault(f"--fault {spec!r}: no fault {name!r}; there are {', '.join(sorted(CATALOGUE))}")
    if family is not None and family.partition("@")[0] not in kind.families:
        raise BadFault(f"--fault {spec!r}: {name} is for {' and '.join(kind.families)}")
    keys = kind.keys_of(None if family is None else family.partition("@")[0])
    return Fault(kind, family, _values(spec, kind, keys, _pairs(tail, head), seed), spec)


def _split_family(spec: str, head: str, tail: str) -> tuple[str | None, str]:
    """`birch@4:jam` has an address before the colon, which the first `@` must not swallow."""
    if ":" not in head and ":" in tail.partition("=")[0]:
        address, _, name = tail.partition(":")
        return f"{head}@{address}", name.partition("@")[0]
    family, _, name = head.rpartition(":")
    return family or None, name


def _pairs(tail: str, head: str) -> Sequence[str]:
    if ":" not in head and ":" in tail.partition("=")[0]:
        tail = tail.partition(":")[2].partition("@")[2]
    return [pair for pair in tail.split(",") if pair]


def _values(
    spec: str, kind: Kind, keys: Mapping[str, Key], pairs: Sequence[str], seed: int
) -> dict[str, int | str | None]:
    values: dict[str, int | str | None] = {name: key.default for name, key in keys.items()}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        key = keys.get(name)
        if key is None or not equals:
            raise BadFault(f"--fault {spec!r}: {kind.name} takes {', '.join(f'{k}=' for k in keys)} and not {pair!r}")
        values[name] = _value(spec, name, key, text, seed)
    return values


def _value(spec: str, name: str, key: Key, text: str, seed: int) -> int | str:
    if key.choices is not None:
        if key.choices and text not in key.choices:
            raise BadFault(f"--fault {spec!r}: {name} is one of {', '.join(key.choices)} and not {text!r}")
        return text
    if text == "?":
        return stream(seed, "fault", spec, name).randint(1, 52)
    try:
        number = int(text)
    except ValueError:
        number = key.least - 1
    if number < key.least:
        raise BadFault(f"--fault {spec!r}: {name} is a whole number from {key.least} on (or ?), not {text!r}")
    return number


def listing() -> str:
    """Every fault with its keys and meaning, as `--fault list` prints it."""
    lines = []
    for kind in CATALOGUE.values():
        lines.append(f"{kind.name}  ({', '.join(kind.families)})  {kind.meaning}")
        for name, key in kind.keys.items():
            only = f" ({', '.join(key.only)} only)" if key.only else ""
            lines.append(f"    {name}={_default(key)}  {key.meaning}{only}")
    return "\n".join(lines)


def table() -> str:
    """The same as the tables of docs/simulator.md, as `--fault table` prints it."""
    lines = []
    for group, kinds in GROUPS.items():
        lines += [
            f"### {group}",
            "",
            "| Fault | Devices | Keys | What happens | Told by |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [_row(kind) for kind in kinds] + [""]
    return "\n".join(lines)


def _row(kind: Kind) -> str:
    keys = [_cell(name, key) for name, key in kind.own.items()]
    said = dict.fromkeys(name for names in kind.tells.values() for name in names)
    cells = (f"`{kind.name}`", ", ".join(kind.families), ", ".join(keys) or "–", kind.meaning, ", ".join(said) or "–")
    return f"| {' | '.join(cells)} |"


def _cell(name: str, key: Key) -> str:
    return f"`{name}`" + ("" if key.default is None else f" ({key.default})")


def _default(key: Key) -> str:
    return "any" if key.default is None else str(key.default)
