"""Finds which open challenges the signatures in a text prove: the signature says whose it is.

A customer with several wallets sends several signatures at once, in whatever order.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from chainteller.domain.challenges import ChallengeStatus, challenge_status
from chainteller.domain.clock import format_instant, from_datetime
from chainteller.domain.pasting import MAX_PASTE
from chainteller.service.models.counterparties import Challenge, ClaimRequest
from chainteller.wallets.cases import KnownChallenge
from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.family import Address, Family
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.reader import Unreadable, read_signature
from chainteller.wallets.verify import verify_reading

MOST_SIGNATURES = 40
_SHORTEST = 64
"""Bytes of the shortest signature."""
_WORD = re.compile(r"[0-9A-Za-z+/=_-]{60,}", re.ASCII)
_BLANK_LINE = re.compile(r"\n\s*\n")


class Matched(NamedTuple):
    """A challenge and the part of the text that proves it."""

    challenge: KnownChallenge
    signature: str

    def request(self) -> ClaimRequest:
        """The claim that it proves."""
        return ClaimRequest(
            challenge_id=self.challenge.challenge_id,
            completed_challenge=self.signature,
            counterparty_id=self.challenge.counterparty_id,
        )


class Matches(NamedTuple):
    """What the signatures of a text prove. ``others`` are signatures that prove no open challenge,
    and ``left`` the open challenges that nothing proves."""

    proved: tuple[Matched, ...]
    others: tuple[str, ...]
    left: tuple[KnownChallenge, ...]


def match(text: str, challenges: Iterable[KnownChallenge]) -> Matches:
    """Hold each signature of a text against each challenge that is open.

    At most ``MOST_SIGNATURES`` are looked at, and nothing of a text that is too long for a paste.
    A secret proves nothing and isn't among ``others``: look for one before.
    """
    left = [each for each in challenges if each.state == ChallengeStatus.OPEN]
    if len(text) > MAX_PASTE:
        return Matches((), (), tuple(left))
    words = _words(text)
    families = list(dict.fromkeys(each.address.network.family for each in left))
    proved: list[Matched] = []
    for part in _parts(text, words):
        readings = {family: _read(part, family) for family in families}
        for challenge in left:
            reading = readings[challenge.address.network.family]
            if reading is not None and _is_proved(challenge, reading):
                proved.append(Matched(challenge, part))
                left.remove(challenge)
                break
    used = "\n".join(each.signature for each in proved)
    others = [word for word in words if word not in used and _is_signature(word, families)]
    return Matches(tuple(proved), tuple(others), tuple(left))


def known(challenge: Challenge, address: Address, now: int) -> KnownChallenge:
    """A challenge as a deployment lists it; one that tells no expiry is as open as it says."""
    expires = from_datetime(challenge.expires) if challenge.expires else now
    status = challenge.status or ChallengeStatus.OPEN
    return KnownChallenge(
        challenge_id=challenge.id,
        counterparty_id=challenge.counterparty_id or "",
        address=address,
        text=challenge.challenge,
        state=challenge_status(status, now=now, expires=expires),
        expires_at=format_instant(expires),
        page_text=challenge.page_text,
    )


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text)))[:MOST_SIGNATURES]


def _parts(text: str, words: Sequence[str]) -> Iterator[str]:
    """Words that may be signatures, then lines and paragraphs: some are in several words."""
    yield from words
    paragraphs = _BLANK_LINE.split(text)
    for part in dict.fromkeys((*text.splitlines()[: 4 * MOST_SIGNATURES], *paragraphs, text)):
        if len(part.strip()) >= _SHORTEST and part not in words:
            yield part


def _read(part: str, family: Family) -> SignatureReading | None:
    try:
        return read_signature(part, family)
    except (Unreadable, SecretPasted):
        return None


def _is_proved(challenge: KnownChallenge, reading: SignatureReading) -> bool:
    texts = (challenge.text, challenge.page_text)
    return any(
        verify_reading(text.encode(), reading, challenge.address) is not None
        for text in texts
        if text is not None
    )


def _is_signature(word: str, families: Iterable[Family]) -> bool:
    readings = (_read(word, family) for family in families)
    found = (each.candidates for each in readings if each is not None)
    return any(len(candidate.data) >= _SHORTEST for each in found for candidate in each)
