"""Requests that agents sign, as RFC 9421 (HTTP Message Signatures) says, with Ed25519.

The same components stand in the same order in every request.
"""

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import NamedTuple

from chainteller.domain.clock import MINUTE

SIGNED_WITHIN = MINUTE
"""How far the time of a signature may be from the deployment's."""
CASE_HEADER, KEY_HEADER = "chainteller-case", "idempotency-key"
DIGEST_HEADER, SIGNATURE_HEADER, INPUT_HEADER = "content-digest", "signature", "signature-input"
LABEL = "agent"
_COVERED = (DIGEST_HEADER, KEY_HEADER, CASE_HEADER)
"""Fields that are signed where a request has them."""
_SIGNER = re.compile(r';created=([0-9]{1,12});keyid="(AGT_[0-9A-Z]{22})"', re.ASCII)
_SIGNATURE = re.compile(rf"{LABEL}=:([A-Za-z0-9+/]{{86}}==):", re.ASCII)


class Signed(NamedTuple):
    """What a request's signature says: by whom, when in microseconds, and of which bytes."""

    agent_id: str
    created: int
    signature: bytes
    base: bytes


class Target(NamedTuple):
    """Where a request goes: ``path`` and ``query`` as they are sent, percent-encoded."""

    method: str
    path: str
    query: str


def content_digest(body: bytes) -> str:
    """The field ``Content-Digest`` of a body (RFC 9530)."""
    return f"sha-256=:{b64encode(hashlib.sha256(body).digest()).decode()}:"


def signature_input(headers: Mapping[str, str], created: int, agent: str) -> str:
    """The field ``Signature-Input`` of a request with these headers, whose names are lower case;
    ``created`` is in seconds since 1970."""
    return f"{LABEL}={_parameters(headers, created, agent)}"


def signature_base(target: Target, headers: Mapping[str, str], parameters: str) -> bytes:
    """The bytes that are signed (RFC 9421, section 2.5)."""
    lines = [
        f'"@method": {target.method}',
        f'"@path": {target.path}',
        f'"@query": ?{target.query}',
        *(f'"{name}": {headers[name].strip(" ")}' for name in _COVERED if name in headers),
        f'"@signature-params": {parameters}',
    ]
    return "\n".join(lines).encode()


def parameters_of(field: str) -> str:
    """What stands in ``Signature-Input`` after the label."""
    return field.partition("=")[2]


def read_signature(target: Target, headers: Mapping[str, str]) -> Signed:
    """What a request says of its signature, to be verified with the agent's key. Raises ValueError:
    it isn't the signature that an agent's request has."""
    components, _, signer = headers.get(INPUT_HEADER, "").partition(")")
    told = _SIGNER.fullmatch(signer)
    signed = _SIGNATURE.fullmatch(headers.get(SIGNATURE_HEADER, ""))
    if told is None or signed is None:
        raise ValueError("no signature of an agent")
    created, agent = int(told[1]), told[2]
    parameters = _parameters(headers, created, agent)
    if f"{components}){signer}" != f"{LABEL}={parameters}":
        raise ValueError("other components are signed")
    base = signature_base(target, headers, parameters)
    return Signed(agent, created * 1_000_000, b64decode(signed[1]), base)


def signature_field(signature: bytes) -> str:
    """The field ``Signature`` of a signature of 64 bytes."""
    return f"{LABEL}=:{b64encode(signature).decode()}:"


def _parameters(headers: Mapping[str, str], created: int, agent: str) -> str:
    names = ("@method", "@path", "@query", *(name for name in _COVERED if name in headers))
    components = " ".join(f'"{name}"' for name in names)
    return f'({components});created={created};keyid="{agent}"'
