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
from chainteller.records.formats import money

if TYPE_CHECKING:
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


class Day(Moment):
    """An instant that customers are told by its day."""

    def spoken(self, value: "datetime") -> str:
        return f"{value:%d %B %Y}"


BLOCKCHAIN_ACCOUNT: "FieldList[BlockchainAccount]" = FieldList(
    "blockchain account",
    "counterparties.BlockchainAccount",
    (
        Field("id", "blockchain account", IDENTIFIER, lambda each: each.id, heading="ACCOUNT"),
        Field("trading_account_id", "trading account", IDENTIFIER,
              lambda each: each.trading_account_id),
        Field("network", "network", TEXT, lambda each: each.network),
        Field("address", "address", ADDRESS, lambda each: each.address),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("created", "created", MOMENT, lambda each: each.created),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "trading_account_id", "network", "status", "address"),
)  # fmt: skip

WALLET: "FieldList[Counterparty]" = FieldList(
    "wallet",
    "counterparties.Counterparty",
    (
        Field("id", "wallet", IDENTIFIER, lambda each: each.id),
        Field("type", "type", TEXT, lambda each: each.type),
        Field("network", "network", TEXT, lambda each: each.network, spoken="network"),
        Field("address", "address", ADDRESS, lambda each: each.address),
        Field("end", "last characters", TEXT, lambda each: each.address[-4:], NOWHERE,
              of=("address",), spoken="end"),
        Field("created", "registered", MOMENT, lambda each: each.created),
        Field("verification.status", "verified", TEXT,
              lambda each: each.verification.status if each.verification else None),
        Field("verification.expires_at", "until", Day(),
              lambda each: each.verification.expires_at if each.verification else None,
              spoken="until"),
        Field("verification.method", "method", TEXT,
              lambda each: each.verification.method if each.verification else None),
        Field("verification.level", "evidence", TEXT,
              lambda each: each.verification.level if each.verification else None),
        Field("shared", "shared", YES_OR_NO, lambda each: each.shared),
        Field("on_chain.code", "on chain", TEXT,
              lambda each: each.on_chain.code if each.on_chain else None),
        Field("on_chain.block", "as of block", TEXT,
              lambda each: str(each.on_chain.block) if each.on_chain else None),
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
        Field("counterparty_id", "wallet", IDENTIFIER, lambda each: each.counterparty_id),
        Field("network", "network", TEXT, lambda each: each.network),
        Field("address", "address", ADDRESS, lambda each: each.address),
        Field("customer_name", "customer", TEXT, lambda each: each.customer_name),
        Field("customer_reference", "reference", TEXT, lambda each: each.customer_reference),
        Field("trading_account_id", "trading account", IDENTIFIER,
              lambda each: each.trading_account_id),
        Field("blockchain_account_id", "account", IDENTIFIER,
              lambda each: each.blockchain_account_id),
        Field("status", "verified", TEXT, lambda each: each.status),
        Field("verified_at", "since", MOMENT, lambda each: each.verified_at),
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
        Field("id", "challenge", IDENTIFIER, lambda each: each.id),
        Field("challenge", "message to sign", TEXT, lambda each: each.challenge),
        Field("page_text", "message of the page", TEXT, lambda each: each.page_text),
        Field("page_signature", "sent from the page", TEXT, lambda each: each.page_signature),
        Field("status", "status", TEXT, lambda each: each.status),
        Field("network", "network", TEXT, lambda each: each.network),
        Field("address", "address", ADDRESS, lambda each: each.address),
        Field("created", "created", MOMENT, lambda each: each.created),
        Field("expires", "expires", MOMENT, lambda each: each.expires, spoken="expires"),
        Field("blockchain_account_id", "account", IDENTIFIER,
              lambda each: each.blockchain_account_id),
        Field("counterparty_id", "wallet", IDENTIFIER, lambda each: each.counterparty_id),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "counterparty_id", "network", "status", "expires", "address"),
    wire_only=("attempts",),
)  # fmt: skip

CLAIM: "FieldList[OwnershipClaim]" = FieldList(
    "ownership claim",
    "counterparties.OwnershipClaim",
    (
        Field("id", "claim", IDENTIFIER, lambda each: each.id),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("scheme", "scheme", TEXT, lambda each: each.scheme),
        Field("address", "address", ADDRESS, lambda each: each.address),
        Field("network", "network", TEXT, lambda each: each.network),
        Field("blockchain_account_id", "account", IDENTIFIER,
              lambda each: each.blockchain_account_id),
        Field("counterparty_id", "counterparty", IDENTIFIER, lambda each: each.counterparty_id),
        Field("expires", "link before", MOMENT, lambda each: each.expires),
        Field("method", "method", TEXT, lambda each: each.method),
        Field("level", "evidence", TEXT, lambda each: each.level),
        Field("signer", "signer", ADDRESS, lambda each: each.signer),
        Field("text", "signed text", TEXT, lambda each: each.text),
        Field("signature", "signature", TEXT, lambda each: each.signature),
        Field("shared", "shared", YES_OR_NO, lambda each: each.shared),
    ),
    interfaces=Interface.COMMAND,
    wire_only=("type", "challenge_id", "created", "linked_at"),
)  # fmt: skip

SMALL_TRANSFER: "FieldList[SmallTransfer]" = FieldList(
    "small transfer",
    "counterparties.SmallTransfer",
    (
        Field("id", "small transfer", IDENTIFIER, lambda each: each.id),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("amount", "amount", TEXT, lambda each: each.amount),
        Field("symbol", "asset", TEXT, lambda each: each.symbol),
        Field("asked", "exactly", TEXT, lambda each: money(each.amount, each.symbol), NOWHERE,
              of=("amount", "symbol"), spoken="amount"),
        Field("network", "network", TEXT, lambda each: each.network, spoken="network"),
        Field("sender", "from", ADDRESS, lambda each: each.sender),
        Field("recipient", "to", ADDRESS, lambda each: each.recipient, spoken="recipient"),
        Field("expires", "expires", MOMENT, lambda each: each.expires, spoken="expires"),
        Field("arrivals", "arrived", TEXT, lambda each: " ".join(
            f"{found.amount} {found.symbol} from {found.sender} ({found.finding})."
            f" {found.explanation}"
            for found in each.arrivals
        )),
        Field("claim_id", "claim", IDENTIFIER, lambda each: each.claim_id),
        Field("level", "evidence", TEXT, lambda each: each.level),
        Field("created", "created", MOMENT, lambda each: each.created),
        Field("blockchain_account_id", "account", IDENTIFIER,
              lambda each: each.blockchain_account_id),
        Field("counterparty_id", "wallet", IDENTIFIER, lambda each: each.counterparty_id),
        Field("instruction", "tell the customer", TEXT, lambda each: each.instruction),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "counterparty_id", "status", "amount", "symbol", "expires", "claim_id"),
    wire_only=("type",),
)  # fmt: skip

OWNERSHIP_STATEMENT: "FieldList[OwnershipStatement]" = FieldList(
    "ownership statement",
    "counterparties.OwnershipStatement",
    (
        Field("id", "statement", IDENTIFIER, lambda each: each.id),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("reason", "reason", TEXT, lambda each: each.reason),
        Field("level", "evidence", TEXT, lambda each: each.level),
        Field("network", "network", TEXT, lambda each: each.network),
        Field("address", "address", ADDRESS, lambda each: each.address),
        Field("blockchain_account_id", "account", IDENTIFIER,
              lambda each: each.blockchain_account_id),
        Field("counterparty_id", "wallet", IDENTIFIER, lambda each: each.counterparty_id),
        Field("statement", "statement", TEXT, lambda each: each.statement),
        Field("created", "created", MOMENT, lambda each: each.created),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "counterparty_id", "status", "reason", "created"),
    wire_only=("type",),
)  # fmt: skip

DIAGNOSIS: "FieldList[SignatureDiagnosis]" = FieldList(
    "diagnosed signature",
    "counterparties.SignatureDiagnosis",
    (
        Field("accepted", "accepted", YES_OR_NO, lambda each: each.accepted),
        Field("cause", "cause", TEXT, lambda each: each.cause),
        Field("certain", "certain", YES_OR_NO, lambda each: each.certain),
        Field("finding", "finding", TEXT, lambda each: each.finding),
        Field("explanation", "explanation", TEXT, lambda each: each.explanation),
        Field("ask_customer", "ask the customer", TEXT, lambda each: each.ask_customer),
        Field("differences", "differences", TEXT, lambda each: " ".join(each.differences or ())),
        Field("network", "network", TEXT, lambda each: each.network),
        Field("expected_address", "expected address", ADDRESS, lambda each: each.expected_address),
        Field("recovered_address", "recovered address", ADDRESS,
              lambda each: each.recovered_address),
        Field("scheme", "scheme", TEXT, lambda each: each.scheme),
        Field("suggestion", "next", TEXT, lambda each: each.suggestion),
    ),
    interfaces=Interface.COMMAND,
    wire_only=(
        "challenge_id", "counterparty_id", "other_challenge_id", "other_counterparty_id",
        "expired_at", "can_search_longer", "asks_for_text",
    ),
)  # fmt: skip
