"""Constraints and examples of fields that the models' types do not express."""

from collections.abc import Mapping
from typing import Any

from chainteller.domain.money import WIRE_AMOUNT

AMOUNT = {
    "pattern": f"^(?=.*[1-9]){WIRE_AMOUNT}$",
    "description": "A positive decimal number as text.",
    "examples": ["100.00"],
}
_TEXT = {"minLength": 1, "maxLength": 200}
_SIDE = {"enum": ["buy", "sell"]}

OVERLAYS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("OpenTradingAccount", "bankAccountId"): {**_TEXT, "examples": ["DDA-1001"]},
    ("OpenTradingAccount", "bankAccountType"): {"enum": ["checking", "savings"]},
    ("DepositRequest", "amount"): AMOUNT,
    ("WithdrawalRequest", "amount"): AMOUNT,
    ("QuoteRequest", "amount"): AMOUNT,
    ("QuoteRequest", "side"): _SIDE,
    ("QuoteRequest", "amountOf"): {"anyOf": [{"enum": ["sold", "bought"]}, {"type": "null"}]},
    ("ExecuteRequest", "tradingAccountId"): _TEXT,
    ("RegisterCounterparty", "address"): _TEXT,
    ("RegisterCounterparty", "network"): {**_TEXT, "examples": ["solana", "ethereum"]},
    ("ReverificationRequest", "reason"): {
        "enum": ["AGENT_REQUEST", "SUSPICIOUS_ACTIVITY", "SANCTIONS_HIT", "POLICY_CHANGE"]
    },
    ("OpenBlockchainAccount", "network"): {**_TEXT, "examples": ["solana", "ethereum"]},
}
"""Additions to the schemas of fields, by schema and field."""


EXAMPLES: Mapping[str, Any] = {
    "Currency": {"type": "deposit-token-currency", "id": "DPT_USD"},
    "OpenTradingAccount": {"bankAccountId": "DDA-1001", "bankAccountType": "checking"},
    "DepositRequest": {
        "amount": "100.00",
        "currency": {"type": "deposit-token-currency", "id": "DPT_USD"},
    },
    "WithdrawalRequest": {
        "amount": "10.00",
        "currency": {"type": "deposit-token-currency", "id": "DPT_USD"},
    },
    "QuoteRequest": {"amount": "25.00", "side": "buy"},
    "RegisterCounterparty": {
        "address": "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV",
        "network": "solana",
    },
    "ReverificationRequest": {"reason": "AGENT_REQUEST"},
}
"""Example requests by schema, valid on the sample data."""


def overlaid(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Add the constraints and examples to the schemas."""
    return {name: _overlaid(name, schema) for name, schema in schemas.items()}


def _overlaid(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties")
    if fields is None:
        return dict(schema)
    example = {"examples": [EXAMPLES[name]]} if name in EXAMPLES else {}
    return {
        **schema,
        **example,
        "properties": {
            field: {**described, **OVERLAYS.get((name, field), {})}
            for field, described in fields.items()
        },
    }
