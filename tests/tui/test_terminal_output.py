"""Reduced terminal output: an emulated terminal shows the same with fewer bytes."""

import pyte
import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.tui.textual_fixes.terminal_output import Picture

WIDTH, HEIGHT = 40, 6
TEXTS = ("", " ", "    ", " " * 14, "price ", "1,204.50", "字字", "é", "a b")
COLOURS = ("#ff8a3d", "#6cc0ff")
GROUNDS = ("#0d1117", "#21476b", None)


def _style(random: SeededRandomness) -> Style | None:
    """A new object each time: Rich keeps a style's codes for the first colour system it meets."""
    kind, color, ground = below(random, 8), below(random, 2), below(random, 3)
    if kind == 0:
        return None
    attributes = {1: {"bold": True}, 2: {"underline": True}, 3: {"reverse": True}}.get(kind, {})
    return Style(color=COLOURS[color], bgcolor=GROUNDS[ground], **attributes)  # type: ignore[arg-type]  # attributes alone


def _strip(random: SeededRandomness, width: int) -> Strip:
    segments: list[Segment] = []
    while sum(segment.cell_length for segment in segments) < width:
        segments.append(Segment(TEXTS[below(random, len(TEXTS))], _style(random)))
    return Strip(segments).adjust_cell_length(width, Style(bgcolor=GROUNDS[0]))


def _console(system: str) -> Console:
    return Console(color_system=system, force_terminal=True, legacy_windows=False, width=WIDTH)  # type: ignore[arg-type]  # one of its words


def _written(picture: Picture, update: CompositorUpdate, console: Console) -> str:
    newer = picture.differing(update)
    return newer.render_segments(console) if newer is not None else ""


class Terminal:
    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)

    def feed(self, written: str) -> None:
        self._stream.feed(written)

    def cells(self) -> list[list[tuple[object, ...]]]:
        return [[_seen(self.screen.buffer[y][x]) for x in range(WIDTH)] for y in range(HEIGHT)]


def _seen(cell: pyte.screens.Char) -> tuple[object, ...]:
    """What an eye can tell: a blank's letters have no colour of their own."""
    blank = cell.data == " " and not cell.reverse and not cell.underscore
    letters = ("", False) if blank else (cell.fg, cell.bold)
    return (cell.data, cell.bg, cell.reverse, cell.underscore, *letters)


@pytest.mark.parametrize("system", ["truecolor", "256", "standard"])
@pytest.mark.parametrize("seed", range(20))
def test_the_same_picture_in_fewer_bytes(
    system: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", ("screen", "xterm-256color")[seed % 2])
    random, console = SeededRandomness(f"thrifty {seed}"), _console(system)
    theirs, ours = Terminal(), Terminal()
    cut = 1 + below(random, WIDTH - 2)
    pictures = [
        [[_strip(random, cut), _strip(random, WIDTH - cut)] for _ in range(HEIGHT)] for _ in "ab"
    ]
    whole = LayoutUpdate([*pictures[0]], Region(0, 0, WIDTH, HEIGHT))
    chops = [dict(zip((0, cut), picture, strict=True)) for picture in pictures[1]]
    part = ChopsUpdate(chops, [(y, 0, WIDTH) for y in range(HEIGHT)], [[cut, WIDTH]] * HEIGHT)
    full, fewer, picture = 0, 0, Picture()
    for update in (whole, part):
        bytes_of = update.render_segments(console), _written(picture, update, console)
        theirs.feed(bytes_of[0])
        ours.feed(bytes_of[1])
        assert ours.cells() == theirs.cells()
        full, fewer = full + len(bytes_of[0]), fewer + len(bytes_of[1])
    assert fewer < full


def test_one_changed_letter_costs_its_place_and_its_look() -> None:
    style = Style(color="#ff8a3d", bgcolor="#0d1117")
    was, now = (
        Strip([Segment(f"sol-usd  {price}  open", style)]) for price in ("185.50", "185.51")
    )
    picture, console = Picture(), _console("truecolor")
    _written(picture, LayoutUpdate([[was]], Region(0, 0, was.cell_length, 1)), console)
    update = ChopsUpdate([{0: now}], [(0, 0, now.cell_length)], [[now.cell_length]])
    written = _written(picture, update, console)
    assert written == "\x1b[1;15H\x1b[38;2;255;138;61;48;2;13;17;23m1\x1b[0m"


@pytest.mark.parametrize(("term", "erases"), [("xterm-256color", True), ("screen", False)])
def test_blanks_are_erased_where_the_ground_stays(
    term: str, erases: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    strip = Strip.blank(30, Style(bgcolor=GROUNDS[0]))
    update = ChopsUpdate([{0: strip}], [(0, 0, 30)], [[30]])
    written = _written(Picture(), update, _console("truecolor"))
    assert ("\x1b[30X" in written) == erases
    assert (" " * 30 in written) != erases


def test_bold_ends_without_saying_the_colours_again() -> None:
    color, ground = COLOURS[0], GROUNDS[0]
    bold, thin = Style(color=color, bgcolor=ground, bold=True), Style(color=color, bgcolor=ground)
    strip = Strip([Segment("SAY", bold), Segment("text", thin)])
    update = ChopsUpdate([{0: strip}], [(0, 0, 7)], [[7]])
    written = _written(Picture(), update, _console("truecolor"))
    assert "SAY\x1b[22mtext" in written


def test_a_table_of_two_colours_names_each_of_them_once() -> None:
    name, value = (Style(color=color, bgcolor=GROUNDS[0]) for color in COLOURS)
    row = Strip([Segment("fee       ", name), Segment("0.25", value)])
    whole = LayoutUpdate([[row]] * HEIGHT, Region(0, 0, row.cell_length, HEIGHT))
    written = _written(Picture(), whole, _console("truecolor"))
    assert written.count("38;2;") == len(COLOURS)


def test_what_is_painted_anew_and_looks_the_same_is_not_written() -> None:
    """A blank has no colour of letters."""
    thin, other = (Style(color=color, bgcolor=GROUNDS[0]) for color in COLOURS)
    was = Strip([Segment("USD", thin), Segment("     ", thin)])
    now = Strip([Segment("US", thin), Segment("D", thin), Segment("     ", other)])
    picture, console = Picture(), _console("truecolor")
    for strip, is_written in ((was, True), (now, False)):
        update = LayoutUpdate([[strip]], Region(0, 0, strip.cell_length, 1))
        assert bool(_written(picture, update, console)) == is_written


def test_what_was_not_painted_since_it_was_forgotten_is_written() -> None:
    strip, picture = Strip([Segment("USD", Style(bgcolor=GROUNDS[0]))]), Picture()
    update = ChopsUpdate([{0: strip, 3: strip}], [(0, 0, 3)], [[3, 6]])
    assert _written(picture, update, _console("truecolor"))
    picture.forget()
    assert _written(picture, update, _console("truecolor"))
    right = ChopsUpdate([{0: strip, 3: strip}], [(0, 3, 6)], [[3, 6]])
    assert _written(picture, right, _console("truecolor"))
    assert not _written(picture, right, _console("truecolor"))


def _painted(*rows: list[Segment]) -> str:
    """What is written when the second row takes the place of the first."""
    was, now = (Strip(row) for row in rows)
    picture, console = Picture(), _console("truecolor")
    _written(picture, LayoutUpdate([[was]], Region(0, 0, was.cell_length, 1)), console)
    width = now.cell_length
    return _written(picture, ChopsUpdate([{0: now}], [(0, 0, width)], [[width]]), console)


def test_the_blanks_after_a_changed_text_are_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    style = Style(color=COLOURS[0], bgcolor=GROUNDS[0])
    texts = "withdraw 185.00 USD  |", "buy                  |"
    written = _painted(*([Segment(text, style)] for text in texts))
    assert "mbuy\x1b[16X\x1b[0m" in written


def test_going_on_in_a_row_says_how_far() -> None:
    style = Style(color=COLOURS[0], bgcolor=GROUNDS[0])
    blank = " " * 100
    written = _painted(*([Segment(f"{blank}{text}", style)] for text in ("a-----a", "b-----b")))
    assert "b\x1b[5Cb" in written


def test_texts_on_one_ground_are_written_together() -> None:
    one, other = (Style(color=COLOURS[0], bgcolor=ground) for ground in GROUNDS[:2])
    third = Style(color=COLOURS[1], bgcolor=GROUNDS[0])
    row = [Segment("a" * 9, one), Segment("b" * 9, other), Segment("c" * 9, third)]
    written = _painted([Segment(" " * 27, one)], row * 3)
    assert written.count("48;2") == 2


def test_blanks_are_written_with_the_text_beside_them() -> None:
    one, other = (Style(color=color, bgcolor=GROUNDS[0]) for color in COLOURS)
    was = [Segment("-" * 20, one)]
    now = [Segment("    ", other), Segment("ab", one), Segment("-" * 14, one)]
    written = _painted(was, now)
    assert "m    ab\x1b[0m" in written
    assert written.count("38;2") == 1
