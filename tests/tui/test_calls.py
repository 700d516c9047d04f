"""The call: notes, the handover note, what rings, and what can be proved about it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import text
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.unsteady_service import Unsteady
from textual import events

from chainteller.domain.actors import Actor
from chainteller.engine.verification.full_pass import verify_chain
from chainteller.records.formats import short_id
from chainteller.service import operations as op
from chainteller.service.errors import NotOffered, UnsupportedMarket
from chainteller.service.layers import Next, layered
from chainteller.service.models.notes import AddNote
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.audit.screen import AuditScreen
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Question
from chainteller.tui.start import StartedDesk

Answer = TypeVar("Answer")
SIZES = [(80, 24), (120, 40), (200, 60)]


def _bought(bench: Bench, account_id: str) -> str:
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account_id)
    return bench.service.execute_quote(quote.id, request).value.id


def noted(app: Console, bench: Bench, about: str) -> list[str]:
    """What the notes about a record say, of the team or of this machine."""
    if bench.place is not None:
        return [row.partition("  ")[2] for row in app.desk.note(about).splitlines()]
    found = bench.service.notes(ListQuery(subject=about)).data
    return [each.content for each in reversed(found) if each.content is not None]


@pytest.mark.needs("transactions")
async def test_a_note_and_a_call_end_in_one_handover_note(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "i")
        await press(pilot, "n", *"wants sol", "enter")
        assert "wants sol" in seen(app)
        await press(pilot, "d", *"250", "enter")
        bench.world.advance(120)
        await press(pilot, "i")
        shown = seen(app)
        assert "HANDOVER" in shown
        assert "call of 2 min" in shown
        await press(pilot, "h")
        for wanted in (
            account.id,
            "wants sol",
            "deposit of 250.00 USD",
            "Next: nothing is in progress",
        ):
            assert wanted in app.clipboard
    assert bench.service.audit().data[0].action != "note"


async def test_what_was_told_minutes_ago_does_not_come_back_as_news(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"250", "enter")
        assert "deposit 250.00 USD completed" in seen(app)
        bench.world.advance(119)
        await press(pilot, "4", "1")
        assert "deposit 250.00 USD completed" in seen(app)
        bench.world.advance(1)
        await press(pilot, "4", "1")
        assert "deposit 250.00 USD completed" not in seen(app)
        await press(pilot, "!")
        assert "deposit 250.00 USD completed" in seen(app)


async def test_a_paste_of_several_lines_is_taken_whole(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "n")
        app.post_message(events.Paste("the customer says:\r\n  call back after 16:00\n\n"))
        await settle(pilot)
        await press(pilot, "enter")
        key = "8f6f4d2c0a1b3c5d7e9f1a2b3c4d5e6f7a8b9cadbecfd0e1f2031425364758aa"
        await press(pilot, "n")
        app.post_message(events.Paste(f"{key[:32]}\n{key[32:]}"))
        await settle(pilot)
        await press(pilot, "enter")
        assert "SECRET_ENTERED" in seen(app)
    (noted,) = bench.service.notes(ListQuery(trading_account_id=account.id)).data
    assert noted.content == "the customer says: call back after 16:00"


async def test_notes_are_removed_only_after_a_yes(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "n", *"first", "enter")
        await press(pilot, "n", "ctrl+d")
        await answer(pilot, "n")
        assert noted(app, bench, account.id) == ["first"]
        await press(pilot, "ctrl+d")
        await answer(pilot, "y")
        assert noted(app, bench, account.id) == []


@pytest.mark.needs("notes")
@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_colleague_reads_notes_and_erases_none_of_them(
    bench: Bench, size: tuple[int, int]
) -> None:
    account = bench.open(1)
    colleague = bench.world.engine.acting_as(Actor(name="s.iyer"))
    colleague.add_note(AddNote(subject=account.id, content="wants a call"))
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "n")
        assert "s.iyer  wants a call" in seen(app)
        await press(pilot, "ctrl+d")
        assert not isinstance(app.screen, Question)
        await press(pilot, "escape", "P")
        assert "note: wants a call, s.iyer" in seen(app)
        await press(pilot, ":", *"wants a ca")
        assert "s.iyer  wants a call" in seen(app)
    assert noted(app, bench, account.id) == ["wants a call"]


@pytest.mark.needs("notes")
async def test_a_note_that_may_not_be_erased_is_named_as_that(bench: Bench) -> None:
    account = bench.open(1)
    bench.service.add_note(AddNote(subject=account.id, content="wants a call"))
    app = bench.console(read_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "n", "ctrl+d")
        assert "note not erased: READ_ONLY" in seen(app)


async def test_a_watched_trade_rings_when_it_ends(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _bought(bench, account.id)
    app = bench.console()
    rung: list[str] = []
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        _listen(app, rung.append)
        await press(pilot, "4", "m")
        assert "watching" in seen(app)
        bench.world.advance(60)
        bench.world.advance(60)
        await press(pilot, "r")
        shown = seen(app)
        assert "trade settled" in shown
        assert "(1 new !)" in shown
        assert rung == ["bell"]
        assert [toast.message.split("  ")[0] for toast in app._notifications] == ["trade settled"]
        await press(pilot, "exclamation_mark", "escape")
        assert "new !)" not in seen(app)


async def test_a_watched_trade_that_is_slow_rings_once(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _bought(bench, account.id)
    app = bench.console()
    rung: list[str] = []
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        _listen(app, rung.append)
        await press(pilot, "4", "m", "r")
        assert rung == []
        assert bench.world.clock is not None
        bench.world.clock.advance(61 * 1_000_000)
        await press(pilot, "r", "r")
        assert rung == ["bell"]
        assert "SLOW: trade still processing after 1:01" in seen(app)


def _listen(app: Console, heard: Callable[[str], None]) -> None:
    app.bell = lambda: heard("bell")  # type: ignore[method-assign]  # the terminal's own


async def test_a_text_to_sign_that_runs_out_soon_rings_once(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.desk.challenges["CHG_1"] = app.desk.now + 290 * 1_000_000
        app.desk.challenges["CHG_2"] = app.desk.now + 3_600 * 1_000_000
        await press(pilot, "r")
        assert "a message to sign expires in 4:50" in seen(app)
        assert app.desk.alerts == 1
        await press(pilot, "r")
        assert app.desk.alerts == 1
        assert set(app.desk.challenges) == {"CHG_2"}


async def test_the_audit_trail_of_a_record_is_verified_with_its_head(bench: Bench) -> None:
    account = bench.open(1, deposit="10.00")

    def start() -> StartedDesk:
        database = bench.world.context.database
        return StartedDesk(bench.service, "bank", verify_audit=lambda: verify_chain(database))

    app = Console(start, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        shown = seen(app)
        assert f"AUDIT  {account.id}" in shown
        assert "WHO" not in shown
        await press(pilot, "v")
        assert "rows intact" in seen(app)
        assert bench.service.audit().data[0].hash in app.desk.log[-1].text
        with bench.world.context.database.write() as connection:
            triggers = connection.execute(
                text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            )
            for (name,) in triggers:
                connection.execute(text(f'DROP TRIGGER "{name}"'))
            connection.execute(
                text(
                    "UPDATE entry SET object = 'nobody' "
                    "WHERE organisation_id = 'default' AND number = 2"
                )
            )
            connection.commit()
        await press(pilot, "v")
        assert "broken at row 2" in seen(app)


@pytest.mark.needs("audit")
async def test_a_narrow_trail_says_of_an_account_which_record_and_of_a_record_who(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="10.00")
    deposit = bench.service.deposits(account.id).data[0]
    app = bench.console()
    async with app.run_test(size=(64, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        shown = seen(app)
        assert "WHO" not in shown
        assert short_id(deposit.id) in shown
        assert isinstance(app.screen, AuditScreen)
        app.screen.show_trail(deposit.id)
        await settle(pilot)
        shown = seen(app)
        assert f"AUDIT  {deposit.id}" in shown
        assert "op01" in shown.splitlines()[3]
        assert "OBJECT" not in shown


async def test_a_trail_has_the_same_columns_whatever_came_of_its_requests(bench: Bench) -> None:
    account = bench.open(1, deposit="10.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        before = seen(app).splitlines()[2:4]
        asked = QuoteRequest(amount="1.00", side="buy", trading_account_id=account.id)
        with pytest.raises(UnsupportedMarket):
            bench.service.create_quote("doge-usd", asked)
        await press(pilot, "r")
        shown = seen(app)
        assert "UNSUPPORTED_MARKET" in shown
        assert shown.splitlines()[2:4][0] == before[0]
        assert all(each in shown for each in ("WHO", "ACTION", "OBJECT", "OUTCOME", "op01"))


async def test_the_trail_of_a_record_says_that_its_rows_are_its_own(bench: Bench) -> None:
    account = bench.open(1, deposit="10.00")
    deposit = bench.service.deposits(account.id).data[0]
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        assert "of its own" not in seen(app)
        assert isinstance(app.screen, AuditScreen)
        app.screen.show_trail(deposit.id)
        await settle(pilot)
        assert "1 row of its own   v checks" in seen(app)


def own_rows_alone(call: Call[Answer], onward: Next) -> Answer:
    """A deployment whose audit trail knows the rows of a record, not those of an account."""
    asked = call.query
    if isinstance(asked, ListQuery) and call.operation is op.AUDIT and asked.trading_account_id:
        raise NotOffered("This deployment doesn't offer this.")
    return onward(call)


@pytest.mark.needs("audit-of-account")
async def test_the_trail_of_an_account_shows_all_that_was_done_to_it(bench: Bench) -> None:
    account = bench.open(1, deposit="10.00")
    bench.open(2, deposit="20.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.post_message(events.Paste(account.id))
        await settle(pilot)
        await press(pilot, "a")
        shown = seen(app)
        assert "2 rows   v checks" in shown
        assert "deposit  by op01" in shown
        assert bench.service.deposits(account.id).data[0].id in shown
    app = bench.console(layered(bench.deployment, own_rows_alone))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.post_message(events.Paste(account.id))
        await settle(pilot)
        await press(pilot, "a")
        assert "1 row of its own   v checks" in seen(app)
        assert "deposit  by op01" not in seen(app)


@pytest.mark.needs("audit")
async def test_a_remote_trail_is_checked_as_far_as_it_is_shown(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1, deposit="10.00")

    def start() -> StartedDesk:
        return bench.start(workspace_file=tmp_path / "desk.db")

    app = Console(start, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        await press(pilot, "v")
        rows = bench.service.audit().data
        assert f"[ok] {len(rows)} rows as shown, 0 proven" in seen(app), "no head is signed here"
        assert rows[0].hash in app.desk.log[-1].text
        assert "chainteller audit verify" in app.desk.log[-1].detail
        bench.open(2)
        await press(pilot, "v")
        assert f"row {rows[0].seq} as seen earlier" in app.desk.log[-1].text
        app.desk.remember("audit.head", [rows[0].seq, "0" * 64])
        await settle(pilot)
        await press(pilot, "v")
        assert f"broken at row {rows[0].seq}" in seen(app)
        app.desk.remember("audit.head", [99_999, "0" * 64])
        await settle(pilot)
        await press(pilot, "v")
        assert "seen here earlier, is missing" in app.desk.log[-1].text
    app.desk.end()


@pytest.mark.needs("engine")
async def test_facts_about_the_place_name_what_it_lacks(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.run_action("command('palette.info')")
        await settle(pilot)
        shown = seen(app)
        for wanted in ("version", "EMBEDDED", "read and write", "workspace", "offers"):
            assert wanted in shown


async def test_a_window_too_small_says_so_and_keeps_its_state(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"75")
        for size in ((40, 10), (59, 16), (60, 15)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert "This window is too small." in seen(app)
            assert "The console needs 60 x 16." in seen(app)
            for fits in ((60, 16), (80, 24)):
                await pilot.resize_terminal(*fits)
                await settle(pilot)
                assert "too small" not in seen(app)
                assert re.search(r"USD  75\b", seen(app))


async def test_no_answer_is_told_with_when_it_is_asked_again(bench: Bench) -> None:
    silent = Unsteady(bench.deployment)
    app = bench.console(silent)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        silent.is_silent = True
        await press(pilot, "r", "r")
        assert re.search(r"no answer, retry in \d+ s", seen(app))
        silent.is_silent = False
        await press(pilot, "r")
        assert "live" in seen(app)
