"""What ``verify`` says of a damaged row, word for word."""

from tests.tampering.breaches import KEPT, said
from tests.world.engines import World


def test_every_finding_names_its_invariant_the_row_and_what_is_wrong(bank: World) -> None:
    assert said(bank) == KEPT.read_text(encoding="utf-8")
