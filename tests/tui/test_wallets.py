"""Wallets: from an address to a verified wallet, through every state."""

from dataclasses import replace
from threading import Event
from typing import TypeVar

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle, until
from tests.tui.wallet_case import (
    ADDRESSES,
    ALICE,
    BOB,
    LARGE,
    SMALL_AND_LARGE,
    Case,
    palette,
    paste,
    signed,
    valid,
    wallets,
)
from tests.world.waiting import PATIENCE_S
from textual import events
from textual.command import CommandList

from chainteller.domain.challenges import DORMANCY, MAXIMUM_ATTEMPTS, SharedWallets
from chainteller.domain.clock import DAY
from chainteller.records.formats import short_address, short_id
from chainteller.service import operations as op
from chainteller.service.errors import InvalidSignature
from chainteller.service.layers import Next, layered
from chainteller.service.models.counterparties import (
    OpenBlockchainAccount,
    ReverificationRequest,
)
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import Call
from chainteller.tui.wallets.screen import WalletsScreen, simulate
from chainteller.tui.widgets.lines import Lines

Answer = TypeVar("Answer")


async def test_a_list_asked_for_before_a_verdict_does_not_take_it_back(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        await paste(pilot, signed("alice-ethereum", case.newest(), "wrong-account"))
        assert isinstance(app.screen, WalletsScreen)
        before = app.screen.fetch(1)
        await paste(pilot, signed("alice-ethereum", case.newest()))
        assert "[4/5] claim" in seen(app)
        app.screen.paged.put(1, [row for row, _ in before.records], before.total)
        app.screen.listed(before.total)
        await settle(pilot)
        assert "[4/5] claim" in seen(app)


@pytest.mark.needs("diagnoses")
async def test_the_text_for_a_refused_signature_is_gone_while_the_next_one_is_checked(
    bench: Bench,
) -> None:
    case, go_on = Case(bench, "alice-ethereum"), Event()
    go_on.set()

    def slowly(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.DIAGNOSE_SIGNATURE:
            assert go_on.wait(PATIENCE_S)
        return onward(call)

    app = bench.console(layered(bench.service, slowly))
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        await paste(pilot, signed("alice-ethereum", case.newest(), "wrong-account"))
        assert isinstance(app.screen, WalletsScreen)
        refused = app.screen.customer_text()
        assert "0:" not in app.desk.log[-1].text, "a countdown that stands still is soon false"
        go_on.clear()
        app.post_message(events.Paste(signed("alice-ethereum", case.newest(), "crlf")))
        await until(lambda: "  checking" in seen(app))
        assert app.screen.customer_text().startswith("Thank you. We are checking the signature")
        (now,) = [row for row in seen(app).splitlines() if "NOW  " in row]
        assert "[3/5] signature" in now
        go_on.set()
        await settle(pilot)
        assert app.screen.customer_text() not in {refused, ""}


async def test_wallets_are_not_counted_before_they_are_there(bench: Bench) -> None:
    go_on = Event()
    go_on.set()

    def slowly(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.BLOCKCHAIN_ACCOUNTS:
            assert go_on.wait(PATIENCE_S)
        return onward(call)

    Case(bench, "alice-ethereum")
    app = bench.console(layered(bench.deployment, slowly))
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        go_on.clear()
        app.simulate_key("5")
        await until(lambda: "loading" in seen(app) and "WALLETS" in seen(app))
        assert "0 wallets" not in seen(app)
        go_on.set()
        await settle(pilot)
        assert "1 wallet, 0 linked" in seen(app)


async def test_where_no_sample_customer_can_sign_the_palette_says_why(bench: Bench) -> None:
    Case(bench)
    app = bench.console(kind="DEMO")
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        await palette(pilot, "simulate")
        assert app.desk.log[-1].text == "no message is waiting for a signature"


@pytest.mark.usefixtures("a_longer_search")
@pytest.mark.needs("diagnoses")
async def test_a_verdict_is_shown_while_a_longer_search_goes_on(bench: Bench) -> None:
    case, go_on = Case(bench, "alice-ethereum"), Event()

    def slowly(call: Call[Answer], onward: Next) -> Answer:
        if getattr(call.request, "search_longer", None):
            assert go_on.wait(PATIENCE_S)
        return onward(call)

    challenge = case.newest()
    changed = challenge.model_copy(update={"challenge": f"Dear customer,\n{challenge.challenge}\n"})
    marked = signed("alice-ethereum", changed)
    app = bench.console(layered(bench.service, slowly))
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        pilot.app.post_message(events.Paste(marked))
        await until(lambda: "searching on" in seen(app))
        assert "UNKNOWN_SIGNER" in seen(app)
        go_on.set()
        await settle(pilot)
        shown = seen(app)
        assert "searching on" not in shown
        assert "ALTERED_TEXT" in shown
        assert "label" in shown
        assert bench.service.challenges(case.account.id).data[0].attempts == 0


@pytest.mark.needs("diagnoses")
async def test_the_text_that_the_wallet_shows_is_pasted_after_the_signature(bench: Bench) -> None:
    case, go_on = Case(bench, "alice-ethereum"), Event()

    def slowly(call: Call[Answer], onward: Next) -> Answer:
        if getattr(call.request, "search_longer", None):
            assert go_on.wait(PATIENCE_S)
        return onward(call)

    challenge = case.newest()
    words = f"I am Maria. {challenge.challenge}"
    app = bench.console(layered(bench.service, slowly))
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        pilot.app.post_message(
            events.Paste(
                signed("alice-ethereum", challenge.model_copy(update={"challenge": words}))
            )
        )
        await until(lambda: "searching on" in seen(app))
        assert "open your wallet's history" in " ".join(seen(app).split())
        pilot.app.post_message(events.Paste(words))
        await until(lambda: "EDITED_TEXT" in seen(app))
        go_on.set()
        await settle(pilot)
        assert "EDITED_TEXT" in seen(app)
        assert '"I am Maria. " was added' in seen(app)


@pytest.mark.forms(1)
@pytest.mark.needs("blockchain-accounts")
@pytest.mark.parametrize("size", SMALL_AND_LARGE)
async def test_from_an_address_to_a_verified_wallet(bench: Bench, size: tuple[int, int]) -> None:
    bench.open(1, deposit="100.00")
    app, narrow = bench.console(), size[0] < 110
    async with app.run_test(size=size) as pilot:
        await wallets(pilot)
        assert "No wallet yet.  + registers an address" in seen(app)
        await press(pilot, "plus")
        await paste(pilot, BOB)
        await press(pilot, "enter", "enter")
        await press(pilot, *(["enter"] if narrow else []), "enter")
        await press(pilot, *(["escape"] if narrow else []))
        bench.world.advance(1)
        await press(pilot, "plus")
        await paste(pilot, ALICE)
        await press(pilot, "enter", "enter")
        assert "[1/5] registered" in seen(app)
        await press(pilot, *(["enter"] if narrow else []), "enter")
        (account,) = bench.service.blockchain_accounts(ListQuery()).data
        challenge = bench.service.challenges(account.id).data[0]
        assert challenge.address == ALICE
        assert challenge.challenge in seen(app)
        assert "1:00:00" in seen(app)

        await paste(pilot, signed("alice-ethereum", challenge, "wrong-account"))
        shown = seen(app)
        assert "not accepted: OTHER_REGISTERED_ADDRESS" in shown
        assert BOB in shown
        asked = "| You signed with" if narrow else "SAY  You signed with"
        assert " ".join(shown.split()).count(" ".join(asked.split())) == 1
        assert bench.service.challenges(account.id).data[0].attempts == 0
        await press(pilot, "t")
        assert "WHAT TO TELL THE CUSTOMER" in seen(app)
        assert "You signed with your other wallet" in seen(app)
        await press(pilot, "t")
        assert "sent to the terminal's clipboard" in seen(app)
        await press(pilot, "escape")

        await paste(pilot, signed("alice-ethereum", challenge))
        assert isinstance(app.screen, WalletsScreen)
        assert "your signature is valid" in app.screen.customer_text()
        assert narrow or "SAY Thank you, your signature is valid." in " ".join(seen(app).split())
        assert valid(bench) in seen(app)
        assert bench.service.challenges(account.id).data[0].status == "open"
        await press(pilot, "enter")
        assert "to a verified 1P wallet" in seen(app)
    (linked,) = bench.service.linked_counterparties(account.id).data
    assert (linked.type, linked.address) == ("VerifiedCounterparty1P", ALICE)


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("name", "network"),
    [("alice-solana", "solana"), ("alice-bitcoin", "bitcoin"), ("bob-bitcoin-taproot", "bitcoin")],
)
async def test_the_network_is_recognised_where_the_address_tells_it(
    bench: Bench, name: str, network: str
) -> None:
    case = Case(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "plus")
        await paste(pilot, f"  {ADDRESSES[name][:9]}\r\n {ADDRESSES[name][9:]}\n")
        assert ADDRESSES[name] in seen(app)
        assert case.service.counterparties().data == (), "only enter registers"
        await press(pilot, "enter")
        assert f"on {network}" in seen(app)
    (found,) = case.service.counterparties().data
    assert (found.network, found.address) == (network, ADDRESSES[name])


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267", "checksum is wrong"),
        ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb922", "too short or too long"),
        ("alice.eth", "a name, not an address"),
        ("11111111111111111111111111111111", "Nobody can control"),
        ("GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7", "an address of Stellar"),
        ("0xdAC17F958D2ee523a2206206994597C13D831ec7", "It's the USDT token"),
    ],
)
async def test_a_wrong_address_is_refused_with_its_reason(
    bench: Bench, text: str, says: str
) -> None:
    case = Case(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "plus")
        await paste(pilot, text)
        assert says not in seen(app)
        await press(pilot, "enter")
        assert says in seen(app)
        await press(pilot, "backspace")
        assert f"new address  {text[:-1]} " in seen(app), "it's corrected, not typed again"
        await paste(pilot, f"{text[:-1]}x")
        assert f"new address  {text[:-1]}x " in seen(app), "a paste replaces it"
    assert case.service.counterparties().data == ()


@pytest.mark.needs("challenge-expiry")
async def test_an_expired_text_leads_to_a_new_one(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    late = case.newest()
    bench.world.advance(3_700)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "[2/5] expired" in seen(app)
        assert "enter creates a new message to sign" in seen(app)
        await paste(pilot, signed("alice-ethereum", late))
        shown = " ".join(seen(app).split())
        assert "CHALLENGE_EXPIRED" in shown
        await press(pilot, "enter")
    assert case.newest().id != late.id
    assert case.newest().status == "open"


@pytest.mark.needs("challenge-expiry")
async def test_a_locked_text_says_so_and_leads_to_a_new_one(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    wrong = signed("bob-ethereum", case.newest())
    for _ in range(MAXIMUM_ATTEMPTS):
        with pytest.raises(InvalidSignature):
            case.claim("alice-ethereum", wrong)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "[2/5] locked" in seen(app)
        await press(pilot, "t")
        assert "too many attempts" in seen(app)
        bench.world.advance(1)
        await press(pilot, "escape")
        await press(pilot, "enter")
    assert case.newest().status == "open"


async def test_a_claim_that_was_not_linked_is_found_and_linked(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.claim("alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "[5/5] enter link" in seen(app)
        await press(pilot, "enter")
        assert case.types == ["VerifiedCounterparty1P"]
        assert "[ok] Verified 1P" in seen(app)


@pytest.mark.forms(1)
@pytest.mark.needs("shared-wallets")
@pytest.mark.parametrize("policy", list(SharedWallets))
async def test_a_shared_wallet_is_asked_about_before_it_is_linked(
    bench: Bench, policy: SharedWallets
) -> None:
    """The question comes whatever the policy; refuse has the last word."""
    Case(bench, "alice-ethereum", customer=2).link("alice-ethereum")
    bench.world.advance(60)
    case = Case(bench, "alice-ethereum")
    case.claim("alice-ethereum")
    context = bench.world.context
    object.__setattr__(context, "options", replace(context.options, shared_wallets=policy))
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "enter")
        assert "LINK A SHARED WALLET?" in seen(app)
        await answer(pilot, "n")
        assert case.types == []
        await press(pilot, "enter")
        await answer(pilot, "y")
        if policy is SharedWallets.REFUSE:
            assert "WALLET_SHARED" in seen(app)
            assert case.types == []
        else:
            assert "another customer has verified it, too" in seen(app)
            assert case.types == ["VerifiedCounterparty1P"]


async def test_a_claim_that_is_too_old_is_refused_with_the_way_on(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.claim("alice-ethereum")
    bench.world.advance(25 * 3_600)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "enter")
        assert "CLAIM_EXPIRED" in seen(app)
    assert case.types == []


@pytest.mark.needs("reverifications")
async def test_reverification_asks_and_takes_the_limits_away_at_once(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "to a verified 1P wallet" in seen(app)
        await press(pilot, "enter")
        assert "already verified   : re-verify ends the verification" in seen(app)
        await palette(pilot, "re-verify agent")
        assert f"END THE VERIFICATION of {ALICE}" in seen(app)
        await press(pilot, "enter")
        assert case.types == ["VerifiedCounterparty1P"]
        await answer(pilot, "y")
        assert "[x] revoked" in seen(app)
        assert "until verified, held first" in seen(app)
        assert case.types == ["counterparty"]
        bench.world.advance(1)
        await press(pilot, "enter")
        assert "[3/5] signature" in seen(app)


@pytest.mark.needs("reverifications")
@pytest.mark.parametrize("size", [(80, 24), LARGE])
async def test_what_ends_a_verification_is_named_in_each_detail(
    bench: Bench, size: tuple[int, int]
) -> None:
    """Also where it ends soon, and enter verifies again."""
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    for days, next_step in ((0, "done"), (DORMANCY // DAY - 1, "enter verifies again")):
        bench.world.advance(days * 86_400)
        app = bench.console()
        async with app.run_test(size=size) as pilot:
            await wallets(pilot)
            await press(pilot, *(["enter"] if size == (80, 24) else []))
            assert next_step in seen(app)
            assert ": re-verify ends the verification" in seen(app)


async def test_the_customer_is_simulated_in_the_demo_only(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    app = bench.console(kind="DEMO")
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        await press(pilot, "colon", *"simulate")
        await settle(pilot)
        hits = app.screen.query_one(CommandList)
        mistakes = [str(hit.prompt) for hit in hits.options if not hit.disabled]
        padding = hits.get_component_styles("option-list--option").padding.width
        width = hits.scrollable_content_region.width - padding
        assert len(mistakes) > 10
        assert not [each for each in mistakes if len(each) > width], "each takes one line"
        assert not [each for each in mistakes if "old-sign" in each]  # tron's own
        await press(pilot, "escape")
        await palette(pilot, "simulate wrong-account")
        assert "OTHER_REGISTERED_ADDRESS" in seen(app)
        await palette(pilot, "simulate sign correctly")
        assert valid(bench) in seen(app)
    app = bench.console(kind="REMOTE")
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        screen = app.screen
        assert isinstance(screen, WalletsScreen)
        assert not [name for name, _ in screen.palette_entries() if "simulate" in name]
        simulate(screen, "")
        await settle(pilot)
        assert "only in the demo" in seen(app)
    assert case.types == []


async def test_a_read_only_desk_issues_nothing_but_still_judges(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    bench.world.advance(1)
    app = bench.console(read_only=True)
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, signed("alice-ethereum", case.newest()))
        assert valid(bench) in seen(app)
        await press(pilot, "enter")
        assert "READ_ONLY" in seen(app)
    assert case.types == []


async def test_a_pasted_wallet_id_is_found_on_any_account(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    bench.open(3, deposit="5.00")
    wallet = case.newest().counterparty_id or ""
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await paste(pilot, wallet)
        await settle(pilot)
        assert wallet in seen(app)
        assert case.account.trading_account_id in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize("step", ["challenge", "claim"])
async def test_a_pasted_step_is_found_however_many_accounts_came_after_it(
    bench: Bench, step: str
) -> None:
    case = Case(bench, "alice-ethereum")
    pasted = case.newest().id if step == "challenge" else case.claim("alice-ethereum")
    bench.world.advance(60)
    other = bench.open(3, deposit="1.00")
    for _ in range(51):
        bench.world.advance(1)
        request = OpenBlockchainAccount(trading_account_id=other.id, network="solana")
        bench.service.open_blockchain_account(request)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await paste(pilot, pasted)
        await settle(pilot)
        assert (case.newest().counterparty_id or "?") in seen(app)
        assert case.account.trading_account_id in seen(app)
        assert "no account found for" not in seen(app)


@pytest.mark.needs("blockchain-accounts")
async def test_what_goes_on_is_not_cut_off_after_a_step(bench: Bench) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "5", ":", *"open a blockchain", "enter")
        assert "it takes signatures of any network" in seen(app)
        await press(pilot, "enter")
        assert "+ registers a wallet  12:" in seen(app)
        await press(pilot, "+")
        pilot.app.post_message(events.Paste(ALICE))
        await settle(pilot)
        await press(pilot, "enter", "enter")
        assert "enter: message to sign  12:" in seen(app)


@pytest.mark.needs("blockchain-accounts")
async def test_another_blockchain_account_is_opened_only_when_it_is_asked_for(bench: Bench) -> None:
    case = Case(bench)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        for keys, count in (("n", 1), ("y", 2)):
            await palette(pilot, "open a blockchain")
            await press(pilot, "enter")
            assert "OPEN ANOTHER BLOCKCHAIN ACCOUNT on" in seen(app)
            assert f"The customer has {short_id(case.account.id)} (ethereum)" in seen(app)
            await answer(pilot, keys)
            assert len(bench.service.blockchain_accounts(ListQuery()).data) == count


@pytest.mark.needs("reverifications")
async def test_accounts_and_wallets_name_and_count_linked_wallets_alike(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    case.link("alice-ethereum")
    linked = case.service.linked_counterparties(case.account.id).data[0]
    request = ReverificationRequest(reason="AGENT_REQUEST")
    case.service.require_reverification(case.account.id, linked.id, request)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        (row,) = [row for row in seen(app).splitlines() if short_address(ALICE) in row]
        assert "[x] revoked" in row
        summary = app.screen.query_one("#summary", Lines).plain_text
        assert "linked wallets 1 (0 verified)" in summary
        await wallets(pilot)
        assert "2 wallets, 1 linked" in seen(app)
        assert "[x] revoked" in seen(app)


async def test_the_sample_customer_signs_only_what_waits_for_a_signature(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console(kind="DEMO")
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        screen = app.screen
        assert isinstance(screen, WalletsScreen)
        assert len(screen.palette_entries()) > 1
        case.link("alice-ethereum")
        screen.reload()
        await settle(pilot)
        ((said, _),) = screen.palette_entries()
        assert said == "simulate: no message is waiting for a signature"


@pytest.mark.needs("blockchain-accounts")
async def test_a_refused_address_stays_in_the_field_of_the_customer_it_is_for(bench: Bench) -> None:
    """What is typed to correct it runs no command, and the first address opens the account."""
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        assert seen(app).splitlines()[1].startswith(f" WALLETS  Customer 1  {account.id}")
        await press(pilot, "+", *"0xf39", "enter")
        assert "INVALID_ADDRESS" in seen(app)
        assert app.screen.field_bar.value == "0xf39"  # type: ignore[attr-defined]
        assert bench.service.blockchain_accounts(ListQuery()).data == ()
        await press(pilot, "escape")
        assert "Correct it" not in seen(app), "there is nothing to correct any more"
        await press(pilot, "+", *"0xf39", "enter", "ctrl+u", *ALICE, "enter", "enter")
        assert "INVALID_ADDRESS" not in seen(app)
        assert "[1/5] registered" in seen(app)
    (opened,) = bench.service.blockchain_accounts(ListQuery()).data
    assert (opened.trading_account_id, opened.network) == (account.id, "ethereum")


async def test_linking_all_wallets_while_none_is_ready_says_so(bench: Bench) -> None:
    Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "l")
        assert "no wallet has a valid signature" in seen(app)
