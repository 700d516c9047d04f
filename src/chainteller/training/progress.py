"""The progress of a session: its state beside the bank's records."""

from dataclasses import dataclass, field

from chainteller.service.errors import TellerError
from chainteller.service.models.counterparties import Challenge
from chainteller.training.faults import ArmedFaults
from chainteller.training.timeline import Moment


@dataclass(slots=True)
class Progress:
    """Instants are microseconds."""

    moments: list[Moment] = field(default_factory=list)
    heard: list[tuple[int, str]] = field(default_factory=list)
    """What the customer has said, with the instants."""
    waiting: list[tuple[int, int]] = field(default_factory=list)
    """(instant, number in the plan) of steps that are triggered and not yet due."""
    fired: set[int] = field(default_factory=set)
    armed_faults: ArmedFaults = field(default_factory=ArmedFaults)
    cursor: int = 0
    signings: int = 0
    challenges: list[Challenge] = field(default_factory=list)
    has_asked_back: bool = False
    """Whether the customer has asked a question about the newest quote."""


class NothingToSign(TellerError):
    code = "NOTHING_TO_SIGN"
    next_step = "Create the message first."


class DueWorkStuck(TellerError):
    code = "DUE_WORK_STUCK"
    next_step = "Begin the scenario again."
