import time

import base58
import pytest
from nacl.bindings import crypto_core_ed25519_is_valid_point
from tests.wallets.customers import address
from tests.wallets.matrix_damage import secrets

from chainteller.wallets.addresses import InvalidAddress, is_address, parse_address
from chainteller.wallets.networks import resolve_network

EVM = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
SOLANA = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
TESTNET = "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7"
CASHADDR = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
XRP = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
COSMOS = "cosmos1vgcx372mz4hhs6tn44mz4f9su04wy4zl2n5sxk"
TRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
TRON_HEX = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"
SEGWIT = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"


def reason(text: str, network: str) -> str:
    with pytest.raises(InvalidAddress) as refused:
        parse_address(text, resolve_network(network, test_networks=True))
    return refused.value.reason


@pytest.mark.parametrize(
    "text",
    [
        EVM, EVM.lower(), "0x" + EVM[2:].upper(), "0X" + EVM[2:].upper(), f"  {EVM}\n",
        f"\u200b{EVM}\ufeff", f"\u00a0{EVM}\u00a0", f'"{EVM}"', f"`{EVM}`,", f"eip155:1:{EVM}",
        f"ethereum:{EVM}", f"ethereum:{EVM}@1", f"eth:{EVM}", f"ETHEREUM:{EVM}?value=1",
        " ".join(EVM[i : i + 4] for i in range(0, 42, 4)),
    ],
)  # fmt: skip
def test_reads_one_evm_address_in_all_its_spellings(text: str) -> None:
    parsed = address(text, "ethereum")
    assert (parsed.canonical, parsed.display, parsed.kind) == (EVM.lower(), EVM, "evm")


@pytest.mark.parametrize(
    "text",
    [
        TRON, f" {TRON}\n", f"`{TRON}`", f"tron:{TRON}", f"tron:728126428:{TRON}", TRON_HEX,
        "0x" + TRON_HEX, TRON_HEX.upper(), f"tron:728126428:{TRON_HEX}",
    ],
)  # fmt: skip
def test_reads_one_tron_address_in_all_its_spellings(text: str) -> None:
    parsed = address(text, "tron")
    assert (parsed.canonical, parsed.display, parsed.kind) == (TRON, TRON, "tron")


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL", "tron"),
        ("TQQg4EL8o1BSeKJY4MJ8TB8XK7xufxFBvK", "tron-shasta"),
        ("TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH", "tron-nile"),
    ],
)
def test_reads_the_examples_of_the_tron_namespace(text: str, network: str) -> None:
    on = resolve_network(network, test_networks=True)
    assert parse_address(f"{on.caip2}:{text}", on).display == text


@pytest.mark.parametrize(
    ("text", "network", "kind"),
    [
        (SOLANA, "solana", "ed25519"), (f"solana:{SOLANA}?amount=1", "solana", "ed25519"),
        (SEGWIT, "bitcoin", "p2wpkh"), (SEGWIT.upper(), "bitcoin", "p2wpkh"),
        (f"bitcoin:{SEGWIT}?amount=0.1", "bitcoin", "p2wpkh"),
        ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "bitcoin", "p2pkh"),
        ("3GtVZYzsKF6Feikdjd4bDyPdAiyeHANY9b", "bitcoin", "p2sh"),
        ("bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", "bitcoin", "p2tr"),
        (TESTNET, "bitcoin-signet", "p2wsh"),
        ("litecoin:MG6zvF9KrmC4Vkfv7rvNouxbe9WaUeoqnL", "litecoin", "p2sh"),
        ("ltc1q9tp6zpe7v7s3frvn6pyeuhl869n6stn58cu03d", "litecoin", "p2wpkh"),
        ("DA4rVH7t7mXSuowyveUJkyQVTzyNPBkgsA", "dogecoin", "p2pkh"),
        (XRP, "xrp", "xrp"), (f"xrpl:0:{XRP}", "xrp", "xrp"),
        (COSMOS, "cosmos", "cosmos"), (f"cosmos:cosmoshub-4:{COSMOS}", "cosmos", "cosmos"),
    ],
)  # fmt: skip
def test_knows_the_kind_of_an_address(text: str, network: str, kind: str) -> None:
    assert address(text, network).kind == kind


@pytest.mark.parametrize(
    "text",
    [
        CASHADDR, CASHADDR.upper(), f"bitcoincash:{CASHADDR}", f"BITCOINCASH:{CASHADDR.upper()}",
        "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu",
        "zpm2qsznhks23z7629mms6s4cwef74vcwvrqekrq9w",
    ],
)  # fmt: skip
def test_reads_one_bitcoin_cash_address_in_all_its_spellings(text: str) -> None:
    """The forms are those of the CashAddr and CashTokens documents."""
    parsed = address(text, "bitcoin-cash")
    assert (parsed.canonical, parsed.display) == ("1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu", CASHADDR)


@pytest.mark.parametrize(
    ("text", "network", "expected"),
    [
        (EVM[:-1] + "7", "ethereum", "CHECKSUM"),
        (EVM.replace("F", "f", 1), "ethereum", "CHECKSUM"),
        (EVM[:-1], "ethereum", "LENGTH"), (EVM + "0", "ethereum", "LENGTH"),
        (EVM[2:], "ethereum", "ENCODING"), ("0x" + "0" * 40, "ethereum", "ZERO"),
        ("", "ethereum", "LENGTH"), ("a" * 1_000_000, "ethereum", "LENGTH"),
        (EVM.replace("a", "\u0430"), "ethereum", "ENCODING"),
        (EVM.replace("2", "\uff12"), "ethereum", "ENCODING"),
        ("vitalik.eth", "ethereum", "NAME"), ("bonfida.sol", "solana", "NAME"),
        ("XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS", "ethereum", "UNSUPPORTED_TYPE"),
        (SOLANA, "ethereum", "WRONG_NETWORK"), (SEGWIT, "ethereum", "WRONG_NETWORK"),
        (EVM, "solana", "WRONG_NETWORK"), (SEGWIT, "solana", "WRONG_NETWORK"),
        (EVM, "bitcoin", "WRONG_NETWORK"), (SOLANA, "bitcoin", "WRONG_NETWORK"),
        (f"eip155:8453:{EVM}", "ethereum", "WRONG_NETWORK"),
        (f"ethereum:{EVM}@8453", "ethereum", "WRONG_NETWORK"),
        (f"ethereum:{EVM}", "bitcoin", "WRONG_NETWORK"),
        (TESTNET, "bitcoin", "WRONG_NETWORK"),
        (TRON, "ethereum", "WRONG_NETWORK"), (TRON_HEX, "ethereum", "WRONG_NETWORK"),
        (TRON, "solana", "WRONG_NETWORK"), (TRON_HEX, "solana", "WRONG_NETWORK"),
        (TRON, "bitcoin", "WRONG_NETWORK"), (TRON_HEX, "bitcoin", "WRONG_NETWORK"),
        (EVM, "tron", "WRONG_NETWORK"), (SOLANA, "tron", "WRONG_NETWORK"),
        (SEGWIT, "tron", "WRONG_NETWORK"),
        ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "tron", "WRONG_NETWORK"),
        (f"tron:3448148188:{TRON}", "tron", "WRONG_NETWORK"),
        (f"ethereum:{TRON}", "tron", "WRONG_NETWORK"),
        (TRON[:-1] + "u", "tron", "CHECKSUM"), ("t" + TRON[1:], "tron", "CHECKSUM"),
        (TRON[:-1], "tron", "LENGTH"), (TRON + "L", "tron", "LENGTH"),
        (TRON.replace("8", "0", 1), "tron", "ENCODING"), (TRON_HEX[:-2], "tron", "ENCODING"),
        ("T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", "tron", "ZERO"),
        ("41" + "0" * 40, "tron", "ZERO"),
        ("mvbu1Gdy8SUjTenqerxUaZyYjmveZvt33q", "bitcoin", "WRONG_NETWORK"),
        ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "bitcoin-testnet", "WRONG_NETWORK"),
        (CASHADDR[:-1] + "q", "bitcoin-cash", "CHECKSUM"), (CASHADDR, "bitcoin", "WRONG_NETWORK"),
        (f"bitcoincash:{CASHADDR}", "litecoin", "WRONG_NETWORK"),
        ("ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq", "bitcoin-cash", "UNSUPPORTED_TYPE"),
        ("3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC", "litecoin", "WRONG_NETWORK"),
        (SEGWIT, "litecoin", "WRONG_NETWORK"), (XRP[:-1] + "k", "xrp", "CHECKSUM"),
        ("rrrrrrrrrrrrrrrrrrrrrhoLvTp", "xrp", "ZERO"), (XRP, "cosmos", "WRONG_NETWORK"),
        ("X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ", "xrp", "UNSUPPORTED_TYPE"),
        (COSMOS, "osmosis", "WRONG_NETWORK"), (COSMOS[:-1] + "l", "cosmos", "CHECKSUM"),
        ("cosmosvaloper1sjllsnramtg3ewxqwwrwjxfgc4n4ef9u2lcnj0", "cosmos", "UNSUPPORTED_TYPE"),
        ("11111111111111111111111111111111", "solana", "SMALL_ORDER"),
        (SOLANA[:-4], "solana", "LENGTH"), (SOLANA.replace("F", "0", 1), "solana", "ENCODING"),
        (SOLANA.replace("e", "\u0435", 1), "solana", "ENCODING"),
        (SEGWIT[:-1] + "q", "bitcoin", "CHECKSUM"),
        (SEGWIT[:6] + SEGWIT[6:].upper(), "bitcoin", "ENCODING"),
        ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabB", "bitcoin", "CHECKSUM"),
        ("bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", "bitcoin",
         "UNSUPPORTED_TYPE"),
    ],
)  # fmt: skip
def test_says_why_an_address_is_refused(text: str, network: str, expected: str) -> None:
    assert reason(text, network) == expected


@pytest.mark.parametrize(
    ("text", "network", "expected"),
    [
        ("mvbu1Gdy8SUjTenqerxUaZyYjmveZvt33q", "bitcoin", ""),
        ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "bitcoin-testnet", ""),
        ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "tron", "Bitcoin"),
        (COSMOS, "osmosis", "Cosmos"),
        (TRON, "ethereum", "TRON"),
    ],
)  # fmt: skip
def test_names_the_network_of_an_address_that_is_of_another_family(
    text: str, network: str, expected: str
) -> None:
    """A test network's address isn't said to be of a family that has the same form."""
    with pytest.raises(InvalidAddress) as refused:
        parse_address(text, resolve_network(network, test_networks=True))
    assert refused.value.network == expected


def test_refuses_program_derived_addresses_because_they_cannot_sign() -> None:
    refused = 0
    for number in range(64):
        raw = bytes([number]) + bytes(range(31))
        if not crypto_core_ed25519_is_valid_point(raw):
            refused += 1
            assert reason(base58.b58encode(raw).decode(), "solana") in {"OFF_CURVE", "SMALL_ORDER"}
    assert refused > 32


@pytest.mark.parametrize("network", ["ethereum", "solana", "bitcoin", "tron"])
def test_a_pasted_secret_is_refused_and_kept_out_of_the_exception(network: str) -> None:
    for name, secret in secrets():
        with pytest.raises(InvalidAddress) as refused:
            parse_address(secret, resolve_network(network))
        assert refused.value.reason == "SECRET_PASTED", name
        assert secret not in repr(refused.value) + str(refused.value.__dict__)
        assert refused.value.__cause__ is None


@pytest.mark.parametrize("text", [EVM, EVM.lower(), SOLANA, SEGWIT, TESTNET, TRON, TRON_HEX])
def test_an_address_of_any_family_is_recognised_alone(text: str) -> None:
    assert is_address(text)
    assert not is_address(f"see {text}")
    assert not is_address(text[:-3])


def test_a_megabyte_is_refused_at_once() -> None:
    started = time.process_time()
    for filler in ("a", "1", "[", "0x", "word ", "\u200b"):
        assert reason(filler * (1_000_000 // len(filler)), "ethereum") == "LENGTH"
    assert time.process_time() - started < 5
