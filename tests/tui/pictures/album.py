"""Pictures of a walk through the running console, compared with those that are kept.

Every scene at 80x24 in the dark theme and at 120x40 in the light one. Four scenes in all seven
formats: three sizes in both themes, and once without colours. The ten pages at 200x60 too, where
there is room for more than one needs. After a look at what changed,
``pytest tests/tui/pictures --snapshot-update`` keeps the new ones.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path
from typing import Any, cast

import pytest
from tests.tui.conftest import settle
from tests.tui.pictures.painting import paint
from textual.pilot import Pilot

from chainteller.tui.console.app import Console

THEMES = ("dark", "light")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Format:
    """A window, and whether the terminal is asked for no colours (``NO_COLOR``)."""

    width: int
    height: int
    is_grey: bool = False

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def is_narrow(self) -> bool:
        return self.width < 110

    def __str__(self) -> str:
        return f"{self.width}x{self.height}{'-grey' if self.is_grey else ''}"


SMALL, LARGE, VAST = Format(80, 24), Format(120, 40), Format(200, 60)
OTHERS = (Format(100, 30), Format(120, 40, is_grey=True))
THEME_OF = {SMALL: "dark", LARGE: "light"}
IN_EVERY_FORMAT = frozenset({"accounts", "question", "why", "transfers"})
"""Two lists with their detail, a question over a form, and a long text."""
PAGES = frozenset(
    {
        "accounts",
        "audit",
        "customer",
        "decisions",
        "markets",
        "quote",
        "quote-executed",
        "trades",
        "transfers",
        "verified",
        "wallets",
    }
)
in_two_formats = pytest.mark.parametrize("form", [SMALL, LARGE], ids=str)
with_pages = pytest.mark.parametrize("form", [SMALL, LARGE, VAST], ids=str)
"""For a walk past the scenes in ``PAGES``."""
in_the_other_formats = pytest.mark.parametrize("form", OTHERS, ids=str)
"""For the part of a walk that leads to the scenes in ``IN_EVERY_FORMAT``."""


Themes = Callable[[str], tuple[str, ...]]
"""The themes in which a scene is taken; none where it is not."""


def themes_of(form: Format) -> Themes:
    """Of the window: what a scene's name says of it."""

    def of_scene(name: str) -> tuple[str, ...]:
        if form == VAST:
            return THEMES[:1] if name in PAGES else ()
        if form.is_grey:
            return THEMES[:1] if name in IN_EVERY_FORMAT else ()
        if name in IN_EVERY_FORMAT:
            return THEMES
        return (THEME_OF[form],) if form in THEME_OF else ()

    return of_scene


class Album:
    """Take pictures while walking, then compare all of them with the files in ``folder``.

    A file is named for what it shows: ``quote.80x24.light.svg``. Pictures that differ go into the
    folder ``changed``; with ``updates`` they are kept instead.
    """

    def __init__(
        self, form: Format, folder: Path, themes: Themes, changed: Path, *, updates: bool
    ) -> None:
        self._form, self._folder, self._changed = form, folder, changed
        self._themes = themes
        self._updates = updates
        self._taken: dict[str, str] = {}

    def of(self, pilot: Pilot[Any], *, started: bool = True) -> "Look":
        return Look(pilot, self._keep, self._form, self._themes, started=started)

    def _keep(self, name: str, picture: str) -> None:
        assert name not in self._taken
        self._taken[name] = picture

    @property
    def _kept(self) -> dict[str, str]:
        """The files of this format."""
        files = self._folder.glob(f"*.{self._form}.*") if self._folder.exists() else ()
        return {file.stem: file.read_text(encoding="utf-8") for file in files}

    def compare(self) -> None:
        """The end of the walk."""
        if self._updates:
            self._replace()
            return
        kept = self._kept
        differ = sorted(name for name, taken in self._taken.items() if kept.get(name) != taken)
        for name in differ:
            (self._changed / f"{name}.svg").write_text(self._taken[name], encoding="utf-8")
        rows = [
            row for name in differ for row in _changes(name, kept.get(name, ""), self._taken[name])
        ]
        assert not differ, "\n".join([f"these look different now: {self._changed}", *rows])
        assert not kept.keys() - self._taken.keys(), "these are not taken any more"

    def _replace(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        for name in self._kept:
            (self._folder / f"{name}.svg").unlink()
        for name, picture in self._taken.items():
            (self._folder / f"{name}.svg").write_text(picture, encoding="utf-8")


def _changes(name: str, kept: str, taken: str) -> list[str]:
    """The first rows that changed, as text."""
    before, after = _TAG.sub(" ", kept).splitlines(), _TAG.sub(" ", taken).splitlines()
    rows = [row for row in ndiff(before, after) if row.startswith(("-", "+"))]
    return [name, *rows[:4]]


class Look:
    """Takes a picture of the screen as text, in each of the scene's themes.

    The walk goes on in the theme of the last picture: that a theme changes on the way, and back,
    is so proved with every scene that has two.
    """

    def __init__(
        self,
        pilot: Pilot[Any],
        keep: Callable[[str, str], None],
        form: Format,
        themes: Themes,
        *,
        started: bool,
    ) -> None:
        self._pilot, self._keep, self._form = pilot, keep, form
        self._themes, self._started = themes, started

    async def __call__(self, name: str, *keys: str) -> None:
        """``keys`` open again what a change of theme leaves as it was: Textual's own palette."""
        app = cast("Console", self._pilot.app)
        for theme in sorted(self._themes(name), key=lambda theme: theme != app.theme):
            if app.theme != theme:
                app.action_use_theme(theme)
                await settle(self._pilot, started=self._started)
                await self._pilot.press(*keys)
                await settle(self._pilot, started=self._started)
            app.screen.refresh()  # with the desk behind a dialog as it is now
            await settle(self._pilot, started=self._started)
            shade = "" if self._form.is_grey else f".{theme}"
            self._keep(f"{name}.{self._form}{shade}", paint(app))
