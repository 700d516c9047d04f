"""Agents over HTTP: who may do what, signed, revoked, and on record with their case."""

import http.client
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.agents.desks import AGENTS, CASES, DECIDE, POLICY, Bank, Desk, served_bank
from tests.refusals import details, refusal
from tests.world.bank import build, sqlite_url
from tests.world.waiting import PATIENCE_S

from chainteller.domain.actors import Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import SECOND
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.options import Rate, Rates
from chainteller.domain.policy import Policy
from chainteller.domain.signed_requests import Target
from chainteller.engine.operations.keys import REMEMBERED_S
from chainteller.service.cases import ForCase
from chainteller.service.errors import BooksDisputed, ServiceError, ValidationFailed
from chainteller.service.interface import Service
from chainteller.service.layers import layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.counterparties import (
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.decisions import Approval, OpenDecision, Refusal
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import EVENT_STREAM

USD = Currency(type="deposit-token-currency", id="DPT_USD")
ONE = DepositRequest(amount="1.00", currency=USD)
OPEN = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    with served_bank(tmp_path) as found:
        yield found


@pytest.fixture
def strict(tmp_path: Path) -> Iterator[Bank]:
    """Wants a case for everything that a person changes."""
    with served_bank(tmp_path, CASES) as found:
        yield found


def account_of(bank: Bank) -> str:
    return bank.world.engine.open_trading_account(OPEN).value.id


def reason(error: ServiceError) -> str:
    return str(details(error)["reason"])


def outcome_of(desk: Desk) -> str | None:
    try:
        desk.service.trading_accounts()
    except ServiceError as error:
        return reason(error)
    return None


def in_case(service: Service, case_id: str) -> Service:
    return layered(service, ForCase(lambda: case_id))


def test_a_desks_key_alone_can_only_enrol(bank: Bank) -> None:
    nobody = bank.remote(bank.desk_key)
    assert reason(refusal(nobody.trading_accounts)) == "AGENT_REQUIRED"
    assert nobody.capabilities().actor.startswith("branch")
    waiting = bank.enrol("a.brandt")
    assert waiting.agent.status == "waiting"
    error = refusal(waiting.service.trading_accounts)
    assert (error.code, reason(error)) == ("UNAUTHORIZED", "AGENT_WAITING")
    assert "agents approve" in error.suggestion


def test_a_systems_key_needs_nobody_and_decides_nothing(bank: Bank) -> None:
    system = bank.remote(bank.world.key())
    account = system.open_trading_account(OPEN).value.id
    frozen = OpenDecision(kind="control", subject=account, control="FROZEN", reason="X")
    assert refusal(system.open_decision, frozen).code == "FORBIDDEN"
    with pytest.raises(ValidationFailed):
        bank.world.key("decisions:write")


def test_an_agent_is_on_record_with_key_and_case(bank: Bank) -> None:
    desk, account = bank.desk("a.brandt"), account_of(bank)
    in_case(desk.service, "INC-20931").deposit(account, ONE)
    (row,) = bank.world.engine.audit(ListQuery(case_id="INC-20931")).data
    assert (row.actor, row.agent, row.case) == ("a.brandt", desk.id, "INC-20931")
    assert row.action == "deposit"
    assert bank.world.engine.audit(ListQuery(case_id="INC-2093")).data == ()
    assert desk.service.capabilities().actor == "a.brandt"


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("agent", "deposit"), ("reviewer", "deposit decide"), ("auditor", ""),
     ("supervisor", "deposit decide freeze approve")],
)  # fmt: skip
def test_a_role_allows_what_the_policy_says(bank: Bank, role: str, allowed: str) -> None:
    desk, account = bank.desk("a.brandt", role), account_of(bank)
    waiting = bank.enrol("s.iyer")
    frozen = OpenDecision(kind="control", subject=account, control="FROZEN", reason="X")
    if "deposit" in allowed:
        desk.service.deposit(account, ONE)
    else:
        assert refusal(desk.service.deposit, account, ONE).code == "FORBIDDEN"
    standing = bank.world.engine.open_decision(frozen).value
    tried: dict[str, Callable[[], object]] = {
        "decide": lambda: desk.service.take_decision(standing.id),
        "freeze": lambda: desk.service.approve_decision(standing.id, Approval()),
        "approve": lambda: desk.service.approve_agent(waiting.id, ApproveAgent(roles=("agent",))),
    }
    for name, act in tried.items():
        if name in allowed.split():
            act()
        else:
            error = refusal(act)
            assert error.code == "FORBIDDEN"
            assert details(error)["requiredScope"]
    assert desk.service.trading_account(account).id == account


def test_an_agent_has_nothing_that_the_api_key_lacks(bank: Bank) -> None:
    bank.desk_key = bank.world.key("accounts:read", "desk")
    desk, account = bank.desk("a.brandt"), account_of(bank)
    assert desk.service.trading_account(account).id == account
    assert refusal(desk.service.deposit, account, ONE).code == "FORBIDDEN"


def test_an_agent_leaves_the_others_of_the_key_their_rate(tmp_path: Path) -> None:
    with served_bank(tmp_path, rates=Rates(read=Rate(0.001, 4))) as bank:
        busy, other = bank.desk("a.brandt"), bank.desk("m.koch")
        found = [_code(busy) for _ in range(5)]
        assert (found[0], found[-1]) == ("", "RATE_LIMITED")
        assert _code(other) == ""


def _code(desk: Desk) -> str:
    try:
        desk.service.trading_accounts()
    except ServiceError as error:
        return error.code
    return ""


def test_a_revoked_agent_is_out_at_once(bank: Bank) -> None:
    desk, supervisor = bank.desk("a.brandt"), bank.desk("m.koch", "supervisor")
    desk.service.trading_accounts()
    revoked = supervisor.service.revoke_agent(desk.id).value
    assert (revoked.status, revoked.revoked_by) == ("revoked", "m.koch")
    ends = time.monotonic() + REMEMBERED_S + PATIENCE_S
    outcome = None
    while outcome is None and time.monotonic() < ends:
        outcome = outcome_of(desk)
    assert outcome == "AGENT_REVOKED"
    assert supervisor.service.revoke_agent(desk.id).value == revoked


def test_an_agent_expires(bank: Bank) -> None:
    desk = bank.desk("a.brandt", expires="1h")
    desk.service.trading_accounts()
    bank.world.advance(3_600)
    assert reason(refusal(desk.service.trading_accounts)) == "AGENT_EXPIRED"
    assert [each.status for each in bank.world.engine.agents().data] == ["expired"]


def test_a_signature_holds_for_a_minute(bank: Bank) -> None:
    desk = bank.desk("a.brandt")
    slow = bank.world.clock
    assert slow is not None
    at = slow.now()
    for refused in (-61, 61):
        desk.sign._clock = type(slow)(at + refused * SECOND)
        assert reason(refusal(desk.service.trading_accounts)) == "SIGNATURE_TIME"
    for taken in (-59, 59):
        desk.sign._clock = type(slow)(at + taken * SECOND)
        desk.service.trading_accounts()


def test_a_copy_of_the_agents_id_is_no_agent(bank: Bank) -> None:
    desk, other = bank.desk("a.brandt"), bank.desk("s.iyer")
    other.sign._agent_id = desk.id
    assert reason(refusal(other.service.trading_accounts)) == "SIGNATURE_INVALID"


def test_a_key_that_only_the_database_has_enrolled_is_not_approved(bank: Bank) -> None:
    """Somebody with SQL and no writer's key puts a key of theirs in the place of an agent's."""
    waiting = bank.enrol("a.brandt")
    engine = bank.world.engine
    with engine.context.database.write() as connection:
        connection.execute(text("UPDATE agent SET public_key = 'ff' WHERE name = 'a.brandt'"))
        connection.commit()
    with pytest.raises(BooksDisputed):
        engine.approve_agent(waiting.id, ApproveAgent(roles=("agent",)))
    assert [each.where for each in engine.disputes().data] == [f"agent {waiting.id}"]


@pytest.mark.parametrize(
    ("roles", "problem"),
    [(("supervisor",), "FORBIDDEN"), (("boss",), "VALIDATION_ERROR"),
     ((), "VALIDATION_ERROR"), (("agent", "reviewer"), "")],
)  # fmt: skip
def test_nobody_gives_more_than_they_have(
    tmp_path: Path, roles: tuple[str, ...], problem: str
) -> None:
    policy = Policy(roles=(*POLICY.roles, ("lead", (DECIDE, AGENTS))))
    with served_bank(tmp_path, policy) as bank:
        lead = bank.desk("m.koch", "lead", "agent")
        waiting = bank.enrol("a.brandt")
        asked = ApproveAgent(roles=roles)
        if problem:
            assert refusal(lead.service.approve_agent, waiting.id, asked).code == problem
        else:
            assert lead.service.approve_agent(waiting.id, asked).value.roles == roles


def test_nobody_approves_a_machine_of_their_own(bank: Bank) -> None:
    supervisor = bank.desk("m.koch", "supervisor")
    second = bank.enrol("m.koch")
    error = refusal(
        supervisor.service.approve_agent, second.id, ApproveAgent(roles=("supervisor",))
    )
    assert (error.code, reason(error)) == ("CONFLICT", "SAME_PERSON")


def test_what_cannot_be_enrolled_is_named(bank: Bank) -> None:
    desk = bank.enrol("a.brandt", bytes(32))
    error = refusal(bank.enrol, "a.brandt", bytes(32))
    assert (reason(error), details(error)["id"]) == ("ALREADY_ENROLLED", desk.id)
    client = bank.remote(bank.desk_key)
    for name in ("", "A Brandt", "worker", "local", "x" * 65, "-x"):
        asked = EnrolAgent(name=name, public_key=public_key_text(bytes(32)))
        assert refusal(client.enrol_agent, asked).code == "VALIDATION_ERROR"
    for key in ("", "AAAA", public_key_text(bytes(31)), public_key_text(bytes(33)), "é" * 60):
        asked = EnrolAgent(name="a.brandt", public_key=key)
        assert refusal(client.enrol_agent, asked).code == "VALIDATION_ERROR"
    bank.world.engine.approve_agent(desk.id, ApproveAgent(roles=("agent",)))
    twice = refusal(bank.world.engine.approve_agent, desk.id, ApproveAgent(roles=("agent",)))
    assert reason(twice) == "NOT_WAITING"


def test_a_case_is_required_of_people_alone(strict: Bank) -> None:
    desk, account = strict.desk("a.brandt"), account_of_case(strict)
    assert refusal(desk.service.deposit, account, ONE).code == "CASE_REQUIRED"
    for case_id in ("20931", "INC-209", "INC-20931x", "INC-2093\t1"):
        error = refusal(in_case(desk.service, case_id).deposit, account, ONE)
        assert error.code in ("VALIDATION_ERROR", "UNAUTHORIZED"), case_id
    in_case(desk.service, "INC-20931").deposit(account, ONE)
    desk.service.trading_account(account)
    strict.remote(strict.world.key()).deposit(account, ONE)
    assert refusal(strict.world.engine.deposit, account, ONE).code == "CASE_REQUIRED"


def account_of_case(bank: Bank) -> str:
    return in_case(bank.world.engine, "INC-0001").open_trading_account(OPEN).value.id


def test_a_refused_request_is_on_record_with_its_agent(bank: Bank) -> None:
    desk, account = bank.desk("a.brandt"), account_of(bank)
    too_much = DepositRequest(amount="1.001", currency=USD)
    refusal(in_case(desk.service, "INC-20931").deposit, account, too_much)
    (row,) = bank.world.engine.audit(ListQuery(case_id="INC-20931")).data
    assert (row.agent, row.outcome) == (desk.id, "refused")


def test_the_embedded_bank_works_as_its_user(bank: Bank) -> None:
    local = bank.world.engine.acting_as(Actor(name="a.brandt"))
    account = local.open_trading_account(OPEN).value.id
    frozen = OpenDecision(kind="control", subject=account, control="FROZEN", reason="X")
    assert local.open_decision(frozen).value.opened_by == "a.brandt"


def desks_of(bank: Bank, count: int) -> list[Desk]:
    return [bank.desk(f"agent-{number}") for number in range(count)]


def test_agents_are_listed(bank: Bank) -> None:
    first, second = desks_of(bank, 2)
    listed = first.service.agents().data
    assert {each.id for each in listed} == {first.id, second.id}
    assert {each.approved_by for each in listed} == {"test"}


def test_what_is_decided_and_approved_is_answered_over_http(bank: Bank) -> None:
    """Namesakes in request and answer differ: the reason, the words of the answer, the end."""
    supervisor, account = bank.desk("m.koch", "supervisor"), account_of(bank)
    frozen = OpenDecision(
        kind="control", subject=account, control="FROZEN", reason="RISK", words=" A call "
    )
    standing = supervisor.service.open_decision(frozen).value
    kept = supervisor.service.refuse_decision(
        standing.id, Refusal(reason="INVESTIGATION", answer=" Not yet. ")
    ).value
    assert (kept.status, kept.outcome, kept.answer) == ("refused", "INVESTIGATION", "Not yet.")
    waiting = bank.enrol("a.brandt")
    asked = ApproveAgent(roles=("agent",), expires="90d")
    assert supervisor.service.approve_agent(waiting.id, asked).value.expires is not None


def test_who_looked_at_an_account_is_on_record(tmp_path: Path) -> None:
    """Once for each agent and case in ten minutes, of agents alone, and with nothing that was
    read."""
    with served_bank(tmp_path, starts=True) as bank:
        desk, other = desks_of(bank, 2)
        account = account_of(bank)
        for _ in range(3):
            desk.service.trading_account(account)
            in_case(desk.service, "INC-1").token_balances(account)
        other.service.limits(account)
        other.service.trading_accounts()
        bank.remote(bank.world.key()).trading_account(account)
    world = build(sqlite_url(tmp_path))
    found = [
        row for row in world.engine.audit(ListQuery(text=account)).data if row.action == "look"
    ]
    world.engine.close()
    assert {(row.actor, row.case) for row in found} == {
        ("agent-0", None), ("agent-0", "INC-1"), ("agent-1", None),
    }  # fmt: skip
    assert len(found) == 3
    assert all((row.object, dict(row.inputs)) == (account, {}) for row in found)


def test_after_the_first_deadline_an_agents_role_decides(tmp_path: Path) -> None:
    condition = ReviewCondition.UNVERIFIED_WALLET
    line = ReviewLine(condition, 0, 3_600, AtDeadline.ESCALATE, "supervisor")
    with served_bank(tmp_path, POLICY._replace(review=(line,))) as bank:
        reviewer, supervisor = (
            bank.desk("a.brandt", "reviewer"), bank.desk("m.koch", "supervisor")
        )  # fmt: skip
        waiting = _withdrawn(bank)
        bank.world.advance(3_600)
        (found,) = reviewer.service.decisions(ListQuery(text=waiting)).data
        assert (found.status, found.to_role) == ("open", "supervisor")
        error = refusal(reviewer.service.approve_decision, found.id, Approval())
        assert (error.code, details(error)["role"]) == ("ROLE_REQUIRED", "supervisor")
        approved = supervisor.service.approve_decision(found.id, Approval()).value
        assert (approved.status, approved.decided_by) == ("approved", "m.koch")


def _withdrawn(bank: Bank) -> str:
    """A withdrawal to an unverified wallet, which waits for a person."""
    engine, account = bank.world.engine, account_of(bank)
    usdc = Currency(type="stablecoin-currency", symbol="USDC", network="solana")
    engine.deposit(account, DepositRequest(amount="50.00", currency=usdc))
    asked = OpenBlockchainAccount(trading_account_id=account, network="solana")
    custody = engine.open_blockchain_account(asked).value.id
    address = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
    wallet = engine.register_counterparty(RegisterCounterparty(address=address, network="solana"))
    bank.world.advance(25 * 3_600)
    to = Destination(
        type="counterparty", counterparty_id=wallet.value.id, blockchain_account_id=custody
    )
    request = WithdrawalRequest(amount="20.00", currency=usdc, destination=to)
    return engine.withdraw(account, request).value.id


def test_a_refused_agent_is_on_record(tmp_path: Path) -> None:
    with served_bank(tmp_path, starts=True) as bank:
        waiting = bank.enrol("a.brandt")
        refusal(waiting.service.trading_accounts)
        refusal(bank.remote(bank.desk_key).trading_accounts)
    world = build(sqlite_url(tmp_path))
    (row,) = (each for each in world.engine.audit().data if each.action == "refuse_agent")
    world.engine.close()
    assert row.inputs["reasons"] == {"AGENT_REQUIRED": 1, "AGENT_WAITING": 1}
    assert row.error == "UNAUTHORIZED"


def test_a_revoked_agents_stream_ends(tmp_path: Path) -> None:
    with served_bank(tmp_path, ping_s=0.05) as bank:
        desk, path = bank.desk("a.brandt"), EVENT_STREAM.path
        line = http.client.HTTPConnection(bank.address.removeprefix("http://"), timeout=PATIENCE_S)
        signed = desk.sign(Target("GET", path, ""), {}, None)
        line.request("GET", path, headers={"Authorization": f"Bearer {bank.desk_key}", **signed})
        stream = line.getresponse()
        assert stream.status == 200
        assert any(b"ping" in line for line in iter(stream.readline, b""))
        bank.world.engine.revoke_agent(desk.id)
        ends = time.monotonic() + PATIENCE_S
        while stream.readline():
            assert time.monotonic() < ends, "the stream goes on"
        line.close()
