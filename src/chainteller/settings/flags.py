"""The flags that decide where a command works; apart, because the console's start needs no more."""

from typing import NamedTuple


class Flags(NamedTuple):
    """The global options of that kind; None is: not given."""

    profile: str | None = None
    database: str | None = None
    url: str | None = None
    read_only: bool = False
