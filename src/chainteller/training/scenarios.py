"""Training scenarios, read from ``sample_data/scenarios`` and the user's folder.

The format is described in docs/reference/scenario_files.md; a scenario is named after its file.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import Any, NamedTuple

from chainteller.domain.assets import MARKETS_BY_NAME, STABLECOINS
from chainteller.domain.challenges import ReverificationReason
from chainteller.domain.event_types import EVENT_TYPES
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.given_files import read_bytes
from chainteller.service.error_codes import ERRORS
from chainteller.service.operations import WRITES
from chainteller.training.checks import Check, read_check
from chainteller.training.reading import ScenarioInvalid, Table, did_you_mean
from chainteller.training.steps import VERBS
from chainteller.training.timeline import DONE, OBSERVED, START, WORDS, full_name
from chainteller.wallets.simulated import MISTAKES, SampleWallet

PARTS = ("correctness", "safety", "time", "keys")
"""The parts of a score, by weight."""
FAULTS = ("latency", "refusal", "dropped-reply", "lost-request", "outage")
REFUSALS = ("INTERNAL_ERROR", "RATE_LIMITED", "SERVICE_UNAVAILABLE")
CLOSURES = ("MAINTENANCE", "HALTED", "CLOSED", "PROVIDER_DOWN")
_NO_ANSWER = ("OUTCOME_UNKNOWN", "UNREACHABLE")


DRAWN = "drawn"
DRAWN_WITHOUT_TERMS = "drawn without terms"
DRAWN_WITHOUT_IDENTIFICATION = "drawn without identification"
DRAWN_FROZEN = "drawn frozen"
DRAWN_CALLERS = (DRAWN, DRAWN_WITHOUT_TERMS, DRAWN_WITHOUT_IDENTIFICATION, DRAWN_FROZEN)
"""The bank account of a scenario whose caller is drawn from the bank: somebody who can begin to
trade, somebody who hasn't accepted the terms or proved who they are, or whose account is frozen."""
_PERCENT = "percent"
_PERCENTS = range(80, 165, 5)
"""What the seed multiplies the amounts of a scenario by: the same for all of them."""
_SCALED = re.compile(r"\{(\$?)([0-9]+(?:\.[0-9]+)?)\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Caller:
    """A customer of the bank who can call: without a trading account, and able to open one."""

    name: str
    bank_account: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """``after`` microseconds after the first moment named ``on``."""

    on: str
    after: int


@dataclass(frozen=True, slots=True)
class Story:
    """Something that the customer says, and when."""

    trigger: Trigger
    says: str


@dataclass(frozen=True, slots=True)
class WorldChange:
    """A change of the bank or a market, and when; ``change`` is its kind."""

    trigger: Trigger
    change: str
    name: str = ""
    reason: str = ""
    lasts: int = 0
    bps: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """An injected fault. ``method`` is an operation of Service; ``lasts`` is in microseconds."""

    trigger: Trigger
    kind: str
    method: str = ""
    times: int = 1
    lasts: int = 0
    code: str = ""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal. ``part`` is correctness or safety.

    If it is missed, a report shows ``missed`` and the reference ``book``.
    """

    id: str
    part: str
    says: str
    missed: str
    book: str
    check: Check


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that the trainee can choose."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Customer:
    bank_account: str
    wallet: str = ""
    mistakes: tuple[str, ...] = ()
    """The mistakes of the first signatures, in order; later signatures are correct."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario. Durations are microseconds; ``digest`` identifies the file's contents."""

    name: str
    title: str
    about: str
    level: int
    time_limit: int
    par_time: int
    par_keys: int
    weights: Mapping[str, int]
    customer: Customer
    setup: tuple[str, ...]
    hints: tuple[str, ...]
    book: tuple[str, ...]
    covers: tuple[str, ...]
    """What is practised: error codes, states such as ``trade settled``, and ``task: ...``."""
    story: tuple[Story, ...]
    world: tuple[WorldChange, ...]
    faults: tuple[Fault, ...]
    goals: tuple[Goal, ...]
    statements: tuple[Statement, ...]
    digest: str
    file: Path | None = None
    drawn: Mapping[str, str] = field(default_factory=dict)
    """What the seed has drawn: the caller, and one ``[[draw]]`` table of the file."""

    @property
    def label(self) -> str:
        """What trainees call it: the number of its file, which gives nothing away; its name where
        the file has none."""
        return number_of(self.file) if self.file is not None else self.name

    @property
    def ease(self) -> tuple[int, int, str]:
        """Sorts scenarios, the easiest first."""
        return self.level, self.par_time, self.name


def find_scenarios(folders: Iterable[Path]) -> dict[str, Path]:
    """Files by scenario name, ordered by number; later folders take precedence."""
    found: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            found.update({name_of(path): path for path in sorted(folder.glob("*.toml"))})
    return found


def name_of(path: Path) -> str:
    """The scenario's name: ``07-wrong-account.toml`` is wrong-account."""
    return path.stem.lstrip("0123456789").lstrip("-")


def number_of(path: Path) -> str:
    """The scenario's number: ``07-wrong-account.toml`` is 7; without one, its name."""
    digits = path.stem[: len(path.stem) - len(path.stem.lstrip("0123456789"))]
    return str(int(digits)) if digits else name_of(path)


def load(
    path: Path,
    wallets: Sequence[SampleWallet],
    seed: str | None = None,
    caller: Caller | None = None,
) -> Scenario:
    """Read and check one file, with what is drawn for a seed; the first of each without one.

    ``caller`` is the person who calls, where the scenario doesn't name one.

    Raises:
        ScenarioInvalid: naming every problem with its file, table and key.
    """
    try:
        source = read_bytes(path)
        data = tomllib.loads(source.decode("utf-8"))
    except OSError as error:
        raise ScenarioInvalid([f"{path.name}: cannot be read: {error.strerror}"]) from None
    except ValueError as error:
        raise ScenarioInvalid([f"{path.name}: no TOML: {error}"]) from None
    values = _drawn(name_of(path), data.pop("draw", []), seed)
    if _SCALED.search(source.decode("utf-8")):
        values[_PERCENT] = _percent(name_of(path), seed)
    values |= _addresses(values.get("wallet"), wallets)
    if caller is not None:
        values |= {"customer": caller.name, "bank_account": caller.bank_account}
    data = filled(data, values)
    if caller is not None and data.get("customer", {}).get("bank_account") in DRAWN_CALLERS:
        data["customer"]["bank_account"] = caller.bank_account
    table = Table.of_file(path, data)
    scenario = _scenario(name_of(path), table, tuple(each.name for each in wallets), source)
    table.finish()
    if table.problems:
        raise ScenarioInvalid(table.problems)
    return replace(scenario, file=path, drawn=values)


def _drawn(name: str, choices: object, seed: str | None) -> dict[str, str]:
    """The values of one ``[[draw]]`` table."""
    tables = (
        [each for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
    )
    if not tables:
        return {}
    place = 0 if seed is None else below(SeededRandomness(f"draw {name} {seed}"), len(tables))
    return {key: str(value) for key, value in tables[place].items()}


def _percent(name: str, seed: str | None) -> str:
    if seed is None:
        return "100"
    return str(_PERCENTS[below(SeededRandomness(f"amounts {name} {seed}"), len(_PERCENTS))])


def _addresses(name: str | None, wallets: Sequence[SampleWallet]) -> dict[str, str]:
    """The address of the wallet that was drawn, whole and as people abbreviate or name it."""
    address = next((each.address.display for each in wallets if each.name == name), "")
    if not name:
        return {}
    ending = address[-4:]
    return {
        "address": address,
        "short_address": f"{address[:6]}...{ending}",
        "ending": ending,
    }


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """The data with what was drawn, in every text.

    ``{name}`` is replaced by its value. ``{1000.00}`` is an amount that the seed multiplies, as
    programs write it; ``{$1000.00}`` is the same amount as people write it: ``1,150.00``.
    """
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace(f"{{{name}}}", text)
        percent = int(values.get(_PERCENT, "100"))
        return _SCALED.sub(lambda found: _scaled(found[2], percent, for_people=found[1]), value)
    if isinstance(value, dict):
        return {key: filled(each, values) for key, each in value.items()}
    return [filled(each, values) for each in value] if isinstance(value, list) else value


def _scaled(amount: str, percent: int, *, for_people: str) -> str:
    """An amount times a percentage, with the decimals it was written with, rounded down."""
    least = Decimal(1).scaleb(-len(amount.partition(".")[2]))
    found = (Decimal(amount) * percent / 100).quantize(least, ROUND_DOWN)
    return f"{found:,}" if for_people else f"{found}"


def _scenario(name: str, table: Table, wallets: tuple[str, ...], source: bytes) -> Scenario:
    statements = tuple(_statement(each) for each in table.tables("statement"))
    goals = tuple(_goal(each, wallets) for each in table.tables("goal"))
    for part in ("correctness", "safety"):
        if not any(goal.part == part for goal in goals):
            table.wrong("goal", f"at least one goal of {part}")
    return Scenario(
        name=name,
        title=table.text("title"),
        about=table.text("about"),
        level=table.number("level", least=1),
        time_limit=table.duration("time_limit"),
        par_time=table.duration("par_time"),
        par_keys=table.number("par_keys", least=1),
        weights=_weights(table.table("weights", required=False)),
        customer=_customer(table.table("customer"), wallets),
        setup=_setup(table),
        hints=table.texts("hints"),
        book=table.texts("book"),
        covers=table.texts("covers"),
        story=tuple(_story(each) for each in table.tables("story")),
        world=tuple(_world(each, wallets) for each in table.tables("world")),
        faults=tuple(_fault(each) for each in table.tables("fault")),
        goals=goals,
        statements=statements,
        digest=hashlib.sha256(source).hexdigest()[:16],
    )


def _weights(table: Table) -> dict[str, int]:
    usual = {"correctness": 50, "safety": 30, "time": 12, "keys": 8}
    weights = {part: table.number(part, usual[part]) for part in PARTS}
    table.finish()
    ordered = list(weights.values())
    if sum(ordered) != 100 or sorted(ordered, reverse=True) != ordered:
        table.wrong("correctness", "the four weights fall from correctness to keys and sum to 100")
    return weights


def _customer(table: Table, wallets: tuple[str, ...]) -> Customer:
    bank_account = table.text("bank_account")
    if bank_account.startswith(DRAWN) and bank_account not in DRAWN_CALLERS:
        table.wrong("bank_account", f"a bank account, or one of: {', '.join(DRAWN_CALLERS)}")
    customer = Customer(
        bank_account=bank_account,
        wallet=table.choice("wallet", wallets, ""),
        mistakes=table.texts("mistakes"),
    )
    for mistake in customer.mistakes:
        if mistake not in MISTAKES:
            table.wrong("mistakes", f"unknown mistake {mistake}{did_you_mean(mistake, MISTAKES)}")
    table.finish()
    return customer


def _setup(table: Table) -> tuple[str, ...]:
    lines = table.texts("setup")
    for each in lines:
        verb = each.partition(" ")[0]
        if verb not in VERBS:
            table.wrong("setup", f"unknown verb {verb}{did_you_mean(verb, VERBS)}")
    return lines


def _statement(table: Table) -> Statement:
    statement = Statement(table.text("id"), table.text("text"))
    table.finish()
    return statement


def _goal(table: Table, wallets: tuple[str, ...]) -> Goal:
    goal = Goal(
        id=table.text("id"),
        part=table.choice("part", ("correctness", "safety")),
        says=table.text("says"),
        missed=table.text("missed"),
        book=table.text("book", ""),
        check=read_check(table, wallets, moment),
    )
    table.finish()
    return goal


def _trigger(table: Table) -> Trigger:
    on = table.parsed("on", moment, START)
    return Trigger(on or START, table.duration("after", "0s"))


def moment(name: str) -> str:
    """Check and complete the name of a moment; raises ValueError."""
    method, _, outcome = name.partition(":")
    if name in WORDS or name in EVENT_TYPES:
        return name
    if method not in OBSERVED:
        hint = did_you_mean(method, OBSERVED | EVENT_TYPES)
        raise ValueError(f"start, told, signed, agreed, an event or a call{hint}")
    if outcome and outcome not in {DONE, *_NO_ANSWER, *ERRORS}:
        raise ValueError(f"a call with an outcome of the service{did_you_mean(outcome, ERRORS)}")
    return full_name(name)


def _story(table: Table) -> Story:
    story = Story(_trigger(table), table.text("says"))
    table.finish()
    return story


def _world(table: Table, wallets: tuple[str, ...]) -> WorldChange:
    trigger = _trigger(table)
    kind = table.choice("change", CHANGES)
    values: dict[str, object] = {}
    if kind in {"close-market", "open-market", "move-price"}:
        values["name"] = table.choice("market", MARKETS_BY_NAME)
    if kind == "close-market":
        values["reason"] = table.choice("reason", CLOSURES, "MAINTENANCE")
        values["lasts"] = table.duration("lasts", "0s")
    if kind in {"move-price", "move-peg"}:
        values["bps"] = table.signed("bps")
    if kind == "move-peg":
        values["name"] = table.choice("asset", (each.key for each in STABLECOINS))
    if kind == "reverify":
        values["name"] = table.choice("wallet", wallets)
        values["reason"] = table.choice("reason", [*ReverificationReason])
    table.finish()
    return WorldChange(trigger, kind, **values)  # type: ignore[arg-type]  # read by kind above


class Report(NamedTuple):
    """What the core bank reports of the newest transfer in a direction."""

    direction: str
    status: str
    reason: str


REPORTS: Mapping[str, Report] = {
    "return-deposit": Report("deposit", "returned", "The customer's bank took it back."),
    "fail-withdrawal": Report(
        "withdrawal", "failed", "The bank's core system refused the payment."
    ),
    "return-withdrawal": Report("withdrawal", "returned", "Returned by the bank."),
}
APPROVE, REJECT = "approve-withdrawal", "reject-withdrawal"
"""What a colleague does with the decision about the newest withdrawal."""
CHANGES = (
    *("close-market", "open-market", "move-price", "move-peg", "reverify", APPROVE, REJECT),
    *REPORTS,
)


def _fault(table: Table) -> Fault:
    trigger = _trigger(table)
    kind = table.choice("kind", FAULTS)
    method, times, lasts, code = "", 1, 0, ""
    if kind == "outage":
        lasts = table.duration("lasts")
    else:
        methods = WRITES if kind in {"dropped-reply", "lost-request"} else OBSERVED
        method = table.choice("method", methods)
        times = table.number("times", 1, least=1)
    if kind == "latency":
        lasts = table.duration("lasts")
    if kind == "refusal":
        code = table.choice("code", REFUSALS)
    table.finish()
    return Fault(trigger, kind, method, times, lasts, code)
