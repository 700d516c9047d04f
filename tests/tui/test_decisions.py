"""Decisions on the console: approved, refused, taken; accounts frozen and lifted."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.deployments import SPEC_ONLY
from tests.tui.conftest import Bench, answer, make_bench, press, seen, settle
from tests.tui.wallet_case import ALICE, LARGE, Case
from textual import events

from chainteller.domain.actors import DESK_SCOPES, Actor
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy, TwoPersons
from chainteller.service.interface import Service
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.funding import Currency, Destination, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.tui.console.app import DEAF_S, Console
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.dialogs.question import Question
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets.detail import Detail

USDC = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")
REVIEW = (ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 7_200, AtDeadline.REFUSE),)
SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bank in which withdrawals to unverified wallets wait for a person."""
    yield from make_bench(tmp_path, EngineOptions(rate_limits=False, policy=Policy(REVIEW)))


def waiting(bench: Bench, amount: str = "20.00", by: Service | None = None) -> tuple[Case, str]:
    """A withdrawal that waits for a decision; ``by`` asks for it, by default whoever is here."""
    case = Case(bench, "alice-ethereum")
    case.fund("80.00")
    bench.world.advance(25 * 3_600)
    destination = Destination(
        type="counterparty",
        counterparty_id=case.newest().counterparty_id,
        blockchain_account_id=case.account.id,
    )
    request = WithdrawalRequest(amount=amount, currency=USDC, destination=destination)
    return case, (by or bench.service).withdraw(case.trading_account_id, request).value.id


def status(bench: Bench, subject: str) -> str:
    found = bench.service.decisions(ListQuery(text=subject, sort="-created")).data
    return found[0].status


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_withdrawal_is_paid_by_three_keys(bench: Bench, size: tuple[int, int]) -> None:
    case, withdrawal = waiting(bench)
    account = bench.service.trading_account(case.trading_account_id)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "7")
        shown = seen(app)
        assert "1 decision\n" in shown
        assert "20.00 USDC" in shown
        assert "withdrawal" in shown.lower()
        assert "h 5" in shown or "2 h 00 m" in shown  # the time that is left
        await press(pilot, "A")
        assert isinstance(app.screen, Question)
        asked = seen(app)
        assert "PAY the withdrawal of 20.00 USDC?" in asked
        assert f"To {ALICE}, not verified" in asked
        assert status(bench, withdrawal) == "open"
        await answer(pilot, "y")
        assert f"20.00 USDC of {account.customer_name}: approved" in seen(app)
        assert "Nothing waits for a decision" in seen(app)
    assert status(bench, withdrawal) == "approved"


@pytest.fixture
def careful(tmp_path: Path) -> Iterator[Bench]:
    """A bank that wants two persons for withdrawals over 10 USD."""
    policy = Policy(REVIEW, two=TwoPersons(withdrawal_over_cents=1_000))
    yield from make_bench(tmp_path, EngineOptions(rate_limits=False, policy=policy))


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_the_second_person_reads_who_asks_and_approves_by_two_keys(
    careful: Bench, size: tuple[int, int]
) -> None:
    colleague = careful.world.engine.acting_as(Actor(name="s.iyer"))
    _, withdrawal = waiting(careful, by=colleague)
    app = careful.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "7")
        assert "waits for a second person" in " ".join(seen(app).split())
        await press(pilot, "A")
        assert "s.iyer asks for it, and needs a second person." in " ".join(seen(app).split())
        await answer(pilot, "y")
    assert status(careful, withdrawal) == "approved"


async def test_nobody_is_the_second_person_of_their_own_request(careful: Bench) -> None:
    _, withdrawal = waiting(careful)
    app = careful.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "7")
        assert "A approve" not in seen(app)
        assert re.search(r"first approval +\d\d \w{3} \d\d:\d\d UTC by", seen(app))
        await press(pilot, "A")
        assert "you are the first" in seen(app)
        assert not isinstance(app.screen, Question)
    assert status(careful, withdrawal) == "open"


@pytest.fixture
def stepwise(tmp_path: Path) -> Iterator[Bench]:
    """A bank in which supervisors decide after two hours what nobody has decided."""
    line = REVIEW[0]._replace(then=AtDeadline.ESCALATE, to="supervisor")
    yield from make_bench(tmp_path, EngineOptions(rate_limits=False, policy=Policy((line,))))


@pytest.mark.parametrize(
    ("role", "scopes", "is_late", "why"),
    [
        ("reviewer", DESK_SCOPES, False, ""),
        ("reviewer", DESK_SCOPES, True, "only the role supervisor decides it now"),
        ("supervisor", DESK_SCOPES, True, ""),
    ],
)
async def test_keys_that_a_role_does_not_allow_are_not_offered(
    stepwise: Bench, role: str, scopes: tuple[str, ...], is_late: bool, why: str
) -> None:
    _, withdrawal = waiting(stepwise)
    if is_late:
        stepwise.world.advance(2 * 3_600)
    actor = Actor(name="m.koch", scopes=frozenset(scopes), roles=frozenset({role}))
    service = stepwise.world.engine.acting_as(actor)
    started = StartedDesk(service, "test bank", capabilities=service.capabilities())
    app = Console(lambda: started, stepwise.settings)
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "7")
        assert (" approve" in seen(app).splitlines()[-1]) == (not why)
        told = " ".join(seen(app).replace("\u2502", " ").split())
        assert ("A pays it. R gives the money back" in told) == (not why)
        assert f"You can't decide it: {why}." in told or not why
        await press(pilot, "A")
        if why:
            assert why in seen(app)
        else:
            await answer(pilot, "y")
    assert status(stepwise, withdrawal) == ("open" if why else "approved")


async def test_a_refusal_has_a_reason_and_gives_the_money_back(bench: Bench) -> None:
    case, withdrawal = waiting(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "7", "R")
        assert isinstance(app.screen, Choice)
        await press(pilot, "down", "down", "enter")
        assert "Reason: SUSPECTED_FRAUD" in seen(app)
        await answer(pilot, "y")
    assert status(bench, withdrawal) == "refused"
    (found,) = bench.service.decisions(ListQuery(text=withdrawal)).data
    assert found.outcome == "SUSPECTED_FRAUD"
    shown = bench.service.withdrawal_record(case.trading_account_id, withdrawal)
    assert shown.status == "rejected"
    assert shown.failure_reason is not None
    assert "fraud" not in shown.failure_reason.message.lower()


async def test_the_customer_is_told_who_checks_and_until_when(bench: Bench) -> None:
    case, withdrawal = waiting(bench)
    record = bench.service.withdrawal_record(case.trading_account_id, withdrawal)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "enter", "6")
        shown = " ".join(seen(app).replace("│", " ").split())
        assert "SAY A colleague will check your withdrawal of 20.00 USDC" in shown
        assert record.review is not None
        assert f"decision by {record.review.eta:%d %b %H:%M} 7" in shown


async def test_what_was_decided_meanwhile_is_said_and_not_asked(bench: Bench) -> None:
    _, withdrawal = waiting(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "7")
        (found,) = bench.service.decisions(ListQuery(text=withdrawal)).data
        bench.service.approve_decision(found.id, Approval())
        await press(pilot, "R", "enter")
        assert not isinstance(app.screen, Question)
        assert "The decision was approved by" in seen(app)


async def test_a_decision_is_taken_and_the_customer_asked(bench: Bench) -> None:
    _, withdrawal = waiting(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "7", "T")
        assert app.screen.query_one("#detail", Detail).plain_text.count("taken by") == 1
        await press(pilot, "m", *"photo", "enter")
        shown = seen(app)
        assert "customer was asked" in shown
        assert "photo" in shown
    (found,) = bench.service.decisions(ListQuery(text=withdrawal)).data
    assert (found.asked, found.holder) == ("photo", "op01")


async def test_an_account_is_frozen_and_lifted(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "F", "enter", "2")
        shown = seen(app)
        assert "FREEZE the account of" in shown
        assert "Reason: suspected fraud" in shown
        assert "Withdrawals that weren't sent yet fail" in shown
        await answer(pilot, "y")
        assert bench.service.trading_account(account.id).controls == ("FROZEN",)
        await settle(pilot)
        assert f"FROZEN of {account.customer_name}: set on the account" in seen(app)
        await press(pilot, "7")
        facts = app.screen.query_one("#detail", Detail).plain_text
        assert facts.count(account.id) == 1
        assert facts.count("FROZEN") == 1
        assert "suspected fraud" in facts
        await press(pilot, "1", "F")
        assert "LIFT FROZEN from the account?" in seen(app)
        await answer(pilot, "y")
        assert f"FROZEN of {account.customer_name}: lifted" in seen(app)
    assert bench.service.trading_account(account.id).controls == ()


async def test_a_freeze_shows_at_once_also_while_the_list_rests_after_other_news(
    bench: Bench,
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "F", "enter", "2")
        app.desk.on_change.publish(("deposit.completed",))
        await answer(pilot, "y")
        assert "[x] FROZEN" in seen(app)
        assert " deposit" not in seen(app).splitlines()[-1]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_customer_is_frozen_and_lifted_on_their_page_by_four_keys(
    bench: Bench, size: tuple[int, int]
) -> None:
    account, other = bench.open(1, deposit="500.00"), bench.open(2)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        app.desk.shell.find(account.id)
        await settle(pilot)
        await press(pilot, "P")
        await press(pilot, "F", "enter", "1")
        assert "FREEZE the account of Customer 1?" in seen(app)
        await answer(pilot, "y")
        assert bench.service.trading_account(account.id).controls == ("FROZEN",)
        assert bench.service.trading_account(other.id).controls == ()
        await settle(pilot)
        await press(pilot, "F")
        assert "LIFT FROZEN from the account?" in seen(app)
        await answer(pilot, "y")
    assert bench.service.trading_account(account.id).controls == ()


@pytest.mark.parametrize("keys", [("enter", "enter"), ("1", "2")], ids="".join)
@pytest.mark.parametrize("in_one_read", [True, False])
async def test_a_choice_typed_behind_another_one_is_taken_however_quickly(
    bench: Bench, keys: tuple[str, str], in_one_read: bool
) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        typed = [events.Key(key, "\r" if key == "enter" else key) for key in ("F", *keys)]
        for at, key in enumerate(typed):
            key.time = typed[0].time + at * DEAF_S / 4
            app.post_message(key)
            if not in_one_read:
                await settle(pilot)
        await settle(pilot)
        assert "FREEZE the account of" in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_market_is_closed_until_a_time_and_opened_by_at_most_four_keys(
    bench: Bench, size: tuple[int, int]
) -> None:
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        name = app.screen.market.market_name  # type: ignore[attr-defined]
        await press(pilot, "F", "enter")
        assert f"CLOSE {name} until 2" in seen(app)
        assert "then fail; the money goes back" in " ".join(seen(app).split())
        await answer(pilot, "y")
        shown = bench.service.market(name)
        assert shown.status != "open"
        assert shown.estimated_resolution is not None
        await press(pilot, "F")
        assert f"OPEN {name}?" in seen(app)
        await answer(pilot, "y")
    assert bench.service.market(name).status == "open"


async def test_the_list_turns_to_one_kind_and_to_decided_ones(bench: Bench) -> None:
    case, _ = waiting(bench)
    bench.service.open_decision(
        OpenDecision(
            kind="control", subject=case.trading_account_id, control="SELL_ONLY", reason="TEST"
        )
    )
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "7")
        assert _rows(app) == 2
        await press(pilot, "f")
        assert "only withdrawals" in seen(app)
        assert _rows(app) == 1
        await press(pilot, "escape", "A")
        await answer(pilot, "y")
        assert _rows(app) == 1
        await press(pilot, "0")
        assert _rows(app) == 2


def _rows(app: Any) -> int:
    return int(app.screen.paged.total)


async def test_a_deployment_without_decisions_says_so(tmp_path: Path) -> None:
    for bench in make_bench(tmp_path, EngineOptions(rate_limits=False), SPEC_ONLY):
        app = bench.console()
        async with app.run_test(size=LARGE) as pilot:
            await settle(pilot)
            await press(pilot, "7")
            assert "not offered" in seen(app).lower()
