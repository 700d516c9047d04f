"""What ``db check`` and ``db upgrade --plan`` tell of a database."""

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


class UpgradeStep(WireModel):
    """``step`` is a revision or a name; ``writers`` of running servers ``wait`` or ``go on`` for
    about so many ``seconds``. ``indexes`` are built and tables written again (``rewrites``)."""

    step: str
    does: str
    rows: int
    seconds: int
    writers: str
    indexes: tuple[str, ...] = ()
    rewrites: tuple[str, ...] = ()


class UpgradePlan(WireModel):
    """What an upgrade would do. ``before`` is empty for a new database; ``seconds`` is an estimate
    from the rows that are visited, and ``waiting_seconds`` how many of them writers wait;
    ``free_bytes`` is None where the disk can't be asked."""

    before: str
    after: str
    steps: tuple[UpgradeStep, ...]
    rows: int
    seconds: int
    waiting_seconds: int
    size_bytes: int
    needed_bytes: int
    free_bytes: int | None = None
