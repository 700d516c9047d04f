"""Forgetting a customer: what names the person is erased, and the books stay as they are.

The row stays under its reference, because journals, signed messages and seals refer to it.
"""

from chainteller.domain.customer_lines import FORGOTTEN, FORGOTTEN_NAME
from chainteller.domain.ledger import owner
from chainteller.domain.preconditions import KYC_LEVELS, Control
from chainteller.domain.search_texts import search_name
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Outcome, Update
from chainteller.engine.core.table import writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts, logged_rows
from chainteller.service import operations
from chainteller.service.errors import Conflict
from chainteller.service.models.customers import Copy, ForgetCustomer, ForgottenCustomer
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import erasing, ledger, moved, views
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.queries import customers, erasures, organisations
from chainteller.storage.upkeep import archives, maintenance

RESOURCE = "customer"
EVENT = "customer.forgotten"


def _clear_journal(context: EngineContext) -> None:
    maintenance.clear_journal(context.database)


@writes(operations.FORGET_CUSTOMER, after=_clear_journal)
def forget(tx: UnitOfWork, request: ForgetCustomer) -> ForgottenCustomer:
    """Forgetting a forgotten customer again erases what was added since.

    Raises:
        NotFound: there is no customer with the reference.
        Conflict: the customer has a balance, owes money or has an open record.
        Altered: a remembered answer can't be read, which may name the customer.
    """
    organisation_id, connection = tx.organisation_id, tx.connection
    organisations.take_turn(connection, organisation_id)
    customer = _found(connection, organisation_id, request.reference)
    own = erasures.trading_accounts(connection, customer.id)
    locked = [accounts.locked(tx, each) for each in own]
    tx.audited_account = None  # it's about the customer, not about the last account
    _require_finished(tx, customer, own)
    texts = erasures.erase_texts(tx.rows, customer.id, tx.name, tx.now)
    try:
        answers = erasures.erase_answers(tx.rows, organisation_id, customer.id)
    except ValueError as fault:
        unread = Breach(20, "not done: an answer can't be read", str(fault), organisation_id)
        logged_rows.refuse_altered(tx, unread)
    entries = erasing.erase_inputs(connection, organisation_id, customer.id)
    for account in locked:
        if account.control != Control.CLOSED:
            update, event = accounts.restrict(account, Control.CLOSED, FORGOTTEN)
            event = event._replace(data=event.data | {"tradingAccountId": account.id})
            outcome.apply(tx, Outcome(account.id, rows=(update,), events=(event,)))
    if customer.control_reason != FORGOTTEN:
        outcome.apply(tx, Outcome(customer.id, rows=(_nobody(customer),)))
        tx.event(EVENT, customer.id)
    tx.audited_object = customer.id
    return ForgottenCustomer(
        id=customer.id,
        reference=customer.reference,
        trading_accounts=tuple(own),
        texts=texts,
        answers=answers,
        entries=entries,
        copies=_copies(connection, organisation_id, customer.id),
    )


def _found(connection: Session, organisation_id: str, reference: str) -> Record:
    known = reading.checked_id(RESOURCE, reference)
    found = customers.by_reference(connection, organisation_id, [known]).get(known)
    return reading.require_found(found, RESOURCE, known)


def _require_finished(tx: UnitOfWork, customer: Record, own: list[str]) -> None:
    """Raises Conflict, which names what has to be finished first."""
    standing = erasures.open_records(tx.connection, customer.id, tx.now)
    standing += erasures.overdrawn(tx.connection, tx.organisation_id, customer.id)
    for account_id in own:
        for (code, asset), (balance, _) in ledger.of_account(tx.connection, account_id).items():
            if balance:
                standing.append(f"balance {asset} in {owner(code)}")
    if standing:
        refusal = Conflict.over(
            RESOURCE,
            customer.id,
            "CUSTOMER_ACTIVE",
            "The customer has a balance or open records. Nothing was erased.",
            "Withdraw what is left and finish or cancel the named records, then repeat it.",
        )
        refusal.details["standing"] = standing
        raise refusal


def _nobody(customer: Record) -> Update:
    values = {
        "name": FORGOTTEN_NAME,
        "search_name": search_name(FORGOTTEN_NAME),
        "kyc_level": KYC_LEVELS[0],
        "terms_version": None,
        "control": Control.CLOSED.value,
        "control_reason": FORGOTTEN,
    }
    return Update(Tables.customer, {"id": customer.id}, values, before=customer)


def _copies(connection: Session, organisation_id: str, customer_id: str) -> tuple[Copy, ...]:
    """Archives that have entries about the customer, and when they last got some."""
    archived = erasing.archived(connection, organisation_id, customer_id)
    names = {archives.name_of(connection, organisation_id, number) for number in archived}
    found: dict[str, Copy] = {}
    for each in views.about(connection, DEPLOYMENT, moved.DATABASE):
        told = each.inputs or {}
        if each.action == moved.ARCHIVED and told["archive"] in names:
            found[told["archive"]] = Copy(kind="archive", name=told["archive"], at=each.at)
    return tuple(found.values())
