"""Both families, for the tests that hold for any."""

import pytest

from tests.devices.scripted import Device, alder, birch


@pytest.fixture(params=["alder", "birch"])
def device(request: pytest.FixtureRequest) -> Device:
    return alder() if request.param == "alder" else birch()
