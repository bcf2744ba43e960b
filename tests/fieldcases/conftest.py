"""Both families, for the tests that hold for any; a broker for those of whole daemons."""

import pytest

from tests.devices.scripted import Device, alder, birch
from tests.mqtt.conftest import broker as broker


@pytest.fixture(params=["alder", "birch"])
def device(request: pytest.FixtureRequest) -> Device:
    return alder() if request.param == "alder" else birch()
