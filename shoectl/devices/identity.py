"""Whether a device may sit at a place, by what it says of itself. Asked before anything else is said to it."""

from __future__ import annotations

from protocols.family import Family, families
from protocols.vocabulary import PROTO, Identity

_RESERVED_CAPABILITY = 1 << 15


def refusal(
    identity: Identity, family: Family, serial: str | None, port: str, firmware: str | None = None, level: int = 0
) -> str | None:
    """Why this device is not the one for the place, in words that say what to do; None if it is.

    `serial` and `firmware` are the configured serial number and version, None where any will do; `level` is the
    security level of the link.
    """
    said = f"{identity.model} {identity.serial}"
    if identity.family != family.code:
        return (
            f"{said} at {port} is of the family {family_name(identity.family)} and not {family.name}: correct the URL; "
            "where two adapters share one name, use their names under /dev/serial/by-path"
        )
    if serial is not None and identity.serial != serial:
        return f"{said} at {port} is not the unit {serial} that is configured: correct the URL or the serial"
    if firmware is not None and identity.fw_version != firmware:
        return (
            f"{said} has firmware {identity.fw_version} and not {firmware}, which is configured: "
            "have the right one installed, or configure it once it is approved"
        )
    if identity.proto != PROTO:
        return f"{said} speaks version {identity.proto} of the protocol and not {PROTO}: bring both up to date"
    if identity.caps & _RESERVED_CAPABILITY:
        return f"{said} claims a capability that must not be claimed (bit 15): its firmware is not for this program"
    if identity.min_level > level:
        return (
            f"wrong security level: {said} asks for level {identity.min_level}, and {level} is configured: "
            f"configure level {identity.min_level} and the key of the device"
        )
    return None


def family_name(code: int) -> str:
    """The name of a family by its code, as far as it is installed."""
    return next((name for name, family in families().items() if family.code == code), f"family {code:02X}")


def same_unit(one: Identity, other: Identity) -> bool:
    """Whether both are the same device with the same memory (common.md §3)."""
    return (one.family, one.serial, one.epoch, one.key_id) == (other.family, other.serial, other.epoch, other.key_id)
