"""Who else worked on a customer lately, as far as the deployment's events name who did what.

Nothing is announced by a console, and nothing is claimed where events name nobody.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from chainteller.domain.clock import MINUTE, from_datetime, to_datetime
from chainteller.records.formats import clock_time

if TYPE_CHECKING:
    from chainteller.service.models.records import Event

LATELY = 10 * MINUTE
LOOKED_BACK = 500 * 64
"""How far back events are read at the start, to know of what happened before: a cursor moves on by
64 with each entry of the audit trail, which seldom has more than one event."""
READ_BACK = 1_000
"""Events that are read at most."""
_KINDS = {
    "trading_account": "account",
    "blockchain_account": "wallets",
    "counterparty": "wallets",
    "ownership_challenge": "wallets",
    "ownership_claim": "wallets",
    "ownership_statement": "wallets",
    "small_transfer": "wallets",
}


class Colleague(NamedTuple):
    """Somebody else's newest change to a customer's records."""

    at: int
    name: str
    kind: str


class Colleagues:
    """Other actors' changes of the last ten minutes, by trading account."""

    def __init__(self) -> None:
        self.own_name = ""
        """How events name this desk; while it's empty, nobody can be told from it."""
        self._seen: dict[str, dict[str, Colleague]] = {}

    def note(self, events: "Iterable[Event]", now: int) -> None:
        """Take in events that were fetched."""
        for event in events:
            account_id = event.data.get("tradingAccountId")
            if event.actor and isinstance(account_id, str) and self._is_other(event.actor):
                kind = event.type.partition(".")[0]
                seen = Colleague(from_datetime(event.at), event.actor, _KINDS.get(kind, kind))
                by_name = self._seen.setdefault(account_id, {})
                by_name[seen.name] = max(seen, by_name.get(seen.name, seen))
        self._seen = {
            account_id: kept
            for account_id, by_name in self._seen.items()
            if (kept := {row.name: row for row in by_name.values() if now - row.at < LATELY})
        }

    def _is_other(self, actor: str) -> bool:
        return bool(self.own_name) and actor != self.own_name

    def on(self, account_id: str, now: int) -> list[Colleague]:
        """Who changed something of an account lately, the newest first."""
        found = self._seen.get(account_id, {}).values()
        return sorted((row for row in found if now - row.at < LATELY), reverse=True)


def words(found: list[Colleague], whose: str, now: int) -> tuple[str, str]:
    """Who else works for ``whose``, and the newest of what they did: ``trade 09:12:44Z, 2 min
    ago``."""
    newest = found[0]
    minutes = max(0, now - newest.at) // MINUTE
    ago = f"{minutes} min ago" if minutes else "just now"
    at = clock_time(to_datetime(newest.at))
    others = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"Also on {whose}: {newest.name}{others}", f"{newest.kind} {at}Z, {ago}"
