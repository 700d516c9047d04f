"""Wallet verification at the sample bank: one of every state, for the console to show.

The wallets alice, bob and carol stay unregistered: demonstrations and training begin with them.
Ids of wallets and of their blockchain accounts come from their names alone, so that what is under
way today finds what the history has made.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from chainteller.domain import second_method
from chainteller.domain.challenges import (
    MAXIMUM_ATTEMPTS,
    ReverificationReason,
)
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.evidence import EvidenceLevel, VerificationMethod
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.outcome import Outcome
from chainteller.engine.core.unit_of_work import audited_inputs
from chainteller.engine.operations import (
    blockchain_accounts,
    challenges,
    claims,
    counterparties,
    destinations,
    ownership_statements,
    small_transfers,
)
from chainteller.engine.samples.bank import SampleBank
from chainteller.engine.samples.customers import CustodyAddress
from chainteller.engine.samples.timeline import Story, Timeline
from chainteller.service.models.base import WireModel
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.simulated import SampleWallet, sample_proof
from chainteller.wallets.texts import Party

FIRST, LONGSTANDING = "CU-004711", "CU-001008"
_ACCOUNTS = (
    (FIRST, "ethereum", 109),
    (FIRST, "solana", 108),
    (LONGSTANDING, "ethereum", 428),
    (LONGSTANDING, "bitcoin", 427),
)
"""Customer, network and how many days before the last midnight it was opened."""
_VALID_S = 3600
_STAGE = 3 * MINUTE


@dataclass(frozen=True, slots=True)
class Pair:
    """A sample wallet and the blockchain account of the customer that it is verified for."""

    reference: str
    network: str
    wallet: SampleWallet

    @property
    def account_id(self) -> str:
        return _fixed_id(Prefix.BLOCKCHAIN_ACCOUNT, f"{self.reference} {self.network}")

    @property
    def counterparty_id(self) -> str:
        return _fixed_id(Prefix.COUNTERPARTY, self.wallet.name)


def _fixed_id(prefix: Prefix, name: str) -> str:
    return new_id(prefix, SeededRandomness(f"sample {name}"))


def generate_history(timeline: Timeline) -> None:
    """Everything but what is under way today."""
    bank, midnight = timeline.bank, timeline.midnight
    for reference, network, days in _ACCOUNTS:
        timeline.at(_day(timeline, days, 10), open_account, bank, custody(reference, network))

    def pair(reference: str, network: str, wallet: str) -> Pair:
        return Pair(reference, network, bank.wallets[wallet])

    def linked_then(wallet: Pair, until: int, act: Callable[[SampleBank, Pair], None]) -> Story:
        yield from linked(bank, wallet)
        yield until - bank.now
        act(bank, wallet)

    first = pair(FIRST, "solana", "dave-solana")
    timeline.at(_day(timeline, 95, 11), linked, bank, pair(FIRST, "ethereum", "dave-ethereum"))
    reverified = _day(timeline, 3, 16)
    timeline.at(_day(timeline, 60, 14), linked_then, first, reverified, require_reverification)
    aged = pair(LONGSTANDING, "ethereum", "frank-ethereum")
    # Used since, or it would lie dormant; the desk only shows that it falls due by its age.
    timeline.at(_day(timeline, 345, 9), linked_then, aged, _day(timeline, 20, 12), use)
    for act, days, hour, owned in (
        (linked, 400, 15, pair(LONGSTANDING, "ethereum", "frank-solana")),
        (challenged, 1, 11, pair(FIRST, "ethereum", "erin-ethereum")),
        (challenged, 1, 15, pair(FIRST, "ethereum", "dave-bitcoin")),
    ):
        timeline.at(_day(timeline, days, hour), act, bank, owned)
    unsigned = pair(LONGSTANDING, "bitcoin", "frank-bitcoin")
    timeline.at(_day(timeline, 1, 13), refused, bank, unsigned, MAXIMUM_ATTEMPTS)
    claiming = pair(FIRST, "solana", "erin-solana")
    timeline.at(midnight - 25 * MINUTE, claimed, bank, claiming)
    # Last, so that what was drawn before stays what it was.
    timeline.at(midnight - 9 * MINUTE, ask_for_transfer, bank, unsigned)
    timeline.at(midnight - 2 * MINUTE, state, bank, unsigned)


def generate_today(timeline: Timeline) -> None:
    """A text waits for its signature; the customer has tried once, with the other account."""
    bank = timeline.bank
    pair = Pair(FIRST, "ethereum", bank.wallets["erin-ethereum"])

    def story() -> Story:
        challenge_id = challenge(bank, pair)
        yield 20 * SECOND
        refuse(bank, pair, challenge_id, "OTHER_REGISTERED_ADDRESS")

    timeline.at(bank.until - 25 * SECOND, story)


# The stages of a verification, each some minutes after the one before


def challenged(bank: SampleBank, pair: Pair) -> Generator[int, None, str]:
    """Register a wallet; its challenge follows, whose id is returned."""
    register(bank, pair)
    yield _STAGE
    return challenge(bank, pair, _VALID_S)


def claimed(bank: SampleBank, pair: Pair) -> Generator[int, None, str]:
    """As ``challenged``; then the signature. Returns the claim's id."""
    challenge_id = yield from challenged(bank, pair)
    yield 4 * _STAGE
    return claim(bank, pair, challenge_id)


def linked(bank: SampleBank, pair: Pair) -> Story:
    """As ``claimed``; then the link."""
    claim_id = yield from claimed(bank, pair)
    yield 4 * SECOND
    link(bank, pair, claim_id)


def refused(bank: SampleBank, pair: Pair, attempts: int) -> Story:
    """As ``challenged``; then signed with the wrong account so many times."""
    challenge_id = yield from challenged(bank, pair)
    for _ in range(attempts):
        yield 2 * MINUTE
        refuse(bank, pair, challenge_id, "UNKNOWN_SIGNER")


def _day(timeline: Timeline, days: int, hour: int) -> int:
    return timeline.midnight - days * DAY + hour * HOUR


def custody(reference: str, network: str) -> CustodyAddress:
    """A custody address that nobody has the key of."""
    name = f"{reference} {network}"
    on = resolve_network(network)
    address = on.family.custody_address(on, SeededRandomness(f"sample {name}").bytes)
    return CustodyAddress(_fixed_id(Prefix.BLOCKCHAIN_ACCOUNT, name), reference, network, address)


def open_account(bank: SampleBank, custody: CustodyAddress) -> None:
    """A blockchain account with a fixed id and address, of the customer that the address names."""
    account = bank.accounts[custody.reference]
    decided = blockchain_accounts.decide_opening(
        bank.account(account.id),
        resolve_network(custody.network),
        lambda: custody.address,
        bank.moment()._replace(new_id=lambda _: custody.id),
    )
    request = OpenBlockchainAccount(trading_account_id=account.id, network=custody.network)
    bank.record("open_blockchain_account", decided.subject, audited_inputs(request), account.id)
    bank.apply(decided)


def register(bank: SampleBank, pair: Pair) -> None:
    """Register the wallet, unless another customer's was registered with the same address."""
    if bank.rows.find(Tables.counterparty, pair.counterparty_id) is not None:
        return
    address = pair.wallet.address
    moment = bank.moment()._replace(new_id=lambda _: pair.counterparty_id)
    decided = counterparties.decide_registration(address, moment)
    request = RegisterCounterparty(address=address.display, network=address.network.name)
    bank.record("register_counterparty", decided.subject, audited_inputs(request))
    bank.apply(decided)


def challenge(bank: SampleBank, pair: Pair, valid_s: int | None = None) -> str:
    """A text to sign, valid for ``valid_s`` seconds or for as long as the bank's options say."""
    request = ChallengeRequest(counterparty_id=pair.counterparty_id, valid_seconds=valid_s)
    party = Party(pair.reference, bank.accounts[pair.reference].bank_account_id)
    decided = challenges.decide_challenge(
        bank.rows.record(Tables.blockchain_account, pair.account_id),
        bank.rows.record(Tables.counterparty, pair.counterparty_id),
        challenges.Asked(party, challenges.validity_s(request, bank.options)),
        bank.moment(),
    )
    _record(bank, "create_challenge", decided.subject, request, pair)
    bank.apply(decided)
    return decided.subject


def refuse(bank: SampleBank, pair: Pair, challenge_id: str, finding: str) -> None:
    """A signature by the wallet that the customer takes for this one; the tenth locks."""
    signer = bank.wallets[pair.wallet.other_account].address.display
    challenged = bank.rows.record(Tables.challenge, challenge_id)
    bank.record(
        "submit_claim",
        pair.account_id,
        _claim_inputs(pair, challenge_id),
        _owner(bank, pair),
        error="INVALID_SIGNATURE",
    )
    bank.apply(claims.decide_attempt(challenged, finding, signer, bank.now))


def claim(bank: SampleBank, pair: Pair, challenge_id: str) -> str:
    """The wallet signed the very text."""
    challenged = bank.rows.record(Tables.challenge, challenge_id)
    proof = sample_proof(pair.wallet, challenged.text)
    decided = claims.decide_acceptance(challenged, claims.Accepted(proof), bank.moment())
    inputs = _claim_inputs(pair, challenge_id)
    bank.record("submit_claim", decided.subject, inputs, _owner(bank, pair))
    bank.apply(decided)
    return decided.subject


def ask_for_transfer(bank: SampleBank, pair: Pair) -> Story:
    """Ask for a small transfer; the customer sends a rounded amount, and the time runs out."""
    custody = bank.rows.record(Tables.blockchain_account, pair.account_id)
    wallet = bank.rows.record(Tables.counterparty, pair.counterparty_id)
    asset = second_method.asset_on(pair.network)
    if asset is None:
        raise AssertionError(f"no small transfers on {pair.network}")
    amount = second_method.draw_amount(asset, SeededRandomness(f"sample {pair.wallet.name}"))
    valid_s = second_method.MINIMUM_VALIDITY_S
    decided = small_transfers.decide_request(
        custody, wallet, pair.reference, amount, bank.moment(), valid_s
    )
    request = SmallTransferRequest(counterparty_id=pair.counterparty_id, valid_seconds=valid_s)
    _record(bank, "create_small_transfer", decided.subject, request, pair)
    bank.apply(decided._replace(jobs=()))
    sent = second_method.Seen(
        SeededRandomness(f"sample {decided.subject}").bytes(32).hex(),
        wallet.canonical,
        wallet.canonical,
        asset.key,
        second_method.rounded(amount),
        bank.now + 4 * MINUTE,
        (wallet.canonical,),
        (wallet.canonical,),
        0,
    )
    yield 4 * MINUTE
    arrive(bank, pair, decided, sent)


def arrive(bank: SampleBank, pair: Pair, asked: Outcome, sent: second_method.Seen) -> None:
    """A transfer arrives for a small transfer."""
    small = asked.inserted(Tables.small_transfer)
    wallet = bank.rows.record(Tables.counterparty, pair.counterparty_id)
    row = bank.rows.record(
        Tables.challenge,
        asked.subject,
        **{name: small[name] for name in ("asset", "amount", "deadline")},
        address=wallet.address,
        canonical=wallet.canonical,
    )
    for each in small_transfers.decide_arrivals(row, [sent], 0, bank.moment()):
        bank.apply(each, _owner(bank, pair))


def state(bank: SampleBank, pair: Pair) -> None:
    """The customer says that the wallet is theirs, which waits for a person."""
    request = StatementRequest(
        counterparty_id=pair.counterparty_id,
        reason=second_method.StatementReason.DEVICE_CANNOT_SIGN,
        statement="My device has no function to sign, and my app rounds what I send.",
    )
    decided = ownership_statements.decide_statement(
        bank.rows.record(Tables.blockchain_account, pair.account_id),
        bank.rows.record(Tables.counterparty, pair.counterparty_id),
        request.reason,
        request.statement,
        bank.moment(),
    )
    _record(bank, "create_ownership_statement", decided.subject, request, pair)
    bank.apply(decided)


def _claim_inputs(pair: Pair, challenge_id: str) -> dict[str, str]:
    return {"challengeId": challenge_id, "counterpartyId": pair.counterparty_id}


def link(bank: SampleBank, pair: Pair, claim_id: str) -> None:
    address = pair.wallet.address
    proven = {"network": address.network.name, "canonical": address.canonical}
    decided = counterparties.decide_link(
        bank.rows.record(Tables.blockchain_account, pair.account_id),
        bank.rows.record(Tables.claim, claim_id, **proven),
        address,
        None,
        bank.now,
    )
    request = LinkRequest(
        address=address.display, network=address.network.name, ownership_claim_id=claim_id
    )
    _record(bank, "link_counterparty", decided.subject, request, pair)
    bank.apply(decided)


def use(bank: SampleBank, pair: Pair) -> None:
    """Note that something was sent to a linked wallet."""
    update = destinations.used(_link(bank, pair), bank.now)
    bank.apply(Outcome(pair.counterparty_id, rows=(update,)))


def require_reverification(
    bank: SampleBank,
    pair: Pair,
    reason: ReverificationReason = ReverificationReason.AGENT_REQUEST,
) -> None:
    request = ReverificationRequest(reason=reason)
    decided = counterparties.decide_reverification(_link(bank, pair), request.reason, bank.now)
    _record(bank, "require_reverification", decided.subject, request, pair)
    bank.apply(decided)


def find_link(bank: SampleBank, pair: Pair) -> Record | None:
    """The link of the wallet to its blockchain account, whatever its state."""
    key = (pair.account_id, pair.counterparty_id)
    return _link(bank, pair) if bank.rows.find(Tables.link, key) is not None else None


def _link(bank: SampleBank, pair: Pair) -> Record:
    """A link with the method of its claim."""
    key = (pair.account_id, pair.counterparty_id)
    return bank.rows.record(Tables.link, key, **_PROVEN)


_PROVEN = {
    "claim_method": VerificationMethod.SIGNATURE.value,
    "claim_level": EvidenceLevel.HIGH.value,
}


def _record(bank: SampleBank, action: str, subject: str, request: WireModel, pair: Pair) -> None:
    bank.record(action, subject, audited_inputs(request), _owner(bank, pair))


def _owner(bank: SampleBank, pair: Pair) -> str:
    """The trading account whose blockchain account it is."""
    return bank.accounts[pair.reference].id
