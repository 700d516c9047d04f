"""From a code on the wire back to its class."""

from collections.abc import Mapping

from chainteller.service.errors import (
    ChallengeAlreadyUsed,
    ClaimAlreadyUsed,
    Conflict,
    Details,
    Forbidden,
    IdempotencyInProgress,
    IdempotencyKeyReused,
    InternalError,
    ProviderUnanswered,
    QuoteAlreadyUsed,
    RateLimited,
    ServiceError,
    ServiceUnavailable,
    TellerError,
    Unauthorized,
)

KEY_WANTED = "Set CHAINTELLER_API_KEY, or the profile's key_file or key_command."
"""What to do about UNAUTHORIZED at a desk or a command line: there, nobody writes headers."""


def step_at_desk(error: TellerError) -> str:
    """What to do about a refusal at a desk or a command line."""
    if isinstance(error, Unauthorized) and not error.is_of_agent:
        return KEY_WANTED
    return error.suggestion


_STEPS = {401: KEY_WANTED, 429: RateLimited.next_step}
"""What to do about a code that isn't known here, where its status says it."""


class UnknownRefusal(ServiceError):
    """A code of a deployment that this version does not know, shown as it came."""

    next_step = "Ask the operator of the deployment what the code means."

    def __init__(self, code: str, message: str, details: Details, status: int) -> None:
        super().__init__(message, details)
        self.code = code  # type: ignore[misc]  # the wire decides this one's code
        self.status = status  # type: ignore[misc]  # and its status
        self.next_step = _STEPS.get(status, self.next_step)  # type: ignore[misc]


def _tree(kind: type[ServiceError]) -> list[type[ServiceError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _tree(child))]


ERRORS: Mapping[str, type[ServiceError]] = {
    kind.code: kind for kind in _tree(ServiceError) if kind not in (ServiceError, UnknownRefusal)
}
"""Every code of the service with its class."""


def from_wire(code: str, message: str, details: Details, status: int) -> ServiceError:
    """The error that a deployment's body stands for; an unknown code keeps its words."""
    kind = ERRORS.get(code)
    if kind is None:
        return UnknownRefusal(code, message, details, status)
    error = kind.__new__(kind)
    ServiceError.__init__(error, message, details)
    return error


_INCONCLUSIVE = (
    Unauthorized,
    Forbidden,
    RateLimited,
    ServiceUnavailable,
    InternalError,
    ProviderUnanswered,
    IdempotencyInProgress,
    IdempotencyKeyReused,
)
"""Refusals of a repeated request that don't say what became of the first attempt."""
ALREADY = (QuoteAlreadyUsed, ClaimAlreadyUsed, ChallengeAlreadyUsed, Conflict)
"""Refusals that may be the effect of the first attempt, where its key was forgotten."""
_DECIDED = frozenset({400, 404, 422})
"""Statuses with which a code that isn't known here still refuses the request itself."""


def is_conclusive(fault: TellerError) -> bool:
    """Whether an answer to a repeated request also says what became of the first attempt.

    A limit, a refused key or an outage stops the second attempt alone. "Already used" may be the
    effect of the first.
    """
    if isinstance(fault, UnknownRefusal):
        return fault.status in _DECIDED
    return isinstance(fault, ServiceError) and not isinstance(fault, (*_INCONCLUSIVE, *ALREADY))
