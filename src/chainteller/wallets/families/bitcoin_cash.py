"""Bitcoin Cash: Bitcoin's message signature, magic included, over CashAddr or legacy addresses.

Electron Cash signs as Bitcoin's wallets do (`msg_magic` in its `bitcoin.py`). A legacy address and
its CashAddr are one address, which is stored in the legacy form and shown as CashAddr without the
prefix. An address for tokens (z…) is the same key's as the one without. Without segwit, a key has
one kind of address.
"""

from functools import cached_property

import base58

from chainteller.wallets.bech32 import BadBech32, decode_cashaddr, encode_cashaddr, values_of
from chainteller.wallets.bitcoin_keys import Versions, hash_address
from chainteller.wallets.families.bitcoin import BitcoinFamily
from chainteller.wallets.family import Address, InvalidAddress, Network

_PREFIXES = ("bitcoincash", "bchtest")
_LENGTH = 42
# The bits of a CashAddr's version byte that say what was hashed, of 20 bytes each.
_KINDS = {0: "p2pkh", 8: "p2sh", 16: "p2pkh", 24: "p2sh"}


class BitcoinCash(BitcoinFamily):
    """Bitcoin Cash's family."""

    name = "bitcoin-cash"
    label = "Bitcoin Cash"
    uri_schemes = _PREFIXES
    how_to_sign = ('Bitcoin Cash wallet: "Sign message" with exactly', "this address selected.")
    magic = b"Bitcoin Signed Message:\n"
    scheme = "bip137"
    versions = (Versions(0, 5), Versions(111, 196))
    kinds = frozenset({"p2pkh"})

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of the main network begins the first block after the fork (CAIP-4)."""
        return (
            self.network(
                "bitcoin-cash", "000000000000000000651ef99cb9fcbe", "bch", "bitcoin-cash-mainnet",
                main=True,
            ),
            self.network("bitcoin-cash-testnet", "00000000000e38fef93ed9582a7df438"),
        )  # fmt: skip

    def parse_address(self, text: str, network: Network) -> Address:
        """Read a CashAddr without its prefix, or a legacy address."""
        read = _reading(text)
        if read is None and len(text) == _LENGTH and values_of(text.lower()):
            raise InvalidAddress("CHECKSUM")
        if read is None:
            return super().parse_address(text, network)
        prefix, kind, hashed = read
        if prefix != _PREFIXES[0 if network.main else 1]:
            raise InvalidAddress("WRONG_NETWORK")
        return self._address(hash_address(self.versions_on(network).p2pkh, hashed), kind, network)

    def is_address(self, text: str) -> bool:
        return _reading(text) is not None or super().is_address(text)

    def displayed(self, canonical: str, network: Network) -> str:
        hashed = base58.b58decode_check(canonical)[1:]
        return encode_cashaddr(_PREFIXES[0 if network.main else 1], b"\0" + hashed)


def _reading(text: str) -> tuple[str, str, bytes] | None:
    """The prefix, kind and hash of a CashAddr; None where it is none."""
    given, _, bare = text.rpartition(":")
    for prefix in _PREFIXES if len(bare) == _LENGTH else ():
        try:
            data = decode_cashaddr(prefix, bare)
        except BadBech32:
            continue
        if data[0] in _KINDS and given.lower() in {"", prefix}:
            return prefix, _KINDS[data[0]], data[1:]
    return None
