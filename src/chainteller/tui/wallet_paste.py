"""What a paste on Wallets is: judged here, before anything of it is kept, shown or sent.

Everything runs in a thread: the libraries of ``wallets`` load at the first use.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.service.errors import NotOffered
from chainteller.tui.wallet_book import Book, Wallet, claim_request

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import SignatureDiagnosis
    from chainteller.wallets.cases import Case, KnownChallenge
    from chainteller.wallets.encodings import Candidate
    from chainteller.wallets.networks import Network
    from chainteller.wallets.simulated import SampleWallet

_LONGEST = 20_000
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
    """What became of a pasted signature; the signature itself is kept only if it would pass."""

    challenge_id: str
    paste: Paste
    diagnosis: "SignatureDiagnosis"
    signature: str = field(default="", repr=False)

    @property
    def accepted(self) -> bool:
        return self.diagnosis.accepted


def load_libraries() -> None:
    """Import what a diagnosis needs, so that the first one does not wait for it."""
    import chainteller.wallets.diagnose  # noqa: F401, PLC0415 - as said
    from chainteller.wallets.curve import curve  # noqa: PLC0415 - as above

    curve()


def look_at(text: str, network: str) -> Paste:
    """What was pasted, for a wallet of the network; nothing of a secret is in the answer."""
    from chainteller.wallets.networks import resolve_network  # noqa: PLC0415 - at the first paste
    from chainteller.wallets.pasted_secrets import SecretPasted  # noqa: PLC0415 - as above
    from chainteller.wallets.reader import Unreadable, read_signature  # noqa: PLC0415 - as above

    family = resolve_network(network, test_networks=True).family
    try:
        reading = read_signature(text, family)
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


def judge(service: "Service", book: Book, wallet: Wallet, text: str) -> Verdict:
    """Why the signature would or would not pass; nothing is submitted and no try is burned.

    A secret and a flood of text never leave this desk.

    Raises:
        ChallengeAlreadyUsed, ChallengeLocked, and what any call may raise.
    """
    if wallet.challenge is None:
        raise AssertionError("a signature is judged against a challenge")
    paste = look_at(text, wallet.network)
    if paste.kind is Kind.SECRET or len(text) > _LONGEST:
        finding = "SECRET_PASTED" if paste.kind is Kind.SECRET else "TOO_LONG"
        return Verdict(wallet.challenge.id, paste, _here(wallet, finding))
    try:
        found = service.diagnose_signature(wallet.account.id, claim_request(wallet, text))
    except NotOffered:
        found = _judged_here(book, wallet, text)
    return Verdict(wallet.challenge.id, paste, found, text if found.accepted else "")


def _here(wallet: Wallet, finding: str) -> "SignatureDiagnosis":
    """A finding that needs no look at the signature."""
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        SignatureDiagnosis,
    )
    from chainteller.wallets.findings import FINDINGS  # noqa: PLC0415 - at the first paste

    words = FINDINGS[finding]
    return SignatureDiagnosis(
        accepted=False,
        cause=words.cause,
        certain=True,
        finding=finding,
        explanation=words.explanation,
        ask_customer=words.ask_customer,
        suggestion=words.suggestion,
        challenge_id=wallet.challenge.id if wallet.challenge else "",
        counterparty_id=wallet.counterparty.id,
        network=wallet.network,
        expected_address=wallet.counterparty.address,
    )


def _judged_here(book: Book, wallet: Wallet, text: str) -> "SignatureDiagnosis":
    """For a deployment that explains nothing: the same search over what this desk has seen."""
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        SignatureDiagnosis,
    )
    from chainteller.wallets.diagnose import diagnose  # noqa: PLC0415 - at the first paste

    about = _case(book, wallet, text)
    found = diagnose(about)
    return SignatureDiagnosis(
        accepted=found.accepted and found.finding == "ACCEPTED",
        cause=found.cause,
        certain=found.certain,
        finding=found.finding,
        explanation=found.explanation,
        ask_customer=found.ask_customer,
        suggestion=found.suggestion,
        challenge_id=about.challenge.challenge_id,
        counterparty_id=wallet.counterparty.id,
        network=wallet.network,
        expected_address=about.challenge.address.display,
        recovered_address=found.recovered_address,
        other_challenge_id=found.other_challenge_id,
        other_counterparty_id=found.other_counterparty_id,
    )


def _case(book: Book, wallet: Wallet, text: str) -> "Case":
    from chainteller.wallets.cases import Case, KnownAddress  # noqa: PLC0415 - at the first paste

    others = [_known(row) for row in book.wallets if row.key != wallet.key and row.challenge]
    return Case(
        challenge=_known(wallet),
        signature=text,
        other_challenges=tuple(others),
        known_addresses=tuple(
            KnownAddress(row.counterparty_id, row.address)
            for row in others
            if row.counterparty_id != wallet.counterparty.id
        ),
    )


def _known(wallet: Wallet) -> "KnownChallenge":
    from chainteller.wallets.addresses import parse_address  # noqa: PLC0415 - at the first paste
    from chainteller.wallets.cases import KnownChallenge  # noqa: PLC0415 - as above
    from chainteller.wallets.networks import resolve_network  # noqa: PLC0415 - as above

    challenge = wallet.challenge
    if challenge is None:
        raise AssertionError("only wallets with a challenge are known by one")
    network = resolve_network(wallet.network, test_networks=True)
    return KnownChallenge(
        challenge_id=challenge.id,
        counterparty_id=wallet.counterparty.id,
        address=parse_address(wallet.counterparty.address, network),
        text=challenge.challenge,
        state=challenge.status or "open",
        expires_at=f"{challenge.expires:%Y-%m-%dT%H:%M:%SZ}" if challenge.expires else "",
    )


@dataclass(frozen=True, slots=True)
class AddressRead:
    """On which of the offered networks a text is an address; else why it is none."""

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
    """Whether what stands in a field is a key or the words of one, as far as it is typed."""
    from chainteller.wallets.pasted_secrets import (  # noqa: PLC0415 - at the first character
        find_secret,
        has_hex_key,
    )

    return bool(find_secret(text)) or has_hex_key(text)


def sample_wallet_of(wallet: Wallet, file: Path) -> "SampleWallet | None":
    """The sample wallet whose published key this wallet has."""
    from chainteller.wallets.simulated import sample_wallets  # noqa: PLC0415 - at the first use

    for sample in sample_wallets(file):
        address = sample.address
        if (address.network.name, address.display) == (wallet.network, wallet.counterparty.address):
            return sample
    return None


def simulated_answer(wallet: Wallet, file: Path, mistake: str) -> str:
    """What the sample customer would send by mail; ``mistake`` empty: the right signature.

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
