"""Invariants 8, 12, 14, 15 and 17: scheduled work, idempotency, withdrawal limits, verified
wallets, exact columns.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection

from chainteller.domain.limits import DestinationClass, LimitRule, rules
from chainteller.domain.transfers import COUNTED
from chainteller.engine.checks.breaches import Breach, Breaches, grouped
from chainteller.engine.checks.epochs import Epochs
from chainteller.storage import inspection
from chainteller.storage.database import Record

Limits = Mapping[DestinationClass, tuple[int, int, int]]


def keys_have_one_effect(connection: Connection) -> Breaches:
    """12: every stored key has an outcome, and no record was created under two keys."""
    created: set[tuple[str, str]] = set()
    for row in inspection.idempotent_outcomes(connection):
        where = f"{row.operation} {row.key}"
        if row.body is None:
            yield Breach(12, "a key without its outcome", where)
            continue
        if not row.created_record:
            continue
        effect = (row.operation, str(json.loads(row.body).get("id")))
        if effect in created:
            yield Breach(12, f"{effect[1]} was created under two keys", where)
        created.add(effect)


def limits_are_kept(connection: Connection, limits: Limits) -> Breaches:
    """14: within any rule's window, no more left an account than the rule allows."""
    found, epochs = inspection.withdrawals(connection), Epochs(connection)
    for account_id, requested in grouped(found, lambda row: str(row.trading_account_id)):
        for rule in rules(limits):
            counted = [
                row
                for row in requested
                if row.destination_class == rule.destination and row.status in COUNTED
            ]
            if not all(_within(rule, each) for each in _by_epoch(counted, epochs)):
                yield Breach(14, f"more than {rule.rule_id} allows", account_id)


def _by_epoch(requested: list[Record], epochs: Epochs) -> Iterable[list[Record]]:
    """Withdrawals whose times can be compared."""
    found: dict[int, list[Record]] = {}
    for row in requested:
        found.setdefault(epochs.of(str(row.id)), []).append(row)
    return found.values()


def _within(rule: LimitRule, counted: list[Record]) -> bool:
    window: deque[Record] = deque()
    used = 0
    for row in counted:
        window.append(row)
        used += row.notional_cents
        while window[0].created <= row.created - rule.period and window[0] is not row:
            used -= window.popleft().notional_cents
        if used > rule.limit_cents:
            return False
    return True


def verified_wallets_were_proven(connection: Connection) -> Breaches:
    """15: every link rests on an accepted claim for the same wallet and blockchain account."""
    epochs = Epochs(connection)
    for link in inspection.links_with_claims(connection):
        where = f"{link.blockchain_account_id} {link.counterparty_id}"
        pair = (link.blockchain_account_id, link.counterparty_id)
        if link.found_claim is None:
            yield Breach(15, "linked without a claim", where)
        elif (link.claim_account, link.claim_counterparty) != pair:
            yield Breach(15, "the claim is for another pair", where)
        elif (link.challenge_account, link.challenge_counterparty) != pair:
            yield Breach(15, "the claim's challenge is for another pair", where)
        elif link.challenge_claim != link.found_claim:
            yield Breach(15, "the challenge gave another claim", where)
        elif not (
            link.claim_created <= link.verified_at <= link.claim_expires
            or epochs.part(str(link.claim_id))
        ):
            yield Breach(15, "verified outside the claim's life", where)
    yield from _verified_withdrawals(connection, epochs)


def _verified_withdrawals(connection: Connection, epochs: Epochs) -> Breaches:
    for withdrawal in inspection.verified_withdrawals_without_link(connection):
        linked_by, sent = withdrawal.linked_by, str(withdrawal.id)
        if linked_by is None or not epochs.part(str(linked_by), sent):
            yield Breach(15, "sent as to a verified wallet that was not linked", sent)


def work_has_its_record(connection: Connection) -> Breaches:
    """8: scheduled work moves a trade or a transfer that exists."""
    for job in inspection.jobs_without_record(connection):
        yield Breach(
            8, "work is scheduled on a record that is missing", f"{job.kind} {job.reference}"
        )


def columns_are_exact(connection: Connection) -> Breaches:
    """17: no column can round an amount, and every stored amount is a whole number."""
    for column in inspection.inexact_columns(connection):
        yield Breach(17, "a column that rounds", column)
    for column in inspection.unreadable_atoms(connection):
        yield Breach(17, "a value that is no whole number", column)
