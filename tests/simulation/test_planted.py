"""Every fault for the simulator can still be planted; ``tests.simulation.planted`` plants them."""

from tests.faults.__main__ import planted
from tests.simulation.planted import FAULTS


def test_every_fault_can_still_be_planted_and_has_a_name_of_its_own() -> None:
    assert [fault.name for fault in FAULTS if planted(fault) is None] == []
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20
