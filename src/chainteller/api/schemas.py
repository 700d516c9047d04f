"""Constraints, unions and examples that the models' types do not express."""

from collections.abc import Mapping
from typing import Any, get_args

from chainteller.domain.assets import DEPOSIT_TOKENS
from chainteller.domain.money import WIRE_AMOUNT
from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE
from chainteller.service.models.funding import CurrencyType, DestinationType
from chainteller.service.models.trades import TRADE_TYPE
from chainteller.wallets.networks import network_names

AMOUNT = {
    "pattern": f"^(?=.*[1-9]){WIRE_AMOUNT}$",
    "description": "A positive decimal number as text.",
    "examples": ["100.00"],
}
_TEXT = {"minLength": 1, "maxLength": 200}
_NETWORK = {
    "type": "string",
    "title": "Network",
    "enum": list(network_names(test_networks=True)),
    "examples": ["solana", "ethereum"],
}

OVERLAYS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("OpenTradingAccount", "bankAccountId"): {**_TEXT, "examples": ["DDA-1001"]},
    ("DepositRequest", "amount"): AMOUNT,
    ("WithdrawalRequest", "amount"): AMOUNT,
    ("QuoteRequest", "amount"): AMOUNT,
    ("ExecuteRequest", "tradingAccountId"): _TEXT,
    ("RegisterCounterparty", "address"): _TEXT,
    ("RegisterCounterparty", "network"): _NETWORK,
    ("OpenBlockchainAccount", "network"): _NETWORK,
    ("LinkRequest", "network"): _NETWORK,
    ("BlockchainAccount", "network"): _NETWORK,
}
"""Additions to the schemas of fields, by schema and field."""

_STABLECOIN, _DEPOSIT_TOKEN, _CRYPTO = get_args(CurrencyType)
_BANK_ACCOUNT, _COUNTERPARTY = get_args(DestinationType)

UNIONS: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "Transaction": (
        ("Trade", "Transfer"),
        {TRADE_TYPE: "Trade", DEPOSIT_TYPE: "Transfer", WITHDRAWAL_TYPE: "Transfer"},
    ),
    "Currency": (
        ("StablecoinCurrency", "DepositTokenCurrency", "CryptoCurrency"),
        {
            _STABLECOIN: "StablecoinCurrency",
            _DEPOSIT_TOKEN: "DepositTokenCurrency",
            _CRYPTO: "CryptoCurrency",
        },
    ),
    "Destination": (
        ("BankAccountDestination", "CounterpartyDestination"),
        {_BANK_ACCOUNT: "BankAccountDestination", _COUNTERPARTY: "CounterpartyDestination"},
    ),
}
"""Records told apart by their ``type``: the schemas, and which of them a type means."""


def _tagged(kind: str, fields: Mapping[str, Any], optional: Mapping[str, Any] = {}) -> Any:
    return {
        "type": "object",
        "properties": {"type": {"type": "string", "const": kind}, **fields, **optional},
        "required": ["type", *fields],
        "additionalProperties": False,
    }


_STRING = {"type": "string"}
_TOKEN = {"symbol": _STRING, "network": _STRING}
_MEMBERS: Mapping[str, Any] = {
    "StablecoinCurrency": _tagged(_STABLECOIN, _TOKEN),
    "DepositTokenCurrency": _tagged(
        _DEPOSIT_TOKEN, {"id": {**_STRING, "enum": list(DEPOSIT_TOKENS)}}
    ),
    "CryptoCurrency": _tagged(_CRYPTO, _TOKEN),
    "BankAccountDestination": _tagged(_BANK_ACCOUNT, {}),
    "CounterpartyDestination": _tagged(
        _COUNTERPARTY, {"counterpartyId": _STRING}, {"blockchainAccountId": _STRING}
    ),
}
"""The schemas of what is one model in requests, and whose fields depend on its ``type``."""

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
    """Add the constraints, unions and examples to the schemas."""
    complete = {**schemas, **_MEMBERS, **{name: _union(name, schemas) for name in UNIONS}}
    overlaid = {name: _overlaid(name, schema) for name, schema in complete.items()}
    named: dict[str, Any] = {}
    return {name: _named(schema, named) for name, schema in overlaid.items()} | named


def _named(schema: Any, found: dict[str, Any]) -> Any:
    """The schema with references to its named lists of values, which are added to ``found``."""
    if isinstance(schema, list):
        return [_named(each, found) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "enum" in schema and "title" in schema:
        found[schema["title"]] = schema
        return {"$ref": f"#/components/schemas/{schema['title']}"}
    return {name: _named(each, found) for name, each in schema.items()}


def _union(name: str, schemas: Mapping[str, Any]) -> dict[str, Any]:
    members, by_type = UNIONS[name]
    told = schemas.get(name, {}).get("description")
    return {
        **({"description": told} if told else {}),
        "oneOf": [{"$ref": f"#/components/schemas/{each}"} for each in members],
        "discriminator": {
            "propertyName": "type",
            "mapping": {kind: f"#/components/schemas/{each}" for kind, each in by_type.items()},
        },
    }


def _overlaid(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    example = {"examples": [EXAMPLES[name]]} if name in EXAMPLES else {}
    described = {**schema, **example}
    if "properties" in schema:
        described["properties"] = {
            field: {**each, **OVERLAYS.get((name, field), {})}
            for field, each in schema["properties"].items()
        }
    return described
