"""Dogecoin: Bitcoin's message signature with a magic of its own, over addresses D….

Dogecoin has no segwit, so that a key has one kind of address.
"""

from functools import cached_property

from chainteller.wallets.bitcoin_keys import Versions
from chainteller.wallets.families.bitcoin import BitcoinFamily
from chainteller.wallets.family import Network


class Dogecoin(BitcoinFamily):
    """Dogecoin's family."""

    name = "dogecoin"
    label = "Dogecoin"
    uri_schemes = ("dogecoin",)
    how_to_sign = ('Dogecoin wallet: "Sign message" with exactly this', "address selected.")
    magic = b"Dogecoin Signed Message:\n"
    scheme = "bip137-dogecoin"
    versions = (Versions(30, 22), Versions(113, 196))
    kinds = frozenset({"p2pkh"})

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each begins its genesis hash."""
        return (
            self.network(
                "dogecoin", "1a91e3dace36e2be3bf030a65679fe82", "doge", "dogecoin-mainnet",
                main=True,
            ),
            self.network("dogecoin-testnet", "bb0a78264637406b6360aad926284d54"),
        )  # fmt: skip
