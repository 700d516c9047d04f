"""What was sent and lost is found again, never done twice."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.contract.test_trading import TOKEN, funded, opened, quoted
from tests.remote.cutting_proxy import Cut, CuttingProxy
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import ServerProcess, deployment, served
from tests.world.waiting import PATIENCE_S

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.remote.client import RemoteService
from chainteller.service.errors import OutcomeUnknown, ServiceUnreachable
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.service.models.trades import Trade
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import SentState, Workspace

OPERATIONS = 80


def fates(seed: str) -> Iterator[Cut]:
    """Half of all requests are cut, in any of the three ways."""
    randomness = SeededRandomness(seed)
    cuts = (Cut.BEFORE, Cut.AFTER, Cut.WITHIN)
    while True:
        yield cuts[below(randomness, 3)] if below(randomness, 2) else Cut.NONE


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


def test_eighty_deposits_through_a_cutting_line_are_eighty_deposits(
    world: World,
) -> None:
    account = opened(world.engine.acting_as(world.engine.actor))
    request = DepositRequest(amount="1.00", currency=TOKEN)
    with served(deployment(world)) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        proxy = CuttingProxy((host, int(port)), fates("cuts"))
        service = RemoteService(proxy.address, world.key())

        def deposit(number: int) -> None:
            for _ in itertools.repeat(None, 20):
                try:
                    service.deposit(account.id, request, idempotency_key=f"deposit-{number}")
                except (OutcomeUnknown, ServiceUnreachable):
                    continue
                return

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(deposit, range(OPERATIONS)))
        service.close()
        proxy.close()
    assert sum(proxy.cuts[cut] for cut in (Cut.BEFORE, Cut.AFTER, Cut.WITHIN)) >= 36
    assert min(proxy.cuts[cut] for cut in Cut) > 8
    assert world.engine.deposits(account.id).pagination.total == OPERATIONS
    [balance] = world.engine.token_balances(account.id).data
    assert balance.amount == f"{OPERATIONS}.00"


def test_a_deployment_without_idempotency_keys_gets_a_write_once_only(world: World) -> None:
    """Its capabilities are those of the bare specification, so nothing may be repeated."""
    account = opened(world.engine.acting_as(world.engine.actor))
    with served(deployment(world)) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        proxy = CuttingProxy((host, int(port)), itertools.repeat(Cut.AFTER))
        service = RemoteService(proxy.address, world.key())
        bare = service.capabilities().model_copy(update={"features": ()})
        service.connection._capabilities = bare
        with pytest.raises(OutcomeUnknown):
            service.deposit(account.id, DepositRequest(amount="1.00", currency=TOKEN))
        service.close()
        proxy.close()
    assert sum(proxy.cuts.values()) == 1
    assert world.engine.deposits(account.id).pagination.total == 1


def test_an_execute_whose_server_died_before_replying_is_found_again(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    world = build(url)
    key = world.key()
    world.engine.close()
    dying = ServerProcess(url, "0", "1", "die")
    first = RemoteService(dying.address, key, deadline_s=3)
    account, quote = funded(first), quoted(first)
    workspace = Workspace(tmp_path / "desk.db")
    request = ExecuteRequest(trading_account_id=account.id)
    with pytest.raises(OutcomeUnknown) as unknown:
        Recorder(first, workspace).execute_quote(quote.id, request)
    assert dying.process.wait(PATIENCE_S) == -9
    first.close()
    dying.kill()
    [doubtful] = workspace.in_doubt()
    assert (doubtful.key, doubtful.state) == (unknown.value.idempotency_key, SentState.UNKNOWN)

    healthy = ServerProcess(url)
    second = RemoteService(healthy.address, key)
    found = Recorder(second, workspace).settle(doubtful.key)
    assert found.replayed
    [trade] = found.records
    assert isinstance(trade, Trade)
    assert trade.quote_id == quote.id
    assert [each.id for each in second.trades(account.id).data] == [trade.id]
    assert workspace.in_doubt() == []
    second.close()
    workspace.close()
    healthy.process.terminate()
    assert healthy.ended()[0] == 0
