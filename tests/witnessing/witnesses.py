"""Real witnesses over HTTP for tests: each is a process, reached through sockets."""

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chainteller.witnessing.notes import SignatureType, SignerKey, VerifierKey

PROGRAM = Path(__file__).with_name("witness_process.py")
SEED = bytes(range(32))
NAME = "witness.example/w1"


@dataclass(frozen=True, slots=True)
class RunningWitness:
    address: str

    @property
    def key(self) -> VerifierKey:
        return SignerKey(NAME, SEED, SignatureType.COSIGNATURE_V1).verifier

    def behave(self, **how: object) -> None:
        """Answer as told from now on; without arguments, by the protocol."""
        request = urllib.request.Request(  # noqa: S310 - our own process
            f"{self.address}/behave", json.dumps(how).encode(), method="POST"
        )
        urllib.request.urlopen(request).close()  # noqa: S310 - as above

    def heads(self) -> dict[str, tuple[int, bytes]]:
        """The witness's own heads, by the logs' names."""
        with urllib.request.urlopen(self.address) as reply:  # noqa: S310 - as above
            found = json.load(reply)
        return {name: (size, bytes.fromhex(root)) for name, (size, root) in found.items()}


@contextlib.contextmanager
def running_witness(keys: Sequence[VerifierKey]) -> Iterator[RunningWitness]:
    """A witness that knows the logs of these keys."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), SEED.hex(), NAME, *(each.encode() for each in keys)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield RunningWitness(process.stdout.readline().strip())
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
