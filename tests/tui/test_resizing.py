"""A window that is dragged with dialogs open, and a palette that is closed in mid-search."""

import asyncio

from tests.tui.conftest import Bench, seen, settle
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.widgets._toast import Toast

from chainteller.tui.console.palette import DeskPalette
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.dialogs.question import Ask, Question
from chainteller.tui.textual_fixes.palette import HitList
from chainteller.tui.widgets.lines import line


def _resize(width: int) -> Resize:
    return Resize(Size(width, 35), Size(width, 35))


async def test_sizes_that_overtake_each_other_come_to_rest(bench: Bench) -> None:
    app = bench.console()
    heard = 0

    def count(message: Message) -> None:
        nonlocal heard
        heard += isinstance(message, Resize)

    async with app.run_test(size=(100, 30), message_hook=count) as pilot:
        await settle(pilot)
        await app.push_screen(Box("A TEXT", [line("one")]))
        await app.push_screen(Question(Ask("SEND IT?"), lambda: None))
        await pilot.resize_terminal(90, 35)
        for screen in app.screen_stack:
            screen.post_message(_resize(140))
            screen.post_message(_resize(90))
        await settle(pilot)
        heard = 0
        await asyncio.sleep(0.3)
        assert heard == 0
        assert [screen.size for screen in app.screen_stack] == [Size(90, 35)] * 3


async def test_hits_too_narrow_for_a_letter_end_nothing(bench: Bench) -> None:
    """For the moment between a window that shrinks and the palette that closes for it."""
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        app.action_command_palette()
        await settle(pilot)
        hits = app.screen.query_one(HitList)
        assert hits.option_count
        for width in (*range(8, 0, -1), *range(1, 8)):
            hits.styles.width = width
            await settle(pilot)
            assert app._exception is None, width
        hits.styles.width = 60
        await settle(pilot)
        assert "Deposit from the bank account" in seen(app)


def test_hits_that_were_never_laid_out_end_nothing() -> None:
    HitList()._update_lines()


async def test_a_palette_closed_while_it_searches_ends_nothing(bench: Bench) -> None:
    """A letter's search may begin after ``esc``; the next palette may open before this is gone."""
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        app.action_command_palette()
        await pilot.pause()
        assert isinstance(app.screen, DeskPalette)
        palette: DeskPalette = app.screen
        app.simulate_key("escape")
        while app.screen is palette:
            await pilot.pause()
        app.action_command_palette()
        search = palette._gather_commands("q")
        await search.wait()
        await pilot.pause()
        assert isinstance(app.screen, DeskPalette)
        assert app._exception is None


async def test_two_quick_keys_close_one_dialog(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        below, above = (Box(title, [line("one")]) for title in ("BELOW", "ABOVE"))
        await app.push_screen(below)
        await app.push_screen(above)
        above.action_close()
        above.action_close()
        await pilot.pause()
        assert app.screen is below


async def test_a_toast_about_to_end_is_not_shown_again(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settle(pilot)
        app.notify("stays", timeout=30)
        app.notify("about to end", timeout=0.45)
        app.go("markets")
        await settle(pilot)
        assert [toast._notification.message for toast in app.screen.query(Toast)] == ["stays"]
