"""The themes of the console: which one is shown, and the theme files as they change."""

from pathlib import Path
from typing import Any

from textual.app import App
from textual.theme import Theme

from chainteller.tui.console.theme_files import (
    FIELDS,
    VARIABLES,
    ThemeFile,
    changed_files,
    find_theme,
    load_themes,
)
from chainteller.tui.desk import Desk


class Themes:
    """The themes of the console: the first one before anything is styled, then all of them, and
    again whenever a file changes.
    """

    def __init__(self, app: App[Any], desk: Desk) -> None:
        self._app, self._desk = app, desk
        self._files: tuple[tuple[Path, int], ...] = ()
        self.names: tuple[str, ...] = ()

    def show_first(self) -> None:
        """Show the configured theme without reading the other files.

        A change of the theme would style everything twice.
        """
        app, settings = self._app, self._desk.settings
        file = find_theme(settings.theme_folders, settings.theme)
        if file is not None:
            app.register_theme(textual_theme(file))
            app.set_reactive(type(app).theme, file.name)
            dark = app.current_theme.dark
            app.set_class(dark, "-dark-mode", update=False)
            app.set_class(not dark, "-light-mode", update=False)
        app.stylesheet.set_variables(app.get_css_variables())

    def load(self) -> None:
        """Register every theme file; what is wrong with a file is told with file and key."""
        settings = self._desk.settings
        self._files = changed_files(settings.theme_folders)
        problems = self._register()
        if settings.theme in self.names:
            self._app.theme = settings.theme
        self._tell(problems)

    def reload(self) -> None:
        """Take changed theme files in; a broken one leaves the colours as they are."""
        found = changed_files(self._desk.settings.theme_folders)
        if not self._files or found == self._files:
            return  # none was read yet, or none has changed
        self._files = found
        problems, app = self._register(), self._app
        if app.theme in self.names:
            current = app.theme
            with app.batch_update():
                app.theme = next(name for name in app.available_themes if name != current)
                app.theme = current
        self._desk.notify("theme files reloaded", "muted")
        self._tell(problems)

    def _register(self) -> list[str]:
        themes, problems = load_themes(self._desk.settings.theme_folders)
        for file in themes.values():
            self._app.register_theme(textual_theme(file))
        self.names = tuple(themes)
        return problems

    def _tell(self, problems: list[str]) -> None:
        if problems:
            files = "1 theme file" if len(problems) == 1 else f"{len(problems)} theme files"
            told = f"{files} left out: {problems[0]}"
            self._desk.notify(told, "warn", "\n".join(["", *problems]))


def textual_theme(file: ThemeFile) -> Theme:
    colors, muted = file.colors, file.colors["muted"]
    fields: dict[str, Any] = {field: colors[field] for field in FIELDS}
    return Theme(
        name=file.name,
        dark=file.dark,
        **fields,
        text_alpha=1.0,
        variables={
            **{name: colors[name] for name in VARIABLES},
            "text-muted": muted,
            "text-disabled": muted,
            "foreground-muted": muted,
            "input-selection-background": colors["cursor"],
            "input-selection-foreground": colors["cursor-text"],
            "block-cursor-background": colors["cursor"],
            "block-cursor-foreground": colors["cursor-text"],
            "block-cursor-text-style": "none",
            "input-cursor-background": colors["foreground"],
            "input-cursor-foreground": colors["background"],
        },
    )
