"""A family that lacks a part, or a name, is refused with a sentence that says what is missing."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chainteller.wallets.families import FAMILIES
from chainteller.wallets.families.evm import Evm
from chainteller.wallets.family import Family, IncompleteFamily, Network, checked
from chainteller.wallets.recoverable import KeccakFamily

SOURCES = Path(__file__).resolve().parents[2] / "src" / "chainteller"
FACTS = ("name", "label", "uri_schemes", "sign_function", "how_to_sign", "form")
METHODS = tuple(sorted(Family.__abstractmethods__))


def declared(*, without: str = "", **parts: Any) -> type[Family]:
    """Ethereum's family under another name, declared without one of its parts."""
    body: dict[str, Any] = {name: getattr(Evm, name) for name in (*FACTS, *METHODS)}
    body |= parts
    body.pop(without, None)
    return type("Dogecoin", (Family,), body)


@pytest.mark.parametrize("part", [*FACTS, *METHODS])
def test_a_family_without_one_of_its_parts_cannot_be_declared(part: str) -> None:
    with pytest.raises(IncompleteFamily) as refused:
        declared(without=part)
    sentence = str(refused.value)
    assert sentence.startswith(f"The wallet family Dogecoin has no {part}: ")
    assert sentence.endswith(".")
    assert len(sentence.partition(": ")[2]) > 10


@pytest.mark.parametrize("part", ["message_prefix", "scheme", "address_bytes", "address_of"])
def test_a_family_of_recoverable_signatures_needs_what_its_base_adds(part: str) -> None:
    body = {name: value for name, value in vars(Evm).items() if name != part}
    with pytest.raises(IncompleteFamily, match=f"The wallet family Dogecoin has no {part}: "):
        type("Dogecoin", (KeccakFamily,), body)


def test_a_family_with_all_its_parts_can_be_declared() -> None:
    assert declared(name="dogecoin")


def networks(make: Callable[[Family], tuple[Network, ...]]) -> Family:
    return declared(name="dogecoin", networks=property(make))()


@pytest.mark.parametrize(
    ("name", "caip2", "sentence"),
    [
        ("", "bip122:1a91e3dace36e2be3bf030a6", "has no name for its network bip122:1a91e3da"),
        ("Doge Coin", "bip122:1a91e3dace36e2be3bf0", "has no name for its network bip122:1a91e3d"),
        ("dogecoin", "", "has no CAIP-2 id for dogecoin"),
        ("dogecoin", "eip155:1", "calls dogecoin 'eip155:1', which means ethereum"),
    ],
)
def test_a_network_without_a_name_of_its_own_is_refused(
    name: str, caip2: str, sentence: str
) -> None:
    family = networks(lambda family: (Network(name, caip2, family, main=True),))
    with pytest.raises(IncompleteFamily, match="The wallet family dogecoin") as refused:
        checked((*FAMILIES, family))
    assert sentence in str(refused.value)


def test_a_family_without_networks_is_refused() -> None:
    with pytest.raises(IncompleteFamily, match="family dogecoin has no network"):
        checked((networks(lambda _: ()),))


def test_every_network_names_the_family_that_declares_it() -> None:
    for family in FAMILIES:
        assert all(network.family is family for network in family.networks)
        assert family.networks[0].main


def test_no_other_module_looks_at_a_familys_name() -> None:
    """Whatever depends on the family is asked of the family.

    The versions of extended keys are given to families by name (SLIP-132).
    ``conformance`` checks the two wallets that the specification's sentences name. The script of a
    signing page is told the name, and looks for wallets by it.
    """
    asking = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"\bfamily\.name\b|isinstance\([^)]*\b(?:Evm|Solana|Bitcoin|Tron)\b",
                     path.read_text(encoding="utf-8"))
    ]  # fmt: skip
    outside = [path for path in asking if not path.startswith("conformance/")]
    assert sorted(outside) == [
        "engine/operations/signing_pages.py",
        "wallets/extended_keys.py",
        "wallets/family.py",
    ]
