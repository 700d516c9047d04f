"""Blocks of a record besides its fields: what can still be done with it, and its steps.

Each kind of record declares both in its module; the console's details and the commands that show
one record use them.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class Next(NamedTuple):
    """What can still be done, with the console's key for it."""

    words: str
    key: str = ""
    tone: str = ""


class Step(NamedTuple):
    """Something that happened; ``at`` is None where the deployment doesn't say when."""

    at: "datetime | None"
    words: str
    tone: str = ""
