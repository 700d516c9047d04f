"""Diagnoses refused signatures: proves the cause where possible, else marks it as likely.

The order is that of cost and certainty: shape, the exact text, other texts, altered texts, other
ways of hashing, other addresses, and last whatever the shape suggests. The search is bounded.
"""

from dataclasses import replace
from functools import cache

from chainteller.wallets.cases import (
    MAX_KNOWN_ADDRESSES,
    MAX_OTHER_TEXTS,
    Case,
    Diagnosis,
    KnownAddress,
    KnownChallenge,
)
from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import (
    RIGHT,
    Address,
    Family,
    Probe,
    Shape,
    looks_like,
    signed_as,
)
from chainteller.wallets.findings import FINDINGS
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.reader import Unreadable, read_signature
from chainteller.wallets.recoverable import recovered_keys
from chainteller.wallets.variants import altered_texts, hashed_texts
from chainteller.wallets.verify import verify_reading
from chainteller.wallets.wording import (
    EXPIRED_CHALLENGE,
    NETWORK_MISMATCH,
    WRONG_MESSAGE_FORMAT,
)

__all__ = ["Case", "Diagnosis", "KnownAddress", "KnownChallenge", "accept", "diagnose"]


def accept(case: Case) -> Diagnosis | None:
    """Accept a right signature of an open challenge; None when it takes a diagnosis.

    Looks at the challenge and the signature alone, so a case without context is enough.
    """
    if case.challenge.state != "open":
        return None
    try:
        reading = read_signature(case.signature, case.challenge.address.network.family)
    except (SecretPasted, Unreadable):
        return None
    return _accepted(case, reading)


def _accepted(case: Case, reading: SignatureReading) -> Diagnosis | None:
    proof = verify_reading(case.challenge.text.encode(), reading, case.challenge.address)
    if proof is None:
        return None
    return replace(_answer(case, "ACCEPTED"), accepted=True, proof=proof)


def diagnose(case: Case) -> Diagnosis:
    """Judge one attempt and explain it. Never raises for anything a customer may paste."""
    judged = _judge(case)
    state = case.challenge.state
    if state == "open" or judged.finding == "SECRET_PASTED":
        return judged
    finding = {"expired": "CHALLENGE_EXPIRED", "used": "CHALLENGE_USED"}.get(
        state, "CHALLENGE_LOCKED"
    )
    closed = _answer(case, finding)
    besides = (
        "The signature itself is right."
        if judged.accepted
        else f"Besides, the signature would not pass: {judged.explanation}"
    )
    return replace(
        closed,
        explanation=f"{closed.explanation} {besides}",
        recovered_address=judged.recovered_address,
        other_challenge_id=judged.other_challenge_id,
        other_counterparty_id=judged.other_counterparty_id,
    )


class _Attempt:
    """A case whose paste has been read, with one probe for each family."""

    def __init__(self, case: Case, reading: SignatureReading) -> None:
        self.case = case
        self.reading = reading
        self.text = case.challenge.text.encode()
        self.family = case.challenge.address.network.family
        self.probe_as = cache(self._probe_as)
        self.probe: Probe = self.probe_as(self.family)

    @property
    def stranger(self) -> Address | None:
        """The address that the signature over the exact text points to."""
        return self.probe.signer(self.text, self.case.challenge.address)

    @property
    def shape(self) -> Shape:
        """The finding that the shape alone supports; asked for when nothing is proved."""
        for other in FAMILIES:
            if other is not self.family and other.is_unmistakable(self._reading_as(other)):
                # With keys on the same curve, the registered wallet may still have made it.
                may_be_same_key = bool(other.message_digests and self.family.message_digests)
                return Shape(looks_like(other), certain=not may_be_same_key)
        return self.family.shape(self.reading, self.case.challenge.address)

    def _probe_as(self, family: Family) -> Probe:
        return family.probe(self._reading_as(family))

    def _reading_as(self, family: Family) -> SignatureReading:
        """The paste as the family writes it: a prefix is only seen by its own family's reading."""
        if not family.signature_prefixes or self.reading.prefix:
            return self.reading
        try:
            return read_signature(self.case.signature, family)
        except (SecretPasted, Unreadable):
            return self.reading


def _judge(case: Case) -> Diagnosis:
    address = case.challenge.address
    try:
        reading = read_signature(case.signature, address.network.family)
    except SecretPasted:
        return _answer(case, "SECRET_PASTED")
    except Unreadable as unreadable:
        return _answer(case, unreadable.finding)
    accepted = _accepted(case, reading)
    if accepted is not None:
        return accepted
    attempt = _Attempt(case, reading)
    for step in _STEPS:
        answer = step(attempt)
        if answer is not None:
            return answer
    return _answer(case, "NO_MATCH", certain=False)


def _answer(
    case: Case,
    finding: str,
    *,
    certain: bool = True,
    recovered: str | None = None,
    challenge: KnownChallenge | None = None,
    counterparty_id: str | None = None,
) -> Diagnosis:
    wording = FINDINGS[finding]
    expected = case.challenge.address.display
    counterparty = challenge.counterparty_id if challenge else counterparty_id
    facts = {
        "network": case.challenge.address.network.name,
        "expires_at": case.challenge.expires_at,
        "expected_end": expected[-6:],
        "recovered": recovered or "",
        "recovered_end": (recovered or "")[-6:],
        "other_challenge": challenge.challenge_id if challenge else "",
        "other_counterparty": counterparty or "",
        "other_action": _other_action(challenge),
        "sign_function": case.challenge.address.network.family.sign_function,
    }
    return Diagnosis(
        accepted=False,
        proof=None,
        cause=wording.cause,
        certain=certain,
        finding=finding,
        explanation=wording.explanation.format_map(facts),
        ask_customer=wording.ask_customer.format_map(facts),
        recovered_address=recovered,
        other_challenge_id=challenge.challenge_id if challenge else None,
        other_counterparty_id=counterparty,
        suggestion=wording.suggestion.format_map(facts),
    )


def _other_action(challenge: KnownChallenge | None) -> str:
    if challenge is None:
        return ""
    if challenge.state == "open":
        return f"If it was signed by that wallet, submit it to {challenge.challenge_id}."
    return "Have the customer sign the text of this challenge."


def _damaged_form(attempt: _Attempt) -> Diagnosis | None:
    finding = attempt.probe.match(attempt.text, attempt.case.challenge.address)
    return _answer(attempt.case, finding) if finding else None


def _other_texts(attempt: _Attempt) -> Diagnosis | None:
    registered = attempt.case.challenge.address
    for other in attempt.case.other_challenges[:MAX_OTHER_TEXTS]:
        message = other.text.encode()
        if message == attempt.text:
            continue
        by_registered = attempt.probe.match(message, registered)
        same_key = by_registered is not None
        own = by_registered
        if other.address.canonical != registered.canonical:
            own = attempt.probe_as(other.address.network.family).match(message, other.address)
        if own is None and not same_key:
            continue
        finding = "EARLIER_CHALLENGE" if same_key else "OTHER_CHALLENGE"
        signer = registered if same_key else other.address
        answer = _answer(attempt.case, finding, recovered=signer.display, challenge=other)
        if own != RIGHT:
            answer = replace(answer, suggestion=_other_action(replace(other, state="closed")))
        return replace(answer, cause=_cause_of_other_text(attempt.case, other, answer.cause))
    return None


def _cause_of_other_text(case: Case, other: KnownChallenge, otherwise: str | None) -> str | None:
    if other.address.network != case.challenge.address.network:
        return NETWORK_MISMATCH
    if other.state == "expired" and otherwise == WRONG_MESSAGE_FORMAT:
        return EXPIRED_CHALLENGE
    return otherwise


def _altered_text(attempt: _Attempt) -> Diagnosis | None:
    registered = attempt.case.challenge.address
    for finding, message in altered_texts(attempt.case.challenge.text):
        if attempt.probe.match(message, registered) is not None:
            return _answer(attempt.case, finding)
    stated = attempt.reading.stated_text
    # JSON may hold half a surrogate pair, which has no UTF-8 form.
    signed = None if stated is None else stated.encode("utf-8", "replace")
    if signed is not None and attempt.probe.match(signed, registered) is not None:
        return _answer(attempt.case, "EDITED_TEXT")
    return None


def _other_hashing(attempt: _Attempt) -> Diagnosis | None:
    registered = attempt.case.challenge.address
    for finding, digest in attempt.family.other_digests:
        if attempt.probe.match_digest(digest(attempt.text), registered) is not None:
            return _answer(attempt.case, finding)
    for finding, message in hashed_texts(attempt.case.challenge.text, attempt.family):
        if attempt.probe.match(message, registered) is not None:
            return _answer(attempt.case, finding)
    return None


def _other_family(attempt: _Attempt) -> Diagnosis | None:
    """The registered key signed the text the way another family's wallets do.

    Its own family's way is among them: the numbers are right, and what names the key is not.
    """
    family, registered = attempt.family, attempt.case.challenge.address
    if not family.message_digests:
        return None
    for other in FAMILIES:
        finding = "WRONG_RECOVERY_BYTE" if other is family else signed_as(other)
        for digest in other.message_digests[: 1 if other is family else None]:
            keys = recovered_keys(attempt.reading, digest(attempt.text))
            if any(family.owns(key, registered) for key in keys):
                return _answer(attempt.case, finding)
    return None


def _known_address(attempt: _Attempt) -> Diagnosis | None:
    registered = attempt.case.challenge.address
    for known in attempt.case.known_addresses[:MAX_KNOWN_ADDRESSES]:
        address = known.address
        if address.canonical == registered.canonical:
            continue
        if attempt.probe_as(address.network.family).match(attempt.text, address) is None:
            continue
        answer = _answer(
            attempt.case,
            "OTHER_REGISTERED_ADDRESS",
            recovered=address.display,
            counterparty_id=known.counterparty_id,
        )
        if address.network.family is not registered.network.family:
            return replace(answer, cause=NETWORK_MISMATCH)
        return answer
    return None


def _embedded_key(attempt: _Attempt) -> Diagnosis | None:
    if not attempt.probe.carries_key:
        return None
    own = attempt.stranger
    if own is None:
        return None
    return _answer(attempt.case, "OTHER_ADDRESS_OF_KEY", recovered=own.display)


def _shape(attempt: _Attempt) -> Diagnosis | None:
    shape = attempt.shape
    return _answer(attempt.case, shape.finding, certain=shape.certain) if shape.finding else None


def _stranger_again(attempt: _Attempt) -> Diagnosis | None:
    """Two texts lead to one stranger by chance once in 2^160 times: that wallet signs."""
    signer = attempt.stranger
    earlier = {stranger.lower() for stranger in attempt.case.earlier_strangers}
    if signer is None or signer.display.lower() not in earlier:
        return None
    return _answer(attempt.case, "SAME_STRANGER_TWICE", recovered=signer.display)


def _stranger(attempt: _Attempt) -> Diagnosis | None:
    signer = attempt.stranger
    if signer is None:
        return None
    return _answer(attempt.case, "UNKNOWN_SIGNER", certain=False, recovered=signer.display)


_STEPS = (
    _damaged_form,
    _other_texts,
    _altered_text,
    _other_hashing,
    _other_family,
    _known_address,
    _embedded_key,
    _stranger_again,
    _shape,
    _stranger,
)
