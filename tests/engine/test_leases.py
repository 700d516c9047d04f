"""Servers on one PostgreSQL database count each other, to share the rate limits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine, func, select, text, update
from sqlalchemy.pool import NullPool
from tests.world.bank import World, build, sqlite_url

from chainteller.domain.clock import SECOND
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.upkeep.leases import LASTS_S, ServerLease
from chainteller.service.deployment import DeploymentOptions
from chainteller.storage.schema.wallet_tables import Tables


def stored(world: World) -> int:
    with world.context.database.read() as connection:
        return int(
            connection.execute(select(func.count()).select_from(Tables.server_lease)).scalar_one()
        )


@contextmanager
def outside(url: str) -> Iterator[Connection]:
    """A transaction of somebody else's."""
    engine = create_engine(
        url.replace("postgresql://", "postgresql+psycopg://", 1), poolclass=NullPool
    )
    with engine.begin() as connection:
        yield connection


def test_servers_count_each_other_until_they_end(own_postgres_bank: str) -> None:
    worlds = [build(own_postgres_bank) for _ in range(3)]
    leases = [ServerLease(world.context, 3_600) for world in worlds]
    for number, lease in enumerate(leases, start=1):
        lease.start()
        assert lease.servers == number
    leases[0].renew()
    assert leases[0].servers == 3
    leases[2].stop()
    leases[0].renew()
    assert leases[0].servers == 2
    for lease in leases[:2]:
        lease.stop()
    assert stored(worlds[0]) == 0
    for world in worlds:
        world.engine.close()


def test_a_server_that_was_killed_counts_until_its_lease_ends(own_postgres_bank: str) -> None:
    world = build(own_postgres_bank)
    killed, alive = (ServerLease(world.context, 3_600) for _ in range(2))
    killed.renew()
    alive.renew()
    assert alive.servers == 2
    lease = Tables.server_lease
    with outside(own_postgres_bank) as connection:
        connection.execute(
            update(lease).values(renewed_at=lease.c.renewed_at - round((LASTS_S + 1) * SECOND))
        )
    alive.renew()
    assert (alive.servers, stored(world)) == (1, 1)
    world.engine.close()


def test_a_lease_that_cannot_be_renewed_keeps_the_last_count(own_postgres_bank: str) -> None:
    world = build(own_postgres_bank)
    one, two = (ServerLease(world.context, 3_600) for _ in range(2))
    one.renew()
    two.renew()
    with outside(own_postgres_bank) as connection:
        connection.execute(text("ALTER TABLE server_lease RENAME TO elsewhere"))
    two.renew()
    assert two.servers == 2
    world.engine.close()


def test_a_sqlite_file_has_one_server_and_no_lease(tmp_path: Path) -> None:
    world = build(sqlite_url(tmp_path))
    deployment = EmbeddedDeployment(world.engine, DeploymentOptions("0.0.test"))
    deployment.start()
    assert deployment.servers() == 1
    assert stored(world) == 0
    deployment.stop()
