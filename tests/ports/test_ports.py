"""Core bank, custody and venue over HTTP: what is sent once, and what becomes of no answer."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.ports.bank import LISTED, Bank, serve
from tests.tampering.altering import cut_behind_kept_head
from tests.world.bank import START
from tests.world.engines import DPT, USDC_ETHEREUM
from tests.world.files import open_fresh

from chainteller.adapters.port_files import FolderCustody
from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.bootstrap import ports, provider, simulated
from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY, SECOND, ManualClock
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.options import EngineOptions
from chainteller.domain.outside import NotCarriedOut, Step
from chainteller.domain.policy import Policy
from chainteller.domain.randomness import SystemRandomness
from chainteller.domain.simulated import Part
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.core.ports import Ports
from chainteller.engine.engine import Engine
from chainteller.engine.verification.full_pass import verify
from chainteller.remote.outside import HttpPort
from chainteller.service import operations
from chainteller.service.errors import (
    Conflict,
    InsufficientFunds,
    ServiceUnavailable,
    TradeNotCancellable,
    WithdrawalNotCancellable,
)
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.books import ClearDispute
from chainteller.service.models.counterparties import OpenBlockchainAccount, RegisterCounterparty
from chainteller.service.models.customers import CustomerLine, ImportCustomers
from chainteller.service.models.decisions import Approval, OpenDecision, Refusal
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.pages import ListQuery, MarketsQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.settings.reading import load
from chainteller.settings.values import SettingsInvalid

PATIENCE = 200, 6
"""Seconds between looks at due work, and how many, until an outcome is given up."""


_OPTIONS = EngineOptions(
    rate_limits=False, fill_delay_s=0, settle_delay_s=0, withdrawal_delay_s=0, review_delay_s=0
)


@dataclass
class Ported:
    """An engine whose core bank, custody and venue are those of ``bank``."""

    bank: Bank
    engine: Engine
    clock: ManualClock
    account: str = ""

    def open(self) -> None:
        request = OpenTradingAccount(bank_account_id="ACC-1", bank_account_type="checking")
        self.account = self.engine.open_trading_account(request).value.id

    def deposit(self, amount: str = "100.00", currency: Currency = DPT) -> Transfer:
        request = DepositRequest(amount=amount, currency=currency)
        return self.engine.deposit(self.account, request).value

    def withdraw(self, amount: str = "40.00") -> Transfer:
        request = WithdrawalRequest(amount=amount, currency=DPT)
        return self.engine.withdraw(self.account, request).value

    def buy(self, amount: str = "50.00") -> Trade:
        request = QuoteRequest(amount=amount, side="buy")
        quote = self.engine.create_quote("sol-usd", request).value
        execution = ExecuteRequest(trading_account_id=self.account)
        return self.engine.execute_quote(quote.id, execution).value

    def later(self, seconds: float = 30, times: int = 1) -> None:
        """Let time pass, and what is due be done."""
        for _ in range(times):
            self.clock.advance(round(seconds * SECOND))
            self.engine.run_due()

    def status(self, transfer: Transfer) -> str:
        kind = transfer.type.partition("-")[0]
        find = self.engine.deposit_record if kind == "deposit" else self.engine.withdrawal_record
        return find(self.account, transfer.id).status

    def trade_status(self, trade: Trade) -> str:
        return self.engine.trade(self.account, trade.id).status

    def usd(self) -> tuple[str, str]:
        """What the account has of the deposit token: available and held."""
        found = self.engine.token_balances(self.account).data
        rows = [each for each in found if each.token.symbol == "BUSD1"]
        return (rows[0].amount, str(rows[0].held)) if rows else ("0.00", "0.00")

    def at_bank(self) -> int:
        """The cents of ACC-1 in the core bank's own book."""
        with self.bank.opened() as book:
            return int(book.execute("SELECT cents FROM account WHERE id = 'ACC-1'").fetchone()[0])

    def decide(self, *, is_done: bool) -> None:
        (decision,) = self.engine.decisions().data
        assert decision.kind == "unanswered"
        if is_done:
            self.engine.approve_decision(decision.id, Approval())
        else:
            self.engine.refuse_decision(decision.id, Refusal(reason="OTHER"))


def _code(found: Transfer | Trade) -> str:
    return found.failure_reason.code if found.failure_reason else ""


@pytest.fixture
def ported(tmp_path: Path) -> Iterator[Ported]:
    with ported_on(f"sqlite:///{tmp_path / 'bank.db'}", tmp_path) as made:
        yield made


@contextmanager
def ported_on(url: str, folder: Path, options: EngineOptions = _OPTIONS) -> Iterator[Ported]:
    bank = Bank(str(folder / "other.db"), key="secret")
    server = serve(bank)
    base = f"http://127.0.0.1:{server.server_address[1]}"

    def port(part: Part) -> HttpPort:
        path = part.name.lower().replace("_", "-")
        return HttpPort(part, f"{base}/{path}", lambda: "secret", deadline_s=2, pause_s=0)

    clock = ManualClock(START)
    context = EngineContext(
        open_fresh(url),
        clock,
        SystemRandomness(),
        SimulatedPrices("test"),
        SimulatedVenue(),
        options,
        ports=Ports(
            port(Part.CORE_BANK), port(Part.CUSTODY), port(Part.SCREENING), port(Part.VENUE)
        ),
        kept=KeptHeads(lambda _: folder / "kept" / "bank.heads"),
    )
    made = Ported(bank, Engine(context, Actor(name="test")), clock)
    made.open()
    yield made
    assert not verify(context.database)
    made.engine.close()
    server.shutdown()
    server.server_close()


def test_balances_that_the_core_bank_says_and_deposits_at_once_leave_the_books_sound(
    own_postgres_bank: str, tmp_path: Path
) -> None:
    """Each deposit takes the balance over before it's made, while others change the same row."""
    with ported_on(own_postgres_bank, tmp_path) as ported, ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda _: ported.deposit("1.00"), range(30)))
    assert len({each.id for each in made}) == 30


def test_the_core_bank_says_who_the_customer_is(ported: Ported) -> None:
    account = ported.engine.trading_account(ported.account)
    assert account.customer_name == "Ada Lovelace"
    (found,) = ported.engine.customers(ListQuery(text="hopper")).data
    assert (found.reference, found.kyc_level, found.bank_accounts[0].balance) == (
        "C-2", "basic", "500.00",
    )  # fmt: skip
    with pytest.raises(InsufficientFunds):
        ported.deposit("10000.01")
    with ported.bank.opened() as book:
        book.execute("UPDATE account SET cents = 100 WHERE id = 'ACC-1'")
    with pytest.raises(InsufficientFunds) as refused:
        ported.deposit("5.00")
    assert refused.value.details["available"] == "1.00"
    line = CustomerLine(
        line=2,
        reference="C-9",
        name="Alan Turing",
        kyc_level="basic",
        terms_accepted=True,
        bank_account_id="ACC-9",
        bank_account_type="savings",
        bank_account_balance="1.00",
    )
    told = ported.engine.import_customers(ImportCustomers(lines=(line,))).value
    assert [each.error for each in told.refused] == ["BALANCE_REFUSED"]
    ported.bank.faults = {"never"}
    with pytest.raises(ServiceUnavailable, match="core bank"):
        ported.engine.customers(ListQuery(text="hopper"))


def test_of_a_long_answer_the_first_accounts_are_taken(
    ported: Ported, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = {"reference": "C-7", "name": "Ann Lee", "kycLevel": "basic", "termsAccepted": False}
    accounts = [{"id": f"A-{n}", "type": "savings", "balance": "1.00"} for n in range(201)]
    told = {"customers": [ann | {"bankAccounts": accounts}]}
    monkeypatch.setattr(ported.bank, "customers", lambda _query: told)
    (found,) = ported.engine.customers(ListQuery(text="ann lee")).data
    assert len(found.bank_accounts) == 200


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ({"balance": "-20.00"}, "BALANCE_INVALID"),
        ({"reference": "C-9"}, "BANK_ACCOUNT_TAKEN"),
        ({"type": "savings"}, "BANK_ACCOUNT_TYPE_DIFFERS"),
    ],
)
def test_nothing_is_done_with_an_account_of_which_the_core_bank_says_something_else(
    ported: Ported, monkeypatch: pytest.MonkeyPatch, says: dict[str, str], code: str
) -> None:
    account = {"id": "ACC-1", "type": "checking", "balance": "1.00"}
    about = {"reference": "C-1", "name": "Ada Lovelace", "kycLevel": "basic"}
    told = {name: says.get(name, value) for name, value in about.items()}
    accounts = [{name: says.get(name, value) for name, value in account.items()}]
    answer = {"customers": [told | {"termsAccepted": True, "bankAccounts": accounts}]}
    monkeypatch.setattr(ported.bank, "customers", lambda _query: answer)
    for act in (ported.deposit, ported.open):
        with pytest.raises(ServiceUnavailable, match=code):
            act()
    assert ported.at_bank() == 1_000_000


def test_money_moves_once_the_core_bank_has_moved_it(ported: Ported) -> None:
    deposit = ported.deposit()
    assert (ported.status(deposit), ported.at_bank()) == ("completed", 990_000)
    trade = ported.buy()
    ported.later(times=2)
    assert ported.trade_status(trade) == "settled"
    withdrawal = ported.withdraw()
    ported.later(0)
    assert (ported.status(withdrawal), ported.at_bank()) == ("completed", 994_000)
    assert ported.usd() == ("10.00", "0.00")


def test_a_refused_debit_fails_the_deposit_with_the_core_banks_reason(ported: Ported) -> None:
    ported.bank.faults = {"closed"}
    deposit = ported.deposit()
    found = ported.engine.deposit_record(ported.account, deposit.id)
    assert (found.status, _code(found)) == ("failed", "ACCOUNT_CLOSED")


@pytest.mark.parametrize("is_done", [True, False])
def test_what_is_never_answered_is_unknown_and_a_persons_to_settle(
    ported: Ported, *, is_done: bool
) -> None:
    ported.deposit()
    withdrawal = ported.withdraw()
    ported.bank.faults = {"never"}
    ported.later(0)
    assert ported.status(withdrawal) == "processing"
    with pytest.raises(WithdrawalNotCancellable):
        ported.engine.cancel_withdrawal(ported.account, withdrawal.id)
    ported.later(*PATIENCE)
    assert ported.status(withdrawal) == "unknown"
    assert ported.usd() == ("60.00", "40.00")
    (decision,) = ported.engine.decisions().data
    assert (decision.opened_by, decision.reason) == ("core bank", "NO_ANSWER")
    sent = len(ported.bank.asked)
    ported.later(60, 5)
    assert len(ported.bank.asked) == sent
    ported.decide(is_done=is_done)
    assert ported.status(withdrawal) == ("completed" if is_done else "failed")
    assert ported.usd() == (("60.00" if is_done else "100.00"), "0.00")


def test_two_payments_of_an_account_are_made_twice(ported: Ported) -> None:
    ported.deposit()
    payments = [ported.withdraw("10.00") for _ in range(2)]
    ported.later(0)
    assert [ported.status(each) for each in payments] == ["completed", "completed"]
    assert ported.at_bank() == 992_000


def test_a_late_answer_settles_it_without_doing_it_twice(ported: Ported) -> None:
    ported.bank.faults = {"silent"}
    deposit = ported.deposit()
    assert (ported.status(deposit), ported.at_bank()) == ("processing", 990_000)
    ported.bank.faults = set()
    ported.later(2)
    assert (ported.status(deposit), ported.at_bank()) == ("completed", 990_000)


@pytest.mark.parametrize("fault", ["other-amount", "other-key"])
def test_another_amount_or_key_is_no_answer(ported: Ported, fault: str) -> None:
    ported.bank.faults = {fault}
    deposit = ported.deposit()
    assert ported.status(deposit) == "unknown"
    ported.decide(is_done=True)
    assert ported.status(deposit) == "completed"


def test_what_certainly_was_not_sent_waits_and_can_be_cancelled(ported: Ported) -> None:
    ported.deposit()
    first, second = ported.withdraw("10.00"), ported.withdraw("20.00")
    ported.bank.key = "changed"
    ported.later(0)
    ported.later(*PATIENCE)
    assert [ported.status(each) for each in (first, second)] == ["processing", "processing"]
    ported.engine.cancel_withdrawal(ported.account, first.id)
    ported.bank.key = "secret"
    ported.later(121)
    assert [ported.status(each) for each in (first, second)] == ["cancelled", "completed"]
    assert ported.at_bank() == 992_000


def _wallet(ported: Ported, address: str) -> Destination:
    """A wallet that may be paid, for an account with USDC."""
    ported.deposit("200.00", USDC_ETHEREUM)
    opened = OpenBlockchainAccount(trading_account_id=ported.account, network="ethereum")
    custody = ported.engine.open_blockchain_account(opened).value
    request = RegisterCounterparty(address=address, network="ethereum")
    wallet = ported.engine.register_counterparty(request).value
    ported.later(DAY / SECOND)
    return Destination(
        type="counterparty", counterparty_id=wallet.id, blockchain_account_id=custody.id
    )


def _pay(ported: Ported, wallet: Destination) -> Transfer:
    order = WithdrawalRequest(amount="30.00", currency=USDC_ETHEREUM, destination=wallet)
    return ported.engine.withdraw(ported.account, order).value


def test_custody_sends_to_a_wallet_and_confirms_it_later(ported: Ported) -> None:
    withdrawal = _pay(ported, _wallet(ported, f"0x{'aa' * 20}"))
    (custody,) = ported.engine.blockchain_accounts().data
    told = ported.bank.addresses({"account": ported.account, "network": "ethereum"})
    assert custody.address.lower() == told["address"]
    ported.later(0)
    sent = ported.engine.withdrawal_record(ported.account, withdrawal.id)
    assert sent.status == "sent"
    assert str(sent.network_tx_hash).startswith("0x")
    ported.later(60)
    assert ported.status(withdrawal) == "completed"


def test_what_custody_has_confirmed_meanwhile_is_booked_at_once(ported: Ported) -> None:
    """Both postings to what is in transit are in one entry."""
    withdrawal = _pay(ported, _wallet(ported, f"0x{'aa' * 20}"))
    ported.bank.faults = {"silent"}
    ported.later(0)
    assert ported.status(withdrawal) == "processing"
    ported.bank.faults = set()
    ported.later(2)
    assert ported.status(withdrawal) == "completed"


def test_custody_gives_no_account_the_address_of_another(
    ported: Ported, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ported.bank, "addresses", lambda _query: {"address": f"0x{'ab' * 20}"})
    asked = OpenTradingAccount(bank_account_id="ACC-2", bank_account_type="savings")
    other = ported.engine.open_trading_account(asked).value.id

    def open_on_ethereum(account: str) -> str:
        request = OpenBlockchainAccount(trading_account_id=account, network="ethereum")
        return ported.engine.open_blockchain_account(request).value.address

    assert open_on_ethereum(ported.account) == open_on_ethereum(ported.account)
    with pytest.raises(ServiceUnavailable, match="that of another trading account"):
        open_on_ethereum(other)


def test_a_wallet_on_a_list_waits_for_a_person_who_is_told_why(ported: Ported) -> None:
    wallet = _wallet(ported, LISTED)
    assert _pay(ported, wallet).status == "reviewing"
    (decision,) = ported.engine.decisions().data
    assert decision.reason == "REVIEW_SCREENING_HIT"
    assert decision.words == (
        "Screening: score 95 of 100, on the lists: Example list. Travel Rule: TR-1."
    )
    ported.bank.faults = {"words-for-scores"}
    with pytest.raises(ServiceUnavailable, match="screening"):
        _pay(ported, wallet)


@pytest.mark.parametrize(("address", "ended"), [(LISTED, "rejected"), (f"0x{'aa' * 20}", "sent")])
def test_a_wallet_on_a_list_is_not_paid_without_a_person(
    tmp_path: Path, address: str, ended: str
) -> None:
    """Not at a deadline at which the policy's line approves either."""
    line = ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 3_600, AtDeadline.APPROVE)
    options = replace(_OPTIONS, policy=Policy((line,)))
    with ported_on(f"sqlite:///{tmp_path / 'bank.db'}", tmp_path, options) as ported:
        withdrawal = _pay(ported, _wallet(ported, address))
        ported.later(3_600)
        assert ported.status(withdrawal) == ended


def test_a_repeated_key_is_answered_while_another_system_is_out(ported: Ported) -> None:
    """What was done before isn't refused as if it hadn't been."""
    wallet = _wallet(ported, f"0x{'aa' * 20}")
    order = WithdrawalRequest(amount="30.00", currency=USDC_ETHEREUM, destination=wallet)
    more = DepositRequest(amount="5.00", currency=DPT)

    def paid(key: str) -> Written[Transfer]:
        return ported.engine.withdraw(ported.account, order, idempotency_key=key)

    def deposited(key: str) -> Written[Transfer]:
        return ported.engine.deposit(ported.account, more, idempotency_key=key)

    for act in (paid, deposited):
        ported.bank.faults = set()
        first = act("once")
        ported.bank.faults = {"words-for-scores", "other-levels"}
        again = act("once")
        assert (again.value, again.replayed) == (first.value, True)
        with pytest.raises(ServiceUnavailable):
            act("new")


def test_an_order_at_the_venue_cant_be_cancelled(ported: Ported) -> None:
    ported.deposit()
    trade = ported.buy()
    ported.bank.faults = {"never"}
    ported.later(0)
    with pytest.raises(TradeNotCancellable):
        ported.engine.cancel_trade(ported.account, trade.id)
    ported.later(*PATIENCE)
    assert ported.trade_status(trade) == "processing"
    ported.decide(is_done=False)
    found = ported.engine.trade(ported.account, trade.id)
    assert (found.status, _code(found)) == ("failed", "NOT_CARRIED_OUT")
    assert ported.usd() == ("100.00", "0.00")


def test_a_program_with_other_settings_simulates_nothing(ported: Ported) -> None:
    ported.deposit()
    unaware = Engine(replace(ported.engine.context, ports=Ports()), Actor(name="test"))
    first = unaware.deposit(ported.account, DepositRequest(amount="5.00", currency=DPT)).value
    unaware.run_due()
    assert (ported.status(first), ported.at_bank()) == ("processing", 990_000)
    ported.later(30)
    assert (ported.status(first), ported.at_bank()) == ("completed", 989_500)


def test_custody_can_exchange_files(ported: Ported, tmp_path: Path) -> None:
    custody = FolderCustody(tmp_path / "custody")
    wallet = _wallet(ported, f"0x{'aa' * 20}")
    context = ported.engine.context
    ported.engine = Engine(
        replace(context, ports=replace(context.ports, custody=custody)), Actor(name="test")
    )
    withdrawal = _pay(ported, wallet)
    ported.later(0)
    assert ported.status(withdrawal) == "sent"
    (request,) = (tmp_path / "custody" / "requests").iterdir()
    asked = json.loads(request.read_text())
    assert asked.pop("address").lower() == f"0x{'aa' * 20}"
    assert asked == {
        "key": f"{withdrawal.id}.transfer", "step": "transfer", "network": "ethereum",
        "symbol": "USDC", "amount": "30.00",
    }  # fmt: skip
    answer = tmp_path / "custody" / "answers" / request.name
    answer.parent.mkdir()
    answer.write_text(json.dumps({**asked, "status": "done", "hash": "0x01"}))
    ported.later(120)
    assert ported.status(withdrawal) == "completed"


def test_the_settings_say_what_is_simulated(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[ports]\ncustody = "https://custody.bank.example"\ncore_bank = "http://10.0.0.1/core"\n'
    )
    settings = load(environ={"CHAINTELLER_HOME": str(tmp_path)})
    assert Part.CUSTODY not in simulated(settings)
    assert Part.VENUE in simulated(settings)
    with pytest.raises(SettingsInvalid, match=r"ports\.core_bank is http://"):
        ports(settings)


def test_without_a_key_nothing_is_sent_and_the_settings_are_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[ports]\ncore_bank = "http://127.0.0.1:9"\n')
    settings = load(environ={"CHAINTELLER_HOME": str(tmp_path)})
    core_bank, gateway = ports(settings).core_bank, provider(settings, "http://127.0.0.1:9")
    assert core_bank is not None
    named = r"set ports\.core_bank_key_file or ports\.core_bank_key_command"
    with pytest.raises(ServiceUnavailable, match=named):
        core_bank.read("/customers", {})
    with pytest.raises(NotCarriedOut, match=named):
        core_bank.carry_out(Step.DEBIT, "TXN_1.debit", {"amount": "1.00"})
    named = r"CHAINTELLER_API_KEY, or gateway\.key_file or gateway\.key_command"
    with pytest.raises(SettingsInvalid, match=named):
        gateway.require_key()
    with pytest.raises(ServiceUnavailable, match=named):
        gateway.ask(Call(operations.MARKETS, query=MarketsQuery()))


@pytest.mark.parametrize("status", ["sending", "notDone"])
def test_nothing_is_sent_that_only_the_database_asks_for(ported: Ported, status: str) -> None:
    """Somebody with SQL and no writer's key writes a transfer of their own into a request."""
    paid = _pay(ported, _wallet(ported, f"0x{'aa' * 20}"))
    ported.bank.faults = {"never"} if status == "sending" else set()
    ported.bank.key = "changed" if status == "notDone" else "secret"
    ported.later(0)
    ported.bank.faults, ported.bank.key = set(), "secret"
    sent = len(ported.bank.asked)
    of_request = "FROM provider_request WHERE id = :id"
    row = _run(ported, f"SELECT * {of_request}", id=paid.id).one()
    assert row.status == status
    body = {"network": "ethereum", "symbol": "USDC", "amount": "30.00", "address": f"0x{'66' * 20}"}
    change = "UPDATE provider_request SET call = :call, key = :key WHERE id = :id"
    _run(ported, change, call=json.dumps(body), key="other", id=paid.id)
    ported.later(30, 3)
    assert len(ported.bank.asked) == sent
    assert {each.where for each in ported.engine.disputes().data} == {f"provider_request {paid.id}"}
    _run(ported, change, call=row.call, key=row.key, id=paid.id)
    (dispute,) = ported.engine.disputes().data
    ported.engine.clear_dispute(dispute.id, ClearDispute(reason="put back"))
    ported.later(60, 3)
    assert ported.status(paid) == "completed"


def test_a_deposit_that_only_the_database_has_raised_is_not_credited(ported: Ported) -> None:
    ported.bank.faults = {"silent"}
    made = ported.deposit("5.00")
    ported.bank.faults = set()
    row = _run(ported, "SELECT notional_cents FROM transfer WHERE id = :id", id=made.id).one()
    change = "UPDATE transfer SET notional_cents = :cents WHERE id = :id"
    _run(ported, change, cents="900000", id=made.id)
    ported.later(200)
    assert ported.status(made) == "processing"
    assert ported.usd()[0] == "0.00"
    (dispute,) = ported.engine.disputes().data
    _run(ported, change, cents=row.notional_cents, id=made.id)
    ported.engine.clear_dispute(dispute.id, ClearDispute(reason="put back"))
    ported.later(200)
    assert ported.status(made) == "completed"


@pytest.mark.parametrize("what", ["deposit", "withdraw", "buy", "again"])
def test_nothing_is_sent_while_the_log_does_not_go_on_from_its_kept_head(
    ported: Ported, what: str
) -> None:
    """Somebody with SQL removed the newest entry, a refusal that wrote no row."""
    ported.deposit()
    ported.later()
    made: Transfer | Trade | None = None
    if what == "again":
        ported.bank.faults = {"silent"}
        made = ported.deposit("5.00")
        ported.bank.faults = set()
    elif what != "deposit":
        made = ported.withdraw() if what == "withdraw" else ported.buy()
    with pytest.raises(Conflict):
        ported.open()
    kept = cut_behind_kept_head(ported.engine.context)
    ported.bank.asked.clear()
    made = made or ported.deposit("5.00")
    ported.later(30, 5)
    assert "POST" not in {method for method, _ in ported.bank.asked}
    (dispute,) = ported.engine.disputes().data
    assert (dispute.invariant, dispute.where) == (21, "log default")
    kept.accept(ported.engine.context.database)
    ported.engine.clear_dispute(dispute.id, ClearDispute(reason="accepted"))
    ported.later(60, 4)
    status = ported.trade_status(made) if isinstance(made, Trade) else ported.status(made)
    assert status in ("completed", "settled")


def test_nothing_is_given_back_while_the_log_does_not_go_on_from_its_kept_head(
    ported: Ported,
) -> None:
    """What is missing of the log may say that the withdrawal was paid."""
    ported.deposit()
    ported.later()
    made = ported.withdraw()
    frozen = OpenDecision(
        kind="control", subject=ported.account, reason="COMPLIANCE_REVIEW", control="FROZEN"
    )
    ported.engine.open_decision(frozen)
    with pytest.raises(Conflict):
        ported.open()
    kept = cut_behind_kept_head(ported.engine.context)
    ported.later(30, 5)
    assert (ported.status(made), ported.usd()) == ("processing", ("60.00", "40.00"))
    (dispute,) = ported.engine.disputes().data
    assert dispute.where == "log default"
    kept.accept(ported.engine.context.database)
    ported.engine.clear_dispute(dispute.id, ClearDispute(reason="accepted"))
    ported.later(60, 4)
    assert (ported.status(made), ported.usd()) == ("failed", ("100.00", "0.00"))


def _run(ported: Ported, statement: str, **values: object) -> Any:
    with ported.engine.context.database.write() as connection:
        found = connection.execute(text(statement), values)
        connection.commit()
        return found
