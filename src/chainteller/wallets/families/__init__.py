"""The chain families. A new one is a module here and its line in `FAMILIES`."""

from chainteller.wallets.families.bitcoin import Bitcoin
from chainteller.wallets.families.bitcoin_cash import BitcoinCash
from chainteller.wallets.families.cosmos import Cosmos
from chainteller.wallets.families.dogecoin import Dogecoin
from chainteller.wallets.families.evm import Evm
from chainteller.wallets.families.litecoin import Litecoin
from chainteller.wallets.families.solana import Solana
from chainteller.wallets.families.tron import Tron
from chainteller.wallets.families.xrp import Xrp
from chainteller.wallets.family import checked

FAMILIES = checked(
    (
        Evm(),
        Solana(),
        Bitcoin(),
        Tron(),
        Litecoin(),
        Dogecoin(),
        BitcoinCash(),
        Xrp(),
        Cosmos(),
    )
)
