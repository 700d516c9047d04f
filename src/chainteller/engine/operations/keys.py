"""API keys: issued, listed, revoked, rotated, and checked at every request.

Keys are made from the operating system's randomness only, never from a seed. Every change is
one transaction with its audit row and event; the secret appears in neither.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from chainteller.domain.actors import DEFAULT_ORGANISATION, DESK, OF_PEOPLE, Actor
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import ID_FORM, plausible
from chainteller.domain.keys import (
    LAST_USE_STEP,
    MAXIMUM_OVERLAP,
    ApiKey,
    new_key,
    refusal_reason,
    scopes_of,
)
from chainteller.domain.options import Quota
from chainteller.domain.randomness import Randomness, SystemRandomness
from chainteller.engine.core import preconditions, reading, timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now
from chainteller.engine.operations import logged_rows
from chainteller.engine.operations.key_uses import KeyUse, KeyUses
from chainteller.service.deployment import Principal
from chainteller.service.entered_secrets import refuse_secret
from chainteller.service.errors import (
    Conflict,
    NotFound,
    ServiceUnavailable,
    Unauthorized,
    ValidationFailed,
)
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import keys, organisations

REMEMBERED_S = 0.2
_MOST_KNOWN = 1_000
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class ApiKeys:
    """The administration of a database's keys, in the name of one actor."""

    context: EngineContext
    actor: Actor = field(default_factory=Actor)
    environment: str = "live"
    randomness: Randomness = field(default_factory=SystemRandomness)

    def create(
        self,
        name: str,
        scopes: tuple[str, ...] = (),
        organisation: str = DEFAULT_ORGANISATION,
        expires: str | None = None,
    ) -> ApiKey:
        """Make a key; its ``text`` is to be shown once. A new organisation begins with it.

        Args:
            name: what the audit trail shows, 1 to 64 printable characters.
            scopes: none means every scope but ``admin``.
            organisation: whose records the key opens.
            expires: a duration such as ``90d``; None never expires.

        Raises:
            ValidationFailed: a name, scope, organisation or duration that cannot be.
            QuotaExceeded.
        """
        row: dict[str, object] = {
            "name": _checked_name(name),
            "organisation_id": _checked_organisation(organisation),
            "scopes": " ".join(_checked_scopes(scopes)),
        }
        lifetime = None if expires is None else reading.duration("expires", expires)
        if lifetime == 0:
            raise ValidationFailed.of("expires", "a duration above zero, such as 90d, or never")
        made = new_key(self.randomness, self.environment)

        def work(tx: UnitOfWork) -> None:
            if organisations.find(tx.connection, organisation) is None:
                organisations.create(tx.rows, organisation, tx.now)
            tx.actor = Actor(organisation, self.actor.name)
            preconditions.require_room(tx, Quota.KEYS)
            until = None if lifetime is None else tx.now + lifetime
            _insert(tx, made, {**row, "expires": until})

        act(self.context, self.actor, work)
        return made

    def listed(self) -> list[dict[str, object]]:
        """Every key of every organisation, newest first, without any secret."""
        with self.context.database.read() as connection:
            at = now(self.context, connection)
            return [_shown(row, at) for row in keys.everything(connection)]

    def revoke(self, key_id: str) -> None:
        """End a key at once; ending it again changes nothing. Raises NotFound: no such key."""

        def work(tx: UnitOfWork) -> None:
            row = _locked(tx, key_id)
            if row.revoked_at is not None and row.revoked_at <= tx.now:
                return
            keys.update(tx.rows, key_id, revoked_at=tx.now)
            tx.audit("revoke_api_key", key_id)
            tx.event("api_key.revoked", key_id)

        act(self.context, self.actor, work, timeless=True)

    def rotate(self, key_id: str, overlap: str = "24h") -> ApiKey:
        """Make a key in another's place; the old one holds for ``overlap`` more, up to 7 days.

        Raises:
            NotFound: no such key.
            Conflict: it is expired, revoked or already replaced.
            ValidationFailed: no duration, or a longer one.
            Altered: the key isn't as the log says.
        """
        kept = 0 if overlap == "0" else reading.duration("overlap", overlap)
        if kept > MAXIMUM_OVERLAP:
            raise ValidationFailed.of("overlap", "At most 7d.")
        made = new_key(self.randomness, self.environment)

        def work(tx: UnitOfWork) -> None:
            old = _locked(tx, key_id)
            if old.replaced_by or refusal_reason(
                now=tx.now, expires=old.expires, revoked_at=old.revoked_at
            ):
                raise Conflict(
                    "This key is no longer in force.",
                    {"resource": "API key", "id": key_id, "reason": "NOT_IN_FORCE"},
                )
            kept_row = (Kept(Tables.api_key, key_id),)
            logged_rows.require_as_logged(tx, kept_row)
            lifetime = None if old.expires is None else old.expires - old.created
            row = {
                "name": old.name,
                "organisation_id": old.organisation_id,
                "scopes": old.scopes,
                "expires": None if lifetime is None else tx.now + lifetime,
            }
            _insert(tx, made, row)
            keys.update(tx.rows, key_id, revoked_at=tx.now + kept, replaced_by=made.key_id)
            tx.audit("rotate_api_key", key_id, {"replacedBy": made.key_id, "overlap": overlap})
            tx.event("api_key.rotated", key_id, replacedBy=made.key_id)

        act(self.context, self.actor, work)
        return made


@dataclass(frozen=True, slots=True)
class _Known:
    principal: Principal
    expires: int | None
    revoked_at: int | None
    read_at_s: float
    use: KeyUse


class Authenticator:
    """Authenticates API keys, caching them for a moment.

    A row that this process hasn't used yet as it is now is compared with the log; ``uses`` are
    compared again by whoever looks at the books.

    A key that was just read is not read again for ``REMEMBERED_S``: on SQLite each read delays a
    commit, and one read per request costs three quarters of the writes. Expiry and
    the end of a rotation's overlap are exact; a revocation holds after ``REMEMBERED_S`` at most.
    """

    def __init__(
        self, context: EngineContext, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._context = context
        self._elapsed = elapsed
        self._known: dict[bytes, _Known] = {}
        self.uses = KeyUses(context)

    def principal(self, text: str) -> Principal:
        """Whom a key speaks for.

        Raises:
            Unauthorized: MALFORMED, UNKNOWN (to the log, too), EXPIRED or REVOKED.
            ClockUncertain: the key is valid by the bank's time or by the clock, but not by both.
            ServiceUnavailable: the database cannot be asked.
        """
        recognised = self.recognised(text)
        if recognised is not None:
            return recognised
        return self._read(text).principal

    def recognised(self, text: str) -> Principal | None:
        """Whom a key speaks for that was read a moment ago and still holds."""
        known = self._known.get(_digest(text))
        if known is None or self._elapsed() - known.read_at_s > REMEMBERED_S:
            return None
        at = timekeeping.estimate(self._context.clock, self._context.keeper)
        refused = refusal_reason(now=at, expires=known.expires, revoked_at=known.revoked_at)
        return None if refused else known.principal

    def _read(self, text: str) -> _Known:
        now_s, least = self._elapsed(), self.uses.sizes
        row, now = _authentic(self._context, text)
        digest = _digest(text)
        former = self._known.get(digest)
        use = self.uses.judged(Tables.api_key, row, None if former is None else former.use, least)
        if use is None:
            raise Unauthorized("UNKNOWN")
        if row.last_used_at is None or now - row.last_used_at >= LAST_USE_STEP:
            _mark_used(self._context, use.key_id, now)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        known = _Known(_principal(row), row.expires, row.revoked_at, now_s, use)
        self._known[digest] = known
        return known


def _digest(text: str) -> bytes:
    """Keys are remembered by their hash, so that no dump of memory lists them."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def _principal(row: Record) -> Principal:
    scopes = frozenset(row.scopes.split())
    actor = Actor(row.organisation_id, f"{row.name} ({row.key_id})", row.key_id, scopes)
    return Principal(actor, scopes)


def _authentic(context: EngineContext, text: str) -> tuple[Record, int]:
    """The row of a key in force, and what time it is."""
    key = ApiKey.parse(text)
    if key is None:
        raise Unauthorized("MALFORMED")
    source = context.time
    with context.database.read() as connection:
        row, found = timekeeping.read_with(
            source, connection, keys.find_with_time, key_id=key.key_id
        )
    if found is None or not key.matches(row.secret_hash):
        raise Unauthorized("UNKNOWN")
    reason, other = (
        refusal_reason(now=at, expires=row.expires, revoked_at=row.revoked_at)
        for at in (found.now, found.clock)
    )
    if found.doubt is not None and reason != "REVOKED" and (reason is None) != (other is None):
        raise found.refusal()
    if reason is not None:
        raise Unauthorized(reason)
    return row, found.now


def _mark_used(context: EngineContext, key_id: str, now: int) -> None:
    """A note for the operator: where it cannot be written, the request goes on without it."""
    try:
        act(
            context,
            Actor(key_id=key_id),
            lambda tx: keys.update(tx.rows, key_id, last_used_at=now),
        )
    except ServiceUnavailable:
        return


def _insert(tx: UnitOfWork, made: ApiKey, row: dict[str, object]) -> None:
    key_row = {
        **row,
        "key_id": made.key_id,
        "secret_hash": made.secret_hash,
        "created": tx.now,
    }
    tx.rows.insert(Tables.api_key, [key_row])
    tx.audit("create_api_key", made.key_id, {"name": row["name"], "scopes": row["scopes"]})
    tx.event("api_key.created", made.key_id, name=row["name"])


def _locked(tx: UnitOfWork, key_id: str) -> Record:
    row = keys.find(tx.connection, key_id, lock=True) if plausible(key_id) else None
    if row is None:
        raise NotFound("API key", key_id if plausible(key_id) else "")
    tx.actor = Actor(row.organisation_id, tx.actor.name)
    return row


def _shown(row: Record, now: int) -> dict[str, object]:
    reason = refusal_reason(now=now, expires=row.expires, revoked_at=row.revoked_at)
    status = reason.lower() if reason else "rotated" if row.replaced_by else "active"
    return {
        "id": row.key_id,
        "name": row.name,
        "organisation": row.organisation_id,
        "status": status,
        "scopes": row.scopes.split(),
        "created": format_instant(row.created),
        "expires": _instant(row.expires),
        "revokedAt": _instant(row.revoked_at),
        "lastUsedAt": _instant(row.last_used_at),
        "replacedBy": row.replaced_by,
    }


def _instant(at: int | None) -> str | None:
    return None if at is None else format_instant(at)


def _checked_name(name: str) -> str:
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        raise ValidationFailed.of("name", f"1 to {_LONGEST_NAME} printable characters.")
    refuse_secret("name", name)
    return name


def _checked_organisation(organisation: str) -> str:
    if not plausible(organisation):
        raise ValidationFailed.of("organisation", f"{ID_FORM}.")
    refuse_secret("organisation", organisation)
    return organisation


def _checked_scopes(scopes: tuple[str, ...]) -> tuple[str, ...]:
    try:
        found = scopes_of(scopes)
    except ValueError as error:
        raise ValidationFailed.of("scope", str(error)) from None
    of_people = sorted(OF_PEOPLE.intersection(found))
    if of_people and DESK not in found:
        told = f"Only a key for desks has {', '.join(of_people)}: add the scope {DESK}."
        raise ValidationFailed.of("scope", told)
    return found
