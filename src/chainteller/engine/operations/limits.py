"""Withdrawal limits of an account, by destination class."""

from dataclasses import replace
from itertools import pairwise

from chainteller.domain.clock import SECOND, format_instant
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import (
    PERIODS,
    LimitRule,
    Spent,
    Usage,
    rules,
    tightest_exceeded,
    usage,
)
from chainteller.domain.money import format_cents
from chainteller.domain.options import EngineOptions
from chainteller.domain.timekeeping import stamped
from chainteller.domain.transfers import COUNTED
from chainteller.engine.core import reading, timekeeping
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import reads_in_context
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts, logged_rows
from chainteller.service import operations
from chainteller.service.errors import LimitExceeded
from chainteller.service.models.funding import LimitUsage
from chainteller.service.models.pages import Page
from chainteller.storage.db.query import Record, Session, remembered
from chainteller.storage.db.records import Tables
from chainteller.storage.log import last_writes
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import transfers, wallets

_LONGEST = max(PERIODS.values())
_COMPARED = 100
"""Withdrawals that are compared with the log, at most, before another one is counted."""


def load_spent(tx: UnitOfWork, account_id: str) -> tuple[Spent, ...]:
    """Every withdrawal that may count against the limits of an account from now on."""
    found = transfers.spent_since(tx.connection, account_id, tx.now - _LONGEST)
    return _stamped(found, tx.now, tx.time.began_at)


def load_used(
    tx: UnitOfWork, account_id: str, level: EvidenceLevel | None = None
) -> tuple[Spent, ...]:
    """What counts now against the limits of an account whose row is locked, so that two servers
    cannot both pass; and against those of a level of evidence, if it has limits of its own.
    """
    now, began_at = tx.now, tx.time.began_at
    used = _used(tx.connection, account_id, now, began_at)
    if level in tx.context.options.level_limits:
        used += _used_on_levels(tx.connection, account_id, now, began_at)
    return used


def require_counted(tx: UnitOfWork, account: Record) -> None:
    """No withdrawal of a locked account is missing or altered that may count. They are numbered
    without gaps, up to the number that the account's row has; the newest one that's too old to
    count is compared, too, unless an archive has what wrote it. Raises Altered: one is."""
    since = tx.now - _LONGEST
    found = transfers.newest_withdrawals(tx.connection, account.id, _COMPARED)
    old = next((at for at, row in enumerate(found) if row.created <= since), None)
    counted = found if old is None else found[: old + 1]
    reaches_back = old is not None or len(counted) in (account.withdrawal_count, _COMPARED)
    numbers = [account.withdrawal_count - row.ordinal for row in counted]
    if not reaches_back or numbers != list(range(len(counted))):
        said = "not done: a withdrawal that counts against the limits is missing"
        where = f"{Tables.trading_account.name} {account.id}"
        logged_rows.refuse_altered(tx, Breach(20, said, where, tx.organisation_id))
    logged_rows.require_newest(tx, account.id, Kept(Tables.trading_account, account.id))
    for row in counted:
        if row.created <= since and last_writes.is_archived(
            tx.connection, tx.organisation_id, row.id, since
        ):
            continue
        logged_rows.require_newest(tx, account.id, Kept(Tables.transfer, row.id), COUNTED)


def _used(connection: Session, account_id: str, at: int, began_at: int) -> tuple[Spent, ...]:
    """The withdrawals between the beginning of each limit's period and that of the next shorter
    one, summed by the database. No sum crosses a boundary, so that each limit is exact.

    In a later epoch each withdrawal is read: some may have a time that is still to come.
    """
    if began_at:
        found = transfers.spent_since(connection, account_id, at - _LONGEST)
        return _stamped(found, at, began_at)
    between = list(pairwise(sorted({at, *(at - period for period in PERIODS.values())})))
    for bounds in between:
        connection.ahead(transfers.sums_between, account_id, *bounds)
    return tuple(
        spent
        for bounds in between
        for spent in transfers.sums_between(connection, account_id, *bounds)
    )


def _used_on_levels(
    connection: Session, account_id: str, at: int, began_at: int
) -> tuple[Spent, ...]:
    """The withdrawals that count against limits of levels of evidence."""
    found = transfers.spent_on_levels(connection, account_id, at - _LONGEST)
    return _stamped(found, at, began_at)


def _stamped(found: tuple[Spent, ...], at: int, began_at: int) -> tuple[Spent, ...]:
    """Withdrawals as they are dated in the epoch that began at an instant."""
    return tuple(replace(spent, at=stamped(spent.at, at, began_at)) for spent in found)


def _rules(options: EngineOptions, levels: frozenset[EvidenceLevel]) -> tuple[LimitRule, ...]:
    """The limits, with those of the given levels of evidence alone."""
    own = {level: limits for level, limits in options.level_limits.items() if level in levels}
    return rules(options.limits, own)


def require_within(options: EngineOptions, spent: tuple[Spent, ...], requested: Spent) -> None:
    """Raises LimitExceeded for the tightest rule that the withdrawal would exceed, so that what it
    says may be withdrawn may be."""
    all_rules = rules(options.limits, options.level_limits)
    exceeded = tightest_exceeded(all_rules, spent, requested)
    if exceeded is not None:
        raise LimitExceeded(
            "The withdrawal limit would be exceeded.", _details(exceeded, requested)
        )


def _details(exceeded: Usage, requested: Spent) -> dict[str, object]:
    rule, remaining = exceeded.rule, format_cents(exceeded.remaining_cents)
    advice = f"The limit allows {remaining} USD now"
    if exceeded.resets_at is not None:
        advice += f"; more from {format_instant(exceeded.resets_at)}"
    return {
        "ruleId": rule.rule_id,
        "scope": "withdrawal",
        "destinationClass": rule.destination,
        **({} if rule.level is None else {"evidenceLevel": rule.level}),
        "period": rule.period // SECOND,
        "limit": format_cents(rule.limit_cents),
        "used": format_cents(exceeded.used_cents),
        "requested": format_cents(requested.notional_cents),
        "remaining": remaining,
        "resetsAt": None if exceeded.resets_at is None else format_instant(exceeded.resets_at),
        "suggestion": f"{advice}.",
    }


@reads_in_context(operations.LIMITS)
def show(
    context: EngineContext, connection: Session, organisation_id: str, account_id: str
) -> Page[LimitUsage]:
    """The limits of a level of evidence are listed where a wallet of the account has that level."""
    timekeeping.read_ahead(context.time, connection)
    reading.checked_id(accounts.RESOURCE, account_id)
    connection.ahead(wallets.levels_of, organisation_id, account_id)
    account = accounts.find(connection, organisation_id, account_id)
    time, options = timekeeping.read(context.time, connection), context.options
    at = time.now
    history = _used(connection, account.id, at, time.began_at)
    levels = wallets.levels_of(connection, organisation_id, account.id)
    all_rules = _rules(options, levels)
    if levels:
        history += _used_on_levels(connection, account.id, at, time.began_at)
    return Page[LimitUsage].whole(tuple(_model(usage(rule, history, at)) for rule in all_rules))


@remembered
def _model(used: Usage) -> LimitUsage:
    return LimitUsage(
        rule_id=used.rule.rule_id,
        destination_class=used.rule.destination,
        evidence_level=used.rule.level,
        period_seconds=used.rule.period // SECOND,
        limit=format_cents(used.rule.limit_cents),
        used=format_cents(used.used_cents),
        remaining=format_cents(used.remaining_cents),
        resets_at=used.resets_at,
    )
