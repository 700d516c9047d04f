"""Fields of blockchain accounts, wallets, ownership claims and diagnosed signatures."""

from typing import TYPE_CHECKING

from chainteller.records.fields import (
    ADDRESS,
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    STATUS,
    TEXT,
    YES_OR_NO,
    Field,
    FieldList,
    Interface,
    Moment,
)
from chainteller.records.formats import Piece, money

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from chainteller.service.models.counterparties import (
        BlockchainAccount,
        Challenge,
        Counterparty,
        OwnershipClaim,
        OwnershipStatement,
        SharedWallet,
        SignatureDiagnosis,
        SmallTransfer,
    )


VERIFICATIONS: "Mapping[str, Piece]" = {
    "current": ("[ok] Verified 1P", "good"),
    "expiring": ("[ok] expiring", "warn"),
    "expired": ("[x] expired", "bad"),
    "revoked": ("[x] revoked", "bad"),
}
"""What is shown of a linked wallet, by its ``verification_state``."""


class Day(Moment):
    """An instant that customers are told by its day."""

    def spoken(self, value: "datetime") -> str:
        return f"{value:%d %B %Y}"


BLOCKCHAIN_ACCOUNT: "FieldList[BlockchainAccount]" = FieldList(
    "blockchain account",
    "counterparties.BlockchainAccount",
    (
        Field("id", "blockchain account", IDENTIFIER, heading="ACCOUNT"),
        Field("trading_account_id", "trading account", IDENTIFIER),
        Field("network", "network", TEXT),
        Field("address", "address", ADDRESS),
        Field("status", "status", STATUS),
        Field("created", "created", MOMENT),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "trading_account_id", "network", "status", "address"),
)  # fmt: skip

WALLET: "FieldList[Counterparty]" = FieldList(
    "wallet",
    "counterparties.Counterparty",
    (
        Field("id", "wallet", IDENTIFIER),
        Field("type", "type", TEXT),
        Field("network", "network", TEXT, spoken="network"),
        Field("address", "address", ADDRESS),
        Field("end", "last characters", TEXT, NOWHERE, value=lambda each: each.address[-4:],
              of=("address",), spoken="end"),
        Field("created", "registered", MOMENT),
        Field("verification.status", "verified", TEXT),
        Field("verification.expires_at", "until", Day(), spoken="until"),
        Field("verification.method", "method", TEXT),
        Field("verification.level", "evidence", TEXT),
        Field("shared", "shared", YES_OR_NO),
        Field("on_chain.code", "on chain", TEXT),
        Field("on_chain.block", "as of block", TEXT,
              value=lambda each: str(each.on_chain.block) if each.on_chain else None),
    ),
    interfaces=Interface.COMMAND,
    table=(
        "id", "type", "network", "verification.status", "verification.expires_at", "address",
    ),
)  # fmt: skip

SHARED_WALLET: "FieldList[SharedWallet]" = FieldList(
    "shared wallet",
    "counterparties.SharedWallet",
    (
        Field("counterparty_id", "wallet", IDENTIFIER),
        Field("network", "network", TEXT),
        Field("address", "address", ADDRESS),
        Field("customer_name", "customer", TEXT),
        Field("customer_reference", "reference", TEXT),
        Field("trading_account_id", "trading account", IDENTIFIER),
        Field("blockchain_account_id", "account", IDENTIFIER),
        Field("status", "verified", TEXT),
        Field("verified_at", "since", MOMENT),
    ),
    interfaces=Interface.COMMAND,
    table=(
        "counterparty_id", "network", "customer_name", "customer_reference", "status",
        "verified_at", "address",
    ),
)  # fmt: skip

CHALLENGE: "FieldList[Challenge]" = FieldList(
    "challenge",
    "counterparties.Challenge",
    (
        Field("id", "challenge", IDENTIFIER),
        Field("challenge", "message to sign", TEXT),
        Field("page_text", "message of the page", TEXT),
        Field("page_signature", "sent from the page", TEXT),
        Field("status", "status", TEXT),
        Field("network", "network", TEXT),
        Field("address", "address", ADDRESS),
        Field("created", "created", MOMENT),
        Field("expires", "expires", MOMENT, spoken="expires"),
        Field("blockchain_account_id", "account", IDENTIFIER),
        Field("counterparty_id", "wallet", IDENTIFIER),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "counterparty_id", "network", "status", "expires", "address"),
    wire_only=("attempts",),
)  # fmt: skip

CLAIM: "FieldList[OwnershipClaim]" = FieldList(
    "ownership claim",
    "counterparties.OwnershipClaim",
    (
        Field("id", "claim", IDENTIFIER),
        Field("status", "status", STATUS),
        Field("scheme", "scheme", TEXT),
        Field("address", "address", ADDRESS),
        Field("network", "network", TEXT),
        Field("blockchain_account_id", "account", IDENTIFIER),
        Field("counterparty_id", "counterparty", IDENTIFIER),
        Field("expires", "link before", MOMENT),
        Field("method", "method", TEXT),
        Field("level", "evidence", TEXT),
        Field("signer", "signer", ADDRESS),
        Field("text", "signed text", TEXT),
        Field("signature", "signature", TEXT),
        Field("shared", "shared", YES_OR_NO),
    ),
    interfaces=Interface.COMMAND,
    wire_only=("type", "challenge_id", "created", "linked_at"),
)  # fmt: skip

SMALL_TRANSFER: "FieldList[SmallTransfer]" = FieldList(
    "small transfer",
    "counterparties.SmallTransfer",
    (
        Field("id", "small transfer", IDENTIFIER),
        Field("status", "status", STATUS),
        Field("amount", "amount", TEXT),
        Field("symbol", "asset", TEXT),
        Field("asked", "exactly", TEXT, NOWHERE, value=lambda each: money(each.amount, each.symbol),
              of=("amount", "symbol"), spoken="amount"),
        Field("network", "network", TEXT, spoken="network"),
        Field("sender", "from", ADDRESS),
        Field("recipient", "to", ADDRESS, spoken="recipient"),
        Field("expires", "expires", MOMENT, spoken="expires"),
        Field("arrivals", "arrived", TEXT,
              value=lambda each: " ".join(
                  f"{found.amount} {found.symbol} from {found.sender} ({found.finding})."
                  f" {found.explanation}" for found in each.arrivals)),
        Field("claim_id", "claim", IDENTIFIER),
        Field("level", "evidence", TEXT),
        Field("created", "created", MOMENT),
        Field("blockchain_account_id", "account", IDENTIFIER),
        Field("counterparty_id", "wallet", IDENTIFIER),
        Field("instruction", "tell the customer", TEXT),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "counterparty_id", "status", "amount", "symbol", "expires", "claim_id"),
    wire_only=("type",),
)  # fmt: skip

OWNERSHIP_STATEMENT: "FieldList[OwnershipStatement]" = FieldList(
    "ownership statement",
    "counterparties.OwnershipStatement",
    (
        Field("id", "statement", IDENTIFIER),
        Field("status", "status", STATUS),
        Field("reason", "reason", TEXT),
        Field("level", "evidence", TEXT),
        Field("network", "network", TEXT),
        Field("address", "address", ADDRESS),
        Field("blockchain_account_id", "account", IDENTIFIER),
        Field("counterparty_id", "wallet", IDENTIFIER),
        Field("statement", "statement", TEXT),
        Field("created", "created", MOMENT),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "counterparty_id", "status", "reason", "created"),
    wire_only=("type",),
)  # fmt: skip

DIAGNOSIS: "FieldList[SignatureDiagnosis]" = FieldList(
    "diagnosed signature",
    "counterparties.SignatureDiagnosis",
    (
        Field("accepted", "accepted", YES_OR_NO),
        Field("cause", "cause", TEXT),
        Field("certain", "certain", YES_OR_NO),
        Field("finding", "finding", TEXT),
        Field("explanation", "explanation", TEXT),
        Field("ask_customer", "ask the customer", TEXT),
        Field("differences", "differences", TEXT,
              value=lambda each: " ".join(each.differences or ())),
        Field("network", "network", TEXT),
        Field("expected_address", "expected address", ADDRESS),
        Field("recovered_address", "recovered address", ADDRESS),
        Field("scheme", "scheme", TEXT),
        Field("suggestion", "next", TEXT),
    ),
    interfaces=Interface.COMMAND,
    wire_only=(
        "challenge_id", "counterparty_id", "other_challenge_id", "other_counterparty_id",
        "expired_at", "can_search_longer", "asks_for_text",
    ),
)  # fmt: skip
