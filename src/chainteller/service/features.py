"""The additions to the specification, by the names that ``GET /capabilities`` reports."""

from enum import StrEnum


class Feature(StrEnum):
    """A deployment that lacks one answers ``NotOffered`` for its calls."""

    IDEMPOTENCY = "idempotency"
    TRADING_ACCOUNTS = "trading-accounts"
    DEPOSITS = "deposits"
    WITHDRAWALS = "withdrawals"
    WITHDRAWAL_CANCELLATIONS = "withdrawal-cancellations"
    TRANSACTIONS = "transactions"
    LIMITS = "limits"
    MARKET = "market"
    PRICES = "prices"
    QUOTES = "quotes"
    ALL_TRADES = "all-trades"
    TRANSACTION_BY_ID = "transaction-by-id"
    BLOCKCHAIN_ACCOUNTS = "blockchain-accounts"
    CHALLENGES = "challenges"
    CHALLENGE_BY_ID = "challenge-by-id"
    CLAIM_BY_ID = "claim-by-id"
    DIAGNOSES = "diagnoses"
    REVERIFICATIONS = "reverifications"
    COUNTERPARTIES = "counterparties"
    CUSTOMERS = "customers"
    EVENTS = "events"
    EVENT_STREAM = "event-stream"
    AUDIT = "audit"
    AUDIT_OF_ACCOUNT = "audit-of-account"


EVERY_FEATURE: tuple[str, ...] = tuple(Feature)
