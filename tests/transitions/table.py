"""Every transition of every record, and who makes it: on the console, by a command, over HTTP, by
the service itself, and in training.

``python -m tests.transitions.table`` writes docs/reference/transitions.md. Calls, commands and keys
are looked up in the code, so that none is named that doesn't exist.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tests.cli.all_commands import commands

from chainteller.service.operations import BY_NAME
from chainteller.tui.commands import AnyCommand
from chainteller.tui.console.command_table import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "transitions.md"
FACES = ("console", "command", "HTTP", "by itself", "training")
NONE, GONE = "-", "none"
"""Before a record exists, and where nothing is set."""


class Transition(NamedTuple):
    """A record's way from one status to the next.

    Attributes:
        calls: Names of the operations that make it.
        console: Ids of the console's commands that make such a call.
        commands: Commands that make it without an operation.
        work: Kinds of due work that make it.
        passes: What has to pass for it to be so, without any work.
        training: Changes of scenarios that make it, besides the console's commands.
        why: The reason of each face that doesn't make it.
    """

    record: str
    before: str
    after: str
    calls: tuple[str, ...] = ()
    console: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
    passes: str = ""
    training: tuple[str, ...] = ()
    why: Mapping[str, str] = MappingProxyType({})

    @property
    def name(self) -> str:
        return f"{self.record}: {self.before} > {self.after}"


PERSON = "a person decides"
ITSELF = "the service's own work"
TIME = "follows from the time alone"
TIME_ACCEPTED = "the operator accepts a new time"
CORE = "the core bank or a network reports it to whoever has the database"
KEYS = "whoever has the database keeps the keys"
DESKS = "machines are enrolled and approved at the command line"
AGENTS = "a session has its two agents"
ASKED = "somebody asks for it"
AT_ONCE = "deposits arrive at once in training"
OUTSIDE = "a session has no keys, clocks, disputes, imports or endpoints"
NOT_CALLED = {"console": ITSELF, "command": ITSELF, "HTTP": ITSELF}
PASSES = {"console": TIME, "command": TIME, "HTTP": TIME}
REPORTED = {"console": CORE, "HTTP": CORE, "by itself": CORE}
OF_KEYS = {"console": KEYS, "HTTP": KEYS, "by itself": ASKED, "training": OUTSIDE}
OF_AGENTS = {"console": DESKS, "by itself": ASKED, "training": AGENTS}
ONLY_ASKED = {"by itself": ASKED}
INTEGRATORS = "whoever connects the bank's systems does it"
OF_INTEGRATORS = {"console": INTEGRATORS, "by itself": ASKED, "training": OUTSIDE}
ENDPOINT = "the endpoint's answers decide"
OF_ENDPOINTS = {
    "console": ENDPOINT, "command": ENDPOINT, "HTTP": ENDPOINT, "training": OUTSIDE,
}  # fmt: skip
DECIDED = {"by itself": PERSON}
SETTLED = "a person decides about the request to the provider"
SETTLED_OUTSIDE = "a person decides about the request to the core bank or custody"
GATEWAY = "only a gateway has a provider"
OUTSIDE_ONLY = "only a connected core bank, custody or venue can keep silent"
OF_PORTS = {
    "console": SETTLED_OUTSIDE,
    "command": SETTLED_OUTSIDE,
    "HTTP": SETTLED_OUTSIDE,
    "training": OUTSIDE_ONLY,
}
OF_GATEWAYS = {"console": SETTLED, "command": SETTLED, "HTTP": SETTLED, "training": GATEWAY}
APPROVE, REFUSE = ("decisions.approve",), ("decisions.refuse",)

T = Transition
TABLE: tuple[Transition, ...] = (
    T(
        "trading account", NONE, "open", ("open_trading_account",), ("accounts.new",),
        why=ONLY_ASKED,
    ),
    T(
        "control", GONE, "FROZEN", ("open_decision",), ("accounts.control",),
        commands=("chainteller db report",), training=("return-deposit",), why=ONLY_ASKED,
    ),
    T(
        "control", "FROZEN", GONE, ("approve_decision",), ("accounts.control", *APPROVE),
        work=("decision.due",),
    ),
    T(
        "control", "SELL_ONLY", "FROZEN", ("open_decision",),
        why={"console": "F lifts a control; another one is set after that",
             "training": "F lifts a control; another one is set after that", **ONLY_ASKED},
    ),
    T("quote", NONE, "open", ("create_quote",), ("quote.submit",), why=ONLY_ASKED),
    T("quote", "open", "executed", ("execute_quote",), ("quote.execute",), why=ONLY_ASKED),
    T("quote", "open", "expired", passes="its window", why=PASSES),
    T(
        "quote", "open", "withdrawn", commands=("chainteller clock accept",),
        why={"console": TIME_ACCEPTED, "HTTP": TIME_ACCEPTED, "by itself": TIME_ACCEPTED,
             "training": OUTSIDE},
    ),
    T("trade", NONE, "processing", ("execute_quote",), ("quote.execute",), why=ONLY_ASKED),
    T("trade", "processing", "executed", work=("trade.fill",), why=NOT_CALLED),
    T("trade", "processing", "failed", work=("trade.fill",), why=NOT_CALLED),
    T("trade", "processing", "cancelled", ("cancel_trade",), ("trades.cancel",), why=ONLY_ASKED),
    T("trade", "executed", "settled", work=("trade.settle",), why=NOT_CALLED),
    T("deposit", NONE, "completed", ("deposit",), ("accounts.deposit",), why=ONLY_ASKED),
    T(
        "deposit", NONE, "processing", ("deposit",), ("accounts.deposit",),
        why={"training": AT_ONCE, **ONLY_ASKED},
    ),
    T(
        "deposit", "processing", "completed", work=("deposit.complete",),
        why={"training": AT_ONCE, **NOT_CALLED},
    ),
    T(
        "deposit", "processing", "failed", commands=("chainteller db report",),
        why={"training": AT_ONCE, **REPORTED},
    ),
    T("deposit", NONE, "unknown", work=("provider.settle",), why=OF_GATEWAYS),
    T("deposit", "processing", "unknown", work=("provider.settle",), why=OF_PORTS),
    T("deposit", "unknown", "completed", work=("provider.settle",), why=OF_PORTS),
    T("deposit", "unknown", "accepted", work=("provider.settle",), why=OF_GATEWAYS),
    T("deposit", "unknown", "failed", work=("provider.settle",), why=OF_GATEWAYS),
    T(
        "deposit", "completed", "returned", commands=("chainteller db report",),
        training=("return-deposit",), why=REPORTED,
    ),
    T("withdrawal", NONE, "processing", ("withdraw",), ("accounts.withdraw",), why=ONLY_ASKED),
    T("withdrawal", NONE, "reviewing", ("withdraw",), ("accounts.withdraw",), why=ONLY_ASKED),
    T(
        "withdrawal", "reviewing", "processing", ("approve_decision",), APPROVE,
        work=("withdrawal.review",), training=("approve-withdrawal",),
    ),
    T(
        "withdrawal", "reviewing", "rejected", ("refuse_decision",), REFUSE,
        work=("withdrawal.review",), training=("reject-withdrawal",),
    ),
    T(
        "withdrawal", "reviewing", "cancelled", ("cancel_withdrawal",), ("transfers.cancel",),
        why=ONLY_ASKED,
    ),
    T(
        "withdrawal", "processing", "cancelled", ("cancel_withdrawal",), ("transfers.cancel",),
        why=ONLY_ASKED,
    ),
    T("withdrawal", "processing", "sent", work=("withdrawal.send",), why=NOT_CALLED),
    T(
        "withdrawal", "processing", "failed", commands=("chainteller db report",),
        work=("withdrawal.send",), training=("fail-withdrawal",),
        why={"console": CORE, "HTTP": CORE},
    ),
    T("withdrawal", "sent", "completed", work=("withdrawal.complete",), why=NOT_CALLED),
    T(
        "withdrawal", "sent", "failed", commands=("chainteller db report",),
        training=("fail-withdrawal",), why=REPORTED,
    ),
    T("withdrawal", "processing", "unknown", work=("provider.settle",), why=OF_PORTS),
    T("withdrawal", "unknown", "sent", work=("provider.settle",), why=OF_PORTS),
    T("withdrawal", "sent", "accepted", work=("provider.settle",), why=OF_GATEWAYS),
    T("withdrawal", "sent", "unknown", work=("provider.settle",), why=OF_GATEWAYS),
    T("withdrawal", "unknown", "accepted", work=("provider.settle",), why=OF_GATEWAYS),
    T("withdrawal", "unknown", "failed", work=("provider.settle",), why=OF_GATEWAYS),
    T(
        "withdrawal", "completed", "returned", commands=("chainteller db report",),
        training=("return-withdrawal",), why=REPORTED,
    ),
    T(
        "decision", NONE, "open", ("open_decision", "withdraw", "create_ownership_statement"),
        ("accounts.control", "accounts.withdraw", "wallets.statement"),
        commands=("chainteller db report",), why=ONLY_ASKED,
    ),
    T(
        "decision", "open", "approved", ("approve_decision",), APPROVE,
        work=("withdrawal.review", "decision.due"), training=("approve-withdrawal",),
    ),
    T(
        "decision", "open", "refused", ("refuse_decision",), REFUSE,
        training=("reject-withdrawal",), why=DECIDED,
    ),
    T(
        "decision", "open", "withdrawn", ("cancel_withdrawal", "open_decision"),
        ("transfers.cancel",), why=ONLY_ASKED,
    ),
    T("decision", "open", "lapsed", work=("withdrawal.review",), why=NOT_CALLED),
    T(
        "market", "open", "closed", ("open_decision",), training=("close-market",),
        why={"console": "closed by an administrator's command", **ONLY_ASKED},
    ),
    T(
        "market", "closed", "open", ("approve_decision",), APPROVE, work=("decision.due",),
        training=("open-market",),
    ),
    T(
        "blockchain account", NONE, "active", ("open_blockchain_account",),
        ("wallets.new", "wallets.open_account"), why=ONLY_ASKED,
    ),
    T("wallet", NONE, "registered", ("register_counterparty",), ("wallets.new",), why=ONLY_ASKED),
    T("wallet", "registered", "current", ("link_counterparty",), ("wallets.open",), why=ONLY_ASKED),
    T("wallet", "current", "expiring", passes="eleven months", why=PASSES),
    T("wallet", "current", "expired", passes="a year, or half a year unused", why=PASSES),
    T(
        "wallet", "current", "revoked", ("require_reverification",), ("wallets.reverify_*",),
        training=("reverify",), why=ONLY_ASKED,
    ),
    T("wallet", "revoked", "current", ("link_counterparty",), ("wallets.open",), why=ONLY_ASKED),
    T("challenge", NONE, "open", ("create_challenge",), ("wallets.open",), why=ONLY_ASKED),
    T("challenge", "open", "used", ("submit_claim",), ("wallets.paste",), why=ONLY_ASKED),
    T("challenge", "open", "locked", ("submit_claim",), ("wallets.paste",), why=ONLY_ASKED),
    T("challenge", "open", "expired", passes="its validity", why=PASSES),
    T(
        "claim", NONE, "valid", ("submit_claim",), ("wallets.paste",),
        work=("small_transfer.watch",),
    ),
    T("claim", "valid", "linked", ("link_counterparty",), ("wallets.open",), why=ONLY_ASKED),
    T("claim", "valid", "expired", passes="a day", why=PASSES),
    T(
        "small transfer", NONE, "waiting", ("create_small_transfer",), ("wallets.small_transfer",),
        why=ONLY_ASKED,
    ),
    T("small transfer", "waiting", "verified", work=("small_transfer.watch",), why=NOT_CALLED),
    T("small transfer", "waiting", "expired", passes="its deadline", why=PASSES),
    T(
        "statement", NONE, "reviewing", ("create_ownership_statement",), ("wallets.statement",),
        why=ONLY_ASKED,
    ),
    T("statement", "reviewing", "accepted", ("approve_decision",), APPROVE, why=DECIDED),
    T("statement", "reviewing", "refused", ("refuse_decision",), REFUSE, why=DECIDED),
    T("agent", NONE, "waiting", ("enrol_agent",), why=OF_AGENTS),
    T("agent", "waiting", "approved", ("approve_agent",), why=OF_AGENTS),
    T("agent", "waiting", "revoked", ("revoke_agent",), why=OF_AGENTS),
    T("agent", "approved", "revoked", ("revoke_agent",), why=OF_AGENTS),
    T("agent", "approved", "expired", passes="its validity", why={**PASSES, "training": AGENTS}),
    T("API key", NONE, "valid", commands=("chainteller keys create",), why=OF_KEYS),
    T(
        "API key", "valid", "revoked",
        commands=("chainteller keys revoke", "chainteller keys rotate"), why=OF_KEYS,
    ),
    T("API key", "valid", "expired", passes="its validity", why={**PASSES, "training": OUTSIDE}),
    T(
        "dispute", NONE, "open", work=("verification",), commands=("chainteller db verify",),
        why={"console": ITSELF, "HTTP": ITSELF, "training": OUTSIDE},
    ),
    T(
        "dispute", "open", "cleared", ("clear_dispute",),
        commands=("chainteller db dispute clear",),
        why={"console": "the operator clears it, at the database or over HTTP", **ONLY_ASKED,
             "training": OUTSIDE},
    ),
    T("note", NONE, "kept", ("add_note",), ("desk.note",), why=ONLY_ASKED),
    T("note", "kept", "erased", ("erase_note",), ("desk.note",), why=ONLY_ASKED),
    T("customer", NONE, "known", ("import_customers",), why=OF_INTEGRATORS),
    T("customer", "known", "forgotten", ("forget_customer",), why=OF_INTEGRATORS),
    T("webhook", NONE, "active", ("create_webhook",), why=OF_INTEGRATORS),
    T("webhook", "active", "failing", passes="an answer that refuses", why=OF_ENDPOINTS),
    T("webhook", "failing", "active", passes="an answer that accepts", why=OF_ENDPOINTS),
    T(
        "webhook", "active", "paused", ("pause_webhook",), passes="an answer of 410",
        why={"console": INTEGRATORS, "training": OUTSIDE},
    ),
    T(
        "webhook", "failing", "paused", ("pause_webhook",), passes="three days, an answer of 410",
        why={"console": INTEGRATORS, "training": OUTSIDE},
    ),
    T("webhook", "paused", "active", ("resume_webhook",), why=OF_INTEGRATORS),
    T("webhook", "active", "deleted", ("delete_webhook",), why=OF_INTEGRATORS),
)  # fmt: skip
"""Statuses that follow from the time aren't stored, and are told so from that instant on."""


_ONLY = {
    "chainteller accounts control": ("control", "decision"),
    "chainteller decisions close-market": ("market", "decision"),
}
"""Commands for some of the records that their operations are about."""
_SIGNS = {"plus": "+"}
_EVERYWHERE = "desk"
"""The commands of every screen."""
_ADMINISTERED = "market"
"""What a trainee, who isn't an administrator, can't decide."""


def called_by() -> Mapping[str, list[str]]:
    """The commands that make each operation available, by its name."""
    found: dict[str, list[str]] = {}
    for path, command in commands().items():
        for each in command.calls:
            found.setdefault(each.name, []).append(path)
    return found


def commands_of(row: Transition) -> tuple[str, ...]:
    """Full names of the commands that make a transition."""
    of_calls = (path for name in row.calls for path in called_by().get(name, ()))
    fitting = (path for path in of_calls if row.record in _ONLY.get(path, (row.record,)))
    return tuple(dict.fromkeys((*fitting, *row.commands)))


def ways(row: Transition, face: str) -> tuple[str, ...]:
    """What makes a transition from one place."""
    if face == "console":
        return tuple(_key(each) for each in row.console)
    if face == "command":
        return tuple(f"`{path.removeprefix('chainteller ')}`" for path in commands_of(row))
    if face == "HTTP":
        return tuple(f"`{BY_NAME[name].route}`" for name in row.calls)
    if face == "by itself":
        return (*(f"`{kind}`" for kind in row.work), *([row.passes] if row.passes else ()))
    is_played = row.console and row.record != _ADMINISTERED and face not in row.why
    passes = (row.work or row.passes) and face not in row.why
    return (
        *(["as on the console"] if is_played else ()),
        *(["as time passes"] if passes else ()),
        *(f"`{each}`" for each in row.training),
    )


def _key(command_id: str) -> str:
    """The screen and the key of a command; of several, that of the first."""
    prefix = command_id.removesuffix("*")
    command: AnyCommand = next(each for each in COMMANDS if each.id.startswith(prefix))
    key = command.key.partition(",")[0]
    screen = command_id.partition(".")[0]
    place = "every screen" if screen == _EVERYWHERE else screen.capitalize()
    return f"{place} `{_SIGNS.get(key, key)}`" if key else f"`:` {command.about.partition(':')[0]}"


def page() -> str:
    reasons = list(dict.fromkeys(reason for row in TABLE for reason in row.why.values()))
    head = (
        "# Transitions",
        "",
        "Every status that a record can get, and who brings it there. `-` is before it exists. A",
        "number is the reason why nobody does so from that place. Written by",
        "`python -m tests.transitions.table`; `tests/transitions` drives each transition from each",
        "place.",
        "",
        *(f"{number}. {reason}" for number, reason in enumerate(reasons, 1)),
        "",
        f"| record | from | to | {' | '.join(FACES)} |",
        "|" + "---|" * (3 + len(FACES)),
    )

    def cell(row: Transition, face: str) -> str:
        if face in row.why:
            return f"({reasons.index(row.why[face]) + 1})"
        return ", ".join(ways(row, face))

    rows = (
        f"| {row.record} | {row.before} | {row.after} | "
        f"{' | '.join(cell(row, face) for face in FACES)} |"
        for row in TABLE
    )
    return "\n".join((*head, *rows)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
