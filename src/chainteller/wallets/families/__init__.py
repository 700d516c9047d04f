"""The chain families. A new one is a module here and its line in `FAMILIES`."""

from chainteller.wallets.families.bitcoin import Bitcoin
from chainteller.wallets.families.evm import Evm
from chainteller.wallets.families.solana import Solana
from chainteller.wallets.families.tron import Tron
from chainteller.wallets.family import checked

FAMILIES = checked((Evm(), Solana(), Bitcoin(), Tron()))
