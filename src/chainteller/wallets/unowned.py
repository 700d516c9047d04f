"""Addresses that nobody's wallet has: burn addresses, token contracts and programs."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from chainteller.wallets.family import Address

FILE = Path(__file__).with_name("unowned_addresses.toml")
REASONS: Mapping[str, str] = {
    "burn": "BURN_ADDRESS",
    "token": "TOKEN_CONTRACT",
    "program": "PROGRAM",
}
"""The reason of INVALID_ADDRESS for each kind."""


class Unowned(NamedTuple):
    """``name`` says what the address is: the USDT token."""

    reason: str
    name: str


def unowned(address: Address) -> Unowned | None:
    """What a listed address is; None for any other one."""
    listed = _listed()
    found = (listed.get((name, address.display)) for name in address.network.listed_as)
    return next((each for each in found if each is not None), None)


@cache
def _listed() -> Mapping[tuple[str, str], Unowned]:
    """By network or family, and address as people read it."""
    groups = tomllib.loads(FILE.read_text(encoding="utf-8"))["group"]
    return {
        (network, address): Unowned(REASONS[group["kind"]], name)
        for group in groups
        for network in group["networks"]
        for address, name in group["addresses"]
    }
