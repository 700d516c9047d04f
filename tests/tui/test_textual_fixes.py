"""Each fix for Textual has a test of plain Textual here: it fails when the fix can be removed.

A failure is good news: remove the fix named by the test from ``tui/textual_fixes``, and the test.
"""

import asyncio
import inspect
from collections.abc import Iterable

import pytest
from rich.console import Console as RichConsole
from rich.segment import Segment
from rich.style import Style
from tests.tui.conftest import Bench, press
from textual import events, keys
from textual._compositor import ChopsUpdate
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult, ScreenStackError
from textual.command import Command, CommandList, CommandPalette, DiscoveryHit
from textual.content import Content
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.drivers import linux_driver
from textual.geometry import Size
from textual.message import Message
from textual.notifications import Notification
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input, Static
from textual.widgets._toast import Toast

from chainteller.tui.textual_fixes.app import SteadyApp
from chainteller.tui.textual_fixes.screen import SteadyScreen, lay_out_now
from chainteller.tui.textual_fixes.terminal_output import Picture
from chainteller.tui.widgets.ordered_input import OrderedInput


class Probe(Message):
    """Its handler fails as the test says."""


class Failing(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self.laid_out: list[Size] = []

    def on_probe(self) -> None:
        raise NoMatches

    def _screen_resized(self, size: Size) -> None:
        self.laid_out.append(size)
        super()._screen_resized(size)


class Steady(SteadyScreen, Failing):
    """The same with the fixes."""


class Plain(App[None]):
    fault: BaseException = NoMatches("gone")

    def on_probe(self) -> None:
        raise self.fault


class Growing(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("one")


@pytest.mark.parametrize(
    ("owner", "public", "used_in"),
    [
        (keys, "normalize_key_list", "keys.normalize_keys"),
        (App, "check_bindings", "app.run_key"),
        (App, "press_keys", "app.press_keys"),
        (App, "screen_stacks", "screen.is_open"),
        (App, "css_update_count", "screen.style_version"),
        (App, "set_terminal_title", "terminal_title.show_title"),
        (App, "driver", "terminal_title.show_title"),
        (CommandPalette, "placeholder", "palette.SteadyPalette"),
        (CommandPalette, "select_or_command", "palette.SteadyPalette"),
    ],
)
def test_there_is_no_public_way(owner: object, public: str, used_in: str) -> None:
    assert not hasattr(owner, public), f"textual_fixes.{used_in} may use the public {public}"


# -- screens ---------------------------------------------------------------------------------------


async def test_steady_screen_a_covered_screen_that_is_dismissed_closes_the_one_on_top() -> None:
    """Textual #2575 and #4884."""
    for kind, left in ((Failing, 2), (Steady, 3)):
        async with Plain().run_test() as pilot:
            covered, top = kind(), Screen[None]()
            await pilot.app.push_screen(covered)
            await pilot.app.push_screen(top)
            covered.dismiss()
            await pilot.pause()
            assert len(pilot.app.screen_stack) == left
            assert (top in pilot.app.screen_stack) is (kind is Steady)


async def test_steady_screen_a_size_of_another_window_is_laid_out() -> None:
    another = Size(40, 10)
    for kind in (Failing, Steady):
        async with Plain().run_test(size=(80, 24)) as pilot:
            screen = kind()
            await pilot.app.push_screen(screen)
            await pilot.pause()
            screen.post_message(events.Resize(another, another))
            await pilot.pause()
            assert (another in screen.laid_out) is (kind is Failing)


async def test_steady_screen_what_comes_after_the_end_fails() -> None:
    """Textual #4258."""
    async with Plain().run_test() as pilot:
        closed = Failing()
        await pilot.app.push_screen(closed)
        await pilot.app.pop_screen()
        with pytest.raises(NoMatches):
            await closed._on_message(Probe())
        steady = Steady()
        await pilot.app.push_screen(steady)
        await pilot.app.pop_screen()
        await steady._on_message(Probe())


async def test_full_screen_breakpoints_come_after_the_first_layout() -> None:
    class Wide(Screen[None]):
        HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 - as Textual has it
        composed_with: frozenset[str] = frozenset()

        def compose(self) -> ComposeResult:
            self.composed_with = frozenset(self.classes)
            yield Static()

    async with Plain().run_test(size=(80, 24)) as pilot:
        screen = Wide()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        assert "-wide" in screen.classes
        assert "-wide" not in screen.composed_with


async def test_full_screen_a_new_screen_is_styled_again() -> None:
    async with Plain().run_test() as pilot:
        assert Screen[None]()._css_update_count != pilot.app._css_update_count
    assert events.ScreenResume().refresh_styles


def _styled_from_now_on(app: App[None]) -> list[DOMNode]:
    found: list[DOMNode] = []
    style = app.stylesheet.update_nodes

    def styled(nodes: Iterable[DOMNode], animate: bool = False) -> None:
        kept = [*nodes]
        found.extend(kept)
        style(kept, animate)

    app.stylesheet.update_nodes = styled  # type: ignore[method-assign]  # counts what it's given
    return found


async def test_full_screen_a_screen_shown_again_is_styled_again(bench: Bench) -> None:
    class Modes(App[None]):
        MODES = {"one": Screen, "two": Screen}  # noqa: RUF012 - Textual declares it so
        DEFAULT_MODE = "one"

    plain, ours = Modes(), bench.console()
    async with plain.run_test() as pilot:
        await plain.switch_mode("two")
        styled = _styled_from_now_on(plain)
        await plain.switch_mode("one")
        await pilot.pause()
        assert plain.screen in styled
    async with ours.run_test() as pilot:
        await press(pilot, "2", "1")
        styled = _styled_from_now_on(ours)
        await press(pilot, "2")
        assert ours.current_mode == "markets"
        assert ours.screen not in styled


def test_full_screen_a_batch_is_rendered_and_dropped() -> None:
    assert "batch_count" not in inspect.getsource(Screen._compositor_refresh)


# -- the application -------------------------------------------------------------------------------


def test_full_screen_a_frame_waits_for_nothing() -> None:
    assert not any("hold" in name for name in vars(Screen))


async def test_lay_out_now_a_frame_comes_before_a_new_height() -> None:
    app = Growing()
    async with app.run_test() as pilot:
        await pilot.pause()
        for lays_out, height in ((False, 1), (True, 2)):
            grown = app.query_one(Static)
            grown.update("one")
            await pilot.pause()
            grown.update("one\ntwo")
            if lays_out:
                lay_out_now(grown)
            app.screen._on_timer_update()
            assert grown.region.height == height


def test_steady_app_a_toast_that_has_ended_gets_a_negative_timer() -> None:
    assert Toast(Notification("over", timeout=-1))._timeout < 0


async def test_steady_app_a_cancelled_handler_ends_who_waits_for_it() -> None:
    app = Plain()
    async with app.run_test():
        app.fault = asyncio.CancelledError()
        with pytest.raises(asyncio.CancelledError):
            await app._dispatch_message(Probe())


async def test_steady_app_a_fault_after_the_end_is_the_end_of_it() -> None:
    app = Plain()
    async with app.run_test():
        app.exit(return_code=0)
        with pytest.MonkeyPatch.context() as patch:
            failed: list[Exception] = []
            patch.setattr(app, "_fatal_error", lambda: failed.append(ValueError()))
            app._handle_exception(ValueError())
        assert failed
        app._exception = None


def test_steady_app_a_crash_prints_local_variables() -> None:
    assert "show_locals=True" in inspect.getsource(App._fatal_error)
    assert SteadyApp._fatal_error is not App._fatal_error


async def test_steady_app_the_last_screen_cannot_be_popped_twice() -> None:
    async with Plain().run_test() as pilot:
        with pytest.raises(ScreenStackError):
            pilot.app.pop_screen()


def test_steady_app_a_changed_cell_costs_the_bytes_of_its_whole_piece() -> None:
    style = Style(color="#ff8a3d", bgcolor="#0d1117")
    strip = Strip([Segment("sol-usd  185.51  open", style)])
    update = ChopsUpdate([{0: strip}], [(0, 14, 15)], [[strip.cell_length]])
    console = RichConsole(color_system="truecolor", width=80, force_terminal=True)
    shorter = Picture().differing(update)
    assert shorter is not None
    assert len(update.render_segments(console)) > len(shorter.render_segments(console))


# -- the palette -----------------------------------------------------------------------------------


async def test_steady_palette_enter_takes_the_hits_of_an_earlier_text() -> None:
    handlers = CommandPalette._decorated_handlers[Input.Submitted]
    assert any(method is CommandPalette._select_or_command for method, _ in handlers)


async def test_steady_palette_an_empty_list_says_so_in_words_of_its_own_and_late() -> None:
    """No method gives the words, and a timer waits before they are shown."""
    source = inspect.getsource(CommandPalette._start_no_matches_countdown)
    assert '"No matches found"' in source
    assert "set_timer" in source
    assert not any("no_match" in name for name in vars(CommandPalette) if name[0] != "_")


async def test_hit_list_a_list_too_narrow_for_a_letter_fails() -> None:
    class Listing(App[None]):
        def compose(self) -> ComposeResult:
            yield CommandList()

    async with Listing().run_test(size=(80, 24)) as pilot:
        listed = pilot.app.query_one(CommandList)
        listed.add_option(Command(Content("a hit"), DiscoveryHit("a hit", lambda: None)))
        await pilot.pause()
        width = listed.get_component_styles("option-list--option").padding.width
        with pytest.raises(ValueError, match="must not be zero"):
            listed.get_content_height(Size(width, 9), Size(width, 9), width)


# -- fields ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "left"), [(Input, "10"), (OrderedInput, "15")])
async def test_ordered_input_letters_overtake_keys_that_edit(kind: type[Input], left: str) -> None:
    """The fix is in ``widgets/ordered_input.py``, beside what uses it."""

    class OneField(App[None]):
        def compose(self) -> ComposeResult:
            yield kind()

    async with OneField().run_test() as pilot:
        for key in ("1", "0", "backspace", "5"):
            pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert pilot.app.query_one(Input).value == left


# -- what the terminal sends -----------------------------------------------------------------------


def test_paste_safe_parser_an_escape_within_a_paste_ends_it() -> None:
    parser = XTermParser()
    found = [*parser.feed("\x1b[200~\x1bd100\r\x1b[201~"), *parser.feed("")]
    assert [type(event) for event in found] != [events.Paste]


def test_guard_input_bytes_are_read_strictly() -> None:
    """Textual #6456."""
    assert 'errors="replace"' not in inspect.getsource(linux_driver)


def test_guard_input_a_fault_of_the_reading_thread_prints_local_variables() -> None:
    source = inspect.getsource(linux_driver)
    assert "self._app.panic" in source


def test_guard_suspending_textual_stops_where_nobody_could_continue_it() -> None:
    """And it continues what was never stopped."""
    source = inspect.getsource(linux_driver)
    stop, _, go_on = source.partition("def _sigtstp_application")[2].partition(
        "def _sigcont_application"
    )
    assert "signal.SIGSTOP" in stop
    assert "_must_signal_resume" not in go_on.partition("def can_suspend")[0]
