"""A random walk over the console: 0 foreign ids or amounts, 0 requests for anyone else."""

import os

import pytest
from tests.deployments import OWN, SPEC_ONLY
from tests.walker.model import Ownership, rows_of, with_cells_apart
from tests.walker.run import walk_part

from chainteller.service import operations as op
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.operations import Call
from chainteller.tui.accounts.view import LIST
from chainteller.tui.exports import as_csv, as_json

SHORT = int(os.environ.get("WALKER_STEPS", "40"))
SEED = os.environ.get("WALKER_SEED", "suite")


@pytest.mark.parametrize("kind", [OWN, pytest.param(SPEC_ONLY, marks=pytest.mark.thorough)])
async def test_a_short_walk_shows_and_sends_only_what_belongs_to_the_customer(
    kind: str,
) -> None:
    report = await walk_part(f"{SEED}/{kind}", SHORT, kind)
    assert report.frames == SHORT


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("kind", [OWN, SPEC_ONLY])
async def test_a_walk_of_ten_thousand_steps(kind: str, part: int) -> None:
    """As ``python -m tests.walker``, which can be interrupted and goes on where it was."""
    report = await walk_part(f"1/{kind}/{part}", 500, kind)
    assert report.frames == 500


def _account(number: int, name: str, crypto: str) -> TradingAccount:
    identifier, bank_account = f"TDA_{number:022}", f"DDA-{7000 + number}"
    return TradingAccount(
        id=identifier,
        bank_account_id=bank_account,
        bank_account_type="savings",
        customer_name=name,
        buying_power=f"{number * 3}000123.45",
        crypto_value_usd=crypto,
    )


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("foreign", ["", "customer_name", "bank_account_id", "buying_power",
                                     "crypto_value_usd"])  # fmt: skip
def test_a_cell_of_the_next_account_in_an_exported_row_is_noticed(form: str, foreign: str) -> None:
    model = Ownership()
    accounts = [_account(1, "Abelard Quimby", "604.20"), _account(2, "Berenike Ravenel", "0.00")]
    for each in accounts:
        model.learn(Call(op.SHOW_TRADING_ACCOUNT), each)
    first, second = accounts
    if foreign:
        second = second.model_copy(update={foreign: getattr(first, foreign)})
    titles = ["ID", *(column.title for column in LIST.columns)]
    cells = [[each.id, *(text for text, _ in LIST.row(each, 0).cells)] for each in (first, second)]
    text = with_cells_apart(as_csv(titles, cells)) if form == "csv" else as_json(titles, cells)
    rows = rows_of(text)
    assert len(rows) == 2
    assert len([*model.foreign_rows(rows)]) == bool(foreign)
