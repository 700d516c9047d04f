"""Hostile text given to every field, and clicks on whatever a deployment sends: nothing is run."""

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.deployments import SPEC_ONLY
from tests.tui.conftest import Bench, make_bench, press, seen, settle
from tests.tui.hostile_service import HOSTILE, HostileService
from tests.tui.wallet_case import Case
from textual import events
from textual.widgets import Input

from chainteller.service.models.pages import ListQuery
from chainteller.tui.console.app import Console

pytestmark = pytest.mark.thorough

FIELDS: dict[str, Sequence[str]] = {
    "nothing open": ("1",),
    "filter of accounts": ("1", "slash"),
    "deposit": ("1", "d"),
    "withdrawal": ("1", "w"),
    "customer": ("1", "plus"),
    "note": ("1", "n"),
    "case": ("1", "number_sign"),
    "palette": ("1", "colon"),
    "keys": ("1", "question_mark"),
    "quote's amount": ("1", "b"),
    "filter of trades": ("4", "slash"),
    "filter of wallets": ("5", "slash"),
    "address": ("5", "plus"),
    "signature": ("5", "v"),
    "filter of transfers": ("6", "0", "slash"),
}
"""The keys that open each."""
WALK = (
    "1", "j", "enter", "c", "t", "t", "escape", "a", "enter", "escape", "escape", "2", "t",
    "escape", "4", "0", "enter", "t", "escape", "escape", "5", "0", "enter", "escape", "escape",
    "6", "0", "enter", "t", "escape", "f", "escape", "escape",
    "h", "escape", "exclamation_mark", "escape", "question_mark", "escape", "colon", "escape",
    "e", "enter",
)  # fmt: skip
OBEYED = {"Cc", "Cf", "Zl", "Zp", "Cs"}


@pytest.fixture
def peopled(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    for bench in make_bench(tmp_path, kind=deployment):
        for number in range(2, 5):
            bench.open(number, deposit="50.00")
        bench.world.advance(1)
        Case(bench, "alice-ethereum")
        yield bench


def _harmless(app: Console) -> None:
    """Nothing on the screen can be clicked to run an action, nothing is obeyed by a terminal."""
    for strip in app.screen._compositor.render_strips(app.size):
        for segment in strip:
            style = segment.style
            assert style is None or not style.link, segment
            assert style is None or "@click" not in (style.meta or {}), segment
    shown = seen(app).replace("\n", "")
    assert {one for one in shown if unicodedata.category(one) in OBEYED} == set()
    assert app._exception is None


def _typed(text: str) -> list[str]:
    return [one for one in text if one.isprintable()][:24]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "texts",
    [HOSTILE[::14], pytest.param(HOSTILE, marks=pytest.mark.slow)],
    ids=["quick", "all"],
)
async def test_hostile_text_in_a_field_is_text(
    peopled: Bench, field: str, texts: Sequence[str]
) -> None:
    app = peopled.console()
    async with app.run_test(size=(110, 32), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        for text in texts:
            await press(pilot, *FIELDS[field])
            if field != "nothing open":
                assert isinstance(app.focused, Input), (text, seen(app))
            app.post_message(events.Paste(text))
            for letter in _typed(text):
                app.post_message(events.Key(letter, letter))
            await settle(pilot)
            _harmless(app)
            await press(pilot, "enter")
            _harmless(app)
            await press(pilot, *["escape"] * 4)
        _harmless(app)


@pytest.mark.parametrize("deployment", [SPEC_ONLY], indirect=True)
async def test_hostile_text_for_an_account_id_of_a_bare_deployment_is_text(peopled: Bench) -> None:
    app = peopled.console()
    async with app.run_test(size=(110, 32), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        for text in HOSTILE:
            await press(pilot, "1", "plus")
            assert isinstance(app.focused, Input)
            app.post_message(events.Paste(text))
            for letter in _typed(text):
                app.post_message(events.Key(letter, letter))
            await settle(pilot)
            _harmless(app)
            await press(pilot, "enter")
            _harmless(app)
            await press(pilot, "escape", "escape")
        assert app.is_running


async def test_hostile_text_does_not_answer_the_question_that_wants_the_amount_again(
    peopled: Bench,
) -> None:
    accounts = peopled.service.trading_accounts(ListQuery()).data
    account = next(one for one in accounts if one.bank_account_id == "DDA-2")
    app = peopled.console(confirm_above_cents=1_00)
    async with app.run_test(size=(110, 32), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"DDA-2", "enter", "w", *"20", "enter")
        assert "Type the amount again, 20.00" in seen(app)
        for text in HOSTILE:
            app.post_message(events.Paste(text))
            for letter in _typed(text):
                if letter != "n":
                    app.post_message(events.Key(letter, letter))
            await settle(pilot)
            _harmless(app)
            await press(pilot, "enter")
            assert "Type the amount again" in seen(app)
        assert peopled.service.withdrawals(account.id).pagination.total == 0


async def test_nothing_that_a_deployment_sends_can_be_clicked(peopled: Bench) -> None:
    service = HostileService(peopled.service, set())
    app = peopled.console(service=service)
    async with app.run_test(size=(120, 40), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        for text in HOSTILE:
            app.alert(text, "warn")
            await pilot.pause()
            _harmless(app)
            app.clear_notifications()
        for key in WALK:
            await press(pilot, key)
            _harmless(app)
        assert len(service.pairs) > 100
        assert app.is_running
