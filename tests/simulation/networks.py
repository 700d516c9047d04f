"""The networks and addresses that a simulation may name, and what the model knows of them."""

from dataclasses import dataclass
from functools import cache

from tests.wallets.customers import Customer, customers


@dataclass(frozen=True)
class Place:
    """A network: its own name, its other names, and the family of its keys."""

    name: str
    family: str
    main: bool
    others: tuple[str, ...] = ()


PLACES = (
    Place("ethereum", "evm", True, ("eth", "mainnet", "eip155:1")),
    Place("base", "evm", True, ("eip155:8453",)),
    Place("polygon", "evm", True, ("matic", "eip155:137")),
    Place("arbitrum", "evm", True, ("arbitrum-one",)),
    Place("optimism", "evm", True, ("op-mainnet",)),
    Place("avalanche", "evm", True, ("avax",)),
    Place("bsc", "evm", True, ("bnb",)),
    Place("solana", "solana", True, ("sol", "solana-mainnet")),
    Place("bitcoin", "bitcoin", True, ("btc",)),
    Place("tron", "tron", True, ("trx", "tron:0x2b6653dc")),
    Place("ethereum-sepolia", "evm", False, ("sepolia",)),
    Place("polygon-amoy", "evm", False, ("amoy",)),
    Place("solana-devnet", "solana", False),
    Place("tron-nile", "tron", False, ("nile",)),
)
NOWHERE = ("atlantis", "fiat", "bank", "holesky", "")


@cache
def place_of(text: str) -> Place | None:
    """The network of a name, in whatever case."""
    wanted = text.strip().lower()
    return next((each for each in PLACES if wanted in (each.name, *each.others)), None)


@cache
def keys_of(family: str) -> tuple[Customer, ...]:
    return customers(family)


@cache
def addresses_of(family: str) -> dict[str, str]:
    """Each spelling of an address of the family to the one that is shown."""
    found = {}
    for key in keys_of(family):
        shown = key.registered.display
        found[shown] = shown
        if family == "evm":
            found[shown.lower()] = shown
        if shown.startswith("bc1"):
            found[shown.upper()] = shown
    return found


def spelt(text: str, on: Place) -> str | None:
    """An address as it is shown; None where it's no address of the network."""
    return addresses_of(on.family).get(text)


def key_of(address: str) -> Customer:
    """The key that signs for an address, whatever the network."""
    for family in ("evm", "solana", "bitcoin", "tron"):
        for key in keys_of(family):
            if key.registered.display == address:
                return key
    raise LookupError(address)
