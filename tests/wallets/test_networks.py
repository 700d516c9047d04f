import pytest

from chainteller.wallets.networks import (
    NETWORKS,
    UnknownNetwork,
    known_network,
    network_names,
    resolve_network,
)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("ethereum", "ethereum"), ("ETH", "ethereum"), (" Mainnet ", "ethereum"),
        ("eip155:1", "ethereum"), ("eip155:8453", "base"), ("sol", "solana"),
        ("solana:mainnet", "solana"), ("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "solana"),
        ("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", "solana"), ("BTC", "bitcoin"),
        ("bip122:000000000019d6689c085ae165831e93", "bitcoin"),
        ("TRX", "tron"), ("tron:728126428", "tron"), ("tron:0x2b6653dc", "tron"),
        ("LTC", "litecoin"), ("bip122:12a765e31ffd4059bada1e25190f6e98", "litecoin"),
        ("doge", "dogecoin"), ("bip122:1a91e3dace36e2be3bf030a65679fe82", "dogecoin"),
        ("bch", "bitcoin-cash"), ("bip122:000000000000000000651ef99cb9fcbe", "bitcoin-cash"),
        ("XRP", "xrp"), ("xrpl:0", "xrp"), ("cosmos:cosmoshub-4", "cosmos"), ("osmo", "osmosis"),
        ("cosmos:injective-1", "injective"), ("cosmos:dydx-mainnet-1", "dydx"),
    ],
)  # fmt: skip
def test_resolves_names_aliases_and_caip2_whatever_their_case(spelling: str, name: str) -> None:
    assert resolve_network(spelling).name == name


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("sepolia", "ethereum-sepolia"), ("eip155:560048", "ethereum-hoodi"),
        ("solana:devnet", "solana-devnet"), ("bitcoin-signet", "bitcoin-signet"),
        ("bip122:00000000da84f2bafbbc53dee25a72ae", "bitcoin-testnet4"),
        ("tron:3448148188", "tron-nile"), ("tron:0xcd8690dc", "tron-nile"),
        ("tron:2494104990", "tron-shasta"), ("tron:0x94a9059e", "tron-shasta"),
    ],
)  # fmt: skip
def test_test_networks_exist_only_where_they_are_allowed(spelling: str, name: str) -> None:
    assert resolve_network(spelling, test_networks=True).name == name
    with pytest.raises(UnknownNetwork):
        resolve_network(spelling)


@pytest.mark.parametrize("spelling", ["fiat", "", "holesky", "eip155:17000", "monero", "x" * 9999])
def test_refuses_fiat_closed_and_unknown_networks(spelling: str) -> None:
    with pytest.raises(UnknownNetwork) as refused:
        resolve_network(spelling, test_networks=True)
    assert refused.value.network == spelling[:64]


def test_no_spelling_means_two_networks() -> None:
    spellings = [
        spelling.lower()
        for network in NETWORKS
        for spelling in (network.name, network.caip2, *network.aliases)
    ]
    assert len(spellings) == len(set(spellings))


def test_lists_main_networks_first_and_test_networks_on_request() -> None:
    main = network_names()
    assert {"ethereum", "base", "polygon", "solana", "bitcoin"} <= set(main)
    assert not any("test" in name or "sepolia" in name for name in main)
    assert network_names(test_networks=True)[: len(main)] == main
    assert "ethereum-holesky" not in network_names(test_networks=True)


def test_a_stored_name_is_known_also_of_a_closed_network() -> None:
    for network in NETWORKS:
        assert known_network(network.name) is network
    assert any(network.closed for network in NETWORKS)
    assert [known_network(each) for each in ("eth", "Ethereum", "", "fiat")] == [None] * 4
