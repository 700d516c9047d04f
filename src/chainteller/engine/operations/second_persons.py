"""Four eyes: what two persons approve, and whether the first one's approval still counts.

The first approval, or a person's request for a withdrawal, is bound to a digest of exactly what
will happen. It counts for the second person only while that is the same, while no key of the first
one was revoked, and for fifteen minutes, or as long as a withdrawal waits that a person asked for.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from chainteller.domain.canonical import canonical
from chainteller.domain.decisions import SECOND_WITHIN, DecisionKind
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts, transfers
from chainteller.storage.db.query import Record
from chainteller.storage.queries import agents

_PAID = (
    "id", "trading_account_id", "bank_account_id", "amount", "asset", "hold", "destination_class",
    "counterparty_id", "blockchain_account_id", "address",
)  # fmt: skip
_HELD = ("subject", "control", "reason")


def digest_of_withdrawal(row: Mapping[str, Any], account: Record, rule_id: str) -> str:
    """Of what leaves, where it goes, the control of its account, and the rules."""
    return _digest({name: row[name] for name in _PAID}, account.control, rule_id)


def digest(tx: UnitOfWork, found: Record) -> str:
    """Of what the approval of a locked decision will do."""
    rule_id = tx.context.rule.id
    if found.kind == DecisionKind.WITHDRAWAL:
        row = transfers.reviewing(tx, found.subject)
        account = accounts.locked_by_id(tx, found.trading_account_id)
        return digest_of_withdrawal(row._asdict(), account, rule_id)
    return _digest({name: getattr(found, name) for name in _HELD}, None, rule_id)


def counts(tx: UnitOfWork, found: Record, current: str) -> bool:
    """Whether the first approval of a decision counts for a second one of what is so now."""
    if found.first_by is None or found.digest != current:
        return False
    if agents.was_revoked(tx.connection, tx.organisation_id, found.first_by, found.first_at):
        return False  # nobody knows whose hands that key was in
    if found.kind == DecisionKind.WITHDRAWAL and found.first_at == found.created:
        return True
    return tx.now <= int(found.first_at) + SECOND_WITHIN


def _digest(what: Mapping[str, Any], control: str | None, rule_id: str) -> str:
    told = {name: str(value) for name, value in what.items()}
    body = canonical({"what": told, "control": control, "rule": rule_id})
    return sha256(body.encode()).hexdigest()
