"""Every fault can still be planted; ``python -m tests.faults`` plants them."""

from tests.faults.__main__ import ROOT, planted
from tests.faults.fault import SIMULATOR
from tests.faults.faults import FAULTS


def test_every_fault_can_still_be_planted_and_has_a_name_of_its_own() -> None:
    assert [fault.name for fault in FAULTS if planted(fault) is None] == []
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 190


def test_every_test_that_should_notice_a_fault_exists() -> None:
    named = {each.partition("::")[::2] for fault in FAULTS for each in fault.tests}
    named -= {(SIMULATOR, "")}
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file, _ in named}
    assert [each for each in named if f"def {each[1]}" not in texts[each[0]]] == []
