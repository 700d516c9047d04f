"""The key table of the documentation, made from the console's own.

``python -m tests.architecture.key_table`` writes ``docs/keys.md`` anew; a test compares the two.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from chainteller.tui.keys import COMMANDS, EVERYWHERE, PALETTE, Command, shown_key

FILE = Path(__file__).parents[2] / "docs" / "keys.md"
_HEAD = """\
# Keys

Made from `src/chainteller/tui/keys.py` by `python -m tests.architecture.key_table`.
`?` shows the same list in the console, with what works where you are; enter runs an entry.

A capital moves what cannot be taken back. Whatever moves money asks in one sentence and takes only
`y`; `n` and `esc` mean no, enter means nothing. In a form, enter sends and `esc` leaves.
Training adds `f2` to `f8` and `f10`, see [training.md](training.md).

A command's id is what `[keys]` in the configuration gives another key:

```toml
[keys]
"accounts.deposit" = "f5"
```
"""
_TITLES = {
    EVERYWHERE: "Everywhere",
    "accounts": "Accounts",
    "markets": "Markets",
    "quote": "Quote",
    "trades": "Trades",
    "audit": "Audit trail",
    "wallets": "Wallets",
}


def rendered() -> str:
    """The whole page."""
    parts = [_HEAD]
    for where, commands in groupby(COMMANDS, key=lambda each: each.where):
        parts += [f"## {_TITLES[where]}\n", _table(list(commands))]
    parts += [
        "## In the palette only\n",
        "`:` (or `ctrl+p`), then some letters of it.\n",
        _lines(("command", "id"), [(each.about, f"`{each.id}`") for each in PALETTE]),
    ]
    return "\n".join(parts)


def _table(commands: Sequence[Command]) -> str:
    rows = [(_keys(each.key), each.about, f"`{each.id}`") for each in commands]
    return _lines(("key", "does", "id"), rows)


def _keys(keys: str) -> str:
    return ", ".join(f"`{shown_key(each)}`" for each in keys.split(","))


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    FILE.write_text(rendered(), encoding="utf-8")
