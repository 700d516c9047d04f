"""Fields of deposits and withdrawals."""

from typing import TYPE_CHECKING

from chainteller.domain.decisions import UNCONFIRMED_HELD, is_by_person
from chainteller.domain.transfers import DEPOSIT_TYPE, FINAL, HOLDING, TIMED, TransferStatus
from chainteller.records.blocks import Next, Step
from chainteller.records.fields import (
    ADDRESS,
    DOCUMENTS,
    DOLLARS,
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    TEXT,
    YES_OR_NO,
    Field,
    FieldList,
    Format,
    chain,
)
from chainteller.records.formats import Piece, approximate, status, transferred, when
from chainteller.records.trades import FAILURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chainteller.service.models.funding import Review, Transfer
    from chainteller.service.models.records import AuditRow


class Transferred(Format["Transfer"]):
    """The amount; the bank's own deposit token is dollars to people."""

    is_amount = True

    def plain(self, value: "Transfer") -> str:
        return transferred(value, str)

    def line(self, value: "Transfer", now: int) -> Piece:  # noqa: ARG002
        return transferred(value), ""

    def cell(self, value: "Transfer", now: int) -> Piece:  # noqa: ARG002
        return transferred(value, approximate), ""

    def spoken(self, value: "Transfer") -> str:
        return transferred(value)

    def csv(self, value: "Transfer") -> str:
        return value.amount

    def secrets(self, value: "Transfer") -> tuple[str]:
        return (value.amount,)


class TransferState(Format["Transfer"]):
    """The status; one that can't be asked for again is told with the time of its answer."""

    def plain(self, value: "Transfer") -> str:
        if value.as_of is None:
            return value.status
        return f"was {value.status} at {MOMENT.plain(value.as_of)}"

    def line(self, value: "Transfer", now: int) -> Piece:
        if value.as_of is None:
            return status(value.status)
        return f"was {value.status} at {when(value.as_of, now)}", "muted"

    def cell(self, value: "Transfer", now: int) -> Piece:
        return self.line(value, now) if value.as_of is None else (f"was {value.status}", "muted")


class Direction(Format["Transfer"]):
    """``deposit`` or ``withdrawal``."""

    def plain(self, value: "Transfer") -> str:
        return direction(value)

    def cell(self, value: "Transfer", now: int) -> Piece:  # noqa: ARG002
        return ("DEPOSIT", "") if direction(value) == "deposit" else ("WITHDRAW", "")


class Fee(Format["Transfer"]):
    """What the transfer costs, in its own currency."""

    is_amount = True

    def plain(self, value: "Transfer") -> str:
        return value.fee or ""

    def line(self, value: "Transfer", now: int) -> Piece:  # noqa: ARG002
        if value.fee is None or not value.fee.strip("0."):
            return "", ""
        return transferred(value.model_copy(update={"amount": value.fee})), ""

    def secrets(self, value: "Transfer") -> tuple[str, ...]:
        return (value.fee,) if value.fee else ()


class ReviewUntil(Format["Review"]):
    def plain(self, value: "Review") -> str:
        until = "" if value.eta is None else f" until {MOMENT.plain(value.eta)}"
        return f"{value.reason}{until}"

    def spoken(self, value: "Review") -> str:
        """Until when it is held; empty where no time is known."""
        return "" if value.eta is None else MOMENT.spoken(value.eta)


DIRECTION = Direction()


def _fields(kind: str) -> "FieldList[Transfer]":
    return FieldList(
        kind,
        "funding.Transfer",
        (
            Field("id", kind, IDENTIFIER, DOCUMENTS),
            Field("type", "type", DIRECTION, NOWHERE, value=lambda each: each),
            Field("status", "status", TransferState(), value=lambda each: each, of=("status",)),
            Field("amount", "amount", Transferred(), DOCUMENTS, value=lambda each: each,
                  of=("amount", "currency.type", "currency.symbol", "currency.id"), is_private=True,
                  spoken="amount"),
            Field("currency.network", "network", TEXT,
                  value=lambda each: chain(each.currency.network)),
            Field("currency.symbol", "currency", TEXT, NOWHERE,
                  value=lambda each: each.currency.symbol or each.currency.id,
                  of=("currency.symbol", "currency.id")),
            Field("trading_account_id", "account", IDENTIFIER),
            Field("bank_account_id", "bank account", TEXT),
            Field("destination", "to", ADDRESS, DOCUMENTS, value=target,
                  of=("destination.address", "destination.bank_account_id")),
            Field("destination.verified", "verified", YES_OR_NO),
            Field("hold", "on hold", TEXT, value=held, of=("amount", "status")),
            Field("fee", "fee", Fee(), value=lambda each: each,
                  of=("fee", "currency.type", "currency.symbol", "currency.id"), is_private=True),
            Field("notional_usd", "worth", DOLLARS, NOWHERE, is_private=True),
            Field("review", "review", ReviewUntil(), DOCUMENTS, spoken="until"),
            Field("failure_reason", "failure", FAILURE, DOCUMENTS),
            Field("created", "created", MOMENT, DOCUMENTS, spoken="created"),
            Field("completed_at", "completed", MOMENT, DOCUMENTS, spoken="completed_at"),
            Field("network_tx_hash", "transaction", TEXT, DOCUMENTS),
        ),
        table=("id", "trading_account_id", "amount", "destination", "status", "created"),
        wire_only=("updated", "cancellable"),
    )  # fmt: skip


def direction(transfer: "Transfer") -> str:
    """``deposit`` or ``withdrawal``."""
    return "deposit" if transfer.type == DEPOSIT_TYPE else "withdrawal"


def target(transfer: "Transfer") -> str:
    """The address or bank account that a withdrawal goes to; empty where it isn't known."""
    found = transfer.destination
    if found is not None:
        return found.address or found.bank_account_id or found.counterparty_id or ""
    return (transfer.bank_account_id or "") if direction(transfer) == "withdrawal" else ""


def held(transfer: "Transfer") -> str:
    """What a withdrawal holds of the account now: ``500.00 USD for withdrawals``."""
    holds = direction(transfer) == "withdrawal" and transfer.as_of is None
    return (
        f"{transferred(transfer)} for withdrawals" if holds and transfer.status in HOLDING else ""
    )


def is_over(transfer: "Transfer") -> bool:
    """Whether nothing more is expected to happen; a bank may still return what has arrived."""
    return transfer.as_of is None and transfer.status in FINAL


_KEPT = (
    "This deployment doesn't list transfers. You see its answer to the request from here; "
    "what happened since isn't known."
)


def next_of(transfer: "Transfer", *, can_cancel: bool) -> Next:
    """What can still be done; ``can_cancel`` is whether withdrawals can be cancelled from here."""
    if transfer.as_of is not None:
        return Next(_KEPT, "", "warn")
    why = why_not_cancelled(transfer)
    if not why and can_cancel:
        return Next("Can be cancelled until it's sent", "C")
    words = why or "can't be cancelled from this console"
    return Next(f"{words[:1].upper()}{words[1:]}.", "", "muted")


def due_of(transfer: "Transfer") -> Next | None:
    """What happens next by itself, while a withdrawal is held; None where nothing is expected."""
    review = transfer.review
    if transfer.as_of is not None or review is None or transfer.status not in TIMED:
        return None
    if review.eta is None:
        return Next("held: the wallet couldn't be checked; C cancels it")
    if transfer.status == TransferStatus.REVIEWING and is_by_person(review.reason):
        return Next(f"decision by {review.eta:%d %b %H:%M}", "7")
    then = "refused" if review.reason == UNCONFIRMED_HELD else "sent"
    return Next(f"held until {review.eta:%d %b %H:%M:%S}, then {then}")


_BY_HAND = frozenset({"cancel_withdrawal"})
"""What the audit trail calls a step that an agent made."""
_TONES = {"completed": "good", "sent": "accent", "failed": "bad", "rejected": "bad"}


def steps_of(transfer: "Transfer", trail: "Sequence[AuditRow]" = ()) -> list[Step]:
    """What happened to a transfer, oldest first: by its rows of the audit trail, or by the record's
    own times.
    """
    if transfer.as_of is not None:
        answered = Step(transfer.as_of, f"answered: {transfer.status}", "muted")
        return [Step(transfer.created, "requested from this console"), answered]
    steps = [Step(row.at, *_audited(transfer, row)) for row in trail]
    reached = {row.action.rpartition(".")[2] for row in trail if not row.error}
    if not trail:
        steps = [Step(transfer.created, _happened(transfer, "requested"))]
    if transfer.status not in HOLDING and not reached & {transfer.status, *_BY_HAND}:
        words, tone = _happened(transfer, transfer.status), _TONES.get(transfer.status, "")
        steps.append(Step(transfer.completed_at or transfer.updated, words, tone))
    return steps


def _audited(transfer: "Transfer", row: "AuditRow") -> tuple[str, str]:
    if row.error:
        return f"{row.action.replace('_', ' ')} refused for {row.actor}: {row.error}", "bad"
    if row.action in {"deposit", "withdraw"}:
        return _happened(transfer, f"requested by {row.actor}"), ""
    if row.action == "cancel_withdrawal":
        return _happened(transfer, "cancelled", f"cancelled by {row.actor}"), ""
    step = row.action.rpartition(".")[2]
    if step == TransferStatus.PROCESSING:
        return "the hold has ended", ""
    return _happened(transfer, step), _TONES.get(step, "")


def _happened(transfer: "Transfer", step: str, words: str = "") -> str:
    """The step, and what became of the withdrawal's hold with it."""
    hold = ""
    if direction(transfer) == "withdrawal":
        if step.startswith("requested"):
            hold = ": the money is on hold"
        elif step in {TransferStatus.CANCELLED, TransferStatus.REJECTED}:
            hold = ": the hold was released"
        elif step in {TransferStatus.FAILED, TransferStatus.RETURNED}:
            hold = ": the money is back in the account"
    return f"{words or step}{hold}"


_NO_CANCELLATION = {each.value: each.facts.no_cancellation for each in TransferStatus}


def why_not_cancelled(transfer: "Transfer") -> str:
    """Why a transfer can't be cancelled, as far as its record tells; empty when it can."""
    name, now = direction(transfer), transfer.status
    if name == "deposit":
        return "a deposit can't be cancelled; withdraw the money instead"
    if transfer.as_of is not None:
        return "this deployment doesn't say whether the withdrawal was sent"
    can = transfer.status in HOLDING if transfer.cancellable is None else transfer.cancellable
    if can:
        return ""
    return _NO_CANCELLATION.get(now) or f"the withdrawal is {now}"


DEPOSIT, WITHDRAWAL = _fields("deposit"), _fields("withdrawal")


def transfer_fields(transfer: "Transfer") -> "FieldList[Transfer]":
    """The fields of a deposit or of a withdrawal, whichever it is."""
    return DEPOSIT if direction(transfer) == "deposit" else WITHDRAWAL
