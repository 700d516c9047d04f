"""Networks by any of their names: canonical name, alias or CAIP-2 id."""

from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Network

__all__ = ["NETWORKS", "Network", "UnknownNetwork", "network_names", "resolve_network"]


class UnknownNetwork(ValueError):
    """The name is no open network (or a test network where those are not allowed)."""

    network: str

    def __init__(self, network: str) -> None:
        """Keep the name as it was given, shortened so that a paste cannot flood a message."""
        self.network = network[:64]
        super().__init__("unknown network")


NETWORKS: tuple[Network, ...] = tuple(
    sorted(
        (network for family in FAMILIES for network in family.networks),
        key=lambda network: not network.main,
    )
)
"""Of all families, main networks first."""

_BY_SPELLING = {spelling.lower(): network for network in NETWORKS for spelling in network.spellings}


def resolve_network(text: str, *, test_networks: bool = False) -> Network:
    """The network of this name, alias or CAIP-2 id, whatever its case.

    Raises:
        UnknownNetwork: no such network, a closed one, `fiat`, or a test network not allowed here.
    """
    network = _BY_SPELLING.get(text.strip().lower()) if len(text) <= 100 else None
    if network is None or network.closed or not (network.main or test_networks):
        raise UnknownNetwork(text)
    return network


def known_network(name: str) -> Network | None:
    """The network of this canonical name, also one that was closed; None without one."""
    network = _BY_SPELLING.get(name.lower())
    return network if network is not None and network.name == name else None


def network_names(*, test_networks: bool = False) -> tuple[str, ...]:
    """The canonical names of the open networks, main networks first."""
    return tuple(n.name for n in NETWORKS if not n.closed and (n.main or test_networks))
