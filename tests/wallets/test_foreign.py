"""Addresses of networks that aren't ours are named, and addresses that nobody owns are refused."""

import tomllib
from pathlib import Path

import pytest

from chainteller.wallets.addresses import InvalidAddress, parse_address
from chainteller.wallets.foreign import foreign_network
from chainteller.wallets.listed import REASONS, SERVICES, UNOWNED, service_at, unowned
from chainteller.wallets.networks import NETWORKS, resolve_network

PUBLISHED = [
    ("XRP Ledger", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"),
    ("Litecoin", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9"),
    ("Litecoin", "ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea"),
    ("Dogecoin", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L"),
    ("Dash", "XpESxaUmonkq8RaLLp46Brx2K39ggQe226"),
    ("Bitcoin Cash", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"),
    ("Bitcoin Cash", "QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A"),
    (
        "Cardano",
        "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2"
        "wywfgse35a3x",
    ),
    ("Cardano", "Ae2tdPwUPEZ4YjgvykNpoFeYUxoyhNj2kg8KfKWN2FizsSpLUPv68MpTVDo"),
    ("Cosmos", "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02"),
    ("Kaspa", "kaspa:qqkqkzjvr7zwxxmjxjkmxxdwju9kjs6e9u82uh59z07vgaks6gg62v8707g73"),
    ("Stellar", "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7"),
    ("Algorand", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ"),
    ("Tezos", "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb"),
    ("Polkadot or a related network", "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"),
    ("TON", "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"),
    ("Filecoin", "f1abjxfbp274xpdqcpuaykwkfb43omjotacm2p3za"),
]
"""From the networks' own documents and explorers."""
OURS = [
    ("TRON", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
    ("Ethereum", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    ("Bitcoin", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"),
    ("Solana", "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"),
]


def refused(text: str, network: str) -> tuple[str, str]:
    with pytest.raises(InvalidAddress) as found:
        parse_address(text, resolve_network(network))
    return found.value.reason, found.value.network


@pytest.mark.parametrize("network", ["ethereum", "solana", "bitcoin", "tron"])
@pytest.mark.parametrize(("name", "text"), PUBLISHED)
def test_an_address_of_another_network_names_it(name: str, text: str, network: str) -> None:
    assert refused(text, network) == ("WRONG_NETWORK", name)


@pytest.mark.parametrize("network", ["ethereum", "solana", "bitcoin", "tron"])
@pytest.mark.parametrize(("name", "text"), OURS)
def test_an_address_of_another_family_names_it(name: str, text: str, network: str) -> None:
    on = resolve_network(network)
    if on.family.label == name:
        assert parse_address(text, on).display == text
    else:
        assert refused(text, network) == ("WRONG_NETWORK", name)


@pytest.mark.parametrize(("name", "text"), PUBLISHED)
def test_no_network_is_named_by_an_address_with_a_typing_error(name: str, text: str) -> None:
    """Each character is replaced by its neighbour; a checksum of 16 bits may let few pass."""
    alphabet = sorted(set(text))
    named = 0
    for at, character in enumerate(text):
        other = alphabet[(alphabet.index(character) + 1) % len(alphabet)]
        named += foreign_network(text[:at] + other + text[at + 1 :]) is not None
    assert named == 0, name


def test_our_own_addresses_are_of_no_other_network() -> None:
    assert [foreign_network(text) for _, text in OURS if not text.startswith("T")] == [None] * 3


@pytest.mark.parametrize(("file", "least"), [(UNOWNED, 50), (SERVICES, 20)])
def test_every_listed_address_is_one_and_is_found(file: Path, least: int) -> None:
    groups = tomllib.loads(file.read_text(encoding="utf-8"))["group"]
    seen = set()
    for group in groups:
        assert group["source"].startswith("https://")
        for network in NETWORKS:
            if not network.main or not {network.name, network.family.name} & {*group["networks"]}:
                continue
            for text, name in group["addresses"]:
                address = parse_address(text, network)
                assert address.display == text
                found, service = unowned(address), ""
                if file is UNOWNED:
                    assert found == (REASONS[group["kind"]], name)
                else:
                    assert found is None
                    service = name
                assert service_at(address) == service
                seen.add(text)
    assert len(seen) > least


def test_a_token_of_one_network_may_be_a_wallet_on_another() -> None:
    usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
    assert unowned(parse_address(usdt.lower(), resolve_network("ethereum"))) is not None
    assert unowned(parse_address(usdt, resolve_network("base"))) is None
