"""Six agents in five roles and a policy: random steps, judged from the trail by a script that knows
nothing of the product."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.agents import trail_check
from tests.agents.desks import AGENTS, CONTROL, DECIDE, READ, SERVE, Bank, Desk, served_bank

from chainteller.domain.agents import Permission
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.limits import DestinationClass
from chainteller.domain.policy import CasePolicy, CaseWanted, Needing, Policy, TwoPersons
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.engine.verification.full_pass import verify
from chainteller.service.cases import ForCase
from chainteller.service.errors import ServiceError
from chainteller.service.interface import Service
from chainteller.service.layers import layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.agents import ApproveAgent
from chainteller.service.models.decisions import Approval, DecisionNote, OpenDecision, Refusal
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.pages import ListQuery

ROLES: tuple[tuple[str, tuple[Permission, ...]], ...] = (
    ("agent", (SERVE,)),
    ("reviewer", (SERVE, DECIDE)),
    ("lead", (SERVE, DECIDE, CONTROL)),
    ("supervisor", (DECIDE, CONTROL, AGENTS)),
    ("auditor", (READ,)),
)
PATTERN = "INC-[0-9]{4,}"
POLICY = Policy(
    (ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 3_600, AtDeadline.REFUSE),),
    ROLES,
    CasePolicy(CaseWanted.REQUIRED, PATTERN),
    TwoPersons(5_000, 1_800, frozenset({Needing.LIFT})),
)
PEOPLE = {
    "a.brandt": "agent", "r.iyer": "reviewer", "s.okafor": "reviewer", "l.moreau": "lead",
    "m.koch": "supervisor", "x.audit": "auditor",
}  # fmt: skip
Item = TypeVar("Item")
USD = Currency(type="deposit-token-currency", id="DPT_USD")
STEPS = 250


class Office:
    """What people try, each on a machine of their own, with a case or without one."""

    def __init__(self, bank: Bank, seed: str) -> None:
        self.bank, self.randomness = bank, SeededRandomness(seed)
        self.desks: dict[str, list[Desk]] = {
            name: [bank.desk(name, role)] for name, role in PEOPLE.items()
        }
        self.system = bank.remote(bank.world.key(name="app"))
        self.accounts = [self._opened(number) for number in (1, 2, 3)]
        self.withdrawals: list[tuple[str, str]] = []
        self.tried = self.done = 0

    def _opened(self, number: int) -> str:
        kind = "checking" if number % 2 else "savings"
        asked = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
        account = self.system.open_trading_account(asked).value.id
        self.system.deposit(account, DepositRequest(amount="50000.00", currency=USD))
        return account

    def step(self) -> None:
        name = self.pick(tuple(PEOPLE))
        desk = self.pick(self.desks[name])
        case_id = self.pick(("", "INC-7", "INC-20931", "INC-20932", "INC-20933"))
        service = layered(desk.service, ForCase(lambda: case_id))
        act = self.pick(ACTS)
        self.tried += 1
        try:
            act(self, service, name)
        except ServiceError:
            return
        self.done += 1

    def pick(self, options: Sequence[Item]) -> Item:
        return options[below(self.randomness, len(options))]

    def open_decision(self) -> str | None:
        found = self.bank.world.engine.decisions(ListQuery(status="open", limit=50)).data
        return self.pick(found).id if found else None


def deposit(office: Office, service: Service, _name: str) -> None:
    asked = DepositRequest(amount="10.00", currency=USD)
    service.deposit(office.pick(office.accounts), asked)


def withdraw(office: Office, service: Service, _name: str) -> None:
    account = office.pick(office.accounts)
    asked = WithdrawalRequest(amount=office.pick(("10.00", "60.00")), currency=USD)
    office.withdrawals.append((account, service.withdraw(account, asked).value.id))


def system_withdraws(office: Office, _service: Service, name: str) -> None:
    withdraw(office, office.system, name)


def cancel(office: Office, service: Service, _name: str) -> None:
    if office.withdrawals:
        service.cancel_withdrawal(*office.pick(office.withdrawals[-5:]))


def approve(office: Office, service: Service, _name: str) -> None:
    if found := office.open_decision():
        service.approve_decision(found, Approval(answer="Seen."))


def refuse(office: Office, service: Service, _name: str) -> None:
    if found := office.open_decision():
        reason = office.pick(("OTHER", "NOT_CONFIRMED"))
        service.refuse_decision(found, Refusal(reason=reason))


def ask(office: Office, service: Service, _name: str) -> None:
    if found := office.open_decision():
        service.note_decision(found, DecisionNote(note="A photo"))


def freeze(office: Office, service: Service, _name: str) -> None:
    control = office.pick(("FROZEN", "SELL_ONLY", "DORMANT"))
    account = office.pick(office.accounts)
    asked = OpenDecision(kind="control", subject=account, control=control, reason="RISK")
    service.open_decision(asked)


def wait(office: Office, _service: Service, _name: str) -> None:
    office.bank.world.advance(office.pick((1, 30, 300, 1_000)))


def second_machine(office: Office, service: Service, name: str) -> None:
    """Of oneself, approved by whoever it is."""
    desk = office.bank.enrol(name)
    service.approve_agent(desk.id, ApproveAgent(roles=(PEOPLE[name],)))
    office.desks[name].append(desk)


def revoke(office: Office, service: Service, _name: str) -> None:
    """A machine of somebody who has several."""
    for desks in office.desks.values():
        if len(desks) > 1:
            service.revoke_agent(desks.pop(0).id)
            return


ACTS: tuple[Callable[[Office, Service, str], None], ...] = (
    deposit, withdraw, withdraw, system_withdraws, cancel, approve, approve, approve, approve,
    refuse, ask, freeze, wait, second_machine, revoke,
)  # fmt: skip


def exported(bank: Bank) -> dict[str, Any]:
    """What the script is given, as the deployment's own answers have it."""
    engine = bank.world.engine
    return {
        "rows": [
            each.model_dump(mode="json", by_alias=True) for each in reversed(_all(engine.audit))
        ],
        "agents": [each.model_dump(mode="json", by_alias=True) for each in _all(engine.agents)],
        "decisions": [
            each.model_dump(mode="json", by_alias=True) for each in _all(engine.decisions)
        ],
        "roles": {name: [word.value for word in may] for name, may in ROLES},
        "pattern": PATTERN,
        "systems": sorted(
            {each.actor for each in _all(engine.audit) if each.actor.startswith("app (")}
        ),
        "owners": ["test"],
    }


def _all(listed: Callable[[ListQuery], Any]) -> list[Any]:
    rows: list[Any] = []
    while True:
        page = listed(ListQuery(page=len(rows) // 100 + 1, limit=100))
        rows += page.data
        if len(page.data) < 100:
            return rows


@pytest.mark.parametrize(
    ("seed", "steps"),
    [("1", STEPS), *(pytest.param(str(n), 1_000, marks=pytest.mark.thorough) for n in range(2, 7))],
)
def test_the_trail_of_six_agents_keeps_the_policy(tmp_path: Path, seed: str, steps: int) -> None:
    limits = dict.fromkeys(DestinationClass, (10**12, 10**12, 10**12))
    with served_bank(tmp_path, POLICY, limits=limits) as bank:
        office = Office(bank, seed)
        for _ in range(steps):
            office.step()
        told = exported(bank)
        assert verify(bank.world.context.database) == ()
    assert list(trail_check.problems(told)) == []
    by_two = [each for each in told["decisions"] if each.get("needsTwo")]
    assert sum(each["status"] == "approved" for each in by_two) >= steps // 100
    assert office.done >= steps // 8
    (tmp_path / "trail.json").write_text(json.dumps(told))
    command = [sys.executable, "-I", str(Path(trail_check.__file__)), str(tmp_path / "trail.json")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.stdout == "nothing is wrong\n"


FORGED: dict[str, Callable[[dict[str, Any]], None]] = {
    "no agent": lambda row: row.update(agent=None),
    "another name": lambda row: row.update(actor="x.audit"),
    "no case": lambda row: row.update(case=None),
    "another case": lambda row: row.update(case="INC-7"),
    "an act beyond the role": lambda row: row.update(action="revoke_agent"),
}


@pytest.mark.parametrize("change", FORGED)
def test_the_script_finds_what_is_wrong(tmp_path: Path, change: str) -> None:
    """Of a trail in which each of these is altered once."""
    told = json.loads(TRAIL)
    assert list(trail_check.problems(told)) == []
    FORGED[change](told["rows"][0])
    assert len(list(trail_check.problems(told))) == 1


def test_the_script_finds_who_approved_alone() -> None:
    told = json.loads(TRAIL)
    told["decisions"][0]["firstBy"] = "r.iyer"
    assert list(trail_check.problems(told)) == ["DEC_1: approved by r.iyer, asked by r.iyer"]


TRAIL = json.dumps(
    {
        "rows": [
            {"seq": 1, "action": "withdraw", "actor": "a.brandt", "agent": "AGT_1",
             "case": "INC-2093", "outcome": "done", "object": "TXN_1"},
            {"seq": 2, "action": "approve_decision", "actor": "r.iyer", "agent": "AGT_2",
             "case": "INC-2093", "outcome": "done", "object": "DEC_1"},
        ],
        "agents": [
            {"id": "AGT_1", "name": "a.brandt", "roles": ["agent"]},
            {"id": "AGT_2", "name": "r.iyer", "roles": ["reviewer"]},
        ],
        "decisions": [
            {"id": "DEC_1", "kind": "withdrawal", "status": "approved", "needsTwo": True,
             "firstBy": "a.brandt", "firstAt": "1", "created": "1", "decidedBy": "r.iyer"}
        ],
        "roles": {"agent": ["serve"], "reviewer": ["serve", "decide"]},
        "pattern": PATTERN,
        "systems": [],
        "owners": [],
    }
)  # fmt: skip
