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

    @property
    def names_address(self) -> bool:
        """Whether a flag is an address; an empty one, as of a script's unset variable, is wrong."""
        return self.url is not None or self.database is not None
