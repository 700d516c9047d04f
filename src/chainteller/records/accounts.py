"""Fields of trading accounts, balances, withdrawal limits and the bank's customers."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from chainteller.records.fields import (
    DECIMALS,
    DOCUMENTS,
    DOLLARS,
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    SYMBOL,
    TEXT,
    WORDS,
    Field,
    FieldList,
    Format,
    Interface,
)
from chainteller.records.formats import Piece, age

if TYPE_CHECKING:
    from chainteller.service.models.accounts import (
        BankAccount,
        Customer,
        TokenBalance,
        TradingAccount,
    )
    from chainteller.service.models.funding import LimitUsage

UNKNOWN = "not provided"
"""Stands for what a deployment doesn't tell of an account that the desk knows by its id."""
_ACTIVITIES = {"trade": "TRD", "deposit": "DEP", "withdrawal": "WDR", "trading_account": "NEW"}
_HOUR_S, _DAY_S = 3_600, 86_400


class ListedAccount(Protocol):
    """What the list of accounts shows; a ``TradingAccount`` is one."""

    @property
    def id(self) -> str: ...
    @property
    def bank_account_id(self) -> str: ...
    @property
    def bank_account_type(self) -> str: ...
    @property
    def customer_name(self) -> str | None: ...
    @property
    def controls(self) -> Sequence[str]: ...
    @property
    def buying_power(self) -> str | None: ...
    @property
    def crypto_value_usd(self) -> str | None: ...
    @property
    def owed_usd(self) -> str | None: ...
    @property
    def last_activity(self) -> datetime | None: ...
    @property
    def last_activity_type(self) -> str | None: ...


def debt(account: ListedAccount) -> str | None:
    """What the customer owes the bank in dollars; None where it's nothing."""
    return account.owed_usd if account.owed_usd and account.owed_usd.strip("0.") else None


class LastActivity(Format[ListedAccount]):
    """When an account was last used; lists add for what."""

    def plain(self, value: ListedAccount) -> str:
        return MOMENT.plain(value.last_activity) if value.last_activity is not None else ""

    def cell(self, value: ListedAccount, now: int) -> Piece:
        since = age(value.last_activity, now) if value.last_activity is not None else "-"
        about = (value.last_activity_type or "").replace("-", ".").partition(".")[0]
        return f"{since:>3} {_ACTIVITIES.get(about, about)}".rstrip(), "muted"


class Period(Format[int]):
    """The length of a limit's window in seconds; 0 is the limit of a single withdrawal."""

    def plain(self, value: int) -> str:
        if value == 0:
            return "one withdrawal"
        return f"{value // _DAY_S} d" if value > _DAY_S else f"{value // _HOUR_S} h"


class Terms(Format[bool]):
    def plain(self, value: bool) -> str:  # noqa: FBT001 - the value
        return "accepted" if value else "not accepted"


class BankAccounts(Format["Sequence[BankAccount]"]):
    is_amount = True

    def plain(self, value: "Sequence[BankAccount]") -> str:
        return ", ".join(
            f"{each.id} {each.type} {each.balance} USD "
            f"({each.trading_account_id or 'no trading account'})"
            for each in value
        )

    def secrets(self, value: "Sequence[BankAccount]") -> Sequence[str]:
        return [each.balance for each in value]


LISTED_ACCOUNT: FieldList[ListedAccount] = FieldList(
    "trading account",
    "accounts.TradingAccount",
    (
        Field("id", "account", IDENTIFIER, Interface.COMMAND),
        Field("customer_name", "customer", TEXT, DOCUMENTS, is_private=True),
        Field("bank_account_id", "bank account", TEXT, DOCUMENTS),
        Field("bank_account_type", "type", TEXT, Interface.COMMAND),
        Field("controls", "controls", WORDS, Interface.COMMAND),
        Field("buying_power", "buying power", DOLLARS, Interface.DETAIL | Interface.COMMAND,
              heading="BUYING POWER", is_private=True, spoken="available", tone="good"),
        Field("crypto_value_usd", "crypto ~USD", DECIMALS, Interface.COMMAND, is_private=True),
        Field("owed_usd", "owes the bank", DOLLARS, value=debt, is_private=True, tone="bad"),
        Field("last_activity", "last activity", LastActivity(), Interface.COMMAND,
              value=lambda each: each, of=("last_activity", "last_activity_type")),
    ),
)  # fmt: skip

ACCOUNT: "FieldList[TradingAccount]" = FieldList(
    LISTED_ACCOUNT.kind,
    LISTED_ACCOUNT.model,
    (
        *LISTED_ACCOUNT.fields,
        Field("valued_at", "crypto valued at", MOMENT, Interface.COMMAND),
        Field("created", "created", MOMENT, Interface.COMMAND),
    ),
    table=(
        "id", "bank_account_id", "bank_account_type", "buying_power", "crypto_value_usd",
        "controls", "customer_name",
    ),
    wire_only=("customer_id",),
)  # fmt: skip

BALANCE: "FieldList[TokenBalance]" = FieldList(
    "balance",
    "accounts.TokenBalance",
    (
        Field("token.symbol", "asset", SYMBOL),
        Field("token.network", "network", TEXT),
        Field("amount", "available", DECIMALS, is_private=True),
        Field("held", "on hold", DECIMALS, heading="HELD", is_private=True),
        Field("incoming", "incoming", DECIMALS, is_private=True),
        Field("total", "total", DECIMALS, is_private=True),
        Field("value_usd", "~USD", DECIMALS, is_private=True),
        Field("valued_at", "valued at", MOMENT),
    ),
    interfaces=NOWHERE,
    table=("token.symbol", "token.network", "amount", "held", "incoming", "total", "value_usd"),
)  # fmt: skip

LIMIT: "FieldList[LimitUsage]" = FieldList(
    "withdrawal limit",
    "funding.LimitUsage",
    (
        Field("destination_class", "destination", TEXT),
        Field("evidence_level", "evidence", TEXT),
        Field("period_seconds", "period", Period()),
        Field("limit", "limit", DECIMALS, heading="LIMIT USD"),
        Field("used", "used", DECIMALS, is_private=True),
        Field("remaining", "remaining", DECIMALS, is_private=True),
        Field("resets_at", "resets", MOMENT),
    ),
    interfaces=NOWHERE,
    table=("destination_class", "period_seconds", "limit", "used", "remaining", "resets_at"),
    wire_only=("rule_id",),
)

CUSTOMER: "FieldList[Customer]" = FieldList(
    "customer",
    "accounts.Customer",
    (
        Field("id", "customer", IDENTIFIER),
        Field("reference", "reference", TEXT),
        Field("name", "name", TEXT, is_private=True),
        Field("kyc_level", "KYC", TEXT),
        Field("terms_accepted", "terms", Terms()),
        Field("controls", "controls", WORDS),
        Field("bank_accounts", "bank accounts", BankAccounts(), is_private=True),
    ),
    interfaces=NOWHERE,
    table=(
        "id", "reference", "name", "kyc_level", "terms_accepted", "controls", "bank_accounts",
    ),
)  # fmt: skip
