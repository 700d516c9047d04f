"""The networks a counterparty may live on: one table of names, CAIP-2 ids and address versions."""

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """Networks whose addresses and signatures follow the same rules."""

    EVM = "evm"
    SOLANA = "solana"
    BITCOIN = "bitcoin"


@dataclass(frozen=True, slots=True)
class Network:
    """One network.

    `chain_id` is the EVM chain id; `hrp` the bech32 prefix; `p2pkh_version` and `p2sh_version` the
    base58check version bytes of Bitcoin. They are None or empty for the other families.
    A closed network keeps its row, so that its name is never given to another one.
    """

    name: str
    caip2: str
    family: Family
    main: bool
    aliases: tuple[str, ...] = ()
    chain_id: int | None = None
    hrp: str = ""
    p2pkh_version: int = -1
    p2sh_version: int = -1
    closed: bool = False


class UnknownNetwork(ValueError):
    """The name is no open network (or a test network where those are not allowed)."""

    network: str

    def __init__(self, network: str) -> None:
        """Keep the name as it was given, shortened so that a paste cannot flood a message."""
        self.network = network[:64]
        super().__init__("unknown network")


def _evm(name: str, chain_id: int, *aliases: str, main: bool = True) -> Network:
    return Network(name, f"eip155:{chain_id}", Family.EVM, main, aliases, chain_id=chain_id)


def _bitcoin(name: str, genesis: str, *aliases: str, main: bool = False) -> Network:
    hrp, p2pkh, p2sh = ("bc", 0, 5) if main else ("tb", 111, 196)
    caip2 = f"bip122:{genesis}"
    return Network(
        name, caip2, Family.BITCOIN, main, aliases, hrp=hrp, p2pkh_version=p2pkh, p2sh_version=p2sh
    )


_SOLANA_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
_DEVNET_GENESIS = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
_TESTNET_GENESIS = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"


def _solana(name: str, genesis: str, *aliases: str, main: bool = False) -> Network:
    known_as = (*aliases, genesis, f"solana:{genesis}")
    return Network(name, f"solana:{genesis[:32]}", Family.SOLANA, main, known_as)


NETWORKS: tuple[Network, ...] = (
    _evm("ethereum", 1, "eth", "ethereum-mainnet", "mainnet"),
    _evm("base", 8453, "base-mainnet"),
    _evm("polygon", 137, "matic", "polygon-mainnet"),
    _evm("arbitrum", 42161, "arbitrum-one"),
    _evm("optimism", 10, "op-mainnet"),
    _evm("avalanche", 43114, "avax"),
    _evm("bsc", 56, "bnb", "binance-smart-chain"),
    _solana("solana", _SOLANA_GENESIS, "sol", "solana-mainnet", "solana:mainnet", main=True),
    _bitcoin(
        "bitcoin", "000000000019d6689c085ae165831e93", "btc", "bitcoin-mainnet", main=True
    ),
    _evm("ethereum-sepolia", 11155111, "sepolia", main=False),
    _evm("ethereum-hoodi", 560048, "hoodi", main=False),
    Network(
        "ethereum-holesky", "eip155:17000", Family.EVM, main=False, aliases=("holesky",),
        chain_id=17000, closed=True,
    ),
    _evm("base-sepolia", 84532, main=False),
    _evm("polygon-amoy", 80002, "amoy", main=False),
    _evm("arbitrum-sepolia", 421614, main=False),
    _evm("optimism-sepolia", 11155420, main=False),
    _solana("solana-devnet", _DEVNET_GENESIS, "solana:devnet"),
    _solana("solana-testnet", _TESTNET_GENESIS, "solana:testnet"),
    _bitcoin("bitcoin-testnet", "000000000933ea01ad0ee984209779ba", "bitcoin-testnet3"),
    _bitcoin("bitcoin-testnet4", "00000000da84f2bafbbc53dee25a72ae"),
    _bitcoin("bitcoin-signet", "00000008819873e925422c1ff0f99f7c"),
)  # fmt: skip

_BY_SPELLING = {
    spelling.lower(): network
    for network in NETWORKS
    for spelling in (network.name, network.caip2, *network.aliases)
}


def resolve_network(text: str, *, test_networks: bool = False) -> Network:
    """The network of this name, alias or CAIP-2 id, whatever its case.

    Raises:
        UnknownNetwork: no such network, a closed one, `fiat`, or a test network not allowed here.
    """
    network = _BY_SPELLING.get(text.strip().lower()) if len(text) <= 100 else None
    if network is None or network.closed or not (network.main or test_networks):
        raise UnknownNetwork(text)
    return network


def network_names(*, test_networks: bool = False) -> tuple[str, ...]:
    """The canonical names of the open networks, main networks first."""
    return tuple(n.name for n in NETWORKS if not n.closed and (n.main or test_networks))
