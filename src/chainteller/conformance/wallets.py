"""Throw-away wallets whose keys the check generates itself."""

import base64
from dataclasses import dataclass

import base58

from chainteller.conformance.exchanges import Blocked
from chainteller.domain.randomness import Randomness
from chainteller.wallets.family import Address, Network
from chainteller.wallets.hashes import keccak256
from chainteller.wallets.networks import UnknownNetwork, resolve_network

ETHEREUM = "evm"
SOLANA = "solana"


@dataclass(frozen=True, slots=True)
class Wallet:
    """A wallet that can sign; the key is never shown."""

    address: Address
    secret: bytes

    @property
    def family(self) -> str:
        return self.address.network.family.name

    def sign(self, text: str) -> tuple[str, ...]:
        """The signature of a text in its usual encodings, the most usual one first. Raises Blocked:
        the text has no UTF-8 form."""
        try:
            message = text.encode()
        except UnicodeEncodeError:
            raise Blocked("the challenge isn't text that has a UTF-8 form") from None
        data = self.address.network.family.sign(self.secret, message, self.address).data
        in_base64 = base64.b64encode(data).decode()
        if self.family == SOLANA:
            return (base58.b58encode(data).decode(), in_base64, data.hex())
        return ("0x" + data.hex(), data.hex(), in_base64)


def new_wallet(network: Network, randomness: Randomness) -> Wallet:
    """Generate a wallet of an Ethereum-style or Solana-style network."""
    secret = randomness.bytes(32)
    if network.family.name == SOLANA:
        from nacl.bindings import crypto_sign_seed_keypair  # noqa: PLC0415 - for writing checks only

        text = base58.b58encode(crypto_sign_seed_keypair(secret)[0]).decode()
    else:
        from chainteller.wallets.sample_keys import public_key  # noqa: PLC0415 - as above

        text = "0x" + keccak256(public_key(secret))[12:].hex()
    return Wallet(network.family.parse_address(text, network), secret)


def signing_network(name: str) -> Network:
    """The network of this name, if the check has wallets for it. Raises Blocked: it has none."""
    try:
        network = resolve_network(name, test_networks=True)
    except UnknownNetwork:
        raise Blocked("no wallet for this network can be generated") from None
    if network.family.name not in {ETHEREUM, SOLANA}:
        raise Blocked(f"no wallet for {network.name} can be generated")
    return network
