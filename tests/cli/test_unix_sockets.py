"""A deployment on a UNIX socket: its client, the commands and the console's start."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller import bootstrap
from chainteller.api.listening import Address, remove
from chainteller.remote.client import RemoteService
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.settings.flags import Flags
from chainteller.settings.place import configure

OPENED = OpenTradingAccount(bank_account_id="DDA-3", bank_account_type="checking")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


@contextmanager
def on_a_socket(world: World, path: Path) -> Iterator[str]:
    """What ``serve --unix`` prints that it listens on."""
    at = Address(unix=path)
    with served(deployment(world), at=at) as address:
        yield address
    remove(at)


def test_a_client_calls_and_comes_back(world: World, tmp_path: Path) -> None:
    path = tmp_path / "a teller.sock"
    with on_a_socket(world, path) as address:
        assert address == f"unix:{path}"
        service = RemoteService(address, world.key())
        account = service.open_trading_account(OPENED).value
    with pytest.raises(ServiceUnreachable):
        service.markets()
    with on_a_socket(world, path):
        assert service.trading_account(account.id).id == account.id
    service.close()


def test_commands_and_the_console_reach_it(
    world: World, tmp_path: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, home = tmp_path / "teller.sock", tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(f'[profiles.near]\nurl = "unix://{path}"\n')
    monkeypatch.setenv("CHAINTELLER_HOME", str(home))
    monkeypatch.setenv("CHAINTELLER_API_KEY", str(world.key()))
    with on_a_socket(world, path) as address:
        opened = teller(
            "accounts", "open", "DDA-3", "--type", "checking", "--url", address, "--json"
        )
        assert opened.code == 0, opened.err
        account = opened.body["id"]
        assert world.engine.trading_account(account).id == account
        checked = teller("check", f"unix://{path}", "--json")
        assert checked.code == 0, checked.err
        configured = configure(Flags(profile="near"), {"CHAINTELLER_HOME": str(home)})
        started = bootstrap.start_desk(configured, configured.place())
        assert started.service.trading_account(account).id == account
        started.close()
    gone = teller("markets", "--profile", "near")
    assert (gone.code, gone.out) == (3, "")
    assert gone.err.startswith(f"UNREACHABLE: No connection to unix:{path} ")
    assert teller("markets", "--url", "unix:teller.sock").code == 2
