"""No field of the console keeps a wallet's secret in any file."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.secrets.generated import MANY, QUICK, Secret
from tests.secrets.leaks import Parts, pages_in
from tests.tui.conftest import Bench, make_bench, press, settle
from tests.tui.test_hostile_fields import FIELDS
from tests.tui.wallet_case import Case
from textual import events
from textual.widgets import Input, TextArea

from chainteller import tui
from chainteller.tui.widgets.paste_field import PasteField

ENTRANCES = {
    **FIELDS,
    "statement's period": ("1", "j", "colon", *"statement", "enter"),
    "ownership statement": ("5", "j", "colon", *"ownership", "enter", "enter"),
}
"""The keys that open each."""
WRITTEN_IN = {
    "accounts/new_account.py": "customer",
    "console/help.py": "keys",
    "dialogs/line_dialog.py": "note",
    "textual_fixes/palette.py": "palette",
    "widgets/field.py": "filter of accounts",
    "widgets/paste_field.py": "signature",
}
"""The modules that make fields, each with one that it makes: the fields of screens are bars."""


def test_every_field_of_the_console_is_in_the_list() -> None:
    """Its own bars open under a purpose; whatever else takes text is a module of its own."""
    folder = Path(tui.__file__).parent
    making = re.compile(
        r"(?<!class )\b\w*(?:Input|TextArea)\(|class \w+\((?:OrderedInput|Field|TextArea)\b"
    )
    found = {
        str(file.relative_to(folder))
        for file in folder.rglob("*.py")
        if making.search(file.read_text(encoding="utf-8"))
    }
    assert found == {*WRITTEN_IN}
    assert {*WRITTEN_IN.values()} <= {*ENTRANCES}


@pytest.fixture
def bench(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    for made in make_bench(tmp_path, kind=deployment):
        made.open(2, deposit="500.00")
        made.world.advance(1)
        Case(made, "alice-ethereum")
        yield made


_SHARE = 3
"""Each field is given every third secret, some of every maker: each in each field took eight
minutes, and more than twenty on a busy machine."""
TRIED = [
    pytest.param([*FIELDS, "statement's period"], QUICK, id="few"),
    pytest.param(["ownership statement"], QUICK, id="few after a choice"),
    *(
        pytest.param(
            [field],
            MANY[number % _SHARE :: _SHARE],
            marks=pytest.mark.thorough,
            id=f"many in {field}",
        )
        for number, field in enumerate(ENTRANCES)
    ),
]


@pytest.mark.parametrize(("fields", "entered"), TRIED)
async def test_no_field_of_the_console_keeps_a_secret(
    bench: Bench, tmp_path: Path, fields: Sequence[str], entered: Sequence[Secret]
) -> None:
    """The short form enters one secret in each field, and each secret in one."""
    app, known = bench.console(), pages_in(tmp_path)
    async with app.run_test(size=(110, 32)) as pilot:
        await settle(pilot)
        for field in fields:
            number = [*ENTRANCES].index(field) % len(entered)
            for secret in entered[number : number + 1] if entered is QUICK else entered:
                await press(pilot, *ENTRANCES[field])
                is_open = isinstance(app.focused, Input | TextArea | PasteField)
                assert is_open == (field != "nothing open"), field
                app.post_message(events.Paste(secret.text))
                await settle(pilot)
                await press(pilot, "enter")
                await press(pilot, *["escape"] * 4)
    assert Parts(entered, known).found_in(tmp_path) == set()
