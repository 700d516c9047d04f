"""What a search text finds, from the model: in lists, and by finding everything.

Names are found by the beginnings and, from three letters on, by the insides of their words;
references, bank accounts and addresses by their beginnings and ends, whatever separates their
groups; ids by their beginnings, with or without their prefix, or as lists abbreviate them.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from tests.simulation.calls import Client, Wire
from tests.simulation.figures import MARKETS, Refused, dollars, moment, read, shown
from tests.simulation.model import Model
from tests.simulation.records import (
    Account,
    Anything,
    BankAccount,
    Customer,
    Quote,
    Transfer,
    Wallet,
)

_LEAST_INSIDE = _LEAST_OF_KEY = 3
_LEAST_OF_ID = 4
_MADE_ID = re.compile("[A-Z]{3}_[0-9A-Z]{22}")
"""An id that the deployment has made; those of the bank's customers are handed in."""


def has_name(customer: Customer, text: str) -> bool:
    """Whether each word of a text is in a name; the names here have plain letters."""
    words, parts = _words(text), _words(customer.name)
    return bool(words) and all(
        any(
            part.startswith(word) or (len(word) >= _LEAST_INSIDE and word in part) for part in parts
        )
        for word in words
    )


def has_key(key: str, text: str) -> bool:
    """Whether a reference, a bank account or an address begins or ends with a text, or both."""
    whole = _bare(key)
    begin, dots, end = text.partition("..")
    if dots and _bare(begin) and _bare(end):
        return whole.startswith(_bare(begin)) and whole.endswith(_bare(end))
    part = _bare(text)
    return len(part) >= _LEAST_OF_KEY and (whole.startswith(part) or whole.endswith(part))


def has_id(name: str, text: str) -> bool:
    """Whether an id begins with a text, with or without its prefix, or is abbreviated by it."""
    begin, _, end = (part.strip().upper() for part in text.partition(".."))
    named = name.startswith(begin) or name.partition("_")[2].startswith(begin)
    return len(begin) >= _LEAST_OF_ID and named and name.endswith(end)


def is_customer(customer: Customer, banks: list[BankAccount], text: str) -> bool:
    keys = [customer.reference, *(bank.id for bank in banks)]
    return has_name(customer, text) or any(has_key(key, text) for key in keys)


def is_account(account: Account, text: str) -> bool:
    return has_id(account.id, text) or is_customer(account.bank.customer, [account.bank], text)


def is_wallet(wallet: Wallet, text: str) -> bool:
    return has_id(wallet.id, text) or has_key(wallet.address, text)


def is_transfer(transfer: Transfer, word: str) -> bool:
    """Whether a word names a transfer, its account, its customer, its wallet or its amount."""
    customer, bank = transfer.account.bank.customer, transfer.account.bank
    if is_customer(customer, [bank], word) or _is_amount(transfer, word):
        return True
    if len(word) < _LEAST_OF_ID:
        return False
    wallet = transfer.wallet
    return (
        has_id(transfer.account.id, word)
        or has_id(transfer.id, word)
        or transfer.id.endswith(word.upper())
        or (wallet is not None and has_key(wallet.address, word))
    )


def _is_amount(transfer: Transfer, word: str) -> bool:
    try:
        return read(word.replace(",", ""), transfer.asset) == transfer.atoms
    except Refused:
        return False


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _bare(text: str) -> str:
    return "".join(_words(text))


# -- everything -------------------------------------------------------------------------------


_SCOPES = {
    "quote": "trading:quote",
    "counterparty": "wallets:read",
    "blockchain-account": "wallets:read",
}
"""What a key needs to see a kind; accounts:read for any other."""


class Place(NamedTuple):
    kind: str
    id: str


class Finds(Anything):
    """What a text must find.

    The deployment chooses what else resembles it: every row must be a record of the organisation,
    described as it is, once, and no row may stand before a better one. The first row must be one
    of ``first`` and all of ``among`` must be there, where the model knows any. Numbers in names
    don't count among the words of a text, so that other customers may stand before the named one.
    """

    def __init__(self, records: dict[Place, Wire], first: set[Place], among: set[Place]) -> None:
        self.records, self.first, self.among = records, first, among

    def wrong(self, rows: list[Wire]) -> str:
        """What is wrong with the rows; empty if nothing is."""
        places = [Place(row["kind"], row["id"]) for row in rows]
        scores = [row["score"] for row in rows]
        for place, row in zip(places, rows, strict=True):
            known = self.records.get(place)
            if known is None:
                return f"{place} isn't the organisation's"
            parts = {name: row.get(name) for name in known}
            if parts != known:
                return f"{parts}, expected {known}"
        if len(set(places)) < len(places):
            return "a record is there twice"
        if scores != sorted(scores, reverse=True) or not all(0 < each <= 100 for each in scores):
            return f"scores {scores}"
        if self.first and (not places or places[0] not in self.first):
            return f"first {places[:1]}, expected one of {self.first}"
        if not self.among <= set(places):
            return f"{self.among - set(places)} are missing"
        return ""


def finds(model: Model, client: Client, text: str) -> Finds:
    """Raises Refused without a text."""
    text = text.strip()
    if not text:
        raise Refused("VALIDATION_ERROR")
    records = {
        place: told
        for place, told in _described(model, client.organisation).items()
        if client.scopes is None or _SCOPES.get(place.kind, "accounts:read") in client.scopes
    }
    whole = {place for place in records if place.id == text and _MADE_ID.fullmatch(text)}
    keyed = {
        place
        for place in records
        if len(_bare(text)) >= _LEAST_OF_KEY
        and re.search("[0-9]", text)
        and _bare(text) == _bare(_key(model, place))
    }
    named = {
        place
        for place, known in records.items()
        if place.kind == "customer" and known["name"].lower() == text.lower()
    }
    abbreviated = {
        place
        for place in records
        if re.fullmatch(r"[A-Z]{3}_[0-9A-Z]{4}\.\.[0-9A-Z]{4}", text) and has_id(place.id, text)
    }
    first = whole or keyed or abbreviated
    others = named
    if not first and re.fullmatch(r"[0-9]+\.[0-9]+", text):
        others = {
            Place(each.name, each.id)
            for each in model.transfers.values()
            if each.account.organisation == client.organisation and _is_amount(each, text)
        }
    return Finds(records, first, first | (others & records.keys()))


def _key(model: Model, place: Place) -> str:
    """What a record is known by besides its id."""
    if place.kind == "customer":
        return model.customers[place.id].reference
    if place.kind == "counterparty":
        return model.wallets[place.id].address
    if place.kind == "blockchain-account":
        return model.custodies[place.id].address
    return place.id if place.kind == "bank-account" else ""


def _described(model: Model, organisation: str) -> dict[Place, Wire]:
    """Every record of an organisation that can be found, as its row describes it."""
    return {
        place: told
        for whose, place, told in chain(_of_bank(model), _of_accounts(model), _of_orders(model))
        if whose == organisation
    }


def _of_bank(model: Model) -> Iterator[tuple[str, Place, Wire]]:
    for customer in model.customers.values():
        told = {"title": f"{customer.name}, {customer.reference}"} | _of(customer)
        yield customer.organisation, Place("customer", customer.id), told
    for (whose, name), bank in model.bank_accounts.items():
        told = {"title": f"{name} {bank.type}, {bank.customer.name}", "bankAccountId": name}
        yield whose, Place("bank-account", name), told | _of(bank.customer)


def _of_accounts(model: Model) -> Iterator[tuple[str, Place, Wire]]:
    for account in model.accounts.values():
        debt = f", owes {dollars(account.owed)} USD" if account.owed else ""
        title = f"{account.bank.id} trading account{debt}, {account.bank.customer.name}"
        told = {"title": title, "bankAccountId": account.bank.id} | _at(account, account.created)
        yield account.organisation, Place("trading-account", account.id), told
    for wallet in model.wallets.values():
        unowned: Wire = {"title": f"{wallet.network} {wallet.address}", "name": None}
        unowned["created"] = moment(wallet.created)
        yield wallet.organisation, Place("counterparty", wallet.id), unowned
    for custody in model.custodies.values():
        title = f"{custody.network} {custody.address}, {custody.account.bank.customer.name}"
        told = {"title": title} | _at(custody.account, custody.created)
        yield custody.account.organisation, Place("blockchain-account", custody.id), told


def _of_orders(model: Model) -> Iterator[tuple[str, Place, Wire]]:
    for each in model.transfers.values():
        what = f"{each.name} {shown(each.atoms, each.asset)} {each.asset.split('@')[0]}"
        told = _ordered(what, each.status, each.account, each.created)
        yield each.account.organisation, Place(each.name, each.id), told
    for trade in model.trades.values():
        told = _ordered(_order(trade.quote), trade.status, trade.account, trade.created)
        yield trade.account.organisation, Place("trade", trade.id), told
    for quote in model.quotes.values():
        told = _ordered(_order(quote), quote.status(model.now), quote.account, quote.created)
        yield quote.organisation, Place("quote", quote.id), told


def _of(customer: Customer) -> Wire:
    return {"name": customer.name, "reference": customer.reference, "customerId": customer.id}


def _at(account: Account, created: int) -> Wire:
    return {
        "tradingAccountId": account.id,
        "created": moment(created),
        **_of(account.bank.customer),
    }


def _ordered(what: str, status: str, account: Account | None, created: int) -> Wire:
    title = f"{what}, {status}"
    if account is None:
        at: Wire = {"tradingAccountId": None, "name": None, "created": moment(created)}
        return {"title": title, "status": status} | at
    named = {"title": f"{title}, {account.bank.customer.name}", "status": status}
    return named | _at(account, created)


def _order(quote: Quote) -> str:
    base = MARKETS[quote.price.market][0]
    atoms = quote.sized.bought if quote.price.side == "buy" else quote.sized.sold
    return f"{quote.price.side} {shown(int(atoms), base)} {base.split('@')[0]}"
