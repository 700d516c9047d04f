"""Agents who sign requests: who they are, and what they may do under an API key."""

import time
from dataclasses import replace
from typing import NamedTuple

from chainteller.domain.actors import Actor
from chainteller.domain.agents import AgentStatus, scopes_of_roles
from chainteller.domain.signed_requests import SIGNED_WITHIN, Signed
from chainteller.engine.core import timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.operations.key_uses import KeyUse, KeyUses
from chainteller.engine.operations.keys import REMEMBERED_S
from chainteller.service.deployment import Principal
from chainteller.service.errors import Unauthorized
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import agents
from chainteller.wallets import ed25519

_MOST_KNOWN = 1_000


class _Known(NamedTuple):
    row: Record
    read_at_s: float
    use: KeyUse


class KnownAgents:
    """The rows of agents who make requests. As an API key's row, an agent's is compared with the
    log when this process first uses it as it is, and isn't read again for ``REMEMBERED_S``."""

    def __init__(self, context: EngineContext, uses: KeyUses) -> None:
        self._context, self._uses = context, uses
        self._known: dict[tuple[str, str], _Known] = {}

    def recent(self, organisation: str, agent_id: str) -> Record | None:
        """The row of an agent who was read a moment ago; never waits."""
        known = self._known.get((organisation, agent_id))
        if known is None or time.monotonic() - known.read_at_s > REMEMBERED_S:
            return None
        return known.row

    def read(self, organisation: str, agent_id: str) -> Record | None:
        """The row of an agent; None where there's none.

        Raises:
            Unauthorized: AGENT_UNKNOWN, to the log.
            ServiceUnavailable: the database cannot be asked.
        """
        now_s, least = time.monotonic(), self._uses.sizes
        with self._context.database.read() as connection:
            row = agents.find_with_log(connection, organisation, agent_id)
        if row is None:
            return None
        former = self._known.get((organisation, agent_id))
        use = self._uses.judged(Tables.agent, row, None if former is None else former.use, least)
        if use is None:
            raise Unauthorized("AGENT_UNKNOWN")
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[organisation, agent_id] = _Known(row, now_s, use)
        return row

    def still_holds(self, actor: Actor) -> bool:
        """Whether an agent who opened something that lasts is still in force. Raises
        ServiceUnavailable."""
        with self._context.database.read() as connection:
            row = agents.find(connection, actor.organisation, actor.agent_id)
        at = timekeeping.estimate(self._context.clock, self._context.keeper)
        return row is not None and agents.status(row, at) is AgentStatus.APPROVED


class SignedRequests:
    """Tells whose signature a request has."""

    def __init__(self, context: EngineContext, known: KnownAgents) -> None:
        self._context, self._known = context, known
        self._made: dict[tuple[str, str], tuple[Principal, Record, Principal]] = {}
        """Agents under API keys, with what the key and the agent were read as."""

    def recognised(self, principal: Principal, signed: Signed) -> Principal | None:
        """As ``principal``, of an agent who was read a moment ago; never waits."""
        row = self._known.recent(principal.actor.organisation, signed.agent_id)
        return None if row is None else self._judged(principal, signed, row)

    def principal(self, principal: Principal, signed: Signed) -> Principal:
        """Who acts under an API key: an agent, with what both the key and the roles allow.

        Raises:
            Unauthorized: AGENT_UNKNOWN (to the log, too), AGENT_WAITING, AGENT_EXPIRED,
                AGENT_REVOKED, SIGNATURE_INVALID or SIGNATURE_TIME.
            ServiceUnavailable: the database cannot be asked.
        """
        row = self._known.read(principal.actor.organisation, signed.agent_id)
        if row is None:
            raise Unauthorized("AGENT_UNKNOWN")
        return self._judged(principal, signed, row)

    def _judged(self, principal: Principal, signed: Signed, row: Record) -> Principal:
        """Raises Unauthorized."""
        at = timekeeping.estimate(self._context.clock, self._context.keeper)
        status = agents.status(row, at)
        if status is not AgentStatus.APPROVED:
            raise Unauthorized(f"AGENT_{status.upper()}")
        try:
            is_signed = ed25519.signs(signed.base, signed.signature, bytes.fromhex(row.public_key))
        except ValueError:  # a row that was altered
            is_signed = False
        if not is_signed:
            raise Unauthorized("SIGNATURE_INVALID")
        if abs(at - signed.created) > SIGNED_WITHIN:
            raise Unauthorized("SIGNATURE_TIME")
        place = principal.actor.key_id, row.id
        made = self._made.get(place)
        if made is None or made[0] is not principal or made[1] is not row:
            if len(self._made) >= _MOST_KNOWN:
                self._made.clear()
            made = self._made[place] = principal, row, self._acting(principal, row)
        return made[2]

    def _acting(self, principal: Principal, row: Record) -> Principal:
        granted = self._context.options.policy.granted
        scopes, roles = principal.scopes, row.roles.split()
        if granted:
            scopes &= scopes_of_roles(granted, roles)
        actor = replace(
            principal.actor,
            name=row.name,
            scopes=scopes,
            agent_id=row.id,
            roles=frozenset(roles),
        )
        return Principal(actor, scopes)
