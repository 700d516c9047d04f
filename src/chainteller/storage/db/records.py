"""The rows of the tables, as statements return them.

Generated from the declarations of the tables: ``python -m tests.storage.row_classes``.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from chainteller.storage.db.query import Atoms, table_of


class ApiKey(NamedTuple):
    key_id: str
    organisation_id: str
    name: str
    secret_hash: str
    scopes: str
    created: int
    expires: int | None
    revoked_at: int | None
    last_used_at: int | None
    replaced_by: str | None
    salt: str | None


class Archive(NamedTuple):
    organisation_id: str
    first: int
    upto: int
    name: str


class Attempt(NamedTuple):
    challenge_id: str
    number: int
    at: int
    finding: str
    recovered_address: str | None
    salt: str | None


class BankAccount(NamedTuple):
    organisation_id: str
    id: str
    customer_id: str
    type: str
    balance: Atoms
    trading_account_id: str | None
    salt: str | None


class BlockchainAccount(NamedTuple):
    id: str
    organisation_id: str
    trading_account_id: str
    customer_id: str
    network: str
    address: str
    status: str
    created: int
    salt: str | None


class Challenge(NamedTuple):
    id: str
    organisation_id: str
    blockchain_account_id: str
    counterparty_id: str
    customer_id: str
    text: str
    status: str
    attempts: int
    created: int
    expires: int
    used_at: int | None
    claim_id: str | None
    salt: str | None


class Checkpoint(NamedTuple):
    organisation_id: str
    size: int
    root: str
    note: str
    made_at: int


class Claim(NamedTuple):
    id: str
    organisation_id: str
    blockchain_account_id: str
    counterparty_id: str
    challenge_id: str
    scheme: str
    signature: str
    signer: str
    status: str
    created: int
    expires: int
    linked_at: int | None
    method: str
    level: str
    salt: str | None


class ClaimEvidence(NamedTuple):
    claim_id: str
    organisation_id: str
    body: str
    salt: str | None


class Clock(NamedTuple):
    name: str
    epoch: int
    began_at: int
    boot: str
    anchor_at: int
    anchor_elapsed: int
    seen_at: int
    doubt: str
    stepped: bool
    salt: str | None


class Counterparty(NamedTuple):
    id: str
    organisation_id: str
    network: str
    canonical: str
    address: str
    kind: str
    created: int
    code: str | None
    code_block: int | None
    salt: str | None


class Customer(NamedTuple):
    id: str
    organisation_id: str
    name: str
    search_name: str
    reference: str
    kyc_level: str
    terms_version: str | None
    control: str | None
    control_reason: str | None
    salt: str | None


class Entry(NamedTuple):
    organisation_id: str
    number: int
    at: int
    action: str
    object: str
    trading_account_id: str | None
    leaf: bytes
    mark: bytes
    body: bytes | None


class Idempotency(NamedTuple):
    organisation_id: str
    operation: str
    key: str
    fingerprint: str
    created_record: bool
    body: str
    at: int
    salt: str | None


class Job(NamedTuple):
    kind: str
    reference: str
    run_at: int
    salt: str | None


class Journal(NamedTuple):
    record: str
    kind: str
    organisation_id: str
    number: int


class LedgerAccount(NamedTuple):
    code: str
    asset: str
    organisation_id: str
    balance: Atoms
    version: int


class Link(NamedTuple):
    blockchain_account_id: str
    counterparty_id: str
    claim_id: str
    first_linked_at: int
    verified_at: int
    expires: int
    last_used_at: int
    policy_version: int
    revoked_at: int | None
    revoked_reason: str | None
    salt: str | None


class Log(NamedTuple):
    organisation_id: str
    size: int
    last_at: int
    mark: bytes
    marked_with: str
    archived: int
    moved: int


class MarketControl(NamedTuple):
    market: str
    reason: str
    until: int | None
    salt: str | None


class Organisation(NamedTuple):
    id: str
    name: str
    fee_flat_cents: int
    fee_bps: int
    fee_minimum_cents: int
    created: int
    salt: str | None


class OwnershipStatement(NamedTuple):
    id: str
    organisation_id: str
    blockchain_account_id: str
    counterparty_id: str
    customer_id: str
    reason: str
    statement: str
    level: str
    status: str
    created: int
    salt: str | None


class Quote(NamedTuple):
    id: str
    organisation_id: str
    trading_account_id: str | None
    market: str
    side: str
    status: str
    price_cents: int
    sold: Atoms
    bought: Atoms
    fee_cents: int
    usd_leg_cents: int
    fee_flat_cents: int
    fee_bps: int
    mid_micros: int
    half_spread_bps: int
    hold_premium_bps: int
    window: int
    created: int
    expires: int
    trade_id: str | None
    executed_at: int | None
    salt: str | None


class Rule(NamedTuple):
    id: str
    body: str
    since: int
    salt: str | None


class SearchKey(NamedTuple):
    organisation_id: str
    form: str
    key: str
    kind: str
    id: str


class SearchName(NamedTuple):
    organisation_id: str
    word: str
    customer_id: str


class SearchWord(NamedTuple):
    organisation_id: str
    word: str


class ServerLease(NamedTuple):
    id: str
    renewed_at: int


class SmallTransfer(NamedTuple):
    challenge_id: str
    organisation_id: str
    asset: str
    amount: Atoms
    deadline: int
    salt: str | None


class SmallTransferArrival(NamedTuple):
    challenge_id: str
    hash: str
    organisation_id: str
    sender: str
    asset: str
    amount: Atoms
    arrived: int
    seen: int
    finding: str
    salt: str | None


class Tally(NamedTuple):
    organisation_id: str
    listed: str
    upto: int
    total: int


class Trade(NamedTuple):
    id: str
    organisation_id: str
    trading_account_id: str
    ordinal: int
    transaction_ordinal: int
    quote_id: str
    market: str
    side: str
    status: str
    price_cents: int
    amount: Atoms
    sold: Atoms
    bought: Atoms
    fee_cents: int
    fee_flat_cents: int
    fee_bps: int
    provider_cents: int
    hold: str
    created: int
    updated: int
    executed_at: int | None
    settled_at: int | None
    cancelled_at: int | None
    failure_code: str | None
    failure_message: str | None
    version: int
    salt: str | None


class TradingAccount(NamedTuple):
    id: str
    organisation_id: str
    bank_account_id: str
    bank_account_type: str
    customer_id: str
    control: str | None
    control_reason: str | None
    created: int
    version: int
    trade_count: int
    deposit_count: int
    withdrawal_count: int
    transaction_count: int
    last_activity: int
    last_activity_type: str | None
    salt: str | None


class Transfer(NamedTuple):
    id: str
    organisation_id: str
    trading_account_id: str
    direction: str
    ordinal: int
    transaction_ordinal: int
    status: str
    amount: Atoms
    asset: str
    currency_type: str
    currency_id: str | None
    bank_account_id: str
    destination_class: str | None
    counterparty_id: str | None
    blockchain_account_id: str | None
    address: str | None
    fee: Atoms
    notional_cents: int
    hold: str
    created: int
    updated: int
    completed_at: int | None
    failure_code: str | None
    failure_message: str | None
    review_reason: str | None
    review_eta: int | None
    network_tx_hash: str | None
    version: int
    rule_id: str | None
    evidence_level: str | None
    salt: str | None


BY_TABLE: Mapping[str, Any] = {
    table_of(each): each
    for each in (
        ApiKey,
        Archive,
        Attempt,
        BankAccount,
        BlockchainAccount,
        Challenge,
        Checkpoint,
        Claim,
        ClaimEvidence,
        Clock,
        Counterparty,
        Customer,
        Entry,
        Idempotency,
        Job,
        Journal,
        LedgerAccount,
        Link,
        Log,
        MarketControl,
        Organisation,
        OwnershipStatement,
        Quote,
        Rule,
        SearchKey,
        SearchName,
        SearchWord,
        ServerLease,
        SmallTransfer,
        SmallTransferArrival,
        Tally,
        Trade,
        TradingAccount,
        Transfer,
    )
}
