"""What ``db check`` tells of a database."""

from chainteller.service.models.base import WireModel


class DatabaseReport(WireModel):
    """``schema_state`` is new, current, outdated, newer or foreign; ``problems`` are damages."""

    kind: str
    location: str
    healthy: bool
    schema_state: str
    schema_version: str
    driver_version: str
    journal_mode: str | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
