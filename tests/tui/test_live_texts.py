"""What is read to the customer follows its record while it stands on the screen."""

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import Case
from textual.app import App
from textual.pilot import Pilot

from chainteller.domain.challenges import ChallengeStatus, VerificationStatus
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.service.layers import Next, layered
from chainteller.service.models.counterparties import Challenge, Counterparty
from chainteller.service.models.funding import Currency, Transfer, WithdrawalRequest
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Question
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.quote.state import Phase
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.transfers.screen import TransfersScreen
from chainteller.tui.wallets.screen import WalletsScreen
from chainteller.tui.widgets.lines import Lines

Answer = TypeVar("Answer")
Pairs = Callable[[Sequence[Any]], list[tuple[Any, Any]]]
"""Which changes of a status are driven."""
SIZE = (120, 40)
LEFT, RIGHT = 24, 96
"""Columns of the box's text in a window of ``SIZE``."""
OLD, NEW, TITLE = "no longer true", "SAY NOW", "WHAT TO TELL THE CUSTOMER"


class Moved:
    """A deployment whose trades and transfers are in the status ``status``."""

    def __init__(self, status: Any) -> None:
        self.status = status

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        answer = onward(call)
        if not isinstance(answer, Page):
            return cast("Answer", self._moved(answer))
        rows = [self._moved(row) for row in answer.data]
        return cast("Answer", answer.model_copy(update={"data": rows}))

    def _moved(self, row: object) -> object:
        if isinstance(row, Trade | Transfer):
            return row.model_copy(update={"status": self.status, "cancellable": None})
        return row


class MovedWallet(Moved):
    """A deployment whose newest message to sign, and whose wallets' verification, are in the two
    states of ``status``; a wallet without the second one was never linked."""

    def __init__(self, status: tuple[str, str], newest: Challenge) -> None:
        super().__init__(status)
        self._newest = newest.id

    def _moved(self, row: object) -> object:
        challenge, verification = self.status
        if isinstance(row, Challenge) and row.id == self._newest:
            return row.model_copy(update={"status": challenge})
        if not isinstance(row, Counterparty) or row.verification is None:
            return row
        if not verification:
            return row.model_copy(update={"verification": None, "type": "counterparty"})
        now = row.verification.model_copy(update={"status": verification})
        return row.model_copy(update={"verification": now})


class Frames:
    """The box's text in every frame that was painted, with what the screen behind says then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, expected: Callable[[], str]) -> None:
        self.false: list[str] = []
        self.count = 0
        self._expected = expected
        display = App._display

        def look(app: Any, screen: Any, update: Any) -> None:
            display(app, screen, update)
            if not app._batch_count:
                self._look(cast("Console", app))

        monkeypatch.setattr(App, "_display", look)

    def _look(self, app: Console) -> None:
        said = box(app)
        if TITLE not in said:
            return
        self.count += 1
        now = said.partition(NEW)[2] or said
        if words(self._expected()) not in now or (OLD in said) != (NEW in said):
            self.false.append(said)


def box(app: Console) -> str:
    rows = [row[LEFT:RIGHT] for row in seen(app).splitlines()]
    return words(" ".join(rows))


def words(text: str) -> str:
    return " ".join(text.split())


async def _move(pilot: Pilot[None]) -> None:
    cast("Console", pilot.app).desk.on_change.publish(("changed",))
    await settle(pilot)


def _trade(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))


def _deposit(bench: Bench) -> None:
    bench.open(1, deposit="500.00")


def _withdrawal(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    asked = WithdrawalRequest(amount="50.00", currency=currency)
    bench.service.withdraw(account.id, asked)


def each_once(statuses: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs in which each status comes once before and once after another one."""
    return [*zip(statuses, [*statuses[1:], statuses[0]], strict=True)]


def with_the_first(statuses: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of the first status with each other one, both ways."""
    first, *others = statuses
    return [pair for each in others for pair in ((first, each), (each, first))]


def every_pair(statuses: Sequence[str]) -> list[tuple[str, str]]:
    return [*permutations(statuses, 2)]


@pytest.mark.parametrize("pairs", [each_once, pytest.param(every_pair, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("arrange", "key", "statuses", "kind"),
    [
        (_trade, "4", tuple(TradeStatus), TradesScreen),
        (_deposit, "6", tuple(TransferStatus), TransfersScreen),
    ],
    ids=["trade", "transfer"],
)
async def test_no_frame_holds_a_sentence_that_is_false_now(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    arrange: Callable[[Bench], None],
    key: str,
    statuses: tuple[str, ...],
    kind: type[TradesScreen] | type[TransfersScreen],
    pairs: Pairs,
) -> None:
    """Pairs of states, driven while the box is open."""
    arrange(bench)
    moved = Moved(statuses[0])
    app = bench.console(layered(bench.deployment, moved))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, key)
        screen = app.screen
        assert isinstance(screen, kind)
        frames = Frames(monkeypatch, screen.customer_text)
        changed = 0
        for before, after in pairs(statuses):
            moved.status = before
            await _move(pilot)
            first = screen.customer_text()
            await press(pilot, "t")
            assert words(first) in box(app)
            moved.status = after
            await _move(pilot)
            second = screen.customer_text()
            if second != first:
                changed += 1
                old, _, new = box(app).partition(NEW)
                assert words(first) in old.partition(OLD)[2]
                assert words(second) in new
                assert [each.text for each in [*app.desk.customer.told][-2:]] == [first, second]
            await press(pilot, "escape")
        assert frames.false == [], frames.false[0][500:1900]
        assert frames.count >= 2 * changed
        assert changed > len(pairs(statuses)) / 2


@pytest.mark.parametrize("is_linked", [False, True], ids=["new", "linked"])
@pytest.mark.parametrize("pairs", [each_once, pytest.param(every_pair, marks=pytest.mark.thorough)])
async def test_a_wallets_text_follows_its_message_and_its_verification(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    is_linked: bool,
    pairs: Pairs,
) -> None:
    case = Case(bench, "alice-ethereum")
    if is_linked:
        case.link("alice-ethereum")
        bench.world.advance(60)
        case.challenge("alice-ethereum")
    verifications = ("", *VerificationStatus) if is_linked else ("",)
    states = [*product(ChallengeStatus, verifications)]
    moved = MovedWallet(states[0], case.newest())
    app = bench.console(layered(bench.deployment, moved))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        screen = app.screen
        assert isinstance(screen, WalletsScreen)
        frames = Frames(monkeypatch, screen.customer_text)
        texts = set()
        for before, after in pairs(states):
            moved.status = before
            await _move(pilot)
            first = screen.customer_text()
            await press(pilot, "t")
            moved.status = after
            await _move(pilot)
            second = screen.customer_text()
            texts |= {first, second}
            assert (OLD in box(app)) == (first != second)
            assert words(second) in (box(app).partition(NEW)[2] or box(app))
            await press(pilot, "escape")
        assert frames.false == [], frames.false[0][500:1900]
        assert len(texts) > len(verifications)
        assert sum("was not added to your account in time" in each for each in texts) == 1


@pytest.mark.parametrize(
    ("arrange", "keys", "statuses"),
    [
        (_trade, ("4",), tuple(TradeStatus)),
        (_withdrawal, ("6",), tuple(TransferStatus)),
    ],
    ids=["trade", "withdrawal"],
)
@pytest.mark.parametrize(
    "pairs", [with_the_first, pytest.param(every_pair, marks=pytest.mark.thorough)]
)
async def test_a_question_names_the_state_that_is_now_or_closes_with_the_reason(
    bench: Bench,
    arrange: Callable[[Bench], None],
    keys: Sequence[str],
    statuses: Sequence[str],
    pairs: Pairs,
) -> None:
    arrange(bench)
    moved = Moved(statuses[0])
    app = bench.console(layered(bench.deployment, moved))
    stayed, closed = 0, 0
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        for before, after in pairs(statuses):
            moved.status = before
            await _move(pilot)
            await press(pilot, "C")
            if not isinstance(app.screen, Question):
                continue
            assert before in _asked(app)
            moved.status = after
            app.desk.on_poll.publish(None)
            await settle(pilot)
            if isinstance(app.screen, Question):
                stayed += 1
                assert after in _asked(app)
                assert before not in _asked(app)
                await press(pilot, "n")
            else:
                closed += 1
                assert "NOT_CANCELLABLE" in seen(app)
                await press(pilot, "escape")
    assert closed >= len(statuses) - 2
    assert stayed == (2 if arrange is _withdrawal else 0)


def _asked(app: Console) -> str:
    return words(app.screen.query_one("#question", Lines).plain_text)


async def test_the_last_action_and_what_waits_follow_every_state(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    moved = Moved(TransferStatus.PROCESSING)
    app = bench.console(layered(bench.deployment, moved))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"50", "enter")
        await press(pilot, "y")
        await press(pilot, "6", "L")
        for status in [*TransferStatus, *reversed(TransferStatus)]:
            moved.status = status
            app.desk.on_poll.publish(None)
            await _move(pilot)
            assert f"outcome {status}" in box(app)
            strip = app.screen_stack[0].query_one("#strip", Lines).plain_text
            others = {str(each) for each in TransferStatus} - {status}
            assert not [each for each in others if f"withdraw 50.00 USD {each}" in strip]
            assert not [each for each in others if f"withdraw 50.00 USD {each}" in seen(app)]


@pytest.mark.parametrize("pairs", [each_once, pytest.param(every_pair, marks=pytest.mark.thorough)])
async def test_a_quotes_text_follows_it_through_its_phases(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, pairs: Pairs
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    phases = (Phase.QUOTED, Phase.SENDING, Phase.UNKNOWN, Phase.USED, "expired")

    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        live = screen.state.quote
        assert live is not None
        over = live.model_copy(update={"expires": live.created})

        def turn(phase: str) -> None:
            screen.state.quote = over if phase == "expired" else live
            screen.state.phase = Phase.QUOTED if phase == "expired" else Phase(phase)
            bench.world.clock.advance(1_000_000)  # type: ignore[union-attr]  # moved by hand
            screen.draw()

        frames = Frames(monkeypatch, screen.customer_text)
        for before, after in pairs(phases):
            turn(before)
            first = screen.customer_text()
            await press(pilot, "t")
            painted = frames.count
            turn(after)
            app.screen._on_timer_update()  # a frame may come before anything else
            second = screen.customer_text()
            assert (frames.count > painted) == (first != second)
            await settle(pilot)
            assert (OLD in box(app)) == (first != second)
            assert words(second) in (box(app).partition(NEW)[2] or box(app))
            await press(pilot, "escape")
        assert frames.count
        assert frames.false == [], frames.false[0][500:1900]


async def test_t_copies_the_new_sentence(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    _trade(bench)
    moved = Moved(TradeStatus.PROCESSING)
    app = bench.console(layered(bench.deployment, moved))
    copied: list[str] = []
    monkeypatch.setattr(App, "copy_to_clipboard", lambda _, text: copied.append(text))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "4", "t")
        moved.status = TradeStatus.EXECUTED
        await _move(pilot)
        await press(pilot, "t")
        assert copied == [cast("TradesScreen", app.screen_stack[-2]).customer_text()]
        assert "was carried out" in copied[0]


async def test_a_text_whose_record_left_the_screen_is_not_read_on(bench: Bench) -> None:
    """Here the list behind it turns to nothing."""
    _trade(bench)
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        screen = app.screen
        assert isinstance(screen, TradesScreen)
        await press(pilot, "t")
        screen.find("nothing like this")
        await settle(pilot)
        assert OLD in box(app)
        assert NEW not in box(app)
        assert "isn't on the screen any more" in box(app)


async def test_the_present_minute_alone_makes_no_text_false(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        accounts = app.screen
        assert isinstance(accounts, AccountsScreen)
        await press(pilot, "t")
        assert TITLE in box(app)
        bench.world.advance(120)
        accounts.take_news()
        await settle(pilot)
        assert OLD not in box(app)
        bench.deposit(bench.service.trading_accounts().data[0], "25.00")
        accounts.take_news()
        await settle(pilot)
        assert OLD in box(app)
