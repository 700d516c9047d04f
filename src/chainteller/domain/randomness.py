"""Randomness from the operating system, or from a seed if a run must be repeatable."""

import os
from typing import Protocol


class Randomness(Protocol):
    def bytes(self, count: int) -> bytes:
        """``count`` unpredictable (or, from a seed, repeatable) bytes."""


class SystemRandomness:
    """The operating system's generator, for ids, nonces and keys."""

    def bytes(self, count: int) -> bytes:
        return os.urandom(count)


class SeededRandomness:
    """A repeatable stream (SHA-256 in counter mode) for demos, training, tests and samples."""

    def __init__(self, seed: str) -> None:
        from hashlib import sha256  # noqa: PLC0415 - the console's first frame needs no digest

        self._digest = sha256
        self._seed = sha256(seed.encode()).digest()
        self._counter = 0
        self._buffer = b""

    def bytes(self, count: int) -> bytes:
        while len(self._buffer) < count:
            block = self._seed + self._counter.to_bytes(8, "big")
            self._buffer += self._digest(block).digest()
            self._counter += 1
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken


def below(randomness: Randomness, bound: int) -> int:
    """A random number in ``[0, bound)``; the bias is below 2 ** -32 for bounds up to 2 ** 32."""
    return int.from_bytes(randomness.bytes(8), "big") % bound
