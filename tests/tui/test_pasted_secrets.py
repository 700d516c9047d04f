"""No field of the console keeps a wallet's secret in any file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, make_bench, press, settle
from tests.tui.test_hostile_fields import FIELDS
from tests.tui.wallet_case import Case
from tests.workspace.test_pasted_secrets import SECRETS, found_in
from textual import events


@pytest.fixture
def bench(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    for made in make_bench(tmp_path, kind=deployment):
        made.open(2, deposit="500.00")
        made.world.advance(1)
        Case(made, "alice-ethereum")
        yield made


@pytest.mark.parametrize("field", FIELDS)
async def test_no_field_of_the_console_keeps_a_secret(
    bench: Bench, tmp_path: Path, field: str
) -> None:
    app = bench.console()
    async with app.run_test(size=(110, 32)) as pilot:
        await settle(pilot)
        for secret in SECRETS.values():
            await press(pilot, *FIELDS[field])
            app.post_message(events.Paste(secret))
            await settle(pilot)
            await press(pilot, "enter")
            await press(pilot, *["escape"] * 4)
    for kind, secret in SECRETS.items():
        assert found_in(tmp_path, secret) == [], kind
