"""Wrong answers of a deployment to any call of the specification, by what is wrong with them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.spec_only.server import Distort
from tests.spec_only.specification import SpecifiedCall, specified_calls

FORTY_DIGITS = "9" * 40
SILENT = "no answer"
SILENCE_S = 1.5
"""How long to wait for an answer that doesn't come; the others come sooner, also while other
programs run."""
_AMOUNTS = ("amount", "price", "currentPrice")
_IDS = ("id", "marketName", "bankAccountId", "address")


def _each(body: Any, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A body in which every record is changed."""
    changed = json.loads(json.dumps(body))
    rows = changed["data"] if isinstance(changed, dict) and "data" in changed else [changed]
    for row in rows:
        change(row)
    return json.dumps(changed).encode()


def _another_record(row: dict[str, Any]) -> None:
    for name in _IDS:
        if name in row:
            row[name] = f"{row[name][:4]}SOMEBODYELSE"
    row |= {"tradingAccountId": "TDA_OTHER", "blockchainAccountId": "BCA_OTHER"}
    row["counterpartyId"] = "CPT_OTHER"


def _unknown_status(row: dict[str, Any]) -> None:
    row["status"] = "auctioned"


def _missing_field(row: dict[str, Any]) -> None:
    row.pop("id" if "id" in row else next(iter(row), ""), None)


def _forty_digits(row: dict[str, Any]) -> None:
    for name in _AMOUNTS:
        if name in row:
            row[name] = FORTY_DIGITS


WRONG: Mapping[str, Callable[[Any], bytes | None]] = {
    "another record": lambda body: _each(body, _another_record),
    "an unknown status": lambda body: _each(body, _unknown_status),
    "a missing field": lambda body: _each(body, _missing_field),
    "40 digits": lambda body: _each(body, _forty_digits),
    "HTML": lambda _body: b"<html><h1>It works!</h1></html>",
    "an empty body": lambda _body: b"",
    SILENT: lambda _body: None,
}


def wrong(name: str, wanted: SpecifiedCall) -> Distort:
    """Answer one call wrongly, and the others as they are."""

    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes | None:
        return WRONG[name](body) if call is wanted else json.dumps(body).encode()

    return distort


CALLS = {f"{call.method} {call.path}": call for call in specified_calls()}
NOT_SHOWN = frozenset(
    name for name, call in CALLS.items() if call.method == "POST" and not call.response
)
PASSED_ON = {
    "another record": {"GET /trading-accounts/{}/token-balances", "GET /trading/markets",
                       "GET /blockchain-accounts/{}/counterparties"},
    "an unknown status": set(CALLS),
    "a missing field": NOT_SHOWN,
    "40 digits": {
        name for name, call in CALLS.items()
        if not {"amount", "price", "currentPrice"} & set(call.response)
    },
}  # fmt: skip
"""Calls whose wrong answers say nothing that is known to be wrong."""
