"""A deployment of the bare specification: the desk keeps its own list and says what is missing."""

import re
from pathlib import Path

import pytest
from tests.deployments import SPEC_ONLY
from tests.spec_only.wrong_answers import CALLS, SILENCE_S, SILENT, wrong
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.wallet_case import ALICE, Case, paste, signed
from textual import events

from chainteller.tui.console.app import Console
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets.lines import Lines

_LINK = "/blockchain-accounts/{}/counterparties"
pytestmark = pytest.mark.parametrize("deployment", [SPEC_ONLY], indirect=True)


def _console(bench: Bench, file: Path | None = None) -> Console:
    """A console that was never on this deployment before, unless ``file`` knows it."""
    bank = bench.deployment

    def start() -> StartedDesk:
        return StartedDesk(bank, "strict", bank.capabilities(), workspace_file=file)

    return Console(start, bench.settings)


async def test_an_account_is_added_by_its_id_and_served(bench: Bench, tmp_path: Path) -> None:
    account = bench.open(1)
    app = _console(bench, tmp_path / "workspace.db")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "This deployment can't list accounts." in seen(app)
        await press(pilot, "plus", *account.id, "enter")
        shown = seen(app)
        assert account.id in shown
        assert "live" in shown
        assert "seen from this desk" in shown
        assert "not offered by this deployment" in shown
        await press(pilot, "d", *"100", "enter")
        assert "deposit 100.00" in seen(app)
        await press(pilot, "colon", *"100")
        assert "deposit 100.00 USD  was accepted" in seen(app)
        await press(pilot, "escape", "a")
        assert "NOT_OFFERED" in seen(app)
        assert "not offered by this deployment   esc: back" in seen(app)
    assert bench.service.deposits(account.id).pagination.total == 1


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", [(80, 24), (110, 32), (120, 40)])
async def test_what_to_do_with_an_empty_list_is_never_cut(
    bench: Bench, size: tuple[int, int]
) -> None:
    account = bench.open(1)
    app = _console(bench)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert re.search(
            r"can't list accounts\. +[|\u2502 \n]*\+ add TDA_\.\.\. or open one", seen(app)
        )
        await press(pilot, "plus", *account.id, "enter", "5")
        shown = seen(app)
        assert "This deployment can't list blockchain accounts." in shown
        assert "paste BCA_... to add one" in shown


async def test_a_pasted_id_is_checked_and_added(bench: Bench) -> None:
    account = bench.open(1, deposit="75.00")
    app = _console(bench)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.post_message(events.Paste("TDA_NOBODY"))
        await settle(pilot)
        assert "NOT_FOUND" in seen(app)
        app.post_message(events.Paste(account.id))
        await settle(pilot)
        shown = seen(app)
        assert "75.00" in shown
        assert "none" not in shown.split("ACTIVITY")[1].split("WALLETS")[0]


async def test_quotes_made_here_are_listed_and_found_again(bench: Bench, tmp_path: Path) -> None:
    account = bench.open(1, deposit="500.00")
    file = tmp_path / "desk.db"
    app = _console(bench, file)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *account.id, "enter")
        await press(pilot, "b", *"100", "enter")
        quote_id = _quote_id(app)
        await press(pilot, "X")
        await answer(pilot, "y")
    app.desk.end()
    again = _console(bench, file)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        shown = seen(again)
        assert "EARLIER QUOTES" in shown
        assert re.search(r"buy sol-usd 100.00 +executed", shown)
        again.post_message(events.Paste(quote_id))
        await settle(pilot)
        assert quote_id in seen(again)
    again.desk.end()


async def test_a_deposit_without_an_answer_is_never_sent_again(bench: Bench) -> None:
    account = bench.open(1)
    assert bench.place is not None
    bench.place.app.distort = wrong("HTML", CALLS["POST /trading-accounts/{}/deposits"])
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"70", "enter")
        assert "OUTCOME_UNKNOWN" in seen(app)
        bench.place.app.distort = None
        for _ in range(2):
            app.poll_now()
            await settle(pilot)
        shown = seen(app)
        assert "[?] outcome unknown: deposit of 70.00 USD" in shown
        assert "Compare the balance before you retry. U: close" in " ".join(shown.split())
        told = [f"{row.text} {row.detail}" for row in app.desk.log]
        assert any("Looking for its record; nothing is sent again." in each for each in told)
        assert any("Compare the balance before you retry." in each for each in told)
        await press(pilot, "6")
        assert "none was requested here" in seen(app), "an unknown outcome is no transfer"
        await press(pilot, "U", "1")
        assert "Compare the balance before you retry." in seen(app)
        await press(pilot, "escape")
        assert "[?]" not in seen(app)
    assert bench.service.deposits(account.id).pagination.total == 1


def _quote_id(app: Console) -> str:
    screen = app.screen
    assert isinstance(screen, QuoteScreen)
    assert screen.state.quote is not None
    return screen.state.quote.id


async def test_a_new_account_is_confirmed_where_customers_cannot_be_looked_up(
    bench: Bench, tmp_path: Path
) -> None:
    app = _console(bench, tmp_path / "desk.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("n", "y"):
            await press(pilot, "plus", *"DDA-3", "space", *"checking", "enter")
            assert "OPEN A TRADING ACCOUNT?" in seen(app)
            assert "with the checking bank account DDA-3" in seen(app)
            assert bench.service.trading_accounts().data == ()
            await answer(pilot, key)
    (account,) = bench.service.trading_accounts().data
    assert account.bank_account_id == "DDA-3"
    app.desk.end()


async def test_a_conflict_that_names_no_record_sends_nobody_to_one(
    bench: Bench, tmp_path: Path
) -> None:
    account = bench.open(3)
    app = _console(bench, tmp_path / "desk.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *account.bank_account_id, "space", *"checking", "enter")
        await answer(pilot, "y")
        shown = " ".join(seen(app).split())
        assert "CONFLICT The bank account already has a trading account." in shown
        assert "Check the current status" not in shown, "no record is named"
    app.desk.end()


async def test_a_bank_account_without_its_kind_asks_for_it(bench: Bench, tmp_path: Path) -> None:
    app = _console(bench, tmp_path / "desk.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *"DDA-3", "enter")
        shown = seen(app)
        assert "CHECKING OR SAVINGS?" in shown
        assert "DDA-3" in shown
        await press(pilot, "escape")
        await press(pilot, "plus", *"DDA-3", "enter", "down", "enter")
        assert "with the savings bank account DDA-3" in seen(app)
        await answer(pilot, "n")
        assert bench.service.trading_accounts().data == ()
        await press(pilot, "plus", *"DDA-3", "enter", "1")
        assert "with the checking bank account DDA-3" in seen(app)
        await answer(pilot, "y")
        (account,) = bench.service.trading_accounts().data
        assert app.screen.query_one("#summary", Lines).plain_text.count(account.id) == 1
    assert (account.bank_account_id, account.bank_account_type) == ("DDA-3", "checking")
    app.desk.end()


async def test_a_blockchain_account_is_never_filed_under_another_customer(
    bench: Bench, tmp_path: Path
) -> None:
    case, other = Case(bench), bench.open(2)
    owner = case.account.trading_account_id
    app = _console(bench, tmp_path / "desk.db")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        app.post_message(events.Paste(case.account.id))
        await settle(pilot)
        assert f"{case.account.id}: select its customer first" in seen(app)
        await press(pilot, "1", "plus", *other.id, "enter")
        app.post_message(events.Paste(case.account.id))
        await settle(pilot)
        assert f"ADD {case.account.id} TO {other.id}?" in seen(app)
        await answer(pilot, "n")
        assert "This deployment can't list blockchain accounts." in seen(app)
        await press(pilot, "1", "plus", *owner, "enter", "5", "plus", *case.account.id, "enter")
        assert f"{case.account.id} was added" in seen(app)
        await press(pilot, "1")
        await press(pilot, "plus", *other.id, "enter", "5")
        assert case.account.id not in seen(app)
        await press(pilot, "plus", *case.account.id, "enter")
        assert f"{case.account.id} belongs to {owner}" in seen(app)
        app.post_message(events.Paste(case.account.id))
        await settle(pilot)
        assert app.desk.customer.account_id == owner
    app.desk.end()


async def test_wallets_of_an_account_added_by_its_id_are_listed(
    bench: Bench, tmp_path: Path
) -> None:
    case = Case(bench)
    owner = case.account.trading_account_id
    file = tmp_path / "desk.db"
    app = _console(bench, file)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *owner, "enter")
        await press(pilot, "5")
        assert "This deployment can't list blockchain accounts." in seen(app)
        await press(pilot, "plus")
        assert "its id (BCA_...)   enter: add" in seen(app)
        await press(pilot, *"BCA_NOBODY", "enter")
        assert "NOT_FOUND" in seen(app)
        app.post_message(events.Paste(case.account.id))
        await settle(pilot)
        assert f"ADD {case.account.id} TO {owner}?" in seen(app)
        await answer(pilot, "y")
        assert case.account.id in seen(app)
        await press(pilot, "plus")
        app.screen.field_submitted("address", ALICE)  # type: ignore[attr-defined]  # Wallets
        await settle(pilot)
        await press(pilot, "enter")
        await press(pilot, "enter")
        assert "[3/5] signature" in seen(app)
    app.desk.end()
    again = _console(bench, file)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        assert "[3/5] signature" in seen(again)
        assert ALICE in seen(again)
    again.desk.end()


async def test_a_link_without_an_answer_is_verified_after_a_restart(
    bench: Bench, tmp_path: Path
) -> None:
    case = Case(bench, "alice-ethereum")
    file = tmp_path / "desk.db"
    assert bench.place is not None
    bench.place.share(file)
    app = _console(bench, file)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "down")
        assert "[3/5] signature" in seen(app)
        await paste(pilot, signed("alice-ethereum", case.newest()))
        bench.place.app.distort = wrong(SILENT, CALLS[f"POST {_LINK}"])
        bench.place.service._transport.deadline_s = SILENCE_S
        await press(pilot, "enter")
        assert "OUTCOME_UNKNOWN" in seen(app)
    app.desk.end()
    bench.place.app.distort = None
    again = _console(bench, file)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "down")
        shown = seen(again)
        assert "Verified 1P" in shown
        assert "registered" not in shown.split("STATE")[1].split("address registered")[0]
    again.desk.end()


async def test_a_registered_wallet_and_a_trade_are_known_after_a_restart(
    bench: Bench, tmp_path: Path
) -> None:
    case = Case(bench)
    file = tmp_path / "desk.db"
    assert bench.place is not None
    bench.place.share(file)
    app = _console(bench, file)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"10", "enter", "X")
        await answer(pilot, "y")
        await press(pilot, "5", "plus")
        app.screen.field_submitted("address", ALICE)  # type: ignore[attr-defined]  # Wallets
        await settle(pilot)
        assert "[1/5] registered" in seen(app)
    app.desk.end()
    (trade,) = bench.service.trades(case.account.trading_account_id).data
    again = _console(bench, file)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        assert "[1/5] registered" in seen(again)
        await press(pilot, "1")
        again.post_message(events.Paste(trade.id))
        await settle(pilot)
        assert again.current_mode == "trades"
        assert trade.id in seen(again)
    again.desk.end()
