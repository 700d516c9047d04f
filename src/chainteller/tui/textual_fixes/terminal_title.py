"""The title of the terminal's window or tab: the only thing seen while another tab is open."""

from typing import Any

from textual.app import App


def show_title(app: App[Any], alerts: int) -> None:
    """``(2) chainteller`` while something waits to be looked at, ``chainteller`` otherwise."""
    text = f"({alerts}) chainteller" if alerts else "chainteller"
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(f"\x1b]2;{text}\x07")
