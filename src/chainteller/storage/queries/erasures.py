"""What stands in the way of forgetting a customer, and what names one beside their own row."""

from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.decisions import DecisionStatus
from chainteller.domain.trades import TERMINAL, QuoteStatus
from chainteller.domain.transfers import FINAL
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value, quoted, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import Table
from chainteller.storage.log.rows import Row, Writer
from chainteller.storage.queries import idempotency

_MINE = "trading_account_id IN (SELECT id FROM trading_account WHERE customer_id = :customer)"
_OPEN = Query(
    f"SELECT 'trade' AS kind, id, status FROM trade WHERE {_MINE} "
    f"AND status NOT IN ({quoted(TERMINAL)}) "
    f"UNION ALL SELECT direction, id, status FROM transfer WHERE {_MINE} "
    f"AND status NOT IN ({quoted(FINAL)}) "
    f"UNION ALL SELECT 'decision', id, status FROM decision WHERE {_MINE} "
    f"AND status = '{DecisionStatus.OPEN}' "
    f"UNION ALL SELECT 'quote', id, status FROM quote WHERE {_MINE} "
    f"AND status = '{QuoteStatus.OPEN}' AND expires >= :now "
    "UNION ALL SELECT 'challenge', id, status FROM challenge WHERE customer_id = :customer "
    f"AND status = '{ChallengeStatus.OPEN}' AND expires >= :now LIMIT 20",
    row_of("kind", "id", "status"),
)
_OVERDRAWN = Source(records.BankAccount).where(
    "organisation_id = :organisation AND customer_id = :customer"
)
_DECISIONS = Source(records.Decision).where(
    f"{_MINE} AND (words IS NOT NULL OR answer IS NOT NULL OR asked IS NOT NULL)"
)
_STATEMENTS = Source(records.OwnershipStatement).where(
    "customer_id = :customer AND statement <> ''"
)
_WALLETS = (
    "SELECT counterparty_id FROM challenge WHERE customer_id = :customer "
    "UNION ALL SELECT counterparty_id FROM ownership_statement WHERE customer_id = :customer "
    f"UNION ALL SELECT counterparty_id FROM transfer WHERE {_MINE} AND counterparty_id IS NOT NULL"
)
_NOTED = f"(subject = :customer OR subject IN ({_WALLETS}) OR {_MINE})"
_NOTES = Source(records.Note).where(f"{_NOTED} AND content IS NOT NULL")
_FAILED_TRANSFERS = Source(records.Transfer).where(f"{_MINE} AND failure_message IS NOT NULL")
_FAILED_TRADES = Source(records.Trade).where(f"{_MINE} AND failure_message IS NOT NULL")
_SIGNED = Source(records.Challenge).where("customer_id = :customer AND page_signature IS NOT NULL")
_NAMED = Query(
    "SELECT id AS value FROM customer WHERE id = :customer "
    "UNION ALL SELECT id FROM trading_account WHERE customer_id = :customer "
    "UNION ALL SELECT id FROM blockchain_account WHERE customer_id = :customer "
    f"UNION ALL SELECT id FROM note WHERE {_NOTED}",
    Value,
)
_ANSWERS = Source(records.Idempotency).where("organisation_id = :organisation")
_ANSWER = "organisation_id = :organisation AND operation = :operation AND key = :key"


trading_accounts = Query(
    "SELECT id AS value FROM trading_account WHERE customer_id = :customer ORDER BY id", Value
).values


def open_records(connection: Session, customer_id: str, now: int) -> list[str]:
    """Records that aren't finished, in words; the first twenty."""
    found = _OPEN.run(connection, customer_id, now)
    return [f"{row.kind} {row.id} {row.status}" for row in found]


def overdrawn(connection: Session, organisation_id: str, customer_id: str) -> list[str]:
    """Bank accounts on which the customer owes money."""
    found = _OVERDRAWN.run(connection, organisation_id, customer_id)
    return [f"bank account {row.id} overdrawn" for row in found if row.balance < 0]


def erase_texts(rows: Writer, customer_id: str, by: str, now: int) -> int:
    """Erase what was written about a customer: in decisions, in statements about wallets, in notes
    of the team, as why money came back, and on the page for signing."""
    unsaid: Row = {"failure_message": None}
    written: tuple[tuple[Query, Table, Row], ...] = (
        (_DECISIONS, Tables.decision, dict.fromkeys(("words", "answer", "asked"))),
        (_STATEMENTS, Tables.ownership_statement, {"statement": ""}),
        (_NOTES, Tables.note, {"content": None, "erased_at": now, "erased_by": by}),
        (_FAILED_TRANSFERS, Tables.transfer, unsaid),
        (_FAILED_TRADES, Tables.trade, unsaid),
        (_SIGNED, Tables.challenge, {"page_signature": None}),
    )
    count = 0
    for source, table, erased in written:
        for row in rows.connection.execute(source, {"customer": customer_id}).all():
            rows.update(table, {"id": row.id}, erased)
            count += 1
    return count


def erase_answers(rows: Writer, organisation_id: str, customer_id: str) -> int:
    """Erase the answers to requests, kept for repetitions, that name a customer, an account of
    theirs or a note about them. Raises ValueError with the place of one that can't be read."""
    of = {"organisation": organisation_id}
    named = _NAMED.values(rows.connection, customer_id)
    telling = [
        {**of, "operation": each.operation, "key": each.key}
        for each in rows.connection.stream(_ANSWERS, of)
        if any(name in idempotency.answer_of(each) for name in named)
    ]
    return sum(len(rows.delete(Tables.idempotency, _ANSWER, each)) for each in telling)
