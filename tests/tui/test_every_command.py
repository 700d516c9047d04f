"""Commands in states in which they can't run: they end nothing."""

import pytest
from tests.tui.conftest import Bench, press, settle
from tests.tui.wallet_case import Case

from chainteller.tui.commands import SCREENS, unavailable_reason
from chainteller.tui.desk_screen import DeskScreen


@pytest.mark.forms(2)
@pytest.mark.parametrize("place", SCREENS)
@pytest.mark.parametrize("is_empty", [True, False], ids=["empty", "open"])
async def test_no_command_that_cannot_run_ends_the_console(
    bench: Bench, place: str, *, is_empty: bool
) -> None:
    if not is_empty:
        bench.open(2, deposit="500.00")
        Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, str(SCREENS.index(place) + 1))
        screen = app.screen
        assert isinstance(screen, DeskScreen)
        for command in screen.commands_by_id.values():
            if unavailable_reason(command, screen):
                await screen.action_command(command.id)
                await settle(pilot)
                while not screen.is_current:
                    if len(app.screen_stack) > 1:
                        app.screen.dismiss()
                    else:
                        app.go(place)
                    await settle(pilot)
                screen.step_back()
                if screen.field_bar.is_open:
                    screen.close_field()
                await settle(pilot)
            assert app.return_code is None, command.id
