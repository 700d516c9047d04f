"""The checks: one declaration per sentence, in the order of the specification.

The sentences are quoted word for word; a row of a table is quoted without its outer bars.
"""

from chainteller.conformance.checks import (
    Check,
    Judge,
    about_the_quote,
    accepts,
    accepts_signature,
    adds_up,
    answers,
    arrived,
    as_sent,
    cash,
    coin,
    details,
    different,
    each,
    envelope,
    error_field,
    expires_later,
    field,
    for_market,
    has_rows,
    left,
    leg,
    lists_the_trade,
    not_verified,
    only_markets,
    paging,
    refuses,
    refuses_with,
    same,
    short_of,
    side_as_quoted,
    signable,
    sold_as_sent,
    trades_an_asset,
    verified,
)
from chainteller.conformance.probes import Probe
from chainteller.conformance.values import (
    decimal,
    filled,
    integer,
    mapping,
    market_name,
    one_of,
    prefixed,
    string,
    timestamp,
)

_ENVELOPE = (
    "List responses use the envelope: data (array) and pagination {total integer, page integer, "
    "limit integer}."
)
_PAGES = "Lists carry pagination total, page, limit"
_QUOTES = (Probe.BUY_QUOTE, Probe.SELL_QUOTE, Probe.TO_EXECUTE)
_TRADES = (Probe.EXECUTE, Probe.EXECUTED, Probe.TRADE)
_REGISTRATIONS = (Probe.REGISTER_ETHEREUM, Probe.REGISTER_SOLANA)
_CHALLENGES = (Probe.CHALLENGE, Probe.CHALLENGE_AGAIN)
_CLAIMS = (Probe.CLAIM_ETHEREUM, Probe.CLAIM_SOLANA)
_COUNTERPARTIES = (Probe.COUNTERPARTIES, Probe.LISTED_AFTER)
_CALLS = "/blockchain-accounts/{blockchain-account-id}"


def _listed(name: str, section: str, sentence: str, *on: Probe) -> tuple[Check, ...]:
    """The checks of one list as a whole."""
    return (
        Check(f"{name}.answers", section, sentence, answers, on),
        Check(f"{name}.envelope", "2", _ENVELOPE, envelope, on),
        Check(f"{name}.paging", "8.2", _PAGES, paging, on),
    )


def _refused(name: str, section: str, sentence: str, *on: Probe) -> Check:
    return Check(name, section, sentence, refuses, on)


ACCESS = (
    Check(
        "key.missing",
        "5.1",
        "Every request carries the header Authorization with the value Bearer <API_KEY>.",
        refuses,
        (Probe.MARKETS_NO_KEY, Probe.BALANCES_NO_KEY, Probe.QUOTE_NO_KEY),
    ),
    Check(
        "key.wrong",
        "5.2",
        "A valid API key is a prerequisite.",
        refuses,
        (Probe.MARKETS_WRONG_KEY, Probe.BALANCES_WRONG_KEY),
    ),
)

ACCOUNTS = (
    Check(
        "account.open",
        "4.1",
        "POST | /trading-accounts | body: bankAccountId (string, required), "
        "bankAccountType (string, required, checking or savings) | trading account (2.1)",
        answers,
        (Probe.OPEN,),
    ),
    Check(
        "account.id",
        "2.1",
        "id | string | prefix TDA_",
        field("id", prefixed("TDA_")),
        (Probe.OPEN,),
    ),
    Check(
        "account.bankAccountId",
        "2.1",
        "bankAccountId | string | reference to the bank account in the bank's core system",
        as_sent("bankAccountId"),
        (Probe.OPEN,),
    ),
    Check(
        "account.bankAccountType",
        "2.1",
        "bankAccountType | string | allowed: checking, savings",
        as_sent("bankAccountType"),
        (Probe.OPEN,),
    ),
    _refused(
        "account.required",
        "4.1",
        "body: bankAccountId (string, required), bankAccountType (string, required, "
        "checking or savings)",
        Probe.OPEN_NO_BANK,
        Probe.OPEN_NO_TYPE,
    ),
    _refused("account.types", "2.1", "allowed: checking, savings", Probe.OPEN_BAD_TYPE),
)

BALANCES = (
    *_listed(
        "balances",
        "4.1",
        "GET | /trading-accounts/{trading-account-id}/token-balances | none | "
        "envelope with data = array of token balances (2.3)",
        Probe.BALANCES,
    ),
    *(
        Check(
            f"balance.{name}",
            "2.3",
            sentence,
            each(path, test),
            (Probe.BALANCES, Probe.AFTER_DEPOSIT),
        )
        for name, path, test, sentence in (
            ("symbol", "token.symbol", string, "token.symbol | string | asset symbol"),
            ("network", "token.network", string, "token.network | string | network identifier"),
            ("amount", "amount", decimal, "amount | string | decimal"),
        )
    ),
)

FUNDING = (
    Check(
        "deposit.accepted",
        "4.1",
        "POST | /trading-accounts/{trading-account-id}/deposits | body: amount (string, required), "
        "currency (object 2.2, required)",
        accepts,
        (Probe.DEPOSIT,),
    ),
    Check(
        "deposit.arrives",
        "4.1",
        "Deposits move funds from the customer's bank account into the trading account",
        arrived,
        (Probe.AFTER_DEPOSIT,),
        (Probe.BEFORE_DEPOSIT, Probe.DEPOSIT),
    ),
    _refused(
        "deposit.required",
        "4.1",
        "body: amount (string, required), currency (object 2.2, required)",
        Probe.DEPOSIT_NO_AMOUNT,
        Probe.DEPOSIT_NO_CURRENCY,
    ),
    _refused("deposit.currencies", "2.2", "Discriminated by type", Probe.DEPOSIT_BAD_CURRENCY),
    Check(
        "withdrawal.accepted",
        "4.1",
        "POST | /trading-accounts/{trading-account-id}/withdrawals | body: amount (string), "
        "currency (object 2.2)",
        accepts,
        (Probe.WITHDRAWAL,),
    ),
    Check(
        "withdrawal.leaves",
        "4.1",
        "Withdrawals move funds back to the customer's bank account.",
        left,
        (Probe.AFTER_WITHDRAWAL,),
        (Probe.BEFORE_WITHDRAWAL, Probe.WITHDRAWAL),
    ),
)

MARKETS = (
    *_listed(
        "markets",
        "4.2",
        "GET | /trading/markets | optional query filter[name]: comma-separated list of market "
        "names | envelope with data = array of markets (2.4)",
        Probe.MARKETS,
    ),
    Check(
        "markets.assets",
        "1",
        "Supported assets for trading are BTC, SOL and ETH.",
        trades_an_asset,
        (Probe.MARKETS,),
    ),
    *(
        Check(f"market.{name}", section, sentence, each(name, test), (Probe.MARKETS,))
        for name, section, test, sentence in (
            ("marketName", "1", market_name, "Markets are named <asset>-usd in lowercase"),
            ("network", "2.4", string, "network | string | network identifier of the asset"),
            ("currentPrice", "2.4", decimal, "currentPrice | string | decimal"),
            ("yesterdaysPrice", "2.4", decimal, "yesterdaysPrice | string | decimal"),
            ("at", "2.4", timestamp, "at | string | timestamp of the price"),
        )
    ),
    Check(
        "markets.filter-one",
        "4.2",
        "optional query filter[name]",
        only_markets(0),
        (Probe.MARKETS_ONE,),
        (Probe.MARKETS,),
    ),
    Check(
        "markets.filter-two",
        "4.2",
        "comma-separated list of market names",
        only_markets(0, 1),
        (Probe.MARKETS_TWO,),
        (Probe.MARKETS,),
    ),
)

_QUOTE_FIELDS: tuple[tuple[str, Judge, str], ...] = (
    ("id", field("id", prefixed("QTE_")), "id | string | prefix QTE_"),
    ("price", field("price", decimal), "price | string | guaranteed price"),
    ("created", field("created", timestamp), "created | string | timestamp"),
    (
        "expires",
        field("expires", timestamp),
        "expires | string | timestamp; the quote cannot be executed after it",
    ),
    ("fees.flat", field("fees.flat", decimal), "fees.flat | string | flat fee, decimal"),
    ("fees.bps", field("fees.bps", integer), "fees.bps | integer | fee in basis points"),
)
_BOUGHT = "assetBought | object | symbol, network, amount (all strings)"
_SOLD = "assetSold | object | symbol, network, amount (all strings)"
_FIAT = "for fiat the network is the value fiat and the symbol is USD"

QUOTES = (
    *_listed(
        "quotes",
        "4.2",
        "POST | /trading/markets/{market}/quotes | query side (buy or sell); body: amount "
        "(string), side (buy or sell) | envelope with data = array of quotes (2.5)",
        *_QUOTES,
    ),
    Check("quotes.one", "4.2", "one element in the example", has_rows, _QUOTES),
    *(
        Check(f"quote.{name}", "2.5", sentence, judge, _QUOTES)
        for name, judge, sentence in _QUOTE_FIELDS
    ),
    Check(
        "quote.marketName",
        "2.5",
        "marketName | string | market the quote is for",
        for_market,
        _QUOTES,
    ),
    Check("quote.side", "2.5", "side | string | buy or sell", as_sent("side"), _QUOTES),
    Check("quote.assetBought", "2.5", _BOUGHT, leg("assetBought"), _QUOTES),
    Check("quote.assetSold", "2.5", _SOLD, leg("assetSold"), _QUOTES),
    Check("quote.fiat", "2.5", _FIAT, cash, _QUOTES),
    Check("quote.asset", "1", "buy and sell crypto assets", coin, _QUOTES),
    Check(
        "quote.buy-amount",
        "4.2",
        "In the documented buy example the body amount equals the amount of the asset sold (fiat).",
        sold_as_sent,
        (Probe.BUY_QUOTE, Probe.TO_EXECUTE),
    ),
    Check(
        "quote.window",
        "8.1",
        "A quote is valid from created until expires",
        expires_later,
        _QUOTES,
    ),
    Check("quote.arithmetic", "2.5", "fees.bps | integer | fee in basis points", adds_up, _QUOTES),
    Check(
        "quote.unique-id",
        "2",
        "Identifiers are strings made of a type prefix, an underscore and an opaque unique suffix.",
        different("id"),
        (Probe.SELL_QUOTE, Probe.TO_EXECUTE),
        (Probe.BUY_QUOTE,),
    ),
    _refused("quote.sides", "4.2", "side (buy or sell)", Probe.QUOTE_BAD_SIDE),
)

EXECUTION = (
    Check(
        "execute.answers",
        "4.2",
        "POST | /trading/quotes/{quote-id} | body: tradingAccountId (string, required) | "
        "trade (2.6), status processing",
        answers,
        (Probe.EXECUTE,),
    ),
    Check(
        "execute.status",
        "3",
        "it is the status returned when a quote is executed",
        field("status", one_of("processing")),
        (Probe.EXECUTE,),
    ),
    Check(
        "execute.price",
        "4.2",
        "Executing a quote uses the quoted price.",
        same("price"),
        (Probe.EXECUTE,),
        (Probe.TO_EXECUTE,),
    ),
    Check(
        "execute.market",
        "2.5",
        "marketName | string | market the quote is for",
        same(market="marketName"),
        (Probe.EXECUTE,),
        (Probe.TO_EXECUTE,),
    ),
    Check(
        "execute.side",
        "2.6",
        "side | string | buy or sell",
        side_as_quoted,
        (Probe.EXECUTE,),
        (Probe.TO_EXECUTE,),
    ),
    _refused(
        "execute.required",
        "4.2",
        "body: tradingAccountId (string, required)",
        Probe.EXECUTE_NO_ACCOUNT,
    ),
    Check(
        "execute.insufficient-funds",
        "7.1",
        "When a trade is executed and the trading account balance is below the required amount, "
        "then INSUFFICIENT_FUNDS.",
        refuses_with("INSUFFICIENT_FUNDS"),
        (Probe.EXECUTE_SHORT,),
    ),
    Check(
        "execute.expired",
        "7.2",
        "When a quote is executed after its expires time, then QUOTE_EXPIRED.",
        refuses_with("QUOTE_EXPIRED"),
        (Probe.EXECUTE_EXPIRED,),
    ),
)

_TRADE = "response: not shown (a trade record is expected, fields 2.6)"

TRADES = (
    *_listed(
        "trades",
        "4.3",
        "GET | /trading-accounts/{trading-account-id}/trades | none | response: not shown",
        Probe.TRADES,
    ),
    Check(
        "trade.answers",
        "4.3",
        f"GET | /trading-accounts/{{trading-account-id}}/trades/{{trade-id}} | none | {_TRADE}",
        answers,
        (Probe.TRADE, Probe.EXECUTED),
    ),
    *(
        Check(f"trade.{name}", "2.6", sentence, field(name, test), _TRADES)
        for name, test, sentence in (
            (
                "type",
                one_of("trade-execution-transaction"),
                "type | string | value trade-execution-transaction",
            ),
            ("id", prefixed("TXN_"), "id | string | prefix TXN_"),
            ("status", filled, "status | string | see section 3"),
            ("market", market_name, "market | string | market name"),
            ("side", one_of("buy", "sell"), "side | string | buy or sell"),
            ("price", decimal, "price | string | executed price (equals the quote price)"),
            ("amount", decimal, "amount | string | decimal"),
            ("created", timestamp, "created | string | timestamp"),
            ("updated", timestamp, "updated | string | timestamp"),
        )
    ),
    Check(
        "trade.same",
        "4.3",
        _TRADE,
        same("id", "market", "side", "price", "amount"),
        (Probe.EXECUTED,),
        (Probe.EXECUTE,),
    ),
    Check(
        "trades.executed",
        "4.3",
        "GET | /trading-accounts/{trading-account-id}/trades | none | response: not shown",
        lists_the_trade,
        (Probe.EXECUTED_LIST,),
        (Probe.EXECUTE,),
    ),
    Check(
        "cancel.post",
        "4.3",
        "POST | /trading-accounts/{id}/trades/{tradeId}/cancellations | none | response: not shown",
        accepts,
        (Probe.CANCEL_POST,),
    ),
    Check(
        "cancel.delete",
        "4.3",
        "DELETE | /trading-accounts/{id}/trades/{tradeId} | none | response: not shown",
        accepts,
        (Probe.CANCEL_DELETE,),
    ),
)

_CAUSES = (
    "Invalid signature causes named: wrong message format, wrong wallet address, network mismatch, "
    "expired challenge."
)

WALLETS = (
    Check(
        "register.answers",
        "4.4",
        "POST | /counterparties | body: address (string, required), network (string, required) | "
        "counterparty (2.7) with type counterparty",
        answers,
        _REGISTRATIONS,
    ),
    Check(
        "register.type",
        "2.7",
        "type | string | counterparty on registration",
        field("type", one_of("counterparty")),
        _REGISTRATIONS,
    ),
    Check(
        "register.id",
        "2.7",
        "id | string | prefix CPT_",
        field("id", prefixed("CPT_")),
        _REGISTRATIONS,
    ),
    Check(
        "register.network",
        "2.7",
        "network | string | blockchain network (returned on registration)",
        field("network", filled),
        _REGISTRATIONS,
    ),
    Check(
        "register.address",
        "2.7",
        "address | string | wallet address",
        as_sent("address"),
        _REGISTRATIONS,
    ),
    _refused(
        "register.required",
        "4.4",
        "POST | /counterparties | body: address (string, required), network (string, required)",
        Probe.REGISTER_NO_ADDRESS,
        Probe.REGISTER_NO_NETWORK,
    ),
    Check(
        "challenge.answers",
        "4.4",
        f"POST | {_CALLS}/1P-counterparty-ownership-challenges | body: counterpartyId (string) | "
        "challenge (2.8)",
        answers,
        (Probe.CHALLENGE,),
    ),
    Check(
        "challenge.id",
        "2.8",
        "id | string | prefix CHG_",
        field("id", prefixed("CHG_")),
        _CHALLENGES,
    ),
    Check(
        "challenge.text",
        "2.8",
        "challenge | string | message text the wallet owner must sign",
        signable,
        _CHALLENGES,
    ),
    Check(
        "challenge.again",
        "3",
        "A challenge can expire; a new challenge is then created.",
        answers,
        (Probe.CHALLENGE_AGAIN,),
    ),
    _refused(
        "claim.required",
        "4.4",
        "body: challengeId (string, required), completedChallenge (string, required, the wallet's "
        "signature of the challenge text), counterpartyId (string, required)",
        Probe.CLAIM_NO_CHALLENGE,
        Probe.CLAIM_NO_SIGNATURE,
        Probe.CLAIM_NO_COUNTERPARTY,
    ),
    _refused("claim.other-wallet", "7.4", _CAUSES, Probe.CLAIM_OTHER_WALLET),
    _refused("claim.other-text", "7.4", _CAUSES, Probe.CLAIM_OTHER_TEXT),
    _refused("claim.other-network", "7.4", _CAUSES, Probe.CLAIM_OTHER_NETWORK),
    _refused(
        "claim.earlier-signature",
        "4.4",
        "ownership claim (2.9), returned when the signature passes",
        Probe.CLAIM_OLD_SIGNATURE,
    ),
    Check(
        "claim.ethereum",
        "4.4",
        "Ethereum-style wallets use the personal_sign method.",
        accepts_signature,
        (Probe.CLAIM_ETHEREUM,),
    ),
    Check(
        "claim.solana",
        "4.4",
        "Solana-style wallets sign the UTF-8 bytes of the text",
        accepts_signature,
        (Probe.CLAIM_SOLANA,),
    ),
    Check("claim.id", "2.9", "id | string | prefix CLM_", field("id", prefixed("CLM_")), _CLAIMS),
    _refused(
        "link.required",
        "4.4",
        "body: address (string, required), network (string, required), "
        "ownershipClaimId (string, required)",
        Probe.LINK_NO_ADDRESS,
        Probe.LINK_NO_NETWORK,
        Probe.LINK_NO_CLAIM,
    ),
    _refused(
        "link.valid-claim",
        "3",
        "a counterparty linked to a blockchain account with a valid ownership claim",
        Probe.LINK_WRONG_CLAIM,
    ),
    Check(
        "link.accepted",
        "4.4",
        f"POST | {_CALLS}/counterparties | body: address (string, required), "
        "network (string, required), ownershipClaimId (string, required)",
        accepts,
        (Probe.LINK,),
    ),
    *_listed(
        "counterparties",
        "4.4",
        f"GET | {_CALLS}/counterparties | none | envelope with data = array of "
        "{type, id, address}",
        *_COUNTERPARTIES,
    ),
    *(
        Check(f"counterparty.{name}", "2.7", sentence, each(name, test), _COUNTERPARTIES)
        for name, test, sentence in (
            (
                "type",
                filled,
                "type | string | counterparty on registration; VerifiedCounterparty1P",
            ),
            ("id", prefixed("CPT_"), "id | string | prefix CPT_"),
            ("address", filled, "address | string | wallet address"),
        )
    ),
    Check(
        "counterparty.unverified",
        "2.7",
        "VerifiedCounterparty1P in the list of a blockchain account once linked with a valid claim",
        not_verified,
        (Probe.LISTED_BEFORE,),
        (Probe.REGISTER_ETHEREUM,),
    ),
    Check(
        "counterparty.verified",
        "1",
        "A verified wallet appears as a counterparty of type VerifiedCounterparty1P.",
        verified,
        (Probe.LISTED_AFTER,),
        (Probe.LINK,),
    ),
)

_BODY = (
    "Error body shape: error (string code), message (string), details (object, content depends on "
    "code)."
)

ERRORS = (
    Check("error.code", "7", _BODY, error_field("error", filled)),
    Check("error.message", "7", _BODY, error_field("message", string)),
    Check("error.details", "7", _BODY, error_field("details", mapping)),
    Check(
        "error.insufficient-funds",
        "7",
        "INSUFFICIENT_FUNDS | trading account balance is insufficient | available (string), "
        "required (string), currency (string)",
        details("INSUFFICIENT_FUNDS", available=string, required=string, currency=string),
    ),
    Check("error.insufficient-amounts", "7.1", "below the required amount", short_of),
    Check(
        "error.quote-expired",
        "7",
        "QUOTE_EXPIRED | the price quote has expired | quoteId (string), expiredAt (timestamp), "
        "suggestion (string, advice to generate a new quote)",
        details("QUOTE_EXPIRED", quoteId=string, expiredAt=timestamp, suggestion=string),
    ),
    Check(
        "error.quote-expired-id",
        "7",
        "quoteId (string)",
        about_the_quote,
        (Probe.EXECUTE_EXPIRED,),
        (Probe.EXPIRING_QUOTE,),
    ),
    Check(
        "error.market-unavailable",
        "7",
        "MARKET_UNAVAILABLE | the market is temporarily unavailable | market (string), "
        "reason (string, for example MAINTENANCE), estimatedResolution (timestamp)",
        details("MARKET_UNAVAILABLE", market=string, reason=string, estimatedResolution=timestamp),
    ),
)

CHAPTERS: tuple[tuple[str, tuple[Check, ...]], ...] = (
    ("Access", ACCESS),
    ("Trading accounts", ACCOUNTS),
    ("Balances", BALANCES),
    ("Deposits and withdrawals", FUNDING),
    ("Markets", MARKETS),
    ("Quotes", QUOTES),
    ("Executions", EXECUTION),
    ("Trades", TRADES),
    ("Wallets", WALLETS),
    ("Errors", ERRORS),
)
CHECKS: tuple[Check, ...] = tuple(check for _, checks in CHAPTERS for check in checks)
