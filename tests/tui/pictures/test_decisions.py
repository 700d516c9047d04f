"""Decisions: what waits for a person, the detail, and the question."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, answer, make_bench, press, settle
from tests.tui.pictures.album import Album, Format, with_pages
from tests.tui.test_decisions import REVIEW, waiting

from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy
from chainteller.service.models.decisions import OpenDecision

pytestmark = [pytest.mark.needs("picture"), pytest.mark.thorough]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bank in which withdrawals to unverified wallets wait for a person."""
    yield from make_bench(tmp_path, EngineOptions(rate_limits=False, policy=Policy(REVIEW)))


@with_pages
async def test_decisions_look_as_they_did(bench: Bench, album: Album, form: Format) -> None:
    waiting(bench)
    other = bench.open(2, deposit="900.00")
    asked = OpenDecision(
        kind="control",
        subject=other.id,
        control="FROZEN",
        reason="COMPLIANCE_REVIEW",
        words="Call of the police",
    )
    bench.service.open_decision(asked)
    app = bench.console()
    async with app.run_test(size=form.size) as pilot:
        await settle(pilot)
        await press(pilot, "7", "T")
        await settle(pilot)
        await album.of(pilot)("decisions")
        await press(pilot, "A")
        await album.of(pilot)("decision-question")
        await answer(pilot, "y")
    album.compare()
