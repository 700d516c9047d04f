"""Litecoin: Bitcoin's message signature with a magic of its own, over addresses L…, M… and ltc1….

Litecoin Core signs for L… alone; Electrum-LTC and hardware wallets also for M… and ltc1q…, with any
header. The address 3… that M… replaced is Bitcoin's, and no wallet signs for ltc1p….
"""

from functools import cached_property

from chainteller.wallets.bitcoin_keys import KEY_KINDS, Versions
from chainteller.wallets.families.bitcoin import BitcoinFamily
from chainteller.wallets.family import Network


class Litecoin(BitcoinFamily):
    """Litecoin's family."""

    name = "litecoin"
    label = "Litecoin"
    uri_schemes = ("litecoin",)
    how_to_sign = ('Litecoin wallet: "Sign message" with exactly this', "address selected.")
    magic = b"Litecoin Signed Message:\n"
    scheme = "bip137-litecoin"
    versions = (Versions(48, 50, "ltc"), Versions(111, 58, "tltc"))
    kinds = KEY_KINDS

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each begins its genesis hash."""
        return (
            self.network(
                "litecoin", "12a765e31ffd4059bada1e25190f6e98", "ltc", "litecoin-mainnet", main=True
            ),
            self.network("litecoin-testnet", "4966625a4b2851d9fdee139e56211a0d"),
        )
