"""Importing the bank's own customers: what each line does, and writing it.

A line creates a customer or changes what it says otherwise, and creates its bank account. Nobody is
removed. Every line counts or is refused as a whole.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chainteller.domain import customer_lines
from chainteller.domain.customer_lines import Finding
from chainteller.domain.ids import Prefix, plausible
from chainteller.domain.money import format_cents
from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.domain.search_texts import search_name
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Row
from chainteller.engine.core.table import reads_in_context, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.service import operations
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.customers import (
    MOST_LINES,
    CustomerImport,
    CustomerLine,
    ImportCustomers,
    LineFinding,
)
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import customers, organisations

Refuses = Callable[[CustomerLine], Finding | None] | None
"""What else refuses a line."""
IMPORTED = "customers.imported"
"""The type of the event of an import that changed something."""


@writes(operations.IMPORT_CUSTOMERS, timeless=True)
def import_lines(tx: UnitOfWork, request: ImportCustomers) -> CustomerImport:
    """Raises ValidationFailed: it has no lines, or too many."""
    organisations.take_turn(tx.connection, tx.organisation_id)
    has_core_bank = tx.context.ports.core_bank is not None
    return _written(tx, request.lines, customer_lines.balance_refused if has_core_bank else None)


def take_over(tx: UnitOfWork, lines: Sequence[CustomerLine]) -> tuple[LineFinding, ...]:
    """Import what the core bank says, with the balances of bank accounts that are known here; what
    was refused of it."""
    organisations.take_turn(tx.connection, tx.organisation_id)
    findings = _written(tx, lines, None).refused
    refused = {each.line for each in findings}
    accounts = [each.bank_account_id for each in lines if each.bank_account_id]
    known = customers.bank_accounts_by_id(tx.connection, tx.organisation_id, sorted(accounts))
    for line in lines:
        row = known.get(line.bank_account_id or "")
        if row is None or line.line in refused:
            continue
        balance = customer_lines.balance_of(line)
        if row.balance != balance:
            key = {"organisation_id": row.organisation_id, "id": row.id}
            tx.rows.update(Tables.bank_account, key, {"balance": balance})
    return findings


def _written(tx: UnitOfWork, lines: Sequence[CustomerLine], refuses: Refuses) -> CustomerImport:
    of = tx.organisation_id
    plan = _planned(tx.connection, of, lines, lambda: tx.new_id(Prefix.CUSTOMER), refuses)
    tx.rows.insert(Tables.customer, list(plan.customers.values()))
    tx.rows.insert(Tables.bank_account, plan.accounts)
    for known, values in plan.changes:
        tx.rows.update(Tables.customer, {"id": known.id}, values, before=known)
    done = plan.told()
    if done.created or done.changed or done.bank_accounts:
        told = {"created": done.created, "changed": done.changed}
        tx.event(IMPORTED, "", **told, bankAccounts=done.bank_accounts)
    return done


@reads_in_context(operations.CHECK_CUSTOMER_IMPORT, is_short=False)
def check_lines(
    context: EngineContext, connection: Session, organisation_id: str, request: ImportCustomers
) -> CustomerImport:
    """Raises ValidationFailed: it has no lines, or too many."""
    refuses = None if context.ports.core_bank is None else customer_lines.balance_refused
    return _planned(connection, organisation_id, request.lines, str, refuses).told()


@dataclass(slots=True)
class _Plan:
    """What some lines do: rows of new customers by reference and of new bank accounts, and what
    changes of known customers."""

    organisation_id: str
    new_id: Callable[[], str]
    refuses: Refuses
    known: dict[str, Record]
    known_accounts: dict[str, Record]
    customers: dict[str, Row] = field(default_factory=dict)
    accounts: list[Row] = field(default_factory=list)
    changes: list[tuple[Record, Row]] = field(default_factory=list)
    unchanged: int = 0
    refused: list[LineFinding] = field(default_factory=list)
    differences: list[LineFinding] = field(default_factory=list)
    earlier: dict[str, str] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)

    def take(self, line: CustomerLine) -> None:
        found = self._problem(line) or customer_lines.repetition(line, self.earlier)
        if found is not None:
            self.refused.append(LineFinding.of(line.line, found))
            return
        changes_customer = self._take_customer(line)
        if not self._take_account(line) and not changes_customer:
            self.unchanged += 1

    def told(self) -> CustomerImport:
        return CustomerImport(
            created=len(self.customers),
            changed=len(self.changes),
            bank_accounts=len(self.accounts),
            unchanged=self.unchanged,
            refused=tuple(self.refused),
            differences=tuple(self.differences),
        )

    def _problem(self, line: CustomerLine) -> Finding | None:
        """Why a line can't count."""
        found = customer_lines.problem(line)
        if found is None and self.refuses is not None:
            found = self.refuses(line)
        if found is not None:
            return found
        customer = self.known.get(line.reference)
        if customer is not None and customer.control_reason == customer_lines.FORGOTTEN:
            return customer_lines.customer_forgotten()
        account = self.known_accounts.get(line.bank_account_id or "")
        if account is None:
            return None
        if customer is None or account.customer_id != customer.id:
            return customer_lines.account_of_another()
        if account.type != line.bank_account_type:
            return customer_lines.account_of_type(account.type)
        return None

    def _take_customer(self, line: CustomerLine) -> bool:
        """Create or change a customer; False if it's as the line says."""
        name = customer_lines.name_of(line)
        said: Row = {
            "name": name,
            "search_name": search_name(name),
            "kyc_level": line.kyc_level,
            "terms_version": TERMS_VERSION if line.terms_accepted else None,
        }
        known = self.known.get(line.reference)
        if known is None:
            if line.reference in self.customers:
                return False
            self.customers[line.reference] = {
                "id": self.new_id(),
                "organisation_id": self.organisation_id,
                "reference": line.reference,
                **said,
            }
            return True
        values = {name: value for name, value in said.items() if getattr(known, name) != value}
        if not values or known.id in self._changed:
            return False
        self._changed.add(known.id)
        self.changes.append((known, values))
        return True

    def _take_account(self, line: CustomerLine) -> bool:
        """Create a bank account; False if there's none to create."""
        if line.bank_account_id is None:
            return False
        known = self.known_accounts.get(line.bank_account_id)
        cents = customer_lines.balance_of(line)
        if known is not None:
            if line.bank_account_balance is not None and known.balance != cents:
                found = customer_lines.balance_not_applied(format_cents(known.balance))
                self.differences.append(LineFinding.of(line.line, found))
            return False
        owner = self.known.get(line.reference)
        owner_id = self.customers[line.reference]["id"] if owner is None else owner.id
        self.accounts.append(
            {
                "organisation_id": self.organisation_id,
                "id": line.bank_account_id,
                "customer_id": owner_id,
                "type": line.bank_account_type,
                "balance": cents,
            }
        )
        return True


def _planned(
    connection: Session,
    organisation_id: str,
    lines: Sequence[CustomerLine],
    new_id: Callable[[], str],
    refuses: Refuses,
) -> _Plan:
    if not 0 < len(lines) <= MOST_LINES:
        raise ValidationFailed.of("lines", f"1 to {MOST_LINES} lines.")
    references = {line.reference for line in lines if plausible(line.reference)}
    accounts = {line.bank_account_id for line in lines if plausible(line.bank_account_id or "")}
    plan = _Plan(
        organisation_id,
        new_id,
        refuses,
        customers.by_reference(connection, organisation_id, sorted(references)),
        customers.bank_accounts_by_id(connection, organisation_id, sorted(filter(None, accounts))),
    )
    for line in lines:
        plan.take(line)
    return plan
