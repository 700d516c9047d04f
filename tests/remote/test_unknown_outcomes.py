"""What became of a write without an answer: settled by its key, or by all of its terms."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from tests.contract.test_trading import TOKEN, opened
from tests.remote.cutting_proxy import Cut, CuttingProxy
from tests.spec_only.server import SpecOnlyApp
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.api.app import App
from chainteller.domain.options import EngineOptions
from chainteller.engine.upkeep.upkeep import forget_keys
from chainteller.remote.client import RemoteService
from chainteller.service.errors import (
    Conflict,
    IdempotencyKeyReused,
    NotDone,
    OutcomeUnknown,
    RateLimited,
    ServiceUnreachable,
    TellerError,
    Unauthorized,
)
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import DiagnosisRequest, RegisterCounterparty
from chainteller.service.models.decisions import OpenDecision
from chainteller.service.models.funding import DepositRequest, Transfer, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import EXECUTE_QUOTE, Call
from chainteller.workspace import records
from chainteller.workspace.outcomes import Fate, Outcome, describe, fits
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import SentState, Workspace

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
KINDS = {"ours": App, "spec-only": SpecOnlyApp}


@dataclass
class Line(Iterator[Cut]):
    """What the proxy does with the next requests."""

    fate: Cut = Cut.NONE

    def __next__(self) -> Cut:
        return self.fate


@dataclass
class Bench:
    """A deployment behind a line, the desk's own record, and an account with money in it."""

    world: World
    line: Line
    service: RemoteService
    workspace: Workspace
    account_id: str
    quotes: list[str] = field(default_factory=list)

    @property
    def bank(self) -> Service:
        return self.world.engine

    @property
    def desk(self) -> Recorder:
        return Recorder(self.service, self.workspace)

    def lost(self, cut: Cut, write: Callable[[Recorder], object]) -> str:
        """Send a write whose answer is lost; returns its key."""
        self.line.fate = cut
        with pytest.raises(OutcomeUnknown) as unknown:
            write(self.desk)
        self.line.fate = Cut.NONE
        return unknown.value.idempotency_key

    def quote(self, amount: str = "100.00", side: str = "buy") -> Quote:
        request = QuoteRequest(amount=amount, side=side)
        return self.desk.create_quote("sol-usd", request).value

    def execute(self, quote: Quote, desk: Service, key: str | None = None) -> Trade:
        request = ExecuteRequest(trading_account_id=self.account_id)
        return desk.execute_quote(quote.id, request, idempotency_key=key).value

    def settle(self, key: str) -> Outcome:
        return self.desk.settle(key)

    def trades(self) -> list[str]:
        return [trade.id for trade in self.bank.trades(self.account_id).data]


@contextmanager
def bench_of(kind: str, folder: Path) -> Iterator[Bench]:
    world = build(sqlite_url(folder), options=EngineOptions(rate_limits=False))
    account = opened(world.engine)
    world.engine.deposit(account.id, DepositRequest(amount="5000.00", currency=TOKEN))
    with served(deployment(world), kind=KINDS[kind]) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        line = Line()
        proxy = CuttingProxy((host, int(port)), line)
        service = RemoteService(proxy.address, world.key(), deadline_s=5)
        service.capabilities()
        workspace = Workspace(folder / "desk.db", world.clock)
        yield Bench(world, line, service, workspace, account.id)
        workspace.close()
        service.close()
        proxy.close()
    world.engine.close()


@pytest.fixture(params=["ours", "spec-only"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with bench_of(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Bench]:
    with bench_of("ours", tmp_path) as made:
        yield made


@pytest.fixture
def spec_only(tmp_path: Path) -> Iterator[Bench]:
    with bench_of("spec-only", tmp_path) as made:
        yield made


def _deposit(bench: Bench, desk: Service, key: str | None = None) -> object:
    request = DepositRequest(amount="7.00", currency=TOKEN)
    return desk.deposit(bench.account_id, request, idempotency_key=key)


def _withdraw(bench: Bench, desk: Service, key: str | None = None) -> object:
    request = WithdrawalRequest(amount="7.00", currency=TOKEN)
    return desk.withdraw(bench.account_id, request, idempotency_key=key)


def _open(_bench: Bench, desk: Service, key: str | None = None) -> object:
    request = OpenTradingAccount(bank_account_id="DDA-2", bank_account_type="savings")
    return desk.open_trading_account(request, idempotency_key=key)


def _register(_bench: Bench, desk: Service, key: str | None = None) -> object:
    request = RegisterCounterparty(address=ADDRESS, network="ethereum")
    return desk.register_counterparty(request, idempotency_key=key)


WRITES = {"deposit": _deposit, "withdraw": _withdraw, "open": _open, "register": _register}


def _count(bench: Bench, name: str) -> int:
    bank = bench.bank
    if name == "deposit":
        return bank.deposits(bench.account_id).pagination.total - 1
    if name == "withdraw":
        return bank.withdrawals(bench.account_id).pagination.total
    if name == "open":
        return bank.trading_accounts().pagination.total - 1
    return bank.counterparties().pagination.total


@pytest.mark.forms(2)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER])
@pytest.mark.parametrize("name", WRITES)
def test_the_same_key_settles_every_write_and_does_it_once(
    ours: Bench, name: str, cut: Cut
) -> None:
    key = ours.lost(cut, lambda desk: WRITES[name](ours, desk))
    [doubtful] = ours.workspace.in_doubt()
    assert ours.account_id in describe(ours.workspace, doubtful) or name in {"open", "register"}
    outcome = ours.settle(key)
    assert (outcome.fate, outcome.replayed) == (Fate.DONE, cut is Cut.AFTER)
    assert ours.settle(key).replayed, "a second time shows the same outcome"
    assert _count(ours, name) == 1
    assert ours.workspace.in_doubt() == []


@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER])
@pytest.mark.parametrize("name", WRITES)
def test_without_keys_nothing_is_ever_sent_twice(spec_only: Bench, name: str, cut: Cut) -> None:
    key = spec_only.lost(cut, lambda desk: WRITES[name](spec_only, desk))
    done = _count(spec_only, name)
    assert done == (cut is Cut.AFTER)
    assert spec_only.settle(key).fate is Fate.NOT_SHOWN
    recorded = spec_only.workspace.sent_request(key)
    assert recorded is not None
    assert recorded.state is SentState.UNKNOWN, "what can't be known stays in doubt"
    with pytest.raises(OutcomeUnknown, match="Not sent again"):
        WRITES[name](spec_only, spec_only.desk, key)
    assert _count(spec_only, name) == done


@pytest.mark.forms(1)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER])
def test_an_execution_is_settled_on_any_deployment(bench: Bench, cut: Cut) -> None:
    quote = bench.quote()
    key = bench.lost(cut, lambda desk: bench.execute(quote, desk))
    outcome = bench.settle(key)
    offers_keys = "idempotency" in bench.service.capabilities().features
    if cut is Cut.BEFORE and not offers_keys:
        assert (outcome.fate, bench.trades()) == (Fate.UNKNOWN, [])
        bench.world.advance(301 + 61)
        assert bench.settle(key).fate is Fate.NOT_DONE
        return
    assert outcome.fate is Fate.DONE
    assert [getattr(record, "id", "") for record in outcome.records] == bench.trades()
    assert len(bench.trades()) == 1
    assert bench.workspace.in_doubt() == []
    kept = records.one(bench.workspace, Quote, quote.id)
    assert kept is not None
    assert [kept.trade_id] == bench.trades(), "the quote is known to be used"


@pytest.mark.forms(1)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER])
def test_a_cancellation_is_settled_on_any_deployment(bench: Bench, cut: Cut) -> None:
    trade = bench.execute(bench.quote(), bench.bank)
    key = bench.lost(cut, lambda desk: desk.cancel_trade(bench.account_id, trade.id))
    outcome = bench.settle(key)
    status = bench.bank.trade(bench.account_id, trade.id).status
    assert (outcome.fate is Fate.DONE) == (status == "cancelled")
    if outcome.fate is not Fate.DONE:
        bench.world.advance(61)
        late = bench.settle(key)
        assert late.fate is Fate.NOT_DONE
        assert "isn't cancelled" in late.text


def test_of_what_was_accepted_without_an_id_a_repetition_says_that(spec_only: Bench) -> None:
    _withdraw(spec_only, spec_only.desk, "mine")
    with pytest.raises(Conflict, match=r"^Not sent again: it was accepted\.$") as told:
        _withdraw(spec_only, spec_only.desk, "mine")
    assert told.value.suggestion == "Use a new idempotency key for a new request."


def test_trades_that_differ_in_one_term_are_never_taken_for_each_other(spec_only: Bench) -> None:
    """Another amount, side or time: the lost execution is none of them."""
    quote = spec_only.quote("100.00")
    earlier = spec_only.bank.create_quote("sol-usd", QuoteRequest(amount="100.00", side="buy"))
    spec_only.execute(spec_only.quote("101.00"), spec_only.bank)
    key = spec_only.lost(Cut.BEFORE, lambda desk: spec_only.execute(quote, desk))
    assert spec_only.settle(key).fate is Fate.UNKNOWN
    assert earlier.value.price == quote.price, "the price alone would fit"
    spec_only.world.advance(362)
    assert spec_only.settle(key).fate is Fate.NOT_DONE


def test_a_trade_fits_a_quote_only_as_long_as_that_could_be_executed(spec_only: Bench) -> None:
    quote = spec_only.quote()
    made = spec_only.execute(quote, spec_only.bank).model_copy(update={"quote_id": None})
    last = quote.expires + timedelta(minutes=1)
    second = timedelta(seconds=1)
    instants = (quote.created, last, quote.created - second, last + second)
    found = [fits(made.model_copy(update={"created": each}), quote) for each in instants]
    assert found == [True, True, False, False]


def test_two_trades_that_fit_are_both_named_and_neither_is_chosen(spec_only: Bench) -> None:
    quote, twin = spec_only.quote(), spec_only.quote()
    assert (quote.price, quote.asset_bought) == (twin.price, twin.asset_bought)
    elsewhere = spec_only.execute(twin, spec_only.bank)
    key = spec_only.lost(Cut.AFTER, lambda desk: spec_only.execute(quote, desk))
    outcome = spec_only.settle(key)
    assert outcome.fate is Fate.SEVERAL
    assert len(outcome.records) == 2
    assert all(trade_id in outcome.text for trade_id in (elsewhere.id, *spec_only.trades()))
    [doubtful] = spec_only.workspace.in_doubt()
    assert doubtful.key == key


def test_two_lost_executions_do_not_share_one_trade(spec_only: Bench) -> None:
    first, second = spec_only.quote(), spec_only.quote()
    key = spec_only.lost(Cut.AFTER, lambda desk: spec_only.execute(first, desk))
    other = spec_only.lost(Cut.BEFORE, lambda desk: spec_only.execute(second, desk))
    outcomes = spec_only.settle(key), spec_only.settle(other)
    assert [outcome.fate for outcome in outcomes] == [Fate.SEVERAL, Fate.SEVERAL]
    assert second.id in outcomes[0].text
    assert len(spec_only.trades()) == 1


def test_the_answer_of_another_execution_is_not_the_lost_one(spec_only: Bench) -> None:
    quote, twin = spec_only.quote(), spec_only.quote()
    answered = spec_only.execute(twin, spec_only.desk)
    key = spec_only.lost(Cut.AFTER, lambda desk: spec_only.execute(quote, desk))
    outcome = spec_only.settle(key)
    assert outcome.fate is Fate.DONE
    assert [record.id for record in outcome.records if isinstance(record, Trade)] != [answered.id]


def test_the_same_line_with_its_key_shows_the_outcome_or_says_that_it_was_not_done(
    spec_only: Bench,
) -> None:
    quote, unused = spec_only.quote(), spec_only.quote("50.00")
    key = spec_only.lost(Cut.AFTER, lambda desk: spec_only.execute(quote, desk))
    assert [spec_only.execute(quote, spec_only.desk, key).id] == spec_only.trades()
    assert [spec_only.execute(quote, spec_only.desk, key).id] == spec_only.trades(), "again"
    lost = spec_only.lost(Cut.BEFORE, lambda desk: spec_only.execute(unused, desk))
    spec_only.world.advance(362)
    with pytest.raises(NotDone):
        spec_only.execute(unused, spec_only.desk, lost)
    assert len(spec_only.trades()) == 1


def test_a_key_without_an_answer_is_not_used_for_another_request(ours: Bench) -> None:
    key = ours.lost(Cut.AFTER, lambda desk: WRITES["deposit"](ours, desk))
    request = DepositRequest(amount="8.00", currency=TOKEN)
    with pytest.raises(IdempotencyKeyReused) as refused:
        ours.desk.deposit(ours.account_id, request, idempotency_key=key)
    assert refused.value.details.keys() == {"key", "firstUsedAt"}
    assert [row.key for row in ours.workspace.in_doubt()] == [key]


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    "fault",
    [
        ServiceUnreachable("no connection"),
        RateLimited("too many"),
        Unauthorized("no key"),
        OutcomeUnknown("no answer", "k"),
    ],
)
def test_a_refused_repetition_says_nothing_of_the_first_attempt(
    ours: Bench, fault: TellerError
) -> None:
    quote = ours.quote()
    key = ours.lost(Cut.AFTER, lambda desk: ours.execute(quote, desk))

    def refuse(call: Call[object], onward: Next) -> object:
        if call.operation is EXECUTE_QUOTE:
            raise fault
        return onward(call)

    refused = Recorder(layered(ours.service, refuse), ours.workspace)  # type: ignore[arg-type]  # it answers nothing itself
    with pytest.raises(type(fault)):
        refused.settle(key)
    with pytest.raises(type(fault)):
        ours.execute(quote, refused, key)
    assert [row.key for row in ours.workspace.in_doubt()] == [key]
    assert ours.settle(key).replayed


def test_a_control_without_an_answer_is_named_with_its_account(ours: Bench) -> None:
    freeze = OpenDecision(kind="control", subject=ours.account_id, control="FROZEN", reason="DESK")
    ours.lost(Cut.BEFORE, lambda desk: desk.open_decision(freeze))
    [doubtful] = ours.workspace.in_doubt()
    told = describe(ours.workspace, doubtful)
    assert told == f"FROZEN set on the account for {ours.account_id}"


def test_a_restart_after_a_kill_finds_the_request_in_the_registry(
    bench: Bench, tmp_path: Path
) -> None:
    """As after a kill -9: the answer was never recorded, and another process settles it."""
    quote = bench.quote()
    key = bench.lost(Cut.AFTER, lambda desk: bench.execute(quote, desk))
    bench.workspace.close()
    bench.workspace = Workspace(tmp_path / "desk.db", bench.world.clock)
    [doubtful] = bench.workspace.in_doubt()
    assert quote.id in describe(bench.workspace, doubtful)
    assert "100.00 USD" in describe(bench.workspace, doubtful)
    assert bench.settle(key).fate is Fate.DONE
    assert len(bench.trades()) == 1


def test_a_request_of_the_day_before_is_not_sent_again(ours: Bench) -> None:
    """Its key may be forgotten by now, and it would be done a second time."""
    key = ours.lost(Cut.AFTER, lambda desk: WRITES["deposit"](ours, desk))
    ours.world.advance(25 * 3600)
    outcome = ours.settle(key)
    assert (outcome.fate, outcome.replayed) == (Fate.DONE, False), "it was found, not sent again"
    assert _count(ours, "deposit") == 1


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_key_of_the_day_before_does_nothing_a_second_time(
    ours: Bench, *, is_answered: bool
) -> None:
    """As a script has it, or a person who enters the line that a command printed."""
    request = DepositRequest(amount="5.00", currency=TOKEN)

    def deposit() -> Written[Transfer]:
        return ours.desk.deposit(ours.account_id, request, idempotency_key="mine")

    if is_answered:
        deposit()
    else:
        ours.lost(Cut.AFTER, lambda _: deposit())
    ours.world.advance(25 * 3600)
    assert forget_keys(ours.world.context)
    again = deposit()
    assert (again.created, again.replayed) == (False, True)
    assert _count(ours, "deposit") == 1


def test_a_diagnosis_without_an_answer_left_nothing_open(ours: Bench) -> None:
    """It's a POST, and changes nothing."""
    asked = DiagnosisRequest(
        challenge_id="CHG_1", completed_challenge="0x1", counterparty_id="CPT_1"
    )
    ours.line.fate = Cut.AFTER
    with pytest.raises(ServiceUnreachable):
        ours.desk.diagnose_signature("BCA_1", asked)
    assert ours.workspace.in_doubt() == []
