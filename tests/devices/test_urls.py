"""Device URLs: found by scheme, refused with what is allowed."""

import pytest

from shoectl.errors import BadInput
from shoectl.transports import open_transport
from shoectl.transports.serial import SerialTransport


def test_a_serial_url_names_port_and_rate() -> None:
    transport = open_transport("serial:///dev/shoectl/rs485?baud=38400&address=3")
    assert isinstance(transport, SerialTransport)
    assert (transport.path, transport.baud) == ("/dev/shoectl/rs485", 38400)


def test_a_serial_url_without_a_rate_has_57600() -> None:
    transport = open_transport("serial:///dev/ttyUSB0")
    assert isinstance(transport, SerialTransport)
    assert transport.baud == 57600


@pytest.mark.parametrize(
    "url", ["", "ttyUSB0", "/dev/ttyUSB0", "serial", "carrier-pigeon://loft", "http://[", "a\nb:c"]
)
def test_no_url_and_an_unknown_scheme_are_bad_input_that_lists_the_schemes(url: str) -> None:
    with pytest.raises(BadInput, match=r"known schemes: .*serial.*sim") as caught:
        open_transport(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("serial://dev/ttyUSB0", "three slashes"),
        ("serial:ttyUSB0", "three slashes"),
        ("serial:///dev/x?baud=fast", "baud is a whole number from 300 to 4000000"),
        ("serial:///dev/x?baud=0", "baud is a whole number"),
        ("serial:///dev/x?baud=٣٠٠", "baud is a whole number"),
        ("serial:///dev/x?parity=E", "no option 'parity' here; allowed: address, baud"),
        ("serial:///dev/x?baud=9600&baud=19200", "given twice"),
        ("serial:///dev/x?baud", "options are written"),
    ],
)
def test_a_garbled_serial_url_says_what_is_allowed(url: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        open_transport(url)
