"""Ethereum and the networks that share its keys: 0x addresses, EIP-191 personal messages."""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar

from chainteller.wallets.bip137 import compact_size
from chainteller.wallets.family import Address, InvalidAddress, Mistake, Network
from chainteller.wallets.hashes import Digest, keccak256
from chainteller.wallets.recoverable import KeccakFamily, RecoverableSignature
from chainteller.wallets.wording import Wording, altered

_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}", re.ASCII)
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]+", re.ASCII)


class Evm(KeccakFamily):
    """Ethereum's family."""

    name = "evm"
    label = "Ethereum"
    uri_schemes = ("ethereum", "eth")
    sign_function = "personal_sign (sign message), not eth_sign"
    sign_in_as = "Ethereum"
    how_to_sign = ('Ethereum wallet: "Sign message" (personal_sign),', "never a transaction.")
    message_prefix = b"\x19Ethereum Signed Message:\n"
    scheme = "eip191"
    findings: ClassVar[Mapping[str, Wording]] = {
        "OLD_TREZOR_PREFIX": altered(
            "it was made the way old Trezor firmware signs",
            "Could you update your Trezor's firmware and sign the text again?",
        ),
    }

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each is its chain id (EIP-155)."""
        return (
            self._network("ethereum", 1, "eth", "ethereum-mainnet", "mainnet"),
            self._network("base", 8453, "base-mainnet"),
            self._network("polygon", 137, "matic", "polygon-mainnet"),
            self._network("arbitrum", 42161, "arbitrum-one"),
            self._network("optimism", 10, "op-mainnet"),
            self._network("avalanche", 43114, "avax"),
            self._network("bsc", 56, "bnb", "binance-smart-chain"),
            self._network("ethereum-sepolia", 11155111, "sepolia", main=False),
            self._network("ethereum-hoodi", 560048, "hoodi", main=False),
            self._network("ethereum-holesky", 17000, "holesky", main=False, closed=True),
            self._network("base-sepolia", 84532, main=False),
            self._network("polygon-amoy", 80002, "amoy", main=False),
            self._network("arbitrum-sepolia", 421614, main=False),
            self._network("optimism-sepolia", 11155420, main=False),
        )

    def _network(
        self, name: str, chain_id: int, *aliases: str, main: bool = True, closed: bool = False
    ) -> Network:
        return Network(name, f"eip155:{chain_id}", self, main, aliases, closed)

    def parse_address(self, text: str, network: Network) -> Address:
        """Read 40 hex digits after 0x; mixed case must satisfy EIP-55."""
        if not _ADDRESS.fullmatch(text):
            raise InvalidAddress(_why_not(text))
        digits = text[2:]
        raw = bytes.fromhex(digits)
        if not any(raw):
            raise InvalidAddress("ZERO")
        address = self.address_of(raw, network)
        if digits not in {digits.lower(), digits.upper(), address.display[2:]}:
            raise InvalidAddress("CHECKSUM")
        return address

    def is_address(self, text: str) -> bool:
        """The checksum is not looked at."""
        return _ADDRESS.fullmatch(text) is not None

    def address_bytes(self, address: Address) -> bytes:
        """The 20 bytes of an address."""
        return bytes.fromhex(address.canonical[2:])

    def address_of(self, raw: bytes, network: Network) -> Address:
        """The address of 20 bytes."""
        return Address(network, "0x" + raw.hex(), eip55(raw), "evm")

    def custody_address(self, _network: Network, random_bytes: Callable[[int], bytes]) -> str:
        return eip55(random_bytes(20))

    def is_confirmed(
        self, message: bytes, signature: RecoverableSignature, address: Address
    ) -> bool:
        """Whether eth-account, the reference for personal_sign, recovers the same address."""
        from eth_account import Account  # noqa: PLC0415 - half a second, for accepted proofs only
        from eth_account.messages import encode_defunct  # noqa: PLC0415 - as above

        assert signature.parity is not None  # noqa: S101 - the caller has checked it
        vrs = (27 + signature.parity, signature.r, signature.s)
        recovered: str = Account.recover_message(encode_defunct(primitive=message), vrs=vrs)
        return recovered.lower() == address.canonical

    def other_digests(self, address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """Also Trezor's, which once wrote the length as Bitcoin does."""
        old = ("OLD_TREZOR_PREFIX", "eip191-compact-length", self._old_trezor_digest)
        return (*super().other_digests(address), old)

    def _old_trezor_digest(self, text: bytes) -> bytes:
        return keccak256(self.message_prefix + compact_size(len(text)) + text)

    @property
    def mistakes(self) -> Mapping[str, Mistake]:
        """Also the answer of a smart-contract wallet."""
        return {
            **super().mistakes,
            "contract-wallet": Mistake(
                "a smart-contract wallet answers",
                lambda *asked: "0x" + self._of_two_owners(*asked).hex(),
            ),
        }

    def _of_two_owners(self, secret: bytes, text: bytes, address: Address) -> bytes:
        other = keccak256(secret)
        return self.sign(secret, text, address).data + self.sign(other, text, address).data


def eip55(raw: bytes) -> str:
    """The mixed-case form of 20 address bytes (EIP-55)."""
    lower = raw.hex()
    digest = keccak256(lower.encode()).hex()
    return "0x" + "".join(
        letter.upper() if int(nibble, 16) >= 8 else letter
        for letter, nibble in zip(lower, digest, strict=False)
    )


def _why_not(text: str) -> str:
    if text[:2].upper() == "XE" and text[2:4].isdigit():
        return "UNSUPPORTED_TYPE"
    if _HEX.fullmatch(text) and text[:2] in {"0x", "0X"}:
        return "LENGTH"
    return "ENCODING"
