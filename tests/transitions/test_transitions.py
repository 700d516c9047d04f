"""Each transition of the table happens, driven once from each place that the table names."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.refusals import details, refusal
from tests.training.conftest import base
from tests.training.test_console import begun, choose_customer, console_of
from tests.transitions.life import Life, status
from tests.transitions.table import FACES, PAGE, TABLE, Transition, commands_of, page, ways
from tests.tui.conftest import answer, press

from chainteller.cli.main import run
from chainteller.domain.agents import AgentStatus
from chainteller.domain.challenges import ChallengeStatus, ClaimStatus, VerificationStatus
from chainteller.domain.decisions import DecisionStatus
from chainteller.domain.second_method import SmallTransferStatus, StatementStatus
from chainteller.domain.trades import TRANSITIONS, QuoteStatus, TradeStatus
from chainteller.domain.transfers import DEPOSIT_TRANSITIONS, WITHDRAWAL_TRANSITIONS
from chainteller.domain.webhooks import WebhookStatus
from chainteller.engine.operations.due_times import WORK
from chainteller.service.operations import WRITES
from chainteller.training.scenarios import CHANGES

__all__ = ["base"]
OPENED = ("open checking", "deposit 6000.00")
QUOTED = (*OPENED, "quote sol-usd buy 100.00")
TRADED = (*QUOTED, "execute")
PAID = (*OPENED, "withdraw 10.00")
REGISTERED = (*OPENED, "register")
COIN = (*OPENED, "quote eth-usd buy 1200.00", "execute", "wait 60s", "register", "wait 25h")
REVIEWED = (*COIN, "withdraw 0.1 ETH@ethereum wallet")
CHALLENGED = (*REGISTERED, "challenge")
SIGNED = (*CHALLENGED, "sign")
CLAIMED = (*SIGNED, "claim")
LINKED = (*CLAIMED, "link")
USED = (*COIN, *LINKED[3:], "wait 4080h", "withdraw 0.1 ETH@ethereum wallet")
STATED = (*REGISTERED, "[state]")


class Way(NamedTuple):
    """How a transition is driven from each place.

    Attributes:
        before: Steps that bring the record to its status.
        step: What is asked over HTTP, or what a report does.
        line: The same as a command; words in braces are those of ``Life.words``.
        waits: Seconds after which it has happened by itself.
        until: Steps before that, in place of ``step``.
        change: A scenario's change that makes it.
    """

    before: tuple[str, ...] = ()
    step: str = ""
    line: str = ""
    waits: float = 0
    until: tuple[str, ...] = ()
    change: str = ""
    deposit_delay_s: float = 0


PRICE = "quote sol-usd buy 100.00 --account {account}"
APPROVES, REFUSES = "decisions approve {decision}", "decisions refuse {decision} --reason OTHER"
CLAIM = (
    "wallets claim {challenge} {signature} --account {blockchain_account}"
    " --counterparty {counterparty}"
)
WAYS: Mapping[str, Way] = {
    "trading account: - > open": Way((), "open checking", "accounts open DDA-1001 --type checking"),
    "control: none > FROZEN": Way(
        OPENED, "freeze", "accounts control {account} --set FROZEN --reason OTHER",
        change="return-deposit",
    ),
    "control: FROZEN > none": Way(
        (*OPENED, "freeze"), "lift", "accounts control {account} --lift --reason identified",
        3_601, ("lift", "[freeze for an hour]"),
    ),
    "control: SELL_ONLY > FROZEN": Way(
        (*OPENED, "freeze SELL_ONLY"), "freeze",
        "accounts control {account} --set FROZEN --reason OTHER",
    ),
    "quote: - > open": Way(OPENED, "quote sol-usd buy 100.00", PRICE),
    "quote: open > executed": Way(QUOTED, "execute", "execute {quote} --account {account}"),
    "quote: open > expired": Way(QUOTED, waits=301),
    "trade: - > processing": Way(QUOTED, "execute", "execute {quote} --account {account}"),
    "trade: processing > executed": Way(TRADED, waits=12),
    "trade: processing > failed": Way((*TRADED, "[close]"), waits=7_200),
    "trade: processing > cancelled": Way(TRADED, "cancel", "trades cancel {account} {trade}"),
    "trade: executed > settled": Way((*TRADED, "wait 12s"), waits=30),
    "deposit: - > completed": Way(
        ("open checking",), "deposit 100.00", "deposit {account} 100.00"
    ),
    "deposit: - > processing": Way(
        ("open checking",), "deposit 100.00", "deposit {account} 100.00", deposit_delay_s=60
    ),
    "deposit: processing > completed": Way(
        ("open checking", "deposit 100.00"), waits=61, deposit_delay_s=60
    ),
    "deposit: processing > failed": Way(
        ("open checking", "deposit 100.00"), "[deposit failed]", deposit_delay_s=60
    ),
    "deposit: completed > returned": Way(OPENED, "[deposit returned]", change="return-deposit"),
    "withdrawal: - > processing": Way(
        OPENED, "withdraw 10.00", "withdraw {account} 10.00 --yes"
    ),
    "withdrawal: - > reviewing": Way(
        OPENED, "withdraw 5500.00", "withdraw {account} 5500.00 --yes"
    ),
    "withdrawal: reviewing > processing": Way(
        REVIEWED, "approve", APPROVES, change="approve-withdrawal"
    ),
    "withdrawal: reviewing > rejected": Way(
        REVIEWED, "refuse OTHER", REFUSES, 7_201, change="reject-withdrawal"
    ),
    "withdrawal: reviewing > cancelled": Way(
        REVIEWED, "stop", "withdrawals cancel {withdrawal} --yes"
    ),
    "withdrawal: processing > cancelled": Way(
        PAID, "stop", "withdrawals cancel {withdrawal} --yes"
    ),
    "withdrawal: processing > sent": Way(PAID, waits=6),
    "withdrawal: processing > failed": Way(
        PAID, "[withdrawal failed]", "", 6, ("freeze",), change="fail-withdrawal"
    ),
    "withdrawal: sent > completed": Way((*PAID, "wait 6s"), waits=10),
    "withdrawal: sent > failed": Way(
        (*PAID, "wait 6s"), "[withdrawal failed]", change="fail-withdrawal"
    ),
    "withdrawal: completed > returned": Way(
        (*PAID, "wait 20s"), "[withdrawal returned]", change="return-withdrawal"
    ),
    "decision: - > open": Way(
        OPENED, "freeze", "accounts control {account} --set FROZEN --reason OTHER"
    ),
    "decision: open > approved": Way(
        REVIEWED, "approve", APPROVES, 3_601, ("stop", "[freeze for an hour]"),
        change="approve-withdrawal",
    ),
    "decision: open > refused": Way(
        REVIEWED, "refuse OTHER", REFUSES, change="reject-withdrawal"
    ),
    "decision: open > withdrawn": Way(
        REVIEWED, "stop", "withdrawals cancel {withdrawal} --yes"
    ),
    "decision: open > lapsed": Way(REVIEWED, waits=7_201),
    "market: open > closed": Way(
        (), "[close]", "decisions close-market sol-usd --reason MAINTENANCE", change="close-market"
    ),
    "market: closed > open": Way(
        ("[close]",), "[approve market]", APPROVES, 3_601,
        ("[approve market]", "[close for an hour]"), change="open-market",
    ),
    "blockchain account: - > active": Way(
        OPENED, "register", "blockchain-accounts open {account} --network ethereum"
    ),
    "wallet: - > registered": Way(
        OPENED, "register", "wallets register {address} --network ethereum"
    ),
    "wallet: registered > current": Way(CLAIMED, "link", "wallets link {claim}"),
    "wallet: current > expiring": Way(USED, waits=170 * 86_400),
    "wallet: current > expired": Way(LINKED, waits=200 * 86_400),
    "wallet: current > revoked": Way(
        LINKED, "[reverify wallet]",
        "wallets reverify {counterparty} --account {blockchain_account} --reason AGENT_REQUEST",
        change="reverify",
    ),
    "wallet: revoked > current": Way(
        (*LINKED, "[reverify wallet]", "challenge", "sign", "claim"), "link",
        "wallets link {claim}",
    ),
    "challenge: - > open": Way(
        REGISTERED, "challenge", "wallets challenge {counterparty} --account {blockchain_account}"
    ),
    "challenge: open > used": Way(SIGNED, "claim", CLAIM),
    "challenge: open > locked": Way(CHALLENGED, "[wrong signatures]"),
    "challenge: open > expired": Way(CHALLENGED, waits=3_601),
    "claim: - > valid": Way(SIGNED, "claim", CLAIM, 130, ("transfer",)),
    "claim: valid > linked": Way(CLAIMED, "link", "wallets link {claim}"),
    "claim: valid > expired": Way(CLAIMED, waits=90_000),
    "small transfer: - > waiting": Way(
        REGISTERED, "transfer",
        "wallets transfer {counterparty} --account {blockchain_account}",
    ),
    "small transfer: waiting > verified": Way((*REGISTERED, "transfer"), waits=130),
    "statement: - > reviewing": Way(
        REGISTERED, "[state]",
        "wallets state {counterparty} Mine --account {blockchain_account} --reason OTHER",
    ),
    "statement: reviewing > accepted": Way(STATED, "[approve ownershipStatement]", APPROVES),
    "statement: reviewing > refused": Way(STATED, "[refuse ownershipStatement]", REFUSES),
    "agent: - > waiting": Way((), "[enrol]"),
    "agent: waiting > approved": Way(
        ("[enrol]",), "[admit]", "agents approve {agent} --role agent"
    ),
    "agent: waiting > revoked": Way(("[enrol]",), "[revoke]", "agents revoke {agent}"),
    "agent: approved > revoked": Way(("[enrol]", "[admit]"), "[revoke]", "agents revoke {agent}"),
    "agent: approved > expired": Way(("[enrol]", "[admit]"), waits=91 * 86_400),
    "dispute: open > cleared": Way(("[dispute]",), "[clear]"),
}  # fmt: skip
ROWS = {row.name: row for row in TABLE}
STATUSES: Mapping[str, Iterable[str]] = {
    "trade": TradeStatus,
    "deposit": DEPOSIT_TRANSITIONS,
    "withdrawal": WITHDRAWAL_TRANSITIONS,
    "quote": QuoteStatus,
    "decision": DecisionStatus,
    "challenge": ChallengeStatus,
    "claim": ClaimStatus,
    "small transfer": SmallTransferStatus,
    "statement": StatementStatus,
    "agent": AgentStatus,
    "webhook": {*WebhookStatus, "deleted"},
    "wallet": ("registered", *VerificationStatus),
}
"""Every status that a record of each kind can get."""
KEYS: Mapping[str, tuple[str, ...]] = {
    "trading account: - > open": ("plus", *"DDA-1001", "enter", "y"),
    "control: none > FROZEN": ("F", "enter", "1", "y"),
    "control: FROZEN > none": ("F", "y"),
    "quote: - > open": ("b", *"100", "enter"),
    "quote: open > executed": ("b", *"100", "enter", "X", "y"),
    "trade: - > processing": ("b", *"100", "enter", "X", "y"),
    "trade: processing > cancelled": ("4", "C", "y"),
    "deposit: - > completed": ("d", *"100", "enter", "w", "escape"),
    "deposit: - > processing": ("d", *"100", "enter", "w", "escape"),
    "withdrawal: - > processing": ("w", *"10", "enter", "y"),
    "withdrawal: - > reviewing": ("w", *"5500", "enter", "y"),
    "withdrawal: reviewing > processing": ("7", "A", "y"),
    "withdrawal: reviewing > rejected": ("7", "R", "enter", "y"),
    "withdrawal: reviewing > cancelled": ("6", "C", "y"),
    "withdrawal: processing > cancelled": ("6", "C", "y"),
    "decision: - > open": ("F", "enter", "1", "y"),
    "decision: open > approved": ("7", "A", "y"),
    "decision: open > refused": ("7", "R", "enter", "y"),
    "decision: open > withdrawn": ("6", "C", "y"),
    "blockchain account: - > active": ("5", "plus", "f8", "enter", "y"),
    "wallet: - > registered": ("5", "plus", "f8", "enter", "y"),
    "wallet: registered > current": ("5", "enter"),
    "wallet: current > revoked": ("5", "colon", *"re-verify", "enter", "y"),
    "wallet: revoked > current": ("5", "enter"),
    "market: closed > open": ("7", "f", "f", "f", "A", "y"),
    "challenge: - > open": ("5", "plus", "f8", "enter", "enter"),
    "challenge: open > used": ("5", "v", "f8", "enter"),
    "claim: - > valid": ("5", "v", "f8", "enter"),
    "claim: valid > linked": ("5", "enter"),
    "small transfer: - > waiting": (
        "5", "plus", "f8", "enter", "colon", *"small transfer", "enter",
    ),
    "statement: - > reviewing": (
        "5", "plus", "f8", "enter", "colon", *"ownership statement", "enter", "enter", *"mine",
        "enter",
    ),
    "statement: reviewing > accepted": ("7", "f", "f", "f", "f", "down", "A", "y"),
    "statement: reviewing > refused": ("7", "f", "f", "f", "f", "down", "R", "enter", "y"),
}  # fmt: skip
"""The keys of each transition, from the customer's account on."""
PASSED = {"claim: - > valid": "linked"}
"""Where the same keys bring a record on."""
ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "small transfer: waiting > expired": (
        "ownership/test_small_transfers_not_owned.py",
        '"expired", None',
    ),
    "withdrawal: reviewing > processing": (
        "engine/test_decisions.py",
        "test_what_nobody_decides_ends_as_the_policy_says",
    ),
    "quote: open > withdrawn": ("cli/every_command.py", '"clock accept"'),
    "deposit: processing > failed": ("cli/every_command.py", '"db report"'),
    "deposit: completed > returned": ("cli/every_command.py", '"db report"'),
    "withdrawal: processing > failed": ("cli/every_command.py", '"db report"'),
    "withdrawal: sent > failed": ("cli/every_command.py", '"db report"'),
    "withdrawal: completed > returned": ("cli/every_command.py", '"db report"'),
    **dict.fromkeys(
        (
            "deposit: - > unknown",
            "deposit: unknown > accepted",
            "deposit: unknown > failed",
            "withdrawal: sent > accepted",
            "withdrawal: sent > unknown",
            "withdrawal: unknown > accepted",
            "withdrawal: unknown > failed",
        ),
        (
            "gateway/test_gateway.py",
            "test_what_the_provider_does_not_answer_is_a_persons_to_settle",
        ),
    ),
    **dict.fromkeys(
        (
            "deposit: processing > unknown",
            "deposit: unknown > completed",
            "withdrawal: processing > unknown",
            "withdrawal: unknown > sent",
        ),
        ("ports/test_ports.py", "test_what_is_never_answered_is_unknown_and_a_persons_to_settle"),
    ),
    "challenge: open > locked": ("training/runs.toml", "[too-many-tries]"),
    "agent: - > waiting": ("cli/every_command.py", "def _enrolled"),
    "API key: - > valid": ("cli/every_command.py", '"keys create"'),
    "API key: valid > revoked": ("cli/every_command.py", '"keys revoke"'),
    "API key: valid > expired": ("engine/test_keys.py", "test_an_expired_key_is_refused"),
    "dispute: - > open": ("engine/test_disputes.py", "def test_"),
    "dispute: open > cleared": ("cli/every_command.py", '"db dispute clear"'),
    "note: - > kept": ("tui/test_calls.py", "test_a_note_and_a_call_end_in_one_handover_note"),
    "note: kept > erased": ("tui/test_calls.py", "test_notes_are_removed_only_after_a_yes"),
    "customer: - > known": ("cli/test_customers.py", "def test_"),
    "customer: known > forgotten": ("cli/every_command.py", '"customers forget"'),
    "webhook: - > active": ("cli/every_command.py", '"webhooks create"'),
    **dict.fromkeys(
        ("webhook: active > failing", "webhook: failing > active"),
        (
            "webhooks/test_deliveries.py",
            "test_a_refused_event_holds_back_its_record_and_is_repeated_with_its_id",
        ),
    ),
    "webhook: active > paused": (
        "webhooks/test_deliveries.py",
        "test_an_endpoint_that_is_gone_is_paused_at_once",
    ),
    "webhook: failing > paused": (
        "webhooks/test_deliveries.py",
        "test_pauses_grow_until_an_endpoint_that_fails_for_three_days_is_paused_and_loses_nothing",
    ),
    "webhook: paused > active": ("cli/every_command.py", '"webhooks resume"'),
    "webhook: active > deleted": ("cli/every_command.py", '"webhooks delete"'),
}
"""What another test drives: its file, and a part of it."""


def test_the_page_is_made_of_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_no_cell_is_empty_and_none_has_both_a_way_and_a_reason() -> None:
    for row in TABLE:
        for face in FACES:
            assert bool(ways(row, face)) != (face in row.why), (row.name, face)


def test_training_alone_reaches_nothing() -> None:
    alone = [row.name for row in TABLE if not any(ways(row, face) for face in FACES[:-1])]
    assert alone == []


def test_the_table_has_what_the_code_declares() -> None:
    """Every transition of trades and transfers, every status, kind of work and change."""
    declared = {
        f"{record}: {before} > {after}"
        for record, found in (
            ("trade", TRANSITIONS),
            ("deposit", DEPOSIT_TRANSITIONS),
            ("withdrawal", WITHDRAWAL_TRANSITIONS),
        )
        for before, afters in found.items()
        for after in afters
    }
    assert declared <= ROWS.keys()
    for record, statuses in STATUSES.items():
        reached = {row.after for row in TABLE if row.record == record}
        assert reached == set(statuses), record
    work = {kind for row in TABLE for kind in row.work}
    assert work == {*WORK, "verification"}
    prices = {"move-price", "move-peg"}
    assert {each for row in TABLE for each in row.training} == {*CHANGES} - prices
    without_status = {"take_decision", "note_decision"}
    without_status |= {"rotate_webhook", "replay_webhook", "test_webhook"}
    called = {name for row in TABLE for name in row.calls}
    assert called == {*WRITES} - without_status


def _has(face: str, name: str) -> bool:
    way = WAYS.get(name, Way())
    if face == "HTTP":
        return bool(way.step and ROWS[name].calls)
    if face == "by itself":
        return bool(way.waits)
    return bool(way.line if face == "command" else way.change)


def _driven(face: str) -> list[str]:
    return [name for name in ROWS if _has(face, name)]


def test_every_cell_is_driven() -> None:
    """What is driven elsewhere is named with the test that does it."""
    for row in TABLE:
        way = WAYS.get(row.name, Way())
        assert not row.calls or way.step or row.name in ELSEWHERE, row.name
        assert bool(row.work or row.passes) <= bool(way.waits) or row.name in ELSEWHERE, row.name
        assert not row.training or way.change in row.training, row.name
        if commands_of(row):
            path = f"chainteller {' '.join(way.line.split()[:2])}"
            is_named = any(
                path.startswith(each) or each.startswith(path) for each in commands_of(row)
            )
            assert is_named if way.line else row.name in ELSEWHERE, row.name
        if row.console and row.name not in ELSEWHERE:
            assert row.name in KEYS, row.name
    for path, test in ELSEWHERE.values():
        source = (Path(__file__).parents[1] / path).read_text(encoding="utf-8")
        assert test in source, (path, test)


@pytest.fixture
def live(tmp_path: Path, base: Path, request: pytest.FixtureRequest) -> Iterator[Life]:
    """A record in the status from which it is moved on."""
    name = request.getfixturevalue("name")
    way = WAYS[name]
    is_market = ROWS[name].record == "market"
    life = Life(tmp_path, base, deposit_delay_s=way.deposit_delay_s, is_administrator=is_market)
    life.play(*way.before)
    yield life
    life.session.close()


def _require(life: Life, row: Transition, *, done: bool) -> None:
    assert status(life, row.record) == (row.after if done else row.before)


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", _driven("HTTP"))
def test_over_http(name: str, live: Life) -> None:
    _require(live, ROWS[name], done=False)
    with live.serving() as (_, _, remote):
        live.player._service = remote
        live.play(WAYS[name].step)
    _require(live, ROWS[name], done=True)


@pytest.mark.forms(1)
@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", _driven("command"))
def test_by_a_command(name: str, live: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    _require(live, ROWS[name], done=False)
    words = [each.format(**live.words()) for each in WAYS[name].line.split()]
    with live.serving() as (address, key, _):
        monkeypatch.setenv("CHAINTELLER_API_KEY", key)
        assert run([*words, "--url", address, "--json"]) == 0
    _require(live, ROWS[name], done=True)


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", _driven("by itself"))
def test_by_itself(name: str, live: Life) -> None:
    _require(live, ROWS[name], done=False)
    live.play(*WAYS[name].until)
    live.wait(WAYS[name].waits)
    _require(live, ROWS[name], done=True)


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", _driven("training"))
def test_by_what_happens_in_training(name: str, live: Life) -> None:
    _require(live, ROWS[name], done=False)
    live.play(f"[{WAYS[name].change}]")
    _require(live, ROWS[name], done=True)


@pytest.mark.parametrize(
    ("before", "report"),
    [
        (("open checking", "deposit 100.00"), "[deposit failed]"),
        (PAID, "[withdrawal returned]"),
        (REVIEWED, "[withdrawal failed]"),
    ],
)
def test_a_report_that_a_status_does_not_allow_is_refused(
    tmp_path: Path, base: Path, before: tuple[str, ...], report: str
) -> None:
    life = Life(tmp_path, base)
    life.play(*before)
    error = refusal(life.play, report)
    assert (error.code, details(error)["reason"]) == ("CONFLICT", "NOT_POSSIBLE")
    life.session.close()


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", KEYS)
async def test_by_keys_in_training(name: str, live: Life, home: Path) -> None:
    """The console of a session is the console."""
    row = ROWS[name]
    session, app = live.session, console_of(live.session, home)
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        if live.account:
            await choose_customer(pilot, session)
        for key in KEYS[name]:
            if key == "y":
                await answer(pilot, key)
            else:
                await press(pilot, key)
    assert status(live, row.record) == PASSED.get(name, row.after)
