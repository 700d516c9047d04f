"""A witness over HTTP: ``POST <address>/add-checkpoint`` (https://c2sp.org/tlog-witness).

The address is the operator's, and a witness is untrusted: replies are bounded in size and time,
redirects aren't followed, and a reply that isn't the protocol's is reported by name.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from chainteller.adapters import bounded
from chainteller.witnessing.errors import WitnessFailed, WitnessProblem
from chainteller.witnessing.notes import NoteSignature, VerifierKey
from chainteller.witnessing.submissions import (
    MAXIMUM_REPLY_BYTES,
    KeptNote,
    Submission,
    read_reply,
)

DEADLINE_S = 5.0


@dataclass(frozen=True, slots=True)
class HttpWitness:
    """A witness's submission prefix, with the keys that its cosignatures are checked with."""

    address: str
    keys: tuple[VerifierKey, ...] = ()
    deadline_s: float = DEADLINE_S
    kind: str = "http"

    def submit(self, submission: Submission) -> tuple[NoteSignature, ...]:
        """Ask for a cosignature; as ``Witness.submit``."""
        try:
            status, body = asyncio.run(self._post(submission.body()))
        except TimeoutError:
            raise WitnessFailed(
                WitnessProblem.SILENT, f"no answer within {self.deadline_s:g} s"
            ) from None
        except httpx.ConnectError:
            raise WitnessFailed(WitnessProblem.SILENT, "it can't be reached") from None
        except bounded.TooLarge as error:
            raise WitnessFailed(WitnessProblem.GARBAGE, str(error)) from None
        except httpx.HTTPError as error:
            raise WitnessFailed(
                WitnessProblem.GARBAGE, f"no usable reply: {type(error).__name__}"
            ) from None
        return read_reply(status, body, submission, self.keys)

    def kept(self, origin: str) -> Sequence[KeptNote]:  # noqa: ARG002 - a witness tells no notes
        return ()

    async def _post(self, body: bytes) -> tuple[int, bytes]:
        """Raises TimeoutError, httpx.HTTPError or TooLarge."""
        async with (
            asyncio.timeout(self.deadline_s),
            bounded.client(self.deadline_s, self.address) as client,
        ):
            place, plain = f"{self.address}/add-checkpoint", {"Content-Type": "text/plain"}
            return await bounded.answer_of(
                client, "POST", place, MAXIMUM_REPLY_BYTES, content=body, headers=plain
            )
