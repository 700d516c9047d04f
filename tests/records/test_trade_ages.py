"""How old a trade's status is told to be."""

import pytest

from chainteller.domain.clock import SECOND, to_datetime
from chainteller.records.trades import TRADE
from chainteller.service.models.trades import Trade

NOW = 1_800_000_000 * SECOND


def moment(seconds_ago: int) -> object:
    return to_datetime(NOW - seconds_ago * SECOND)


@pytest.mark.parametrize(
    ("status", "executed", "told"),
    [
        ("processing", None, "[>] processing 50s"),
        ("executed", 20, "[>] executed 20s ago"),
        ("executed", None, "[>] executed 5s ago"),
        ("matched", None, "[?] matched 5s ago"),
        ("settled", 20, "[ok] settled"),
    ],
)
def test_it_counts_from_the_change_into_the_status(
    status: str, executed: int | None, told: str
) -> None:
    trade = Trade.model_validate(
        {
            "id": "TXN_1",
            "status": status,
            "market": "sol-usd",
            "side": "buy",
            "price": "1.00",
            "amount": "1.00",
            "created": moment(50),
            "updated": moment(5),
            "executed_at": None if executed is None else moment(executed),
        }
    )
    assert TRADE["status"].line(trade, NOW)[0] == told
