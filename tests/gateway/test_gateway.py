"""A gateway passes on what needs nobody, keeps records of it, and waits for people."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from tests.gateway.conftest import OF_DESKS, TOKEN, Gateway, gateway_before
from tests.spec_only.server import Distort
from tests.spec_only.specification import SpecifiedCall, find_call
from tests.spec_only.wrong_answers import CALLS, wrong
from tests.tampering.altering import cut_behind_kept_head, unguarded
from tests.world.files import KEYS

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.policy import CasePolicy, CaseWanted, Policy, TwoPersons
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.engine import Engine
from chainteller.engine.forwarding import calls, kept, requests
from chainteller.engine.forwarding.calls import PLANS
from chainteller.engine.forwarding.renewing import Renewer
from chainteller.engine.verification.full_pass import verify
from chainteller.remote.client import RemoteService
from chainteller.service import operations as op
from chainteller.service.models.books import ClearDispute
from chainteller.service.models.counterparties import OpenBlockchainAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.service.operations import Call, Operation
from chainteller.storage.database import open_database
from chainteller.storage.queries.disputes import listed
from chainteller.storage.schema import guards
from chainteller.wallets.simulated import sample_proof, sample_wallets

WITHDRAWALS = "/withdrawals"
TWO_PERSONS = Policy(two=TwoPersons(withdrawal_over_cents=10_000))
WALLET = next(
    each
    for each in sample_wallets(Path(__file__).parents[2] / "sample_data" / "wallets.toml")
    if each.address.network.name == "ethereum"
)


def test_answers_and_refusals_pass_as_the_provider_gave_them(gateway: Gateway) -> None:
    account = gateway.open_account()
    home = f"/trading-accounts/{account}"
    for path in ("/trading/markets", f"{home}/token-balances", f"{home}/trades"):
        assert gateway.call("GET", path) == gateway.ask_directly("GET", path), path
    too_much = {"amount": "5000.00", "currency": TOKEN}
    through, direct = (
        client.post(home + WITHDRAWALS, json=too_much)
        for client in (gateway.client, gateway.direct)
    )
    assert (through.status_code, through.json()) == (direct.status_code, direct.json())
    assert direct.json()["error"] == "INSUFFICIENT_FUNDS"


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ((429, "RATE_LIMITED"), (429, "RATE_LIMITED")),
        ((405, "METHOD_NOT_ALLOWED"), (405, "METHOD_NOT_ALLOWED")),
        ((403, "TERMS_NOT_ACCEPTED"), (403, "TERMS_NOT_ACCEPTED")),
        ((401, "UNAUTHORIZED"), (503, "SERVICE_UNAVAILABLE")),
        ((401, "KEY_EXPIRED"), (503, "SERVICE_UNAVAILABLE")),
    ],
)
def test_a_refusal_without_details_passes_unless_it_is_of_the_gateways_key(
    gateway: Gateway, refusal: tuple[int, str], told: tuple[int, str]
) -> None:
    gateway.provider.refusal = refusal
    wallet = {"address": WALLET.address.display, "network": "ethereum"}
    for answer in (
        gateway.client.get("/trading/markets"),
        gateway.post("/counterparties", "once", **wallet),
    ):
        assert (answer.status_code, answer.json()["error"]) == told
        reason = answer.json()["details"].get("reason")
        assert reason == ("PROVIDER_KEY" if told[0] == 503 else None)


@pytest.mark.parametrize(
    ("refusal", "told", "wait"),
    [
        ((429, "RATE_LIMITED"), "3600", "3600"),
        ((503, "SERVICE_UNAVAILABLE"), "120", "120"),
        ((503, "UPGRADING"), "120", "120"),
        ((503, "UPGRADING"), "", None),
        ((429, "RATE_LIMITED"), "Wed, 21 Oct 2026 07:28:00 GMT", "1"),
    ],
)
def test_a_caller_is_told_how_long_the_provider_wants_to_wait(
    gateway: Gateway, refusal: tuple[int, str], told: str, wait: str | None
) -> None:
    gateway.provider.refusal, gateway.provider.retry_after = refusal, told
    for answer in (
        gateway.client.get("/trading/markets"),
        gateway.post("/trading/markets/sol-usd/quotes", "q", amount="1.00", side="buy"),
    ):
        is_open = answer.request.method == "POST" and refusal[1] == "UPGRADING"
        expected = "5" if is_open else wait
        assert (answer.status_code, answer.headers.get("retry-after")) == (refusal[0], expected)


@pytest.mark.parametrize("is_silent", [True, False])
def test_what_needs_no_provider_is_offered_while_it_is_out(
    gateway: Gateway, is_silent: bool
) -> None:
    offered = gateway.call("GET", "/capabilities")
    gateway.provider.is_silent = is_silent
    gateway.provider.refusal = (503, "SERVICE_UNAVAILABLE")
    console = RemoteService(str(gateway.client.base_url), gateway.own.key(*OF_DESKS))
    try:
        assert console.decisions().data == ()
        assert console.capabilities().features == tuple(offered["features"])
        assert console.capabilities().markets == ()
    finally:
        console.close()


def test_a_trade_is_kept_listed_and_renewed(gateway: Gateway) -> None:
    account, quote = gateway.open_account(), gateway.quote()
    trade = gateway.call("POST", f"/trading/quotes/{quote}", tradingAccountId=account)
    assert trade["status"] == "processing"
    for _ in range(2):  # filled, then settled
        gateway.bank.advance(30)
    gateway.call("GET", f"/trading-accounts/{account}/trades/{trade['id']}")
    listed = gateway.call("GET", "/trading/trades")["data"]
    told = gateway.ask_directly("GET", f"/trading-accounts/{account}/trades/{trade['id']}")
    assert [row["status"] for row in listed] == ["settled"]
    assert {name: listed[0][name] for name in told if name not in ("created", "updated")} == {
        name: value for name, value in told.items() if name not in ("created", "updated")
    }
    assert gateway.call("GET", f"/trading/quotes/{quote}")["tradeId"] == trade["id"]
    found = gateway.call("GET", f"/find?query={trade['id']}")["data"]
    assert [(row["id"], row["title"]) for row in found] == [
        (trade["id"], f"buy {trade['amount']} SOL, settled")
    ]
    assert gateway.call("GET", "/find?query=DDA-1")["data"][0]["title"] == "DDA-1"
    events = [each["type"] for each in gateway.call("GET", "/events")["data"]]
    assert events[-2:] == ["trade.processing", "trade.settled"]
    assert not verify(gateway.own.context.database)


def test_a_trade_that_a_provider_takes_up_again_after_its_end_is_no_dispute(
    gateway: Gateway,
) -> None:
    account = gateway.open_account()
    bought = {"tradingAccountId": account}
    trade = gateway.call("POST", f"/trading/quotes/{gateway.quote()}", **bought)["id"]
    path = f"/trading-accounts/{account}/trades/{trade}"
    for status in ("failed", "processing"):

        def say(_call: SpecifiedCall, _status: int, body: Any, status: str = status) -> bytes:
            return json.dumps(body | {"status": status}).encode()

        gateway.provider.distort = say
        assert gateway.call("GET", path)["status"] == status
    gateway.provider.answer_again()
    assert gateway.call("POST", f"{path}/cancellations")["status"] == "cancelled"
    assert gateway.own.engine.disputes().data == ()
    assert not verify(gateway.own.context.database)


def test_what_became_of_trades_is_asked_without_a_reader_and_less_and_less(
    gateway: Gateway,
) -> None:
    account = gateway.open_account()
    bought = [
        gateway.call("POST", f"/trading/quotes/{gateway.quote()}", tradingAccountId=account)["id"]
        for _ in range(2)
    ]
    elapsed = [0.0]
    renewer = Renewer(gateway.own.context, elapsed=lambda: elapsed[0])

    def asked() -> int:
        """How many requests another turn makes."""
        gateway.provider.asked.clear()
        renewer.ask()
        assert {method for method, _ in gateway.provider.asked} <= {"GET"}
        return len(gateway.provider.asked)

    assert [asked(), asked()] == [2, 0]
    at = []
    while elapsed[0] < 2_000:
        elapsed[0] += 1
        at += [elapsed[0]] if asked() else []
    assert at == [5, 15, 35, 75, 155, 315, 635, 1_235, 1_835]
    before = gateway.own.engine.events().next
    for _ in range(2):
        gateway.bank.advance(30)
    elapsed[0] += 600
    assert asked() == 2
    listed = {row.id: row.status for row in gateway.own.engine.all_trades().data}
    assert listed == dict.fromkeys(bought, "settled")
    told = [each for each in gateway.own.engine.events(before, 100).data if "trade" in each.type]
    assert {(each.type, each.resource) for each in told} == {
        ("trade.settled", each) for each in bought
    }
    elapsed[0] += 600
    assert asked() == 0


def test_the_provider_is_asked_for_nothing_but_the_specification(gateway: Gateway) -> None:
    gateway.open_account()
    capabilities = gateway.call("GET", "/capabilities")
    assert "customers" not in capabilities["features"]
    assert {"decisions", "audit", "find", "event-stream", "notes"} <= set(capabilities["features"])
    assert gateway.client.get("/customers").status_code == 404
    assert all(find_call(method, path) for method, path in gateway.provider.asked)


def test_a_gateway_offers_each_addition_that_it_names_as_a_whole() -> None:
    named = {each for each in op.OPERATIONS if set(op.features_of(each)) & set(calls.FEATURES)}
    offered = {each for each in op.OPERATIONS if calls.is_offered(each)}
    assert named <= offered


def test_the_team_keeps_notes_about_accounts_of_the_provider(gateway: Gateway) -> None:
    account = gateway.open_account()
    assert gateway.call("POST", "/notes", subject=account, content="Calls back.")["id"]
    (noted,) = gateway.call("GET", f"/notes?filter[tradingAccountId]={account}")["data"]
    assert noted["content"] == "Calls back."
    assert not any("notes" in path for _, path in gateway.provider.asked)


def test_a_repeated_key_does_nothing_twice(gateway: Gateway) -> None:
    account = gateway.open_account()
    path = f"/trading-accounts/{account}/deposits"
    twice = [gateway.post(path, "once", amount="5.00", currency=TOKEN) for _ in range(2)]
    assert [each.json()["id"] for each in twice] == [twice[0].json()["id"]] * 2
    assert twice[1].headers["idempotent-replayed"] == "true"
    assert twice[1].content == twice[0].content
    assert gateway.provider.keys.count("once") == 1
    assert gateway.balance()[account] == "1005.00"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/trading/markets/sol-usd/quotes", {"amount": "5.00", "side": "buy"}),
        ("/trading-accounts", {"bankAccountId": "DDA-2", "bankAccountType": "savings"}),
    ],
    ids=["sent at once", "with a record before"],
)
def test_a_replay_is_what_the_provider_said_byte_by_byte(
    gateway: Gateway, path: str, body: dict[str, str]
) -> None:
    said_more = {"laterVersion": ["says", {"more": None}]}
    gateway.provider.distort = lambda _call, _status, body: json.dumps(
        body | ({"data": [said_more | body["data"][0]]} if "data" in body else said_more)
    ).encode()
    first, again = (gateway.post(path, "once", **body) for _ in range(2))
    assert "laterVersion" in first.text
    assert again.headers["idempotent-replayed"] == "true"
    assert again.content == first.content


def test_of_two_requests_with_one_key_the_second_waits_for_the_first(gateway: Gateway) -> None:
    """As at a bank's own server, until the outcome of the first is looked for."""
    body = {"bankAccountId": "DDA-1", "bankAccountType": "checking"}
    meanwhile: list[httpx.Response] = []

    def distort(_call: SpecifiedCall, _status: int, _body: Any) -> bytes:
        meanwhile.append(gateway.post("/trading-accounts", "once", **body))
        return b""

    gateway.provider.distort = distort
    first = gateway.post("/trading-accounts", "once", **body)
    assert first.json()["error"] == "PROVIDER_UNANSWERED"
    told = meanwhile[0].json()
    assert (meanwhile[0].status_code, told["error"]) == (409, "IDEMPOTENCY_IN_PROGRESS")
    assert (told["details"], meanwhile[0].headers["retry-after"]) == ({"key": "once"}, "1")
    assert gateway.provider.keys.count("once") == 1


@pytest.mark.parametrize("ended", ["by the provider", "by a person"])
def test_what_was_refused_may_be_sent_again_with_its_key(gateway: Gateway, ended: str) -> None:
    """Of no trading account that is known here, so that the account's trail doesn't have it."""
    path = "/blockchain-accounts/BCA_UNKNOWN/1P-counterparty-ownership-claims"
    body = {"challengeId": "CHG_1", "completedChallenge": "x", "counterpartyId": "CPT_1"}
    if ended == "by a person":
        gateway.provider.keep_silent("POST", "-claims")
    first = gateway.post(path, "once", **body)
    if ended == "by a person":
        assert first.status_code == 504
        gateway.provider.answer_again()
        gateway.advance(3_600)
        (unknown,) = gateway.call("GET", "/decisions?filter[status]=open")["data"]
        with gateway.as_desk("anna") as desk:
            said = {"reason": "NOT_CARRIED_OUT", "answer": "They say so."}
            refused = desk.post(f"/decisions/{unknown['id']}/refusals", json=said)
            assert refused.status_code == 200, refused.text
    for _ in range(2):
        assert gateway.post(path, "once", **body).json()["error"] == "NOT_FOUND"
    assert gateway.own.engine.disputes().data == ()


def test_a_withdrawal_that_needs_two_is_sent_once_after_both(tmp_path: Path) -> None:
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="600.00", currency=TOKEN)
        assert waiting["status"] == "reviewing"
        held = gateway.call("GET", f"/trading-accounts/{account}/token-balances")["data"][0]
        assert (held["amount"], held["held"]) == ("400.00", "600.00")
        quote = gateway.quote("500.00")
        refused = gateway.call("POST", f"/trading/quotes/{quote}", tradingAccountId=account)
        assert refused["error"] == "INSUFFICIENT_FUNDS"
        decision = gateway.call("GET", "/decisions")["data"][0]
        for name in ("anna", "ben"):
            assert ("POST", path) not in gateway.provider.asked
            with gateway.as_desk(name) as desk:
                approved = desk.post(f"/decisions/{decision['id']}/approvals", json={})
                assert approved.status_code == 200, approved.text
        gateway.advance(1)
        assert gateway.provider.asked.count(("POST", path)) == 1
        sent = gateway.call("GET", f"{path}/{waiting['id']}")
        assert (sent["id"], sent["status"]) == (waiting["id"], "accepted")
        assert gateway.balance()[account] == "400.00"
        assert not verify(gateway.own.context.database)


def test_no_withdrawal_that_needs_nobody_takes_what_waits_for_somebody(tmp_path: Path) -> None:
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="950.00", currency=TOKEN)
        assert waiting["status"] == "reviewing"
        small = gateway.call("POST", path, amount="50.01", currency=TOKEN)
        assert small["error"] == "INSUFFICIENT_FUNDS"
        assert small["details"]["available"] == "50.00"
        assert "error" not in gateway.call("POST", path, amount="50.00", currency=TOKEN)
        gateway.approve(gateway.call("GET", "/decisions")["data"][0]["id"])
        gateway.advance(1)
        assert gateway.call("GET", f"{path}/{waiting['id']}")["status"] == "accepted"


def test_an_approved_withdrawal_that_the_provider_refuses_fails_with_its_code(
    tmp_path: Path,
) -> None:
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="600.00", currency=TOKEN)
        gateway.ask_directly("POST", path, amount="900.00", currency=TOKEN)
        decision = gateway.call("GET", "/decisions")["data"][0]
        gateway.approve(decision["id"])
        gateway.advance(1)
        failed = gateway.call("GET", f"{path}/{waiting['id']}")
        assert failed["status"] == "failed"
        assert failed["failureReason"]["code"] == "INSUFFICIENT_FUNDS"
        left = gateway.call("GET", f"/trading-accounts/{account}/token-balances")["data"][0]
        assert left["amount"] == "100.00"


@pytest.mark.parametrize("status", [500, 503, 504])
def test_an_approved_withdrawal_is_not_sent_again_after_an_outage_that_may_have_paid_it(
    tmp_path: Path, status: int
) -> None:
    """Proxies answer with such a code, too, and the provider has no keys that they would repeat."""
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="300.00", currency=TOKEN)
        gateway.approve(gateway.call("GET", "/decisions")["data"][0]["id"])
        gateway.provider.failing = (status, "SERVICE_UNAVAILABLE")
        for _ in range(3):
            gateway.advance(61)
        assert gateway.provider.asked.count(("POST", path)) == 1
        assert gateway.balance()[account] == "700.00"
        assert gateway.call("GET", f"{path}/{waiting['id']}")["status"] == "unknown"


@pytest.mark.parametrize(("control", "status"), [("FROZEN", "failed"), ("DORMANT", "accepted")])
def test_an_approved_withdrawal_is_sent_unless_its_account_was_frozen(
    tmp_path: Path, control: str, status: str
) -> None:
    """As where the service keeps the books itself."""
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="600.00", currency=TOKEN)
        decision = gateway.call("GET", "/decisions")["data"][0]
        gateway.approve(decision["id"])
        freeze = {"kind": "control", "subject": account, "control": control, "reason": "OTHER"}
        with gateway.as_desk("carla") as desk:
            assert desk.post("/decisions", json=freeze).status_code == 201
        gateway.advance(1)
        found = gateway.call("GET", f"{path}/{waiting['id']}")
        assert found["status"] == status
        if status == "failed":
            assert found["failureReason"]["code"] == "ACCOUNT_FROZEN"
        assert (("POST", path) in gateway.provider.asked) == (status != "failed")


def test_several_gateways_on_one_database_send_once(tmp_path: Path, own_postgres_bank: str) -> None:
    with gateway_before(tmp_path, TWO_PERSONS, url=own_postgres_bank) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        for _ in range(3):
            gateway.call("POST", path, amount="200.00", currency=TOKEN)
        for decision in gateway.call("GET", "/decisions")["data"]:
            gateway.approve(decision["id"])
        context = gateway.own.context
        other = Engine(replace(context, database=open_database(own_postgres_bank, KEYS)))
        try:
            with ThreadPoolExecutor() as pool:
                list(pool.map(lambda each: each.run_due(), (gateway.own.engine, other) * 2))
        finally:
            other.context.database.close()
        assert gateway.provider.asked.count(("POST", path)) == 3
        assert gateway.balance()[account] == "400.00"
        no_text_of_postgresql = gateway.post("/trading/quotes/%00", "x", tradingAccountId=account)
        assert no_text_of_postgresql.status_code == 404
        assert not verify(context.database)


def test_what_the_gateway_refuses_is_not_sent(gateway: Gateway) -> None:
    account = gateway.open_account()
    with gateway.as_desk("anna") as desk:
        for kind, subject, control in (("control", account, "FROZEN"), ("market", "sol-usd", None)):
            body = {"kind": kind, "subject": subject, "control": control, "reason": "CHECK"}
            opened = desk.post("/decisions", json=body)
            assert opened.status_code == 201, opened.text
    asked = len(gateway.provider.asked)
    path = f"/trading-accounts/{account}"
    quote = {"amount": "10.00", "side": "buy"}
    refused = [
        gateway.call("POST", f"{path}/deposits", amount="1.00", currency=TOKEN)["error"],
        gateway.call("POST", "/trading/markets/sol-usd/quotes", **quote)["error"],
        gateway.client.post(
            "/trading/markets/eth-usd/quotes",
            json=quote,
            headers={"Chainteller-Case": "of two words"},
        ).json()["error"],
    ]
    assert refused == ["ACCOUNT_RESTRICTED", "MARKET_UNAVAILABLE", "VALIDATION_ERROR"]
    eth = "/trading/markets/eth-usd/quotes"
    for amount_of in ("bought", "anything"):
        unknown = gateway.call("POST", eth, **quote, amountOf=amount_of)
        assert unknown["error"] == "VALIDATION_ERROR"
        assert [each["field"] for each in unknown["details"]["errors"]] == ["amountOf"]
    writes = [path for method, path in gateway.provider.asked[asked:] if method != "GET"]
    assert writes == []
    assert gateway.call("POST", eth, **quote, amountOf="sold")["data"], "what is meant anyway"
    assert gateway.call("GET", "/trading/markets/eth-usd")["marketName"] == "eth-usd"


@pytest.mark.parametrize("is_done", [True, False])
def test_what_the_provider_does_not_answer_is_a_persons_to_settle(
    gateway: Gateway, is_done: bool
) -> None:
    account = gateway.open_account()
    path = f"/trading-accounts/{account}{WITHDRAWALS}"
    gateway.provider.keep_silent("POST", WITHDRAWALS)
    silent = gateway.post(path, "w1", amount="100.00", currency=TOKEN)
    assert (silent.status_code, silent.json()["error"]) == (504, "PROVIDER_UNANSWERED")
    gateway.provider.answer_again()
    again = gateway.post(path, "w1", amount="100.00", currency=TOKEN)
    assert again.json()["details"] == silent.json()["details"]
    gateway.advance(3600)
    assert gateway.provider.asked.count(("POST", path)) == 1
    listed = gateway.call("GET", path)["data"][0]
    assert (listed["status"], listed["cancellable"]) == ("unknown", False)
    held = gateway.call("GET", f"/trading-accounts/{account}/token-balances")["data"][0]
    assert (held["amount"], held["held"]) == ("800.00", "100.00")
    decision = gateway.call("GET", "/decisions")["data"][0]
    assert decision["kind"] == "unanswered"
    assert "before: 1000.00 BUSD1@bank. Balances after: 900.00 BUSD1@bank" in decision["words"]
    settle(gateway, decision["id"], is_done=is_done)
    settled = gateway.call("GET", path)["data"][0]
    assert settled["status"] == ("accepted" if is_done else "failed")
    gateway.provider.distort = _saying(WITHDRAWALS, id="TXN_OTHERS")
    last = gateway.post(path, "w1", amount="100.00", currency=TOKEN)
    if is_done:
        assert (last.status_code, last.json()["details"]["reason"]) == (409, "CARRIED_OUT")
    else:
        assert (last.status_code, last.json()["id"]) == (201, settled["id"])
        listed = gateway.call("GET", path)["data"][0]
        assert (listed["status"], listed["failureReason"]) == ("accepted", None)
    assert gateway.provider.asked.count(("POST", path)) == (1 if is_done else 2)
    assert not verify(gateway.own.context.database)


def test_a_request_that_a_killed_gateway_left_is_not_sent_again(gateway: Gateway) -> None:
    account, quote = gateway.open_account(), gateway.quote()
    context, actor = gateway.own.context, gateway.own.engine.actor
    paid = DepositRequest(amount="9.00", currency=Currency(**TOKEN))
    traded = ExecuteRequest(trading_account_id=account)
    for call in (
        Call(op.DEPOSIT, (account,), paid, key="left1"),
        Call(op.EXECUTE_QUOTE, (quote,), traded, key="left2"),
    ):
        requests.begin(context, actor, call, PLANS[call.operation.name], account, {})
    asked = len(gateway.provider.asked)
    gateway.advance(61)
    (decision,) = gateway.call("GET", "/decisions")["data"]
    assert (decision["reason"], decision["amount"]) == ("NO_ANSWER", "9.00")
    gateway.advance(400)  # the quote has expired, and no trade has its terms
    assert all(method == "GET" for method, _ in gateway.provider.asked[asked:])
    again = gateway.post(f"/trading/quotes/{quote}", "left2", tradingAccountId=account)
    assert again.json()["error"] == "QUOTE_EXPIRED"
    assert not verify(context.database)


def test_wrong_answers_have_a_state(gateway: Gateway) -> None:
    account, quote = gateway.open_account(), gateway.quote()
    path = f"/trading-accounts/{account}{WITHDRAWALS}"
    gateway.provider.distort = wrong(
        "another record", CALLS["POST /trading-accounts/{}/withdrawals"]
    )
    other = gateway.post(path, "other", amount="3.00", currency=TOKEN)
    assert other.json()["error"] == "PROVIDER_UNANSWERED"
    gateway.provider.distort = wrong("an unknown status", CALLS["POST /trading/quotes/{}"])
    trade = gateway.call("POST", f"/trading/quotes/{quote}", tradingAccountId=account)
    listed = gateway.call("GET", "/trading/trades")["data"]
    assert [trade["status"], *(row["status"] for row in listed)] == ["auctioned"] * 2


def test_what_can_not_be_kept_of_an_answer_is_a_persons_and_stops_nothing(gateway: Gateway) -> None:
    account, quote = gateway.open_account(), gateway.quote()
    deposits = f"/trading-accounts/{account}/deposits"
    told: list[dict[str, Any]] = [
        {"id": "TXN_A", "currency": TOKEN},
        {"id": "TXN_A"},
        {"id": "x" * 65},
        {"status": "\x1b[2J"},
        {"currency": {"type": "stablecoin-currency", "symbol": "USDC", "network": "solana"}},
        {"error": "LATER", "message": "Later."},
    ]
    statuses = []
    for number, each in enumerate(told):
        gateway.provider.distort = _saying("/deposits", **each)
        answer = gateway.post(deposits, f"d{number}", amount="7.00", currency=TOKEN)
        statuses.append(answer.status_code)
    assert statuses == [201, *[504] * 5]
    gateway.provider.distort = _saying("/trading/quotes/{}", created="2026-01-01T00:00:00")
    traded = gateway.post(f"/trading/quotes/{quote}", "x", tradingAccountId=account)
    assert traded.status_code == 201
    gateway.provider.distort = _saying("/quotes", price="9" * 38)
    asked = gateway.post("/trading/markets/sol-usd/quotes", "q", amount="7.00", side="buy")
    assert (asked.status_code, asked.json()["details"]["reason"]) == (503, "REPLY_UNUSABLE")
    gateway.advance(61)
    listed = [each["status"] for each in gateway.call("GET", deposits)["data"]]
    assert listed == [*["unknown"] * 5, "accepted", "accepted"]
    assert len(gateway.call("GET", "/trading/quotes")["data"]) == 1
    assert not verify(gateway.own.context.database)


def _saying(ending: str, **values: Any) -> Distort:
    """Answers to a POST whose record says something else as well."""

    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        is_wanted = call.method == "POST" and call.path.endswith(ending)
        row = body["data"][0] if is_wanted and "data" in body else body
        row |= values if is_wanted else {}
        return json.dumps(body).encode()

    return distort


def test_an_amount_of_a_provider_is_counted_to_its_last_digit() -> None:
    ether = ASSETS_BY_KEY["ETH@ethereum"]
    assert kept.atoms("12345678901.123456789012345678", ether) == 12345678901123456789012345678


def test_an_unanswered_execution_is_found_in_the_list_of_trades(gateway: Gateway) -> None:
    account, quote = gateway.open_account(), gateway.quote()
    gateway.provider.keep_silent("POST", "/trading/quotes/{}")
    answered = gateway.post(f"/trading/quotes/{quote}", "x1", tradingAccountId=account)
    assert answered.status_code == 201
    listed = gateway.ask_directly("GET", f"/trading-accounts/{account}/trades")["data"]
    assert [row["id"] for row in listed] == [answered.json()["id"]]
    assert not gateway.call("GET", "/decisions")["data"]


@pytest.mark.parametrize("told", [{"created": "2026-11-20T12:00:00Z"}, {"amount": "0.61"}])
def test_a_trade_that_may_be_of_a_quote_is_a_persons_to_settle(
    gateway: Gateway, told: dict[str, str]
) -> None:
    """As of a provider whose clocks differ, that tells times in whole seconds, or that rounds."""
    account = gateway.open_account()
    gateway.bank.advance(0.5)
    quote = gateway.quote()

    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        for row in body.get("data", ()) if call.path.endswith("/trades") else ():
            row.update(told)
        is_execution = call.method == "POST" and call.path.endswith("/trading/quotes/{}")
        return b"" if is_execution else json.dumps(body).encode()

    gateway.provider.distort = distort
    path = f"/trading/quotes/{quote}"
    assert gateway.post(path, "x1", tradingAccountId=account).status_code == 504
    for _ in range(2):
        gateway.advance(1_000)
    (decision,) = gateway.call("GET", "/decisions")["data"]
    assert (decision["kind"], decision["status"]) == ("unanswered", "open")
    assert gateway.post(path, "x1", tradingAccountId=account).status_code == 504
    assert gateway.provider.asked.count(("POST", path)) == 1
    assert not gateway.call("GET", "/trading/trades")["data"]
    settle(gateway, decision["id"])
    Renewer(gateway.own.context).ask()
    (trade,) = gateway.call("GET", "/trading/trades")["data"]
    assert gateway.call("GET", f"/trading/quotes/{quote}")["tradeId"] == trade["id"]
    assert not verify(gateway.own.context.database)


def test_of_two_trades_that_could_be_the_one_a_person_decides(gateway: Gateway) -> None:
    account, quotes = gateway.open_account(), [gateway.quote(), gateway.quote()]
    gateway.provider.break_off()
    for number, quote in enumerate(quotes):
        silent = gateway.post(f"/trading/quotes/{quote}", f"x{number}", tradingAccountId=account)
        assert silent.status_code == 504
    gateway.provider.answer_again()
    gateway.advance(61)
    done = gateway.ask_directly("GET", f"/trading-accounts/{account}/trades")["data"]
    assert len(done) == 2
    assert not gateway.call("GET", "/trading/trades")["data"]
    decisions = gateway.call("GET", "/decisions")["data"]
    assert [each["reason"] for each in decisions] == ["SEVERAL_RECORDS_FIT"] * 2
    elapsed = [0.0]
    renewer = Renewer(gateway.own.context, elapsed=lambda: elapsed[0])
    found: list[str] = []
    for decision, count in zip(decisions, (0, 2), strict=True):
        settle(gateway, decision["id"])
        elapsed[0] += 1_000
        renewer.ask()
        found = [each["id"] for each in gateway.call("GET", "/trading/trades")["data"]]
        assert len(found) == count
    assert set(found) == {each["id"] for each in done}
    assert not verify(gateway.own.context.database)


def settle(gateway: Gateway, decision_id: str, *, is_done: bool = True) -> None:
    """Somebody says whether the provider carried a request out."""
    answer = "approvals" if is_done else "refusals"
    body = {} if is_done else {"reason": "NOT_CARRIED_OUT"}
    with gateway.as_desk("anna") as desk:
        decided = desk.post(f"/decisions/{decision_id}/{answer}", json=body)
        assert decided.status_code == 200, decided.text


@pytest.mark.parametrize("is_done", [True, False])
def test_what_the_provider_answers_after_it_was_settled_is_settled_again(
    gateway: Gateway, is_done: bool
) -> None:
    account = gateway.open_account()
    context, actor = gateway.own.context, gateway.own.engine.actor
    paid = DepositRequest(amount="9.00", currency=Currency(**TOKEN))
    call, plan = Call(op.DEPOSIT, (account,), paid, key="late"), PLANS[op.DEPOSIT.name]
    request = requests.begin(context, actor, call, plan, account, {})
    gateway.advance(61)
    (first,) = gateway.call("GET", "/decisions")["data"]
    settle(gateway, first["id"], is_done=False)
    told = requests.ask(context, "default", call)
    requests.finish(context, actor, call, plan, request, told)
    decisions = gateway.call("GET", "/decisions")["data"]
    (late,) = [each for each in decisions if each["status"] == "open"]
    assert late["reason"] == "ANSWERED_LATE"
    settle(gateway, late["id"], is_done=is_done)
    path = f"/trading-accounts/{account}/deposits"
    listed = [each for each in gateway.call("GET", path)["data"] if each["amount"] == "9.00"]
    assert [each["status"] for each in listed] == ["accepted" if is_done else "failed"]
    assert not verify(context.database)


def test_a_link_without_an_answer_is_found_on_a_later_page(gateway: Gateway) -> None:
    path, body = _wallet(gateway, "DDA-1")
    pages: list[str] = []

    def distort(call: SpecifiedCall, _status: int, answer: Any) -> bytes:
        if not call.path.endswith("{}/counterparties"):
            return json.dumps(answer).encode()
        if call.method == "GET" and not pages:
            pages.append(call.path)
            rows = [{**answer["data"][0], "id": f"CPT_{at}", "address": "0x"} for at in range(20)]
            total = {**answer["pagination"], "total": 21, "totalPages": 2}
            answer = {**answer, "data": rows, "pagination": total}
        return b"" if call.method == "POST" else json.dumps(answer).encode()

    gateway.provider.distort = distort
    linked = gateway.post(path, "link", **body)
    assert pages
    assert (linked.status_code, linked.json()["address"]) == (200, body["address"])


def test_of_a_trade_that_failed_nobody_decides_whether_it_was_cancelled(gateway: Gateway) -> None:
    account = gateway.open_account()
    buys = {"tradingAccountId": account}
    trade = gateway.call("POST", f"/trading/quotes/{gateway.quote()}", **buys)["id"]

    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        if call.path.endswith("/trades/{}"):
            body["status"] = "failed"
        is_lost = call.path.endswith("/cancellations")
        return b"" if is_lost else json.dumps(body).encode()

    gateway.provider.distort = distort
    path = f"/trading-accounts/{account}/trades/{trade}/cancellations"
    assert gateway.post(path, "c1").status_code == 504
    for _ in range(2):
        gateway.advance(1_000)
    assert gateway.call("GET", "/decisions")["data"] == []


def test_an_outage_says_nothing_of_what_was_sent_before_it(tmp_path: Path) -> None:
    with gateway_before(tmp_path, honours_keys=True) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}/deposits"
        gateway.provider.keep_silent("POST", "/deposits")
        gateway.post(path, "d1", amount="7.00", currency=TOKEN)
        gateway.provider.answer_again()
        outage = (503, "SERVICE_UNAVAILABLE")
        for refusal, amounts in ((outage, ["1000.00"]), (None, ["7.00", "1000.00"])):
            gateway.provider.refusal = refusal
            gateway.advance(61)
            assert [row["amount"] for row in gateway.call("GET", path)["data"]] == amounts


@pytest.mark.parametrize("wanted", [CaseWanted.OFF, CaseWanted.REQUIRED])
def test_with_keys_the_same_request_settles_what_was_not_answered(
    tmp_path: Path, wanted: CaseWanted
) -> None:
    """Also that of a system, which names no case where people have to."""
    policy = Policy(case=CasePolicy(wanted))
    with gateway_before(tmp_path, policy, honours_keys=True) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}/deposits"
        gateway.provider.keep_silent("POST", "/deposits")
        silent = gateway.post(path, "d1", amount="7.00", currency=TOKEN)
        assert silent.status_code == 504
        gateway.provider.answer_again()
        gateway.advance(61)
        assert set(gateway.provider.keys) >= {"d1"}
        listed = gateway.call("GET", path)["data"]
        assert [row["amount"] for row in listed] == ["7.00", "1000.00"]
        repeated = gateway.post(path, "d1", amount="7.00", currency=TOKEN)
        assert repeated.headers["idempotent-replayed"] == "true"


def test_a_key_without_an_outcome_is_not_that_of_a_withdrawal_in_review(tmp_path: Path) -> None:
    with gateway_before(tmp_path, TWO_PERSONS, honours_keys=True) as gateway:
        path = f"/trading-accounts/{gateway.open_account()}{WITHDRAWALS}"
        gateway.provider.keep_silent("POST", WITHDRAWALS)
        assert gateway.post(path, "w1", amount="50.00", currency=TOKEN).status_code == 504
        gateway.provider.answer_again()
        other = gateway.post(path, "w1", amount="600.00", currency=TOKEN)
        assert other.json()["error"] == "IDEMPOTENCY_KEY_REUSED"
        gateway.advance(61)
        listed = gateway.call("GET", path)["data"]
        assert [(row["amount"], row["status"]) for row in listed] == [("50.00", "accepted")]


def test_a_wallet_of_another_customer_is_linked_after_a_decision(tmp_path: Path) -> None:
    line = ReviewLine(ReviewCondition.SHARED_WALLET, 0, 86_400, AtDeadline.REFUSE)
    with gateway_before(tmp_path, Policy(review=(line,))) as gateway:
        first, second = (_wallet(gateway, each) for each in ("DDA-1", "DDA-2"))
        linked = gateway.client.post(first[0], json=first[1])
        assert linked.status_code == 201, linked.text
        waiting = gateway.client.post(second[0], json=second[1])
        assert waiting.json()["error"] == "DECISION_REQUIRED"
        decision = waiting.json()["details"]["decisionId"]
        assert gateway.client.post(second[0], json=second[1]).json() == waiting.json()
        assert ("POST", second[0]) not in gateway.provider.asked
        with gateway.as_desk("anna") as desk:
            desk.post(f"/decisions/{decision}/approvals", json={})
        assert gateway.client.post(second[0], json=second[1]).status_code == 201
        assert not verify(gateway.own.context.database)


def test_a_link_that_goes_to_a_role_waits_for_it_and_is_refused_at_the_second_deadline(
    tmp_path: Path,
) -> None:
    """The role has as much time again, whatever the customer was asked for."""
    line = ReviewLine(ReviewCondition.SHARED_WALLET, 0, 3_600, AtDeadline.ESCALATE, "supervisor")
    with gateway_before(tmp_path, Policy(review=(line,))) as gateway:
        first, second = (_wallet(gateway, each) for each in ("DDA-1", "DDA-2"))
        assert gateway.client.post(first[0], json=first[1]).status_code == 201
        waiting = gateway.client.post(second[0], json=second[1])
        path = f"/decisions/{waiting.json()['details']['decisionId']}"
        with gateway.as_desk("anna") as desk:
            assert desk.post(f"{path}/notes", json={"note": "Whose is it?"}).status_code == 200
            gateway.advance(3_600)
            found = gateway.call("GET", path)
            assert (found["status"], found["toRole"]) == ("open", "supervisor")
            assert found["escalatedAt"] == "2026-11-20T13:00:00.000000Z"
            refused = desk.post(f"{path}/approvals", json={})
            assert refused.json()["error"] == "ROLE_REQUIRED"
        gateway.advance(3_599)
        assert gateway.call("GET", path)["status"] == "open"
        gateway.advance(1)
        assert gateway.call("GET", path)["status"] == "lapsed"
        declined = gateway.client.post(second[0], json=second[1]).json()
        assert declined["details"]["reason"] == "DECLINED"
        assert ("POST", second[0]) not in gateway.provider.asked
        assert not verify(gateway.own.context.database)


def test_a_list_does_not_show_that_a_linked_wallet_was_linked_again(gateway: Gateway) -> None:
    path, body = _wallet(gateway, "DDA-1")
    assert gateway.post(path, "first", **body).status_code == 201
    gateway.provider.refusal = (500, "INTERNAL_ERROR")
    assert gateway.post(path, "again", **body).status_code == 504
    gateway.provider.refusal = None
    for _ in range(2):
        gateway.advance(1_000)
    (decision,) = gateway.call("GET", "/decisions")["data"]
    assert (decision["kind"], decision["status"]) == ("unanswered", "open")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE provider_request SET status = 'approved' WHERE status = 'waiting'",
        "UPDATE decision SET at_deadline = 'approve', due = 0",
        "UPDATE provider_request SET subject = NULL WHERE status = 'done'",
        "DELETE FROM provider_request",
    ],
)
def test_a_link_that_only_the_database_approves_is_not_sent(tmp_path: Path, statement: str) -> None:
    """Somebody with SQL and no writer's key approves it, lets its deadline do so, or hides that
    another customer has linked the wallet."""
    line = ReviewLine(ReviewCondition.SHARED_WALLET, 0, 86_400, AtDeadline.REFUSE)
    with gateway_before(tmp_path, Policy(review=(line,))) as gateway:
        first, second = (_wallet(gateway, each) for each in ("DDA-1", "DDA-2"))
        gateway.client.post(first[0], json=first[1])
        gateway.client.post(second[0], json=second[1])
        altered(gateway, statement, "UPDATE job SET run_at = 0")
        gateway.advance(1)
        again = gateway.client.post(second[0], json=second[1]).json()["error"]
        assert again in ("BOOKS_DISPUTED", "DECISION_REQUIRED")
        assert ("POST", second[0]) not in gateway.provider.asked
        assert disputed(gateway) or "'done'" in statement


def test_one_person_does_not_approve_what_the_database_says_the_first_has(tmp_path: Path) -> None:
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        path = f"/trading-accounts/{gateway.open_account()}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="300.00", currency=TOKEN)
        decision = gateway.call("GET", "/decisions")["data"][0]["id"]
        altered(gateway, "UPDATE decision SET needs_two = false")
        with gateway.as_desk("anna") as desk:
            approved = desk.post(f"/decisions/{decision}/approvals", json={})
        assert approved.json()["error"] == "BOOKS_DISPUTED"
        assert gateway.call("GET", f"{path}/{waiting['id']}")["status"] == "reviewing"
        assert disputed(gateway) == [f"decision {decision}"]


def _wallet(gateway: Gateway, bank_account: str) -> tuple[str, dict[str, str]]:
    """Verify the same wallet for a customer up to its link; the link's path and body."""
    account = gateway.open_account(bank_account)
    asked = OpenBlockchainAccount(trading_account_id=account, network="ethereum")
    chain = gateway.bank.engine.open_blockchain_account(asked).value.id
    named = {"address": WALLET.address.display, "network": "ethereum"}
    wallet = gateway.call("POST", "/counterparties", **named)["id"]
    home = f"/blockchain-accounts/{chain}"
    ownership = f"{home}/1P-counterparty-ownership"
    challenge = gateway.call("POST", f"{ownership}-challenges", counterpartyId=wallet)
    claim = gateway.call(
        "POST",
        f"{ownership}-claims",
        challengeId=challenge["id"],
        completedChallenge=sample_proof(WALLET, challenge["challenge"]).signature,
        counterpartyId=wallet,
    )
    return f"{home}/counterparties", {**named, "ownershipClaimId": claim["id"]}


@pytest.mark.parametrize(
    ("statement", "is_approved"),
    [
        ("UPDATE transfer SET status = 'processing' WHERE direction = 'withdrawal'", False),
        ("UPDATE transfer SET amount = amount * 2 WHERE direction = 'withdrawal'", True),
        ("DELETE FROM decision", True),
    ],
)
def test_a_withdrawal_that_only_the_database_approves_is_not_sent(
    tmp_path: Path, statement: str, is_approved: bool
) -> None:
    """Somebody with SQL and no writer's key approves a withdrawal, raises an approved one, or
    hides how it was approved."""
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="300.00", currency=TOKEN)
        decision = gateway.call("GET", "/decisions")["data"][0]
        if is_approved:
            gateway.approve(decision["id"])
        altered(
            gateway,
            statement,
            "DELETE FROM job",
            "INSERT INTO job (kind, reference, run_at)"
            " SELECT 'withdrawal.send', id, 0 FROM transfer WHERE status = 'processing'",
        )
        gateway.advance(1)
        assert ("POST", path) not in gateway.provider.asked
        assert disputed(gateway) == [f"transfer {waiting['id']}"]
        refused = gateway.call("POST", path, amount="1.00", currency=TOKEN)
        assert refused["error"] == "BOOKS_DISPUTED"


def test_a_request_that_only_the_database_has_is_not_repeated(tmp_path: Path) -> None:
    with gateway_before(tmp_path, honours_keys=True) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        gateway.provider.keep_silent("POST", WITHDRAWALS)
        assert gateway.post(path, "w1", amount="1.00", currency=TOKEN).status_code == 504
        gateway.provider.answer_again()
        altered(
            gateway,
            "UPDATE provider_request SET key = 'w2', call = replace(call, '1.00', '900.00')"
            " WHERE operation = 'withdraw'",
        )
        gateway.advance(61)
        assert gateway.provider.asked.count(("POST", path)) == 1
        assert [place.split()[0] for place in disputed(gateway)] == ["provider_request"]


@pytest.mark.parametrize(
    "statements",
    [
        ("UPDATE trading_account SET control = NULL, control_reason = NULL",),
        (
            "DELETE FROM trading_account",
            "UPDATE entry SET action = 'x', object = 'x', trading_account_id = NULL"
            " WHERE object LIKE 'DEC_%' OR trading_account_id IS NOT NULL",
        ),
    ],
    ids=["altered", "removed, and its entries hidden"],
)
def test_nothing_leaves_an_account_that_only_the_database_has_thawed(
    gateway: Gateway, statements: tuple[str, ...]
) -> None:
    account = gateway.open_account()
    path = f"/trading-accounts/{account}{WITHDRAWALS}"
    freeze = {"kind": "control", "subject": account, "control": "FROZEN", "reason": "OTHER"}
    with gateway.as_desk("carla") as desk:
        assert desk.post("/decisions", json=freeze).status_code == 201
    assert gateway.call("POST", path, amount="1.00", currency=TOKEN)["error"] == (
        "ACCOUNT_RESTRICTED"
    )
    with gateway.own.context.database.read() as connection:
        gateway.own.context.state.follow(connection, "default")
    altered(gateway, *statements)
    assert gateway.call("POST", path, amount="1.00", currency=TOKEN)["error"] == "BOOKS_DISPUTED"
    assert ("POST", path) not in gateway.provider.asked
    assert disputed(gateway) == [f"trading_account {account}"]


@pytest.mark.parametrize(
    ("statement", "wish"),
    [
        ("UPDATE trading_account SET control = NULL, control_reason = NULL", "deposit"),
        ("DELETE FROM trading_account", "cancel"),
        ("DELETE FROM trading_account", "execute"),
        ("UPDATE quote SET sold = 1", "execute"),
        ("DELETE FROM quote", "execute"),
        ("UPDATE trade SET status = 'settled'", "cancel"),
    ],
)
def test_nothing_is_asked_for_with_a_record_that_the_log_has_otherwise(
    gateway: Gateway, statement: str, wish: str
) -> None:
    account = gateway.open_account()
    home, buys = f"/trading-accounts/{account}", {"tradingAccountId": account}
    trade = gateway.call("POST", f"/trading/quotes/{gateway.quote()}", **buys)["id"]
    wishes: Mapping[str, tuple[str, dict[str, Any]]] = {
        "deposit": (f"{home}/deposits", {"amount": "1.00", "currency": TOKEN}),
        "execute": (f"/trading/quotes/{gateway.quote()}", buys),
        "cancel": (f"{home}/trades/{trade}/cancellations", {}),
    }
    if "control" in statement:
        freeze = {"kind": "control", "subject": account, "control": "FROZEN", "reason": "OTHER"}
        with gateway.as_desk("carla") as desk:
            assert desk.post("/decisions", json=freeze).status_code == 201
    altered(gateway, statement)
    gateway.provider.asked.clear()
    path, body = wishes[wish]
    assert gateway.call("POST", path, **body)["error"] == "BOOKS_DISPUTED"
    assert "POST" not in {method for method, _ in gateway.provider.asked}


def test_nothing_is_asked_for_while_the_log_does_not_go_on_from_its_kept_head(
    gateway: Gateway,
) -> None:
    account = gateway.open_account()
    home, money = f"/trading-accounts/{account}", {"amount": "1.00", "currency": TOKEN}
    buys = {"tradingAccountId": account}
    trade = gateway.call("POST", f"/trading/quotes/{gateway.quote()}", **buys)["id"]
    link, verified = _wallet(gateway, "DDA-2")
    ownership = link.replace("counterparties", "1P-counterparty-ownership")
    named = {"address": verified["address"], "network": "ethereum"}
    wallet = {"counterpartyId": gateway.call("POST", "/counterparties", **named)["id"]}
    challenge = gateway.call("POST", f"{ownership}-challenges", **wallet)["id"]
    claim = {**wallet, "challengeId": challenge, "completedChallenge": "0x12"}
    new = {"bankAccountId": "DDA-3", "bankAccountType": "checking"}
    wishes: Mapping[Operation[Any], tuple[str, dict[str, Any]]] = {
        op.WITHDRAW: (home + WITHDRAWALS, money),
        op.DEPOSIT: (f"{home}/deposits", money),
        op.OPEN_TRADING_ACCOUNT: ("/trading-accounts", new),
        op.CREATE_QUOTE: ("/trading/markets/sol-usd/quotes", {"amount": "1.00", "side": "buy"}),
        op.EXECUTE_QUOTE: (f"/trading/quotes/{gateway.quote()}", buys),
        op.CANCEL_TRADE: (f"{home}/trades/{trade}/cancellations", {}),
        op.REGISTER_COUNTERPARTY: ("/counterparties", named),
        op.CREATE_CHALLENGE: (f"{ownership}-challenges", wallet),
        op.SUBMIT_CLAIM: (f"{ownership}-claims", claim),
        op.LINK_COUNTERPARTY: (link, verified),
    }
    offered = {each for each in op.WRITES.values() if calls.is_offered(each)}
    assert wishes.keys() == {each for each in offered if calls.is_forwarded(each)}
    kept = _cut_behind_kept_head(gateway, account)
    gateway.provider.asked.clear()
    for path, body in wishes.values():
        assert gateway.call("POST", path, **body)["error"] == "BOOKS_DISPUTED", path
    assert {method for method, _ in gateway.provider.asked} == {"GET"}
    assert disputed(gateway) == ["log default"]
    kept.accept(gateway.own.context.database)
    for path, body in [each for of, each in wishes.items() if of is not op.WITHDRAW]:
        assert "error" not in gateway.call("POST", path, **body) or body is claim, path


def test_a_request_is_not_repeated_while_the_log_does_not_go_on_from_its_kept_head(
    tmp_path: Path,
) -> None:
    with gateway_before(tmp_path, honours_keys=True) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}/deposits"
        gateway.provider.keep_silent("POST", "/deposits")
        assert gateway.post(path, "d1", amount="1.00", currency=TOKEN).status_code == 504
        gateway.provider.answer_again()
        kept = _cut_behind_kept_head(gateway, account)
        asked = gateway.provider.asked.count(("POST", path))
        gateway.advance(61)
        assert gateway.provider.asked.count(("POST", path)) == asked
        assert disputed(gateway) == ["log default"]
        kept.accept(gateway.own.context.database)
        gateway.advance(61)
        assert gateway.provider.asked.count(("POST", path)) == asked + 1
        assert [each["amount"] for each in gateway.call("GET", path)["data"]][:1] == ["1.00"]


def test_a_frozen_account_s_withdrawal_waits_while_the_log_lacks_its_newest_entries(
    tmp_path: Path,
) -> None:
    """They may say that the provider has paid it, as after the restore of an older backup."""
    with gateway_before(tmp_path, TWO_PERSONS) as gateway:
        account = gateway.open_account()
        path = f"/trading-accounts/{account}{WITHDRAWALS}"
        waiting = gateway.call("POST", path, amount="600.00", currency=TOKEN)
        gateway.approve(gateway.call("GET", "/decisions")["data"][0]["id"])
        freeze = {"kind": "control", "subject": account, "control": "FROZEN", "reason": "OTHER"}
        with gateway.as_desk("carla") as desk:
            assert desk.post("/decisions", json=freeze).status_code == 201
        kept = _cut_behind_kept_head(gateway, account)
        gateway.advance(1)
        assert gateway.call("GET", f"{path}/{waiting['id']}")["status"] == "processing"
        assert disputed(gateway) == ["log default"]
        kept.accept(gateway.own.context.database)
        for each in gateway.own.engine.disputes().data:
            gateway.own.engine.clear_dispute(each.id, ClearDispute(reason="looked at"))
        gateway.advance(61)
        assert gateway.call("GET", f"{path}/{waiting['id']}")["status"] == "failed"


def _cut_behind_kept_head(gateway: Gateway, account: str) -> KeptHeads:
    """Somebody with SQL removes the newest entry, a refusal that wrote no row."""
    to_wallet = {"type": "counterparty", "counterpartyId": "CPT_1", "blockchainAccountId": "BCA_1"}
    asked = {"amount": "1.00", "currency": TOKEN, "destination": to_wallet}
    refused = gateway.call("POST", f"/trading-accounts/{account}{WITHDRAWALS}", **asked)
    assert refused["error"] == "VALIDATION_ERROR"
    return cut_behind_kept_head(gateway.own.context)


def altered(gateway: Gateway, *statements: str) -> None:
    """What somebody does who has SQL and no writer's key."""
    with unguarded(gateway.own.context) as connection:
        for each in statements:
            connection.execute(text(each.replace(":", "\\:")))
        guards.create(connection)
        connection.commit()


def disputed(gateway: Gateway) -> list[str]:
    with gateway.own.context.database.read() as connection:
        return [each.where for each in listed(connection)]
