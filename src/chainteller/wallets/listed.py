"""Listed addresses: those that nobody's wallet has, and those of services.

Burn addresses, token contracts and programs are nobody's. Exchanges and mixers send what their
customers ask for, so that a transfer from them says nothing about a customer.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from chainteller.wallets.family import Address

UNOWNED = Path(__file__).with_name("unowned_addresses.toml")
SERVICES = Path(__file__).with_name("services.toml")
REASONS: Mapping[str, str] = {
    "burn": "BURN_ADDRESS",
    "token": "TOKEN_CONTRACT",
    "program": "PROGRAM",
}
"""The reason of INVALID_ADDRESS for each kind that is nobody's."""


class Unowned(NamedTuple):
    """``name`` says what the address is: the USDT token."""

    reason: str
    name: str


def unowned(address: Address) -> Unowned | None:
    """What a listed address is; None for one that may be somebody's."""
    found = _found(UNOWNED, address)
    return None if found is None else Unowned(REASONS[found[0]], found[1])


def service_at(address: Address) -> str:
    """The name of the service whose address it is; empty for any other address."""
    found = _found(SERVICES, address)
    return "" if found is None else found[1]


def _found(file: Path, address: Address) -> tuple[str, str] | None:
    """The kind and the name of a listed address."""
    listed = _listed(file)
    found = (listed.get((name, address.display)) for name in address.network.listed_as)
    return next((each for each in found if each is not None), None)


@cache
def _listed(file: Path) -> Mapping[tuple[str, str], tuple[str, str]]:
    """By network or family, and address as people read it."""
    groups = tomllib.loads(file.read_text(encoding="utf-8"))["group"]
    return {
        (network, address): (group["kind"], name)
        for group in groups
        for network in group["networks"]
        for address, name in group["addresses"]
    }
