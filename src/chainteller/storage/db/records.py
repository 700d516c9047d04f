"""The tables and their rows, as statements return them.

Generated from the declarations of the tables: ``python -m tests.storage.row_classes``.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from chainteller.storage.db.query import Atoms, table_of
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


BY_TABLE: Mapping[str, Any] = {
    table_of(each): each
    for each in (
        Agent,
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
        Decision,
        Dispute,
        Entry,
        Idempotency,
        Job,
        Journal,
        LedgerAccount,
        Link,
        Log,
        MarketControl,
        Note,
        Organisation,
        OwnershipStatement,
        Provider,
        ProviderRequest,
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
        Verification,
        Webhook,
    )
}


class Tables:
    """The tables, by what the program calls them."""

    archive: ClassVar[Table] = Table(
        record=Archive, key=("organisation_id", "first"), numbers=frozenset(("first", "upto"))
    )
    checkpoint: ClassVar[Table] = Table(
        record=Checkpoint, key=("organisation_id", "size"), numbers=frozenset(("size", "made_at"))
    )
    clock: ClassVar[Table] = Table(
        record=Clock,
        key=("name",),
        sealed=("name", "epoch", "began_at", "doubt", "stepped"),
        numbers=frozenset(("epoch", "began_at", "anchor_at", "anchor_elapsed", "seen_at")),
        booleans=frozenset(("stepped",)),
    )
    dispute: ClassVar[Table] = Table(
        record=Dispute,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "invariant",
            "place",
            "what",
            "found_at",
            "cleared_at",
            "cleared_by",
            "reason",
        ),
        numbers=frozenset(("invariant", "found_at", "cleared_at")),
    )
    entry: ClassVar[Table] = Table(
        record=Entry, key=("organisation_id", "number"), numbers=frozenset(("number", "at"))
    )
    idempotency: ClassVar[Table] = Table(
        record=Idempotency,
        key=("organisation_id", "operation", "key"),
        sealed=(
            "organisation_id",
            "operation",
            "key",
            "fingerprint",
            "created_record",
            "body",
            "at",
        ),
        numbers=frozenset(("at",)),
        booleans=frozenset(("created_record",)),
    )
    job: ClassVar[Table] = Table(
        record=Job,
        key=("kind", "reference"),
        sealed=("kind", "reference"),
        numbers=frozenset(("run_at",)),
    )
    journal: ClassVar[Table] = Table(
        record=Journal, key=("record", "kind"), numbers=frozenset(("number",))
    )
    ledger_account: ClassVar[Table] = Table(
        record=LedgerAccount,
        key=("code", "asset", "organisation_id"),
        numbers=frozenset(("version",)),
        atoms=frozenset(("balance",)),
    )
    log: ClassVar[Table] = Table(
        record=Log,
        key=("organisation_id",),
        numbers=frozenset(("size", "last_at", "archived", "moved")),
    )
    market_control: ClassVar[Table] = Table(
        record=MarketControl,
        key=("market",),
        sealed=("market", "reason", "until"),
        numbers=frozenset(("until",)),
    )
    organisation: ClassVar[Table] = Table(
        record=Organisation,
        key=("id",),
        sealed=("id", "name", "fee_flat_cents", "fee_bps", "fee_minimum_cents", "created"),
        numbers=frozenset(("fee_flat_cents", "fee_bps", "fee_minimum_cents", "created")),
    )
    rule: ClassVar[Table] = Table(
        record=Rule, key=("id",), sealed=("id", "body", "since"), numbers=frozenset(("since",))
    )
    search_key: ClassVar[Table] = Table(
        record=SearchKey, key=("organisation_id", "form", "key", "kind", "id")
    )
    search_name: ClassVar[Table] = Table(
        record=SearchName, key=("organisation_id", "word", "customer_id")
    )
    search_word: ClassVar[Table] = Table(record=SearchWord, key=("organisation_id", "word"))
    server_lease: ClassVar[Table] = Table(
        record=ServerLease, key=("id",), numbers=frozenset(("renewed_at",))
    )
    tally: ClassVar[Table] = Table(
        record=Tally, key=("organisation_id", "listed"), numbers=frozenset(("upto", "total"))
    )
    verification: ClassVar[Table] = Table(
        record=Verification, key=("name",), numbers=frozenset(("verified_at", "full_at"))
    )
    agent: ClassVar[Table] = Table(
        record=Agent,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "name",
            "public_key",
            "roles",
            "created",
            "approved_at",
            "approved_by",
            "expires",
            "revoked_at",
            "revoked_by",
        ),
        numbers=frozenset(("created", "approved_at", "expires", "revoked_at")),
    )
    api_key: ClassVar[Table] = Table(
        record=ApiKey,
        key=("key_id",),
        sealed=(
            "key_id",
            "organisation_id",
            "name",
            "secret_hash",
            "scopes",
            "created",
            "expires",
            "revoked_at",
            "replaced_by",
        ),
        numbers=frozenset(("created", "expires", "revoked_at", "last_used_at")),
    )
    counterparty: ClassVar[Table] = Table(
        record=Counterparty,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "network",
            "canonical",
            "address",
            "kind",
            "created",
            "code",
            "code_block",
        ),
        numbers=frozenset(("created", "code_block")),
    )
    customer: ClassVar[Table] = Table(
        record=Customer,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "name",
            "search_name",
            "reference",
            "kyc_level",
            "terms_version",
            "control",
            "control_reason",
        ),
    )
    provider: ClassVar[Table] = Table(
        record=Provider,
        key=("organisation_id",),
        sealed=("organisation_id", "address", "since"),
        numbers=frozenset(("since",)),
    )
    provider_request: ClassVar[Table] = Table(
        record=ProviderRequest,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "operation",
            "key",
            "fingerprint",
            "call",
            "actor",
            "case_id",
            "trading_account_id",
            "status",
            "created",
            "updated",
            "due",
            "before",
            "after",
            "answer",
            "subject",
            "version",
        ),
        numbers=frozenset(("created", "updated", "due", "version")),
    )
    quote: ClassVar[Table] = Table(
        record=Quote,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "trading_account_id",
            "market",
            "side",
            "status",
            "price_cents",
            "sold",
            "bought",
            "fee_cents",
            "usd_leg_cents",
            "fee_flat_cents",
            "fee_bps",
            "mid_micros",
            "half_spread_bps",
            "hold_premium_bps",
            "window",
            "created",
            "expires",
            "trade_id",
            "executed_at",
            "told",
        ),
        numbers=frozenset(
            (
                "price_cents",
                "fee_cents",
                "usd_leg_cents",
                "fee_flat_cents",
                "fee_bps",
                "mid_micros",
                "half_spread_bps",
                "hold_premium_bps",
                "window",
                "created",
                "expires",
                "executed_at",
            )
        ),
        atoms=frozenset(("sold", "bought")),
    )
    webhook: ClassVar[Table] = Table(
        record=Webhook,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "url",
            "types",
            "created",
            "created_by",
            "made_with",
            "generation",
            "overlap_until",
            "paused_at",
            "paused_reason",
        ),
        numbers=frozenset(
            (
                "created",
                "generation",
                "overlap_until",
                "paused_at",
                "sent_upto",
                "delivered_at",
                "failing_since",
                "attempts",
                "next_at",
                "held_until",
            )
        ),
    )
    bank_account: ClassVar[Table] = Table(
        record=BankAccount,
        key=("organisation_id", "id"),
        sealed=("organisation_id", "id", "customer_id", "type", "balance", "trading_account_id"),
        atoms=frozenset(("balance",)),
    )
    trading_account: ClassVar[Table] = Table(
        record=TradingAccount,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "bank_account_id",
            "bank_account_type",
            "customer_id",
            "control",
            "control_reason",
            "created",
            "version",
            "trade_count",
            "deposit_count",
            "withdrawal_count",
            "transaction_count",
            "last_activity",
            "last_activity_type",
        ),
        numbers=frozenset(
            (
                "created",
                "version",
                "trade_count",
                "deposit_count",
                "withdrawal_count",
                "transaction_count",
                "last_activity",
            )
        ),
    )
    blockchain_account: ClassVar[Table] = Table(
        record=BlockchainAccount,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "trading_account_id",
            "customer_id",
            "network",
            "address",
            "status",
            "created",
        ),
        numbers=frozenset(("created",)),
    )
    decision: ClassVar[Table] = Table(
        record=Decision,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "kind",
            "subject",
            "trading_account_id",
            "control",
            "reason",
            "words",
            "created",
            "opened_by",
            "due",
            "at_deadline",
            "status",
            "decided_at",
            "decided_by",
            "outcome",
            "answer",
            "asked",
            "asked_at",
            "holder",
            "held_until",
            "rule_id",
            "version",
            "needs_two",
            "first_by",
            "first_at",
            "digest",
            "to_role",
            "escalated_at",
        ),
        numbers=frozenset(
            (
                "created",
                "due",
                "decided_at",
                "asked_at",
                "held_until",
                "version",
                "first_at",
                "escalated_at",
            )
        ),
        booleans=frozenset(("needs_two",)),
    )
    note: ClassVar[Table] = Table(
        record=Note,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "subject",
            "trading_account_id",
            "created",
            "author",
            "content",
            "erased_at",
            "erased_by",
        ),
        numbers=frozenset(("created", "erased_at")),
    )
    trade: ClassVar[Table] = Table(
        record=Trade,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "trading_account_id",
            "ordinal",
            "transaction_ordinal",
            "quote_id",
            "market",
            "side",
            "status",
            "price_cents",
            "amount",
            "sold",
            "bought",
            "fee_cents",
            "fee_flat_cents",
            "fee_bps",
            "provider_cents",
            "hold",
            "created",
            "updated",
            "executed_at",
            "settled_at",
            "cancelled_at",
            "failure_code",
            "failure_message",
            "version",
            "told",
        ),
        numbers=frozenset(
            (
                "ordinal",
                "transaction_ordinal",
                "price_cents",
                "fee_cents",
                "fee_flat_cents",
                "fee_bps",
                "provider_cents",
                "created",
                "updated",
                "executed_at",
                "settled_at",
                "cancelled_at",
                "version",
            )
        ),
        atoms=frozenset(("amount", "sold", "bought")),
    )
    transfer: ClassVar[Table] = Table(
        record=Transfer,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "trading_account_id",
            "direction",
            "ordinal",
            "transaction_ordinal",
            "status",
            "amount",
            "asset",
            "currency_type",
            "currency_id",
            "bank_account_id",
            "destination_class",
            "counterparty_id",
            "blockchain_account_id",
            "address",
            "fee",
            "notional_cents",
            "hold",
            "created",
            "updated",
            "completed_at",
            "failure_code",
            "failure_message",
            "review_reason",
            "review_eta",
            "network_tx_hash",
            "version",
            "rule_id",
            "evidence_level",
            "told",
            "provider_id",
        ),
        numbers=frozenset(
            (
                "ordinal",
                "transaction_ordinal",
                "notional_cents",
                "created",
                "updated",
                "completed_at",
                "review_eta",
                "version",
            )
        ),
        atoms=frozenset(("amount", "fee")),
    )
    challenge: ClassVar[Table] = Table(
        record=Challenge,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "blockchain_account_id",
            "counterparty_id",
            "customer_id",
            "text",
            "status",
            "attempts",
            "created",
            "expires",
            "used_at",
            "claim_id",
            "page_token",
            "page_text",
            "page_signature",
            "page_sent",
        ),
        numbers=frozenset(("attempts", "created", "expires", "used_at", "page_sent")),
    )
    statement: ClassVar[Table] = Table(
        record=OwnershipStatement,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "blockchain_account_id",
            "counterparty_id",
            "customer_id",
            "reason",
            "statement",
            "level",
            "status",
            "created",
        ),
        numbers=frozenset(("created",)),
    )
    attempt: ClassVar[Table] = Table(
        record=Attempt,
        key=("challenge_id", "number"),
        sealed=("challenge_id", "number", "at", "finding", "recovered_address"),
        numbers=frozenset(("number", "at")),
    )
    claim: ClassVar[Table] = Table(
        record=Claim,
        key=("id",),
        sealed=(
            "id",
            "organisation_id",
            "blockchain_account_id",
            "counterparty_id",
            "challenge_id",
            "scheme",
            "signature",
            "signer",
            "status",
            "created",
            "expires",
            "linked_at",
            "method",
            "level",
            "of_page",
        ),
        numbers=frozenset(("created", "expires", "linked_at")),
        booleans=frozenset(("of_page",)),
    )
    small_transfer: ClassVar[Table] = Table(
        record=SmallTransfer,
        key=("challenge_id",),
        sealed=("challenge_id", "organisation_id", "asset", "amount", "deadline"),
        numbers=frozenset(("deadline",)),
        atoms=frozenset(("amount",)),
    )
    evidence: ClassVar[Table] = Table(
        record=ClaimEvidence, key=("claim_id",), sealed=("claim_id", "organisation_id", "body")
    )
    link: ClassVar[Table] = Table(
        record=Link,
        key=("blockchain_account_id", "counterparty_id"),
        sealed=(
            "blockchain_account_id",
            "counterparty_id",
            "claim_id",
            "first_linked_at",
            "verified_at",
            "expires",
            "last_used_at",
            "policy_version",
            "revoked_at",
            "revoked_reason",
        ),
        numbers=frozenset(
            (
                "first_linked_at",
                "verified_at",
                "expires",
                "last_used_at",
                "policy_version",
                "revoked_at",
            )
        ),
    )
    arrival: ClassVar[Table] = Table(
        record=SmallTransferArrival,
        key=("challenge_id", "hash"),
        sealed=(
            "challenge_id",
            "hash",
            "organisation_id",
            "sender",
            "asset",
            "amount",
            "arrived",
            "seen",
            "finding",
        ),
        numbers=frozenset(("arrived", "seen")),
        atoms=frozenset(("amount",)),
    )


ALL = (
    Tables.archive,
    Tables.checkpoint,
    Tables.clock,
    Tables.dispute,
    Tables.entry,
    Tables.idempotency,
    Tables.job,
    Tables.journal,
    Tables.ledger_account,
    Tables.log,
    Tables.market_control,
    Tables.organisation,
    Tables.rule,
    Tables.search_key,
    Tables.search_name,
    Tables.search_word,
    Tables.server_lease,
    Tables.tally,
    Tables.verification,
    Tables.agent,
    Tables.api_key,
    Tables.counterparty,
    Tables.customer,
    Tables.provider,
    Tables.provider_request,
    Tables.quote,
    Tables.webhook,
    Tables.bank_account,
    Tables.trading_account,
    Tables.blockchain_account,
    Tables.decision,
    Tables.note,
    Tables.trade,
    Tables.transfer,
    Tables.challenge,
    Tables.statement,
    Tables.attempt,
    Tables.claim,
    Tables.small_transfer,
    Tables.evidence,
    Tables.link,
    Tables.arrival,
)
"""Each table after those that it refers to."""
