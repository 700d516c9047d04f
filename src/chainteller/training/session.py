"""Training sessions: one run of a scenario, with its bank, clock, timeline and plan.

Everything goes through one lock, and a session never reads the system's clock: the same seed and
the same acts give the same report.
"""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from chainteller.domain.clock import HOUR, SECOND
from chainteller.domain.decisions import DecisionKind, RefusalReason
from chainteller.domain.ids import Prefix
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.errors import Conflict, TellerError
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import BankAccount
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import Challenge, SignatureDiagnosis
from chainteller.service.models.decisions import Approval, Refusal
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import Event
from chainteller.service.operations import CUSTOMERS, Call
from chainteller.training.checks import View
from chainteller.training.faults import Faults
from chainteller.training.progress import DueWorkStuck, NothingToSign, Progress
from chainteller.training.reactions import (
    QUOTED,
    Temperament,
    asks_for_consent,
    has_open_quote,
    is_agreed,
)
from chainteller.training.reading import ScenarioInvalid
from chainteller.training.scenarios import (
    APPROVE,
    REJECT,
    REPORTS,
    Fault,
    Scenario,
    Statement,
    Story,
    WorldChange,
)
from chainteller.training.steps import Player, VerbUnknown
from chainteller.training.timeline import (
    AGREED,
    DONE,
    OBSERVED,
    OPENED,
    SIGNED,
    START,
    TOLD,
    Moment,
    first_index,
)
from chainteller.training.world import TrainingWorld
from chainteller.wallets.simulated import SampleWallet, sign_sample

_EVENTS_AT_ONCE = 1_000
_LONGEST_STEP = 2 * HOUR
_MAX_ROUNDS = 200
"""Maximum rounds of due work at one instant; each round does hundreds of pieces."""
_CLEAR = Temperament("clear", "Yes, please go ahead.")
_Step = Story | WorldChange | Fault
Answer = TypeVar("Answer")


class Session:
    """A training session. Call ``begin`` first; the trainee uses ``service``.

    Durations and instants are microseconds; methods may be called from any thread.
    """

    def __init__(
        self,
        scenario: Scenario,
        world: TrainingWorld,
        seed: str,
        wallets: Sequence[SampleWallet],
        caller: Temperament = _CLEAR,
    ) -> None:
        self.scenario = scenario
        self.caller = caller
        self.seed = seed
        self.clock = world.clock
        self.progress = Progress()
        self.keys = 0
        self.hints = 0
        self.started_at = world.clock.now()
        self._world = world
        self._wallets = tuple(wallets)
        self._plan: tuple[_Step, ...] = (*scenario.world, *scenario.faults, *scenario.story)
        self._lock = threading.RLock()
        faults = Faults(lambda: self.progress.armed_faults, world.clock, self._spend)
        self.service = layered(world.service, self._coach, faults)

    # -- beginning ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Run the scenario's setup as a colleague without recording it, then start the session.
        Raises ScenarioInvalid: a step of ``setup`` fails."""
        self.progress.cursor = self._world.service.events(-1).next
        player = Player(self._world.colleague, _SetupSurroundings(self), self._wallets)
        player.use(self.scenario.customer.bank_account, self.scenario.customer.wallet)
        for number, line in enumerate(self.scenario.setup, start=1):
            try:
                player.play(line)
            except VerbUnknown as error:
                raise _no_setup(self.scenario, number, error.message) from None
            if player.refused is not None:
                raise _no_setup(self.scenario, number, f"{line}: {player.refused.message}")
        self._advance_to(self.clock.now() + SECOND)  # the setup isn't part of the session
        self.progress.cursor = self._world.service.events(-1).next
        self.started_at = self.clock.now()
        self._note(START)

    # -- acts ---------------------------------------------------------------------------------

    def _coach(self, call: Call[Answer], onward: Next) -> Answer:
        """The layer that records every action of the trainee with its outcome."""
        if call.operation.name in OBSERVED:
            return self._perform(call, onward)
        if call.operation is CUSTOMERS:
            self._read(call)
        return onward(call)

    def _perform(self, call: Call[Answer], onward: Next) -> Answer:
        name, key, account = call.operation.name, call.key, self._account_of(call)
        with self._lock:
            self._open_for(call, account)
            try:
                answer = onward(call)
            except TellerError as error:
                self._note(f"{name}:{error.code}", error.message, key or "", account)
                raise
            value = answer.value if isinstance(answer, Written) else answer
            about = str(getattr(value, "id", ""))
            if isinstance(value, Challenge):
                self.progress.challenges.append(value)
            if isinstance(value, SignatureDiagnosis) and not value.accepted:
                about = value.finding
            self._note(f"{name}:{DONE}", about, key or "", account)
            if f"{name}:{DONE}" == QUOTED:
                self.progress.has_asked_back = False
                if self.caller.rushes:
                    self._hear(self.caller.rushes)
            return answer

    def _read(self, call: Call[Any]) -> None:
        """Note a look at the bank's customers. Looking for the caller's bank account opens their
        record, too: some have no trading account."""
        if self.scenario.customer.bank_account in (getattr(call.query, "text", None) or ""):
            self.open_record()

    def open_record(self, account_id: str | None = None) -> None:
        """The trainee has a record open; that of somebody else doesn't matter.

        ``account_id`` is its trading account; None for the caller's.
        """
        with self._lock:
            if not self.is_record_open and account_id in {None, *self.account_ids}:
                self._note(OPENED)

    @property
    def is_record_open(self) -> bool:
        """Whether the trainee has opened the caller's record."""
        return first_index(self.progress.moments, OPENED) is not None

    def _open_for(self, call: Call[Any], account: str) -> None:
        """A call for the caller is made with their record open."""
        if self.is_record_open:
            return
        bank_account = getattr(call.request, "bank_account_id", "")
        if account in self.account_ids or bank_account == self.scenario.customer.bank_account:
            self.open_record()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What the trainee can choose to say, in an order of the seed."""
        ordered = list(self.scenario.statements)
        randomness = SeededRandomness(f"statements {self.scenario.name} {self.seed}")
        return tuple(ordered.pop(below(randomness, len(ordered))) for _ in range(len(ordered)))

    def tell(self, text: str, account_id: str = "") -> None:
        """Record words of the trainee to the customer; ``account_id`` is the account shown."""
        with self._lock:
            self._note(TOLD, " ".join(text.split()), account=account_id)
            self._react(text)

    def _react(self, told: str) -> None:
        """The customer agrees to the newest quote, or asks a question about it first."""
        moments = self.progress.moments
        is_asked = asks_for_consent(told) and has_open_quote(moments)
        if not is_asked or is_agreed(moments):
            return
        if self.caller.asks and not self.progress.has_asked_back:
            self.progress.has_asked_back = True
            self._hear(self.caller.asks)
            return
        self._hear(self.caller.agrees)
        self._note(AGREED)

    def _hear(self, says: str) -> None:
        self.progress.heard.append((self.clock.now(), says))

    def has_agreed(self) -> bool:
        """Whether the customer has agreed to the newest quote."""
        return is_agreed(self.progress.moments)

    def say(self, statement_id: str, account_id: str = "") -> str:
        """Say one of the scenario's statements, as ``tell``; raises LookupError."""
        for statement in self.scenario.statements:
            if statement.id == statement_id:
                self.tell(statement.text, account_id)
                return statement.text
        raise LookupError(statement_id)

    def sign(self) -> str:
        """Sign the newest challenge as the customer, including the scenario's mistakes. Raises
        NothingToSign: there is no challenge, or the scenario's customer has no wallet."""
        with self._lock:
            progress, customer = self.progress, self.scenario.customer
            if not progress.challenges or not customer.wallet:
                raise NothingToSign("There is nothing for this customer to sign.")
            number = progress.signings
            mistake = customer.mistakes[number] if number < len(customer.mistakes) else None
            earlier = progress.challenges[-2].challenge if len(progress.challenges) > 1 else "-"
            signature = sign_sample(
                customer.wallet,
                progress.challenges[-1].challenge,
                wallets=self._wallets,
                mistake=mistake or None,
                earlier_text=earlier,
            )
            progress.signings += 1
            self._note(SIGNED)
            return signature

    def key(self) -> None:
        """Count a pressed key."""
        with self._lock:
            self.keys += 1

    def hint(self) -> str:
        """The next hint; after the last one, the last one again."""
        with self._lock:
            hints = self.scenario.hints
            self.hints += 1
            return hints[min(self.hints, len(hints)) - 1] if hints else "There are no more hints."

    # -- time ---------------------------------------------------------------------------------

    @property
    def elapsed(self) -> int:
        return self.clock.now() - self.started_at

    @property
    def is_over(self) -> bool:
        return self.elapsed > self.scenario.time_limit

    def advance(self, microseconds: int) -> None:
        """Advance the clock; due work in between happens at its own instant."""
        with self._lock:
            self._advance_to(self.clock.now() + max(0, microseconds))

    def step(self) -> int:
        """Advance to the next event for this customer; returns by how much, 0 if there is none."""
        with self._lock:
            begins, seen = self.clock.now(), self._seen
            while self._seen == seen:
                following = self._next_instant()
                if following is None or following > begins + _LONGEST_STEP:
                    break
                self.advance(following - self.clock.now())
            return self.clock.now() - begins

    @property
    def _seen(self) -> tuple[int, int]:
        return len(self.progress.moments), len(self.progress.heard)

    def _spend(self, microseconds: int) -> None:
        self._advance_to(self.clock.now() + microseconds)

    def _next_instant(self) -> int | None:
        due = self._world.next_due()
        instants = [at for at, _ in self.progress.waiting] + ([] if due is None else [due])
        return min(instants, default=None)

    def _advance_to(self, target: int) -> None:
        """Advance the clock and do due work. Raises DueWorkStuck if due work stays due."""
        reached, rounds = -1, 0
        while True:
            following = self._next_instant()
            if following is None or following > target:
                break
            instant = max(self.clock.now(), following)
            reached, rounds = instant, rounds + 1 if instant == reached else 1
            if rounds > _MAX_ROUNDS:
                raise DueWorkStuck("The training bank does not do what is due.")
            self.clock.set(instant)
            self._world.run_due()
            self._absorb_events()
            self._fire_due()
        self.clock.set(target)

    # -- what happens -------------------------------------------------------------------------

    def _account_of(self, call: Call[Any]) -> str:
        """The trading account that a call is for; empty if it's for none."""
        request = call.request
        of_request = (getattr(request, name, None) for name in ("trading_account_id", "subject"))
        named = next((each for each in of_request if each), (*call.ids, "")[0])
        if named.startswith(f"{Prefix.DECISION}_"):
            with suppress(TellerError):
                named = self._world.service.decision(named).trading_account_id or ""
        elif named.startswith(f"{Prefix.BLOCKCHAIN_ACCOUNT}_"):
            with suppress(TellerError):
                named = self._world.service.blockchain_account(named).trading_account_id
        return named if named.startswith(f"{Prefix.TRADING_ACCOUNT}_") else ""

    def _note(self, name: str, text: str = "", key: str = "", account: str = "") -> None:
        self._remember(Moment(self.clock.now(), name, text, key, account))
        self._absorb_events()
        self._fire_due()

    def _remember(self, moment: Moment) -> None:
        progress = self.progress
        progress.moments.append(moment)
        waiting = {number for _, number in progress.waiting}
        for number, step in enumerate(self._plan):
            if step.trigger.on == moment.name and number not in progress.fired | waiting:
                progress.waiting.append((moment.at + step.trigger.after, number))

    def _absorb_events(self) -> None:
        """Add the bank's events about this customer's account to the timeline."""
        while True:
            page = self._world.service.events(self.progress.cursor, _EVENTS_AT_ONCE)
            account = self.account_id if page.data else None
            for event in page.data:
                if _concerns(event, account):
                    self._remember(Moment(self.clock.now(), event.type, event.resource))
            if page.next == self.progress.cursor or not page.data:
                return
            self.progress.cursor = page.next

    def _fire_due(self) -> None:
        progress = self.progress
        while True:
            due = sorted(each for each in progress.waiting if each[0] <= self.clock.now())
            if not due:
                return
            progress.waiting.remove(due[0])
            progress.fired.add(due[0][1])
            self._fire(self._plan[due[0][1]])

    def _fire(self, step: _Step) -> None:
        if isinstance(step, Story):
            self._hear(step.says)
        elif isinstance(step, Fault):
            self.progress.armed_faults.arm(step, self.clock.now())
        else:
            self._change(step)

    def _change(self, change: WorldChange) -> None:
        """Change the bank; what the trainee has made impossible meanwhile doesn't happen."""
        with suppress(Conflict):
            self._do(change)

    def _do(self, change: WorldChange) -> None:
        world, account = self._world, self.account_id
        if change.change == "close-market":
            until = self.clock.now() + change.lasts if change.lasts else None
            world.close_market(change.name, change.reason, until)
        elif change.change == "open-market":
            world.open_market(change.name)
        elif change.change == "move-price":
            world.move_price(change.name, change.bps)
        elif change.change == "move-peg":
            world.move_peg(change.name, change.bps)
        elif account is not None:
            self._change_account(account, change)

    def _change_account(self, account: str, change: WorldChange) -> None:
        service = self._world.service
        if change.change == "reverify":
            self._reverify(account, change)
        elif change.change in REPORTS:
            reported, newest = REPORTS[change.change], ListQuery(limit=1)
            read = service.deposits if reported.direction == "deposit" else service.withdrawals
            for transfer in read(account, newest).data:
                self._world.report(transfer.id, reported.status, reported.reason)
        else:
            self._decide(account, change.change)

    def _decide(self, account: str, change: str) -> None:
        """A colleague decides about the withdrawals that wait, unless the trainee has done so."""
        colleague = self._world.colleague
        query = ListQuery(trading_account_id=account, type=DecisionKind.WITHDRAWAL, status="open")
        for waiting in colleague.decisions(query).data:
            if change == APPROVE:
                colleague.approve_decision(waiting.id, Approval())
            elif change == REJECT:
                colleague.refuse_decision(waiting.id, Refusal(reason=RefusalReason.DESTINATION))

    def _reverify(self, account_id: str, change: WorldChange) -> None:
        service, address = self._world.service, self.addresses[change.name]
        for account in service.blockchain_accounts(ListQuery(trading_account_id=account_id)).data:
            for linked in service.linked_counterparties(account.id).data:
                if linked.address == address:
                    self._world.require_reverification(account.id, linked.id, change.reason)

    def close(self) -> None:
        """Close the bank."""
        self._world.close()

    # -- looking ------------------------------------------------------------------------------

    @property
    def account_id(self) -> str | None:
        """The id of the customer's trading account, if there is one."""
        wanted = self.scenario.customer.bank_account
        found = (each for each in self._bank_accounts if each.id == wanted)
        return next((each.trading_account_id for each in found), None)

    @property
    def account_ids(self) -> frozenset[str]:
        """The ids of all trading accounts of the customer."""
        found = (each.trading_account_id for each in self._bank_accounts)
        return frozenset(each for each in found if each is not None)

    @property
    def _bank_accounts(self) -> tuple[BankAccount, ...]:
        wanted = self.scenario.customer.bank_account
        for customer in self._world.service.customers(ListQuery(text=wanted)).data:
            if wanted in {each.id for each in customer.bank_accounts}:
                return tuple(customer.bank_accounts)
        return ()

    @property
    def addresses(self) -> Mapping[str, str]:
        return {wallet.name: wallet.address.display for wallet in self._wallets}

    @property
    def wallets(self) -> tuple[SampleWallet, ...]:
        return self._wallets

    def view(self) -> View:
        """The data for evaluating goals."""
        return View(
            self._world.service,
            self.account_id,
            self.started_at,
            tuple(self.progress.moments),
            self.addresses,
            self.account_ids,
        )


def _no_setup(scenario: Scenario, number: int, problem: str) -> ScenarioInvalid:
    return ScenarioInvalid([f"{scenario.name}.toml: setup {number}: {problem}"])


class _SetupSurroundings:
    """The surroundings of the player that runs ``setup``: nothing is recorded or counted."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def wait(self, microseconds: int) -> None:
        self._session._advance_to(self._session.clock.now() + microseconds)  # noqa: SLF001 - one module

    def sign(self, wallet: str, text: str) -> str:
        return sign_sample(wallet, text, wallets=self._session.wallets)

    def say(self, words: str) -> None:
        """Words during the setup are ignored."""

    def hint(self) -> str:
        raise VerbUnknown("hint is no step of a setup")

    def opened(self) -> None:
        """The setup opens nothing for the trainee."""

    def has_agreed(self) -> bool:
        """The setup is what the customer agreed to before."""
        return True

    def pressed(self, keys: int) -> None:
        """Keys during the setup don't count."""


def _concerns(event: Event, account: str | None) -> bool:
    return account is not None and account in (event.resource, event.data.get("tradingAccountId"))
