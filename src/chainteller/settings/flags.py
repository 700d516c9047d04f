"""The global flags that select a place; a separate module to keep the console's start light."""

from typing import NamedTuple


class Flags(NamedTuple):
    """The flags that select a place; None if not given."""

    profile: str | None = None
    database: str | None = None
    url: str | None = None
    read_only: bool = False
    url_given_as: str = "--url"
    """What complaints about the address call it."""
