"""The console remembers the head of the audit log, and asks a person when the log changed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, answer, bench_on, press, seen, settle
from tests.witnessing import places
from tests.world.bank import World, build, sqlite_url

from chainteller.domain.actors import Actor
from chainteller.domain.clock import MINUTE, ManualClock
from chainteller.engine.core.signers import Signers
from chainteller.engine.engine import Engine
from chainteller.engine.heads import signing_keys
from chainteller.service.errors import ReadOnlyProfile
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk

START = 1_763_700_000_000_000


def _world(folder: Path, keys: Path) -> World:
    world = build(sqlite_url(folder), clock=ManualClock(START))
    context = replace(world.context, signers=Signers(keys, (), sqlite_url(folder)))
    return replace(world, engine=Engine(context, Actor(name="op01")))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bank with a signing key."""
    world = _world(tmp_path, tmp_path / "keys")
    signing_keys.create(world.context, Actor(name="op01"))
    yield from bench_on(world, tmp_path)


def _console(bench: Bench, folder: Path, **look: object) -> Console:
    def start() -> StartedDesk:
        service = bench.service
        file = folder / "workspace.db"
        return StartedDesk(service, "test bank", service.capabilities(), workspace_file=file)

    return Console(start, bench.settings._replace(**look))  # type: ignore[arg-type]  # by name


def _said(app: Console) -> str:
    return "\n".join(f"{each.text}\n{each.detail}" for each in app.desk.log)


async def _poll(app: Console, bench: Bench, pilot: object) -> None:
    assert isinstance(bench.world.clock, ManualClock)
    bench.world.clock.advance(MINUTE)
    app.poll_now()
    await settle(pilot)  # type: ignore[arg-type]  # textual's pilot


async def test_a_log_that_grows_is_followed_and_its_first_key_named(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    app = _console(bench, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "signed by the key seen first" in _said(app)
        bench.open(2)
        await _poll(app, bench, pilot)
        assert app.desk.head_conflict is None
        assert not app.desk.read_only
    key = signing_keys.keys_of(bench.world.context).verifiers("x/default")[0]
    assert key.encode().rpartition("+")[2] in _said(app)


async def test_a_rolled_back_log_makes_the_desk_read_only_until_a_person_accepts(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    bench.open(2)
    before = bench.service.audit_checkpoint()
    app = _console(bench, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
    places.cut(tmp_path / "bank.db", before.size - 1)
    app = _console(bench, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "THE AUDIT LOG CHANGED" in _said(app)
        assert "read-only" in seen(app).splitlines()[0]
        assert "entries were removed" in _said(app)
        assert f"{before.size} entries, root {before.root_hash}" in _said(app)
        request = OpenTradingAccount(bank_account_id="DDA-3", bank_account_type="checking")
        with pytest.raises(ReadOnlyProfile):
            app.desk.service.open_trading_account(request)
        await press(pilot, "f9")
        shown = seen(app)
        assert "ACCEPT the audit log" in shown
        assert f"{before.size} entries" in shown
        assert f"{before.size - 1} entries" in shown
        await answer(pilot, "n")
        assert app.desk.read_only
        await press(pilot, "f9")
        await answer(pilot, "y")
        assert not app.desk.read_only
        await _poll(app, bench, pilot)
        assert app.desk.head_conflict is None
    app = _console(bench, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert not app.desk.read_only


async def test_a_log_that_changes_while_the_desk_is_open_is_noticed_within_a_minute(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    app = _console(bench, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        places.rewrite(tmp_path / "bank.db", 2)
        await _poll(app, bench, pilot)
        assert app.desk.read_only
        assert "entries were changed" in _said(app)


async def test_the_key_of_the_profile_is_trusted_and_no_other(bench: Bench, tmp_path: Path) -> None:
    origin = bench.service.audit_checkpoint().origin
    own = signing_keys.keys_of(bench.world.context).verifiers(origin)[0].encode()
    app = _console(bench, tmp_path, audit_key=own)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "signed by the profile's key" in _said(app)
        assert not app.desk.read_only
    other = signing_keys.keys_of(bench.world.context).rotated(bytes(32), "t").verifiers(origin)[0]
    (tmp_path / "workspace.db").unlink()
    app = _console(bench, tmp_path, audit_key=other.encode())
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert app.desk.read_only
        assert "UNKNOWN_KEY" in _said(app)


async def test_a_place_without_heads_raises_no_alarm(tmp_path: Path) -> None:
    world = _world(tmp_path, tmp_path / "keys")
    for bench in bench_on(world, tmp_path):
        app = _console(bench, tmp_path)
        async with app.run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            assert not app.desk.read_only
            assert "audit log" not in _said(app)


@pytest.mark.needs("audit")
async def test_the_rows_that_are_shown_are_proven_by_the_signed_head(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    app = _console(bench, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "a", "v")
        size = bench.service.audit_checkpoint().size
        assert f"[ok] {size} rows as shown, {size} proven" in seen(app)
