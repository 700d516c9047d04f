"""Labelled cases from any seed, and what a diagnosis makes of them.

`python -m tests.wallets.labelled SEED COUNT [WORD ...]` prints the rates. What happened in each
case is known, so a wrong verdict, a wrong cause that is called certain, a statement whose witness
the checker refuses, and an address that nobody owns are all counted. The last answer counts. Words:

- `programs`: texts are altered by another generator of `travelled`
- `stations`: as above, with what else customers do, and signatures in the forms of their wallets
- `observed`: as above, each time with another text beside the signature, as programs alter it
- `longer`: what a diagnosis found nothing in is searched for longer, as the console does
- `back`: the customer copies the text from the wallet where the answer asks for it
- `mail`: what the wallet shows is beside the signature, in a mail
- `accept`: only what is accepted is judged, of cases that must not be: many in little time
- `pure`: pure Python; `into=FILE`: what was counted is kept, and a long run goes on from there
- names of families and kinds of cases: only these
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - cases that can be made again from a seed
from typing import Any

from tests.wallets.checker import proves
from tests.wallets.clipboards import clipboards
from tests.wallets.customers import (
    EVERY_FAMILY,
    EXPIRES,
    Customer,
    case,
    challenge,
    customers,
    known,
)
from tests.wallets.secrets_of_wallets import secrets_of_wallets
from tests.wallets.travelled import journeys, observed, programs, stations
from tests.wallets.travelled.journeys import Journey

from chainteller.wallets.cases import Case, Diagnosis, KnownChallenge
from chainteller.wallets.clipboard import read_clipboard
from chainteller.wallets.diagnose import accept, diagnose
from chainteller.wallets.texts import Party, long_text, short_text
from chainteller.wallets.verify import verify_reading
from chainteller.wallets.wording import (
    EXPIRED_CHALLENGE,
    NETWORK_MISMATCH,
    WRONG_MESSAGE_FORMAT,
    WRONG_WALLET_ADDRESS,
)

FAMILIES = ("evm", "solana", "bitcoin", "tron")
KINDS = (
    "short text", "short text", "long text", "long text", "own words", "other text",
    "clipboard", "clipboard", "other wallet", "unknown wallet", "other family", "secret",
    "contract wallet",
)  # fmt: skip
REFUSED = ("short text", "long text", "own words", "other text", "other wallet", "unknown wallet",
           "other family", "secret", "contract wallet", "damaged signature")  # fmt: skip
ALTERED = frozenset({"short text", "long text", "own words"})
FORMAT = frozenset({WRONG_MESSAGE_FORMAT})


GENERATORS = {
    "": journeys.journeys, "programs": programs.journeys, "stations": None,
    "observed": observed.sent,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Labelled:
    """`causes` are those that are right; `signer` is the address that has to be named. `paste` has
    the text beside the signature, `is_in_paste` if it came through. What a signature or a paste
    can't tell is counted apart."""

    kind: str
    name: str
    case: Case
    causes: frozenset[str | None]
    accepted: bool = False
    signer: str | None = None
    owners: frozenset[str] = frozenset()
    shown: str = ""
    paste: str = ""
    has_own_words: bool = False
    is_in_paste: bool = True


@dataclass(slots=True)
class Rates:
    """What came of the cases, by kind and as counts of what must not be."""

    cases: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def add(self, labelled: Labelled, answer: Diagnosis, seconds: float) -> None:
        self.times.append(seconds)
        self.cases[labelled.kind] += 1
        is_right = answer.accepted == labelled.accepted and answer.cause in labelled.causes
        if labelled.kind == "secret":
            is_right = answer.finding == "SECRET_PASTED"
        if labelled.kind in ALTERED:
            is_right = is_right and answer.witness is not None
        self.right[labelled.kind] += is_right
        if not is_right:
            self.examples.append(f"{labelled.kind}: {labelled.name} -> {answer.finding}")
        for fault in _faults(labelled, answer):
            self.faults[fault] += 1
            self.examples.append(f"{fault}: {labelled.kind}: {labelled.name} -> {answer.finding}")

    def share(self, *kinds: str) -> float:
        chosen = kinds or tuple(self.cases)
        return sum(self.right[kind] for kind in chosen) / sum(self.cases[kind] for kind in chosen)

    def extend(self, other: "Rates") -> None:
        """Count what another run found, too."""
        for mine, theirs in ((self.cases, other.cases), (self.right, other.right),
                             (self.faults, other.faults)):  # fmt: skip
            mine.update(theirs)
        self.times += other.times
        self.examples += other.examples

    def percentile(self, share: float) -> float:
        """Milliseconds of processor time."""
        return sorted(self.times)[int(len(self.times) * share)] * 1e3


def _faults(labelled: Labelled, answer: Diagnosis) -> Iterator[str]:
    if answer.accepted and not labelled.accepted:
        yield "false accept"
    if answer.certain and answer.cause not in labelled.causes and labelled.kind != "secret":
        yield "certain and wrong"
    if answer.witness is not None and not proves(answer.witness):
        yield "not proved"
    if answer.recovered_address and answer.recovered_address not in labelled.owners:
        yield "phantom address"
    if labelled.signer and answer.recovered_address != labelled.signer:
        yield "signer not named"
    if answer.finding == "SECRET_PASTED" and labelled.kind != "secret":
        yield "no secret"


def _text(customer: Customer, rng: Random, challenge_id: str, *, is_short: bool) -> str:
    """With labels from the shortest to those that have to be cut, and codes of any bank."""
    party = Party(
        rng.choice(("7", "C-1042", "Kunde 77 & S\u00f6hne", "customer-of-a-very-long-name-0001")),
        rng.choice(("", "", "0042", "DE89 3704 0044 0532 0130 00")),
    )
    if is_short:
        code = rng.choice(("EXAMPLEBANK", "BANK", "FIRSTEXAMPLE"))
        return short_text(bank_code=code, customer=party.customer, challenge_id=challenge_id)
    return long_text(
        bank_name=rng.choice(("Example Bank", "Bank", "Savings Bank of Example Town")),
        party=party, address=customer.registered, challenge_id=challenge_id, valid_until=EXPIRES,
    )  # fmt: skip


def _others(
    customer: Customer, rng: Random, number: int, *, is_short: bool
) -> Iterator[KnownChallenge]:
    """Earlier texts of the registered wallet, open or expired."""
    for _ in range(number):
        challenge_id, state = _id(rng), rng.choice(("open", "expired"))
        text = _text(customer, rng, challenge_id, is_short=is_short)
        yield challenge(customer.registered, challenge_id=challenge_id, text=text, state=state)


def _id(rng: Random) -> str:
    return "CHG_" + "".join(rng.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=22))


def labelled_cases(
    seed: int | str, count: int, *, texts: int = 3, addresses: int = 8, generator: str = "",
    families: Sequence[str] = FAMILIES, kinds: Sequence[str] = KINDS,
) -> Iterator[Labelled]:  # fmt: skip
    """`texts` earlier texts and up to `addresses` other addresses come with each case."""
    rng = Random(seed)  # noqa: S311 - no secret
    everyone = [customer for name in {*FAMILIES, *families} for customer in customers(name)]
    everyone.sort(key=lambda customer: EVERY_FAMILY.index(customer.family))
    owners = frozenset(each.registered.display for each in everyone)
    alter = GENERATORS[generator]
    for _ in range(count):
        kind = rng.choice(kinds)
        is_short = kind == "short text" or (kind != "long text" and rng.random() < 0.5)
        customer = rng.choice([each for each in everyone if each.family in families])
        rest = [each for each in everyone if each is not customer]
        companions = known(*(each.registered for each in rng.sample(rest, min(addresses, 9))))
        if addresses > len(rest):
            companions *= addresses // len(companions)
        challenge_id = _id(rng)
        text = _text(customer, rng, challenge_id, is_short=is_short)
        context: dict[str, Any] = {
            "alter": alter,
            "challenge": challenge(customer.registered, challenge_id=challenge_id, text=text),
            "other_challenges": tuple(_others(customer, rng, texts, is_short=is_short)),
            "known_addresses": companions,
        }
        made = _MAKERS[kind](customer, rng, {**context, "kind": kind})
        made[4].pop("alter")
        about = {key: made[4].pop(key) for key in ("shown", "paste", *_KNOWABLE) if key in made[4]}
        yield Labelled(
            made[4].pop("kind"), made[0], case(customer.registered, made[1], **made[4]),
            made[2], accepted=None in made[2], signer=made[3], owners=owners,
            **about,
        )  # fmt: skip


Made = tuple[str, str, frozenset[str | None], str | None, dict[str, Any]]


def _journey(rng: Random, context: dict[str, Any], text: str, *, is_knowable: bool) -> Journey:
    made: Iterator[Journey] = context["alter"](rng, text)
    return next(each for each in made if each.is_knowable is is_knowable)


def _altered(
    customer: Customer, rng: Random, context: dict[str, Any], *, is_knowable: bool
) -> Made:
    if context["alter"] in {None, observed.sent}:
        return _sent(customer, rng, context)
    text = context["challenge"].text
    journey = _journey(rng, context, text, is_knowable=is_knowable)
    name = f"{customer.family}: {', '.join(journey.steps)}"
    context = {**context, "shown": journey.shown}
    return name, customer.answer(journey.signed), FORMAT, None, context


_KNOWABLE = ("has_own_words", "is_in_paste")
_CAUSES = {
    stations.TEXT: FORMAT, stations.EXACT: frozenset({None}),
    stations.OTHER_WALLET: frozenset({WRONG_WALLET_ADDRESS}),
    stations.OTHER_NETWORK: frozenset({NETWORK_MISMATCH}),
}  # fmt: skip


def _sent(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    other = rng.choice([each for each in customers(customer.family) if each is not customer])
    earlier = rng.choice(context["other_challenges"])
    asked = context["challenge"].text
    if context["alter"] is observed.sent:
        sent = observed.sent(rng, asked, customer)
    else:
        sent = stations.sent(rng, asked, customer, other=other, earlier=earlier.text)
    causes, signer = _CAUSES.get(sent.cause, FORMAT), None
    if sent.cause == stations.OTHER_WALLET:
        context = {**context, "known_addresses": known(other.registered)}
        signer = other.address
    elif sent.cause == stations.OTHER_MESSAGE and earlier.state == "expired":
        causes = frozenset({EXPIRED_CHALLENGE})
    about = {
        "shown": sent.shown, "paste": sent.paste, "has_own_words": sent.has_own_words,
        "is_in_paste": sent.is_in_paste,
    }  # fmt: skip
    if sent.cause != stations.TEXT:
        about["kind"] = sent.cause
    name = f"{customer.family}: {', '.join(sent.steps)}"
    return name, sent.signature, causes, signer, {**context, **about}


def _other_text(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    other = rng.choice(context["other_challenges"])
    signed, name = other.text.encode(), "as it is"
    if rng.random() < 0.5:
        signed = other.text.encode() + b"\n"
        name = "with a line break"
    causes = frozenset({EXPIRED_CHALLENGE}) if other.state == "expired" else FORMAT
    name = f"{customer.family}: {other.state}, {name}"
    return name, customer.answer(signed), causes, customer.registered.display, context


def _clipboard(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    text = context["challenge"].text
    forms = clipboards(customer, text, customer.sign(text.encode()))
    name = rng.choice(sorted(forms))
    return f"{customer.family}: {name}", forms[name], frozenset({None}), None, context


def _other_wallet(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    same = [each for each in customers(customer.family) if each is not customer]
    other = rng.choice(same)
    context = {**context, "known_addresses": known(other.registered)}
    text = context["challenge"].text
    causes = frozenset({WRONG_WALLET_ADDRESS})
    return customer.family, other.answer(text), causes, other.registered.display, context


def _unknown_wallet(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    other = Customer(customer.family, rng.randbytes(32), customer.registered)
    causes = frozenset({WRONG_WALLET_ADDRESS})
    context = {**context, "known_addresses": ()}
    return customer.family, other.answer(context["challenge"].text), causes, None, context


def _other_family(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    name = rng.choice([each for each in FAMILIES if each != customer.family])
    other = rng.choice(customers(name))
    context = {**context, "known_addresses": known(other.registered)}
    causes = frozenset({NETWORK_MISMATCH})
    paste = other.answer(context["challenge"].text)
    return f"{customer.family} by {name}", paste, causes, other.registered.display, context


def _secret(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    found = secrets_of_wallets(rng.randrange(100))
    name = rng.choice(sorted(found))
    return f"{customer.family}: {name}", found[name], FORMAT, None, context


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _contract(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    """Whatever a contract answers, its owner's key may have signed: nothing is certain."""
    owner = rng.randbytes(65)
    forms = {
        "two owners": rng.randbytes(130),
        "dynamic": rng.randbytes(97),
        "ERC-6492": rng.randbytes(65) + bytes(31) + bytes.fromhex("6492" * 16),
        "ABI": _word(32) + _word(0) + _word(64) + _word(65) + owner + bytes(31),
        "validator in front": rng.randbytes(20) + owner,
        "mode in front": rng.randbytes(1) + owner,
        "ERC-7739": owner + rng.randbytes(64) + rng.randbytes(60) + bytes(2),
        "P-256": rng.randbytes(64),
    }
    name = rng.choice(sorted(forms))
    causes = frozenset({WRONG_MESSAGE_FORMAT, WRONG_WALLET_ADDRESS, NETWORK_MISMATCH})
    context = {**context, "known_addresses": ()}
    return f"{customer.family}: {name}", "0x" + forms[name].hex(), causes, None, context


_WITH_HEADER = frozenset({"bitcoin", "litecoin", "dogecoin", "bitcoin-cash"})
"""Signatures begin with a byte about the key; that of another kind of address is accepted."""


def _damaged(customer: Customer, rng: Random, context: dict[str, Any]) -> Made:
    """One bit of r or s is another one."""
    data = bytearray(customer.sign(context["challenge"].text.encode()))
    start = 1 if customer.family in _WITH_HEADER else 0
    data[start + rng.randrange(64)] ^= 1 << rng.randrange(8)
    return customer.family, customer.spell(bytes(data)), FORMAT, None, context


_MAKERS: dict[str, Callable[[Customer, Random, dict[str, Any]], Made]] = {
    "short text": partial(_altered, is_knowable=True),
    "long text": partial(_altered, is_knowable=True),
    "own words": partial(_altered, is_knowable=False),
    "other text": _other_text,
    "clipboard": _clipboard,
    "other wallet": _other_wallet,
    "unknown wallet": _unknown_wallet,
    "other family": _other_family,
    "secret": _secret,
    "contract wallet": _contract,
    "damaged signature": _damaged,
}


def judge_all(
    cases: Iterator[Labelled], *, longer: bool = False, back: bool = False, mail: bool = False
) -> Rates:
    """`back` also gives the text that the wallet shows, where an answer asks for it."""
    rates = Rates()
    for each in cases:
        labelled = _in_mail(each) if mail else each
        if labelled.has_own_words and not (mail or back):
            labelled = replace(labelled, kind="own words")
        started = time.process_time()
        answer = diagnose(labelled.case)
        if longer and answer.can_search_longer:
            answer = diagnose(replace(labelled.case, search_longer=True))
        if back and answer.asks_for_text and labelled.shown:
            answer = diagnose(replace(labelled.case, signed_text=labelled.shown))
        rates.add(labelled, answer, time.process_time() - started)
    return rates


def _in_mail(labelled: Labelled) -> Labelled:
    if labelled.paste:
        kind = labelled.kind if labelled.is_in_paste else "not in the paste"
        return replace(labelled, kind=kind, case=replace(labelled.case, signature=labelled.paste))
    mail = f"Hello,\n\nI signed this:\n{labelled.shown}\n\n{labelled.case.signature}\n\nRegards"
    about = replace(labelled.case, signature=mail if labelled.shown else labelled.case.signature)
    return replace(labelled, case=about)


def judge_acceptance(cases: Iterator[Labelled]) -> Rates:
    """Whether the paste or a part of it is accepted, by the same functions as a claim's."""
    rates = Rates()
    for labelled in cases:
        started, judged = time.process_time(), labelled.case
        address, text = judged.challenge.address, judged.challenge.text.encode()
        parts = read_clipboard(judged.signature, address.network.family).parts
        is_accepted = accept(judged) is not None or any(
            verify_reading(text, part.reading, address) for part in parts
        )
        rates.times.append(time.process_time() - started)
        rates.cases[labelled.kind] += 1
        rates.right[labelled.kind] += is_accepted == labelled.accepted
        if is_accepted and not labelled.accepted:
            rates.faults["false accept"] += 1
            rates.examples.append(f"false accept: {labelled.kind}: {labelled.name}")
    return rates


def run(
    seed: str, count: int, into: Path | None, *, generator: str = "",
    families: Sequence[str] = FAMILIES, kinds: Sequence[str] = KINDS, only_acceptance: bool = False,
    **ways: bool,
) -> Rates:  # fmt: skip
    """Judge the cases in blocks, each with a seed of its own, and keep the counts of each."""
    kept = into.read_text().splitlines() if into and into.exists() else []
    rates = Rates()
    for line in kept:
        cases, right, faults, times, examples = json.loads(line)
        rates.extend(Rates(Counter(cases), Counter(right), Counter(faults), times, examples))
    while (done := len(rates.times)) < count:
        cases = labelled_cases(
            f"{seed}:{done}", min(_BLOCK, count - done), generator=generator, families=families,
            texts=1 if only_acceptance else 48, addresses=8 if only_acceptance else 24,
            kinds=kinds,
        )  # fmt: skip
        block = judge_acceptance(cases) if only_acceptance else judge_all(cases, **ways)
        rates.extend(block)
        if into:
            parts = (block.cases, block.right, block.faults, block.times, block.examples)
            with into.open("a") as file:
                file.write(json.dumps(parts) + "\n")
    return rates


_BLOCK = 100


def main() -> None:
    if "pure" in sys.argv:
        # As if coincurve were not installed for this project; the signers still use it.
        blocked: dict[str, object] = {"chainteller.wallets.secp256k1_fast": None}
        sys.modules.update(blocked)  # type: ignore[arg-type]  # None blocks an import
        os.environ["ECC_BACKEND_CLASS"] = "eth_keys.backends.NativeECCBackend"
    seed, count, *words = sys.argv[1:]
    only_acceptance = "accept" in words
    rates = run(
        seed,
        int(count),
        next((Path(each[5:]) for each in words if each.startswith("into=")), None),
        generator=next((each for each in GENERATORS if each in words), ""),
        families=[each for each in EVERY_FAMILY if each in words] or FAMILIES,
        kinds=[each for each in _MAKERS if each in words]
        or (REFUSED if only_acceptance else KINDS),
        only_acceptance=only_acceptance,
        **{each: each in words for each in ("longer", "back", "mail")},
    )
    lines = [
        f"{kind:18} {number:7,} cases, {rates.share(kind):7.2%} right"
        for kind, number in sorted(rates.cases.items())
    ]
    lines += [f"first cause right  {rates.share():7.2%}", f"faults: {dict(rates.faults)}"]
    lines += [
        f"p50 {rates.percentile(0.5):.0f} ms, p95 {rates.percentile(0.95):.0f} ms, "
        f"longest {max(rates.times) * 1e3:.0f} ms"
    ]
    lines += [f"{number:5} {line}" for line, number in Counter(rates.examples).most_common(25)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
