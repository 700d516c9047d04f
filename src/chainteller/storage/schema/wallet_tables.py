"""Rows of part B: blockchain accounts, counterparties, challenges, small transfers, statements,
attempts, claims and links; and every declared table by its name."""

from sqlalchemy import Column, Index, String, Table, Text, text
from sqlmodel import Field, SQLModel

from chainteller.storage.db.table import SALT
from chainteller.storage.schema import tables  # noqa: F401 - declares the other tables
from chainteller.storage.schema.columns import Atoms, Declared, Instant, Key, reason_unsealed

_ADDRESS = 128
_HAS_PAGE = text("page_token IS NOT NULL")
_OPEN = text("status = 'open'")


class BlockchainAccountRow(Declared, table=True):
    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    trading_account_id: str = Field(foreign_key="trading_account.id", sa_type=Key)
    customer_id: str = Field(foreign_key="customer.id", index=True, sa_type=Key)
    network: str = Field(sa_type=Key)
    address: str = Field(max_length=_ADDRESS)
    status: str = Field(sa_type=Key)
    created: int = Field(sa_type=Instant)
    __table_args__ = (
        Index("ix_blockchain_account_created", "organisation_id", "created", "id"),
        Index(
            "ix_blockchain_account_account",
            "organisation_id",
            "trading_account_id",
            "created",
            "id",
        ),
    )


class CounterpartyRow(Declared, table=True):
    """A wallet, once per organisation, network and canonical address.

    ``code`` is what the chain had at the address at the block ``code_block``; NULL where no chain
    has said it.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    network: str = Field(sa_type=Key)
    canonical: str = Field(max_length=_ADDRESS)
    address: str = Field(max_length=_ADDRESS)
    kind: str = Field(sa_type=Key)
    created: int = Field(sa_type=Instant)
    code: str | None = Field(default=None, sa_type=Key)
    code_block: int | None = Field(default=None, sa_type=Instant)
    __table_args__ = (
        Index("ix_counterparty_address", "organisation_id", "network", "canonical", unique=True),
        Index("ix_counterparty_created", "organisation_id", "created", "id"),
    )


class ChallengeRow(Declared, table=True):
    """``text`` is the exact text to be signed; ``status`` is open, used or locked.

    ``page_token`` is the SHA-256 of the signing page's token, which challenges of one customer may
    share, ``page_text`` the other text that the page may have signed, ``page_signature`` what was
    last sent from it, and ``page_sent`` how often something was. NULL where the challenge has no
    page, or nothing came from it.
    """

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    blockchain_account_id: str = Field(foreign_key="blockchain_account.id", sa_type=Key)
    counterparty_id: str = Field(foreign_key="counterparty.id", index=True, sa_type=Key)
    customer_id: str = Field(foreign_key="customer.id", sa_type=Key)
    text: str = Field(sa_type=Text)
    status: str = Field(sa_type=Key)
    attempts: int = 0
    created: int = Field(sa_type=Instant)
    expires: int = Field(sa_type=Instant)
    used_at: int | None = Field(default=None, sa_type=Instant)
    claim_id: str | None = Field(default=None, sa_type=Key)
    page_token: str | None = Field(default=None, sa_type=Key)
    page_text: str | None = Field(default=None, sa_type=Text)
    page_signature: str | None = Field(default=None, sa_type=Text)
    page_sent: int | None = None
    __table_args__ = (
        Index(
            "ix_challenge_page",
            "page_token",
            sqlite_where=_HAS_PAGE,
            postgresql_where=_HAS_PAGE,
        ),
        Index("ix_challenge_customer", "customer_id", "created"),
        Index("ix_challenge_account", "blockchain_account_id", "counterparty_id", "created"),
        Index("ix_challenge_created", "blockchain_account_id", "created", "id"),
        Index(
            "ix_challenge_open",
            "organisation_id",
            "expires",
            sqlite_where=_OPEN,
            postgresql_where=_OPEN,
        ),
    )


class ProviderChallengeRow(Declared, table=True):
    """A challenge that a gateway's provider issued. Of its blockchain account nothing but the id is
    known here. ``status`` is open or used; what came from its page is as in a challenge."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    blockchain_account_id: str = Field(sa_type=Key)
    counterparty_id: str = Field(foreign_key="counterparty.id", sa_type=Key)
    text: str = Field(sa_type=Text)
    status: str = Field(sa_type=Key)
    created: int = Field(sa_type=Instant)
    expires: int = Field(sa_type=Instant)
    used_at: int | None = Field(default=None, sa_type=Instant)
    claim_id: str | None = Field(default=None, sa_type=Key)
    page_token: str | None = Field(default=None, sa_type=Key)
    page_signature: str | None = Field(default=None, sa_type=Text)
    page_sent: int | None = None
    __table_args__ = (
        Index(
            "ix_provider_challenge_account",
            "organisation_id",
            "blockchain_account_id",
            "created",
            "id",
        ),
        Index(
            "ix_provider_challenge_page",
            "page_token",
            unique=True,
            sqlite_where=_HAS_PAGE,
            postgresql_where=_HAS_PAGE,
        ),
    )


class AttemptRow(Declared, table=True):
    """A refused signature: the finding, never the signature itself."""

    challenge_id: str = Field(primary_key=True, foreign_key="challenge.id", sa_type=Key)
    number: int = Field(primary_key=True)
    at: int = Field(sa_type=Instant)
    finding: str = Field(sa_type=Key)
    recovered_address: str | None = Field(default=None, max_length=_ADDRESS)


class ClaimRow(Declared, table=True):
    """An accepted proof with everything that is needed to check it again; ``level`` is that of the
    method's evidence. ``of_page`` says that the signature is of the challenge's ``page_text``."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    blockchain_account_id: str = Field(foreign_key="blockchain_account.id", sa_type=Key)
    counterparty_id: str = Field(foreign_key="counterparty.id", index=True, sa_type=Key)
    challenge_id: str = Field(unique=True, foreign_key="challenge.id", sa_type=Key)
    scheme: str = Field(sa_type=Key)
    signature: str = Field(sa_type=Text)
    signer: str = Field(max_length=_ADDRESS)
    status: str = Field(sa_type=Key)
    created: int = Field(sa_type=Instant)
    expires: int = Field(sa_type=Instant)
    linked_at: int | None = Field(default=None, sa_type=Instant)
    method: str = Field(sa_type=Key)
    level: str = Field(sa_type=Key)
    of_page: bool | None = None


class ClaimEvidenceRow(Declared, table=True):
    """What a claim other than by a key's signature rests on, as canonical JSON: what a chain
    answered about a contract's signature, or the transfer that arrived."""

    claim_id: str = Field(primary_key=True, foreign_key="claim.id", sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    body: str = Field(sa_type=Text)


class SmallTransferRow(Declared, table=True):
    """What a challenge asks for that is met by a transfer instead of a signature.

    Its wallet is to send exactly ``amount`` to the challenge's blockchain account, not after
    ``deadline``. The challenge stays open a while longer, for a transfer that is seen late.
    """

    challenge_id: str = Field(primary_key=True, foreign_key="challenge.id", sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    asset: str = Field(sa_type=Key)
    amount: int = Field(sa_type=Atoms)
    deadline: int = Field(sa_type=Instant)


class SmallTransferArrivalRow(Declared, table=True):
    """A transfer that arrived for a small transfer, as the chain tells it; ``finding`` says whether
    it is the one that was asked for."""

    challenge_id: str = Field(
        primary_key=True, foreign_key="small_transfer.challenge_id", sa_type=Key
    )
    hash: str = Field(primary_key=True, max_length=_ADDRESS)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    sender: str = Field(max_length=_ADDRESS)
    asset: str = Field(sa_type=Key)
    amount: int = Field(sa_type=Atoms)
    arrived: int = Field(sa_type=Instant)
    seen: int = Field(sa_type=Instant)
    finding: str = Field(sa_type=Key)


class OwnershipStatementRow(Declared, table=True):
    """A customer's statement that a wallet is theirs, which verifies nothing."""

    id: str = Field(primary_key=True, sa_type=Key)
    organisation_id: str = Field(foreign_key="organisation.id", sa_type=Key)
    blockchain_account_id: str = Field(foreign_key="blockchain_account.id", sa_type=Key)
    counterparty_id: str = Field(foreign_key="counterparty.id", sa_type=Key)
    customer_id: str = Field(foreign_key="customer.id", sa_type=Key)
    reason: str = Field(sa_type=Key)
    statement: str = Field(sa_type=Text)
    level: str = Field(sa_type=Key)
    status: str = Field(sa_type=Key)
    created: int = Field(sa_type=Instant)
    __table_args__ = (
        Index("ix_ownership_statement_created", "blockchain_account_id", "created", "id"),
    )


class LinkRow(Declared, table=True):
    """A counterparty of a blockchain account; verified while ``expires`` has not passed."""

    blockchain_account_id: str = Field(
        primary_key=True, foreign_key="blockchain_account.id", sa_type=Key
    )
    counterparty_id: str = Field(primary_key=True, foreign_key="counterparty.id", sa_type=Key)
    claim_id: str = Field(foreign_key="claim.id", sa_type=Key)
    first_linked_at: int = Field(sa_type=Instant)
    verified_at: int = Field(sa_type=Instant)
    expires: int = Field(sa_type=Instant)
    last_used_at: int = Field(sa_type=Instant)
    policy_version: int = 1
    revoked_at: int | None = Field(default=None, sa_type=Instant)
    revoked_reason: str | None = Field(default=None, sa_type=Key)
    __table_args__ = (
        Index("ix_link_account", "blockchain_account_id", "first_linked_at", "counterparty_id"),
        Index("ix_link_counterparty", "counterparty_id"),
    )


def table(name: str) -> Table:
    """The Core table that a row class declares, with its salt if it's sealed."""
    declared = SQLModel.metadata.tables[name]
    if reason_unsealed(declared) is None and SALT not in declared.columns:
        declared.append_column(Column(SALT, String(16), nullable=True))
    return declared


class _Tables:
    def __getattr__(self, name: str) -> Table:
        return table(name)


Tables = _Tables()
"""Every Core table by its name."""


def declared() -> list[Table]:
    """Every table, after those that it refers to."""
    return [table(each.name) for each in SQLModel.metadata.sorted_tables]
