"""Invariants 12, 14, 15, 17 and 22: idempotency, withdrawal limits, verified wallets, exact
columns, counts and words that follow from records.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from chainteller.domain.json_depth import parse_json
from chainteller.domain.limits import PERIODS, LimitRule, rules
from chainteller.domain.rules import level_limits_of, limits_of
from chainteller.domain.transfers import COUNTED
from chainteller.engine.core.breaches import Breach, Breaches, grouped
from chainteller.engine.verification.epochs import Epochs
from chainteller.engine.verification.replay import Books
from chainteller.service.operations import LINK_COUNTERPARTY, WRITES
from chainteller.storage.db.query import Record, Session
from chainteller.storage.lists import search, tallies
from chainteller.storage.queries import idempotency
from chainteller.storage.upkeep import inspection


def keys_have_one_effect(connection: Session, _books: Books) -> Breaches:
    """12: no record was created under two keys."""
    created: set[tuple[str, ...]] = set()
    for row in inspection.idempotent_outcomes(connection):
        operation = WRITES.get(row.operation)
        if not row.created_record or operation is None or operation.creates is None:
            continue  # an import, for example, says how many are new and names none
        effect = (row.operation, *_created_by(parse_json(idempotency.answer_of(row))))
        if row.operation == LINK_COUNTERPARTY.name and not effect[2]:
            continue  # a provider that names the wallet alone, which several customers may link
        if effect in created:
            what = f"{effect[1]} was created under two keys"
            yield Breach(12, what, f"{row.operation} {row.key}")
        created.add(effect)


def _created_by(body: Mapping[str, Any]) -> tuple[str, str]:
    """What a write created: a record or, where a wallet is linked again, its link by a claim."""
    verification = body.get("verification") or {}
    return str(body.get("id")), str(verification.get("claimId", ""))


def limits_are_kept(connection: Session, _books: Books) -> Breaches:
    """14: within any limit's window, no more left an account than was allowed on that day."""
    versions: dict[str, tuple[LimitRule, ...]] = {}
    for row in inspection.rules(connection):
        try:
            body = parse_json(row.body)
            versions[row.id] = rules(limits_of(body), level_limits_of(body))
        except (KeyError, TypeError, ValueError):
            yield Breach(14, "a version of the settings that cannot be read", f"rule {row.id}")
    found, epochs = inspection.withdrawals(connection), Epochs(connection)
    for account_id, requested in grouped(found, lambda row: str(row.trading_account_id)):
        by_epoch: dict[int, _Windows] = defaultdict(lambda: defaultdict(_Window))
        for row in requested:
            epoch = epochs.of(str(row.id))
            if row.status in COUNTED and epoch is not None:
                windows = by_epoch[epoch]
                yield from _judged(row, windows, versions.get(row.rule_id or ""), account_id)


@dataclass(slots=True)
class _Window:
    """What left an account to one class of destination within the last period."""

    rows: deque[Record] = field(default_factory=deque)
    cents: int = 0

    def add(self, row: Record, period: int) -> int:
        self.rows.append(row)
        self.cents += row.notional_cents
        while self.rows[0].created <= row.created - period and self.rows[0] is not row:
            self.cents -= self.rows.popleft().notional_cents
        return self.cents


_Windows = dict[tuple[str, str | None, int], _Window]
"""By class of destination, level of evidence (None: all of the class) and period, of one epoch:
times of others can't be compared."""


def _judged(
    row: Record,
    windows: _Windows,
    version: tuple[LimitRule, ...] | None,
    account_id: str,
) -> Breaches:
    if row.rule_id is not None and version is None:
        yield Breach(14, f"it was allowed by the unknown rule {row.rule_id}", f"transfer {row.id}")
    limits = {
        (rule.level, rule.period): rule
        for rule in version or ()
        if rule.destination == row.destination_class
    }
    levels = dict.fromkeys((None, row.evidence_level))
    for level, period in product(levels, PERIODS.values()):
        used = windows[row.destination_class, level, period].add(row, period)
        rule = limits.get((level, period))
        if rule is not None and used > rule.limit_cents:
            yield Breach(14, f"more than {rule.rule_id} allows", f"{account_id}, transfer {row.id}")


def verified_wallets_were_proven(connection: Session, _books: Books) -> Breaches:
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


def _verified_withdrawals(connection: Session, epochs: Epochs) -> Breaches:
    for withdrawal in inspection.verified_withdrawals_without_link(connection):
        linked_by, sent = withdrawal.linked_by, str(withdrawal.id)
        if linked_by is None or not epochs.part(str(linked_by), sent):
            yield Breach(15, "sent as to a verified wallet that was not linked", sent)


def lists_are_counted(connection: Session, _books: Books) -> Breaches:
    """22: the tallies of lists are the numbers of their rows."""
    for tally in tallies.wrong(connection):
        what = f"the tally says {tally.said}, {tally.counted} are there"
        yield Breach(22, what, f"{tally.organisation_id} {tally.listed}")


def records_are_found(connection: Session, _books: Books) -> Breaches:
    """22: what people search for stands in the search tables."""
    for kind, record_id in search.missing(connection):
        yield Breach(22, "it can't be searched for, or is no more", f"{kind} {record_id}")


def nothing_is_missing(connection: Session) -> Breaches:
    """17: every table and column that this build reads is there."""
    for table, column in inspection.missing_parts(connection):
        yield Breach(17, f"its column {column} is missing" if column else "it is missing", table)


def columns_are_exact(connection: Session) -> Breaches:
    """17: no column can round an amount, and every stored amount is a whole number."""
    for column in inspection.inexact_columns(connection):
        yield Breach(17, "a column that rounds", column)
    for column in inspection.unreadable_atoms(connection):
        yield Breach(17, "a value that is no whole number", column)
