"""When the books are verified, and whose payouts a dispute stops."""

from enum import StrEnum

from chainteller.domain.clock import DAY, MINUTE


class DisputeScope(StrEnum):
    """Whose books are in dispute: an organisation's, or the catalogue and the deployment's log."""

    ORGANISATION = "organisation"
    DEPLOYMENT = "deployment"


def minutes_of_day(text: str) -> int:
    """``HH:MM`` as minutes after midnight. Raises ValueError."""
    hours, colon, minutes = text.partition(":")
    if colon and len(hours) == len(minutes) == 2 and f"{hours}{minutes}".isdecimal():
        found = int(hours) * 60 + int(minutes)
        if int(minutes) < 60 and found < 24 * 60:
            return found
    raise ValueError("not a time of day")


def last_turn(time_of_day: str, now: int) -> int:
    """When a time of day in UTC (``HH:MM``) was last, as an instant."""
    offset = minutes_of_day(time_of_day) * MINUTE
    return now - (now - offset) % DAY
