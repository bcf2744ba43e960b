"""What the faults of a USB plug are tried with: tables whose devices all hang on one simulated bus (USB/IP).

An Alder has a plug of its own (CDC-ACM) or is behind an adapter (FT232R), as a Birch always is; Cedar and Dogwood are
nothing but USB devices.
"""

from __future__ import annotations

from tests.endtoend.scripts import Script, written

OWN = "alder?plug=own,birch?plug=ftdi"
ADAPTERS = "alder?plug=ftdi,birch?plug=ftdi"
MIXING = "cedar"
LIGHT = "alder,dogwood"

OF_OWN = """
alder:stall@frame=9 | alder:stall@frame=21,way=out | birch:stall@frame=60 | birch:stall@frame=90,clears=9
alder:overflow@frame=9 | alder:overflow@frame=21,transfers=9 | birch:overflow@frame=60
alder:short_read@frame=9 | alder:short_read@frame=21,bytes=5 | birch:short_read@frame=60,bytes=3
alder:suspend@frame=9 | birch:suspend@frame=60 | birch:suspend@frame=90,ms=9000
alder:renumber@frame=9 | birch:renumber@frame=60 | alder:unplug@frame=9 | birch:unplug@frame=60,bytes=3
alder:swap@frame=9 | birch:swap@frame=60 | birch:swap@frame=60,back=2000
"""

OF_ADAPTERS = """
alder:stall@frame=9,clears=9 | alder:stall@frame=9,way=out,clears=9 | alder:overflow@frame=9
alder:short_read@frame=9,bytes=3 | alder:suspend@frame=21 | alder:unplug@frame=21,bytes=4 | alder:swap@frame=9
"""

OF_MIXING = """
cedar:stall@frame=60 | cedar:stall@frame=90,way=out,clears=3 | cedar:stall@frame=60,clears=9
cedar:overflow@frame=60 | cedar:overflow@frame=90,transfers=9 | cedar:short_read@frame=60
cedar:short_read@frame=90,bytes=20 | cedar:report_lost@report=5 | cedar:report_lost@report=9,reports=20
cedar:report_twice@report=5 | cedar:report_twice@report=9,reports=20 | cedar:suspend@frame=60
cedar:suspend@frame=90,ms=9000 | cedar:renumber@frame=60 | cedar:renumber@frame=150 | cedar:unplug@frame=60
cedar:unplug@frame=90,bytes=12 | cedar:swap@frame=60
"""

OF_LIGHT = """
dogwood:stall@frame=60 | dogwood:stall@frame=90,way=out,clears=3 | dogwood:stall@frame=60,clears=9
dogwood:overflow@frame=60 | dogwood:overflow@frame=90,transfers=9 | dogwood:short_read@frame=60
dogwood:short_read@frame=90,bytes=20 | dogwood:report_lost@report=40 | dogwood:report_lost@report=50,reports=20
dogwood:report_twice@report=40 | dogwood:report_twice@report=50,reports=20 | dogwood:suspend@frame=60
dogwood:suspend@frame=90,ms=9000 | dogwood:renumber@frame=60 | dogwood:unplug@frame=60
dogwood:unplug@frame=90,bytes=12 | dogwood:swap@frame=60 | dogwood:swap@frame=60,back=2000 | alder:swap@frame=9
"""

USB: tuple[Script, ...] = (
    *written(OF_OWN, OWN),
    *written(OF_ADAPTERS, ADAPTERS),
    *written(OF_MIXING, MIXING),
    *written(OF_LIGHT, LIGHT),
)
