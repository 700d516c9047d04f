"""Signing in: the address to open in a browser, and the code to enter there."""

import threading
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from chainteller.service.errors import TellerError
from chainteller.tui import clipboard
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.dialogs.boxes import ScrolledDialog
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.widgets.lines import Line, Lines, line, wrapped

if TYPE_CHECKING:
    from textual.app import App

    from chainteller.domain.sign_ins import Prompt
    from chainteller.tui.start import SignInAtDesk

_WIDTH = 70


class SignInScreen(ScrolledDialog[str]):
    """Closes with the name of whoever has signed in, by itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("y", "copy", show=False),
        Binding("r", "again", show=False),
    ]

    def __init__(self, desk: Desk, sign_in: "SignInAtDesk", reason: str) -> None:
        super().__init__()
        self._desk, self._sign_in, self._reason = desk, sign_in, reason
        self._cancelled = threading.Event()
        self._prompt: Prompt | None = None
        self._error: TellerError | None = None
        self._said = "Asking for a code"

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Lines(self._rows())

    def on_mount(self) -> None:
        self._begin()

    def on_unmount(self) -> None:
        self._cancelled.set()

    def _begin(self) -> None:
        self.run_worker(Later(self._run), exclusive=True)

    async def _run(self) -> None:
        try:
            found = await call_service(self._sign_in.opened)
            begun = await call_service(found.issuer.begin)
            self._show("Waiting for you to confirm", begun.prompt)
            if not await call_service(found.complete, begun, self._cancelled):
                return
            self._show("Signed in. Asking the service who you are")
            name = await call_service(self._sign_in.fetch_name)
        except TellerError as error:
            self._error = error
            self._show("")
        else:
            self.dismiss(name)

    def _show(self, said: str, prompt: "Prompt | None" = None) -> None:
        self._said, self._prompt = said, prompt
        self.query_one(Lines).show(self._rows())

    def _rows(self) -> list[Line]:
        return [*self._lines()]

    def _lines(self) -> Iterator[Line]:
        keys = [("esc", "key"), (" closes", "muted")]
        if self._error is not None:
            yield line(("SIGN IN", "strong"), right=[("r", "key"), (" retry   ", "muted"), *keys])
            yield line()
            for row in wrapped(f"{self._error.message} {self._error.suggestion}", _WIDTH):
                yield line((row, "bad"))
            return
        prompt = self._prompt
        if prompt is not None:
            keys = [("y", "key"), (" copy address   ", "muted"), *keys]
        yield line(("SIGN IN", "strong"), right=keys)
        for row in wrapped(self._reason, _WIDTH):
            yield line((row, "muted"))
        yield line()
        if prompt is not None:
            yield line("Open this address in a browser, on any device:")
            yield from (line((f"  {row}", "accent")) for row in wrapped(prompt.address, _WIDTH - 2))
            yield line("and enter this code:")
            yield line((f"  {prompt.code}", "strong"))
            yield line()
        yield line((self._said, "muted"))

    async def action_copy(self) -> None:
        if self._prompt is not None:
            address = self._prompt.whole_address or self._prompt.address
            self._show(await clipboard.copy(self.app, address), self._prompt)

    def action_again(self) -> None:
        if self._error is not None:
            self._error = None
            self._show("Asking for a code")
            self._begin()


def ask_to_sign_in(console: "App[Any]", desk: Desk, error: TellerError) -> None:
    """Open the question to sign in, once."""
    sign_in = desk.settings.sign_in
    is_asked = any(isinstance(each, SignInScreen) for each in console.screen_stack)
    if sign_in is None or is_asked:
        return
    desk.shell.deafen()
    asked = SignInScreen(desk, sign_in, error.message)
    console.push_screen(asked, partial(_go_on, console, desk, error))


def _go_on(console: "App[Any]", desk: Desk, error: TellerError, name: str | None) -> None:
    """Somebody else begins with an empty desk."""
    desk.leaves_sign_in = name is None
    if name is not None and desk.started is not None and name != desk.operator:
        desk.shell.action_profile(desk.settings.profile)
        return
    if name is not None:
        desk.shell.poll_now()
    if isinstance(console.screen, DeskScreen):
        if name is None:
            console.screen.fail(error)
        else:
            console.screen.reload()
