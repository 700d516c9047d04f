"""What a deployment's monitoring sees: business, due work, prices, heads and connections."""

from collections.abc import Iterator, Mapping

from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.clock import SECOND
from chainteller.domain.options import Quota, Quotas
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import now
from chainteller.service.deployment import Figure
from chainteller.storage.queries import disputes, figures, quotas, webhooks


def read(context: EngineContext) -> tuple[Figure, ...]:
    """All figures of now. Raises ServiceUnavailable: the database can't be used."""
    with context.database.read() as connection:
        at = now(context, connection)
        found = figures.read(connection, at)
        verified, disputed = disputes.verified(connection), disputes.disputed(connection)
        endpoints, unsent = webhooks.counts(connection), webhooks.oldest_unsent(connection)
        had = quotas.most(connection, at)
    books = _of_books(verified, len(disputed), at)
    sent = _of_webhooks(endpoints, unsent, at)
    shares = _of_quotas(had, context.options.quotas)
    return (*_of_business(found, at), *books, *sent, *shares, *_of_prices(context, at))


def _of_books(verified: disputes.Verified, disputed: int, at: int) -> Iterator[Figure]:
    yield Figure("chainteller_disputes", "Breaches of the books that nobody cleared.", disputed)
    ages = {"new": verified.at, "all": verified.wholly_at}
    for what, verified_at in ages.items():
        if verified_at:
            age = max(0, at - verified_at) / SECOND
            told = "How long ago the books were verified."
            yield Figure("chainteller_books_age_seconds", told, age, {"part": what})


def _of_webhooks(counts: Mapping[str, int], unsent: int | None, at: int) -> Iterator[Figure]:
    for status, count in counts.items():
        yield Figure("chainteller_webhooks", "Webhooks by state.", count, {"status": status})
    lag = 0.0 if unsent is None else max(0, at - unsent) / SECOND
    told = "How long the oldest event waits that a webhook doesn't have."
    yield Figure("chainteller_webhook_lag_seconds", told, lag)


def _of_quotas(had: Mapping[Quota, int], allowed: Quotas) -> Iterator[Figure]:
    told = "Share of a quota that the organisation with the most uses."
    for quota, count in had.items():
        share = count / getattr(allowed, quota)
        yield Figure("chainteller_quota_used_ratio", told, share, {"quota": quota})


def _of_business(found: figures.Figures, at: int) -> Iterator[Figure]:
    for status, count in sorted(found.trades.items()):
        yield Figure("chainteller_trades", "Trades by state.", count, {"status": status})
    for (direction, status), count in sorted(found.transfers.items()):
        labels = {"direction": direction, "status": status}
        yield Figure("chainteller_transfers", "Deposits and withdrawals by state.", count, labels)
    yield Figure("chainteller_open_quotes", "Quotes that can be executed.", found.open_quotes)
    yield Figure("chainteller_due_jobs", "Scheduled work that is due.", found.due_jobs)
    lag = 0.0 if found.oldest_due_job is None else (at - found.oldest_due_job) / SECOND
    yield Figure("chainteller_job_lag_seconds", "How long the oldest due work is due.", lag)
    yield Figure(
        "chainteller_lock_waits", "Sessions of the database that wait for a lock.", found.lock_waits
    )
    if found.newest_checkpoint is not None:
        age = max(0, at - found.newest_checkpoint) / SECOND
        yield Figure("chainteller_checkpoint_age_seconds", "Age of the newest signed head.", age)


def _of_prices(context: EngineContext, at: int) -> Iterator[Figure]:
    for market in MARKETS_BY_NAME:
        point = context.feed.price(market, at)
        if point is not None:
            age = max(0, at - point.at) / SECOND
            yield Figure(
                "chainteller_price_age_seconds", "Age of the newest price.", age, {"market": market}
            )


def of_process(context: EngineContext) -> Iterator[Figure]:
    """This process's connections to the database; asks nobody."""
    pool, told = context.database.sessions.pool, "Connections to the database."
    yield Figure("chainteller_pool_connections", told, pool.used, {"state": "used"})
    yield Figure("chainteller_pool_connections", told, pool.idle, {"state": "idle"})
