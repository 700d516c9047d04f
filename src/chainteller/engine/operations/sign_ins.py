"""People who sign in with the bank's issuer: who they are, and what their roles let them do."""

import hashlib
from dataclasses import replace

from chainteller.domain.actors import Actor
from chainteller.domain.agents import scopes_of_roles
from chainteller.domain.sign_ins import SignedIn, roles_of
from chainteller.engine.core import timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.ports import Issuer
from chainteller.engine.core.unit_of_work import act
from chainteller.engine.operations.agent_requests import KnownAgents
from chainteller.engine.operations.agents import admit
from chainteller.service.deployment import Principal
from chainteller.service.errors import Unauthorized
from chainteller.storage.db.query import Record

_MOST_SEEN = 1_000


class SignIns:
    """Tells who sent an access token, for ``longest_s`` seconds after it was issued. The agent's
    row has the roles of the newest token that came, so that an older one with other roles isn't
    accepted any more."""

    def __init__(
        self, context: EngineContext, known: KnownAgents, issuer: Issuer, longest_s: float
    ) -> None:
        self._context, self._known, self._issuer = context, known, issuer
        self._longest_s = longest_s
        self._actor = Actor(name=issuer.host, scopes=frozenset())
        self._seen: dict[bytes, SignedIn] = {}

    def recognised(self, token: str) -> Principal | None:
        """Who sent a token that came a moment ago; never waits. Raises Unauthorized."""
        seen = self._seen.get(_digest(token))
        if seen is None:
            return None
        row = self._known.recent(self._actor.organisation, seen.agent_id(self._actor.organisation))
        return None if row is None else self._judged(seen, row)

    def principal(self, token: str) -> Principal:
        """Who sent a token, with what their roles allow; a new agent is put on record, and so are
        other roles.

        Raises:
            Unauthorized: a reason of who signs in.
            ServiceUnavailable: the issuer's keys or the agent can't be read.
        """
        seen = self._seen.get(_digest(token)) or self._issuer.signed_in(token)
        self._require_in_time(seen)
        organisation = self._actor.organisation
        identifier, roles = seen.agent_id(organisation), self._roles(seen)
        row = self._known.read(organisation, identifier)
        if row is None and not roles:
            raise Unauthorized("AGENT_WITHOUT_ROLE")
        if row is None or row.roles != " ".join(roles):
            act(self._context, self._actor, lambda tx: admit(tx, seen, identifier, roles))
            row = self._known.read(organisation, identifier)
        if row is None:
            raise Unauthorized("AGENT_UNKNOWN")
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[_digest(token)] = seen
        return self._judged(seen, row)

    def _judged(self, seen: SignedIn, row: Record) -> Principal:
        """Raises Unauthorized."""
        self._require_in_time(seen)
        if row.revoked_at is not None:
            raise Unauthorized("AGENT_REVOKED")
        roles = self._roles(seen)
        if row.roles != " ".join(roles):
            raise Unauthorized("TOKEN_EXPIRED")
        if not roles:
            raise Unauthorized("AGENT_WITHOUT_ROLE")
        scopes = scopes_of_roles(self._context.options.policy.granted, roles)
        actor = replace(
            self._actor, name=row.name, scopes=scopes, agent_id=row.id, roles=frozenset(roles)
        )
        return Principal(actor, scopes)

    def _roles(self, seen: SignedIn) -> tuple[str, ...]:
        return roles_of(dict(self._context.options.policy.sign_in), seen.groups)

    def _require_in_time(self, seen: SignedIn) -> None:
        """Raises Unauthorized: TOKEN_TIME or TOKEN_EXPIRED."""
        at = timekeeping.estimate(self._context.clock, self._context.keeper)
        refused = seen.refusal(at, self._longest_s)
        if refused is not None:
            raise Unauthorized(refused)


def _digest(token: str) -> bytes:
    """Tokens are remembered by their hash, so that no dump of memory lists them."""
    return hashlib.sha256(token.encode()).digest()
