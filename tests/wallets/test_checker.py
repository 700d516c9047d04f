"""The checker proves an altered text with the bytes that were signed.

That it proves every scheme, and nothing that was changed: test_recorded_signatures.py.
"""

from collections.abc import Iterator

import pytest
from tests.wallets.checker import proves
from tests.wallets.customers import EVERY_FAMILY, Customer, case, customers, text_for

from chainteller.wallets.addresses import Address, parse_address
from chainteller.wallets.bech32 import encode_bech32
from chainteller.wallets.bitcoin_keys import KEY_KINDS
from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.families.bitcoin import BitcoinFamily
from chainteller.wallets.families.cosmos import CHAINS
from chainteller.wallets.hashes import hash160
from chainteller.wallets.networks import NETWORKS, resolve_network
from chainteller.wallets.recoverable import key_hash
from chainteller.wallets.sample_keys import public_key
from chainteller.wallets.secp256k1 import compress

KEY = customers("cosmos")[0].key

EVERYONE = [
    pytest.param(each, id=each.registered.display)
    for name in EVERY_FAMILY
    for each in customers(name)[1:]
]


@pytest.mark.parametrize("customer", EVERYONE)
def test_an_altered_text_is_proved_with_the_bytes_that_were_signed(customer: Customer) -> None:
    signed = text_for(customer.registered).replace(" ", "\u00a0") + "\r\n"
    answer = diagnose(case(customer.registered, customer.answer(signed), search_longer=True))
    assert (answer.finding, answer.certain) == ("ALTERED_TEXT", True)
    assert answer.witness is not None
    assert answer.witness.message == signed.encode()
    assert proves(answer.witness)
    assert len(answer.differences) == 2
    assert any("no-break space" in each for each in answer.differences)


def addresses() -> Iterator[Address]:
    """Of one key on each network whose addresses the checker has to be told about."""
    key = public_key(KEY)
    for network in NETWORKS:
        family = network.family
        if isinstance(family, BitcoinFamily):
            for kind in sorted(family.kinds & KEY_KINDS):
                yield family.address_of_key(key, kind, network)
    for chain in CHAINS:
        raw = key_hash(key) if chain.has_ethereum_keys else hash160(compress(key))
        network = resolve_network(chain.name, test_networks=True)
        yield parse_address(encode_bech32(chain.prefix, raw), network)


def test_the_checker_knows_every_network() -> None:
    for registered in addresses():
        family = registered.network.family
        paste = family.sign(KEY, text_for(registered).encode(), registered).shown
        answer = diagnose(case(registered, paste))
        assert answer.accepted, registered
        assert answer.witness is not None
        assert proves(answer.witness), registered
