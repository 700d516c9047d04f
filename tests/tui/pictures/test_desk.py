"""The desk on a good day, from the empty list to a trade that settled."""

from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import Bench, answer, press, settle
from tests.tui.pictures.album import Album, Format, Look, in_the_other_formats, with_pages
from textual.pilot import Pilot

from chainteller.engine.verification.full_pass import verify_chain
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.console.app import Console
from chainteller.tui.start import ProfileRow, StartedDesk

pytestmark = [pytest.mark.needs("picture"), pytest.mark.thorough]

EXPORTS = Path("/srv/exports")
"""Stands in a picture; nothing is written."""
PROFILES = (
    ProfileRow("own", "embedded", "the desk's own database"),
    ProfileRow("branch-7", "remote", "https://bank.example", read_only=True),
)


def people(bench: Bench) -> None:
    """Seven customers, the last one with two trades that settled."""
    for number in range(1, 7):
        bench.open(number, deposit=f"{number * 250}.00")
        bench.world.advance(60)
    account = bench.open(7, deposit="1750.00")
    bench.world.advance(60)
    for amount in ("100.00", "75.50"):
        asked = QuoteRequest(amount=amount, side="buy", trading_account_id=account.id)
        quote = bench.service.create_quote("sol-usd", asked).value
        bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
        bench.world.advance(11)
        bench.world.advance(90)


def _console(bench: Bench) -> Console:
    def start() -> StartedDesk:
        database = bench.world.context.database
        offered = bench.service.capabilities()
        return StartedDesk(
            bench.service, "test bank", offered, verify_audit=lambda: verify_chain(database)
        )

    app = bench.console(profiles=PROFILES, profile="own", export_folder=EXPORTS)
    return Console(start, app.desk.settings)


@with_pages
async def test_a_good_day_looks_as_it_did(
    bench: Bench, sample_bench: Bench, album: Album, form: Format
) -> None:
    empty = _console(bench)
    async with empty.run_test(size=form.size) as pilot:
        await settle(pilot)
        await album.of(pilot)("accounts-none")
    app = _console(sample_bench)
    async with app.run_test(size=form.size) as pilot:
        take = album.of(pilot)
        await settle(pilot)
        await _ask_before_an_execution(pilot, take)
        await _serve(pilot, take)
        await _look_round(pilot, take)
    album.compare()


@in_the_other_formats
async def test_a_list_and_a_question_look_as_they_did(
    sample_bench: Bench, album: Album, form: Format
) -> None:
    app = _console(sample_bench)
    async with app.run_test(size=form.size) as pilot:
        await settle(pilot)
        await _ask_before_an_execution(pilot, album.of(pilot))
    album.compare()


async def _ask_before_an_execution(pilot: Pilot[Any], take: Look) -> None:
    """The first customer of the sample bank is funded and asks for a price."""
    await take("accounts")
    await press(pilot, "d", *"1000")
    await take("deposit")
    await press(pilot, "enter")
    await press(pilot, "2")
    await take("markets")
    await press(pilot, "1", "b")
    await take("quote-form")
    await press(pilot, *"500", "enter")
    await take("quote")
    await press(pilot, "X")
    await take("question")


async def _serve(pilot: Pilot[Any], take: Look) -> None:
    """The customer says yes, and hears what became of it."""
    await answer(pilot, "y")
    await take("trades")
    await press(pilot, "enter")
    await take("trade")
    await press(pilot, "t")
    await take("customer-text")
    await press(pilot, "escape")
    await press(pilot, "3")
    await take("quote-executed")


async def _look_round(pilot: Pilot[Any], take: Look) -> None:
    """What stands beside the five screens."""
    await press(pilot, "1", "a")
    await press(pilot, "v")
    await take("audit")
    await press(pilot, "escape")
    await press(pilot, "exclamation_mark")
    await take("event-log")
    await press(pilot, "escape")
    await press(pilot, "question_mark")
    await take("help")
    await press(pilot, "escape")
    await press(pilot, "P")
    await take("customer")
    await press(pilot, "escape")
    await press(pilot, "plus")
    await take("customers")
    await press(pilot, "escape")
    await press(pilot, "n", *"wants SOL", "enter")
    await press(pilot, "n")
    await take("notes")
    await press(pilot, "escape")
    await press(pilot, "e")
    await take("export")
    await press(pilot, "escape")
    app = pilot.app
    assert isinstance(app, Console)
    await app.run_action("command('palette.profile')")
    await settle(pilot)
    await take("profiles")
    await press(pilot, "escape")
    await press(pilot, "colon", *"the")
    await take("palette", "escape", "colon", *"the")
