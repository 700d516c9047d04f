"""Extended public keys: which addresses follow from them, and what is refused by name."""

import base58
import pytest
from tests.wallets.customers import customers
from tests.wallets.extended import ABANDON, JUNK, extended_public_key, private_node

from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.wallets import extended_keys
from chainteller.wallets.addresses import parse_address
from chainteller.wallets.cases import Case, KnownChallenge
from chainteller.wallets.curve import curve
from chainteller.wallets.extended_keys import Anchor, UnusableKey
from chainteller.wallets.family import Address
from chainteller.wallets.networks import resolve_network

ZPUB = (
    "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDt"
    "KsAYz2oz2AGutZYs"
)
PUBLISHED = (
    # BIP-84, BIP-86 and SLIP-132: the accounts of "abandon ... about", with paths of its addresses.
    (ZPUB, "0/0", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"),
    (ZPUB, "0/1", "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g"),
    (ZPUB, "1/0", "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el"),
    (
        "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdD"
        "EHGCtMMj92pReUsQ",
        "0/1",
        "bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh",
    ),
    (
        "xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhU"
        "d9yLb6qx39T9nMdj",
        "0/0",
        "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA",
    ),
    (
        "ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf3"
        "zbeJJJUZPf663zsP",
        "0/0",
        "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf",
    ),
)
XPUB = extended_public_key(JUNK, "m/44'/60'/0'")


def on(network: str, text: str) -> Address:
    return parse_address(text, resolve_network(network, test_networks=True))


@pytest.mark.parametrize(("key", "path", "address"), PUBLISHED)
def test_published_addresses_are_found_at_their_paths(key: str, path: str, address: str) -> None:
    parsed = on("bitcoin", address)
    assert extended_keys.read(key, parsed).paths([parsed]) == {parsed.canonical: path}
    descriptor = f"tr([73c5da0a/86'/0'/0']{key}/<0;1>/*)#abcdefgh"
    assert extended_keys.is_extended_key(descriptor)
    assert extended_keys.read(descriptor, parsed).key == extended_keys.read(key, parsed).key


@pytest.mark.parametrize("account", range(3))
def test_public_and_private_derivation_agree(account: int) -> None:
    """Against eth-account's derivation of the private keys."""
    path = f"m/44'/60'/{account}'"
    key = extended_keys.read(extended_public_key(JUNK, path), customers("evm")[0].registered)
    for chain, index in ((0, 0), (1, 99), (0, 2**31 - 1), (2**30, 7)):
        child = key.child(chain)
        made = child and child.child(index)
        secret, code = private_node(JUNK, f"{path}/{chain}/{index}")
        assert made is not None
        assert (made.key, made.chain) == (curve().generated(secret), code)


def test_keys_of_accounts_and_of_their_chains_are_taken() -> None:
    mine = [each.registered for each in customers("evm")[:2]]
    for path, expected in (("m/44'/60'/0'", ["0/0", "0/1"]), ("m/44'/60'/0'/0", ["0", "1"])):
        key = extended_keys.read(extended_public_key(JUNK, path), mine[0])
        assert [*key.paths(mine).values()] == expected


TPUB = extended_public_key(ABANDON, "m/44'/1'/0'", "043587cf")
MTUB = extended_public_key(ABANDON, "m/84'/2'/0'", "01b26ef6")
SHARED = extended_public_key(ABANDON, "m/48'/0'/0'", "02aa7ed3")
NO_POINT = base58.b58encode_check(bytes.fromhex("0488b21e") + bytes(74)).decode()
BITCOIN = on("bitcoin", PUBLISHED[0][2])
ETHEREUM, SOLANA = (customers(family)[0].registered for family in ("evm", "solana"))
TESTNET = on("bitcoin-testnet", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn")


@pytest.mark.parametrize(
    ("key", "about", "finding"),
    [
        (ZPUB[:-1] + "t", BITCOIN, "DAMAGED"),
        (ZPUB[:60] + ZPUB[61:], BITCOIN, "DAMAGED"),
        (NO_POINT, BITCOIN, "DAMAGED"),
        (ZPUB, ETHEREUM, "NETWORK"),
        (TPUB, BITCOIN, "NETWORK"),
        (MTUB, BITCOIN, "NETWORK"),
        (XPUB, TESTNET, "NETWORK"),
        (XPUB, SOLANA, "UNSUPPORTED"),
        (SHARED, BITCOIN, "UNSUPPORTED"),
        (f"wpkh({ZPUB}/0'/*)", BITCOIN, "UNSUPPORTED"),
        (f"wsh(sortedmulti(2,{ZPUB}/0/*,{XPUB}/0/*))", BITCOIN, "UNSUPPORTED"),
    ],
)
def test_other_keys_are_refused_by_name(key: str, about: Address, finding: str) -> None:
    with pytest.raises(UnusableKey) as refused:
        extended_keys.read(key, about)
    assert refused.value.finding == f"EXTENDED_KEY_{finding}"


@pytest.mark.parametrize("start", ["xprv9", "yprvA", "zprvA", "tprv8", "Ltpv7", "Mtpv7", "dgpv5"])
def test_private_ones_are_secrets(start: str) -> None:
    written = start + base58.b58encode(bytes(range(78))).decode()[1:]
    assert find_secret(written, Digits.SIGNATURE)
    assert not extended_keys.is_extended_key(written)


def judged(anchors: list[Anchor], about: Address, key: str = XPUB, **policy: bool) -> str:
    challenge = KnownChallenge("CHG_1", "CPT_1", about, "TEXT", "open", "2026-01-01T00:00:00Z")
    found, derived = extended_keys.judge(
        Case(challenge, key), anchors, is_taken=policy.get("is_taken", True)
    )
    assert found.accepted is (derived is not None)
    assert key not in str(found)
    assert found.certain is (found.finding != "EXTENDED_KEY_OTHER")
    return found.finding


def test_a_key_is_evidence_only_beside_a_signature_by_another_of_its_addresses() -> None:
    mine, second, third = (each.registered for each in customers("evm"))
    stranger = on("ethereum", "0x" + "11" * 20)
    assert judged([Anchor("CLM_1", mine)], second) == "ACCEPTED"
    assert judged([Anchor("CLM_0", stranger), Anchor("CLM_1", mine)], third) == "ACCEPTED"
    assert judged([], second) == "EXTENDED_KEY_ALONE"
    assert judged([Anchor("CLM_1", second)], second) == "EXTENDED_KEY_ALONE"
    assert judged([Anchor("CLM_1", stranger)], second) == "EXTENDED_KEY_ALONE"
    assert judged([Anchor("CLM_1", mine)], stranger) == "EXTENDED_KEY_OTHER"
    assert judged([Anchor("CLM_1", mine)], second, is_taken=False) == "EXTENDED_KEYS_OFF"
