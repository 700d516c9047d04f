"""Compare a restored backup with its database: whether it's sound, and what would be lost."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.clock import format_instant
from chainteller.domain.ledger import CUSTOMER_PREFIX
from chainteller.domain.money import format_atoms
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.signers import Signers
from chainteller.engine.heads.signed_heads import judge_heads
from chainteller.storage.database import Database
from chainteller.storage.db.faults import unavailable
from chainteller.storage.db.query import Query, Session, Value, row_of
from chainteller.storage.log import checkpoints, views
from chainteller.storage.log.marks import derived_deployment

_NEWEST = Query("SELECT max(last_at) AS value FROM log", Value)
_ACTS = Query(
    "SELECT action, count(*) AS times FROM entry "
    "WHERE organisation_id = :organisation AND number > :number GROUP BY action",
    row_of("action", "times"),
)
_BALANCES = Query(
    "SELECT organisation_id, code, asset, balance FROM ledger_account",
    row_of("organisation_id", "code", "asset", "balance"),
)
_Balances = dict[tuple[str, str, str], int]


@dataclass(frozen=True, slots=True)
class Loss:
    """What a database has and its backup hasn't.

    ``acts`` counts entries by what was done, ``by_asset`` has how much customers' balances differ
    in sum, in decimal. ``breaches`` say why the backup isn't one of this database, in words.
    """

    backup_at: str
    database_at: str
    acts: dict[str, int]
    accounts: int
    changed: int
    by_asset: dict[str, str]
    breaches: tuple[str, ...]

    @property
    def entries(self) -> int:
        return sum(self.acts.values())


def require_same_deployment(database: Database, restored: Database) -> None:
    """Raises ServiceUnavailable: OTHER_DEPLOYMENT."""
    with database.read() as live, restored.read() as copy:
        found, own = derived_deployment(copy), derived_deployment(live)
    if found != own:
        raise unavailable(
            "OTHER_DEPLOYMENT",
            f"The backup is of {found}, and this database is {own}.",
            "Name a backup of this database.",
        )


def compare(context: EngineContext, restored: Database) -> Loss:
    """Compare a database and what witnesses have seen of it with a restored backup. Raises
    ServiceUnavailable: one of them can't be read."""
    acts: Counter[str] = Counter()
    breaches: list[str] = []
    with context.database.read(patient=True) as live, restored.read(patient=True) as copy:
        backup_at, database_at = (
            format_instant(int(each.execute(_NEWEST).scalar_one())) for each in (copy, live)
        )
        kept = views.sizes(copy)
        for name in views.sizes(live):
            size = kept.pop(name, 0)
            breaches += _differences(live, copy, name, size)
            values = {"organisation": name, "number": size}
            acts.update({row.action: row.times for row in live.execute(_ACTS, values)})
        breaches += [f"log {name}: this database doesn't have it" for name in kept]
        now, then = _balances(live), _balances(copy)
    changed = {key for key in {*now, *then} if now.get(key, 0) != then.get(key, 0)}
    by_asset: Counter[str] = Counter()
    for key in changed:
        if key[1].startswith(CUSTOMER_PREFIX):
            by_asset[key[2]] += abs(now.get(key, 0) - then.get(key, 0))
    return Loss(
        backup_at,
        database_at,
        dict(sorted(acts.items())),
        len(now),
        len(changed),
        {name: format_atoms(found, ASSETS_BY_KEY[name]) for name, found in by_asset.items()},
        (*breaches, *_witnessed_otherwise(context, restored)),
    )


def _differences(live: Session, copy: Session, name: str, size: int) -> Iterator[str]:
    """The first entry that the backup has and the database hasn't."""
    both = zip_longest(*(checkpoints.leaves(each, name, 0, size) for each in (live, copy)))
    for number, (ours, theirs) in enumerate(both, 1):
        if ours != theirs:
            yield f"log {name}: entry {number} of the backup isn't this database's"
            return


def _balances(session: Session) -> _Balances:
    rows = session.stream(_BALANCES)
    return {(row.organisation_id, row.code, row.asset): int(row.balance) for row in rows}


def _witnessed_otherwise(context: EngineContext, restored: Database) -> Iterator[str]:
    """Heads of witnesses that the backup contradicts; larger ones are what it doesn't have yet."""
    known = context.signers
    signers = Signers(known.key_folder, known.witnesses, known.place)
    for each in judge_heads(replace(context, database=restored, signers=signers)).judgements:
        if each.contradicted_at is not None and each.contradicted_at <= each.size:
            yield f"{each.origin}: witnesses have seen another log than the backup's"
