"""Reads a customer's address for one network strictly, or says why it is not one."""

import re
from contextlib import suppress

from chainteller.domain.bare_keys import has_hex_key
from chainteller.domain.pasted_secrets import find_secret
from chainteller.domain.pasting import MAX_PASTE, unquoted, without_invisibles
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Address, InvalidAddress, Network
from chainteller.wallets.foreign import foreign_network
from chainteller.wallets.networks import NETWORKS

__all__ = [
    "Address",
    "InvalidAddress",
    "address_on_any",
    "is_address",
    "parse_address",
]

_FAMILY_OF_SCHEME = {scheme: family for family in FAMILIES for scheme in family.uri_schemes}
_NAMESPACES = "|".join(sorted({network.namespace for network in NETWORKS}))
_NAME = re.compile(r"[^\s:/]+\.[a-z][a-z0-9]{1,14}", re.IGNORECASE)
_CAIP10 = re.compile(rf"((?:{_NAMESPACES}):[-a-zA-Z0-9]{{1,64}}):(.+)", re.ASCII)
_SCHEME = re.compile(rf"({'|'.join(_FAMILY_OF_SCHEME)}):(?://)?(.+)", re.ASCII | re.IGNORECASE)
# What an address of another family may look like to the parser of this one.
_PERHAPS_FOREIGN = frozenset(
    {"ENCODING", "LENGTH", "UNSUPPORTED_TYPE", "CHECKSUM", "WRONG_NETWORK"}
)


def parse_address(text: str, network: Network) -> Address:
    """Read an address as typed or pasted, also as CAIP-10 or with a URI scheme.

    Raises:
        InvalidAddress: with the most telling reason.
    """
    bare = _bare(_typed(text), network)
    try:
        return network.family.parse_address(bare, network)
    except InvalidAddress as invalid:
        reason = invalid.reason
    other = _other_network(bare, network, reason)
    raise InvalidAddress("WRONG_NETWORK" if other else reason, other)


def _typed(text: str) -> str:
    """The characters that count, if none of them is a secret."""
    if len(text) > MAX_PASTE:
        raise InvalidAddress("LENGTH")
    visible = without_invisibles(text)
    is_one = is_address(visible)  # its form says so, and no search has to load recovery words
    if not is_one and (find_secret(visible) or has_hex_key(visible)):
        raise InvalidAddress("SECRET_PASTED")
    return "".join(unquoted(visible).split())


def _bare(typed: str, network: Network) -> str:
    """The address alone, as it's written on the network."""
    bare = _unwrap(typed, network)
    if not bare:
        raise InvalidAddress("LENGTH")
    if _NAME.fullmatch(bare):
        raise InvalidAddress("NAME")
    return bare


def _other_network(bare: str, network: Network, reason: str) -> str:
    """The network that an address is of, when it isn't one of this family; empty if unknown."""
    if reason not in _PERHAPS_FOREIGN:
        return ""
    # Families share forms: an address of this one is of another of its networks.
    others = () if network.family.is_address(bare) else FAMILIES
    family = next((each.label for each in others if each.is_address(bare)), "")
    return foreign_network(bare) or family


def _unwrap(text: str, network: Network) -> str:
    qualified = _CAIP10.fullmatch(text)
    if qualified:
        if qualified[1].lower() != network.caip2.lower():
            raise InvalidAddress("WRONG_NETWORK")
        return qualified[2]
    uri = _SCHEME.fullmatch(text)
    if not uri:
        return text
    if _FAMILY_OF_SCHEME[uri[1].lower()] is not network.family:
        raise InvalidAddress("WRONG_NETWORK", _FAMILY_OF_SCHEME[uri[1].lower()].label)
    bare, _, _query = uri[2].partition("?")
    bare, at_sign, reference = bare.partition("@")
    if at_sign and reference != network.reference:
        raise InvalidAddress("WRONG_NETWORK")
    return bare


def is_address(text: str) -> bool:
    """Whether the text is a well-formed address of some network, and nothing else."""
    return any(family.is_address(text) for family in FAMILIES)


def address_on_any(text: str) -> Address | None:
    """The address on the first network, main networks first, on which the text is one."""
    try:
        typed = _typed(text)
    except InvalidAddress:
        return None
    readable = [family for family in FAMILIES if ":" in typed or family.is_address(typed)]
    for network in NETWORKS:
        if network.family in readable:
            with suppress(InvalidAddress):
                return network.family.parse_address(_bare(typed, network), network)
    return None
