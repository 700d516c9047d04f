"""A dialog is answered once: two quick keys neither close what lies below nor act twice."""

from collections.abc import Sequence

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from textual import events
from textual.screen import Screen

from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.start import ProfileRow

_OPENED_BY = {
    "text": ("t",),
    "choice": ("e",),
    "log": ("exclamation_mark",),
    "help": ("question_mark",),
    "note": ("n",),
    "customers": ("plus",),
    "handover": ("h",),
    "question": ("w", *"10", "enter"),
}
_BY_NAME = ("requests", "profile")


_NEEDS = {"text": "buying-power", "customers": "customers"}


def _needing(name: str) -> object:
    """The name of a dialog, with what a deployment needs for it."""
    return pytest.param(name, marks=pytest.mark.needs(_NEEDS[name]) if name in _NEEDS else ())


def _both_at_once(dialog: Screen[object], key: str) -> None:
    """Two keys that are on their way before the first is looked at."""
    for _ in range(2):
        dialog._forward_event(events.Key(key, "\r" if key == "enter" else None))


@pytest.mark.forms(2)
@pytest.mark.parametrize("key", ["escape", "enter"])
@pytest.mark.parametrize("name", [_needing(each) for each in (*_OPENED_BY, *_BY_NAME)])
async def test_two_quick_keys_close_one_dialog(bench: Bench, name: str, key: str) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console(profiles=(ProfileRow("branch", "remote", "https://bank.example"),))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        if name in _OPENED_BY:
            await press(pilot, *_OPENED_BY[name])
        else:
            await pilot.app.run_action(f"command('palette.{name}')")
            await settle(pilot)
        dialog, below = app.screen, app.screen_stack[-2]
        assert isinstance(dialog, Dialog)
        _both_at_once(dialog, key)
        await pilot.pause(0.3)
        if app.screen is dialog:  # a dialog that enter does not close
            assert key == "enter"
            return
        assert app.screen_stack[0] is below
        assert app.current_mode == "accounts"


async def test_an_answer_given_twice_counts_once(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        answers: list[object] = []
        await press(pilot, "a")
        below = app.screen
        dialog: Dialog[str] = Dialog()
        await app.push_screen(dialog, answers.append)
        dialog.dismiss("one")
        dialog.dismiss("two")
        await settle(pilot)
        assert answers == ["one"]
        assert app.screen is below


async def test_a_dialog_under_another_waits_for_it(bench: Bench) -> None:
    """What closes by itself must not close the palette that was opened over it."""
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        answers: list[object] = []
        lower: Dialog[str] = Dialog()
        upper: Dialog[str] = Dialog()
        await app.push_screen(lower, answers.append)
        await app.push_screen(upper)
        lower.dismiss("done")
        await settle(pilot)
        assert _shown(app.screen_stack) == [lower, upper]
        upper.dismiss()
        await settle(pilot)
        assert answers == ["done"]
        assert _shown(app.screen_stack) == []


def _shown(stack: Sequence[Screen[object]]) -> list[Screen[object]]:
    return [screen for screen in stack if isinstance(screen, Dialog)]


@pytest.mark.needs("notes")
async def test_a_note_sent_twice_is_noted_once(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "n", *"hello")
        _both_at_once(app.screen, "enter")
        await settle(pilot)
        assert [each.content for each in bench.service.notes().data] == ["hello"]
        assert "NOTES" in seen(app)


async def test_the_second_of_two_quick_escapes_does_not_reach_the_screen_below(
    bench: Bench,
) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        await press(pilot, "exclamation_mark")
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert app.screen.has_class("detail-open")
        await settle(pilot)
        await press(pilot, "escape")
        assert not app.screen.has_class("detail-open")


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", [_needing(each) for each in ("text", "log", "handover")])
async def test_enter_closes_what_was_only_to_be_read(bench: Bench, name: str) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *_OPENED_BY[name])
        assert isinstance(app.screen, Dialog)
        await press(pilot, "enter")
        assert not isinstance(app.screen, Dialog)
