"""The tables and their rows, as statements return them.

Generated from the declarations of the tables: ``python -m tests.storage.row_classes``.
"""

from typing import NamedTuple

from chainteller.storage.db.query import Atoms
from chainteller.storage.db.table import Table


class Agent(NamedTuple):
    id: str
    organisation_id: str
    name: str
    public_key: str
    roles: str
    created: int
    approved_at: int | None
    approved_by: str | None
    expires: int | None
    revoked_at: int | None
    revoked_by: str | None
    salt: str | None


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
    page_token: str | None
    page_text: str | None
    page_signature: str | None
    page_sent: int | None
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
    of_page: bool | None
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


class Decision(NamedTuple):
    id: str
    organisation_id: str
    kind: str
    subject: str
    trading_account_id: str | None
    control: str | None
    reason: str
    words: str | None
    created: int
    opened_by: str
    due: int
    at_deadline: str
    status: str
    decided_at: int | None
    decided_by: str | None
    outcome: str | None
    answer: str | None
    asked: str | None
    asked_at: int | None
    holder: str | None
    held_until: int | None
    rule_id: str | None
    version: int
    needs_two: bool | None
    first_by: str | None
    first_at: int | None
    digest: str | None
    to_role: str | None
    escalated_at: int | None
    salt: str | None


class Dispute(NamedTuple):
    id: str
    organisation_id: str
    invariant: int
    place: str
    what: str
    found_at: int
    cleared_at: int | None
    cleared_by: str | None
    reason: str | None
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
    case_id: str | None


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


class Note(NamedTuple):
    id: str
    organisation_id: str
    subject: str
    trading_account_id: str | None
    created: int
    author: str
    content: str | None
    erased_at: int | None
    erased_by: str | None
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


class Provider(NamedTuple):
    organisation_id: str
    address: str
    since: int
    salt: str | None


class ProviderChallenge(NamedTuple):
    id: str
    organisation_id: str
    blockchain_account_id: str
    counterparty_id: str
    text: str
    status: str
    created: int
    expires: int
    used_at: int | None
    claim_id: str | None
    page_token: str | None
    page_signature: str | None
    page_sent: int | None
    salt: str | None


class ProviderRequest(NamedTuple):
    id: str
    organisation_id: str
    operation: str
    key: str
    fingerprint: str
    call: str
    actor: str
    case_id: str
    trading_account_id: str | None
    status: str
    created: int
    updated: int
    due: int | None
    before: str | None
    after: str | None
    answer: str | None
    subject: str | None
    version: int
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
    told: str | None
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
    told: str | None
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
    told: str | None
    provider_id: str | None
    salt: str | None


class Verification(NamedTuple):
    name: str
    verified_at: int
    full_at: int


class Webhook(NamedTuple):
    id: str
    organisation_id: str
    url: str
    types: str
    created: int
    created_by: str
    made_with: str
    generation: int
    overlap_until: int | None
    paused_at: int | None
    paused_reason: str | None
    sent_upto: int
    ahead: str
    delivered_at: int | None
    answer: str | None
    failing_since: int | None
    attempts: int
    next_at: int | None
    held_by: str | None
    held_until: int | None
    salt: str | None


class Tables:
    """The tables by what the program calls them, each after those that it needs."""

    archive = Table(Archive, "organisation_id", "first")
    checkpoint = Table(Checkpoint, "organisation_id", "size")
    clock = Table(Clock, "name", unsealed=("boot", "anchor_at", "anchor_elapsed", "seen_at"))
    dispute = Table(Dispute, "id")
    entry = Table(Entry, "organisation_id", "number")
    idempotency = Table(Idempotency, "organisation_id", "operation", "key")
    job = Table(Job, "kind", "reference", unsealed=("run_at",))
    journal = Table(Journal, "record", "kind")
    ledger_account = Table(LedgerAccount, "code", "asset", "organisation_id")
    log = Table(Log, "organisation_id")
    market_control = Table(MarketControl, "market")
    organisation = Table(Organisation, "id")
    rule = Table(Rule, "id")
    search_key = Table(SearchKey, "organisation_id", "form", "key", "kind", "id")
    search_name = Table(SearchName, "organisation_id", "word", "customer_id")
    search_word = Table(SearchWord, "organisation_id", "word")
    server_lease = Table(ServerLease, "id")
    tally = Table(Tally, "organisation_id", "listed")
    verification = Table(Verification, "name")
    agent = Table(Agent, "id")
    api_key = Table(ApiKey, "key_id", unsealed=("last_used_at",))
    counterparty = Table(Counterparty, "id")
    customer = Table(Customer, "id")
    provider = Table(Provider, "organisation_id")
    provider_request = Table(ProviderRequest, "id")
    quote = Table(Quote, "id")
    webhook = Table(
        Webhook,
        "id",
        unsealed=(
            "sent_upto",
            "ahead",
            "delivered_at",
            "answer",
            "failing_since",
            "attempts",
            "next_at",
            "held_by",
            "held_until",
        ),
    )
    bank_account = Table(BankAccount, "organisation_id", "id")
    provider_challenge = Table(ProviderChallenge, "id")
    trading_account = Table(TradingAccount, "id")
    blockchain_account = Table(BlockchainAccount, "id")
    decision = Table(Decision, "id")
    note = Table(Note, "id")
    trade = Table(Trade, "id")
    transfer = Table(Transfer, "id")
    challenge = Table(Challenge, "id")
    statement = Table(OwnershipStatement, "id")
    attempt = Table(Attempt, "challenge_id", "number")
    claim = Table(Claim, "id")
    small_transfer = Table(SmallTransfer, "challenge_id")
    evidence = Table(ClaimEvidence, "claim_id")
    link = Table(Link, "blockchain_account_id", "counterparty_id")
    arrival = Table(SmallTransferArrival, "challenge_id", "hash")


ALL = tuple(each for each in vars(Tables).values() if isinstance(each, Table))
