"""Customers, their bank accounts, and the opening and restricting of trading accounts."""

import unicodedata

from chainteller.domain.ids import Prefix
from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.people import CustodyAddress, Habit, Person
from chainteller.engine.samples.world import Account, World
from chainteller.storage.accounts import COUNTERS

_REASONS = {
    "FROZEN": "COMPLIANCE_REVIEW",
    "SELL_ONLY": "RISK_POLICY",
    "DORMANT": "NO_ACTIVITY",
}


def customer(world: World, person: Person) -> tuple[Row, ...]:
    """The customer of the core bank; the rows of the bank accounts."""
    restricted = person.control if person.habit is Habit.NONE else None
    world.books.add(
        "customer",
        {
            "id": person.id,
            "organisation_id": world.organisation_id,
            "name": person.name,
            "search_name": search_name(person.name),
            "reference": person.reference,
            "kyc_level": person.kyc_level,
            "terms_version": TERMS_VERSION if person.has_accepted_terms else None,
            "control": restricted,
            "control_reason": _REASONS[restricted] if restricted else None,
        },
    )
    return tuple(
        world.books.add(
            "bank_account",
            {
                "organisation_id": world.organisation_id,
                "id": account.id,
                "customer_id": person.id,
                "type": account.type,
                "balance": account.opening_cents,
                "trading_account_id": None,
            },
        )
        for account in person.accounts
    )


def search_name(name: str) -> str:
    """The name as it is searched: caseless, and once more without its accents if it has any."""
    folded = name.casefold()
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(sign)
    )
    return folded if plain == folded else f"{folded} {plain}"


def open_account(world: World, person: Person, bank: Row, at: int) -> Account:
    account_id = world.new_id(Prefix.TRADING_ACCOUNT)
    row = world.books.add(
        "trading_account",
        {
            "id": account_id,
            "organisation_id": world.organisation_id,
            "bank_account_id": bank["id"],
            "bank_account_type": bank["type"],
            "customer_id": person.id,
            "control": None,
            "control_reason": None,
            "created": at,
            "version": 0,
            **dict.fromkeys(COUNTERS, 0),
            "last_activity": at,
            "last_activity_type": "opened",
        },
    )
    bank["trading_account_id"] = account_id
    world.books.open_sub_balances(account_id)
    inputs = {"bankAccountId": bank["id"], "bankAccountType": bank["type"]}
    world.audit(at, "open_trading_account", account_id, inputs, account=account_id)
    world.event(at, "trading_account.created", account_id, {"bankAccountId": bank["id"]})
    account = Account(row, bank, person)
    world.accounts[person.reference] = account
    return account


def restrict(world: World, account: Account, control: str, at: int) -> None:
    reason = _REASONS[control]
    account.row.update(control=control, control_reason=reason, version=account.row["version"] + 1)
    inputs = {"control": control, "reasonCode": reason}
    world.audit(at, "set_control", account.id, inputs, account=account.id)
    world.event(at, "account.control_changed", account.id, {"control": control})


def blockchain_account(world: World, account: Account, custody: CustodyAddress, at: int) -> None:
    """A custody address with a fixed id."""
    world.books.add(
        "blockchain_account",
        {
            "id": custody.id,
            "organisation_id": world.organisation_id,
            "trading_account_id": account.id,
            "customer_id": account.person.id,
            "network": custody.network,
            "address": custody.address,
            "status": "active",
            "created": at,
        },
    )
    inputs = {"tradingAccountId": account.id, "network": custody.network}
    world.audit(at, "open_blockchain_account", custody.id, inputs, account=account.id)
    data = {"tradingAccountId": account.id, "network": custody.network}
    world.event(at, "blockchain_account.created", custody.id, data)
