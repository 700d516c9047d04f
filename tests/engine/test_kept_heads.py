"""A log that is smaller than it was, or that doesn't begin as it did, is named and pays nothing."""

import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import update
from tests.tampering.altering import cut_log, end_log, unguarded
from tests.world.engines import World, make_world

from chainteller.domain.clock import MINUTE
from chainteller.domain.transfers import TransferStatus
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.engine import Engine
from chainteller.engine.heads.checkpointing import Checkpointer
from chainteller.engine.operations.disputes import clear_any
from chainteller.engine.upkeep import due
from chainteller.engine.verification.full_pass import verify, verify_heads
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import Conflict
from chainteller.service.models.books import Dispute
from chainteller.storage.database import Database
from chainteller.storage.db.query import Session
from chainteller.storage.log import entry, marks, views
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables

NAME = "default"
UNREADABLE = '{"default": {"size": 3, "mark": "zz"}}'


@dataclass
class Kept:
    """A bank whose heads are kept, with a payout that is due in a moment."""

    world: World
    file: Path
    payout: str

    @property
    def heads(self) -> KeptHeads:
        found = self.world.context.kept
        assert found is not None
        return found

    def follow(self) -> Mapping[str, str]:
        return self.heads.follow(self.world.database)

    def pay(self) -> str:
        """Do what is due; the payout's status afterwards."""
        self.world.clock.advance(MINUTE)
        due.run(self.world.context, 100)
        return str(self.world.engine.withdrawal_record(self.world.account, self.payout).status)

    def open_disputes(self) -> list[Dispute]:
        return [each for each in self.world.engine.disputes().data if each.cleared is None]

    def clear(self, dispute: Dispute) -> None:
        clear_any(self.world.context, self.world.engine.actor, dispute.id, "looked at")


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    place = tmp_path / "bank.db"
    if request.param == "postgres":
        place = request.getfixturevalue("own_postgres_bank")
    world = make_world(place)
    with world.database.read() as connection:
        file = tmp_path / "kept" / f"{marks.derived_deployment(connection)}.heads"
    heads = KeptHeads(lambda name: file.with_name(f"{name}.heads"))
    world.context = replace(world.context, kept=heads)
    world.engine = Engine(world.context)
    world.open()
    world.deposit("500.00")
    payout = world.withdraw("10.00")
    with pytest.raises(Conflict):
        world.open()  # the newest entry: a refusal, which wrote no row of the payout
    found = Kept(world, file, payout.id)
    assert found.follow() == {}
    yield found
    world.close()


def replace_newest(connection: Session) -> None:
    """Put another entry in the place of the newest one, with a good mark: somebody who cut the log
    lets the service write on."""
    size = views.head(connection, NAME).size
    before = views.mark_of(connection, NAME, size - 1)
    leaf = entry.leaf_of(b"{}")
    mark = marks.of(connection).mark(NAME, size, leaf, before)
    connection.execute(
        update(Tables.entry)
        .where(Tables.entry.c.organisation_id == NAME, Tables.entry.c.number == size)
        .values(leaf=leaf, mark=mark)
    )
    end_log(connection, NAME, size, mark)


def cut_under_another_name(connection: Session) -> None:
    """Also alter the entry of which the deployment has its name, and the file its own."""
    cut_log(connection, NAME)
    first = (Tables.entry.c.organisation_id == "*") & (Tables.entry.c.number == 1)
    connection.execute(update(Tables.entry).where(first).values(leaf=bytes(32)))


def lengthen(connection: Session) -> None:
    """Have the log end where no entry is, and none will be."""
    end_log(connection, NAME, 10**9, views.mark_of(connection, NAME, 1))


ATTACKS: Mapping[str, tuple[Callable[[Session], None], str]] = {
    "cut": (partial(cut_log, name=NAME), "entries when its head was kept and has"),
    "replaced": (replace_newest, "entries aren't those whose head was kept"),
}
UNPAID: Mapping[str, tuple[Callable[[Session], None], str]] = {
    **ATTACKS,
    "cut under another name": (cut_under_another_name, "entries when its head was kept and has"),
    "lengthened": (lengthen, "entries, and the last one isn't there"),
}
"""Also such that nobody can accept."""


def attack(kept: Kept, name: str) -> str:
    """What is said of it."""
    act, said = UNPAID[name]
    with unguarded(kept.world) as connection:
        act(connection)
        guards.create(connection)
        connection.commit()
    return said


@pytest.mark.parametrize("name", UNPAID)
def test_a_log_that_was_altered_behind_its_kept_head_is_named(kept: Kept, name: str) -> None:
    before = kept.file.read_bytes()
    said = attack(kept, name)
    for _ in "12":
        assert said in kept.follow()[NAME]
        assert kept.file.read_bytes() == before
    (breach,) = verify_heads(kept.heads, kept.world.database)
    assert (breach.invariant, breach.where) == (21, f"log {NAME}")


@pytest.mark.parametrize("name", ATTACKS)
def test_it_pays_nothing_until_a_person_accepts_it(kept: Kept, name: str) -> None:
    said = attack(kept, name)
    assert kept.pay() == TransferStatus.PROCESSING
    assert kept.pay() == TransferStatus.PROCESSING
    (dispute,) = kept.open_disputes()
    assert (dispute.invariant, dispute.where) == (21, f"log {NAME}")
    assert said in dispute.what
    assert not [each for each in verify(kept.world.database) if "put off" in each.what]
    kept.clear(dispute)
    assert kept.pay() == TransferStatus.PROCESSING
    (again,) = kept.open_disputes()
    assert again.id != dispute.id
    sizes = kept.heads.accept(kept.world.database)
    assert sizes[NAME] > 0
    kept.clear(again)
    assert kept.pay() == TransferStatus.SENT


def test_a_payout_is_in_the_kept_head_when_it_has_left(kept: Kept) -> None:
    assert kept.pay() == TransferStatus.SENT
    assert '"default"' in kept.file.read_text()
    with kept.world.database.read() as connection:
        size = views.head(connection, NAME).size
    attack(kept, "cut")
    assert f"had {size} entries" in kept.follow()[NAME]


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", '{"default": {"size": 3, "mark": "zz"}}', None]
)
def test_a_file_that_cannot_be_used_stops_payouts(kept: Kept, content: str | None) -> None:
    if content is None:
        kept.file.chmod(0o644)
    else:
        kept.file.write_text(content)
    assert f"the kept heads can't be used: {kept.file.name}: " in kept.follow()["*"]
    assert kept.pay() == TransferStatus.PROCESSING
    (dispute,) = kept.open_disputes()
    kept.heads.accept(kept.world.database)
    assert stat.S_IMODE(kept.file.stat().st_mode) == 0o600
    kept.clear(dispute)
    assert kept.pay() == TransferStatus.SENT


def test_where_heads_cannot_be_written_payouts_wait_and_nothing_is_in_dispute(kept: Kept) -> None:
    """As on a full disk."""
    place = kept.file.parent
    place.rename(place.with_name("moved"))
    place.write_text("a file where the folder should be")
    assert [kept.pay(), kept.pay()] == [TransferStatus.PROCESSING] * 2
    assert kept.follow() == {}
    assert f"{kept.file.name}: " in kept.heads.unkept
    assert kept.open_disputes() == []
    place.unlink()
    place.with_name("moved").rename(place)
    assert kept.pay() == TransferStatus.SENT


def test_the_console_is_told_whether_or_not_heads_are_signed(kept: Kept) -> None:
    said = attack(kept, "cut")
    deployment = EmbeddedDeployment(kept.world.engine, DeploymentOptions(version="1"))
    kept.follow()
    with pytest.raises(Conflict) as refused:
        deployment.acting_as(kept.world.engine.actor).audit_checkpoint()
    assert refused.value.details["reason"] == "AUDIT_CONTRADICTED"
    assert said in refused.value.details["found"]


def test_heads_are_kept_while_a_server_runs_and_at_its_end(kept: Kept) -> None:
    watch = Checkpointer(kept.world.context, interval_s=600)
    watch.start()
    before = kept.file.read_bytes()
    kept.world.deposit("1.00")
    watch.stop()
    assert kept.file.read_bytes() != before


def test_a_process_that_wrote_keeps_the_heads_when_it_closes(kept: Kept) -> None:
    before = kept.file.read_bytes()
    kept.world.deposit("1.00")
    kept.world.engine.close()
    assert kept.file.read_bytes() != before


def test_several_processes_share_a_file(kept: Kept) -> None:
    other = KeptHeads(lambda _: kept.file)
    kept.world.deposit("1.00")
    assert other.follow(kept.world.database) == {}
    kept.world.deposit("2.00")
    assert kept.follow() == {}
    assert other.follow(kept.world.database) == {}


class Interrupted:
    """A database beside which something is done once, after the logs were read and before their
    heads are kept."""

    def __init__(self, database: Database, act: Callable[[], object]) -> None:
        self._database, self._acts = database, [lambda: None, act]

    @contextmanager
    def read(self, *, patient: bool = False) -> Iterator[Session]:
        with self._database.read(patient=patient) as connection:
            yield connection
        if self._acts:
            self._acts.pop(0)()


def test_a_slower_process_keeps_no_head_from_before(kept: Kept) -> None:
    """Otherwise what was kept as a payout left could be cut unseen."""
    slower = KeptHeads(lambda _: kept.file)
    kept.world.deposit("1.00")
    newest: list[bytes] = []

    def overtake() -> None:
        kept.world.deposit("2.00")
        assert kept.follow() == {}
        newest.append(kept.file.read_bytes())

    found = slower.follow(cast("Database", Interrupted(kept.world.database, overtake)))
    assert (found, newest) == ({}, [kept.file.read_bytes()])


def test_without_the_right_to_write_heads_are_compared_alone(kept: Kept) -> None:
    reading = KeptHeads(lambda _: kept.file, writes=False)
    before = kept.file.read_bytes()
    kept.world.deposit("1.00")
    assert reading.follow(kept.world.database) == {}
    assert kept.file.read_bytes() == before
    said = attack(kept, "cut")
    kept.follow()
    attack(kept, "cut")
    assert said in reading.follow(kept.world.database)[NAME]
