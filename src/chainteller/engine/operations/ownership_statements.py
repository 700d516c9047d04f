"""Customers' statements that a wallet is theirs: kept, and verifying nothing.

A statement waits for a person, who accepts or refuses it. An accepted one is on record; the wallet
stays unverified.
"""

from chainteller.domain.decisions import DecisionKind
from chainteller.domain.evidence import METHODS, VerificationMethod
from chainteller.domain.ids import Prefix
from chainteller.domain.second_method import (
    MAXIMUM_STATEMENT,
    StatementReason,
    StatementStatus,
)
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.outcome import Event, Insert, Moment, Outcome, Update
from chainteller.engine.core.table import lists, reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    blockchain_accounts,
    challenges,
    counterparties,
    decision_records,
)
from chainteller.service import operations
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.counterparties import OwnershipStatement, StatementRequest
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import ownership_statements

RESOURCE = "ownership statement"


@writes(operations.CREATE_OWNERSHIP_STATEMENT)
def create(tx: UnitOfWork, account_id: str, request: StatementRequest) -> OwnershipStatement:
    """Record a statement in ``reviewing``."""
    if request.reason not in set(StatementReason):
        raise ValidationFailed.of("reason", f"one of {', '.join(StatementReason)}")
    text = checked_text(request.statement)
    account = blockchain_accounts.find(tx.connection, tx.organisation_id, account_id)
    wallet = counterparties.find(tx.connection, tx.organisation_id, request.counterparty_id)
    challenges.require_same_class(account, wallet)
    decided = decide_statement(account, wallet, request.reason, text, outcome.moment(tx))
    outcome.apply(tx, decided)
    return show(tx.connection, tx.organisation_id, decided.subject)


def checked_text(text: str) -> str:
    """The statement without outer white space. Raises ValidationFailed."""
    plain = text.strip()
    is_text = all(sign.isprintable() or sign in "\n\t" for sign in plain)
    if not 0 < len(plain) <= MAXIMUM_STATEMENT or not is_text:
        raise ValidationFailed.of("statement", f"1 to {MAXIMUM_STATEMENT} printable characters")
    return plain


def decide_statement(
    account: Record, wallet: Record, reason: str, text: str, moment: Moment
) -> Outcome:
    row = {
        "id": moment.new_id(Prefix.STATEMENT),
        "organisation_id": moment.organisation_id,
        "blockchain_account_id": account.id,
        "counterparty_id": wallet.id,
        "customer_id": account.customer_id,
        "reason": reason,
        "statement": text,
        "level": METHODS[VerificationMethod.STATEMENT].level.value,
        "status": StatementStatus.REVIEWING.value,
        "created": moment.now,
    }
    told = {"blockchainAccountId": account.id, "counterpartyId": wallet.id, "reason": reason}
    stated = Outcome(
        row["id"],
        rows=(Insert(Tables.ownership_statement, (row,)),),
        events=(Event("ownership_statement.created", row["id"], told),),
    )
    kind, by = DecisionKind.OWNERSHIP_STATEMENT, decision_records.POLICY
    owner = account.trading_account_id
    opened = decision_records.opened(moment, kind, row["id"], reason, by, account_id=owner)
    return stated.joined(opened)


def decide_judgement(statement_id: str, status: StatementStatus) -> Outcome:
    """A person has accepted or refused a statement."""
    update = Update(Tables.ownership_statement, {"id": statement_id}, {"status": status.value})
    event = Event(f"ownership_statement.{status}", statement_id, {"status": status.value})
    return Outcome(statement_id, rows=(update,), events=(event,))


@reads(operations.OWNERSHIP_STATEMENT_BY_ID)
def show(connection: Session, organisation_id: str, statement_id: str) -> OwnershipStatement:
    find = ownership_statements.find
    row = reading.row_by_id(find, connection, RESOURCE, organisation_id, statement_id)
    return ownership_statements.to_model(row)


lists(operations.OWNERSHIP_STATEMENTS, ownership_statements.page, of=blockchain_accounts.find)
