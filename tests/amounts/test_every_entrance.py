"""One grammar of amounts: typed, pasted, line by line, as a command and over HTTP.

The same string gives the same atoms or the same refusal at every entrance; over HTTP without
digit groups. The oracle shares no code with the product.
"""

import asyncio
import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from tests.amounts.console_lines import Line, Verdict, line_of
from tests.amounts.strings import KNOWN, made, oracle, typeable
from tests.api.conftest import Caller, call, world
from tests.cli.conftest import Teller, bank, sample_world, teller
from tests.cli.program import chainteller
from tests.tui.conftest import Bench, answer, bench, deployment, press, seen, settle
from tests.world.waiting import PATIENCE_S
from textual import events
from textual.app import App, ComposeResult
from textual.message_pump import MessagePump

from chainteller.domain.assets import ETH, SOL, USD, Asset
from chainteller.domain.money import (
    Amount,
    AmountInvalid,
    format_atoms,
    parse_atoms,
    parse_typed,
)
from chainteller.records.formats import money
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.messages import FieldSubmitted
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.widgets.field import Field, FieldBar
from chainteller.tui.widgets.lines import Lines

__all__ = ["bank", "bench", "call", "deployment", "sample_world", "teller", "world"]

SEED = 12
SHORT = ["1", "1,500.00", "12,345.6", "1,50", "12,34.56", "1e3", "2e1", "-7", "5k", "007"]
AT_ONCE = 250
"""Lines that one process of ``desk --plain`` is given."""


def reason_of(text: str, asset: Asset = USD) -> str:
    """Why the one parser refuses a typed text; empty for an amount."""
    try:
        parse_typed(text, asset)
    except AmountInvalid as error:
        return str(error)
    return ""


# -- the parser ------------------------------------------------------------------------------------


def parsed(parse: Callable[[str, Asset], object], text: str, asset: Asset) -> object:
    try:
        return parse(text, asset)
    except AmountInvalid:
        return None


@pytest.mark.parametrize("asset", [USD, SOL, ETH], ids=lambda each: each.symbol)
def test_the_parser_agrees_with_the_oracle(asset: Asset) -> None:
    for text in made(SEED, 3_000):
        typed = oracle(text, asset.decimals, groups=True)
        assert parsed(parse_typed, text, asset) == (typed and Amount(typed, asset)), text
        wired = oracle(text, asset.decimals, groups=False)
        assert parsed(parse_atoms, text, asset) == wired, text
        assert wired in {None, typed}, text


# -- the console -----------------------------------------------------------------------------------


def agrees(text: str, found: Verdict, asset: Asset) -> None:
    """What a field did with a text is what the oracle and the parser say."""
    atoms = oracle(text, asset.decimals, groups=True)
    if atoms is None:
        assert not found.sent, text
        assert found.reason == reason_of(text, asset), text
        assert not found.read_back.startswith("="), text
        return
    assert oracle(found.sent, asset.decimals, groups=False) == atoms, text
    assert found.read_back == f"= {money(format_atoms(atoms, asset), asset.symbol)}", text


async def drive(line: Line, texts: list[str], asset: Asset) -> None:
    for text in texts:
        agrees(text, await line.pasted(text), asset)
    for text in typeable(texts):
        agrees(text, await line.typed(text[:120]), asset)


LINES = {
    "deposit": (("1", "d"), USD),
    "sale": (("3", "s"), SOL),
}


@pytest.mark.forms(1)
@pytest.mark.parametrize("line", LINES)
async def test_a_field_sends_what_it_read_back_or_refuses(bench: Bench, line: str) -> None:
    keys, asset = LINES[line]
    bench.open(1, deposit="500.00")
    async with line_of(bench, *keys) as opened:
        await drive(opened, SHORT[1::2], asset)


async def test_a_withdrawal_asks_for_what_its_line_read_back(bench: Bench) -> None:
    account = bench.open(1, deposit="5000.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"1,50", "enter")
        assert f"[x] {reason_of('1,50')}" in seen(app)
        await press(pilot, *"0.00")
        assert "= 1,500.00 USD" in seen(app)
        await press(pilot, "enter")
        assert "WITHDRAW 1,500.00 USD" in seen(app)
        await answer(pilot, "y")
    (sent,) = bench.service.withdrawals(account.id).data
    assert sent.amount == "1500.00"


async def test_a_refused_amount_keeps_its_line_and_the_next_digits(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"5k", "enter", *"4321")
        assert isinstance(app.screen, AccountsScreen)
        assert app.screen.field_bar.value == "5k4321"
        await press(pilot, "enter", "escape", "4")
        assert isinstance(app.screen, TradesScreen)
    assert bench.service.deposits(account.id).data == ()


@pytest.mark.forms(1)
@pytest.mark.parametrize(("typed", "wrong"), [("20000", "2e0000"), ("20,000.00", "2,0000")])
async def test_the_amount_is_retyped_as_it_may_be_typed(
    bench: Bench, typed: str, wrong: str
) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"20000", "enter")
        assert "DEPOSIT 20,000.00 USD" in seen(app)
        assert account.id in seen(app)
        assert str(account.customer_name) in seen(app)
        await answer(pilot, "y")
        await press(pilot, *wrong, "y")
        assert "the amounts differ" in seen(app)
        assert bench.service.deposits(account.id).data == ()
        await press(pilot, *["backspace"] * len(wrong), *typed, "y")
    (sent,) = bench.service.deposits(account.id).data
    assert sent.amount == "20000.00"


# -- many strings in one field ---------------------------------------------------------------------


class OneField(App[None]):
    """An amount field alone, on a terminal; what its screen does with enter is done here."""

    def compose(self) -> ComposeResult:
        yield FieldBar(id="field-bar")

    def on_mount(self) -> None:
        self.values: asyncio.Queue[str | None] = asyncio.Queue()
        self.query_one(FieldBar).open("deposit", (("deposit", ""),), asset=USD)

    def on_field_submitted(self, message: FieldSubmitted) -> None:
        self.values.put_nowait(self.query_one(FieldBar).submitted(message.value))

    async def _handled(self, *nodes: MessagePump) -> None:
        """Everything posted so far has been handled by these nodes, one after the other."""
        for node in nodes:
            event = asyncio.Event()
            node.call_later(event.set)
            await event.wait()

    async def enter(self, *given: events.Event) -> Verdict:
        """Put events into the field, then enter."""
        bar, field = self.query_one(FieldBar), self.query_one(Field)
        below = bar.query_one("#field-read-back", Lines)
        for event in given:
            self.post_message(event)
        await self._handled(self, self.screen, field, bar)
        before = below.plain_text
        self.post_message(events.Key("enter", None))
        value = await asyncio.wait_for(self.values.get(), timeout=PATIENCE_S)
        said = " ".join(row.strip() for row in below.plain_text.splitlines())
        why = said.removeprefix("[x] ").removesuffix("esc closes this line").rstrip()
        before = before.strip().removesuffix("esc closes this line").rstrip()
        return Verdict(value or "", "" if value else why, before)


async def drive_one_field(texts: list[str]) -> None:
    app = OneField()
    async with app.run_test(size=(80, 24)):
        field = app.query_one(Field)
        for text in texts:
            agrees(text, await app.enter(events.Paste(text)), USD)
        for text in typeable(texts):
            field.value = ""
            keys = [events.Key(one, one) for one in text[:120]]
            agrees(text, await app.enter(*keys), USD)


async def test_one_field_agrees_with_the_oracle() -> None:
    await drive_one_field([*KNOWN, *made(SEED, 40)])


@pytest.mark.slow
async def test_ten_thousand_strings_typed_and_pasted() -> None:
    await drive_one_field(made(SEED, 10_000))


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
async def test_hundreds_of_strings_in_the_whole_console(bench: Bench, line: str) -> None:
    keys, asset = LINES[line]
    bench.open(1, deposit="500.00")
    async with line_of(bench, *keys) as opened:
        await drive(opened, made(SEED + 1, 300), asset)


# -- commands, lines and HTTP ----------------------------------------------------------------------


def outcome(body: Any) -> tuple[int | None, str]:
    """The atoms that a deposit was about, from its record or from a refusal for want of money;
    or why the amount was refused."""
    code = body.get("error")
    if code is None:
        return oracle(body["amount"], 2, groups=False), ""
    if code == "INSUFFICIENT_FUNDS":
        return oracle(body["details"]["required"], 2, groups=False), ""
    if code == "VALIDATION_ERROR":
        (error,) = body["details"]["errors"]
        assert error["field"] == "amount"
        return None, error["message"]
    assert code == "EXCEEDS_PRECISION", body
    return None, body["message"]


def expected(text: str) -> tuple[int | None, str]:
    return oracle(text, 2, groups=True), reason_of(text)


def printed(text: str) -> bool:
    """Whether a text can be an argument of a process and a part of one line."""
    return "\x00" not in text and len(text.splitlines()) < 2 and text.isprintable()


def lines_agree(texts: list[str], account: str) -> None:
    """Each text is a line of ``desk --plain``, in processes of their own."""
    given = [text for text in texts if printed(text)]
    for start in range(0, len(given), AT_ONCE):
        _batch_agrees(given[start : start + AT_ONCE], account)


def _batch_agrees(given: list[str], account: str) -> None:
    script = [f"deposit --yes --json -- {account} {shlex.quote(text)}" for text in given]
    ended = chainteller("desk", "--plain", given="\n".join(script))
    rows = [row.removeprefix("> ") for row in ended.out.splitlines()]
    bodies = [json.loads(row) for row in rows if row.startswith("{")]
    assert len(bodies) == len(given)
    for text, body in zip(given, bodies, strict=True):
        assert outcome(body) == expected(text), text


def account_of(teller: Teller) -> str:
    found: str = teller("accounts", "list", "--limit", "1", "--json").body["data"][0]["id"]
    return found


def commands_agree(texts: list[str], teller: Teller) -> None:
    account = account_of(teller)
    for text in filter(printed, texts):
        done = teller("deposit", "--json", "--", account, text)
        assert outcome(done.body) == expected(text), text


def http_agrees(texts: list[str], call: Caller) -> None:
    """As everywhere else, but for the commas: an amount with them is refused."""
    account = call.account()
    currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
    for text in texts:
        answer = call(
            "POST", f"/trading-accounts/{account}/deposits", {"amount": text, "currency": currency}
        )
        atoms, reason = outcome(answer.json)
        assert atoms == oracle(text, 2, groups=False), text
        if "," not in text:
            assert atoms == oracle(text, 2, groups=True), text
            assert reason.replace("1500.00", "1500 or 1,500.00") == reason_of(text), text
        elif oracle(text, 2, groups=True):
            assert reason == "Leave out the commas, for example 1500.00.", text


@pytest.mark.usefixtures("bank")
def test_a_line_agrees(teller: Teller) -> None:
    lines_agree([*SHORT, *made(SEED, 5)], account_of(teller))


@pytest.mark.usefixtures("bank")
def test_a_command_agrees(teller: Teller) -> None:
    commands_agree([*SHORT, *made(SEED, 5)], teller)


@pytest.mark.usefixtures("bank")
def test_http_agrees(call: Caller) -> None:
    http_agrees(made(SEED, 100), call)


@pytest.mark.slow
@pytest.mark.usefixtures("bank")
def test_ten_thousand_lines(teller: Teller) -> None:
    lines_agree(made(SEED, 10_000), account_of(teller))


@pytest.mark.slow
@pytest.mark.usefixtures("bank")
def test_ten_thousand_commands(teller: Teller) -> None:
    commands_agree(made(SEED, 10_000), teller)


@pytest.mark.slow
def test_ten_thousand_requests(call: Caller) -> None:
    http_agrees(made(SEED, 10_000), call)


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    "command",
    [
        "deposit {account} {amount}",
        "withdraw {account} {amount} --yes",
        "quote sol-usd buy {amount}",
        "trade buy sol-usd --spend {amount} --account {account} --yes",
    ],
)
def test_every_command_refuses_what_is_no_amount_and_sends_nothing(
    teller: Teller, command: str
) -> None:
    account = account_of(teller)
    before = requested(teller)
    for text in ("1,50", "1e3", "-7", "5k", "12,34.56", "007", "1.001", " 1"):
        words = [word.format(account=account, amount=text) for word in command.split()]
        done = teller(*words, "--json")
        assert done.code == 1, (text, done)
        assert outcome(done.body) == expected(text), text
    assert requested(teller) == before


def requested(teller: Teller) -> int:
    """Number of the newest audit row that isn't the service's own due work."""
    rows = teller("audit", "list", "--limit", "100", "--json").body["data"]
    return int(next(row["seq"] for row in rows if row["actor"] != "worker"))


@pytest.mark.usefixtures("bank")
def test_a_large_deposit_line_is_confirmed_and_a_command_is_not(
    teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_DESK__CONFIRM_ABOVE", "1.00")
    account = account_of(teller)
    lines = [f"deposit {account} 1.00", f"deposit {account} 1.01", "last"]
    ended = chainteller("desk", "--plain", given="\n".join(lines))
    assert ended.out.count("deposit.completed") == 1
    assert "there is no terminal to ask on" in ended.err
    assert "amount    1.00 USD" in ended.out
    assert "outcome   completed" in ended.out
    assert teller("deposit", account, "1.01").code == 0
