"""Without the writer's key everything can be read and nothing can be written."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.world.engines import World, make_world
from tests.world.files import KEY

from chainteller.domain.actors import Actor
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.heads import writer_key
from chainteller.engine.upkeep import due
from chainteller.engine.verification.full_pass import verify
from chainteller.private_files import open_private
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import WriterKeyMissing
from chainteller.storage.database import open_database
from chainteller.storage.log import views
from chainteller.storage.log.moved import DATABASE
from chainteller.writer_keys import ConfiguredKeys


class Kept(NamedTuple):
    """A bank whose key is in a file."""

    world: World
    url: str
    file: Path


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    """A bank with work under way."""
    file = tmp_path / "keys" / "writer.key"
    is_file = request.param == "sqlite"
    url = (
        f"sqlite:///{tmp_path / 'bank.db'}" if is_file else request.getfixturevalue("postgres_url")
    )
    open_database(url, ConfiguredKeys(str(file), tmp_path, {}, tmp_path)).close()
    world = make_world(url, keys=ConfiguredKeys(str(file), tmp_path, {}, tmp_path))
    world.open()
    world.deposit("500.00")
    world.buy("100.00")
    yield Kept(world, url, file)
    world.close()


def again(kept: Kept, seed: str = "again") -> World:
    """As after a restart: the key wasn't read yet."""
    kept.world.close()
    keys = ConfiguredKeys(str(kept.file), kept.file.parent, {}, kept.file.parent)
    return make_world(kept.url, keys=keys, customers=(), seed=seed)


def _remove(file: Path) -> None:
    file.unlink()


def _make_unreadable(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _make_malformed(file: Path) -> None:
    file.write_text("7e7e")


def _show_to_others(file: Path) -> None:
    file.chmod(0o644)


def _put_another(file: Path) -> None:
    file.write_text(KEY)


FAULTS: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "missing": (_remove, "The writer's key can't be read: audit.writer_key writer.key: No such"),
    "unreadable": (_make_unreadable, "can't be read: audit.writer_key writer.key: Is a directory"),
    "malformed": (_make_malformed, "can't be read: a key has 64 hexadecimal digits"),
    "shown to others": (_show_to_others, "writer.key: may be read by others: chmod 600 writer.key"),
    "another": (_put_another, "isn't the one that marked this database"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_without_the_key_everything_is_read_and_nothing_is_written(kept: Kept, fault: str) -> None:
    break_it, said = FAULTS[fault]
    account = kept.world.account
    whole = kept.file.read_bytes()
    break_it(kept.file)
    world = again(kept)
    before = world.engine.audit().data
    for write in (lambda: world.open("DDA-1", "savings"), lambda: world.deposit(account=account)):
        with pytest.raises(WriterKeyMissing) as refused:
            write()
        assert said in refused.value.message
        assert str(kept.file.parent) not in refused.value.message
        assert "audit.writer_key" in refused.value.suggestion
    world.clock.advance(60_000_000)
    with pytest.raises(WriterKeyMissing):
        due.run(world.context, 10)
    assert world.engine.audit().data == before
    assert world.engine.trading_account(account).id == account
    found = [str(each) for each in verify(world.database)]
    assert found
    if fault == "another":
        assert len(found) == 1
        assert "marks weren't checked: The writer's key isn't the one" in found[0]
    else:
        assert len(found) == 1
        assert "marks weren't checked: The writer's key can't be read" in found[0]
    deployment = EmbeddedDeployment(world.engine, DeploymentOptions(version="1"))
    assert not deployment.health().ready
    if kept.file.is_dir():
        kept.file.rmdir()
    kept.file.unlink(missing_ok=True)
    with open_private(kept.file, "xb") as file:
        file.write(whole)
    world.deposit(account=account)
    assert deployment.health().ready
    assert verify(world.database) == ()
    world.close()


def test_a_running_process_goes_on_after_the_key_was_replaced(kept: Kept) -> None:
    replacing = again(kept)
    old = kept.file.read_text()
    running = again(kept, "running")
    account = replacing.engine.trading_accounts().data[0].id
    running.deposit("1.00", account=account)
    named = writer_key.replace(replacing.context, Actor(name="m.okafor"), "it was copied")
    assert kept.file.read_text() != old
    assert named in writer_key.described(replacing.context)["writer key"]
    running.deposit("2.00", account=account)
    assert verify(running.database) == ()
    assert verify(replacing.database) == ()
    with replacing.database.read() as connection:
        acts = views.about(connection, "*", DATABASE)
    (act,) = [each for each in acts if each.action == writer_key.REPLACED]
    assert named in str(act.inputs)
    running.close()
    kept.file.write_text(old)
    late = again(kept, "late")
    with pytest.raises(WriterKeyMissing):
        late.deposit("3.00", account=account)
    late.close()
    replacing.close()


def test_nothing_is_written_beside_a_key_that_is_mounted_as_a_secret(tmp_path: Path) -> None:
    secret, state = tmp_path / "secrets" / "writer.key", tmp_path / "state"
    secret.parent.mkdir()
    secret.write_text("a1" * 32)
    secret.chmod(0o400)
    secret.parent.chmod(0o500)
    keys = ConfiguredKeys(str(secret), tmp_path, {}, state)
    url = f"sqlite:///{tmp_path / 'bank.db'}"
    open_database(url, keys).close()
    world = make_world(url, keys=keys)
    kept = KeptHeads(partial(keys.heads_file, database="bank.db"))
    assert kept.follow(world.database) == {}
    assert [*secret.parent.iterdir()] == [secret]
    assert len([*state.rglob("*.heads")]) == 1
    world.close()
