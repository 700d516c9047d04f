"""Customers of the core bank with their bank accounts, for every world of the tests."""

from collections.abc import Sequence
from dataclasses import dataclass

from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.storage.db.records import Tables
from chainteller.storage.log.rows import Writer


@dataclass(frozen=True, slots=True)
class CustomerSeed:
    """A customer as the core bank knows them; without a name or a reference they are counted."""

    bank_account_id: str = "DDA-1"
    balance_cents: int = 100_000_000
    type: str = "checking"
    kyc_level: str = "enhanced"
    terms_version: str | None = TERMS_VERSION
    control: str | None = None
    organisation: str = "default"
    name: str = ""
    reference: str = ""
    further: tuple[str, ...] = ()
    """Ids of more bank accounts of the same type and balance."""


def add_customers(rows: Writer, customers: Sequence[CustomerSeed]) -> None:
    """Insert them; the caller seals and commits."""
    people, accounts = [], []
    for number, seed in enumerate(customers, start=1):
        name = seed.name or f"Customer {number}"
        customer_id = f"CUS_{seed.bank_account_id}"
        people.append(
            {
                "id": customer_id,
                "organisation_id": seed.organisation,
                "name": name,
                "search_name": name.lower(),
                "reference": seed.reference or f"CU-{number}",
                "kyc_level": seed.kyc_level,
                "terms_version": seed.terms_version,
                "control": seed.control,
                "control_reason": None,
            }
        )
        accounts += [
            {
                "organisation_id": seed.organisation,
                "id": bank_account_id,
                "customer_id": customer_id,
                "type": seed.type,
                "balance": seed.balance_cents,
                "trading_account_id": None,
            }
            for bank_account_id in (seed.bank_account_id, *seed.further)
        ]
    if people:
        rows.insert(Tables.customer, people)
        rows.insert(Tables.bank_account, accounts)
