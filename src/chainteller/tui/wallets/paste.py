"""Pastes on Wallets: examined before anything of them is kept, shown or sent.

Importing it loads the libraries of ``wallets``, so it is imported in a thread.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chainteller.domain.bare_keys import has_hex_key
from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.pasted_secrets import find_secret
from chainteller.domain.pasting import MAX_PASTE
from chainteller.service.errors import NotFound, NotOffered
from chainteller.service.models.counterparties import DiagnosisRequest
from chainteller.tui.wallets.book import Book, Kind, Paste, Verdict, Wallet, claim_request
from chainteller.wallets import judging
from chainteller.wallets.addresses import InvalidAddress, parse_address
from chainteller.wallets.cases import Case, KnownAddress, KnownChallenge
from chainteller.wallets.clipboard import read_clipboard
from chainteller.wallets.curve import curve
from chainteller.wallets.encodings import Candidate
from chainteller.wallets.extended_keys import is_extended_key
from chainteller.wallets.family import Address, Network
from chainteller.wallets.listed import unowned
from chainteller.wallets.matching import known, match
from chainteller.wallets.networks import (
    NETWORKS,
    UnknownNetwork,
    network_names,
    resolve_network,
)
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.reader import Unreadable, is_of, read_signature
from chainteller.wallets.simulated import (
    UnknownSampleWallet,
    sample_wallets,
    sign_sample,
)

if TYPE_CHECKING:
    from chainteller.service.interface import Service

_SHOWN_HEAD, _SHOWN_TAIL = 6, 2
_UNREADABLE = {
    "EMPTY": Kind.EMPTY,
    "ADDRESS_PASTED": Kind.ADDRESS,
    "TEXT_PASTED": Kind.TEXT,
    "NOT_A_SIGNATURE": Kind.TEXT,
}


def load_curve() -> None:
    """Load the curve's implementation, which the first signature needs."""
    curve()


def look_at(text: str, network: str, ours: Iterable[str] = ()) -> Paste:
    """Describe a paste, for a wallet of the network if one is chosen, without any of a secret.
    ``ours`` are the messages to sign, which are text.
    """
    if is_of(text, ours):
        return Paste(Kind.TEXT, f"{len(text):,} characters")
    on = resolve_network(network, test_networks=True) if network else NETWORKS[0]
    try:
        reading = read_signature(text, on.family)
    except SecretPasted:
        return Paste(Kind.SECRET)
    except Unreadable as unreadable:
        count = f"{len(text):,} characters"
        found = read_clipboard(text, on.family).parts if len(text) <= MAX_PASTE else []
        if found:
            form = f"{_form(found[0].reading.candidates[0])}, {found[0].source}"
            return Paste(Kind.SIGNATURE, f"found in {count}", form)
        return Paste(_UNREADABLE.get(unreadable.finding, Kind.SIGNATURE), count)
    best = reading.candidates[0]
    if is_extended_key(text.strip()):
        return Paste(Kind.SIGNATURE, _shape(text), "extended public key")
    return Paste(Kind.SIGNATURE, _shape(text), _form(best))


def messages(book: Book) -> list[str]:
    """The customer's messages to sign."""
    known = (each for row in book.wallets for each in (row.challenge, row.earlier))
    return [each.challenge for each in known if each is not None]


def _shape(text: str) -> str:
    bare = "".join(text.split())
    if len(bare) > _SHOWN_HEAD + _SHOWN_TAIL + 2 and bare.isascii() and bare.isprintable():
        return f"{bare[:_SHOWN_HEAD]}..{bare[-_SHOWN_TAIL:]}  {len(bare):,} characters"
    return f"{len(bare):,} characters"


def _form(candidate: Candidate) -> str:
    """``65 bytes, v = 27, hex``."""
    data = candidate.data
    parts = [f"{len(data):,} bytes"]
    if len(data) == 65 and candidate.encoding in {"hex", "parts", "array"}:
        parts.append(f"v = {data[64]}")
    elif len(data) == 65 and candidate.encoding == "base64":
        parts.append(f"header {data[0]}")
    return ", ".join([*parts, candidate.encoding])


def judge(  # noqa: PLR0913 - one keyword for each part of the question
    service: "Service", book: Book, wallet: Wallet, text: str, now: int,
    *, longer: bool = False, signed_text: str = "",
) -> Verdict:  # fmt: skip
    """Say why the signature would or would not pass, without submitting it or using an attempt.
    ``longer`` is for a text whose diagnosis said that a longer search may find more;
    ``signed_text`` is what the customer's wallet shows as signed.

    A secret and a paste of excessive length are never sent: they are judged on this desk, by the
    function that also judges in the engine, as is every paste where the deployment offers no
    diagnosis, or doesn't know the message.

    Raises:
        ChallengeAlreadyUsed, ChallengeLocked: the challenge is closed.
        TellerError: any other error of the call.
    """
    if wallet.challenge is None:
        raise AssertionError("a signature is checked against a message to sign")
    paste, is_by_desk = look_at(text, wallet.network, messages(book)), False
    if paste.kind is Kind.SECRET or len(text) > MAX_PASTE:
        found = judging.judge(_case(book, wallet, text, now))
    else:
        try:
            claim = claim_request(wallet, text)
            asked = DiagnosisRequest.of(claim, search_longer=longer, signed_text=signed_text)
            found = service.diagnose_signature(wallet.account.id, asked)
        except (NotFound, NotOffered):  # a gateway doesn't know every message of its provider
            case = _case(book, wallet, text, now)
            case = replace(case, search_longer=longer, signed_text=signed_text or None)
            is_by_desk, found = True, judging.judge(case)
    return Verdict(
        wallet.challenge.id, paste, found, text if found.accepted else "",
        text if found.asks_for_text else "", is_by_desk,
    )  # fmt: skip


class Several(NamedTuple):
    """Several signatures of one paste, each with the wallet that it's about: those that prove the
    message of their wallet, and then others, as far as there is a message left for them. ``others``
    counts all of those.

    Of an extended key (``is_key``), each wallet with an open message, some of which it may prove.
    """

    parts: tuple[tuple[Wallet, str], ...]
    others: int
    is_key: bool = False


def several(book: Book, text: str, now: int) -> Several | None:
    """What a paste of several signatures proves; None for one signature, or one that proves nothing
    of this customer's."""
    open_ = {
        challenge.challenge_id: (row, challenge)
        for row, address in _with_addresses(book)
        for challenge in _known(row, address, now)[:1]
        if challenge.state == ChallengeStatus.OPEN
    }
    if is_extended_key(text.strip()) and len(open_) > 1:
        return Several(tuple((row, text) for row, _ in open_.values()), 0, is_key=True)
    found = match(text, [challenge for _, challenge in open_.values()])
    if not found.proved or len(found.proved) + len(found.others) < 2:
        return None
    parts = [(each.challenge, each.signature) for each in found.proved]
    parts += zip(found.left, found.others, strict=False)
    wallets = tuple((open_[challenge.challenge_id][0], signed) for challenge, signed in parts)
    return Several(wallets, len(found.others))


def _case(book: Book, wallet: Wallet, text: str, now: int) -> Case:
    """The attempt, with all that this desk has seen of the customer's wallets."""
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


def _with_addresses(book: Book) -> list[tuple[Wallet, Address]]:
    """The wallets whose network this desk knows."""
    found = []
    for row in book.wallets:
        with contextlib.suppress(InvalidAddress, UnknownNetwork):
            found.append((row, _address(row)))
    return found


def _address(wallet: Wallet) -> Address:

    network = resolve_network(wallet.network, test_networks=True)
    return parse_address(wallet.counterparty.address, network)


def _known(wallet: Wallet, address: Address, now: int) -> list[KnownChallenge]:
    """The challenges that this desk has seen for a wallet, newest first."""
    challenges = (wallet.challenge, wallet.earlier)
    return [known(each, address, now) for each in challenges if each is not None]


@dataclass(frozen=True, slots=True)
class AddressRead:
    """The offered networks on which a text is an address, or why it is one on none.

    ``name`` is what the address is instead, or the network that it is of, where that is known.
    """

    networks: tuple[str, ...] = ()
    reason: str = ""
    name: str = ""


def read_address(text: str, offered: tuple[str, ...]) -> AddressRead:
    """Recognise the networks of a typed or pasted address."""
    networks: list[str] = []
    reasons: list[str] = []
    other = ""
    for network in _open_networks(offered):
        try:
            found = unowned(parse_address(text, network))
        except InvalidAddress as invalid:
            reasons.append(invalid.reason)
            other = other or invalid.network
        else:
            if found is not None:
                return AddressRead(reason=found.reason, name=found.name)
            networks.append(network.name)
    if networks:
        return AddressRead(tuple(networks))
    telling = [reason for reason in reasons if reason not in {"ENCODING", "WRONG_NETWORK"}]
    if other and not telling:
        return AddressRead(reason="WRONG_NETWORK", name=other)
    return AddressRead(reason=(telling or reasons or ["ENCODING"])[0])


def _open_networks(offered: tuple[str, ...]) -> list[Network]:

    found = []
    for name in offered or network_names():
        try:
            found.append(resolve_network(name, test_networks=True))
        except UnknownNetwork:
            continue
    return found


def holds_secret(text: str) -> bool:
    """Whether the text of a field is a private key or recovery words, as far as it is typed."""
    return bool(find_secret(text)) or has_hex_key(text)


def simulated_answer(wallet: Wallet, file: Path, mistake: str) -> str:
    """Sign the wallet's challenge as the sample customer would; without a mistake, rightly.

    Raises:
        UnknownSampleWallet, UnknownMistake: the wallet is no sample, or cannot err that way.
    """
    samples = sample_wallets(file)
    names = {(row.address.network.name, row.address.display): row.name for row in samples}
    name = names.get((wallet.network, wallet.counterparty.address))
    if name is None or wallet.challenge is None:
        raise UnknownSampleWallet(wallet.counterparty.id)
    return sign_sample(
        name,
        wallet.challenge.challenge,
        wallets=samples,
        mistake=mistake or None,
        earlier_text=wallet.earlier.challenge if wallet.earlier else None,
    )
