"""The clipboard, honestly: what was done, never more than is known.

OSC 52 is one sequence without an acknowledgement. On the agent's own machine a clipboard program
answers, so that "copied" is said only after it did.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from chainteller.private_files import open_private
from chainteller.records.formats import clean
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from textual.app import App

_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("", ("pbcopy",)),
)
_WAIT_S = 2.0
SENT = "sent to the terminal's clipboard (OSC 52)"


KEPT_BACK = "Not copied: names and balances are hidden"


class Terminal(Protocol):
    def copy_to_clipboard(self, text: str) -> None:
        """One OSC 52 sequence."""

    async def may_leave(self, text: str) -> bool:
        """Whether ``text`` may go where no mask reaches; asks while names are hidden."""


def local_tool(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The clipboard program of this machine; none over SSH: it would fill the far clipboard."""
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return ()
    for needs, command in _TOOLS:
        if (not needs or environ.get(needs)) and shutil.which(command[0], path=environ.get("PATH")):
            return command
    return ()


async def copy(app: "Terminal | App[Any]", text: str) -> str:
    """Send ``text`` to the clipboard; the answer is what may be said about it.

    Half a character, which only a faulty deployment sends, is no UTF-8: a question mark is.
    """
    terminal = cast("Terminal", app)
    if not await terminal.may_leave(text):
        return KEPT_BACK
    text = text.encode("utf-8", "replace").decode("utf-8")
    terminal.copy_to_clipboard(text)
    command = local_tool(os.environ)
    if not command:
        return SENT
    taken = await call_service(_run, command, text)
    return f"copied ({command[0]})" if taken else SENT


def _run(command: Sequence[str], text: str) -> bool:
    try:
        done = subprocess.run(  # noqa: S603 - one of three fixed programs, no shell
            command,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_WAIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


_UNFIT = re.compile(r"[^\w .-]", re.ASCII)


def write_file(folder: Path, name: str, content: str | bytes) -> Path:
    """Write to ``folder/name`` for its owner alone; where it exists, to ``name-2`` and so on.

    ``name`` may hold an id as a deployment sent it: what isn't fit for a file name becomes ``-``.

    Raises:
        OSError: the folder cannot be written.
    """
    path = folder / _UNFIT.sub("-", name)
    stem, suffix = path.stem, path.suffix
    number = 1
    while True:
        try:
            file = open_private(path, "xb")
        except FileExistsError:
            number += 1
            path = folder / f"{stem}-{number}{suffix}"
            continue
        with file:
            file.write(content.encode(errors="replace") if isinstance(content, str) else content)
        return path


def first_line(text: str) -> str:
    """What the status line says of a copied text."""
    return clean(text.splitlines()[0]) if text else ""
