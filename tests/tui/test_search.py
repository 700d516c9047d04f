"""One search behind ``:`` and paste: people before commands, one request at a time."""

import threading
from datetime import date
from typing import TypeVar

import pytest
from tests.deployments import SPEC_ONLY
from tests.tui.conftest import Bench, press, seen, settle, until
from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import sealed
from tests.world.waiting import PATIENCE_S
from textual import events

from chainteller.domain.ids import short
from chainteller.service import operations as op
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.counterparties import OpenBlockchainAccount
from chainteller.service.models.finding import FindQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.console.marks import marked
from chainteller.tui.console.palette import DeskProvider, Entry, rank
from chainteller.tui.console.search import LIKELY, NAMED
from chainteller.tui.customers.screen import CustomerPage
from chainteller.tui.trades import filter as trades_filter
from chainteller.tui.transfers import filter as transfers_filter
from chainteller.tui.typed_filter import wanted
from chainteller.tui.wallets.book import accounts_page

Answer = TypeVar("Answer")
SIZE = (100, 30)
PEOPLE = (
    "Inês Brandão",
    "Ines Okonjo",
    "Cosima Merriweather",
    "Jürgen Möhring",
    "Hida Marketon",
    "Nora Help",
    "Changela Theron",
)


def add(bench: Bench, *names: str) -> None:
    """Customers DDA-500, DDA-502 ..., each with a second bank account."""
    seeds = [
        CustomerSeed(
            f"DDA-{500 + 2 * at}", name=name, reference=f"KD-{at}", further=(f"DDA-{501 + 2 * at}",)
        )
        for at, name in enumerate(names)
    ]
    with sealed(bench.world.engine.context.database) as rows:
        add_customers(rows, seeds)


def opened(bench: Bench, bank_account_id: str) -> TradingAccount:
    asked = OpenTradingAccount(bank_account_id=bank_account_id, bank_account_type="checking")
    return bench.service.open_trading_account(asked).value


async def hits(app: Console, text: str) -> list[str]:
    found = [hit async for hit in DeskProvider(app.screen).search(text)]
    return [str(hit.text) for hit in sorted(found, key=lambda hit: -hit.score)]


@pytest.mark.needs("find", "customer-names")
async def test_the_right_one_of_several_stands_first_and_only_a_commands_own_name_above_a_person(
    bench: Bench,
) -> None:
    add(bench, *PEOPLE)
    account, other = opened(bench, "DDA-501"), opened(bench, "DDA-502")
    third = opened(bench, "DDA-500")
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for typed, first in (
            ("ines", ("Inês Brandão", "Ines Okonjo")),
            ("okonjo i", ("Ines Okonjo",)),
            ("merriwether", ("Cosima Merriweather",)),
            ("moehring", ("Jürgen Möhring",)),
            ("market", ("Hida Marketon",)),
            ("DDA502", (other.id,)),
            (f"is {short(account.id)} theirs?", (account.id,)),
            ("markets", ("Markets",)),
            ("hide", ("hide: ",)),
            ("privacy", ("hide: ",)),
            ("help", ("All keys", "Nora Help")),
            ("change the", ("Change the order", "Changela Theron")),
            ("all keys", ("All keys",)),
        ):
            found = await hits(app, typed)
            for place, words in enumerate(first):
                assert words in found[place], (typed, found)
        assert await hits(app, "lastmon") == [], "letters in their order are no words"
        await press(pilot, "colon", *"ines", "space", *"b", "enter")
        assert isinstance(app.screen, CustomerPage)
        assert "Inês Brandão" in seen(app)
        for each in (account, third):
            assert short(each.id) in seen(app)


@pytest.mark.needs("find", "customer-names")
async def test_people_with_an_account_and_records_of_the_amount_stand_first_and_say_whose_they_are(
    bench: Bench,
) -> None:
    add(bench, "Annika Holmsund", "Linnea Holmsund", "Ivana Ludvik", "Jaro Bart")
    account, payer = opened(bench, "DDA-502"), opened(bench, "DDA-506")
    for each in (account, payer):
        bench.deposit(each, "502.00" if each is payer else "77.00")
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        found = await hits(app, "holmsund")
        assert found[0].startswith("Linnea Holmsund   KD-1   DDA-502")
        (other,) = [each for each in found if each.startswith("Annika Holmsund   KD")]
        assert other.endswith("no account: opens one")
        assert all(found.index(other) > found.index(x) for x in found if account.id in x)
        (deposit,) = [each for each in found if each.startswith("deposit 77.00")]
        assert "Linnea Holmsund" in deposit
        found = await hits(app, "502.00")
        assert found[0].startswith("deposit 502.00")
        assert "Jaro Bart" in found[0]
        found = await hits(app, "DDA-500")
        assert found[0].endswith("no account: opens one"), found


def test_a_title_that_is_the_text_stands_above_another_with_its_name_and_words_above_guesses() -> (
    None
):
    owned = Entry("ownership statement: what the customer says", "", "statement")
    written = Entry("statement: write it to a file", "", "statement")
    code = Entry("The link or the message to sign as a QR code   [q]", "", "code")
    assert rank(written, ["statement"]) > rank(owned, ["statement"]) > NAMED
    assert NAMED > rank(code, ["message"]) > LIKELY > rank(code, ["or"]) > 0


def test_a_name_that_the_text_begins_stands_above_people_who_are_only_like_it() -> None:
    meant = Entry("simulate wrong-account: another account is selected", "")
    other = Entry("simulate wrong-network: a wallet of another network signs", "")
    likely = LIKELY + 0.1
    assert NAMED > rank(meant, ["simulate", "wrong", "a"]) > rank(other, ["simulate", "wrong", "a"])
    assert rank(meant, ["simulate", "wrong", "a"]) > likely
    assert rank(meant, ["simu"]) > likely > rank(meant, ["si"]) > 0
    assert rank(meant, ["simulate", "net"]) == 0


@pytest.mark.needs("find")
async def test_the_keyboard_is_answered_by_one_request_at_a_time_and_by_the_last_alone(
    bench: Bench,
) -> None:
    add(bench, *PEOPLE)
    asked: list[str] = []
    answering, most, may_answer = 0, 0, threading.Event()

    def slow(call: Call[Answer], onward: Next) -> Answer:
        nonlocal answering, most
        if call.operation is not op.FIND:
            return onward(call)
        assert isinstance(call.query, FindQuery)
        asked.append(call.query.text)
        answering += 1
        most = max(most, answering)
        may_answer.wait(PATIENCE_S)
        answering -= 1
        return onward(call)

    app = bench.console(layered(bench.deployment, slow))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "colon")
        app.simulate_key("c")
        app.simulate_key("o")
        await until(lambda: bool(asked))
        for letter in "sima":
            app.simulate_key(letter)
        await until(lambda: "searching" in seen(app))
        assert asked == ["co"], "the next request waits for the one on its way"
        assert "[c]" not in seen(app), "hits of an earlier text"
        may_answer.set()
        await settle(pilot)
        assert asked == ["co", "cosima"], "and those given up are never sent"
        assert most == 1
        shown = seen(app)
        assert "Cosima Merriweather" in shown
        assert "copy" not in shown, "hits of an earlier text"


@pytest.mark.needs("find")
async def test_commands_are_listed_and_chosen_while_people_are_still_searched(
    bench: Bench,
) -> None:
    may_answer = threading.Event()

    def slow(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.FIND:
            may_answer.wait(PATIENCE_S)
        return onward(call)

    app = bench.console(layered(bench.deployment, slow))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "colon")
        for letter in "theme":
            app.simulate_key(letter)
        await until(lambda: "searching" in seen(app))
        *_, second = [each for each in seen(app).splitlines() if "theme: " in each][:2]
        app.simulate_key("down")
        app.simulate_key("enter")
        await until(lambda: app.theme in second)
        may_answer.set()
        await settle(pilot)


async def test_the_beginning_of_a_themes_name_stands_above_people_who_are_only_like_it(
    bench: Bench,
) -> None:
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        entries = DeskProvider(app.screen)._entries()
        (theme,) = [each for each in entries if each.title == "theme: training"]
        assert rank(theme, ["train"]) > LIKELY + 0.1


async def test_a_command_of_another_screen_says_where_it_is_and_goes_there(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "4", "colon", *"freeze")
        assert "lift that   [1, then F]" in seen(app)
        await press(pilot, "enter")
        assert app.current_mode == "accounts"


@pytest.mark.needs("find")
async def test_nothing_found_says_what_to_try_and_a_secret_is_never_sent(bench: Bench) -> None:
    asked: list[str] = []

    def heard(call: Call[Answer], onward: Next) -> Answer:
        asked.append(str(call.query))
        return onward(call)

    app = bench.console(layered(bench.deployment, heard))
    words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "colon", *"xqzyw")
        assert 'No matches for "xqzyw"' in seen(app)
        assert "a bank account" in seen(app)
        await press(pilot, "escape", "colon")
        app.post_message(events.Paste(words))
        await settle(pilot)
        assert "This looks like a private key or recovery words." in seen(app)
        assert "sausage" not in seen(app)
        assert not any("sausage" in each for each in asked)


@pytest.mark.needs("transfer-records")
async def test_an_id_within_a_pasted_sentence_is_found(bench: Bench) -> None:
    account = bench.open(1, deposit="75.00")
    bench.open(2, deposit="75.00")
    deposit = bench.service.deposits(account.id).data[0]
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.post_message(events.Paste(f"Hello, where is {short(deposit.id)}?\n"))
        await settle(pilot)
        await press(pilot, "enter")
        assert app.current_mode == "transfers"
        assert deposit.id in seen(app)
        assert app.desk.customer.account_id == account.id


@pytest.mark.parametrize("deployment", [SPEC_ONLY], indirect=True)
async def test_without_a_search_the_desks_own_records_are_found_and_the_rest_is_told(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    bench.open(2, deposit="12.75")
    quote = bench.service.create_quote("sol-usd", QuoteRequest(amount="62.50", side="buy")).value
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for typed in (short(account.id), "DDA1", f"the account {account.id}, please"):
            assert any(account.id in each for each in await hits(app, typed)), typed
        for typed in ("62.50", short(quote.id)):
            assert any("quote buy 62.50 USD" in each for each in await hits(app, typed)), typed
        await press(pilot, "colon", *"DDA-1")
        shown = " ".join(seen(app).split())
        assert account.id in shown
        assert "Not searched: names of customers" in shown
        await press(pilot, "escape", "colon", *"whitlock")
        assert 'No matches for "whitlock"' in seen(app)


@pytest.mark.parametrize(
    ("label", "typed", "parts"),
    [
        ("Inês Paixão   CU-003040", "ines p", ["Inês", "P"]),
        ("Cosima Merriweather", "merriwether", ["Merriweather"]),
        ("DDA-2514 checking, Jürgen Möhring", "dda2514", ["DDA-2514"]),
        ("buy 1.5 SOL   TXN_E1FW..2CCQ", "was TXN_E1FW..2CCQ it?", ["TXN_E1FW", "2CCQ"]),
    ],
)
def test_what_matches_is_marked(label: str, typed: str, parts: list[str]) -> None:
    assert [label[start:end] for start, end in marked(label, typed)] == parts


def _trades(
    service: Service, account_id: str | None, typed: str, today: date | None = None
) -> tuple[Trade, ...]:
    asked = wanted(typed, trades_filter.NAMED, today)
    query = asked.as_query({}, "-created", 1)
    return trades_filter.page_of(service, account_id, asked, query).data


def test_the_filter_of_each_list_finds_people_whose_name_is_misspelt(bench: Bench) -> None:
    add(bench, "Cosima Merriweather", "Hida Marketon")
    theirs, other = opened(bench, "DDA-500"), opened(bench, "DDA-502")
    service = bench.service
    for account in (theirs, other):
        bench.deposit(account, "300.00")
        on_ethereum = OpenBlockchainAccount(trading_account_id=account.id, network="ethereum")
        service.open_blockchain_account(on_ethereum)
        quoted = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
        quote = service.create_quote("sol-usd", quoted).value
        service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    for typed in ("merriwether", "cosima merryweather"):
        asked = wanted(f"{typed} deposit", transfers_filter.NAMED)
        query = asked.as_query({}, "-created", 1).model_copy(update={"text": asked.text})
        found = transfers_filter.listed(service, None, query).data
        assert [row.trading_account_id for row in found] == [theirs.id]
        assert transfers_filter.listed(service, other.id, query).data == ()
        trades = _trades(service, None, f"sol-usd {typed}")
        assert [row.trading_account_id for row in trades] == [theirs.id]
        assert _trades(service, other.id, f"sol-usd {typed}") == ()
        assert _trades(service, None, f"sol-usd {typed} 2026-11-19", date(2026, 11, 20)) == ()
        late = wanted(f"{typed} yesterday", transfers_filter.NAMED, date(2026, 11, 21))
        query = late.as_query({}, "-created", 1).model_copy(update={"text": late.text})
        found = transfers_filter.listed(service, None, query).data
        assert [row.trading_account_id for row in found] == [theirs.id]
        wallets, total = accounts_page(service, typed, 1, 50)
        assert [row.trading_account_id for row in wallets] == [theirs.id]
        assert total == 1


async def test_news_of_the_list_do_not_turn_back_from_a_customer_who_was_just_found(
    bench: Bench,
) -> None:
    """Their page takes a moment to open, and meanwhile the list is current and may come again."""
    accounts = [bench.open(1), bench.open(2)]
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        first_id = app.desk.customer.account_id
        found = next(each for each in accounts if each.id != first_id)
        app.desk.customer.serve(found)
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        screen.take_news()
        await settle(pilot)
        assert app.desk.customer.account_id == found.id
        assert screen.selected is not None
        assert screen.selected.id == found.id
        await press(pilot, "up")
        assert app.desk.customer.account_id == first_id, "the cursor decides again"
