"""What ``verify`` says of a damaged row, word for word."""

import pytest
from tests.tampering.breaches import STATEMENTS, kept, said
from tests.world.engines import World

KEPT = kept()


def test_what_is_kept_belongs_to_the_statements() -> None:
    assert tuple(KEPT) == STATEMENTS


@pytest.mark.forms(41)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_finding_names_its_invariant_the_row_and_what_is_wrong(
    bank: World, statement: str
) -> None:
    assert said(bank, statement) == KEPT[statement]
