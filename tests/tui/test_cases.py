"""The case on the console: on record with every change, until the call ends."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, make_bench, press, seen, settle

from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import CasePolicy, CaseWanted, Policy, TwoPersons
from chainteller.service.cases import ForCase
from chainteller.service.layers import layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.tui.console.case_dialog import CaseScreen

POLICY = Policy(
    case=CasePolicy(CaseWanted.REQUIRED, "INC-[0-9]{4,}"),
    two=TwoPersons(withdrawal_over_cents=5_000),
)
SIZES = [(80, 24), (120, 40), (200, 60)]
pytestmark = pytest.mark.needs("agents")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bank that wants a case for what people change."""
    for found in make_bench(tmp_path, EngineOptions(rate_limits=False, policy=POLICY)):
        service = layered(found.service, ForCase(lambda: "INC-0001"))
        for number, kind in ((1, "checking"), (2, "savings")):
            asked = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
            service.open_trading_account(asked)
        yield found


def cases(bench: Bench) -> list[tuple[str, str | None]]:
    rows = bench.world.engine.audit(ListQuery()).data
    return [(row.action, row.case) for row in rows if row.action == "deposit"]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_change_is_refused_until_the_case_is_typed(
    bench: Bench, size: tuple[int, int]
) -> None:
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"100", "enter")
        assert "CASE_REQUIRED" in seen(app)
        assert "#" in seen(app)
        await press(pilot, "escape", "escape", "#")
        assert isinstance(app.screen, CaseScreen)
        await press(pilot, *"INC-20931", "enter")
        assert "INC-20931" in seen(app).splitlines()[0]
        await press(pilot, "d", *"100", "enter")
    assert cases(bench) == [("deposit", "INC-20931")]


async def test_the_case_ends_with_the_call_and_with_the_customer(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=SIZES[1]) as pilot:
        await settle(pilot)
        await press(pilot, "i", "#", *"INC-20931", "enter")
        assert app.desk.case_id == "INC-20931"
        await press(pilot, "d", *"100", "enter")
        await press(pilot, "i", "h")
        assert "case INC-20931" in app.clipboard
        await press(pilot, "escape")
        assert app.desk.case_id == ""
        await press(pilot, "#", *"INC-20932", "enter")
        await press(pilot, "2", "1")
        assert app.desk.case_id == "INC-20932"
        await press(pilot, "down")
        await settle(pilot)
        assert app.desk.case_id == ""
        assert "INC-20932" not in seen(app).splitlines()[0]


async def test_an_empty_number_ends_the_case_and_an_impossible_one_is_said(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=SIZES[1]) as pilot:
        await settle(pilot)
        await press(pilot, "#", *"A", "space", *"B", "enter")
        assert isinstance(app.screen, CaseScreen)
        assert app.desk.case_id == ""
        await press(pilot, "ctrl+u", *"INC-20931", "enter")
        assert app.desk.case_id == "INC-20931"
        await press(pilot, "#", "ctrl+u", "enter")
        assert app.desk.case_id == ""


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.needs("find")
async def test_what_was_done_for_a_case_is_found_by_its_number(
    bench: Bench, size: tuple[int, int]
) -> None:
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "#", *"INC-20931", "enter")
        await press(pilot, "d", *"100")
        await press(pilot, "enter")
        await press(pilot, ":", *"# inc-20931")
        await settle(pilot)
        assert "case INC-20931   1 entry by" in seen(app)
        await press(pilot, "enter")
        await settle(pilot)
        assert "AUDIT  #INC-20931" in seen(app)
        assert "deposit" in seen(app)
        await press(pilot, "escape", "#", "ctrl+f")
        await settle(pilot)
        assert "AUDIT  #INC-20931" in seen(app)
