"""Sums for withdrawal limits: made by the database, and the same as of each withdrawal read."""

from pathlib import Path

from tests.world.engines import START, make_world

from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY, HOUR
from chainteller.domain.limits import DestinationClass, rules, usage
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.operations import limits
from chainteller.storage.schema.wallet_tables import Tables

_STATUSES = ("completed", "processing", "reviewing", "cancelled", "failed", "sent", "rejected")


def test_sums_are_exact_at_each_boundary(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    account, randomness = world.open(), SeededRandomness("limits")
    world.clock.advance(40 * DAY)
    now = world.clock.now()
    edges = [now - period + step for period in (DAY, 30 * DAY) for step in (-1, 0, 1)]
    times = [now, now - 1, *edges, *(now - below(randomness, 32 * 24) * HOUR for _ in range(300))]
    classes = [each.value for each in DestinationClass]
    with world.database.write() as connection:
        for at, created in enumerate(times, start=1):
            connection.execute(
                Tables.transfer.insert(),
                {
                    "id": f"TXN_{at:022d}",
                    "organisation_id": "default",
                    "trading_account_id": account,
                    "direction": "withdrawal",
                    "ordinal": at,
                    "transaction_ordinal": at,
                    "status": _STATUSES[below(randomness, len(_STATUSES))],
                    "amount": 1,
                    "asset": "USD@fiat",
                    "currency_type": "deposit-token-currency",
                    "bank_account_id": "DDA-1",
                    "destination_class": classes[below(randomness, len(classes))],
                    "notional_cents": 1 + below(randomness, 10_000),
                    "created": created,
                    "updated": created,
                    "fee": 0,
                    "hold": "[]",
                    "version": 1,
                },
            )
        connection.commit()

    def compare(tx: UnitOfWork) -> None:
        read, summed = limits.load_spent(tx, account), limits.load_used(tx, account)
        assert len(summed) < len(read) / 20
        for rule in rules(world.context.options.limits):
            assert usage(rule, summed, tx.now) == usage(rule, read, tx.now)

    act(world.context, Actor(), compare)
    assert now > START
    world.close()
