"""The handover note: every action of the shift with its outcome, by customer, for the tickets.

Built from the record of sent requests, the agent's notes, and what the deployment answers now about
each record. What it can't be asked for again is told as it was last seen. The console and
``desk --plain`` write the same note.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from chainteller.domain.assets import spoken_symbol
from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.clock import SECOND, to_datetime
from chainteller.domain.decisions import DecisionKind
from chainteller.domain.second_method import SmallTransferStatus, StatementStatus
from chainteller.domain.trades import TERMINAL
from chainteller.records.accounts import UNKNOWN
from chainteller.records.formats import money
from chainteller.records.trades import is_trade
from chainteller.records.transfers import is_over
from chainteller.service.errors import NotOffered, TellerError
from chainteller.service.interface import Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.counterparties import VERIFIED_FIRST_PARTY
from chainteller.service.models.decisions import Decision
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.trades import Trade, Transaction
from chainteller.workspace import records
from chainteller.workspace.notes import lines_about
from chainteller.workspace.request_words import asked_of, id_of, words_of
from chainteller.workspace.store import Kind, SentRequest, SentState, Workspace

_MOST_ACTIONS = 10_000
_NEWEST = ListQuery(limit=100)
_NO_ACTIONS = frozenset({"create_quote", "add_note"})
"""Operations that change nothing, or that the notes tell, and are left out."""
_MOVING = frozenset({"deposit", "withdraw", "execute_quote", "cancel_trade", "cancel_withdrawal"})
"""Operations that answer with a record whose state changes afterwards."""
_HEADINGS = ("Done", "In progress", "Requested, current status not known", "Refused",
             "Outcome unknown")  # fmt: skip
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Shift:
    """What a note covers: ``since`` is an instant, ``call_began`` None outside of a call."""

    who: str
    """Operator and place."""
    since: int
    call_began: int | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A record as it is now, or as it was last seen at an instant; None where nothing is known."""

    record: Transaction | None = None
    seen_at: int | None = None

    @property
    def is_current(self) -> bool:
        return self.record is not None and self.seen_at is None

    @property
    def is_over(self) -> bool:
        if self.record is None or not self.is_current:
            return False
        return self.record.status in TERMINAL if is_trade(self.record) else is_over(self.record)


@dataclass(slots=True)
class _Section:
    """The part of one account; "" collects what belongs to none."""

    account_id: str
    account: TradingAccount | None = None
    rows: dict[str, list[str]] = field(default_factory=lambda: {each: [] for each in _HEADINGS})
    open: dict[str, str] = field(default_factory=dict)
    """Records that are in progress, with their status."""
    unread: str = ""
    """Why its activity is not known."""


def handover_note(
    workspace: Workspace,
    service: Service,
    shift: Shift,
    account_id: str = "",
    *,
    only: bool = False,
) -> str:
    """Write the note; asks the service about every record, so call it in a thread.

    The account being served comes first, whether or not anything was done, or ``only`` that.
    """
    now, began = workspace.now(), shift.call_began
    lasted = f", call of {(now - began) // SECOND // 60} min" if began is not None else ""
    rows = [f"HANDOVER {to_datetime(now):%Y-%m-%d %H:%M} UTC{lasted}, {shift.who}"]
    sections = _Sections(workspace, service)
    if account_id:
        sections.of(account_id)
    requests = sections.requests(shift.since)
    for request, owner in zip(requests, sections.owners(requests), strict=True):
        if not only or owner == account_id:
            sections.add(owner, request)
    if not sections.found:
        return "\n".join([*rows, "No account was selected and nothing was changed."])
    for section in sections.found.values():
        rows += ["", *sections.written(section)]
    return "\n".join(rows)


class _Sections:
    """The parts of a note by account, in the order in which they were worked on."""

    def __init__(self, workspace: Workspace, service: Service) -> None:
        self._workspace, self._service = workspace, service
        self.found: dict[str, _Section] = {}
        self._current: dict[str, Transaction] = {}
        """Records that were asked for, by id."""
        self._decisions: dict[str, Decision | None] = {}

    def of(self, account_id: str) -> _Section:
        """The part of an account, begun with its newest transactions."""
        section = self.found.get(account_id)
        if section is None:
            section = self.found[account_id] = _Section(account_id)
            if account_id:
                self._read_account(section)
        return section

    def _read_account(self, section: _Section) -> None:
        try:
            section.account = self._service.trading_account(section.account_id)
            newest = self._service.transactions(section.account_id, ListQuery(limit=100)).data
        except NotOffered:
            section.unread = "this deployment doesn't list what happens in an account"
            return
        except TellerError as error:
            section.unread = f"the account could not be read ({error.code})"
            return
        for row in newest:
            self._current[row.id] = row
            if not _Outcome(row).is_over:
                section.open[row.id] = row.status
        section.open |= _open_proofs(self._service, section.account_id)

    # -- the requests -------------------------------------------------------------------------

    def requests(self, since: int) -> Sequence[SentRequest]:
        """Those of the shift, oldest first."""
        sent = self._workspace.sent_requests(limit=_MOST_ACTIONS, since=since)
        return [row for row in reversed(sent) if row.operation not in _NO_ACTIONS]

    def owners(self, requests: Sequence[SentRequest]) -> Sequence[str]:
        """Ids of the trading accounts that requests were about; empty for none. A registration
        names no account: it's for the one that a later request uses the wallet for."""
        found = [self._owner(request) for request in requests]
        of_wallets: dict[str, str] = {}
        for request, owner in zip(requests, found, strict=True):
            if owner:
                of_wallets |= dict.fromkeys(_wallets(request), owner)
        return [
            owner
            or next((of_wallets[each] for each in _wallets(request) if each in of_wallets), "")
            for request, owner in zip(requests, found, strict=True)
        ]

    def _owner(self, request: SentRequest) -> str:
        asked, decision = asked_of(request), self._decision(request)
        if decision is not None:
            return decision.trading_account_id or ""
        told = (asked.get("tradingAccountId"), asked.get("subject"), request.answer)
        named = (*request.arguments.get("ids", ()), *told)
        account = next((each for each in named if str(each).startswith("TDA_")), None)
        if account is not None:
            return str(account)
        custody = next((each for each in named if str(each).startswith("BCA_")), None)
        found = (
            _or_none(lambda: self._service.blockchain_account(str(custody))) if custody else None
        )
        return found.trading_account_id if found is not None else ""

    def _decision(self, request: SentRequest) -> Decision | None:
        """The decision that a request was about; None where it's about none that can be read."""
        decision_id = id_of(request, 0)
        if not decision_id.startswith("DEC_"):
            return None
        if decision_id not in self._decisions:
            self._decisions[decision_id] = _or_none(lambda: self._service.decision(decision_id))
        return self._decisions[decision_id]

    def add(self, account_id: str, request: SentRequest) -> None:
        """Add a request once, under its present outcome."""
        section, outcome = self.of(account_id), _Outcome()
        if request.operation in _MOVING and request.state is SentState.DONE:
            outcome = self._outcome(account_id, request.answer or request.key)
        at = f"{to_datetime(request.sent_at):%H:%M:%S}Z"
        words = words_of(self._workspace, request, outcome.record)
        what = _decision_words(request, self._decision(request)) or words
        told = f"{at} {what}: {_ending(request, outcome)}"
        section.rows[_heading(request, outcome)].append(told)
        if outcome.record is not None and outcome.is_current and not outcome.is_over:
            section.open[outcome.record.id] = outcome.record.status

    def _outcome(self, account_id: str, record_id: str) -> _Outcome:
        current = self._current.get(record_id) or self._ask(account_id, record_id)
        if current is None:
            trade = records.one(self._workspace, Trade, record_id)
            known = self._workspace.known_object(record_id, Kind.TRANSACTION)
            return _Outcome(trade, known.seen_at) if trade is not None and known else _Outcome()
        if not is_trade(current) and current.as_of is not None:
            return _Outcome(current, int(current.as_of.timestamp() * SECOND))
        self._current[record_id] = current
        return _Outcome(current)

    def _ask(self, account_id: str, record_id: str) -> Transaction | None:
        """The record as it is now; None where that can't be known."""
        try:
            return self._service.transaction(account_id, record_id)
        except NotOffered:
            return _or_none(lambda: self._service.trade(account_id, record_id))
        except TellerError:
            return None

    # -- its text -----------------------------------------------------------------------------

    def written(self, section: _Section) -> Iterator[str]:
        if not section.account_id:
            yield "Not about one account"
        else:
            yield _named(section)
            notes = lines_about(self._service, self._workspace, section.account_id)
            yield from (["Notes:", *(f"- {note}" for note in notes)] if notes else [])
        for heading, rows in section.rows.items():
            if rows:
                yield f"{heading}:"
                yield from (f"- {row}" for row in rows)
        if section.account_id:
            yield from _now(section)


def _wallets(request: SentRequest) -> Iterator[str]:
    """By what a request names wallets: their ids and addresses."""
    asked = asked_of(request)
    named = (
        *request.arguments.get("ids", ()),
        request.answer or "",
        asked.get("counterpartyId"),
    )
    yield from (str(each) for each in named if str(each).startswith("CPT_"))
    if asked.get("address"):
        yield str(asked["address"]).lower()


def _open_proofs(service: Service, account_id: str) -> dict[str, str]:
    """What is awaited for the wallets of an account, with its state. What the deployment doesn't
    list isn't known."""
    mine = ListQuery(trading_account_id=account_id, limit=100)
    accounts = _or_none(lambda: service.blockchain_accounts(mine).data) or ()
    found: dict[str, str] = {}
    for custody in (each.id for each in accounts):
        found |= dict(_messages_to_sign(service, custody))
        found |= dict(_other_proofs(service, custody))
    return found


def _messages_to_sign(service: Service, custody: str) -> Iterator[tuple[str, str]]:
    """The newest open message of each wallet that isn't verified."""
    linked = _or_none(lambda: service.linked_counterparties(custody).data) or ()
    done = {each.id for each in linked if each.type == VERIFIED_FIRST_PARTY}
    for each in _or_none(lambda: service.challenges(custody, _NEWEST).data) or ():
        wallet = each.counterparty_id or ""
        if each.status == ChallengeStatus.OPEN and wallet not in done:
            done.add(wallet)
            until = f", until {each.expires:%H:%M}Z" if each.expires else ""
            yield each.id, f"message to sign for {each.address}{until}"


def _other_proofs(service: Service, custody: str) -> Iterator[tuple[str, str]]:
    """Small transfers, also those that arrived wrong, and statements in review."""
    for sent in _or_none(lambda: service.small_transfers(custody, _NEWEST).data) or ():
        if sent.status == SmallTransferStatus.WAITING:
            wrong = f". {sent.arrivals[-1].explanation}" if sent.arrivals else ""
            about = f"small transfer of {sent.amount} {sent.symbol}"
            yield sent.id, f"{about}, until {sent.expires:%H:%M}Z{wrong}"
    for stated in _or_none(lambda: service.ownership_statements(custody, _NEWEST).data) or ():
        if stated.status == StatementStatus.REVIEWING:
            yield stated.id, f"statement in review, for {stated.address}"


def _or_none(ask: Callable[[], Found]) -> Found | None:
    try:
        return ask()
    except TellerError:
        return None


def _named(section: _Section) -> str:
    account = section.account
    if account is None:
        return f"Account {section.account_id}"
    name = f"{account.customer_name}, " if account.customer_name else ""
    bank = account.bank_account_id
    at_bank = f"{account.bank_account_type} {bank}, " if bank != UNKNOWN else ""
    return f"{name}{at_bank}account {account.id}"


def _now(section: _Section) -> Iterator[str]:
    account = section.account
    yield "Now:"
    if section.unread:
        yield f"- {section.unread}"
    if account is not None and account.controls:
        yield f"- restricted: {', '.join(account.controls)}"
    if account is not None and account.buying_power is not None:
        yield f"- {money(account.buying_power, 'USD')} available"
    waiting = [f"Next: follow {each} ({status})" for each, status in section.open.items()]
    unclear = section.rows["Outcome unknown"] or section.rows["Requested, current status not known"]
    if unclear or section.unread:
        waiting.append("Next: check what isn't known here")
    yield from waiting or ["Next: nothing is in progress"]


# -- one action ------------------------------------------------------------------------------------


def _heading(request: SentRequest, outcome: _Outcome) -> str:
    if request.state in {SentState.REFUSED, SentState.NOT_SENT}:
        return "Refused"
    if request.state is not SentState.DONE:
        return "Outcome unknown"
    if request.operation not in _MOVING or outcome.is_over:
        return "Done"
    return "In progress" if outcome.is_current else "Requested, current status not known"


def _decision_words(request: SentRequest, decision: Decision | None) -> str:
    """What was done about a decision; empty for other requests."""
    done = _DECIDED.get(request.operation)
    if done is None or decision is None:
        return ""
    about: dict[str, str] = {
        DecisionKind.WITHDRAWAL: f"withdrawal of {_decided_amount(decision)}",
        DecisionKind.CONTROL: f"lifting {decision.control}",
        DecisionKind.MARKET: f"opening {decision.subject}",
    }
    return f"{done} {about.get(decision.kind, decision.subject)}"


def _decided_amount(decision: Decision) -> str:
    return money(decision.amount or "-", spoken_symbol(decision.symbol or ""))


_DECIDED = {
    "approve_decision": "approval of",
    "refuse_decision": "refusal of",
    "take_decision": "decision taken on",
    "note_decision": "question to the customer about",
}


def _ending(request: SentRequest, outcome: _Outcome) -> str:
    if request.state in {SentState.REFUSED, SentState.NOT_SENT}:
        refused = "refused" if request.state is SentState.REFUSED else "not sent"
        code = request.answer or ""
        return f"{refused}, {code.replace('_', ' ').lower()} ({code})"
    if request.state is not SentState.DONE:
        return f"no answer, key {request.key}"
    if request.operation not in _MOVING:
        return f"done  {request.answer}"
    if outcome.record is None:
        return f"accepted  {request.answer}"
    if outcome.seen_at is None:
        return f"{outcome.record.status}  {request.answer}"
    at = f"{to_datetime(outcome.seen_at):%H:%M:%S}Z"
    return f"{outcome.record.status} as last seen at {at}  {request.answer}"
