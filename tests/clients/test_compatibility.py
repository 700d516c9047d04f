"""No change breaks clients that were generated from the released description."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.clients.compatibility import breaking
from tests.clients.released import current, released

Document = dict[str, Any]
_QUOTE = "/trading/markets/{market}/quotes"
_DEPOSIT = "/trading-accounts/{tradingAccountId}/deposits"


def _schema(document: Document, name: str) -> Document:
    found: Document = document["components"]["schemas"][name]
    return found


def _a_call_goes(document: Document) -> None:
    del document["paths"]["/trading/quotes/{quoteId}"]["post"]


def _a_field_of_a_reply_goes(document: Document) -> None:
    del _schema(document, "Trade")["properties"]["executedAt"]


def _a_field_of_a_reply_may_be_missing(document: Document) -> None:
    _schema(document, "Trade")["required"].remove("price")


def _a_price_becomes_a_number(document: Document) -> None:
    _schema(document, "Quote")["properties"]["price"] = {"type": "number"}


def _a_new_field_is_required(document: Document) -> None:
    schema = _schema(document, "QuoteRequest")
    schema["properties"]["purpose"] = {"type": "string"}
    schema["required"].append("purpose")


def _a_side_is_not_taken(document: Document) -> None:
    _schema(document, "Side")["enum"].remove("sell")


def _a_field_of_a_request_goes(document: Document) -> None:
    del _schema(document, "QuoteRequest")["properties"]["amountOf"]


def _a_filter_goes(document: Document) -> None:
    document["paths"]["/trading/markets"]["get"]["parameters"].clear()


def _a_currency_goes(document: Document) -> None:
    _schema(document, "Currency")["oneOf"].pop()


def _a_header_goes(document: Document) -> None:
    del document["paths"][_DEPOSIT]["post"]["responses"]["201"]["headers"]["Location"]


def _amounts_are_bounded(document: Document) -> None:
    _schema(document, "DepositRequest")["properties"]["amount"]["maxLength"] = 8


def _health_needs_a_key(document: Document) -> None:
    del document["paths"]["/healthz"]["get"]["security"]


def _created_records_are_200(document: Document) -> None:
    del document["paths"][_QUOTE]["post"]["responses"]["200"]


BREAKING: dict[Callable[[Document], None], str] = {
    _a_call_goes: "POST /trading/quotes/{quoteId} is gone",
    _a_field_of_a_reply_goes: "executedAt is gone",
    _a_field_of_a_reply_may_be_missing: "price may be missing",
    _a_price_becomes_a_number: "price: number may be there",
    _a_new_field_is_required: f"POST {_QUOTE}: body.purpose is required",
    _a_side_is_not_taken: "the value sell isn't taken",
    _a_field_of_a_request_goes: "amountOf isn't taken",
    _a_filter_goes: "the query parameter filter[name] is gone",
    _a_currency_goes: "CryptoCurrency is gone",
    _a_header_goes: f"POST {_DEPOSIT}: 201: the header Location is gone",
    _amounts_are_bounded: f"POST {_DEPOSIT}: body.amount: maxLength was none",
    _health_needs_a_key: "GET /healthz needs a key",
    _created_records_are_200: f"POST {_QUOTE}: 200 is gone",
}


def test_nothing_breaks_clients_of_the_released_description() -> None:
    assert breaking(released(), current()) == []


@pytest.mark.parametrize("plant", BREAKING)
def test_a_breaking_change_is_named(plant: Callable[[Document], None]) -> None:
    changed = released()
    plant(changed)
    found = breaking(released(), changed)
    assert any(BREAKING[plant] in each for each in found), found


def _a_call_comes(document: Document) -> None:
    document["paths"]["/new"] = document["paths"]["/trading/markets"]


def _a_field_of_a_reply_comes(document: Document) -> None:
    schema = _schema(document, "Trade")
    schema["properties"]["venue"] = {"type": "string"}
    schema["required"].append("venue")


def _an_optional_field_of_a_request_comes(document: Document) -> None:
    _schema(document, "QuoteRequest")["properties"]["note"] = {"type": "string"}


def _a_status_comes(document: Document) -> None:
    _schema(document, "TradeStatus")["enum"].append("suspended")


@pytest.mark.parametrize(
    "add",
    [
        _a_call_comes,
        _a_field_of_a_reply_comes,
        _an_optional_field_of_a_request_comes,
        _a_status_comes,
    ],
)
def test_an_addition_breaks_nothing(add: Callable[[Document], None]) -> None:
    changed = released()
    add(changed)
    assert breaking(released(), changed) == []
