"""What ``db check`` and ``db upgrade --plan`` tell of a database."""

from chainteller.service.models.base import WireModel


class DatabaseReport(WireModel):
    """``schema_state`` is new, current, outdated, unsupported, newer, foreign or damaged;
    ``problems`` are damages."""

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
    """``step`` is a revision or a name. It reads ``rows``, which takes about so many ``seconds``,
    and builds ``indexes``."""

    step: str
    does: str
    rows: int
    seconds: int
    indexes: tuple[str, ...] = ()


class UpgradePlan(WireModel):
    """What an upgrade would do. ``before`` is empty for a new database; ``seconds`` is an estimate
    from the rows that are read; ``free_bytes`` is None where the disk can't be asked."""

    before: str
    after: str
    steps: tuple[UpgradeStep, ...]
    seconds: int
    size_bytes: int
    free_bytes: int | None = None
