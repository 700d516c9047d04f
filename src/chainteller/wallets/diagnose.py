"""Diagnoses refused signatures: proves the cause where possible, else marks it as likely.

The order is that of cost and certainty: shape, the exact text, other texts, altered texts, other
ways of hashing, other addresses, and last whatever the shape suggests. The search is bounded; where
it found nothing, a case may ask for a longer one.
"""

from collections.abc import Iterable, Set
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice

from chainteller.domain.pasted_secrets import HEX_KEY_KIND, WORDS_KIND
from chainteller.domain.pasting import MAX_PASTE, without_invisibles
from chainteller.domain.secret_search import is_about_a_hash
from chainteller.wallets.cases import (
    MAX_KNOWN_ADDRESSES,
    MAX_OTHER_TEXTS,
    Case,
    Diagnosis,
    KnownAddress,
    KnownChallenge,
)
from chainteller.wallets.clipboard import Clipboard, read_clipboard
from chainteller.wallets.differences import describe
from chainteller.wallets.encodings import Candidate, SignatureReading, once_only
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import (
    RIGHT,
    Address,
    Family,
    InvalidAddress,
    Probe,
    Shape,
    looks_like,
    signed_as,
)
from chainteller.wallets.findings import FINDINGS
from chainteller.wallets.networks import NETWORKS
from chainteller.wallets.pasted_secrets import SecretPasted, base58_keys, hex_keys
from chainteller.wallets.reader import Unreadable, is_of, read_signature
from chainteller.wallets.recoverable import key_witness
from chainteller.wallets.repair import repair_signature
from chainteller.wallets.search import (
    Found,
    given_texts,
    search,
    search_stated,
)
from chainteller.wallets.stated import is_shown_as, shows_text, stated_texts
from chainteller.wallets.transit import Journey, makes
from chainteller.wallets.verify import verify_reading
from chainteller.wallets.witness import Witness
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
    _, readings = _strict_reading(case, case.challenge.address.network.family)
    return _accepted(case, readings[0]) if readings else None


def _accepted(case: Case, reading: SignatureReading) -> Diagnosis | None:
    address, page_text = case.challenge.address, case.challenge.page_text
    for text in (case.challenge.text, page_text):
        proof = None if text is None else verify_reading(text.encode(), reading, address)
        if text is not None and proof is not None:
            witness = address.network.family.probe(reading).witness(text.encode(), address)
            answer = _answer(case, "ACCEPTED", witness=witness)
            return replace(answer, accepted=True, proof=proof, of_page=text == page_text)
    return None


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
        differences=judged.differences,
        witness=judged.witness,
        other_challenge_id=judged.other_challenge_id,
        other_counterparty_id=judged.other_counterparty_id,
    )


_MOST_STATED, _MOST_PARTS, _MOST_HASHED = 20, 400, 240
# The part of all tries for what the paste shows that is like our text, or isn't, and for the text
# that the customer was asked for; and the part that our own text is left with beside a like one.
_SHARE_OF_LIKE, _SHARE_OF_PASTE, _SHARE_OF_ASKED, _SHARE_LEFT = 0.75, 0.3, 0.9, 0.1
_PART_OF_ASKED = 2.0
"""What it costs that a customer who was asked for a text copied more than that."""


def _address_like(text: str, registered: Address) -> Address | None:
    """The address on the registered network, or on the main one of another family."""
    for network in (registered.network, *NETWORKS):
        if network.main or network is registered.network:
            with suppress(InvalidAddress):
                return network.family.parse_address(text, network)
    return None


class _Attempt:
    """A case whose paste has been read, with one probe for each family."""

    def __init__(
        self,
        case: Case,
        reading: SignatureReading,
        *,
        clipboard: Clipboard,
        extracted: bool = False,
    ) -> None:
        """`extracted` marks a reading of a part of the paste, which no family reads otherwise."""
        self.case = case
        self.clipboard = clipboard
        self.extracted = extracted
        self.reading = reading
        self.text = case.challenge.text.encode()
        self.family = case.challenge.address.network.family
        self.probe_as = cache(self._probe_as)
        self.probe: Probe = self.probe_as(self.family)

    def of(self, reading: SignatureReading) -> "_Attempt":
        """The same attempt with another reading."""
        return _Attempt(self.case, reading, clipboard=self.clipboard, extracted=True)

    @property
    def stranger(self) -> Address | None:
        """The address that the signature over the exact text points to."""
        return self.probe.signer(self.text, self.case.challenge.address)

    @property
    def others(self) -> list[KnownChallenge]:
        """The other challenges to look at, without those of the same text."""
        others = self.case.other_challenges[:MAX_OTHER_TEXTS]
        return [other for other in others if other.text != self.case.challenge.text]

    @property
    def known(self) -> list[KnownAddress]:
        """The other addresses to look at."""
        registered = self.case.challenge.address.canonical
        known = self.case.known_addresses[:MAX_KNOWN_ADDRESSES]
        return [each for each in known if each.address.canonical != registered]

    @property
    def everybody(self) -> list[Address]:
        """The registered address and the customer's others, each once."""
        others = [each.address for each in self.known] + [each.address for each in self.others]
        return list({each.canonical: each for each in (self.registered, *others)}.values())

    @property
    def registered(self) -> Address:
        """The address of the challenge."""
        return self.case.challenge.address

    @property
    def own_messages(self) -> list[bytes]:
        """The message of this challenge, and the one that its signing page has signed."""
        page_text = self.case.challenge.page_text
        return [self.text] if page_text is None else [self.text, page_text.encode()]

    @property
    def stated_messages(self) -> list[bytes]:
        """What the paste says was signed, without our own text."""
        # JSON may hold half a surrogate pair, which has no UTF-8 form.
        stated = [self.reading.stated_text, *self.clipboard.texts]
        messages = [each.encode("utf-8", "replace") for each in stated if each]
        return [each for each in dict.fromkeys(messages) if each != self.text][:_MOST_STATED]

    @cached_property
    def parts(self) -> list[tuple[float, str]]:
        """Parts of what the wallet or the paste shows that may have been signed, with their costs,
        the likeliest first."""
        ours, asked = self.case.challenge.text, self.case.signed_text
        stated = [(0.0, each.decode("utf-8", "replace")) for each in self.stated_messages]
        paste = asked or self.case.signature
        if len(paste) <= MAX_PASTE:
            # As it is, whatever its line ends are: it's all that the customer was asked for.
            stated += [(0.0, asked)] if asked else []
            farther = _PART_OF_ASKED if asked else 0
            stated += [(cost + farther, part) for cost, part in stated_texts(paste, ours)]
        return sorted(stated[:_MOST_PARTS], key=lambda each: each[0])

    @property
    def share_of_parts(self) -> float:
        """The part of all tries for them."""
        if not self.parts:
            return 0
        if self.case.signed_text:
            return _SHARE_OF_ASKED
        is_like = shows_text(self.case.signature, self.case.challenge.text)
        return _SHARE_OF_LIKE if is_like else _SHARE_OF_PASTE

    @property
    def share_of_ours(self) -> float:
        """The part of all tries for what our text may have become."""
        is_beside = self.share_of_parts == _SHARE_OF_LIKE and not self.case.search_longer
        return _SHARE_LEFT if is_beside else 1 - self.share_of_parts

    @property
    def stated_addresses(self) -> list[Address]:
        """The addresses and keys that the paste names."""
        found = (_address_like(each, self.registered) for each in self.clipboard.addresses)
        return [each for each in found if each is not None]

    @property
    def shape(self) -> Shape:
        """The finding that the shape alone supports; asked for when nothing is proved."""
        for other in FAMILIES:
            if other is not self.family and other.is_unmistakable(self.reading_as(other)):
                return Shape(looks_like(other))
        return self.family.shape(self.reading, self.case.challenge.address)

    def _probe_as(self, family: Family) -> Probe:
        return family.probe(self.reading_as(family))

    def reading_as(self, family: Family) -> SignatureReading:
        """The paste as the family writes it: a prefix is only seen by its own family's reading."""
        if self.extracted or not family.signature_prefixes or self.reading.prefix:
            return self.reading
        try:
            return read_signature(self.case.signature, family)
        except (SecretPasted, Unreadable):
            return self.reading


def _judge(case: Case) -> Diagnosis:
    """A right signature anywhere in the paste is accepted; else the likeliest one is explained."""
    family = case.challenge.address.network.family
    refusal, readings = _strict_reading(case, family)
    for reading in readings:
        accepted = _accepted(case, reading)
        if accepted is not None:
            return accepted
    secret = _secret(case, refusal)
    if secret is not None and secret.certain:
        return secret
    clipboard = Clipboard() if refusal in _HOPELESS else read_clipboard(case.signature, family)
    accepted = _accepted_part(case, clipboard)
    return accepted or _refused(case, refusal, readings, clipboard, secret)


def _accepted_part(case: Case, clipboard: Clipboard) -> Diagnosis | None:
    for part in clipboard.parts:
        accepted = _accepted(case, part.reading)
        if accepted is not None:
            return replace(accepted, read=part.source)
    return None


def _refused(
    case: Case,
    refusal: str,
    readings: list[SignatureReading],
    clipboard: Clipboard,
    secret: Diagnosis | None,
) -> Diagnosis:
    family = case.challenge.address.network.family
    parts = sorted(clipboard.parts, key=lambda part: part.is_of_payload)
    plausible = [part.reading for part in parts if _is_plausible(part.reading, family)]
    if secret is not None and not plausible:
        return secret
    if not plausible and _is_about_a_hash(case.signature):
        return _answer(case, "TRANSACTION_HASH_PASTED")
    read = {candidate.data for reading in readings for candidate in reading.candidates}
    plausible = [each for each in plausible if _is_new(each, read)]
    attempts = [_Attempt(case, reading, clipboard=clipboard) for reading in readings]
    attempts += [
        _Attempt(case, reading, clipboard=clipboard, extracted=True)
        for reading in plausible[: _MOST_DIAGNOSED if not readings else 1]
    ]
    if not attempts:
        return _repaired(case) or _with_repairs(case, _answer(case, refusal))
    return _with_repairs(case, _explain(case, attempts))


# Pastes in which nobody needs to look for a signature.
_HOPELESS = frozenset({"EMPTY", "TOO_LONG", "ADDRESS_PASTED"})
_MOST_DIAGNOSED = 3


def _is_about_a_hash(paste: str) -> bool:
    return len(paste) <= MAX_PASTE and is_about_a_hash(paste) and bool(hex_keys(paste))


def _is_plausible(reading: SignatureReading, family: Family) -> bool:
    """Whether a part has the size of most signatures, or the form of the family's."""
    sizes = {len(candidate.data) for candidate in reading.candidates}
    return not sizes.isdisjoint({64, 65}) or family.probe(reading).cost > 0


def _is_new(reading: SignatureReading, read: Set[bytes]) -> bool:
    return any(candidate.data not in read for candidate in reading.candidates)


def _strict_reading(case: Case, family: Family) -> tuple[str, list[SignatureReading]]:
    """The paste as one signature; otherwise why it is none, with a colon and the kind of secret. A
    message of ours is text, whatever its characters could stand for.
    """
    ours = (case.challenge, *case.other_challenges)
    if is_of(case.signature, (each.text for each in ours)):
        return "TEXT_PASTED", []
    try:
        return "", [read_signature(case.signature, family)]
    except SecretPasted as secret:
        return f"{_SECRET}:{secret.kind}", []
    except Unreadable as unreadable:
        return unreadable.finding, []


_SECRET = "SECRET_PASTED"  # noqa: S105 - a finding


def _secret(case: Case, refusal: str) -> Diagnosis | None:
    """The warning. Certain when the secret has a form of its own, or is the key of a known address.

    64 hex digits that are no known address's key may be a transaction's hash, or r or s of a
    signature on several lines.
    """
    finding, _, kind = refusal.partition(":")
    visible = without_invisibles(case.signature) if len(case.signature) <= MAX_PASTE else ""
    in_hex, in_base58 = hex_keys(visible), base58_keys(visible)
    known = [each.address for each in case.known_addresses[:MAX_KNOWN_ADDRESSES]]
    for address in (case.challenge.address, *known) if in_hex or in_base58 else ():
        keys = in_hex + (in_base58 if address.network.family.prefers_base58 else [])
        if any(address.network.family.is_private_key(key, address) for key in keys):
            what = f"the private key of the wallet that ends in {address.display[-6:]}"
            return replace(_answer(case, _SECRET, what=what), certain=True)
    if finding != _SECRET:
        return None
    if kind == WORDS_KIND:
        return _answer(case, _SECRET, what=kind)
    if kind != HEX_KEY_KIND:
        return replace(_answer(case, _SECRET, what=kind), certain=True)
    if is_about_a_hash(case.signature):
        return _answer(case, "TRANSACTION_HASH_PASTED")
    what = (
        "64 hex digits: a private key or a transaction's hash, which look alike (it isn't the key "
        "of a wallet that this customer registered)"
    )
    return _answer(case, _SECRET, what=what)


def _repaired(case: Case) -> Diagnosis | None:
    """The signature with its one wrong character corrected; None where that helps nothing."""
    challenge = case.challenge
    outcome = repair_signature(case.signature, challenge.text, challenge.address)
    if outcome.repair is not None:
        proof = outcome.repair.proof
        data = bytes.fromhex(proof.signature)
        reading = SignatureReading((Candidate(data, "hex"),))
        accepted = _accepted(case, reading)
        if accepted is not None:
            note = f" One typing error in it was corrected: {outcome.repair.what}."
            return replace(
                accepted,
                explanation=accepted.explanation + note,
                read="a signature with one character corrected",
            )
    return None


def _with_repairs(case: Case, answer: Diagnosis) -> Diagnosis:
    """Say which typing errors were tried where a part of the signature seems wrong."""
    if answer.finding not in {"WRONG_LENGTH", "NOT_A_SIGNATURE", "MALFORMED_SIGNATURE"}:
        return answer
    outcome = repair_signature(case.signature, case.challenge.text, case.challenge.address)
    if not outcome.was_tried:
        return answer
    note = " Typing errors of one character were tried; more than one was not tried."
    if not outcome.is_complete:
        note = " The likeliest typing errors of one character were tried; others were not tried."
    return replace(answer, explanation=answer.explanation + note)


def _exactly(attempt: _Attempt) -> Diagnosis | None:
    """What is proved without a search."""
    once = once_only(attempt.reading)
    if once is not None:
        attempt = attempt.of(once)
        if _is_by_registered(attempt):
            witness = attempt.probe.witness(attempt.text, attempt.registered)
            return _answer(attempt.case, "SIGNATURE_REPEATED", witness=witness)
    answers = (step(attempt) for step in _EXACT_STEPS)
    return next((answer for answer in answers if answer is not None), None)


def _explain(case: Case, attempts: list[_Attempt]) -> Diagnosis:
    """What is proved of any of the readings, and last what the first one looks like."""
    for attempt in attempts:
        answer = _exactly(attempt)
        if answer is not None:
            return answer
    # A mail of letters and digits alone may be read as base64 as a whole.
    first = next((each for each in attempts if each.probe.cost), attempts[0])
    proved = _shown_text(first) or _repaired(case) or _altered_text(first)
    if proved is not None:
        return proved
    answers = (step(first) for step in _LAST_STEPS)
    answer = next((each for each in answers if each is not None), _answer(case, "NO_MATCH"))
    is_open = not answer.certain and bool(first.probe.cost)
    return replace(
        answer,
        can_search_longer=is_open and not case.search_longer,
        asks_for_text=is_open and case.signed_text is None and _may_be_of_a_text(first, answer),
    )


_ASKING = frozenset({"UNKNOWN_SIGNER", "SIGNER_CHANGED", "NO_MATCH", "UNKNOWN_TEXT"})
"""Findings that the text which the wallet shows as signed may decide."""


def _may_be_of_a_text(attempt: _Attempt, answer: Diagnosis) -> bool:
    """Whether the text may decide: also where one in fifteen compact signatures looks like one of
    Solana, whose wallets write base58."""
    encoding = attempt.reading.candidates[0].encoding
    looks_alike = answer.finding == "LOOKS_LIKE_SOLANA" and encoding != "base58"
    return looks_alike or answer.finding in _ASKING


def _is_by_registered(attempt: _Attempt) -> bool:
    return attempt.probe.match(attempt.text, attempt.case.challenge.address) is not None


# What is plain from the paste, or from the challenge's own record, needs no other witness.
_EVIDENT = frozenset(
    {
        "EMPTY", "TOO_LONG", "ADDRESS_PASTED",
        "CHALLENGE_EXPIRED", "CHALLENGE_USED", "CHALLENGE_LOCKED",
    }
)  # fmt: skip


def _answer(  # noqa: PLR0913 - the facts that a wording may name
    case: Case,
    finding: str,
    *,
    witness: Witness | None = None,
    recovered: str | None = None,
    challenge: KnownChallenge | None = None,
    counterparty_id: str | None = None,
    what: str = "",
) -> Diagnosis:
    """The finding in words; certain with a witness, or where the finding is evident."""
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
        "what": what,
    }
    return Diagnosis(
        accepted=False,
        proof=None,
        cause=wording.cause,
        certain=witness is not None or finding in _EVIDENT,
        finding=finding,
        explanation=wording.explanation.format_map(facts),
        ask_customer=wording.ask_customer.format_map(facts),
        recovered_address=recovered,
        other_challenge_id=challenge.challenge_id if challenge else None,
        other_counterparty_id=counterparty,
        suggestion=wording.suggestion.format_map(facts),
        witness=witness,
    )


def _other_action(challenge: KnownChallenge | None) -> str:
    if challenge is None:
        return ""
    if challenge.state == "open":
        return f"If it was signed by that wallet, submit it to {challenge.challenge_id}."
    return "Have the customer sign the text of this challenge."


def _damaged_form(attempt: _Attempt) -> Diagnosis | None:
    registered = attempt.case.challenge.address
    finding = attempt.probe.match(attempt.text, registered)
    if not finding:
        return None
    witness = attempt.probe.witness(attempt.text, registered)
    return _answer(attempt.case, finding, witness=witness)


def _other_texts(attempt: _Attempt) -> Diagnosis | None:
    registered = attempt.case.challenge.address
    others = attempt.others
    attempt.probe.prepare([other.text.encode() for other in others])
    for other in others:
        message = other.text.encode()
        by_registered = attempt.probe.match(message, registered)
        own = by_registered
        if other.address.canonical != registered.canonical:
            own = attempt.probe_as(other.address.network.family).match(message, other.address)
        if own is None and by_registered is None:
            continue
        signer = registered if by_registered is not None else other.address
        answer = _signed_other(attempt, other, message, signer)
        if own != RIGHT:
            return replace(answer, suggestion=_other_action(replace(other, state="closed")))
        return answer
    return None


def _signed_other(
    attempt: _Attempt, other: KnownChallenge, message: bytes, signer: Address
) -> Diagnosis:
    """The signer signed the text of another challenge, as it is or altered."""
    by_registered = signer.canonical == attempt.case.challenge.address.canonical
    answer = _answer(
        attempt.case,
        "EARLIER_CHALLENGE" if by_registered else "OTHER_CHALLENGE",
        witness=attempt.probe_as(signer.network.family).witness(message, signer),
        recovered=signer.display,
        challenge=other,
    )
    return replace(answer, cause=_cause_of_other_text(attempt.case, other, answer.cause))


def _cause_of_other_text(case: Case, other: KnownChallenge, otherwise: str | None) -> str | None:
    if other.address.network != case.challenge.address.network:
        return NETWORK_MISMATCH
    if other.state == "expired" and otherwise == WRONG_MESSAGE_FORMAT:
        return EXPIRED_CHALLENGE
    return otherwise


def _otherwise_hashed(attempt: _Attempt, messages: Iterable[bytes]) -> Diagnosis | None:
    """The registered key signed one of the messages in a way that its network doesn't know."""
    registered, family = attempt.registered, attempt.family
    ways = family.other_digests(registered)
    if not ways:
        return None
    named = ((scheme, text, digest(text)) for text in messages for _, scheme, digest in ways)
    likeliest = islice(named, _MOST_HASHED)
    witness = key_witness(attempt.reading_as(family), registered, likeliest)
    if witness is None:
        return None
    finding = next(finding for finding, scheme, _ in ways if scheme == witness.scheme)
    return _by_registered(attempt, witness.message, finding, witness)


def _stated_address(attempt: _Attempt) -> Diagnosis | None:
    """The address or key that the paste names signed our text, or the text that the paste shows."""
    registered = attempt.case.challenge.address
    for address in attempt.stated_addresses:
        if address.canonical == registered.canonical:
            continue
        probe = attempt.probe_as(address.network.family)
        for message in (attempt.text, *attempt.stated_messages):
            if probe.match(message, address) is None:
                continue
            witness = probe.witness(message, address)
            answer = _answer(
                attempt.case, "STATED_ADDRESS", witness=witness, recovered=address.display
            )
            if address.network.family is not registered.network.family:
                answer = replace(answer, cause=NETWORK_MISMATCH)
            if message != attempt.text:
                differences = describe(attempt.case.challenge.text, message)
                answer = replace(answer, differences=differences)
            return answer
    return None


def _shown_text(attempt: _Attempt) -> Diagnosis | None:
    """A known key signed what the customer's wallet, or a part of the paste, shows as signed."""
    case, parts = attempt.case, attempt.parts
    if not parts:
        return None
    found = search_stated(
        attempt.probe_as, case.challenge, parts, attempt.everybody,
        share=attempt.share_of_parts, longer=case.search_longer,
    )  # fmt: skip
    if found is not None:
        return _by_shown_text(attempt, found)
    given = given_texts(case.challenge.text, parts)
    return _otherwise_hashed(attempt, (text.encode("utf-8", "replace") for _, text in given))


def _by_shown_text(attempt: _Attempt, found: Found) -> Diagnosis:
    """Certain of the cause only where the text shows which of the challenges it was for."""
    case, signer, signed = attempt.case, found.signer, found.journey.signed
    witness = attempt.probe_as(signer.network.family).witness(signed, signer)
    is_ours = _names_challenge(signed, case.challenge)
    other = next((each for each in attempt.others if _names_challenge(signed, each)), None)
    if other is not None and not is_ours:
        answer = _signed_other(attempt, other, signed, signer)
        return replace(answer, differences=describe(other.text, signed))
    if signer.canonical == attempt.registered.canonical:
        return _by_registered(attempt, signed, "EDITED_TEXT", witness)
    answer = _by_other_wallet(attempt, signer, witness)
    return replace(answer, differences=describe(case.challenge.text, signed))


def _by_registered(
    attempt: _Attempt, signed: bytes, finding: str, witness: Witness | None
) -> Diagnosis:
    """A text that isn't quite ours; certain of the cause if it shows that it was ours."""
    case = attempt.case
    answer = _answer(case, finding, witness=witness)
    if signed == attempt.text:
        return answer
    certain = _names_challenge(signed, case.challenge) or not any(
        _is_of_another_cause(attempt, each) for each in attempt.others
    )
    return replace(answer, certain=certain, differences=describe(case.challenge.text, signed))


def _names_challenge(signed: bytes, challenge: KnownChallenge) -> bool:
    return challenge.challenge_id.removeprefix("CHG_").encode() in signed


def _is_of_another_cause(attempt: _Attempt, other: KnownChallenge) -> bool:
    """Whether a signature of the other challenge's text has another cause than one of ours."""
    return other.state == "expired" or other.address.network != attempt.registered.network


def _altered_text(attempt: _Attempt) -> Diagnosis | None:
    """One of the texts that a known address may have signed, altered on its way."""
    case = attempt.case
    found = search(
        attempt.probe_as, case.challenge, attempt.others, case.known_addresses,
        share=attempt.share_of_ours, longer=case.search_longer, is_cancelled=case.is_cancelled,
    )  # fmt: skip
    if found is None:
        return None
    signer, text_of = found.signer, found.challenge
    what = " and ".join(each.what for each in found.journey.steps)
    alike = [each for each in attempt.others if makes(found.journey, each.text)]
    if text_of.challenge_id != case.challenge.challenge_id:
        answer = _signed_other(attempt, text_of, found.journey.signed, signer)
        answer = replace(
            answer,
            explanation=f"{answer.explanation} It was altered on its way: the signed text {what}.",
            suggestion=_other_action(replace(text_of, state="closed")),
        )
        if len({(each.state == "expired", each.address.network) for each in alike}) > 1:
            answer = replace(answer, cause=WRONG_MESSAGE_FORMAT, certain=False)
    else:
        answer = _altered(attempt, found.journey, signer, what)
        if answer.cause == WRONG_MESSAGE_FORMAT and any(
            _is_of_another_cause(attempt, each) for each in alike
        ):
            note = " An earlier text that was altered alike looks the same, so it may be that one."
            answer = replace(answer, certain=False, explanation=answer.explanation + note)
    return replace(answer, differences=describe(text_of.text, found.journey.signed))


def _altered(attempt: _Attempt, journey: Journey, signer: Address, what: str) -> Diagnosis:
    """The text of this challenge, altered, by the registered wallet or another known one."""
    case = attempt.case
    witness = attempt.probe_as(signer.network.family).witness(journey.signed, signer)
    if signer.canonical == case.challenge.address.canonical:
        finding = journey.steps[0].finding if len(journey.steps) == 1 else "ALTERED_TEXT"
        return _answer(case, finding, witness=witness, what=what)
    answer = _by_other_wallet(attempt, signer, witness)
    altered = f" The text was also altered on its way: the signed text {what}."
    return replace(answer, explanation=answer.explanation + altered)


def _other_hashing(attempt: _Attempt) -> Diagnosis | None:
    return _otherwise_hashed(attempt, [attempt.text])


def _other_family(attempt: _Attempt) -> Diagnosis | None:
    """The registered key signed the text the way another family's wallets do.

    Its own family's way is among them: the numbers are right, and what names the key is not.
    """
    family, registered = attempt.family, attempt.case.challenge.address
    if not family.recovers_keys:
        return None
    for other in (family, *(each for each in FAMILIES if each is not family)):
        finding = "WRONG_RECOVERY_BYTE" if other is family else signed_as(other)
        ways = other.message_digests[: 1 if other is family else None]
        named = [(scheme, attempt.text, digest(attempt.text)) for scheme, digest in ways]
        witness = key_witness(attempt.reading_as(family), registered, named)
        if witness is not None:
            return _answer(attempt.case, finding, witness=witness)
    return None


def _known_address(attempt: _Attempt) -> Diagnosis | None:
    for known in attempt.known:
        address = known.address
        probe = attempt.probe_as(address.network.family)
        for message in attempt.own_messages:
            if probe.match(message, address) is not None:
                return _by_other_wallet(attempt, address, probe.witness(message, address))
    return None


def _by_other_wallet(attempt: _Attempt, signer: Address, witness: Witness | None) -> Diagnosis:
    """Signed by another address of the customer, by its counterparty where it is registered."""
    case, registered = attempt.case, attempt.case.challenge.address
    owners = [each.counterparty_id for each in attempt.known if each.address == signer]
    owners += [each.counterparty_id for each in attempt.others if each.address == signer]
    answer = _answer(
        case,
        "OTHER_REGISTERED_ADDRESS",
        witness=witness,
        recovered=signer.display,
        counterparty_id=owners[0] if owners else None,
    )
    if signer.network.family is not registered.network.family:
        return replace(answer, cause=NETWORK_MISMATCH)
    return answer


def _embedded_key(attempt: _Attempt) -> Diagnosis | None:
    if not attempt.probe.carries_key:
        return None
    own = attempt.stranger
    if own is None:
        return None
    witness = attempt.probe.witness(attempt.text, own)
    return _answer(attempt.case, "OTHER_ADDRESS_OF_KEY", witness=witness, recovered=own.display)


def _unknown_text(attempt: _Attempt) -> Diagnosis | None:
    """The paste says that the registered wallet signed, and not what."""
    registered = attempt.registered
    is_named = any(each.canonical == registered.canonical for each in attempt.stated_addresses)
    if attempt.probe.names(registered) or (is_named and attempt.probe.cost):
        return _answer(attempt.case, "UNKNOWN_TEXT")
    return None


def _other_than_shown(attempt: _Attempt) -> Diagnosis | None:
    """The registered wallet signed neither our text nor the one that the customer copied."""
    case, text = attempt.case, attempt.case.signed_text
    if not text or not attempt.probe.cost:
        return None
    is_ours = is_shown_as(text, case.challenge.text)
    signer = attempt.stranger
    return replace(
        _answer(case, "OUR_TEXT_BY_ANOTHER" if is_ours else "SHOWN_TEXT_NOT_SIGNED"),
        unproven_signer=signer.display if signer else None,
    )


def _shape(attempt: _Attempt) -> Diagnosis | None:
    shape = attempt.shape
    return _answer(attempt.case, shape.finding) if shape.finding else None


def _stranger_again(attempt: _Attempt) -> Diagnosis | None:
    """Two texts lead to one stranger by chance once in 2^160 times: that wallet signs.

    The registered address may still be a contract whose owner it is, which only the chain knows.
    """
    signer = attempt.stranger
    earlier = {stranger.lower() for stranger in attempt.case.earlier_strangers}
    if signer is None or signer.display.lower() not in earlier:
        return None
    witness = attempt.probe.witness(attempt.text, signer)
    answer = _answer(attempt.case, "SAME_STRANGER_TWICE", witness=witness, recovered=signer.display)
    certain = answer.certain and not attempt.family.may_be_contracts
    return replace(answer, certain=certain, unproven_signer=signer.display)


def _stranger(attempt: _Attempt) -> Diagnosis | None:
    signer = attempt.stranger
    if signer is None:
        return None
    # Our text in one wallet leads to one address, whichever challenge it's for.
    finding = "SIGNER_CHANGED" if attempt.case.earlier_strangers else "UNKNOWN_SIGNER"
    return replace(_answer(attempt.case, finding), unproven_signer=signer.display)


_EXACT_STEPS = (
    _damaged_form,
    _other_texts,
    _known_address,
    _other_hashing,
    _other_family,
    _embedded_key,
    _stated_address,
)
_LAST_STEPS = (
    _stranger_again,
    _unknown_text,
    _shape,
    _other_than_shown,
    _stranger,
)
