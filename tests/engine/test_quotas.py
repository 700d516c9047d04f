"""Quotas: how much an organisation may have at once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nacl.signing import SigningKey
from tests.refusals import details, refusal
from tests.wallets.customers import customers
from tests.world.engines import World, make_world

from chainteller.bootstrap import engine_options
from chainteller.domain.actors import Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import SECOND
from chainteller.domain.options import EngineOptions, Quota, Quotas
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.upkeep import figures
from chainteller.service.models.agents import EnrolAgent
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    SmallTransferRequest,
)
from chainteller.service.models.webhooks import CreateWebhook
from chainteller.settings.reading import load

_TTL_S = 100
_OPTIONS = EngineOptions(
    quotas=Quotas(keys=2, agents=2, webhooks=2, challenges=2),
    webhook_hosts=("hooks.bank.example",),
    challenge_ttl_s=_TTL_S,
)
Make = Callable[[World], str]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "bank.db", options=_OPTIONS)
    yield made
    made.close()


def _key(world: World) -> str:
    return ApiKeys(world.context).create("branch").key_id


def _agent(world: World) -> str:
    public_key = public_key_text(SigningKey.generate().verify_key.encode())
    return world.engine.enrol_agent(EnrolAgent(name="j.doe", public_key=public_key)).value.id


def _webhook(world: World) -> str:
    asked = CreateWebhook(url="https://hooks.bank.example/")
    return world.engine.create_webhook(asked).value.id


def _place(world: World) -> tuple[str, str]:
    """A custody account and a wallet of its customer."""
    registered = customers("evm")[0].registered
    account = world.accounts[0] if world.accounts else world.open()
    asked = OpenBlockchainAccount(trading_account_id=account, network=registered.network.name)
    wallet = RegisterCounterparty(address=registered.display, network=registered.network.name)
    return (
        world.engine.open_blockchain_account(asked).value.id,
        world.engine.register_counterparty(wallet).value.id,
    )


def _challenge(world: World) -> str:
    custody, wallet = _place(world)
    asked = ChallengeRequest(counterparty_id=wallet)
    return world.engine.create_challenge(custody, asked).value.id


def _small_transfer(world: World) -> str:
    custody, wallet = _place(world)
    asked = SmallTransferRequest(counterparty_id=wallet)
    return world.engine.create_small_transfer(custody, asked).value.id


def _wait(world: World, _identifier: str) -> None:
    world.clock.advance((_TTL_S + 1) * SECOND)


@pytest.mark.parametrize(
    ("quota", "make", "end"),
    [
        (Quota.KEYS, _key, lambda world, made: ApiKeys(world.context).revoke(made)),
        (Quota.AGENTS, _agent, lambda world, made: world.engine.revoke_agent(made)),
        (Quota.WEBHOOKS, _webhook, lambda world, made: world.engine.delete_webhook(made)),
        (Quota.CHALLENGES, _challenge, _wait),
    ],
)
def test_no_more_than_its_quota_until_one_ends(
    world: World, quota: Quota, make: Make, end: Callable[[World, str], None]
) -> None:
    first = make(world)
    make(world)
    found = refusal(make, world)
    assert (found.code, details(found)) == ("QUOTA_EXCEEDED", {"quota": quota, "limit": 2})
    shares = {
        each.labels["quota"]: each.value
        for each in figures.read(world.context)
        if each.name == "chainteller_quota_used_ratio"
    }
    assert shares == {each: float(each is quota) for each in Quota}
    end(world, first)
    make(world)


def test_quotas_are_settings(home: Path) -> None:
    settings = load({"CHAINTELLER_HOME": str(home), "CHAINTELLER_SERVICE__QUOTAS__KEYS": "3"})
    assert engine_options(settings).quotas == Quotas(keys=3)


def test_small_transfers_are_challenges_too(world: World) -> None:
    _challenge(world)
    _small_transfer(world)
    assert refusal(_small_transfer, world).code == "QUOTA_EXCEEDED"


def test_organisations_do_not_share_and_a_key_can_be_rotated_at_the_limit(world: World) -> None:
    keys = ApiKeys(world.context)
    made = [keys.create("branch", organisation=each) for each in ("default", "other") * 2]
    other = made[-1]
    assert keys.rotate(other.key_id).key_id != other.key_id
    assert refusal(keys.create, "branch", organisation="other").code == "QUOTA_EXCEEDED"
    asked = CreateWebhook(url="https://hooks.bank.example/")
    for organisation in ("default", "other"):
        service = world.engine.acting_as(Actor(organisation))
        assert [service.create_webhook(asked).created for _ in range(2)] == [True, True]
