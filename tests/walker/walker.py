"""A random walk over the console: keys, pastes, clicks, sizes, time and lost answers, from a seed.

After every step the frame, the copied and exported texts and the requests are checked against the
model of what belongs to whom.
"""

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.tui.conftest import press, seen, settle
from tests.walker.model import numbers, plain, rows_of, with_cells_apart
from tests.walker.world import Sent, WalkerWorld
from textual import events
from textual.geometry import Region
from textual.pilot import Pilot

from chainteller.domain.clock import from_datetime
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service import operations as op
from chainteller.service.operations import Call
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.console.event_log import LogScreen
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.dialogs.question import Question
from chainteller.tui.widgets.bars import HintBar, StatusLine, TopBar, UnderWay
from chainteller.tui.widgets.lines import Lines

SIZES = ((80, 24), (120, 40), (100, 30), (160, 50), (60, 16))
CONFIRM_ABOVE = Decimal(10_000)
CONFIRMED = frozenset({"execute_quote", "withdraw", "cancel_trade", "cancel_withdrawal"})
"""Writes that leave only after ``y`` to a question."""
MOVES = CONFIRMED | {"deposit"}
CANCELLATIONS = frozenset({"cancel_trade", "cancel_withdrawal"})
FOLLOWING = frozenset({op.SHOW_TRADE, op.SHOW_TRANSACTION, op.DEPOSIT_RECORD, op.WITHDRAWAL_RECORD})
"""Reads of one record: what becomes of trades and transfers that were begun here."""
SETTLING = frozenset({op.SHOW_QUOTE, op.SHOW_TRADE, op.TRADES})
"""Reads that look for an execution that wasn't answered."""
_RETYPE = re.compile(r"type the amount again, ([\d,.]+)")
_SHARED_TITLE = re.compile(r"\ball (?:accounts|blockchain accounts|customers)\b")
_LAST_STEPS = 25


class Violation(AssertionError):
    """Something of one customer was shown or sent under another's name."""


@dataclass(frozen=True)
class Shown:
    """What the agent sees at one moment.

    Attributes:
        body: What is about the customer being served: without shared lists, bars and log lines.
        named: The trading accounts that title, detail and question name.
        question: The text of the open question; empty when none is open.
        is_shared: Whether the screen lists the records of everybody.
    """

    frame: str
    body: str = ""
    title: str = ""
    question: str = ""
    named: frozenset[str] = frozenset()
    is_shared: bool = True
    box: str = ""
    has_field: bool = False
    has_dialog: bool = False
    mode: str = ""
    is_log: bool = False
    in_field: str = ""
    unknown: str = ""
    """The lines that name executions with an unknown outcome, on every screen."""

    @property
    def owner(self) -> str:
        """The one customer that the screen names; empty for none or several."""
        return next(iter(self.named)) if len(self.named) == 1 else ""


@dataclass
class Walker:
    world: WalkerWorld
    app: Console
    pilot: Pilot[Any]
    randomness: SeededRandomness
    seed: str
    folder: Path
    violations: list[Violation] | None = None
    """Where violations are kept; None to stop at the first one."""
    copied: list[str] = field(default_factory=list)
    steps: int = 0
    writes: int = 0
    texts: int = 0
    frames: int = 0
    history: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST_STEPS))
    retyped: str = ""
    is_typed: bool = False
    """Whether an amount was typed into the open field."""
    executed: dict[str, str] = field(default_factory=dict)
    """Idempotency key of the first execution of each quote."""
    sent_before: set[str] = field(default_factory=set)
    """Idempotency keys of executions that were sent once."""
    refused: set[str] = field(default_factory=set)
    """Idempotency keys of requests that were refused."""
    answered: set[str] = field(default_factory=set)
    """Idempotency keys that were answered."""
    used: set[str] = field(default_factory=set)
    """Quotes that became trades, whether the answer arrived or not."""
    acted_for: set[str] = field(default_factory=set)
    """Accounts with a write: what became of their trades and transfers is followed."""
    pasted_into: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """What the agent pasted into a field, by the customer named then: a field keeps it as it is."""
    unknown_owners: set[str] = field(default_factory=set)
    """Accounts with a write that wasn't answered."""
    pasted: str = ""
    """The account whose id was pasted in this step, where it has to be served now."""

    async def walk(self, steps: int) -> None:
        """Raises Violation."""

        def copy(text: str) -> None:
            self.copied.append(text)

        self.app.copy_to_clipboard = copy  # type: ignore[method-assign]  # the only clipboard here
        await settle(self.pilot)
        shown = self._look()
        for _ in range(steps):
            self.steps += 1
            before, self.pasted = shown, ""
            name, act = self._choose(before)
            self.history.append(f"{self.steps} {name}")
            try:
                await act()
            except AssertionError as error:
                running = [each.group for each in self.app.workers if not each.is_finished]
                if any(each.startswith("write-") for each in running):
                    running.append("a question may be open behind another screen")
                self._fail(f"{error}: {running} {self.app.screen_stack}", self._look(), is_end=True)
            if not self.app.is_running:
                self._fail("the console has ended", self._look(), is_end=True)
            shown = self._look()
            self._check(name, before, shown)

    def _any(self, given: Sequence[Any]) -> Any:
        return given[below(self.randomness, len(given))]

    # -- looking ---------------------------------------------------------------------------------

    def _look(self) -> Shown:
        app, frame = self.app, seen(self.app)
        assert app._exception is None, app._exception
        screen = next(
            (each for each in app.screen_stack[::-1] if isinstance(each, DeskScreen)), None
        )
        if screen is None:
            return Shown(frame)
        top = app.screen
        question = (
            _cut(frame, top.query_one("#question").region) if isinstance(top, Question) else ""
        )
        box = _cut(frame, top.query_one(Lines).region) if isinstance(top, Box) else ""
        title = screen.query_one("#title", Lines).plain_text
        body = _body_of(screen, frame) if top is screen or question else ""
        model = self.world.model
        detail = _detail_of(screen) if isinstance(screen, AccountsScreen) else ""
        named = model.full_ids(f"{title}\n{detail}\n{question}")
        return Shown(
            frame,
            body,
            title,
            question,
            frozenset(named),
            bool(_SHARED_TITLE.search(title.partition("(")[0])),
            box,
            screen.field_bar.is_open if top is screen else False,
            top is not screen,
            app.current_mode,
            isinstance(top, LogScreen),
            screen.field_bar.value if top is screen and screen.field_bar.is_open else "",
            _cut(frame, screen.query_one(UnderWay).region),
        )

    # -- checking --------------------------------------------------------------------------------

    def _check(self, name: str, before: Shown, shown: Shown) -> None:  # noqa: C901 - one rule each
        self.frames += 1
        owner, model = shown.owner, self.world.model
        if len(shown.named) > 1 and not shown.is_shared:
            self._fail(f"the screen names several customers: {sorted(shown.named)}", shown)
        if owner and not shown.is_shared:
            body = shown.body
            if before.has_field and name.startswith("paste "):
                self.pasted_into[owner].add(name.removeprefix("paste "))
            if shown.in_field in self.pasted_into[owner]:
                body = body.replace(shown.in_field, "", 1)
            self._require_own(model.foreign(f"{shown.title}\n{body}", owner), owner, shown)
        if owner and shown.question:
            self._require_own(model.foreign(shown.question, owner), owner, shown)
        is_for_customer = "CUSTOMER" in shown.box  # other boxes are the log, help and the handover
        if owner and is_for_customer and not shown.is_shared:
            self._require_own(model.foreign(shown.box, owner), owner, shown)
        if self.pasted and owner and owner != self.pasted and not before.has_dialog:
            self._fail(f"{self.pasted} was pasted, and {owner} is on the screen", shown)
        for text in self._texts_out():
            self.texts += 1
            self._check_text(text, before, shown)
        for sent in self.world.recorder.taken():
            self._check_request(sent, name, before, shown)
        self._check_unknown_outcomes(shown)
        self._check_quote(shown)
        if not before.question and not shown.question:
            self.retyped = ""

    def _require_own(self, foreign: list[str], owner: str, shown: Shown, where: str = "") -> None:
        if foreign:
            owners = {
                each: sorted(
                    self.world.model.owners.get(each) or self.world.model.amounts.get(each) or ()
                )
                for each in foreign
            }
            self._fail(f"foreign under {owner}: {owners} {where}", shown)

    def _check_text(self, text: str, before: Shown, shown: Shown) -> None:
        """What was copied or exported; the event log is of everybody."""
        whose = before.owner or shown.owner
        is_of_everybody = before.mode == "accounts" or before.is_shared
        if text.startswith("HANDOVER"):
            self._check_handover(text, shown)
        elif is_of_everybody and (rows := rows_of(text)):
            for wrong in self.world.model.foreign_rows(rows):
                self._fail(f"an exported row {wrong}", shown)
        elif whose and not before.is_shared and not before.is_log:
            found = self.world.model.foreign(text, whose)
            self._require_own(found, whose, shown, f"a text:\n{text}")

    def _check_handover(self, text: str, shown: Shown) -> None:
        """A handover is about all who were served, each part of it about one account."""
        for part in text.split("\n\n")[1:]:
            first = part.partition("\n")[0]
            whose = self.world.model.full_ids(first)
            if len(whose) == 1:
                owner = next(iter(whose))
                self._require_own(self.world.model.foreign(part, owner), owner, shown, part)
            elif whose or first != "Not about one account":
                self._fail(f"a part of a handover about nobody:\n{part}", shown)

    def _texts_out(self) -> Iterator[str]:
        copied, self.copied[:] = [*self.copied], []
        yield from copied
        for file in self.folder.glob("*"):
            if file.is_file() and file.suffix in {".txt", ".json", ".csv", ".md"}:
                text = file.read_text(encoding="utf-8")
                file.unlink()
                yield with_cells_apart(text) if file.suffix == ".csv" else text

    def _check_request(  # noqa: C901 - one rule each
        self, sent: Sent, name: str, before: Shown, after: Shown
    ) -> None:
        call, model = sent.call, self.world.model
        if not call.operation.writes:
            self._check_read(call, name, before, after)
            return
        self.writes += 1
        what = f"{call.operation.name} {call.ids} {call.request} key {call.key}"
        if call.key in self.answered:
            self._fail(f"sent twice: {what}", after)
        is_resent = call.key in self.executed.values()
        if sent.answered and sent.refused:
            self.refused.add(call.key or "")
        if sent.answered and call.key and not sent.refused:
            self.answered.add(call.key)
        owner = model.account_of(call)
        self.acted_for.add(owner)
        if not sent.answered and owner:
            self.unknown_owners.add(owner)
        if call.operation is op.EXECUTE_QUOTE:
            if not sent.refused:
                self.used.add(call.ids[0])
            self._check_execution(call.ids[0], call.key or "", what, before)
        if is_resent:  # the agent confirmed it before; its owner is named in the log
            return
        if owner and owner not in before.named:
            self._fail(f"for {owner}, who wasn't named: {what}", before)
        if call.operation.name in CONFIRMED and not (before.question and name == "key y"):
            self._fail(f"sent without a confirmation: {what}", before)
        if call.operation.name in MOVES:
            self._check_amount(call.operation.name, call.ids, call.request, what, before)

    def _check_read(self, call: Call[Any], name: str, before: Shown, after: Shown) -> None:
        """Where one customer is on the screen, nobody else's records are read. Lists of everybody
        select customers; unknown outcomes and what was begun here are followed whoever is served.
        """
        owner = self.world.model.account_of(call)
        is_about_one = bool(before.owner and after.owner) and not (
            before.is_shared or after.is_shared
        )
        if name.startswith("paste"):  # what was pasted is looked for, whoever it belongs to
            return
        if name == "key h":  # the handover reads what became of every action, of all customers
            return
        is_followed = (owner in self.acted_for and call.operation in FOLLOWING) or (
            owner in self.unknown_owners and call.operation in SETTLING
        )
        named = before.named | after.named
        if owner and is_about_one and owner not in named and not is_followed:
            what = f"{call.operation.name} {call.ids} {call.query}"
            self._fail(f"read for {owner}, who isn't on the screen: {what}", before)

    def _check_unknown_outcomes(self, shown: Shown) -> None:
        """A line about an unknown outcome names one customer, who has one."""
        model = self.world.model
        for row in filter(str.strip, shown.unknown.split("\n")):
            names = {whose for name, whose in model.names.items() if name in row}
            whose = model.full_ids(row) | names
            if len(whose) > 1 or not whose <= self.unknown_owners:
                self._fail(f"an unknown outcome under the wrong customer: {row} {whose}", shown)

    def _check_quote(self, shown: Shown) -> None:
        """A quote that was executed from here is never shown as one that wasn't."""
        used = [each for each in self.used if each in shown.body]
        if used and "NOT EXECUTED" in shown.body:
            self._fail(f"shown as if they weren't executed: {used}", shown)

    def _check_execution(self, quote_id: str, key: str, what: str, before: Shown) -> None:
        quote, first = (
            self.world.model.quotes.get(quote_id),
            self.executed.setdefault(quote_id, key),
        )
        if first in self.refused:  # nothing was done: another attempt is another request
            first = self.executed[quote_id] = key
        if first != key:
            self._fail(f"a quote is executed under a second key: {what}", before)
        if key in self.sent_before:
            return
        self.sent_before.add(key)
        clock = self.world.bench.settings.clock
        if quote is not None and clock.now() > from_datetime(quote.expires) and before.question:
            self._fail(f"an expired quote is executed: {what}", before)
        if quote is not None and before.question:
            base = quote.asset_bought if quote.side == "buy" else quote.asset_sold
            words = before.question
            if f" {quote.side} " not in words or f" {base.symbol}" not in words:
                self._fail(f"the question is about another order: {what}\n{words}", before)

    def _check_amount(
        self, operation: str, ids: tuple[str, ...], request: Any, what: str, before: Shown
    ) -> None:
        """The amount that moves was on the screen, and was typed again where it is large."""
        model = self.world.model
        amounts, dollars = [], Decimal(0)
        if operation in {"deposit", "withdraw"}:
            amounts = [request.amount]
            dollars = Decimal(request.amount)
        elif operation == "execute_quote" and ids[0] in model.quotes:
            quote = model.quotes[ids[0]]
            amounts = [quote.asset_bought.amount, quote.asset_sold.amount]
            usd = quote.asset_sold if quote.side == "buy" else quote.asset_bought
            dollars = Decimal(usd.amount)
        elif operation == "cancel_trade" and ids[1] in model.trades:
            amounts = [model.trades[ids[1]].amount]
        elif operation == "cancel_withdrawal" and ids[1] in model.transfers:
            amounts = [model.transfers[ids[1]].amount]
        if operation in CANCELLATIONS and ids[1] not in before.question:
            self._fail(f"the question is about another record: {what}", before)
        visible = numbers(before.question or before.body) | _typed_in(before.body)
        missing = [each for each in amounts if plain(each) not in visible]
        if missing:
            self._fail(f"{missing} moved and wasn't on the screen: {what}", before)
        if dollars > CONFIRM_ABOVE and not self.retyped:
            self._fail(f"a large amount moved without typing it again: {what}", before)

    def _fail(self, why: str, shown: Shown, *, is_end: bool = False) -> None:
        steps = "\n".join(self.history)
        place = f"seed {self.seed}, step {self.steps}"
        violation = Violation(f"{place}: {why}\n\nthe last steps:\n{steps}\n\n{shown.frame}")
        if self.violations is None or is_end:
            raise violation
        self.violations.append(violation)

    # -- stepping --------------------------------------------------------------------------------

    def _choose(self, shown: Shown) -> tuple[str, Callable[[], Any]]:
        if shown.question:
            return self._in_question(shown)
        if shown.has_dialog:
            return self._key(self._any(("escape", "escape", "escape", "t", "c", "enter", "down")))
        if shown.has_field:
            return self._in_field(shown)
        self.is_typed = False
        return self._on_screen(shown)

    def _in_question(self, shown: Shown) -> tuple[str, Callable[[], Any]]:
        wanted = _RETYPE.search(shown.question)
        if wanted is not None and not self.retyped and below(self.randomness, 3):
            self.retyped = wanted[1]
            return f"type {wanted[1]}", lambda: press(self.pilot, *_keys(wanted[1]))
        chosen = below(self.randomness, 20)
        if chosen < 12:
            return self._key("y")
        if chosen < 15:
            return self._key("n")
        if chosen < 17:
            return self._advance()
        if chosen < 18:
            return self._paste_customer(serves=False)
        return self._key(self._any(("escape", "enter", "X", "1")))

    def _in_field(self, shown: Shown) -> tuple[str, Callable[[], Any]]:
        chosen = below(self.randomness, 20)
        if chosen < 12 and shown.owner and not self.is_typed:
            self.is_typed = True
            amount = self._amount(shown.owner, is_coin="[sell]" in shown.body)
            keys = ("end", "ctrl+u", *_keys(amount))
            return f"type {amount}", lambda: press(self.pilot, *keys)
        if chosen < 14 and self.is_typed:
            return self._key("enter")
        if chosen < 15:
            return self._key("escape")
        if chosen < 17:
            return self._key(self._any(("tab", "left", "right", "up", "down")))
        if chosen < 18:
            return self._paste_customer(serves=False)
        return self._key("enter")

    def _on_screen(  # noqa: C901, PLR0911 - one line for each kind of step
        self, shown: Shown
    ) -> tuple[str, Callable[[], Any]]:
        chosen = below(self.randomness, 100)
        if "X execute" in shown.body and below(self.randomness, 2) == 0:
            return self._key("X")
        if "Can be cancelled" in shown.body and below(self.randomness, 5) == 0:
            return self._key("C")
        if shown.mode == "transfers" and below(self.randomness, 3) == 0:
            return self._key(self._any("CCCf0"))
        if chosen < 22:
            return self._paste_customer(serves=True)
        if chosen < 40:
            return self._key(self._any("1234563456"))
        if chosen < 62:
            return self._key(self._any(("b", "s", "b", "d", "w", "b", "w", "X", "C", "enter")))
        if chosen < 76:
            return self._key(self._any(("t", "c", "e", "up", "down", "tab", "left", "right", "0")))
        if chosen < 84:
            return self._key(
                self._any(("escape", "r", "f", "o", "U", "h", "exclamation_mark", "z"))
            )
        if chosen < 88:
            return self._paste_record()
        if chosen < 91:
            return self._advance()
        if chosen < 94:
            return self._resize()
        if chosen < 98:
            return self._click()
        return self._lose_answers()

    def _key(self, key: str) -> tuple[str, Callable[[], Any]]:
        return f"key {key}", lambda: press(self.pilot, key)

    def _amount(self, account_id: str, *, is_coin: bool) -> str:
        """An amount of the customer's own: dollars with their cents, sometimes a large one; or a
        part of a coin.
        """
        number = self.world.accounts.index(account_id)
        dollars = 2000 + below(self.randomness, 7000)
        if below(self.randomness, 6) == 0:
            dollars += 20_000
        if is_coin or below(self.randomness, 4) == 0:
            small = f"0.{1 + below(self.randomness, 9)}{number + 10}"
            self.world.model.typed(account_id, small)
            return small
        amount = f"{dollars}.{30 + number}"
        self.world.model.typed(account_id, amount)
        return amount

    def _paste(self, text: str) -> tuple[str, Callable[[], Any]]:
        async def act() -> None:
            self.app.post_message(events.Paste(text))
            await settle(self.pilot)

        return f"paste {text}", act

    def _paste_customer(self, *, serves: bool) -> tuple[str, Callable[[], Any]]:
        account_id = self._any(self.world.accounts)
        named = self._any((account_id, self.world.bank_accounts[account_id]))
        self.pasted = account_id if serves else ""
        return self._paste(named)

    def _paste_record(self) -> tuple[str, Callable[[], Any]]:
        model = self.world.model
        known = [*model.trades][-40:] + [*model.quotes][-10:] + [*model.transfers][-10:]
        return self._paste(self._any(known))

    def _advance(self) -> tuple[str, Callable[[], Any]]:
        seconds = self._any((1, 5, 11, 60, 301))

        async def act() -> None:
            self.world.bench.world.advance(seconds)
            self.app.poll_now()
            screen = self.app.screen
            if isinstance(screen, DeskScreen):
                screen.reload()
            await settle(self.pilot)

        return f"{seconds} s pass", act

    def _resize(self) -> tuple[str, Callable[[], Any]]:
        width, height = self._any(SIZES)

        async def act() -> None:
            await self.pilot.resize_terminal(width, height)
            await settle(self.pilot)

        return f"resize {width}x{height}", act

    def _click(self) -> tuple[str, Callable[[], Any]]:
        width, height = self.app.size
        x, y = below(self.randomness, width), below(self.randomness, height)

        async def act() -> None:
            for kind in (events.MouseMove, events.MouseDown, events.MouseUp):
                button = 0 if kind is events.MouseMove else 1
                self.app.post_message(kind(None, x, y, 0, 0, button, False, False, False, x, y))
                await asyncio.sleep(0)
            await settle(self.pilot)

        return f"click {x},{y}", act

    def _lose_answers(self) -> tuple[str, Callable[[], Any]]:
        async def act() -> None:
            self.world.recorder.loses_executions = 1

        return "the next execution isn't answered", act


def _keys(text: str) -> list[str]:
    names = {".": "full_stop", ",": "comma", "-": "minus", "_": "underscore"}
    return [names.get(letter, letter) for letter in text]


def _cut(frame: str, region: Region) -> str:
    """The part of a frame in a region."""
    rows = frame.split("\n")[region.y : region.bottom]
    return "\n".join(row[region.x : region.right] for row in rows)


def _typed_in(body: str) -> set[str]:
    """Whole numbers and amounts that stand in a field, as typed."""
    return {plain(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", body)}


def _detail_of(screen: AccountsScreen) -> str:
    detail = screen.query_one("#detail", Lines)
    return detail.plain_text if detail.display and detail.region.area else ""


def _body_of(screen: DeskScreen, frame: str) -> str:
    """The frame without its bars, the log line and, on Accounts, the list of everybody."""
    left_out: list[Region] = [
        screen.query_one(kind).region for kind in (TopBar, StatusLine, HintBar, UnderWay)
    ]
    if isinstance(screen, AccountsScreen):
        left_out += [each.region for each in screen.query(".list-side")]
        left_out.append(screen.query_one("#title").region)
    rows = [[*row] for row in frame.split("\n")]
    for region in left_out:
        for y in range(region.y, min(region.bottom, len(rows))):
            for x in range(region.x, min(region.right, len(rows[y]))):
                rows[y][x] = " "
    return "\n".join("".join(row) for row in rows)
