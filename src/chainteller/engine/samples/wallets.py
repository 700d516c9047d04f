"""Wallet verification at the sample bank: one of every state, for the console to show.

The wallets alice, bob and carol stay unregistered: demonstrations and training begin with them.
Ids of wallets and of their blockchain accounts come from their names alone, so that what is under
way today finds what the history has made.
"""

from collections.abc import Callable
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
from chainteller.engine.samples.bank import Account, SampleBank
from chainteller.engine.samples.customers import CustodyAddress
from chainteller.engine.samples.timeline import Timeline
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


Linked = Callable[[Pair, int], None]
"""What follows a link, with the instant of the link."""


def _fixed_id(prefix: Prefix, name: str) -> str:
    return new_id(prefix, SeededRandomness(f"sample {name}"))


def generate_history(timeline: Timeline) -> None:
    """Everything but what is under way today."""
    bank = timeline.bank
    for reference, network, days in _ACCOUNTS:
        address = custody(reference, network)
        timeline.at(
            _day(timeline, days, 10),
            lambda at, address=address: open_account(  # type: ignore[misc]  # a default binds the loop's account
                bank, bank.accounts[address.reference], address, at
            ),
        )
    verifying = Verifying(timeline)
    verifying.link(_pair(bank, FIRST, "ethereum", "dave-ethereum"), _day(timeline, 95, 11))
    verifying.link(
        _pair(bank, FIRST, "solana", "dave-solana"),
        _day(timeline, 60, 14),
        lambda pair, _: timeline.at(
            _day(timeline, 3, 16), lambda at: require_reverification(bank, pair, at)
        ),
    )
    verifying.link(
        _pair(bank, LONGSTANDING, "ethereum", "frank-ethereum"),
        _day(timeline, 345, 9),
        # Used since, or it would lie dormant; the desk only shows that it falls due by its age.
        lambda pair, _: timeline.at(_day(timeline, 20, 12), lambda at: use(bank, pair, at)),
    )
    verifying.link(_pair(bank, LONGSTANDING, "ethereum", "frank-solana"), _day(timeline, 400, 15))
    verifying.challenge(_pair(bank, FIRST, "ethereum", "erin-ethereum"), _day(timeline, 1, 11))
    verifying.challenge(_pair(bank, FIRST, "ethereum", "dave-bitcoin"), _day(timeline, 1, 15))
    verifying.lock(_pair(bank, LONGSTANDING, "bitcoin", "frank-bitcoin"), _day(timeline, 1, 13))
    verifying.claim(_pair(bank, FIRST, "solana", "erin-solana"), timeline.midnight - 25 * MINUTE)
    # Last, so that what was drawn before stays what it was.
    unsigned = _pair(bank, LONGSTANDING, "bitcoin", "frank-bitcoin")
    timeline.at(timeline.midnight - 9 * MINUTE, lambda at: ask_for_transfer(timeline, unsigned, at))
    timeline.at(timeline.midnight - 2 * MINUTE, lambda at: state(bank, unsigned, at))


def generate_today(timeline: Timeline) -> None:
    """A text waits for its signature; the customer has tried once, with the other account."""
    bank = timeline.bank
    pair = _pair(bank, FIRST, "ethereum", "erin-ethereum")

    def act(at: int) -> None:
        challenge_id = challenge(bank, pair, at)
        timeline.at(
            bank.now - 5 * SECOND,
            lambda when: refuse(bank, pair, challenge_id, "OTHER_REGISTERED_ADDRESS", when),
        )

    timeline.at(bank.now - 25 * SECOND, act)


class Verifying:
    """The stages of a verification, each some minutes after the one before."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._bank = timeline.bank

    def challenge(
        self, pair: Pair, at: int, then: Callable[[str, int], None] | None = None
    ) -> None:
        """Register a wallet; its challenge follows. ``then`` gets its id and instant."""

        def act(when: int) -> None:
            challenge_id = challenge(self._bank, pair, when, _VALID_S)
            if then is not None:
                then(challenge_id, when)

        self._timeline.at(at, lambda when: register(self._bank, pair, when))
        self._timeline.at(at + _STAGE, act)

    def claim(self, pair: Pair, at: int, then: Callable[[str, int], None] | None = None) -> None:
        """As ``challenge``; then the signature. ``then`` gets the claim's id and instant."""

        def act(challenge_id: str, when: int) -> None:
            claim_id = claim(self._bank, pair, challenge_id, when)
            if then is not None:
                then(claim_id, when)

        self.challenge(
            pair,
            at,
            lambda challenge_id, when: self._timeline.at(
                when + 4 * _STAGE, lambda later: act(challenge_id, later)
            ),
        )

    def link(self, pair: Pair, at: int, then: Linked | None = None) -> None:
        """As ``claim``; then the link."""

        def act(claim_id: str, when: int) -> None:
            link(self._bank, pair, claim_id, when)
            if then is not None:
                then(pair, when)

        self.claim(
            pair,
            at,
            lambda claim_id, when: self._timeline.at(
                when + 4 * SECOND, lambda later: act(claim_id, later)
            ),
        )

    def lock(self, pair: Pair, at: int) -> None:
        """As ``challenge``; then signed with the wrong account until no attempt is left."""
        self.refuse(pair, at, MAXIMUM_ATTEMPTS)

    def refuse(self, pair: Pair, at: int, attempts: int) -> None:
        """As ``challenge``; then signed with the wrong account so many times."""

        def act(challenge_id: str, when: int) -> None:
            for attempt in range(attempts):
                self._timeline.at(
                    when + (attempt + 1) * 2 * MINUTE,
                    lambda later: refuse(self._bank, pair, challenge_id, "UNKNOWN_SIGNER", later),
                )

        self.challenge(pair, at, act)


def _day(timeline: Timeline, days: int, hour: int) -> int:
    return timeline.midnight - days * DAY + hour * HOUR


def _pair(bank: SampleBank, reference: str, network: str, wallet: str) -> Pair:
    return Pair(reference, network, bank.wallets[wallet])


def custody(reference: str, network: str) -> CustodyAddress:
    """A custody address that nobody has the key of."""
    name = f"{reference} {network}"
    on = resolve_network(network)
    address = on.family.custody_address(on, SeededRandomness(f"sample {name}").bytes)
    return CustodyAddress(_fixed_id(Prefix.BLOCKCHAIN_ACCOUNT, name), reference, network, address)


def open_account(bank: SampleBank, account: Account, custody: CustodyAddress, at: int) -> None:
    """A blockchain account with a fixed id and address."""
    decided = blockchain_accounts.decide_opening(
        bank.account(account.id),
        resolve_network(custody.network),
        lambda: custody.address,
        bank.moment(at)._replace(new_id=lambda _: custody.id),
    )
    request = OpenBlockchainAccount(trading_account_id=account.id, network=custody.network)
    bank.record(at, "open_blockchain_account", decided.subject, audited_inputs(request), account.id)
    bank.apply(decided, at)


def register(bank: SampleBank, pair: Pair, at: int) -> None:
    """Register the wallet, unless another customer's was registered with the same address."""
    if bank.rows.find(Tables.counterparty, pair.counterparty_id) is not None:
        return
    address = pair.wallet.address
    moment = bank.moment(at)._replace(new_id=lambda _: pair.counterparty_id)
    decided = counterparties.decide_registration(address, moment)
    request = RegisterCounterparty(address=address.display, network=address.network.name)
    bank.record(at, "register_counterparty", decided.subject, audited_inputs(request))
    bank.apply(decided, at)


def challenge(bank: SampleBank, pair: Pair, at: int, valid_s: int | None = None) -> str:
    """A text to sign, valid for ``valid_s`` seconds or for as long as the bank's options say."""
    request = ChallengeRequest(counterparty_id=pair.counterparty_id, valid_seconds=valid_s)
    party = Party(pair.reference, bank.accounts[pair.reference].bank_account_id)
    decided = challenges.decide_challenge(
        bank.rows.record(Tables.blockchain_account, pair.account_id),
        bank.rows.record(Tables.counterparty, pair.counterparty_id),
        challenges.Asked(party, challenges.validity_s(request, bank.options)),
        bank.moment(at),
    )
    _record(bank, at, "create_challenge", decided.subject, request, pair)
    bank.apply(decided, at)
    return decided.subject


def refuse(bank: SampleBank, pair: Pair, challenge_id: str, finding: str, at: int) -> None:
    """A signature by the wallet that the customer takes for this one; the tenth locks."""
    signer = bank.wallets[pair.wallet.other_account].address.display
    challenged = bank.rows.record(Tables.challenge, challenge_id)
    bank.record(
        at,
        "submit_claim",
        pair.account_id,
        _claim_inputs(pair, challenge_id),
        _owner(bank, pair),
        error="INVALID_SIGNATURE",
    )
    bank.apply(claims.decide_attempt(challenged, finding, signer, at), at)


def claim(bank: SampleBank, pair: Pair, challenge_id: str, at: int) -> str:
    """The wallet signed the very text."""
    challenged = bank.rows.record(Tables.challenge, challenge_id)
    proof = sample_proof(pair.wallet, challenged.text)
    decided = claims.decide_acceptance(challenged, claims.Accepted(proof), bank.moment(at))
    inputs = _claim_inputs(pair, challenge_id)
    bank.record(at, "submit_claim", decided.subject, inputs, _owner(bank, pair))
    bank.apply(decided, at)
    return decided.subject


def ask_for_transfer(timeline: Timeline, pair: Pair, at: int) -> None:
    """Ask for a small transfer; the customer sends a rounded amount, and the time runs out."""
    bank = timeline.bank
    custody = bank.rows.record(Tables.blockchain_account, pair.account_id)
    wallet = bank.rows.record(Tables.counterparty, pair.counterparty_id)
    asset = second_method.asset_on(pair.network)
    if asset is None:
        raise AssertionError(f"no small transfers on {pair.network}")
    amount = second_method.draw_amount(asset, SeededRandomness(f"sample {pair.wallet.name}"))
    valid_s = second_method.MINIMUM_VALIDITY_S
    decided = small_transfers.decide_request(
        custody, wallet, pair.reference, amount, bank.moment(at), valid_s
    )
    request = SmallTransferRequest(counterparty_id=pair.counterparty_id, valid_seconds=valid_s)
    _record(bank, at, "create_small_transfer", decided.subject, request, pair)
    bank.apply(decided._replace(jobs=()), at)
    sent = second_method.Seen(
        SeededRandomness(f"sample {decided.subject}").bytes(32).hex(),
        wallet.canonical,
        wallet.canonical,
        asset.key,
        second_method.rounded(amount),
        at + 4 * MINUTE,
        (wallet.canonical,),
        (wallet.canonical,),
        0,
    )
    timeline.at(sent.arrived, lambda when: arrive(bank, pair, decided, sent, when))


def arrive(bank: SampleBank, pair: Pair, asked: Outcome, sent: second_method.Seen, at: int) -> None:
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
    for each in small_transfers.decide_arrivals(row, [sent], 0, bank.moment(at)):
        bank.apply(each, at, _owner(bank, pair))


def state(bank: SampleBank, pair: Pair, at: int) -> None:
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
        bank.moment(at),
    )
    _record(bank, at, "create_ownership_statement", decided.subject, request, pair)
    bank.apply(decided, at)


def _claim_inputs(pair: Pair, challenge_id: str) -> dict[str, str]:
    return {"challengeId": challenge_id, "counterpartyId": pair.counterparty_id}


def link(bank: SampleBank, pair: Pair, claim_id: str, at: int) -> None:
    address = pair.wallet.address
    proven = {"network": address.network.name, "canonical": address.canonical}
    decided = counterparties.decide_link(
        bank.rows.record(Tables.blockchain_account, pair.account_id),
        bank.rows.record(Tables.claim, claim_id, **proven),
        address,
        None,
        at,
    )
    request = LinkRequest(
        address=address.display, network=address.network.name, ownership_claim_id=claim_id
    )
    _record(bank, at, "link_counterparty", decided.subject, request, pair)
    bank.apply(decided, at)


def use(bank: SampleBank, pair: Pair, at: int) -> None:
    """Note that something was sent to a linked wallet."""
    update = destinations.used(_link(bank, pair), at)
    bank.apply(Outcome(pair.counterparty_id, rows=(update,)), at)


def require_reverification(
    bank: SampleBank,
    pair: Pair,
    at: int,
    reason: ReverificationReason = ReverificationReason.AGENT_REQUEST,
) -> None:
    request = ReverificationRequest(reason=reason)
    decided = counterparties.decide_reverification(_link(bank, pair), request.reason, at)
    _record(bank, at, "require_reverification", decided.subject, request, pair)
    bank.apply(decided, at)


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


def _record(
    bank: SampleBank, at: int, action: str, subject: str, request: WireModel, pair: Pair
) -> None:
    bank.record(at, action, subject, audited_inputs(request), _owner(bank, pair))


def _owner(bank: SampleBank, pair: Pair) -> str:
    """The trading account whose blockchain account it is."""
    return bank.accounts[pair.reference].id
