"""Pastes on Wallets: looked at before anything of them is kept, shown or sent.

Everything runs in a thread: the libraries of ``wallets`` load at the first use.
"""

import contextlib
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.domain.challenges import ChallengeStatus, challenge_status
from chainteller.domain.clock import format_instant, from_datetime
from chainteller.service.errors import NotOffered
from chainteller.tui.wallets.book import Book, Wallet, claim_request

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import SignatureDiagnosis
    from chainteller.wallets.cases import Case, KnownChallenge
    from chainteller.wallets.encodings import Candidate
    from chainteller.wallets.family import Address, Network
    from chainteller.wallets.simulated import SampleWallet

_SHOWN_HEAD, _SHOWN_TAIL = 6, 2


class Kind(StrEnum):
    """SIGNATURE also stands for what is surely meant as one, such as a cut one."""

    SIGNATURE = "signature"
    SECRET = "secret"  # noqa: S105 - a kind of paste
    ADDRESS = "address"
    TEXT = "text"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Paste:
    """``shape`` describes it without repeating it: ``0x8f2c..1b  132 characters``."""

    kind: Kind
    shape: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a pasted signature, which itself is kept only if it would pass."""

    challenge_id: str
    paste: Paste
    diagnosis: "SignatureDiagnosis"
    signature: str = field(default="", repr=False)

    @property
    def accepted(self) -> bool:
        return self.diagnosis.accepted


def load_libraries() -> None:
    """Import what a diagnosis needs, so that the first one does not wait for it."""
    import chainteller.wallets.judging  # noqa: F401, PLC0415 - in the background
    from chainteller.wallets.curve import curve  # noqa: PLC0415 - as above

    curve()


def look_at(text: str, network: str) -> Paste:
    """Describe a paste, for a wallet of the network if one is chosen, without any of a secret."""
    from chainteller.wallets.networks import (  # noqa: PLC0415 - at the first paste
        NETWORKS,
        resolve_network,
    )
    from chainteller.wallets.pasted_secrets import SecretPasted  # noqa: PLC0415 - as above
    from chainteller.wallets.reader import Unreadable, read_signature  # noqa: PLC0415 - as above

    on = resolve_network(network, test_networks=True) if network else NETWORKS[0]
    try:
        reading = read_signature(text, on.family)
    except SecretPasted:
        return Paste(Kind.SECRET)
    except Unreadable as unreadable:
        count = f"{len(text):,} characters"
        return Paste(_UNREADABLE.get(unreadable.finding, Kind.SIGNATURE), count)
    best = reading.candidates[0]
    return Paste(Kind.SIGNATURE, _shape(text), _form(best))


_UNREADABLE = {
    "EMPTY": Kind.EMPTY,
    "ADDRESS_PASTED": Kind.ADDRESS,
    "TEXT_PASTED": Kind.TEXT,
    "NOT_A_SIGNATURE": Kind.TEXT,
}


def _shape(text: str) -> str:
    bare = "".join(text.split())
    if len(bare) > _SHOWN_HEAD + _SHOWN_TAIL + 2 and bare.isascii() and bare.isprintable():
        return f"{bare[:_SHOWN_HEAD]}..{bare[-_SHOWN_TAIL:]}  {len(bare):,} characters"
    return f"{len(bare):,} characters"


def _form(candidate: "Candidate") -> str:
    """``65 bytes, v = 27, hex``."""
    data = candidate.data
    parts = [f"{len(data):,} bytes"]
    if len(data) == 65 and candidate.encoding in {"hex", "parts", "array"}:
        parts.append(f"v = {data[64]}")
    elif len(data) == 65 and candidate.encoding == "base64":
        parts.append(f"header {data[0]}")
    return ", ".join([*parts, candidate.encoding])


def judge(service: "Service", book: Book, wallet: Wallet, text: str, now: int) -> Verdict:
    """Say why the signature would or would not pass, without submitting it or using an attempt.

    A secret and a paste of excessive length are never sent: they are judged on this desk, by the
    function that also judges in the engine, as is every paste where the deployment offers no
    diagnosis.

    Raises:
        ChallengeAlreadyUsed, ChallengeLocked: the challenge is closed.
        TellerError: any other error of the call.
    """
    from chainteller.wallets import judging  # noqa: PLC0415 - at the first paste
    from chainteller.wallets.addresses import MAX_PASTE  # noqa: PLC0415 - as above

    if wallet.challenge is None:
        raise AssertionError("a signature is judged against a challenge")
    paste = look_at(text, wallet.network)
    if paste.kind is Kind.SECRET or len(text) > MAX_PASTE:
        found = judging.judge(_case(book, wallet, text, now))
    else:
        try:
            found = service.diagnose_signature(wallet.account.id, claim_request(wallet, text))
        except NotOffered:
            found = judging.judge(_case(book, wallet, text, now))
    return Verdict(wallet.challenge.id, paste, found, text if found.accepted else "")


def _case(book: Book, wallet: Wallet, text: str, now: int) -> "Case":
    """The attempt, with all that this desk has seen of the customer's wallets."""
    from chainteller.wallets.cases import Case, KnownAddress  # noqa: PLC0415 - at the first paste

    seen = _with_addresses(book)
    newest, *others = _known(wallet, _address(wallet), now)
    for row, address in seen:
        if row.key != wallet.key:
            others += _known(row, address, now)
    return Case(
        challenge=newest,
        signature=text,
        other_challenges=tuple(others),
        known_addresses=tuple(
            KnownAddress(row.counterparty.id, address)
            for row, address in seen
            if row.counterparty.id != wallet.counterparty.id
        ),
    )


def _with_addresses(book: Book) -> "list[tuple[Wallet, Address]]":
    """The wallets whose network this desk knows."""
    from chainteller.wallets.addresses import InvalidAddress  # noqa: PLC0415 - at the first paste
    from chainteller.wallets.networks import UnknownNetwork  # noqa: PLC0415 - as above

    found = []
    for row in book.wallets:
        with contextlib.suppress(InvalidAddress, UnknownNetwork):
            found.append((row, _address(row)))
    return found


def _address(wallet: Wallet) -> "Address":
    from chainteller.wallets.addresses import parse_address  # noqa: PLC0415 - at the first paste
    from chainteller.wallets.networks import resolve_network  # noqa: PLC0415 - as above

    network = resolve_network(wallet.network, test_networks=True)
    return parse_address(wallet.counterparty.address, network)


def _known(wallet: Wallet, address: "Address", now: int) -> "list[KnownChallenge]":
    """The challenges that this desk has seen for a wallet, newest first."""
    from chainteller.wallets.cases import KnownChallenge  # noqa: PLC0415 - at the first paste

    found = []
    for challenge in (wallet.challenge, wallet.earlier):
        if challenge is not None:
            expires = from_datetime(challenge.expires) if challenge.expires else now
            status = challenge.status or ChallengeStatus.OPEN
            found.append(
                KnownChallenge(
                    challenge_id=challenge.id,
                    counterparty_id=wallet.counterparty.id,
                    address=address,
                    text=challenge.challenge,
                    state=challenge_status(status, now=now, expires=expires),
                    expires_at=format_instant(expires),
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class AddressRead:
    """The offered networks on which a text is an address, or why it is one on none."""

    networks: tuple[str, ...] = ()
    reason: str = ""


def read_address(text: str, offered: tuple[str, ...]) -> AddressRead:
    """Recognise the networks of a typed or pasted address."""
    from chainteller.wallets.addresses import (  # noqa: PLC0415 - at the first address
        InvalidAddress,
        parse_address,
    )

    networks: list[str] = []
    reasons: list[str] = []
    for network in _open_networks(offered):
        try:
            parse_address(text, network)
        except InvalidAddress as invalid:
            reasons.append(invalid.reason)
        else:
            networks.append(network.name)
    if networks:
        return AddressRead(tuple(networks))
    telling = [reason for reason in reasons if reason not in {"ENCODING", "WRONG_NETWORK"}]
    return AddressRead(reason=(telling or reasons or ["ENCODING"])[0])


def _open_networks(offered: tuple[str, ...]) -> "list[Network]":
    from chainteller.wallets.networks import (  # noqa: PLC0415 - at the first address
        UnknownNetwork,
        network_names,
        resolve_network,
    )

    found = []
    for name in offered or network_names():
        try:
            found.append(resolve_network(name, test_networks=True))
        except UnknownNetwork:
            continue
    return found


def holds_secret(text: str) -> bool:
    """Whether the text of a field is a private key or recovery words, as far as it is typed."""
    from chainteller.wallets.pasted_secrets import (  # noqa: PLC0415 - at the first character
        find_secret,
        has_hex_key,
    )

    return bool(find_secret(text)) or has_hex_key(text)


def sample_wallet_of(wallet: Wallet, file: Path) -> "SampleWallet | None":
    """The sample wallet with this wallet's address."""
    from chainteller.wallets.simulated import sample_wallets  # noqa: PLC0415 - at the first use

    for sample in sample_wallets(file):
        address = sample.address
        if (address.network.name, address.display) == (wallet.network, wallet.counterparty.address):
            return sample
    return None


def simulated_answer(wallet: Wallet, file: Path, mistake: str) -> str:
    """What the sample customer would send by mail; without a mistake, the right signature.

    Raises:
        UnknownSampleWallet, UnknownMistake: the wallet is no sample, or cannot err that way.
    """
    from chainteller.wallets.simulated import (  # noqa: PLC0415 - at the first use
        UnknownSampleWallet,
        sample_wallets,
        sign_sample,
    )

    sample = sample_wallet_of(wallet, file)
    if sample is None or wallet.challenge is None:
        raise UnknownSampleWallet(wallet.counterparty.id)
    return sign_sample(
        sample.name,
        wallet.challenge.challenge,
        wallets=sample_wallets(file),
        mistake=mistake or None,
        earlier_text=wallet.earlier.challenge if wallet.earlier else None,
    )
