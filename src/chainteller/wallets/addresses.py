"""Reads a customer's address for one network, strictly, and says why it cannot be one."""

import re
from dataclasses import dataclass

import base58
from nacl.bindings import crypto_core_ed25519_is_valid_point

from chainteller.wallets.bech32 import BadBech32, decode_segwit
from chainteller.wallets.ed25519_points import reason_not_signable
from chainteller.wallets.hashes import keccak256
from chainteller.wallets.networks import NETWORKS, Family, Network
from chainteller.wallets.pasted_secrets import find_secret, has_hex_key
from chainteller.wallets.pasting import unquoted, without_invisibles

MAX_PASTE = 20_000
_EVM = re.compile(r"0[xX][0-9a-fA-F]{40}", re.ASCII)
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]+", re.ASCII)
_BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]+", re.ASCII)
_SEGWIT_LIKE = re.compile(r"(?:bc|tb|bcrt|ltc|tltc|bitcoincash)1", re.ASCII | re.IGNORECASE)
_NAME = re.compile(r"[^\s:/]+\.[a-z][a-z0-9]{1,14}", re.IGNORECASE)
_CAIP10 = re.compile(r"((?:eip155|solana|bip122):[-a-zA-Z0-9]{1,64}):(.+)", re.ASCII)
_SCHEME = re.compile(r"(ethereum|eth|solana|bitcoin):(?://)?(.+)", re.ASCII | re.IGNORECASE)
_SCHEME_FAMILY = {
    "ethereum": Family.EVM, "eth": Family.EVM, "solana": Family.SOLANA, "bitcoin": Family.BITCOIN,
}  # fmt: skip
_BASE58_KINDS = {0: "p2pkh", 111: "p2pkh", 5: "p2sh", 196: "p2sh"}


@dataclass(frozen=True, slots=True)
class Address:
    """An address that has been checked.

    `canonical` is what is stored and compared, `display` what people read (EIP-55 for EVM).
    `kind` is evm, ed25519, p2pkh, p2sh, p2wpkh, p2wsh or p2tr.
    """

    network: Network
    canonical: str
    display: str
    kind: str


class InvalidAddress(ValueError):
    """Not an address of the network.

    `reason` is CHECKSUM, LENGTH, ENCODING, WRONG_NETWORK, ZERO, OFF_CURVE, SMALL_ORDER, NAME,
    UNSUPPORTED_TYPE or SECRET_PASTED. What was typed is kept nowhere in the exception.
    """

    reason: str

    def __init__(self, reason: str) -> None:
        """Keep the reason alone."""
        self.reason = reason
        super().__init__(f"invalid address: {reason}")


def parse_address(text: str, network: Network) -> Address:
    """Read an address as typed or pasted, also as CAIP-10 or with a URI scheme.

    Raises:
        InvalidAddress: with the most telling reason.
    """
    if len(text) > MAX_PASTE:
        raise InvalidAddress("LENGTH")
    visible = without_invisibles(text)
    if find_secret(unquoted(visible)) or has_hex_key(visible):
        raise InvalidAddress("SECRET_PASTED")
    bare = _unwrap("".join(unquoted(visible).split()), network)
    if not bare:
        raise InvalidAddress("LENGTH")
    if _NAME.fullmatch(bare):
        raise InvalidAddress("NAME")
    return _PARSERS[network.family](bare, network)


def eip55(raw: bytes) -> str:
    """The mixed-case form of 20 address bytes (EIP-55)."""
    lower = raw.hex()
    digest = keccak256(lower.encode()).hex()
    return "0x" + "".join(
        letter.upper() if int(nibble, 16) >= 8 else letter
        for letter, nibble in zip(lower, digest, strict=False)
    )


def evm_address(raw: bytes, network: Network) -> Address:
    """The address of 20 bytes on an EVM network."""
    return Address(network, "0x" + raw.hex(), eip55(raw), "evm")


def _unwrap(text: str, network: Network) -> str:
    qualified = _CAIP10.fullmatch(text)
    if qualified:
        if qualified[1].lower() != network.caip2.lower():
            raise InvalidAddress("WRONG_NETWORK")
        return qualified[2]
    uri = _SCHEME.fullmatch(text)
    if not uri:
        return text
    if _SCHEME_FAMILY[uri[1].lower()] is not network.family:
        raise InvalidAddress("WRONG_NETWORK")
    bare, _, _query = uri[2].partition("?")
    bare, at_sign, chain_id = bare.partition("@")
    if at_sign and chain_id != str(network.chain_id):
        raise InvalidAddress("WRONG_NETWORK")
    return bare


def _parse_evm(text: str, network: Network) -> Address:
    if not _EVM.fullmatch(text):
        raise InvalidAddress(_why_not_evm(text))
    digits = text[2:]
    raw = bytes.fromhex(digits)
    if not any(raw):
        raise InvalidAddress("ZERO")
    address = evm_address(raw, network)
    if digits not in {digits.lower(), digits.upper(), address.display[2:]}:
        raise InvalidAddress("CHECKSUM")
    return address


def _why_not_evm(text: str) -> str:
    if _belongs_to(text, Family.BITCOIN) or _belongs_to(text, Family.SOLANA):
        return "WRONG_NETWORK"
    if text[:2].upper() == "XE" and text[2:4].isdigit():
        return "UNSUPPORTED_TYPE"
    if _HEX.fullmatch(text) and text[:2] in {"0x", "0X"}:
        return "LENGTH"
    return "ENCODING"


def _parse_solana(text: str, network: Network) -> Address:
    if not _BASE58.fullmatch(text):
        foreign = _EVM.fullmatch(text) or _belongs_to(text, Family.BITCOIN)
        raise InvalidAddress("WRONG_NETWORK" if foreign else "ENCODING")
    if _belongs_to(text, Family.BITCOIN):
        raise InvalidAddress("WRONG_NETWORK")
    raw = base58.b58decode(text) if len(text) <= 90 else b""
    if len(raw) != 32 or not 32 <= len(text) <= 44:
        raise InvalidAddress("LENGTH")
    if not crypto_core_ed25519_is_valid_point(raw):
        raise InvalidAddress(reason_not_signable(raw))
    return Address(network, text, text, "ed25519")


def _parse_bitcoin(text: str, network: Network) -> Address:
    if _EVM.fullmatch(text):
        raise InvalidAddress("WRONG_NETWORK")
    if _SEGWIT_LIKE.match(text):
        return _parse_segwit(text, network)
    if not _BASE58.fullmatch(text):
        raise InvalidAddress("ENCODING")
    if not 25 <= len(text) <= 36:
        solana = _belongs_to(text, Family.SOLANA)
        raise InvalidAddress("WRONG_NETWORK" if solana else "LENGTH")
    try:
        payload = base58.b58decode_check(text)
    except ValueError:
        raise InvalidAddress("CHECKSUM") from None
    if len(payload) != 21:
        raise InvalidAddress("LENGTH")
    if payload[0] not in {network.p2pkh_version, network.p2sh_version}:
        raise InvalidAddress("WRONG_NETWORK")
    return Address(network, text, text, _BASE58_KINDS[payload[0]])


def _parse_segwit(text: str, network: Network) -> Address:
    try:
        prefix, version, program = decode_segwit(text)
    except BadBech32 as bad:
        raise InvalidAddress(bad.reason) from None
    if prefix != network.hrp:
        raise InvalidAddress("WRONG_NETWORK")
    kind = {(0, 20): "p2wpkh", (0, 32): "p2wsh", (1, 32): "p2tr"}.get((version, len(program)))
    if kind is None:
        raise InvalidAddress("UNSUPPORTED_TYPE")
    return Address(network, text.lower(), text.lower(), kind)


def _belongs_to(text: str, family: Family) -> bool:
    """Whether the text is a well-formed address of some network of the family."""
    if family is Family.SOLANA:
        plausible = _BASE58.fullmatch(text) and 32 <= len(text) <= 44
        return bool(plausible) and len(base58.b58decode(text)) == 32
    if _SEGWIT_LIKE.match(text):
        return _reads_as_segwit(text)
    if not _BASE58.fullmatch(text) or not 25 <= len(text) <= 36:
        return False
    try:
        payload = base58.b58decode_check(text)
    except ValueError:
        return False
    return len(payload) == 21 and payload[0] in _BASE58_KINDS


def _reads_as_segwit(text: str) -> bool:
    try:
        decode_segwit(text)
    except BadBech32:
        return False
    return True


_PARSERS = {
    Family.EVM: _parse_evm,
    Family.SOLANA: _parse_solana,
    Family.BITCOIN: _parse_bitcoin,
}


def address_on_any(text: str) -> Address | None:
    """The address on the first network, main networks first, on which the text is one."""
    for network in NETWORKS:
        try:
            return parse_address(text, network)
        except InvalidAddress:
            continue
    return None
