"""How much organisations have of what they may have only so much of."""

from chainteller.domain.options import Quota
from chainteller.storage.db.query import Query, Session, Value, row_of

_IN_FORCE = "(expires IS NULL OR expires > :now) AND revoked_at IS NULL"
_COUNTED = {
    Quota.KEYS: f"api_key WHERE {_IN_FORCE} AND replaced_by IS NULL",
    Quota.AGENTS: f"agent WHERE {_IN_FORCE}",
    Quota.WEBHOOKS: "webhook WHERE TRUE",
    Quota.CHALLENGES: "challenge WHERE status = 'open' AND expires > :now",
}
"""What counts: a rotated key is its successor, and what has expired is free again."""
_USED = {
    quota: Query(f"SELECT count(*) AS value FROM {rows} AND organisation_id = :organisation", Value)
    for quota, rows in _COUNTED.items()
}
_MOST = Query(
    "SELECT "
    + ", ".join(
        f"coalesce(max((SELECT count(*) FROM {rows} AND organisation_id = organisation.id)), 0) "
        f"AS {quota}"
        for quota, rows in _COUNTED.items()
    )
    + " FROM organisation",
    row_of(*_COUNTED),
)


def used(connection: Session, quota: Quota, organisation_id: str, now: int) -> int:
    """How many an organisation has."""
    values = {"organisation": organisation_id, "now": now}
    return int(connection.execute(_USED[quota], values).scalar_one())


def most(connection: Session, now: int) -> dict[Quota, int]:
    """How many the organisation with the most of each has."""
    return dict(zip(_COUNTED, _MOST.run(connection, now).one(), strict=True))
