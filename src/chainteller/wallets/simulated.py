"""Sample wallets for demonstrations: sign with published keys, correctly or with a mistake."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from chainteller.wallets.addresses import parse_address
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Address, Family
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.proof import Proof


class Sends(StrEnum):
    """How somebody answers the request for a small transfer."""

    EXACT = "exact"
    ROUNDED = "rounded"
    FROM_ANOTHER = "from-another"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class SampleWallet:
    """A wallet whose key is published, and the account its owner mistakes it for.

    ``sends`` is what its owner does when asked for a small transfer.
    """

    name: str
    address: Address
    published_test_key: bytes
    other_account: str
    sends: Sends = Sends.EXACT


class UnknownSampleWallet(LookupError):
    """No sample wallet has this name; real keys are never accepted."""


class UnknownMistake(LookupError):
    """No such mistake, or this family's wallets cannot make it."""


_GENERAL: Mapping[str, str] = {
    "wrong-account": "another account of the wallet is selected",
    "wrong-network": "a wallet of another network signs the text",
    "earlier-challenge": "an earlier text is signed",
    "trailing-newline": "a line break is added at the end",
    "crlf": "a Windows line break is added at the end",
    "trailing-space": "a space is added at the end",
    "quoted": "the text is copied with quotation marks around it",
    "dashes": "a mail program turns hyphens into dashes",
    "lower-case": "the text is typed in small letters",
    "lost-end": "the last character is not copied",
    "hex-of-text": "the wallet signs the text as hex digits",
    "typed-by-hand": "the text is typed from memory",
    "truncated": "dots replace the middle of the signature",
    "address": "the address is sent instead of a signature",
    "text": "the text is sent instead of a signature",
    "secret": "the wallet's published private key is sent",
}

_ALTERED: Mapping[str, Callable[[str], str]] = {
    "trailing-newline": lambda text: text + "\n",
    "crlf": lambda text: text + "\r\n",
    "trailing-space": lambda text: text + " ",
    "quoted": lambda text: f'"{text}"',
    "dashes": lambda text: text.replace("-", "\u2013"),
    "lower-case": str.lower,
    "lost-end": lambda text: text[:-1],
    "hex-of-text": lambda text: "0x" + text.encode().hex(),
    "typed-by-hand": lambda text: "Hello, this is my wallet. " + text[:20],
}
_INSTEAD: Mapping[str, Callable[[SampleWallet, str], str]] = {
    "truncated": lambda wallet, text: _with_dots(_sign(wallet, text)),
    "address": lambda wallet, _: wallet.address.display,
    "text": lambda _, text: text,
    "secret": lambda wallet, _: wallet.address.network.family.export_key(wallet.published_test_key),
}


def _with_dots(signature: str) -> str:
    return f"{signature[:12]}...{signature[-8:]}"


def mistakes_of(family: Family) -> Mapping[str, str]:
    """What a sample customer with a wallet of this family can do wrong, by name."""
    own = {name: mistake.description for name, mistake in family.mistakes.items()}
    return {**_GENERAL, **own}


MISTAKES = tuple(dict.fromkeys(name for family in FAMILIES for name in mistakes_of(family)))


def sample_wallets(path: Path) -> tuple[SampleWallet, ...]:
    """The wallets of a `wallets.toml` of sample data."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["wallet"]
    return tuple(
        SampleWallet(
            name=table["name"],
            address=parse_address(table["address"], resolve_network(table["network"])),
            published_test_key=bytes.fromhex(table["published_test_key"]),
            other_account=table["other_account"],
            sends=Sends(table.get("sends", Sends.EXACT)),
        )
        for table in tables
    )


def sign_sample(
    name: str,
    text: str,
    *,
    wallets: tuple[SampleWallet, ...],
    mistake: str | None = None,
    earlier_text: str | None = None,
) -> str:
    """What the customer of the sample wallet would send as the signature of the text.

    Raises:
        UnknownSampleWallet: no such sample wallet.
        UnknownMistake: see `MISTAKES`; also earlier-challenge without an earlier text.
    """
    wallet = _find(name, wallets)
    if mistake is None:
        return _sign(wallet, text)
    special = wallet.address.network.family.mistakes.get(mistake)
    if special is not None:
        return special.paste(wallet.published_test_key, text.encode(), wallet.address)
    if mistake in _ALTERED:
        return _sign(wallet, _ALTERED[mistake](text))
    if mistake in _INSTEAD:
        return _INSTEAD[mistake](wallet, text)
    if mistake == "wrong-account":
        return _sign(_find(wallet.other_account, wallets), text)
    if mistake == "wrong-network":
        return _sign(_foreign(wallet, wallets), text)
    if mistake == "earlier-challenge" and earlier_text is not None:
        return _sign(wallet, earlier_text)
    raise UnknownMistake(mistake)


def _find(name: str, wallets: tuple[SampleWallet, ...]) -> SampleWallet:
    for wallet in wallets:
        if wallet.name == name:
            return wallet
    raise UnknownSampleWallet(name)


def _foreign(wallet: SampleWallet, wallets: tuple[SampleWallet, ...]) -> SampleWallet:
    family = wallet.address.network.family
    return next(other for other in wallets if other.address.network.family is not family)


def _sign(wallet: SampleWallet, text: str) -> str:
    address = wallet.address
    return address.network.family.sign(wallet.published_test_key, text.encode(), address).shown


def sample_proof(wallet: SampleWallet, text: str) -> Proof:
    """The record of a claim that the wallet's signature of the text opens."""
    address = wallet.address
    made = address.network.family.sign(wallet.published_test_key, text.encode(), address)
    return Proof(made.scheme, made.data.hex(), address.display)
