"""Whoever may change every row, and runs the program's own functions, but hasn't the writer's key:
what they write is named, and no payout rests on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, text
from tests.payouts.bank import Pair, PayoutBank
from tests.tampering.altering import unguarded
from tests.wallets.customers import customers
from tests.world.engines import DPT, USDC_SOLANA, World, make_world
from tests.world.files import put_on_record
from tests.world.logs import entries

from chainteller.domain.clock import DAY, HOUR, MINUTE
from chainteller.engine.operations.disputes import clear_any
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import BooksDisputed
from chainteller.storage.database import Database
from chainteller.storage.db import records
from chainteller.storage.log import marks, views
from chainteller.storage.log.marks import Marker
from chainteller.storage.log.rows import Writer
from chainteller.storage.log.writer_keys import PublicKey
from chainteller.storage.queries import keys
from chainteller.storage.schema import guards
from chainteller.storage.schema import wallet_tables as schema

_UNMARKED = "its mark doesn't hold: nobody with the writer's key wrote it here"


@pytest.fixture(params=["sqlite", "postgres"])
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PayoutBank]:
    """A customer with a verified wallet and funds, who has asked for nothing yet."""
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("own_postgres_bank") if on_postgres else tmp_path / "bank.db"
    made = PayoutBank(make_world(place))
    account = made.world.open()
    for currency in (DPT, USDC_SOLANA):
        made.world.deposit("500.00", currency, account)
    made.verify_wallet(account, customers("solana")[0])
    made.pass_time(DAY + HOUR)
    made.begin()
    yield made
    made.world.close()


class Forger(Marker):
    """Marks with another key, and minds no mark that stands; its name is the writer's."""

    def __init__(self, database: Database) -> None:
        super().__init__(PublicKey())
        entry = schema.Tables.entry
        with database.read() as connection:
            name = marks.of(connection).identity(connection)
            there = connection.execute(
                select(entry.c.organisation_id, entry.c.number, entry.c.mark)
            )
            self._there = {(row.organisation_id, row.number): row.mark for row in there}
        self._use(PublicKey().load(""))
        self.name = name

    def mark(self, organisation_id: str, number: int, leaf: bytes, before: bytes) -> bytes:
        there = self._there.get((organisation_id, number))
        return there or super().mark(organisation_id, number, leaf, before)


@contextmanager
def forging(world: World) -> Iterator[None]:
    """What the program writes meanwhile is written without the writer's key."""
    shared = world.database.sessions.shared
    honest, shared.marker = shared.marker, Forger(world.database)
    try:
        yield
    finally:
        shared.marker = honest


def size(world: World) -> int:
    with world.database.read() as connection:
        return views.head(connection, "default").size


def require_named(world: World, before: int, after: int) -> None:
    """Each entry that was forged is named, and none that was there before."""
    unmarked = [each.where for each in verify(world.database) if each.what == _UNMARKED]
    assert after > before
    assert unmarked[: after - before] == [
        f"entry {number} of default" for number in range(before + 1, after + 1)
    ]


def require_unpaid(bank: PayoutBank, pair: Pair) -> None:
    """A payout that is requested, by the program with its key, waits for somebody who clears the
    dispute of the forged entries, and then isn't made."""
    world = bank.world
    withdrawal = bank.request(pair)
    bank.pass_time(HOUR)
    bank.pass_time(DAY)
    assert bank.audited("payout.refused") == []
    (dispute,) = world.engine.disputes().data
    assert "its mark doesn't hold" in dispute.what
    clear_any(world.context, world.engine.actor, dispute.id, "looked at")
    bank.pass_time(MINUTE)
    assert not bank.is_paid(withdrawal.id)
    (refused,) = bank.audited("payout.refused")[:1]
    assert (refused.object, (refused.inputs or {})["reason"]) == (withdrawal.id, "LOG")


def test_a_verified_wallet_that_nobody_replaced_is_paid(bank: PayoutBank) -> None:
    withdrawal = bank.request(bank.pairs[0])
    bank.pass_time(HOUR)
    assert bank.is_paid(withdrawal.id)
    assert verify(bank.world.database) == ()


def test_a_wallet_that_was_replaced_with_its_text_signature_and_claim_is_not_paid(
    bank: PayoutBank,
) -> None:
    """The wallet's address is another, whose owner signed a new text and was linked; each row is as
    the entries that follow say."""
    world, (pair,) = bank.world, bank.pairs
    thief = customers("solana")[1]
    before = size(world)
    with forging(world):
        with world.database.write() as connection:
            rows = Writer(connection)
            address = thief.registered
            values = {"address": address.display, "canonical": address.canonical}
            rows.update(records.Tables.counterparty, {"id": pair.wallet_id}, values)
            put_on_record(rows)
            connection.commit()
        bank.verify_again(pair, thief)
    after = size(world)
    require_named(world, before, after)
    require_unpaid(bank, bank.pairs[0])
    require_named(world, before, after)


def test_another_wallet_that_was_verified_without_the_key_is_not_paid(bank: PayoutBank) -> None:
    world = bank.world
    before = size(world)
    with forging(world):
        pair = bank.verify_wallet(bank.pairs[0].account_id, customers("solana")[1])
    after = size(world)
    world.clock.advance(MINUTE)
    require_named(world, before, after)
    require_unpaid(bank, pair)


def test_a_wallet_of_which_nothing_is_told_is_not_paid_however_much_is_said_to_be_archived(
    bank: PayoutBank,
) -> None:
    """The bodies of all entries are gone, and the log's row says that an archive has them."""
    world, (pair,) = bank.world, bank.pairs
    with unguarded(world) as connection:
        gone = text("UPDATE entry SET body = NULL WHERE organisation_id = 'default'")
        moved = connection.execute(gone).rowcount
        assert moved > 5
        told = text("UPDATE log SET archived = size, moved = :moved WHERE organisation_id = :of")
        connection.execute(told, {"moved": moved, "of": "default"})
        guards.create(connection)
        connection.commit()
    with pytest.raises(BooksDisputed):
        bank.request(pair)
    found = [each.what for each in verify(world.database) if each.invariant == 21]
    assert "it has no contents, and no archive took them" in found


@pytest.mark.parametrize("way", ["SQL", "forged", "entry removed"])
def test_an_api_key_that_is_in_force_again_is_named(bank: PayoutBank, way: str) -> None:
    world = bank.world
    api_keys = ApiKeys(world.context)
    key_id = api_keys.create("till", organisation="default").key_id
    api_keys.revoke(key_id)
    before = size(world)
    if way == "forged":
        with forging(world), world.database.write() as connection:
            rows = Writer(connection)
            keys.update(rows, key_id, revoked_at=None)
            put_on_record(rows)
            connection.commit()
        require_named(world, before, size(world))
        return
    (revoked,) = entries(world.database, action="revoke_api_key")
    with unguarded(world) as connection:
        connection.execute(text("UPDATE api_key SET revoked_at = NULL"))
        if way == "entry removed":
            here = text("DELETE FROM entry WHERE number = :number AND organisation_id = 'default'")
            connection.execute(here, {"number": revoked.number})
        guards.create(connection)
        connection.commit()
    found = [each.where for each in verify(world.database)]
    assert f"api_key {key_id}" in found
    if way == "entry removed":
        assert "log default" in found
