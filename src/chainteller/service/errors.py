"""Every way in which the service says no, and every way in which it cannot be heard.

::

    TellerError
    ├── ServiceError                    the service answered with an error body
    │   ├── ...                         one class per code
    │   └── UnknownRefusal              a code that this version does not know (error_codes.py)
    └── ClientError                     no answer of the service can be shown
        ├── ServiceUnreachable          nothing was sent
        ├── SignInRequired              nothing was sent: nobody has signed in
        ├── RecordOfAnotherAccount      not sent: it names a record of another account
        ├── OutcomeUnknown              a write was sent and no answer came
        │   └── OutcomeMismatch         an answer came, about something else than was sent
        ├── ReplyUnusable               an answer came that breaks the contract
        │   └── ReplyMismatch           an answer came, about something else than was asked
        ├── ReadOnlyProfile             this desk may not write
        ├── NotOffered                  the deployment lacks this addition
        ├── CheckpointRefused           a checkpoint that says nothing about this log
        ├── AuditContradicted           the log isn't the one that a checkpoint was made of
        ├── WitnessFailed               a witness that didn't accept a checkpoint
        └── SigningKeysUnusable         the file of signing keys can't be used

A ``ServiceError`` is its code, a message in one sentence and ``details``, whose keys are those
of the wire; ``suggestion`` says what to do next and ``status`` is its HTTP status.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

from chainteller.domain.money import AmountTooPrecise

Details = Mapping[str, Any]


class FieldError(NamedTuple):
    field: str
    code: str
    message: str


class TellerError(Exception):
    """Anything that a person at the desk is told in three parts: code, meaning, what to do."""

    code: ClassVar[str] = "ERROR"
    next_step: ClassVar[str] = ""

    def __init_subclass__(cls, *, code: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.code = code or cls.code

    def __init__(self, message: str, details: Details | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})

    @property
    def suggestion(self) -> str:
        return self.next_step

    def to_wire(self) -> dict[str, Any]:
        return {"error": self.code, "message": self.message, "details": self.details}


class ServiceError(TellerError):
    status: ClassVar[int] = 500
    retry_after_s: int | None = None
    """Seconds to wait before a retry, as a deployment said beside its error."""

    def __init_subclass__(cls, *, status: int = 0, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.status = status or cls.status

    @property
    def suggestion(self) -> str:
        return str(self.details.get("suggestion") or self.next_step)


FIELD_REQUIRED = "This field is required."


class ValidationFailed(ServiceError, code="VALIDATION_ERROR", status=400):
    """A field is missing, unknown or not in its grammar; the input is never repeated."""

    next_step = "Correct the named fields and send the request again."

    def __init__(self, errors: tuple[FieldError, ...]) -> None:
        details = {"errors": [error._asdict() for error in errors]}
        super().__init__("The request isn't valid.", details)

    @classmethod
    def of(cls, field: str, message: str, code: str = "INVALID") -> "ValidationFailed":
        return cls((FieldError(field, code, message),))

    @property
    def lines(self) -> list[str]:
        """One line for each field; none where a deployment's details have another shape."""
        return [f"{row['field']}: {row['message']}" for row in self._rows]

    def has(self, code: str) -> bool:
        """Whether a field is refused with this code."""
        return any(row.get("code") == code for row in self._rows)

    @property
    def _rows(self) -> Iterable[Mapping[str, object]]:
        found = self.details.get("errors")
        rows = found if isinstance(found, list | tuple) else ()
        is_whole = all(
            isinstance(row, Mapping) and {"field", "message"} <= row.keys() for row in rows
        )
        return rows if is_whole else ()


class MalformedRequest(ServiceError, code="MALFORMED_REQUEST", status=400):
    next_step = "Send a body of valid JSON in UTF-8."


class ExceedsPrecision(ServiceError, code="EXCEEDS_PRECISION", status=400):
    next_step = "Give the amount with fewer decimals."

    def __init__(self, field: str, found: AmountTooPrecise) -> None:
        details = {"field": field, "asset": found.asset.symbol, "maxDecimals": found.max_decimals}
        super().__init__(str(found), details)


class Unauthorized(ServiceError, code="UNAUTHORIZED", status=401):
    """``reason`` is MISSING, MALFORMED, UNKNOWN, EXPIRED or REVOKED, of the API key; or, of the
    agent who signs under it, AGENT_REQUIRED, AGENT_UNKNOWN, AGENT_WAITING, AGENT_EXPIRED,
    AGENT_REVOKED, SIGNATURE_INVALID or SIGNATURE_TIME; or, of whoever signed in, AGENT_REVOKED,
    AGENT_UNNAMED, AGENT_NAME_TAKEN, AGENT_WITHOUT_ROLE, TOKEN_INVALID, TOKEN_ISSUER,
    TOKEN_AUDIENCE, TOKEN_TIME or TOKEN_EXPIRED."""

    next_step = "Send a valid API key: Authorization: Bearer <API_KEY>."

    def __init__(self, reason: str) -> None:
        told = _OF_AGENTS.get(reason, ("A valid API key is required.",))[0]
        super().__init__(told, {"reason": reason})

    @property
    def suggestion(self) -> str:
        reason = str((self.details or {}).get("reason", ""))
        return _OF_AGENTS[reason][1] if reason in _OF_AGENTS else self.next_step

    @property
    def is_of_agent(self) -> bool:
        """Whether the API key is good, and the agent isn't."""
        return (self.details or {}).get("reason") in _OF_AGENTS

    @property
    def is_guess(self) -> bool:
        """Whether whoever sent it had nothing that was ever valid."""
        reason = str((self.details or {}).get("reason"))
        return reason == "TOKEN_INVALID" or not self.is_of_agent


_ENROL = "Enrol this machine: chainteller agents enroll."
_SIGN_IN = "Sign in again: chainteller sign-in."
_OF_AGENTS: Mapping[str, tuple[str, str]] = {
    "AGENT_REQUIRED": ("Requests under this API key are signed by an agent.", _ENROL),
    "AGENT_UNKNOWN": ("The agent isn't enrolled here.", _ENROL),
    "AGENT_WAITING": (
        "The agent isn't approved yet.",
        "Ask a supervisor: chainteller agents approve ID --role ROLE.",
    ),
    "AGENT_EXPIRED": ("The agent's key has expired.", _ENROL),
    "AGENT_REVOKED": ("The agent's key was revoked.", "Ask a supervisor, then enrol again."),
    "SIGNATURE_INVALID": ("The agent's signature isn't of this request.", _ENROL),
    "SIGNATURE_TIME": (
        "The agent's signature is more than a minute from the deployment's time.",
        "Set the clock of this machine.",
    ),
    "AGENT_UNNAMED": (
        "The issuer doesn't say who signed in.",
        "Ask the operator: sign_in.name_claim has to be a user name in the access token.",
    ),
    "AGENT_NAME_TAKEN": (
        "Another account has signed in under this name before.",
        "Ask a supervisor to revoke the earlier agent: chainteller agents list.",
    ),
    "AGENT_WITHOUT_ROLE": (
        "None of your groups has a role here.",
        "Ask whoever runs the bank's sign-in for the group that you need.",
    ),
    "TOKEN_INVALID": ("The access token isn't one of the bank's sign-in.", _SIGN_IN),
    "TOKEN_ISSUER": (
        "The access token is of another issuer.",
        "Give the profile the issuer that the service names in sign_in.issuer.",
    ),
    "TOKEN_AUDIENCE": (
        "The access token is for another service.",
        "Give the profile the audience that the service names in sign_in.audience.",
    ),
    "TOKEN_TIME": (
        "The access token was issued in the future.",
        "Tell the operator: the clocks of issuer and service differ.",
    ),
    "TOKEN_EXPIRED": ("The access token has expired, or your roles have changed.", _SIGN_IN),
}
"""What is wrong with an agent's signature or sign-in by its reason, and what to do."""
AGENT_REASONS = _OF_AGENTS.keys()


class Forbidden(ServiceError, code="FORBIDDEN", status=403):
    next_step = "Use a key, or an agent's role, that has the scope."

    def __init__(self, required_scope: str, key_id: str) -> None:
        super().__init__(
            f"This needs the scope {required_scope}.",
            {"requiredScope": required_scope, "keyId": key_id},
        )


class RoleRequired(ServiceError, code="ROLE_REQUIRED", status=403):
    """A decision went to a role of the policy at its first deadline."""

    next_step = "Ask a colleague who has the role."

    def __init__(self, role: str, decision_id: str) -> None:
        super().__init__(
            f"Nobody decided in time, so that the role {role} decides now.",
            {"role": role, "decisionId": decision_id},
        )


class TermsNotAccepted(ServiceError, code="TERMS_NOT_ACCEPTED", status=403):
    next_step = "Ask the customer to accept the trading terms first."


class KycRequired(ServiceError, code="KYC_REQUIRED", status=403):
    next_step = "Ask the customer to complete the enhanced identity check first."


class AccountRestricted(ServiceError, code="ACCOUNT_RESTRICTED", status=403):
    next_step = "Whoever may decide can lift it: F on the console, or chainteller decisions."

    def __init__(self, control: str, reason_code: str) -> None:
        details = {"control": control, "reasonCode": reason_code}
        super().__init__(f"The account is restricted: {control}.", details)


class CaseRequired(ServiceError, code="CASE_REQUIRED", status=409):
    """The bank's policy wants the case that a person's change is for."""

    next_step = "Name the case: # on the console, --case in a command, Chainteller-Case over HTTP."

    def __init__(self) -> None:
        super().__init__("The bank's policy asks for the number of the case.", {})


class NotFound(ServiceError, code="NOT_FOUND", status=404):
    next_step = "Check the id."

    def __init__(self, resource: str, identifier: str, message: str = "") -> None:
        super().__init__(
            message or f"This {resource} doesn't exist.", {"resource": resource, "id": identifier}
        )


class MethodNotAllowed(ServiceError, code="METHOD_NOT_ALLOWED", status=405):
    next_step = "Use one of the allowed methods."


class UnsupportedMediaType(ServiceError, code="UNSUPPORTED_MEDIA_TYPE", status=415):
    next_step = "Send Content-Type: application/json."


class PayloadTooLarge(ServiceError, code="PAYLOAD_TOO_LARGE", status=413):
    next_step = "Send a smaller body."


class Conflict(ServiceError, code="CONFLICT", status=409):
    next_step = "Check the current status of the named record."

    @classmethod
    def over(
        cls, resource: str, identifier: str, reason: str, told: str, suggestion: str
    ) -> "Conflict":
        """Of a record that has no version to compare: why it stands in the way, and what to do."""
        details = {
            "resource": resource,
            "id": identifier,
            "reason": reason,
            "currentVersion": None,
            "suggestion": suggestion,
        }
        return cls(told, details)


class QuoteExpired(ServiceError, code="QUOTE_EXPIRED", status=409):
    next_step = "Request a new quote and execute it before it expires."

    def __init__(self, quote_id: str, expired_at: str) -> None:
        super().__init__(
            "The price quote has expired.",
            {
                "quoteId": quote_id,
                "expiredAt": expired_at,
                "suggestion": self.next_step,
            },
        )


class QuoteAlreadyUsed(ServiceError, code="QUOTE_ALREADY_USED", status=409):
    next_step = "See its trade. Don't execute the quote again."


class QuoteAccountMismatch(ServiceError, code="QUOTE_ACCOUNT_MISMATCH", status=409):
    next_step = "Execute it in the account that it was made for."


class TradeNotCancellable(ServiceError, code="TRADE_NOT_CANCELLABLE", status=409):
    next_step = "This trade can't be cancelled any more. To reverse it, place the opposite trade."


class WithdrawalNotCancellable(ServiceError, code="WITHDRAWAL_NOT_CANCELLABLE", status=409):
    next_step = "It can't be cancelled any more. See its status."


class ClaimAlreadyUsed(ServiceError, code="CLAIM_ALREADY_USED", status=409):
    next_step = "Create a new challenge and claim for this wallet."


class ClaimExpired(ServiceError, code="CLAIM_EXPIRED", status=409):
    next_step = "Create a new challenge and ask the customer to sign it."


class ChallengeAlreadyUsed(ServiceError, code="CHALLENGE_ALREADY_USED", status=409):
    next_step = "Use its claim, or create a new challenge."


class ChallengeLocked(ServiceError, code="CHALLENGE_LOCKED", status=409):
    next_step = "Create a new challenge."


class DecisionRequired(ServiceError, code="DECISION_REQUIRED", status=409):
    """Nothing was sent; ``decisionId`` names what a person has to decide first."""

    next_step = "Wait for the decision. Once it is approved, repeat the request."

    def __init__(self, decision_id: str, reason: str) -> None:
        details = {"decisionId": decision_id, "reason": reason, "suggestion": self.next_step}
        super().__init__("This waits for a decision first. Nothing was sent.", details)


class ProviderUnanswered(ServiceError, code="PROVIDER_UNANSWERED", status=504):
    """A gateway's provider was sent a request and gave no usable answer. ``id`` names the gateway's
    record of it, ``decisionId`` what a person has to decide about it."""

    next_step = (
        "Don't send it as a new request: it may have been carried out. Repeat it with the same "
        "idempotency key, or look at the decision."
    )


class IdempotencyInProgress(ServiceError, code="IDEMPOTENCY_IN_PROGRESS", status=409):
    next_step = "Wait, then repeat the same request with the same key."


class IdempotencyKeyReused(ServiceError, code="IDEMPOTENCY_KEY_REUSED", status=422):
    next_step = "Use a new key for a new request."


class UnsupportedAccountType(ServiceError, code="UNSUPPORTED_ACCOUNT_TYPE", status=422):
    next_step = "Use the bank account's own type."


class InsufficientFunds(ServiceError, code="INSUFFICIENT_FUNDS", status=422):
    """Amounts are decimal text in ``currency`` (specification 7, rule 1)."""

    next_step = "Choose a smaller amount, or deposit the difference before a trade."

    def __init__(self, available: str, required: str, currency: str) -> None:
        super().__init__(
            "The balance is insufficient.",
            {"available": available, "required": required, "currency": currency},
        )

    @classmethod
    def at_bank(cls, available: str, required: str, currency: str) -> "InsufficientFunds":
        """What is short is the customer's bank account, from which a deposit comes."""
        error = cls(available, required, currency)
        error.message = "The bank account's balance is insufficient."
        error.details["suggestion"] = "Choose a smaller amount."
        return error


class AmountBelowMinimum(ServiceError, code="AMOUNT_BELOW_MINIMUM", status=422):
    next_step = "Choose a larger amount."


class LimitExceeded(ServiceError, code="LIMIT_EXCEEDED", status=422):
    next_step = "Choose a smaller amount or wait until the limit resets."


class DestinationOnHold(ServiceError, code="DESTINATION_ON_HOLD", status=422):
    next_step = "Wait until the hold ends, or verify the wallet."


class UnsupportedMarket(ServiceError, code="UNSUPPORTED_MARKET", status=404):
    """404 where the market is part of the path; the listed ones are in ``supported``."""

    next_step = "Choose one of the supported markets."


class UnsupportedNetwork(ServiceError, code="UNSUPPORTED_NETWORK", status=422):
    next_step = "Choose one of the supported networks."


class UnsupportedCurrency(ServiceError, code="UNSUPPORTED_CURRENCY", status=422):
    next_step = "Choose one of the supported currencies."


class InvalidAddress(ServiceError, code="INVALID_ADDRESS", status=422):
    next_step = "Ask for the address again, copied from the wallet."


class NetworkMismatch(ServiceError, code="NETWORK_MISMATCH", status=422):
    next_step = "Use the expected network."


class WalletShared(ServiceError, code="WALLET_SHARED", status=409):
    """Another customer has verified the wallet; ``policy`` is ask or refuse. Nothing was linked."""

    next_step = "Ask the customer who else uses the wallet, then link it with acknowledged: true."


class ChainUnavailable(ServiceError, code="CHAIN_UNAVAILABLE", status=503):
    """No agreed answer of the chain about a contract wallet; ``providers`` says what was wrong."""

    next_step = "Nothing was counted. Send the signature again later, or ask the operator."


class EvidenceExpired(ServiceError, code="EVIDENCE_EXPIRED", status=422):
    """What a wallet was verified by is too old to pay on; ``method`` and ``expiredAt`` say what."""

    next_step = "Verify the wallet again: by a signature, a small transfer or an extended key."


class ArrivalsUnwatched(ServiceError, code="ARRIVALS_UNWATCHED", status=503):
    """This deployment doesn't watch chains, so it can't offer small transfers."""

    next_step = "Verify the wallet by a signature, or record a statement for review."


class ClaimUnverifiable(ServiceError, code="CLAIM_UNVERIFIABLE", status=422):
    """``reason`` says what doesn't agree with the stored claim; nothing was paid."""

    next_step = "Don't pay this wallet. Report it, and run: chainteller wallets recheck."


class InvalidSignature(ServiceError, code="INVALID_SIGNATURE", status=422):
    """``cause`` is one of the four of specification 7, rule 4; the rest is the diagnosis."""

    next_step = "Tell the customer what the finding says, then ask for a new signature."


class StatementUnbalanced(ServiceError, code="STATEMENT_UNBALANCED", status=409):
    """The ledger contradicts an account's records; ``record`` names one. No statement is made."""

    next_step = (
        "Don't give the customer figures of this account. Report it; the operator runs: "
        "chainteller db verify."
    )

    def __init__(self, account_id: str, found: str, record: str | None = None) -> None:
        super().__init__(
            f"No statement was made, because the account's books don't agree: {found}",
            {"tradingAccountId": account_id, "record": record},
        )


class QuotaExceeded(ServiceError, code="QUOTA_EXCEEDED", status=409):
    """An organisation has as many of something as the operator allows; ``quota`` names what."""

    next_step = "End one that isn't needed, or ask the operator of the service for more."

    def __init__(self, quota: str, limit: int) -> None:
        super().__init__(
            f"The organisation's quota of {quota} is used up: {limit:,}.",
            {"quota": quota, "limit": limit},
        )


class RateLimited(ServiceError, code="RATE_LIMITED", status=429):
    next_step = "Wait, then retry."


class InternalError(ServiceError, code="INTERNAL_ERROR", status=500):
    next_step = "Retry. If it happens again, report the request id."


class MarketUnavailable(ServiceError, code="MARKET_UNAVAILABLE", status=503):
    """``reason`` says why (specification 7, rule 3); ``estimatedResolution`` is a timestamp."""

    next_step = "Wait until the market reopens."

    def __init__(self, market: str, reason: str, estimated_resolution: str) -> None:
        super().__init__(
            "The market is temporarily unavailable.",
            {"market": market, "reason": reason, "estimatedResolution": estimated_resolution},
        )


class ServiceUnavailable(ServiceError, code="SERVICE_UNAVAILABLE", status=503):
    """The database cannot be used now; ``reason`` names the fault."""

    next_step = "Correct the cause and retry. Nothing was changed."


class WriterKeyMissing(ServiceUnavailable, code="WRITER_KEY_MISSING", status=503):
    """Without the writer's key nothing can be written; ``reason`` is NO_KEY or OTHER_KEY."""

    next_step = (
        "The operator puts the key back, or names where it is in audit.writer_key: chainteller "
        "info says where it is looked for."
    )

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message, {"reason": reason, "suggestion": self.next_step})


class BooksDisputed(ServiceError, code="BOOKS_DISPUTED", status=503):
    """Verification found a breach in the organisation's books, or in the deployment's."""

    next_step = "Wait until the operator has cleared the dispute. Everything else goes on."

    def __init__(self, message: str) -> None:
        super().__init__(message, {"suggestion": self.next_step})


class ClockUncertain(ServiceUnavailable, code="CLOCK_UNCERTAIN", status=503):
    """It isn't known what time it is; ``reason`` says why, ``bankTime`` and ``clock`` differ."""

    next_step = (
        "The operator sets the clock right, or confirms it: chainteller clock show, then "
        "chainteller clock accept."
    )

    def __init__(self, message: str, reason: str, bank_time: str, clock: str) -> None:
        super().__init__(
            message,
            {
                "reason": reason,
                "bankTime": bank_time,
                "clock": clock,
                "suggestion": self.next_step,
            },
        )


class ClientError(TellerError):
    """No answer of the service can be shown."""


class ServiceUnreachable(ClientError, code="UNREACHABLE"):
    next_step = "Nothing was sent. Check the address and the network, then retry."


class NotRecorded(ServiceUnreachable, code="NOT_RECORDED"):
    """A write that couldn't be recorded on this machine, so that it wasn't sent."""

    next_step = (
        "Nothing was sent. Make room on the disk, or let chainteller write to its folder state: "
        "chainteller info says where it is."
    )


class SignInRequired(ClientError, code="SIGN_IN_REQUIRED"):
    """Nobody has signed in at this machine, or the issuer has ended the sign-in."""

    next_step = "Sign in: chainteller sign-in."


class OutcomeUnknown(ClientError, code="OUTCOME_UNKNOWN"):
    """A write was sent and no answer came: it may or may not have happened."""

    next_step = "Don't send it as a new request. Repeat it with the same idempotency key."
    is_harmless = False
    """Whether the write moves nothing, so that it can be sent again as a new request."""

    def __init__(self, message: str, idempotency_key: str) -> None:
        super().__init__(message, {"idempotencyKey": idempotency_key})
        self.idempotency_key = idempotency_key


class NotDone(ClientError, code="NOT_DONE"):
    """A request that was sent before, without an answer, and certainly wasn't carried out."""

    next_step = "Send it again as a new request."


class ReplyUnusable(ClientError, code="REPLY_UNUSABLE"):
    next_step = "The deployment's answer isn't valid. Tell its operator."


class RecordOfAnotherAccount(ClientError, code="RECORD_OF_ANOTHER_ACCOUNT"):
    """A request for one account that names a record of another one; it was not sent."""

    next_step = "Select the account that the record belongs to, then repeat it there."

    def __init__(self, record: str, owner_id: str, account_id: str) -> None:
        """``record`` is the record's kind and id; ``account_id`` is empty if none is selected."""
        context = f"the request is for {account_id}" if account_id else "no account is selected"
        super().__init__(f"The {record} belongs to {owner_id}, and {context}. Nothing was sent.")


class SecretEntered(ClientError, code="SECRET_ENTERED"):
    """A wallet's secret where something else was asked for; it was neither kept nor sent."""

    next_step = (
        "Don't pass it on. The wallet counts as exposed: the customer should move the funds to a "
        "new one today."
    )
    ADVICE = f"It looks like a wallet's secret and wasn't saved. {next_step}"
    IF_HASH = f'If it is a transaction\'s hash, write "tx" before it. If it is a key: {next_step}'

    def __init__(self, what: str, kind: str, *, may_be_hash: bool = False) -> None:
        """``what`` names the text, ``kind`` the kind of secret; the text itself isn't kept."""
        super().__init__(f"The {what} looks like {kind}. It wasn't sent or kept.")
        self._may_be_hash = may_be_hash

    @property
    def suggestion(self) -> str:
        return self.IF_HASH if self._may_be_hash else self.next_step


class ReplyMismatch(ReplyUnusable, code="REPLY_MISMATCH"):
    """A reply about another record, account or amount than was asked for; it isn't shown."""


class OutcomeMismatch(OutcomeUnknown, code="OUTCOME_MISMATCH"):
    """A write was sent, and the reply is about another record, account or amount."""


class ReadOnlyProfile(ClientError, code="READ_ONLY"):
    next_step = "Turn read-only mode off to make changes."


class NotOffered(ClientError, code="NOT_OFFERED"):
    """``feature`` is the name of what the deployment lacks, where that is known."""

    next_step = "chainteller info lists what this deployment offers."

    def __init__(self, message: str, feature: str = "") -> None:
        super().__init__(message)
        self.feature = feature


class PdfUnavailable(ClientError, code="PDF_UNAVAILABLE"):
    """The library that writes PDF files isn't installed."""

    next_step = "Install the library, or choose text or CSV."

    def __init__(self, install: str) -> None:
        """``install`` is the command that installs the library."""
        super().__init__("Writing PDF files needs a library that isn't installed.")
        self.install = install

    @property
    def suggestion(self) -> str:
        return f"Install it: {self.install}. Text and CSV need nothing more."


class CannotListen(ClientError, code="CANNOT_LISTEN"):
    """``serve`` can't listen on an address."""

    next_step = "Choose another address."

    def __init__(self, message: str, chosen_by: str) -> None:
        """``chosen_by`` names the options or the setting with the address."""
        super().__init__(message)
        self.chosen_by = chosen_by

    @property
    def suggestion(self) -> str:
        return f"Choose another with {self.chosen_by}."


class CheckpointRefused(ClientError, code="CHECKPOINT_REFUSED"):
    """A checkpoint that says nothing about this log; ``reason`` names why."""

    next_step = "Compare with another checkpoint: chainteller audit checkpoint writes one."

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason


class AuditContradicted(ClientError, code="AUDIT_CONTRADICTED"):
    """The log isn't the one that a checkpoint was made of: entries were changed or removed."""

    next_step = (
        "Stop writing to this database, keep it as it is, and compare it with a backup: "
        "chainteller db verify names the last honest head."
    )


class WitnessFailed(ClientError, code="WITNESS_FAILED"):
    """A witness that didn't accept a checkpoint; ``problem`` names why.

    ``size`` is that of the witness's own head, where it said so.
    """

    next_step = "Look at the witness: chainteller audit witness list."

    def __init__(self, problem: str, message: str, size: int | None = None) -> None:
        super().__init__(f"{problem}: {message}")
        self.problem = problem
        self.size = size


class SigningKeysUnusable(ClientError, code="SIGNING_KEYS_UNUSABLE"):
    """The file of signing keys can't be read, or isn't protected."""

    next_step = "Correct the file, or restore it from its backup; chainteller info names it."

    def __init__(self, message: str, suggestion: str = "") -> None:
        super().__init__(message)
        self._suggestion = suggestion

    @property
    def suggestion(self) -> str:
        return self._suggestion or self.next_step
