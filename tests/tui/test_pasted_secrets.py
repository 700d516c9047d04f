"""No field of the console keeps a wallet's secret in any file."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.secrets.generated import FEW_OR_MANY, Secret
from tests.secrets.leaks import Parts
from tests.tui.conftest import Bench, make_bench, press, settle
from tests.tui.test_hostile_fields import FIELDS
from tests.tui.wallet_case import Case
from textual import events


@pytest.fixture
def bench(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    for made in make_bench(tmp_path, kind=deployment):
        made.open(2, deposit="500.00")
        made.world.advance(1)
        Case(made, "alice-ethereum")
        yield made


@FEW_OR_MANY
@pytest.mark.parametrize("field", FIELDS)
async def test_no_field_of_the_console_keeps_a_secret(
    bench: Bench, tmp_path: Path, field: str, entered: Sequence[Secret]
) -> None:
    app = bench.console()
    async with app.run_test(size=(110, 32)) as pilot:
        await settle(pilot)
        for secret in entered:
            await press(pilot, *FIELDS[field])
            app.post_message(events.Paste(secret.text))
            await settle(pilot)
            await press(pilot, "enter")
            await press(pilot, *["escape"] * 4)
    assert Parts(entered).found_in(tmp_path) == set()
