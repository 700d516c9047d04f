"""People who sign in with the bank's OpenID provider, the issuer, instead of enrolling a machine.

Who signed in is an agent like any other. The id is made of the issuer and its subject, which is one
person's for good (OpenID Connect Core, section 2), and the name is the one of the first sign-in.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from chainteller.domain.clock import SECOND
from chainteller.domain.ids import Prefix, id_of

CLOCKS_WITHIN = 10 * SECOND
"""How far the issuer's clock may be from the deployment's."""
TOKEN_AGE_S = 40
"""For how long after it was issued an access token is accepted. With ``CLOCKS_WITHIN``, and the
five seconds after which an event stream looks again, that's less than a minute."""
STREAM_LOOKS_S = 5.0
"""How often the event stream of whoever signed in looks whether the sign-in still holds."""


class SignedIn(NamedTuple):
    """What an access token says, whose signature was verified: ``name`` is empty where it says
    none, and ``begins`` is 0. Times are in microseconds, by the issuer's clock."""

    issuer: str
    subject: str
    name: str
    groups: tuple[str, ...]
    issued: int
    expires: int
    begins: int = 0

    def agent_id(self, organisation_id: str) -> str:
        """The id of the organisation's agent who this is."""
        named = f"sign-in\0{organisation_id}\0{self.issuer}\0{self.subject}"
        return id_of(Prefix.AGENT, hashlib.sha256(named.encode()).digest())

    def refusal(self, at: int, longest_s: float) -> str | None:
        """Why the token isn't accepted at an instant; None if it is."""
        if max(self.issued, self.begins) > at + CLOCKS_WITHIN:
            return "TOKEN_TIME"
        if at > min(self.issued + round(longest_s * SECOND), self.expires + CLOCKS_WITHIN):
            return "TOKEN_EXPIRED"
        return None


class Prompt(NamedTuple):
    """What a person does to sign in: open ``address`` in a browser, on any machine, and enter
    ``code``. ``whole_address`` has the code in it; empty where the issuer has none. ``within_s`` is
    how long the code holds."""

    address: str
    code: str
    whole_address: str
    within_s: int


def roles_of(granted: Mapping[str, str], groups: Iterable[str]) -> tuple[str, ...]:
    """The roles that a policy grants to groups of the issuer, in the policy's order. Groups that it
    doesn't name give nothing."""
    held = set(groups)
    return tuple(dict.fromkeys(role for group, role in granted.items() if group in held))


def is_access_token(bearer: str) -> bool:
    """Whether what stands after ``Bearer`` is a signed token (RFC 7515), and no API key."""
    return bearer.count(".") == 2
