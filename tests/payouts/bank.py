"""A bank whose customers have verified wallets of every family, and means to change one cell."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random  # noqa: TID251 - changes that can be made again from a seed
from typing import Any

from sqlalchemy import Table, and_, select, text, update
from tests.wallets.customers import Customer, customers
from tests.world.customers import CustomerSeed
from tests.world.engines import DPT, USDC_ETHEREUM, USDC_SOLANA, World, make_world
from tests.world.logs import entries

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.challenges import ChallengeForm
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.options import EngineOptions
from chainteller.engine.core.breaches import Breach
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.books import ClearDispute
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.funding import Currency, Destination, Transfer, WithdrawalRequest
from chainteller.storage.db.query import Session
from chainteller.storage.log import views
from chainteller.storage.log.entry import Entry, Told
from chainteller.storage.schema.wallet_tables import Tables

BTC = Currency(type="crypto-currency", symbol="BTC", network="bitcoin")
SOL = Currency(type="crypto-currency", symbol="SOL", network="solana")
ETH = Currency(type="crypto-currency", symbol="ETH", network="ethereum")
_PAYMENTS = {
    "solana": ((USDC_SOLANA, "5.00"), (SOL, "0.01")),
    "ethereum": ((USDC_ETHEREUM, "5.00"), (ETH, "0.001")),
    "bitcoin": ((BTC, "0.0001"),),
}
"""Currencies and amounts to pay a wallet with, by its network."""
FAMILIES = ("solana", "evm", "bitcoin", "tron")
CHALLENGE, CLAIM = Tables.challenge, Tables.claim
WALLET, LINK, TRANSFER = Tables.counterparty, Tables.link, Tables.transfer
_SEALS = 20
"""The invariant of rows that the log sealed otherwise."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A verified wallet of an account, and the rows of its proof."""

    account_id: str
    custody_id: str
    wallet_id: str
    claim_id: str
    challenge_id: str
    network: str

    def key(self, table: Table) -> dict[str, str]:
        """The primary key of the pair's row in a table."""
        if table is LINK:
            return {"blockchain_account_id": self.custody_id, "counterparty_id": self.wallet_id}
        ids = {CHALLENGE: self.challenge_id, CLAIM: self.claim_id, WALLET: self.wallet_id}
        return {"id": ids[table]}


@dataclass
class PayoutBank:
    """Customers with verified wallets."""

    world: World
    pairs: list[Pair] = field(default_factory=list)
    _seen: int = 0
    _changed: set[str] = field(default_factory=set)
    """Ids of the rows that were changed behind the engine's back for a while."""

    def begin(self) -> None:
        """Forget the entries so far, and clear the disputes."""
        self.clear_disputes()
        with self.world.database.read() as connection:
            self._seen = views.head(connection, DEFAULT_ORGANISATION).size

    def clear_disputes(self) -> None:
        """As a person does when what was altered is as it was."""
        for each in self.world.engine.disputes().data:
            if each.cleared is None:
                self.world.engine.clear_dispute(each.id, ClearDispute(reason="put back"))

    @property
    def payable(self) -> list[Pair]:
        """TRON has no asset that can be paid."""
        return [pair for pair in self.pairs if pair.network in _PAYMENTS]

    def verify_wallet(self, account_id: str, customer: Customer) -> Pair:
        """Register a wallet, have it sign, and link it."""
        engine, network = self.world.engine, customer.registered.network.name
        custody = engine.open_blockchain_account(
            OpenBlockchainAccount(trading_account_id=account_id, network=network)
        ).value
        wallet = engine.register_counterparty(
            RegisterCounterparty(address=customer.registered.display, network=network)
        ).value
        pair = self._link(account_id, custody.id, wallet.id, customer)
        self.pairs.append(pair)
        return pair

    def verify_again(self, pair: Pair, customer: Customer) -> None:
        """Link a wallet by a new claim."""
        made = self._link(pair.account_id, pair.custody_id, pair.wallet_id, customer)
        self.pairs[self.pairs.index(pair)] = made

    def _link(self, account_id: str, custody_id: str, wallet_id: str, customer: Customer) -> Pair:
        challenge_id, claim_id = self.claim(custody_id, wallet_id, customer)
        self.world.clock.advance(SECOND)
        registered = customer.registered
        network = registered.network.name
        self.world.engine.link_counterparty(
            custody_id,
            LinkRequest(address=registered.display, network=network, ownership_claim_id=claim_id),
        )
        return Pair(account_id, custody_id, wallet_id, claim_id, challenge_id, network)

    def claim(self, custody_id: str, wallet_id: str, customer: Customer) -> tuple[str, str]:
        """Have a registered wallet sign a text; the ids of the challenge and the claim."""
        engine = self.world.engine
        challenge = engine.create_challenge(
            custody_id, ChallengeRequest(counterparty_id=wallet_id)
        ).value
        self.world.clock.advance(MINUTE)
        request = ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge=customer.answer(challenge.challenge),
            counterparty_id=wallet_id,
        )
        return challenge.id, engine.submit_claim(custody_id, request).value.id

    def request(self, pair: Pair, chance: Random | None = None) -> Transfer:
        """Request a payout to a wallet."""
        payments = _PAYMENTS[pair.network]
        currency, amount = payments[0] if chance is None else chance.choice(payments)
        destination = Destination(
            type="counterparty",
            counterparty_id=pair.wallet_id,
            blockchain_account_id=pair.custody_id,
        )
        request = WithdrawalRequest(amount=amount, currency=currency, destination=destination)
        return self.world.engine.withdraw(pair.account_id, request).value

    def pass_time(self, duration: int) -> None:
        self.world.clock.advance(duration)
        self.world.engine.run_due()

    def is_paid(self, withdrawal_id: str) -> bool:
        """Whether the ledger says that the money of a withdrawal left."""
        journal = Tables.journal
        with self.world.database.read() as connection:
            kinds = connection.execute(
                select(journal.c.kind).where(journal.c.record == withdrawal_id)
            ).scalars()
            return "sent" in set(kinds)

    def audited(self, action: str) -> list[Entry]:
        found = entries(self.world.database, action=action)
        return [each for each in found if each.number > self._seen]

    def events(self, kind: str) -> list[Told]:
        found = [each for each in entries(self.world.database) if each.number > self._seen]
        return [told for each in found for told in each.events if told.type == kind]

    def values(self, table: Table, column: str) -> list[Any]:
        """Every value that a column holds, without repetitions."""
        with self.world.database.read() as connection:
            found = connection.execute(select(table.c[column])).scalars()
            return sorted(set(found), key=repr)

    def cell(self, table: Table, key: dict[str, str], column: str) -> Any:
        with self.world.database.read() as connection:
            return connection.execute(select(table.c[column]).where(_is(table, key))).scalar_one()

    def breaches(self) -> list[Breach]:
        """What ``verify`` reports, except that the log names rows that were changed meanwhile."""
        return [
            each
            for each in verify(self.world.database)
            if each.invariant != _SEALS or not self._changed & set(each.where.split())
        ]

    @contextmanager
    def changed(
        self, table: Table, key: dict[str, str], column: str, value: object
    ) -> Iterator[None]:
        """Change one cell behind the engine's back, keys and all, for a while."""
        before = self.cell(table, key, column)
        self._changed.update(key.values())
        self.write(table, key, column, value)
        moved = {**key, column: value} if column in key else key
        try:
            yield
        finally:
            self.write(table, moved, column, before)  # type: ignore[arg-type]  # a key is text

    @contextmanager
    def scrambled(self, table: str, row_id: str, column: str) -> Iterator[None]:
        """Put a value into a cell that its type can't have, for a while."""
        self._changed.add(row_id)
        here = {"id": row_id}
        change = text(f"UPDATE {table} SET {column} = :value WHERE id = :id")  # noqa: S608 - our own names
        with self._unguarded() as connection:
            found = text(f"SELECT {column} FROM {table} WHERE id = :id")  # noqa: S608 - as above
            before = connection.execute(found, here).scalar_one()
            connection.execute(change, here | {"value": "no number"})
            connection.commit()
        yield
        with self._unguarded() as connection:
            connection.execute(change, here | {"value": before})
            connection.commit()

    def write(self, table: Table, key: dict[str, str], column: str, value: object) -> None:
        """Set a cell without triggers and foreign keys, as whoever holds the database can."""
        statement = update(table).where(_is(table, key)).values({column: value})
        with self._unguarded() as connection:
            assert connection.execute(statement).rowcount == 1
            connection.commit()

    @contextmanager
    def _unguarded(self) -> Iterator[Session]:
        database = self.world.database
        if database.path is None:
            with database.write() as connection:
                connection.execute(text("SET LOCAL session_replication_role = replica"))
                yield connection
            return
        with database.look() as connection:
            connection.execute(text("PRAGMA foreign_keys=OFF"))
            connection.execute(text("BEGIN IMMEDIATE"))
            try:
                yield connection
            finally:
                connection.rollback()
                connection.execute(text("PRAGMA foreign_keys=ON"))


def make_bank(place: Path | str, *, size: int = 2) -> PayoutBank:
    """Customers with funds, each with a verified wallet of every family, by a text that names all.

    The wallets are older than the hold of unverified ones, so one that isn't taken for verified
    would be paid after its review. The first wallet was verified twice.
    """
    people = [CustomerSeed(f"DDA-{each}", 100_000_000_00) for each in range(1, size + 1)]
    options = EngineOptions(rate_limits=False, challenge_form=ChallengeForm.LONG)
    bank = PayoutBank(make_world(place, customers=people, options=options))
    world = bank.world
    for at, person in enumerate(people):
        account = world.open(person.bank_account_id)
        for currency in (DPT, USDC_SOLANA, USDC_ETHEREUM):
            world.deposit("20000.00", currency, account)
        for market in ("sol-usd", "eth-usd", "btc-usd"):
            world.execute(world.quote("3000.00", "buy", market), account)
            world.settle()
        for family in FAMILIES:
            bank.verify_wallet(account, customers(family)[at])
        bank.verify_wallet(account, customers("solana")[2])
    bank.verify_again(bank.pairs[0], customers("solana")[0])
    bank.pass_time(DAY + HOUR)
    return bank


def _is(table: Table, key: dict[str, str]) -> Any:
    return and_(*(table.c[name] == value for name, value in key.items()))
