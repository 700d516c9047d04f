"""The tables. Rows stay within storage and engine; screens and clients get wire models.

SQLModel declares the tables; queries are Core statements, because a tracked object costs several
times as much as the statement. JSON columns are text in canonical form.

Rows are sealed by the log (``sealing``); what is not is declared here with its reason. A sealed
table has one more column, ``salt``, which ``wallet_tables.table`` adds. A column that is added
later comes last and allows NULL, so that earlier seals hold.
"""

from sqlalchemy import Index, LargeBinary, Text, text
from sqlmodel import Field

from chainteller.storage.schema.columns import (
    Atoms,
    Declared,
    Instant,
    Key,
    SearchKey,
    Word,
    unsealed,
)

_ANCHOR = "each process compares it with its own clocks; entries keep what it gained"


class ClockRow(Declared, table=True):
    """What all processes share about time; ``domain/timekeeping.py`` explains it.

    ``anchor_at`` was the time when ``anchor_elapsed`` had elapsed in the machine's run ``boot``,
    which is empty until a process with such a clock has written. ``doubt`` is why time is
    uncertain, empty while it's certain. The trail of all of it is in the log.
    """

    name: str = Field(primary_key=True, sa_type=Key)
    epoch: int = Field(sa_type=Instant)
    began_at: int = Field(sa_type=Instant)
    boot: str = Field(sa_type=Key, sa_column_kwargs=unsealed(_ANCHOR))
    anchor_at: int = Field(sa_type=Instant, sa_column_kwargs=unsealed(_ANCHOR))
    anchor_elapsed: int = Field(sa_type=Instant, sa_column_kwargs=unsealed(_ANCHOR))
    seen_at: int = Field(
        sa_type=Instant, sa_column_kwargs=unsealed("renewed every minute; compared with the clock")
    )
    doubt: str = Field(sa_type=Key)
    stepped: bool


class Organisation(Declared, table=True):
    id: str = Field(primary_key=True, sa_type=Key)
    name: str
    fee_flat_cents: int
    fee_bps: int
    fee_minimum_cents: int
    created: int = Field(sa_type=Instant)


class CustomerRow(Declared, table=True):
    """A customer of the simulated core bank."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    name: str
    search_name: str
    reference: str = Field(sa_type=Key)
    kyc_level: str = Field(sa_type=Key)
    terms_version: str | None = Field(default=None, sa_type=Key)
    control: str | None = Field(default=None, sa_type=Key)
    control_reason: str | None = Field(default=None, sa_type=Key)
    __table_args__ = (Index("ix_customer_reference", "organisation_id", "reference", "id"),)


class BankAccountRow(Declared, table=True):
    """A demand deposit account in the simulated core bank."""

    organisation_id: str = Field(primary_key=True, foreign_key="organisation.id", sa_type=Key)
    id: str = Field(primary_key=True, sa_type=Key)
    customer_id: str = Field(foreign_key="customer.id", index=True, sa_type=Key)
    type: str = Field(sa_type=Key)
    balance: int = Field(sa_type=Atoms)
    trading_account_id: str | None = Field(default=None, sa_type=Key)


class TradingAccountRow(Declared, table=True):
    """A trading account. Its counters number its records from 1 without gaps, for exact paging."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    bank_account_id: str = Field(sa_type=Key)
    bank_account_type: str = Field(sa_type=Key)
    customer_id: str = Field(foreign_key="customer.id", index=True, sa_type=Key)
    control: str | None = Field(default=None, sa_type=Key)
    control_reason: str | None = Field(default=None, sa_type=Key)
    created: int = Field(sa_type=Instant)
    version: int = 0
    trade_count: int = 0
    deposit_count: int = 0
    withdrawal_count: int = 0
    transaction_count: int = 0
    last_activity: int = Field(sa_type=Instant)
    last_activity_type: str | None = Field(default=None, sa_type=Key)
    __table_args__ = (
        Index("ix_trading_account_created", "organisation_id", "created", "id"),
        Index("ix_trading_account_activity", "organisation_id", "last_activity", "id"),
        Index("ix_trading_account_bank", "organisation_id", "bank_account_id"),
    )


_FROM_ENTRIES = "recomputed from the log's entries"
_CLUSTERED = {"sqlite_with_rowid": False}
"""The primary key is the table, so SQLite needs no second b-tree for it. That pays where no other
index has to repeat a long key, and rows don't come in the order of the key anyway."""


class LedgerAccountRow(Declared, table=True):
    """The balance of one asset under one code, positive on the account's normal side; ``version``
    counts its postings. The code of a customer's balance names its owner; the bank has its own
    accounts in each organisation."""

    code: str = Field(primary_key=True, max_length=96)
    asset: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(primary_key=True, sa_type=Key)
    balance: int = Field(sa_type=Atoms)
    version: int = 0
    __table_args__ = unsealed(_FROM_ENTRIES)


class JournalRow(Declared, table=True):
    """Which entry posted a journal of a record: each kind is posted once."""

    record: str = Field(primary_key=True, sa_type=Key)
    kind: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(sa_type=Key)
    number: int = Field(sa_type=Instant)
    __table_args__ = (_CLUSTERED | unsealed(_FROM_ENTRIES),)


class QuoteRow(Declared, table=True):
    """A quote. ``told`` is what the provider of a gateway answered, as JSON, here and in trades and
    transfers: it counts, and the other columns repeat it to be found by."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    trading_account_id: str | None = Field(default=None, sa_type=Key)
    market: str = Field(sa_type=Key)
    side: str = Field(sa_type=Key)
    status: str = Field(sa_type=Key)
    price_cents: int = Field(sa_type=Instant)
    sold: int = Field(sa_type=Atoms)
    bought: int = Field(sa_type=Atoms)
    fee_cents: int = Field(sa_type=Instant)
    usd_leg_cents: int = Field(sa_type=Instant)
    fee_flat_cents: int = Field(sa_type=Instant)
    fee_bps: int
    mid_micros: int = Field(sa_type=Instant)
    half_spread_bps: int
    hold_premium_bps: int
    window: int = Field(sa_type=Instant)
    created: int = Field(sa_type=Instant)
    expires: int = Field(sa_type=Instant)
    trade_id: str | None = Field(default=None, sa_type=Key)
    executed_at: int | None = Field(default=None, sa_type=Instant)
    told: str | None = Field(default=None, sa_type=Text)
    __table_args__ = (
        Index("ix_quote_created", "organisation_id", "created", "id"),
        Index(
            "ix_quote_account",
            "organisation_id",
            "trading_account_id",
            "created",
            "id",
            sqlite_where=text("trading_account_id IS NOT NULL"),
            postgresql_where=text("trading_account_id IS NOT NULL"),
        ),
        Index("ix_quote_status", "organisation_id", "status", "created", "id", "expires"),
        Index(
            "ix_quote_live",
            "organisation_id",
            "expires",
            "id",
            sqlite_where=text("status = 'open'"),
            postgresql_where=text("status = 'open'"),
        ),
        Index("ix_quote_market", "organisation_id", "market", "side", "created", "id"),
        Index(
            "ix_quote_open",
            "trading_account_id",
            "expires",
            sqlite_where=text("status = 'open'"),
            postgresql_where=text("status = 'open'"),
        ),
    )


class TradeRow(Declared, table=True):
    """A trade. ``hold`` is what execution held, as JSON ``[[asset, atoms], ...]``."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    trading_account_id: str = Field(foreign_key="trading_account.id", sa_type=Key)
    ordinal: int
    transaction_ordinal: int
    quote_id: str = Field(unique=True, foreign_key="quote.id", sa_type=Key)
    market: str = Field(sa_type=Key)
    side: str = Field(sa_type=Key)
    status: str = Field(sa_type=Key)
    price_cents: int = Field(sa_type=Instant)
    amount: int = Field(sa_type=Atoms)
    sold: int = Field(sa_type=Atoms)
    bought: int = Field(sa_type=Atoms)
    fee_cents: int = Field(sa_type=Instant)
    fee_flat_cents: int = Field(sa_type=Instant)
    fee_bps: int
    provider_cents: int = Field(sa_type=Instant)
    hold: str = Field(sa_type=Text)
    created: int = Field(sa_type=Instant)
    updated: int = Field(sa_type=Instant)
    executed_at: int | None = Field(default=None, sa_type=Instant)
    settled_at: int | None = Field(default=None, sa_type=Instant)
    cancelled_at: int | None = Field(default=None, sa_type=Instant)
    failure_code: str | None = Field(default=None, sa_type=Key)
    failure_message: str | None = None
    version: int = 1
    told: str | None = Field(default=None, sa_type=Text)
    __table_args__ = (
        Index("ix_trade_ordinal", "trading_account_id", "ordinal", unique=True),
        Index("ix_trade_transaction", "trading_account_id", "transaction_ordinal"),
        Index("ix_trade_status", "trading_account_id", "status", "ordinal"),
        Index("ix_trade_created", "organisation_id", "created", "id"),
        Index("ix_trade_organisation_status", "organisation_id", "status", "created", "id"),
        Index("ix_trade_market", "organisation_id", "market", "side", "created", "id"),
    )


END_OF_ID = "substr(id, length(id) - 3)"
"""The last four characters of an id, which customers read out."""


class TransferRow(Declared, table=True):
    """A deposit or a withdrawal; ``hold`` as in a trade, for withdrawals.

    ``evidence_level`` is that of a verified wallet whose evidence has limits of its own.
    ``provider_id`` is the provider's id of one that has an id of a gateway.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    trading_account_id: str = Field(foreign_key="trading_account.id", sa_type=Key)
    direction: str = Field(sa_type=Key)
    ordinal: int
    transaction_ordinal: int
    status: str = Field(sa_type=Key)
    amount: int = Field(sa_type=Atoms)
    asset: str = Field(sa_type=Key)
    currency_type: str = Field(sa_type=Key)
    currency_id: str | None = Field(default=None, sa_type=Key)
    bank_account_id: str = Field(sa_type=Key)
    destination_class: str | None = Field(default=None, sa_type=Key)
    counterparty_id: str | None = Field(default=None, sa_type=Key)
    blockchain_account_id: str | None = Field(default=None, sa_type=Key)
    address: str | None = Field(default=None, max_length=128)
    fee: int = Field(default=0, sa_type=Atoms)
    notional_cents: int = Field(sa_type=Instant)
    hold: str = Field(default="[]", sa_type=Text)
    created: int = Field(sa_type=Instant)
    updated: int = Field(sa_type=Instant)
    completed_at: int | None = Field(default=None, sa_type=Instant)
    failure_code: str | None = Field(default=None, sa_type=Key)
    failure_message: str | None = None
    review_reason: str | None = Field(default=None, sa_type=Key)
    review_eta: int | None = Field(default=None, sa_type=Instant)
    network_tx_hash: str | None = Field(default=None, max_length=128)
    version: int = 1
    rule_id: str | None = Field(default=None, sa_type=Key)
    evidence_level: str | None = Field(default=None, sa_type=Key)
    told: str | None = Field(default=None, sa_type=Text)
    provider_id: str | None = Field(default=None, sa_type=Key)
    __table_args__ = (
        Index("ix_transfer_ordinal", "trading_account_id", "direction", "ordinal", unique=True),
        Index("ix_transfer_transaction", "trading_account_id", "transaction_ordinal"),
        Index(
            "ix_transfer_created",
            "trading_account_id",
            "direction",
            "created",
            "status",
            "destination_class",
            "notional_cents",
        ),
        Index("ix_transfer_organisation", "organisation_id", "created", "id"),
        Index("ix_transfer_account", "organisation_id", "trading_account_id", "created", "id"),
        Index("ix_transfer_status", "organisation_id", "status", "created", "id"),
        Index("ix_transfer_direction", "organisation_id", "direction", "created", "id"),
        Index("ix_transfer_amount", "organisation_id", "amount", "created"),
        Index("ix_transfer_end", "organisation_id", text(END_OF_ID)),
        Index(
            "ix_transfer_level",
            "trading_account_id",
            "created",
            sqlite_where=text("evidence_level IS NOT NULL"),
            postgresql_where=text("evidence_level IS NOT NULL"),
        ),
        Index(
            "ix_transfer_wallet",
            "organisation_id",
            "counterparty_id",
            "created",
            sqlite_where=text("counterparty_id IS NOT NULL"),
            postgresql_where=text("counterparty_id IS NOT NULL"),
        ),
        Index(
            "ix_transfer_hash",
            "organisation_id",
            "network_tx_hash",
            sqlite_where=text("network_tx_hash IS NOT NULL"),
            postgresql_where=text("network_tx_hash IS NOT NULL"),
        ),
    )


class JobRow(Declared, table=True):
    """Work due at an instant; the worker holds the row's lock while it does it."""

    kind: str = Field(primary_key=True, sa_type=Key)
    reference: str = Field(primary_key=True, sa_type=Key)
    run_at: int = Field(
        sa_type=Instant,
        index=True,
        sa_column_kwargs=unsealed("when work is tried next; its record says when it may be done"),
    )


class IdempotencyRow(Declared, table=True):
    """The outcome of a successful write under its idempotency key; refusals are not kept."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    operation: str = Field(primary_key=True, sa_type=Key)
    key: str = Field(primary_key=True, max_length=255)
    fingerprint: str = Field(sa_type=Key)
    created_record: bool = True
    body: bytes = Field(sa_type=LargeBinary)
    at: int = Field(sa_type=Instant, index=True)


class MarketControlRow(Declared, table=True):
    """A market closed by the operator: the reason for MARKET_UNAVAILABLE, and until when."""

    market: str = Field(primary_key=True, sa_type=Key)
    reason: str = Field(sa_type=Key)
    until: int | None = Field(default=None, sa_type=Instant)


class DecisionRow(Declared, table=True):
    """What a person decides: about the record ``subject``, until ``due`` (``decisions.NEVER`` for
    no deadline), with what is done then if nobody has. ``control`` is what an account is under.

    ``words`` are those of whoever opened it, ``answer`` those of whoever decided; ``asked`` is what
    the customer was asked for last. It's taken by ``holder`` until ``held_until``. One that
    ``needs_two`` people has a ``first_by``, who approved or asked for what ``digest`` is of. At its
    first deadline it goes to ``to_role``, where there is one; ``escalated_at`` is when it did.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    kind: str = Field(sa_type=Key)
    subject: str = Field(sa_type=Key)
    trading_account_id: str | None = Field(
        default=None, foreign_key="trading_account.id", sa_type=Key
    )
    control: str | None = Field(default=None, sa_type=Key)
    reason: str = Field(sa_type=Key)
    words: str | None = Field(default=None, sa_type=Text)
    created: int = Field(sa_type=Instant)
    opened_by: str = Field(max_length=128)
    due: int = Field(sa_type=Instant)
    at_deadline: str = Field(sa_type=Key)
    status: str = Field(sa_type=Key)
    decided_at: int | None = Field(default=None, sa_type=Instant)
    decided_by: str | None = Field(default=None, max_length=128)
    outcome: str | None = Field(default=None, sa_type=Key)
    answer: str | None = Field(default=None, sa_type=Text)
    asked: str | None = Field(default=None, sa_type=Text)
    asked_at: int | None = Field(default=None, sa_type=Instant)
    holder: str | None = Field(default=None, max_length=128)
    held_until: int | None = Field(default=None, sa_type=Instant)
    rule_id: str | None = Field(default=None, sa_type=Key)
    version: int = 1
    needs_two: bool | None = None
    first_by: str | None = Field(default=None, max_length=128)
    first_at: int | None = Field(default=None, sa_type=Instant)
    digest: str | None = Field(default=None, sa_type=Key)
    to_role: str | None = Field(default=None, sa_type=Key)
    escalated_at: int | None = Field(default=None, sa_type=Instant)
    __table_args__ = (
        Index("ix_decision_created", "organisation_id", "created", "id"),
        Index("ix_decision_all", "organisation_id", "due", "created", "id"),
        Index("ix_decision_due", "organisation_id", "status", "due", "created", "id"),
        Index(
            "ix_decision_open",
            "organisation_id",
            "subject",
            unique=True,
            sqlite_where=text("status = 'open'"),
            postgresql_where=text("status = 'open'"),
        ),
        Index(
            "ix_decision_account", "organisation_id", "trading_account_id", "due", "created", "id"
        ),
    )


class ProviderRow(Declared, table=True):
    """The provider that a gateway's database is in front of. One row, or none: then the records are
    the bank's own."""

    organisation_id: str = Field(primary_key=True, foreign_key="organisation.id", sa_type=Key)
    address: str = Field(max_length=255)
    since: int = Field(sa_type=Instant)


class ProviderRequestRow(Declared, table=True):
    """A request that a gateway sent to its provider, or that waits for a decision (``link``).

    ``call`` has its ids and its body as JSON, without signatures; ``key`` is its idempotency key.
    At ``due`` the outcome of one that is ``sending`` is looked for. ``before`` and ``after`` are
    balances as the provider told them, ``answer`` is what it answered or why that isn't known, and
    ``subject`` the record that it made.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    operation: str = Field(sa_type=Key)
    key: str = Field(max_length=255)
    fingerprint: str = Field(sa_type=Key)
    call: str = Field(sa_type=Text)
    actor: str = Field(max_length=128)
    case_id: str = Field(sa_type=Key)
    trading_account_id: str | None = Field(default=None, sa_type=Key)
    status: str = Field(sa_type=Key)
    created: int = Field(sa_type=Instant)
    updated: int = Field(sa_type=Instant)
    due: int | None = Field(default=None, sa_type=Instant)
    before: str | None = Field(default=None, sa_type=Text)
    after: str | None = Field(default=None, sa_type=Text)
    answer: str | None = Field(default=None, sa_type=Text)
    subject: str | None = Field(default=None, sa_type=Key)
    version: int = 1
    __table_args__ = (
        Index("ix_provider_request_key", "organisation_id", "operation", "key", unique=True),
        Index("ix_provider_request_same", "organisation_id", "fingerprint", "created"),
        Index("ix_provider_request_status", "organisation_id", "status", "created"),
        Index("ix_provider_request_subject", "organisation_id", "subject"),
    )


class ApiKeyRow(Declared, table=True):
    """An API key. Only the SHA-256 of its secret is stored."""

    key_id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    name: str = Field(max_length=128)
    secret_hash: str = Field(sa_type=Key)
    scopes: str = Field(sa_type=Text)
    created: int = Field(sa_type=Instant)
    expires: int | None = Field(default=None, sa_type=Instant)
    revoked_at: int | None = Field(default=None, sa_type=Instant)
    last_used_at: int | None = Field(
        default=None,
        sa_type=Instant,
        sa_column_kwargs=unsealed("a note for the operator; decides nothing"),
    )
    replaced_by: str | None = Field(default=None, sa_type=Key)


class AgentRow(Declared, table=True):
    """A person's key at a desk; ``public_key`` is that of Ed25519 in hexadecimal, of which the id
    is made. ``roles`` are names in the policy, separated by spaces, once it is approved."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    name: str = Field(sa_type=Key)
    public_key: str = Field(sa_type=Key)
    roles: str = Field(sa_type=Text)
    created: int = Field(sa_type=Instant)
    approved_at: int | None = Field(default=None, sa_type=Instant)
    approved_by: str | None = Field(default=None, max_length=128)
    expires: int | None = Field(default=None, sa_type=Instant)
    revoked_at: int | None = Field(default=None, sa_type=Instant)
    revoked_by: str | None = Field(default=None, max_length=128)
    __table_args__ = (Index("ix_agent_created", "organisation_id", "created", "id"),)


class NoteRow(Declared, table=True):
    """A note of the team about the record ``subject``, for all who serve the customer. An erased
    one has no ``content``."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    subject: str = Field(sa_type=Key)
    trading_account_id: str | None = Field(
        default=None, foreign_key="trading_account.id", sa_type=Key
    )
    created: int = Field(sa_type=Instant)
    author: str = Field(max_length=128)
    content: str | None = Field(default=None, sa_type=Text)
    erased_at: int | None = Field(default=None, sa_type=Instant)
    erased_by: str | None = Field(default=None, max_length=128)
    __table_args__ = (
        Index("ix_note_created", "organisation_id", "created", "id"),
        Index("ix_note_subject", "organisation_id", "subject", "created", "id"),
        Index("ix_note_account", "organisation_id", "trading_account_id", "created", "id"),
    )


_DELIVERY = "what was delivered; decides nothing in the books"


class WebhookRow(Declared, table=True):
    """An endpoint that is sent an organisation's events.

    ``types`` are separated by spaces; none stands for all. Its secret is derived from the writer's
    key that ``made_with`` names, the id and ``generation``; the former one also signs until
    ``overlap_until``. It has every event up to ``sent_upto`` and those of ``ahead``. The server
    ``held_by`` delivers until ``held_until``.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    url: str = Field(sa_type=Text)
    types: str = Field(sa_type=Text)
    created: int = Field(sa_type=Instant)
    created_by: str = Field(max_length=128)
    made_with: str = Field(sa_type=Key)
    generation: int
    overlap_until: int | None = Field(default=None, sa_type=Instant)
    paused_at: int | None = Field(default=None, sa_type=Instant)
    paused_reason: str | None = Field(default=None, sa_type=Key)
    sent_upto: int = Field(sa_type=Instant, sa_column_kwargs=unsealed(_DELIVERY))
    ahead: str = Field(sa_type=Text, sa_column_kwargs=unsealed(_DELIVERY))
    delivered_at: int | None = Field(
        default=None, sa_type=Instant, sa_column_kwargs=unsealed(_DELIVERY)
    )
    answer: str | None = Field(default=None, sa_type=Key, sa_column_kwargs=unsealed(_DELIVERY))
    failing_since: int | None = Field(
        default=None, sa_type=Instant, sa_column_kwargs=unsealed(_DELIVERY)
    )
    attempts: int = Field(sa_column_kwargs=unsealed(_DELIVERY))
    next_at: int | None = Field(default=None, sa_type=Instant, sa_column_kwargs=unsealed(_DELIVERY))
    held_by: str | None = Field(default=None, sa_type=Key, sa_column_kwargs=unsealed(_DELIVERY))
    held_until: int | None = Field(
        default=None, sa_type=Instant, sa_column_kwargs=unsealed(_DELIVERY)
    )
    __table_args__ = (Index("ix_webhook_created", "organisation_id", "created", "id"),)


class RuleRow(Declared, table=True):
    """A version of the settings that decide, named after its contents, in canonical JSON.

    Earlier records are judged by the version that was in force.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    body: str = Field(sa_type=Text)
    since: int = Field(sa_type=Instant)


class EntryRow(Declared, table=True):
    """An entry of an organisation's log (``log.entry``): one act, numbered from 1 without gaps.

    ``leaf`` is the leaf hash, ``mark`` shows that somebody with the writer's key wrote it here
    (``marks``), ``body`` is the stored form, NULL where an archive has it. The other columns repeat
    what the body says, to be found by.
    """

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    number: int = Field(
        primary_key=True, sa_type=Instant, sa_column_kwargs={"autoincrement": False}
    )
    at: int = Field(sa_type=Instant)
    action: str = Field(sa_type=Key)
    object: str = Field(max_length=96)
    trading_account_id: str | None = Field(default=None, sa_type=Key)
    leaf: bytes = Field(sa_type=LargeBinary)
    mark: bytes = Field(sa_type=LargeBinary)
    body: bytes | None = Field(default=None, sa_type=LargeBinary)
    case_id: str | None = Field(default=None, sa_type=Key)
    __table_args__ = (
        Index(
            "ix_entry_case",
            "organisation_id",
            "case_id",
            "number",
            sqlite_where=text("case_id IS NOT NULL"),
            postgresql_where=text("case_id IS NOT NULL"),
        ),
        Index(
            "ix_entry_account",
            "organisation_id",
            "trading_account_id",
            "number",
            sqlite_where=text("trading_account_id IS NOT NULL"),
            postgresql_where=text("trading_account_id IS NOT NULL"),
        ),
        Index("ix_entry_object", "object", "organisation_id", "number"),
        unsealed("the log itself: each entry is hashed and marked"),
    )


class LogRow(Declared, table=True):
    """The end of an organisation's log; locked last in every write.

    ``size`` is how many entries it has, ``last_at`` the instant and ``mark`` the mark of the last
    one, ``marked_with`` names the key. Up to ``archived``, bodies may be in an archive; ``moved``
    counts those that are.
    """

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    size: int = Field(sa_type=Instant)
    last_at: int = Field(sa_type=Instant)
    mark: bytes = Field(sa_type=LargeBinary)
    marked_with: str = Field(sa_type=Key)
    archived: int = Field(default=0, sa_type=Instant)
    moved: int = Field(default=0, sa_type=Instant)
    __table_args__ = unsealed(_FROM_ENTRIES)


class CheckpointRow(Declared, table=True):
    """A signed head of an organisation's log; ``note`` is the whole signed note."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    size: int = Field(primary_key=True, sa_type=Instant)
    root: str = Field(sa_type=Key)
    note: str = Field(sa_type=Text)
    made_at: int = Field(sa_type=Instant)
    __table_args__ = unsealed("signed with a key that is not in the database; witnesses keep it")


class DisputeRow(Declared, table=True):
    """A breach that verification found in an organisation's books, or in those of the deployment
    (``*``). While it isn't cleared, no payout leaves. ``place`` names a row, as breaches do."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(sa_type=Key)
    invariant: int
    place: str = Field(max_length=255)
    what: str = Field(sa_type=Text)
    found_at: int = Field(sa_type=Instant)
    cleared_at: int | None = Field(default=None, sa_type=Instant)
    cleared_by: str | None = Field(default=None, max_length=128)
    reason: str | None = Field(default=None, max_length=200)
    __table_args__ = (
        Index(
            "ix_dispute_open",
            "organisation_id",
            sqlite_where=text("cleared_at IS NULL"),
            postgresql_where=text("cleared_at IS NULL"),
        ),
    )


class VerificationRow(Declared, table=True):
    """When the books were verified: what was new, and as a whole; 0 for not yet. One row."""

    name: str = Field(primary_key=True, sa_type=Key)
    verified_at: int = Field(sa_type=Instant)
    full_at: int = Field(sa_type=Instant)
    __table_args__ = unsealed("says when to verify next; each server verifies by its own clock too")


class ServerLeaseRow(Declared, table=True):
    """A server process that runs on this database; old rows are those of processes that ended."""

    id: str = Field(primary_key=True, sa_type=Key)
    renewed_at: int = Field(sa_type=Instant)
    __table_args__ = unsealed("how rate limits are shared between servers; decides nothing else")


class TallyRow(Declared, table=True):
    """How many rows of the table ``listed`` an organisation has up to a place (``tallies``)."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    listed: str = Field(primary_key=True, sa_type=Key)
    upto: int = Field(sa_type=Instant)
    total: int = Field(sa_type=Instant)
    __table_args__ = unsealed("counts what other tables hold; counted again")


class ArchiveRow(Declared, table=True):
    """A file that has the bodies of a log's entries, from the first number to the last one."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    first: int = Field(primary_key=True, sa_type=Instant, sa_column_kwargs={"autoincrement": False})
    upto: int = Field(sa_type=Instant)
    name: str = Field(max_length=255)
    __table_args__ = unsealed("where bodies are; each is hashed when it's read")


_SEARCH = "follows from names, ids and addresses; db check compares it, and an upgrade writes it"


class SearchWordRow(Declared, table=True):
    """Each word of an organisation's names once, folded (``search``)."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    word: str = Field(primary_key=True, sa_type=Word)
    __table_args__ = unsealed(_SEARCH)


class SearchNameRow(Declared, table=True):
    """The customers whose name has a word, folded."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    word: str = Field(primary_key=True, sa_type=Word)
    customer_id: str = Field(primary_key=True, sa_type=Key)
    __table_args__ = (
        Index("ix_search_name_customer", "organisation_id", "customer_id", "word"),
        unsealed(_SEARCH),
    )


class SearchKeyRow(Declared, table=True):
    """A text that names one record: without separators, from its beginning (``form`` f) and from
    its end (r)."""

    organisation_id: str = Field(primary_key=True, sa_type=Key)
    form: str = Field(primary_key=True, max_length=1)
    key: str = Field(primary_key=True, sa_type=SearchKey)
    kind: str = Field(primary_key=True, sa_type=Key)
    id: str = Field(primary_key=True, sa_type=Key)
    __table_args__ = unsealed(_SEARCH)
