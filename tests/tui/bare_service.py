"""A deployment that offers the specification's own calls and nothing else."""

from typing import Any

from chainteller.service.errors import NotOffered
from chainteller.service.features import EVERY_FEATURE
from chainteller.service.interface import Service

_ADDED = {name.replace("-", "_") for name in EVERY_FEATURE} | {
    "trading_account",
    "quote",
    "blockchain_account",
    "open_blockchain_account",
    "counterparty",
    "diagnose_signature",
}


class Bare:
    """Answers as ``inner`` does where the specification names the call."""

    def __init__(self, inner: Service) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return self._refuse if name in _ADDED else getattr(self._inner, name)

    def _refuse(self, *_: object, **__: object) -> None:
        raise NotOffered("This deployment does not offer it.")
