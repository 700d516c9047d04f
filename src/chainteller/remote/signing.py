"""The signature of an agent under each request (``domain.agents``)."""

from collections.abc import Mapping

from nacl.signing import SigningKey

from chainteller.domain.clock import SECOND, Clock
from chainteller.domain.signed_requests import (
    DIGEST_HEADER,
    INPUT_HEADER,
    SIGNATURE_HEADER,
    Target,
    content_digest,
    parameters_of,
    signature_base,
    signature_field,
    signature_input,
)


class AgentSigner:
    """Signs requests with the key of an agent; ``seed`` is the private key, 32 bytes."""

    def __init__(self, agent_id: str, seed: bytes, clock: Clock) -> None:
        self._agent_id, self._key, self._clock = agent_id, SigningKey(seed), clock

    def __call__(
        self, target: Target, headers: Mapping[str, str], body: bytes | None
    ) -> Mapping[str, str]:
        digest = {} if body is None else {DIGEST_HEADER: content_digest(body)}
        signed = {**headers, **digest}
        told = signature_input(signed, self._clock.now() // SECOND, self._agent_id)
        base = signature_base(target, signed, parameters_of(told))
        signature = signature_field(self._key.sign(base).signature)
        return {**digest, INPUT_HEADER: told, SIGNATURE_HEADER: signature}
