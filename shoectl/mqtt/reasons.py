"""Why the broker is not there, in plain words. What happened is told by classes and codes, never by texts."""

from __future__ import annotations

import socket
import sqlite3
import ssl
from collections.abc import Iterator
from typing import Final

from aiomqtt import MqttCodeError, MqttError
from paho.mqtt.reasoncodes import ReasonCode

from shoectl.errors import ShoectlError

TAKEN_OVER: Final = 0x8E

_CODES: Final = {
    0x00: "the broker ended the connection",
    0x80: "the broker refuses, and does not say why",
    0x81: "the broker could not read what was sent",
    0x82: "the broker calls it a protocol error",
    0x84: "the broker does not speak MQTT 5",
    0x85: "the broker does not take this client id",
    0x86: "not authorised: the user name or the password is wrong",
    0x87: "not authorised: the broker refuses this user name, password or client certificate",
    0x88: "the broker is not available",
    0x89: "the broker is busy",
    0x8A: "this client is banned",
    0x8B: "the broker is shutting down",
    0x8D: "the broker heard nothing from here for too long",
    TAKEN_OVER: "another client uses this id",
    0x93: "more was sent at a time than the broker takes",
    0x95: "a message was longer than the broker takes",
    0x96: "more was sent than the broker takes",
    0x97: "the broker's quota is used up",
    0x98: "an administrator ended the connection",
    0x9A: "the broker keeps no retained messages, which the bus needs",
    0x9B: "the broker does not take QoS 1, which the bus needs",
    0x9F: "the broker takes no more connections for now",
}
# X509_V_ERR_… of OpenSSL's x509_vfy.h
_CERTIFICATES: Final = {
    9: "the broker's TLS certificate is not valid yet (or the clock here is wrong)",
    10: "the broker's TLS certificate has expired (or the clock here is wrong)",
    18: "the broker's TLS certificate is signed by itself, and not trusted here",
    19: "the broker's TLS certificate comes from an authority that is not trusted here",
    20: "the broker's TLS certificate comes from an authority that is not trusted here",
    21: "the broker's TLS certificate cannot be traced to its authority",
    62: "the broker's TLS certificate is for another host name",
    64: "the broker's TLS certificate is for another address",
}


class Gone(MqttError):
    """The connection ended, and the broker did not say why."""


class Denied(Exception):
    """The broker took a message and refused it: nobody will get it."""

    def __init__(self, topic: str, code: int) -> None:
        super().__init__(f"not authorised to publish {topic}" if code == 0x87 else f"{topic}: {of_code(code)}")
        self.topic = topic
        self.code = code


def of_code(code: int) -> str:
    """An MQTT 5 reason code in words."""
    return _CODES.get(code, f"the broker refuses with reason code {code:#04x}")


def code_of(error: BaseException) -> int | None:
    """The MQTT 5 reason code that an error carries, itself or the one it comes from; None where there is none."""
    for one in _chain(error):
        if isinstance(one, MqttCodeError) and isinstance(one.rc, ReasonCode):
            return int(one.rc.value)
    return None


def words_for(error: BaseException) -> str:
    """What to tell people of an error of the connection."""
    code = code_of(error)
    if code is not None:
        return of_code(code)
    for one in _chain(error):
        match one:
            case Denied() | Gone() | ShoectlError():
                return str(one)
            case ssl.SSLCertVerificationError():
                why = f"the broker's TLS certificate is refused: {one.verify_message}"
                return _CERTIFICATES.get(one.verify_code, why)
            case ssl.SSLError():
                reason = getattr(one, "reason", None) or "no reason given"
                return f"TLS with the broker fails: {reason.replace('_', ' ').lower()}"
            case sqlite3.Error():
                return f"the bus cannot use its file beside the journal: {one}"
            case socket.gaierror():
                return "the broker's host name cannot be resolved"
            case ConnectionRefusedError():
                return "nothing listens at the broker's address"
            case TimeoutError():
                return "the broker does not answer"
            case OSError():
                return f"the broker cannot be reached: {(one.strerror or type(one).__name__).lower()}"
    return "the broker does not answer, or is gone"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it comes from; a library that hides them (`from None`) still keeps them."""
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__ or seen.__context__
