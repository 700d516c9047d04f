"""Every operation asks for a key, its scope, and a record of the caller's own organisation."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.api.conftest import Caller
from tests.contract.test_wallets import ADDRESS, signed
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.domain.actors import DESK, DESK_SCOPES, OF_PEOPLE, SCOPES
from chainteller.domain.agents import public_key_text
from chainteller.domain.keys import new_key
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.core.breaches import Breach
from chainteller.engine.operations import disputes
from chainteller.engine.operations.keys import ApiKeys
from chainteller.service.models.books import ClearDispute
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.webhooks import CreateWebhook
from chainteller.service.operations import (
    ANY_KEY,
    CREATE_QUOTE,
    CUSTOMERS,
    EVENT_STREAM,
    OPERATIONS,
    WEBHOOKS,
    Endpoint,
    Operation,
)

_HOOK = "https://hooks.bank.example/teller"
_TOKEN = {"type": "deposit-token-currency", "id": "DPT_USD"}
ROUTED = [(endpoint, each) for each in OPERATIONS for endpoint in each.endpoints]
EVERYTHING = [*(endpoint for endpoint, _ in ROUTED), EVENT_STREAM]


@dataclass(frozen=True, slots=True)
class Scene:
    call: Caller
    ids: Mapping[str, str]
    """A record of the organisation ``default`` for every name in a path."""
    world: World


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder: Path = tmp_path_factory.mktemp("matrix")
    options = EngineOptions(rate_limits=False, webhook_hosts=("hooks.bank.example",))
    world = build(sqlite_url(folder), options=options)
    with served(deployment(world)) as address:
        call = Caller(address, world.key())
        webhook = world.engine.create_webhook(CreateWebhook(url=_HOOK)).value
        ids = {
            "disputeId": _dispute(world),
            "agentId": _agent(call, world),
            "webhookId": webhook.id,
        }
        yield Scene(call, _records(call) | ids, world)
    world.engine.close()


def _records(call: Caller) -> dict[str, str]:
    account = call.account()
    deposit = call("GET", f"/trading-accounts/{account}/deposits").json["data"][0]["id"]
    withdrawal = call(
        "POST",
        f"/trading-accounts/{account}/withdrawals",
        {"amount": "1.00", "currency": _TOKEN},
    ).json["id"]
    execute = {"tradingAccountId": account}
    trade = call("POST", f"/trading/quotes/{call.quote()}", execute).json["id"]
    network = {"tradingAccountId": account, "network": "solana"}
    chain = call("POST", "/blockchain-accounts", network).json["id"]
    wallet = call("POST", "/counterparties", {"address": ADDRESS, "network": "solana"}).json["id"]
    ownership = f"/blockchain-accounts/{chain}/1P-counterparty-ownership"
    of_wallet = {"counterpartyId": wallet}
    stated = {**of_wallet, "reason": "OTHER", "statement": "It is mine."}
    statement = call("POST", f"{ownership}-statements", stated).json["id"]
    return {
        "tradingAccountId": account,
        "depositId": deposit,
        "withdrawalId": withdrawal,
        "transactionId": trade,
        "tradeId": trade,
        "quoteId": call.quote(),
        "market": "sol-usd",
        "smallTransferId": call("POST", f"{ownership}-transfers", of_wallet).json["id"],
        "ownershipStatementId": statement,
        "decisionId": _decision(call),
        "noteId": call("POST", "/notes", {"subject": account, "content": "Call back."}).json["id"],
        "seq": "1",
        "counterpartyId": wallet,
        "blockchainAccountId": chain,
        **_verified(call, chain, wallet),
    }


_ENROLS = {"name": "a.brandt", "publicKey": public_key_text(bytes(32))}


def _agent(call: Caller, world: World) -> str:
    """An agent who waits to be approved."""
    return str(call("POST", "/agents", _ENROLS, key=world.key(*DESK_SCOPES)).json["id"])


def _decision(call: Caller) -> str:
    """The decision about the statement."""
    (found,) = call("GET", "/decisions?filter[kind]=ownershipStatement").json["data"]
    return str(found["id"])


def _verified(call: Caller, chain: str, wallet: str) -> dict[str, str]:
    """A challenge and the claim that the wallet's owner signed for."""
    ownership = f"/blockchain-accounts/{chain}/1P-counterparty-ownership"
    asked = call("POST", f"{ownership}-challenges", {"counterpartyId": wallet})
    challenge = asked.json
    assert call("GET", asked.headers["location"]).json == challenge
    completed = {
        "challengeId": challenge["id"],
        "completedChallenge": signed(challenge["challenge"]),
        "counterpartyId": wallet,
    }
    made = call("POST", f"{ownership}-claims", completed)
    told = {name: value for name, value in made.json.items() if value is not None}
    assert call("GET", made.headers["location"]).json.items() >= told.items()
    return {"ownershipChallengeId": challenge["id"], "ownershipClaimId": made.json["id"]}


def _dispute(world: World) -> str:
    """One of the organisation, cleared, so that withdrawals go on."""
    disputes.open_for(world.context, [Breach(3, "a balance differs", "account 1", "default")])
    (found,) = world.engine.disputes().data
    return world.engine.clear_dispute(found.id, ClearDispute(reason="put back")).value.id


def path_of(endpoint: Endpoint, ids: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: ids[found[1]], endpoint.path)


def body_of(operation: Operation[Any], ids: Mapping[str, str]) -> object:
    bodies: Mapping[str, object] = {
        "open_trading_account": {"bankAccountId": "DDA-1", "bankAccountType": "checking"},
        "deposit": {"amount": "1.00", "currency": _TOKEN},
        "withdraw": {"amount": "1.00", "currency": _TOKEN},
        "create_quote": {
            "amount": "1.00",
            "side": "buy",
            "tradingAccountId": ids["tradingAccountId"],
        },
        "execute_quote": {"tradingAccountId": ids["tradingAccountId"]},
        "require_reverification": {"reason": "AGENT_REQUEST"},
        "register_counterparty": {"address": "x", "network": "solana"},
        "link_counterparty": {"address": "x", "network": "solana", "ownershipClaimId": "CLM_1"},
        "open_blockchain_account": {
            "tradingAccountId": ids["tradingAccountId"],
            "network": "solana",
        },
        "clear_dispute": {"reason": "put back"},
        "add_note": {"subject": ids["tradingAccountId"], "content": "Call back."},
        "enrol_agent": _ENROLS,
        "approve_agent": {"roles": []},
        "create_webhook": {"url": _HOOK},
        "rotate_webhook": {"overlap": "1h"},
        "replay_webhook": {"after": 0},
        "open_decision": {
            "kind": "control",
            "subject": ids["tradingAccountId"],
            "control": "FROZEN",
            "reason": "TEST",
        },
        "approve_decision": {"answer": "It's theirs."},
        "refuse_decision": {"reason": "OTHER", "answer": "It isn't."},
        "note_decision": {"note": "Call back."},
        "create_challenge": {"counterpartyId": ids["counterpartyId"]},
        "create_small_transfer": {"counterpartyId": ids["counterpartyId"]},
        "create_ownership_statement": {
            "counterpartyId": ids["counterpartyId"],
            "reason": "OTHER",
            "statement": "It is mine.",
        },
        "submit_claim": {
            "challengeId": "CHG_1",
            "completedChallenge": "x",
            "counterpartyId": "CPT_1",
        },
        "diagnose_signature": {
            "challengeId": "CHG_1",
            "completedChallenge": "x",
            "counterpartyId": "CPT_1",
        },
    }
    return None if operation.request is None else bodies[operation.name]


def named(endpoint: object) -> str:
    return endpoint.operation_id if isinstance(endpoint, Endpoint) else ""


@pytest.mark.parametrize("endpoint", EVERYTHING, ids=named)
def test_without_a_key_it_is_unauthorized(scene: Scene, endpoint: Endpoint) -> None:
    answer = scene.call(endpoint.method, path_of(endpoint, scene.ids), key=None)
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert answer.json["details"] == {"reason": "MISSING"}
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("endpoint", EVERYTHING, ids=named)
def test_with_a_revoked_key_it_is_unauthorized(scene: Scene, endpoint: Endpoint) -> None:
    key = scene.world.key()
    ApiKeys(scene.world.context).revoke(key.split("_")[2])
    answer = scene.call(endpoint.method, path_of(endpoint, scene.ids), key=key)
    assert (answer.status, answer.json["details"]) == (401, {"reason": "REVOKED"})


@pytest.mark.parametrize("endpoint", EVERYTHING, ids=named)
def test_without_its_scope_it_is_forbidden(scene: Scene, endpoint: Endpoint) -> None:
    if endpoint.scope == ANY_KEY:
        key = scene.world.key("admin")
        assert scene.call(endpoint.method, endpoint.path, key=key).status == 200
        return
    lacks = {endpoint.scope} | (OF_PEOPLE if endpoint.scope == DESK else set())
    others = [scope for scope in SCOPES if scope not in lacks]
    answer = scene.call(
        endpoint.method,
        path_of(endpoint, scene.ids),
        body=b"this is not even JSON",
        key=scene.world.key(*others),
    )
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert answer.json["details"]["requiredScope"] == endpoint.scope


@pytest.mark.parametrize(
    ("endpoint", "operation"),
    [each for each in ROUTED if "Id}" in each[0].path or each[1] is CREATE_QUOTE],
    ids=named,
)
def test_another_organisation_finds_nothing(
    scene: Scene, endpoint: Endpoint, operation: Operation[Any]
) -> None:
    answer = scene.call(
        endpoint.method,
        path_of(endpoint, scene.ids),
        body_of(operation, scene.ids),
        key=scene.world.key(*SCOPES, organisation="other"),
    )
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "operation",
    [
        each
        for each in OPERATIONS
        if each.query is not None
        and each.query.model is ListQuery
        and not each.path_names
        and each is not CUSTOMERS
    ]
    + [WEBHOOKS],
    ids=named,
)
def test_another_organisation_lists_none_of_it(scene: Scene, operation: Operation[Any]) -> None:
    key = scene.world.key(*SCOPES, organisation="other")
    answer = scene.call("GET", operation.path, key=key)
    assert answer.status == 200
    if operation.name == "audit":
        assert {row["organisation"] for row in answer.json["data"]} == {"other"}
    else:
        assert answer.json["data"] == []


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Basic abc", "MALFORMED"),
        ("Bearer", "MALFORMED"),
        ("Bearer ", "MALFORMED"),
        ("Bearer a b", "MALFORMED"),
        ("Bearer " + "x" * 600, "MALFORMED"),
        ("Bearer chainteller_test_abcdefgh_short", "MALFORMED"),
    ],
)
def test_a_key_in_another_form_is_malformed(scene: Scene, header: str, reason: str) -> None:
    answer = scene.call("GET", "/capabilities", headers={"Authorization": header})
    assert (answer.status, answer.json["details"]["reason"]) == (401, reason)


def test_a_key_of_the_right_form_that_was_never_issued_is_unknown(scene: Scene) -> None:
    answer = scene.call("GET", "/capabilities", key=new_key(SystemRandomness(), "test").text)
    assert (answer.status, answer.json["details"]) == (401, {"reason": "UNKNOWN"})


def test_the_scheme_is_read_in_any_case(scene: Scene) -> None:
    headers = {"Authorization": f"bEARER {scene.call.key}"}
    assert scene.call("GET", "/capabilities", headers=headers).status == 200


def test_an_expired_key_is_refused(tmp_path: Path) -> None:
    world = build(sqlite_url(tmp_path))
    key = world.key(expires="1h")
    with served(deployment(world)) as address:
        call = Caller(address, key)
        assert call("GET", "/capabilities").status == 200
        world.advance(3_600)
        answer = call("GET", "/capabilities")
    assert (answer.status, answer.json["details"]) == (401, {"reason": "EXPIRED"})
    world.engine.close()
