"""Requests of a gateway to its provider: their states, and how long an outcome is looked for."""

from enum import StrEnum

from chainteller.domain.clock import MINUTE, SECOND


class RequestStatus(StrEnum):
    """``sending`` was sent and has no outcome yet; ``unknown`` is what a person decides about.

    ``waiting`` is a link that a person decides about before it's sent, ``approved`` and
    ``declined`` what was decided.
    """

    WAITING = "waiting"
    APPROVED = "approved"
    DECLINED = "declined"
    SENDING = "sending"
    DONE = "done"
    REFUSED = "refused"
    NOT_DONE = "notDone"
    UNKNOWN = "unknown"


FINAL = frozenset({RequestStatus.DONE, RequestStatus.DECLINED})
"""Nothing more is expected in these states."""
OUTSIDE = frozenset({RequestStatus.SENDING, RequestStatus.UNKNOWN})
"""Another system may carry them out, or has done so."""
MAY_BE_SENT = frozenset({RequestStatus.APPROVED, RequestStatus.REFUSED, RequestStatus.NOT_DONE})
"""The provider certainly hasn't carried them out."""
LATE = 60 * SECOND
"""How long after it was sent, or after its quote expired, a request may still take effect."""
LOOKED_FOR_EVERY = MINUTE
LOOKED_FOR = 15 * MINUTE
"""How long the program looks for an outcome before a person decides."""
NO_ANSWER = "NO_ANSWER"
"""Why a person decides about a request without an outcome."""
