"""A bank in which one record is brought to a status, to be moved on from each place."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.training.worlds import POLICY, SEED, TEMPERAMENTS, WALLETS
from tests.transitions.table import GONE, NONE
from tests.world.serving import served

from chainteller.domain.actors import SCOPES, Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.challenges import MAXIMUM_ATTEMPTS
from chainteller.domain.clock import HOUR, SECOND, format_instant, to_datetime
from chainteller.engine.core.breaches import Breach
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.engine import Engine
from chainteller.engine.operations import disputes, transfer_reports
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.operations.transfer_reports import Report
from chainteller.remote.client import RemoteService
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import ServiceError
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.books import ClearDispute
from chainteller.service.models.counterparties import ReverificationRequest, StatementRequest
from chainteller.service.models.decisions import Approval, OpenDecision, Refusal
from chainteller.service.models.pages import ListQuery
from chainteller.sqlite import sqlite3
from chainteller.training.opening import open_session
from chainteller.training.playing import SessionSurroundings
from chainteller.training.scenarios import CHANGES, Trigger, WorldChange, load
from chainteller.training.session import Session
from chainteller.training.steps import Player
from chainteller.training_world import ThrowawayWorld

SCENARIO = """
title = "A transition"
about = "A record is brought to a status."
level = 1
time_limit = "900h"
par_time = "3m"
par_keys = 10
setup = []
[customer]
bank_account = "DDA-1001"
wallet = "alice-ethereum"
[[story]]
says = "Hello."
[[goal]]
id = "one"
part = "correctness"
says = "One"
missed = "None"
check = "trades"
[[goal]]
id = "quiet"
part = "safety"
says = "Quiet"
missed = "Loud"
check = "never_told"
any_of = ["something"]
"""


class Life:
    """A session of its own; ``engine`` is the bank as whoever may do everything."""

    def __init__(
        self,
        folder: Path,
        base: Path,
        *,
        deposit_delay_s: float = 0,
        is_administrator: bool = False,
    ) -> None:
        """``is_administrator`` says who has the session's console; usually the trainee."""
        file = folder / "transition.toml"
        file.write_text(SCENARIO, encoding="utf-8")
        bank = folder / "bank"
        bank.mkdir()
        world = ThrowawayWorld(bank, SEED, base, POLICY)
        context = world._engine.context
        options = replace(context.options, deposit_delay_s=deposit_delay_s)
        context = replace(context, options=options)
        self.engine = world._engine = Engine(context, Actor(name="operator"))
        trainee = Engine(context, world.service.actor)  # type: ignore[attr-defined]
        world.service = self.engine if is_administrator else trainee
        given = load(file, WALLETS)
        self.session: Session = open_session(given, world, SEED, WALLETS, TEMPERAMENTS)
        self._own = self.session.service
        self.player = Player(self._own, SessionSurroundings(self.session), WALLETS)
        self.player.use(given.customer.bank_account, given.customer.wallet)

    def play(self, *steps: str) -> None:
        """Steps as written, or acts of this module in brackets. No trainee is an administrator."""
        for step in steps:
            service, act = self.player._service, ACTS.get(step)
            if act is not None:
                is_own = service is self._own
                act(self, self.engine if is_own and step in _ADMINISTERED else service)
            else:
                self.player.play(step)
                assert self.player.refused is None or "wrong" in step, (step, self.player.refused)

    def wait(self, seconds: float) -> None:
        self.session.advance(round(seconds * SECOND))

    @property
    def account(self) -> str:
        return self.session.account_id or ""

    @property
    def custody(self) -> str:
        return self.player._ids.get("blockchain account", "")

    def newest(self, kind: str) -> Any:
        """The newest record of the customer; None before there is one."""
        rows = LISTS[kind](self)
        return rows[0] if rows else None

    def words(self) -> Mapping[str, str]:
        """What lines of commands name."""
        ids = {name.replace(" ", "_"): value for name, value in self.player._ids.items()}
        address = self.session.addresses["alice-ethereum"]
        found = {**self.player._texts, **ids, "account": self.account, "address": address}
        for kind in ("withdrawal", "deposit", "decision", "agent", "dispute"):
            newest = self.newest(kind)
            found[kind] = newest.id if newest else ""
        return found

    @contextmanager
    def serving(self) -> Iterator[tuple[str, str, RemoteService]]:
        """Its address, an API key, and a client of it."""
        options = DeploymentOptions("0.0.test", rate_limits=False)
        key = ApiKeys(self.engine.context, environment="test").create("branch", SCOPES).text
        with served(EmbeddedDeployment(Engine(self.engine.context), options)) as address:
            remote = RemoteService(address, key)
            try:
                yield address, key, remote
            finally:
                remote.close()


Act = Callable[[Life, Any], object]


def _decide(kind: str, *, approves: bool) -> Act:
    def act(_life: Life, service: Any) -> None:
        query = ListQuery(type=kind, status="open", sort="-created")
        found = service.decisions(query).data[0].id
        if approves:
            service.approve_decision(found, Approval())
        else:
            service.refuse_decision(found, Refusal(reason="OTHER"))

    return act


def _report(direction: str, status: str) -> Act:
    def act(life: Life, _service: Any) -> None:
        told = Report(life.newest(direction).id, status, "The bank said so.")
        transfer_reports.record(life.engine.context, Actor(name="operator"), told)

    return act


def _change(kind: str) -> Act:
    """What a scenario's change does."""

    def act(life: Life, _service: Any) -> None:
        name = "alice-ethereum" if kind == "reverify" else "sol-usd"
        reason = "SUSPICIOUS_ACTIVITY" if kind == "reverify" else "MAINTENANCE"
        life.session._change(WorldChange(Trigger("start", 0), kind, name, reason))

    return act


def _open(kind: str, *, lasts: bool = True) -> Act:
    """A control or a closed market, until somebody ends it or for an hour."""

    def act(life: Life, service: Any) -> None:
        ends = None if lasts else format_instant(life.engine.now() + HOUR)
        is_control = kind == "control"
        service.open_decision(
            OpenDecision(
                kind=kind,
                subject=life.account if is_control else "sol-usd",
                control="FROZEN" if is_control else None,
                reason="MAINTENANCE",
                until=ends,
            )
        )

    return act


def _state(life: Life, service: Any) -> None:
    asked = StatementRequest(
        counterparty_id=life.player._id("counterparty"), reason="OTHER", statement="It is mine."
    )
    service.create_ownership_statement(life.custody, asked)


def _fail_to_sign(life: Life, service: Any) -> None:
    """Answer the newest challenge with wrong signatures until nobody may answer it any more."""
    claim = life.player._claim
    life.player._texts["signature"] = "0x" + "11" * 65
    for _ in range(MAXIMUM_ATTEMPTS):
        with suppress(ServiceError):
            service.submit_claim(life.custody, claim())


def _reverify(life: Life, service: Any) -> None:
    wallet = life.player._id("counterparty")
    asked = ReverificationRequest(reason="AGENT_REQUEST")
    service.require_reverification(life.custody, wallet, asked)


def _enrol(_life: Life, service: Any) -> None:
    service.enrol_agent(EnrolAgent(name="a.brandt", public_key=public_key_text(bytes(32))))


def _admit(life: Life, service: Any) -> None:
    roles = ApproveAgent(roles=("agent",), expires="90d")
    service.approve_agent(life.newest("agent").id, roles)


def _dispute(life: Life, _service: Any) -> None:
    breach = Breach(20, "changed", "trade TXN_1", "default")
    disputes.open_for(life.engine.context, [breach])


ACTS: Mapping[str, Act] = {
    **{
        f"[{word} {kind}]": _decide(kind, approves=word == "approve")
        for word in ("approve", "refuse")
        for kind in ("withdrawal", "control", "market", "ownershipStatement")
    },
    **{
        f"[{direction} {status}]": _report(direction, status)
        for direction in ("deposit", "withdrawal")
        for status in ("failed", "returned")
    },
    **{f"[{kind}]": _change(kind) for kind in CHANGES},
    "[close]": _open("market"),
    "[close for an hour]": _open("market", lasts=False),
    "[freeze for an hour]": _open("control", lasts=False),
    "[state]": _state,
    "[reverify wallet]": _reverify,
    "[wrong signatures]": _fail_to_sign,
    "[enrol]": _enrol,
    "[admit]": _admit,
    "[revoke]": lambda life, service: service.revoke_agent(life.newest("agent").id),
    "[dispute]": _dispute,
    "[clear]": lambda life, service: service.clear_dispute(
        life.newest("dispute").id, ClearDispute(reason="put back")
    ),
}
"""Steps that written scenarios don't have."""
_ADMINISTERED = {step for step in ACTS if "market" in step or "close" in step}


def _of_account(read: str) -> Callable[[Life], Any]:
    return lambda life: getattr(life.engine, read)(life.account).data if life.account else ()


def _of_custody(read: str) -> Callable[[Life], Any]:
    return lambda life: getattr(life.engine, read)(life.custody).data if life.custody else ()


def _decisions(life: Life) -> Any:
    found = life.engine.decisions(ListQuery(sort="-created")).data
    return [each for each in found if each.created >= to_datetime(life.session.started_at)]


def _claims(life: Life) -> Any:
    """No list has them: the newest one since the session began, as the database has it."""
    path = life.engine.context.database.path
    assert path is not None
    with closing(sqlite3.connect(path)) as reading:
        found = reading.execute(
            "SELECT id FROM claim WHERE created >= ? ORDER BY created DESC LIMIT 1",
            (life.session.started_at,),
        ).fetchall()
    return [life.engine.claim_by_id(claim_id) for (claim_id,) in found]


LISTS: Mapping[str, Callable[[Life], Any]] = {
    "quote": lambda life: life.engine.quotes(ListQuery(trading_account_id=life.account)).data,
    "trade": _of_account("trades"),
    "deposit": _of_account("deposits"),
    "withdrawal": _of_account("withdrawals"),
    "decision": _decisions,
    "blockchain account": lambda life: (
        life.engine.blockchain_accounts(ListQuery(trading_account_id=life.account)).data
    ),
    "challenge": _of_custody("challenges"),
    "claim": _claims,
    "small transfer": _of_custody("small_transfers"),
    "statement": _of_custody("ownership_statements"),
    "agent": lambda life: [
        each for each in life.engine.agents().data if each.name not in ("trainee", "s.iyer")
    ],
    "dispute": lambda life: life.engine.disputes().data,
}
"""The records of the customer, or of the bank where they are of nobody, the newest first."""


def status(life: Life, record: str) -> str:
    """The status of the newest record of a kind, by the names of the table."""
    if record == "trading account":
        return "open" if life.account else NONE
    if record == "control":
        return next(iter(life.engine.trading_account(life.account).controls), GONE)
    if record == "market":
        return "open" if life.engine.market("sol-usd").status == "open" else "closed"
    if record == "wallet":
        return _wallet_status(life)
    found = life.newest(record)
    if found is None:
        return NONE
    if record == "dispute":
        return "cleared" if found.cleared else "open"
    return str(found.status)


def _wallet_status(life: Life) -> str:
    address = life.session.addresses["alice-ethereum"]
    linked = [
        each.verification
        for account in LISTS["blockchain account"](life)
        for each in life.engine.linked_counterparties(account.id).data
        if each.address == address and each.verification is not None
    ]
    if linked:
        return str(linked[0].status)
    known = life.engine.counterparties(ListQuery(text=address)).data
    return "registered" if known else NONE
