"""Deeds of wallet verification as rows: what the engine would have written for each of them.

Ids of wallets and of their blockchain accounts come from their names alone, so that the day that
begins finds again what the past has made.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from chainteller.domain.challenges import (
    CLAIM_LIFETIME,
    MAXIMUM_ATTEMPTS,
    POLICY_VERSION,
    VERIFICATION_LIFETIME,
    ChallengeStatus,
    ClaimStatus,
    ReverificationReason,
    expiry,
)
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.samples import opening
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.people import CustodyAddress
from chainteller.engine.samples.world import Account, World
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.simulated import SampleWallet, sample_proof
from chainteller.wallets.texts import challenge_text


def _fixed_id(prefix: Prefix, name: str) -> str:
    return new_id(prefix, SeededRandomness(f"sample {name}"))


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

    def owner(self, world: World) -> str:
        """The trading account whose blockchain account it is."""
        return world.accounts[self.reference].id


def open_account(world: World, account: Account, network: str, at: int) -> None:
    """A blockchain account with a custody address that nobody has the key of."""
    name = f"{account.person.reference} {network}"
    on = resolve_network(network)
    address = on.family.custody_address(on, SeededRandomness(f"sample {name}").bytes)
    account_id = _fixed_id(Prefix.BLOCKCHAIN_ACCOUNT, name)
    custody = CustodyAddress(account_id, account.person.reference, network, address)
    opening.blockchain_account(world, account, custody, at)


def register(world: World, pair: Pair, at: int) -> None:
    address = pair.wallet.address
    world.books.add(
        "counterparty",
        {
            "id": pair.counterparty_id,
            "organisation_id": world.organisation_id,
            "network": address.network.name,
            "canonical": address.canonical,
            "address": address.display,
            "kind": address.kind,
            "created": at,
        },
    )
    told = {"address": address.display, "network": address.network.name}
    world.audit(at, "register_counterparty", pair.counterparty_id, told)
    event = {"network": address.network.name, "address": address.display}
    world.event(at, "counterparty.registered", pair.counterparty_id, event)


def challenge(world: World, pair: Pair, at: int, valid_s: int | None = None) -> Row:
    """A text to sign, valid for ``valid_s`` seconds or for as long as the bank's options say."""
    challenge_id = world.new_id(Prefix.CHALLENGE)
    expires = expiry(at, round(valid_s or world.options.challenge_ttl_s))
    row = world.books.add(
        "challenge",
        {
            "id": challenge_id,
            "organisation_id": world.organisation_id,
            "blockchain_account_id": pair.account_id,
            "counterparty_id": pair.counterparty_id,
            "customer_id": world.accounts[pair.reference].person.id,
            "text": challenge_text(
                bank_name=world.options.bank_name,
                address=pair.wallet.address,
                challenge_id=challenge_id,
                valid_until=format_instant(expires),
            ),
            "status": ChallengeStatus.OPEN.value,
            "attempts": 0,
            "created": at,
            "expires": expires,
            "used_at": None,
            "claim_id": None,
        },
    )
    inputs: Row = {"counterpartyId": pair.counterparty_id}
    if valid_s:
        inputs["validSeconds"] = valid_s
    world.audit(at, "create_challenge", challenge_id, inputs, account=pair.owner(world))
    told = {"blockchainAccountId": pair.account_id, "counterpartyId": pair.counterparty_id}
    world.event(at, "ownership_challenge.created", challenge_id, told)
    return row


def refuse(world: World, pair: Pair, challenged: Row, finding: str, at: int) -> None:
    """A signature by the wallet that the customer takes for this one; the tenth locks."""
    number = challenged["attempts"] + 1
    locks = number >= MAXIMUM_ATTEMPTS
    status = ChallengeStatus.LOCKED if locks else ChallengeStatus.OPEN
    challenged.update(attempts=number, status=status.value)
    world.books.add(
        "attempt",
        {
            "challenge_id": challenged["id"],
            "number": number,
            "at": at,
            "finding": finding,
            "recovered_address": world.wallets[pair.wallet.other_account].address.display,
        },
    )
    inputs = {"challengeId": challenged["id"], "counterpartyId": pair.counterparty_id}
    tried = world.audit(at, "submit_claim", pair.account_id, inputs, account=pair.owner(world))
    tried.update(outcome="refused", error="INVALID_SIGNATURE")
    kind = "ownership_challenge.locked" if locks else "ownership_challenge.refused"
    world.event(at, kind, challenged["id"], {"finding": finding, "attempts": number})


def claim(world: World, pair: Pair, challenged: Row, at: int) -> Row:
    """The wallet signed the very text."""
    claim_id = world.new_id(Prefix.CLAIM)
    challenged.update(status=ChallengeStatus.USED.value, used_at=at, claim_id=claim_id)
    proof = sample_proof(pair.wallet, challenged["text"])
    row = world.books.add(
        "claim",
        {
            "id": claim_id,
            "organisation_id": world.organisation_id,
            "blockchain_account_id": pair.account_id,
            "counterparty_id": pair.counterparty_id,
            "challenge_id": challenged["id"],
            "scheme": proof.scheme,
            "signature": proof.signature,
            "signer": proof.signer,
            "status": ClaimStatus.VALID.value,
            "created": at,
            "expires": at + CLAIM_LIFETIME,
            "linked_at": None,
        },
    )
    inputs = {"challengeId": challenged["id"], "counterpartyId": pair.counterparty_id}
    world.audit(at, "submit_claim", claim_id, inputs, account=pair.owner(world))
    world.event(at, "ownership_challenge.used", challenged["id"], {"claimId": claim_id})
    told = {"counterpartyId": pair.counterparty_id}
    world.event(at, "ownership_claim.created", claim_id, told)
    return row


def link(world: World, pair: Pair, claimed: Row, at: int) -> Row:
    claimed.update(status=ClaimStatus.LINKED.value, linked_at=at)
    row = world.books.add(
        "link",
        {
            "blockchain_account_id": pair.account_id,
            "counterparty_id": pair.counterparty_id,
            "claim_id": claimed["id"],
            "first_linked_at": at,
            "verified_at": at,
            "expires": at + VERIFICATION_LIFETIME,
            "last_used_at": at,
            "policy_version": POLICY_VERSION,
            "revoked_at": None,
            "revoked_reason": None,
        },
    )
    address = pair.wallet.address
    inputs: Mapping[str, str] = {
        "address": address.display,
        "network": address.network.name,
        "ownershipClaimId": claimed["id"],
    }
    world.audit(
        at, "link_counterparty", pair.counterparty_id, dict(inputs), account=pair.owner(world)
    )
    told = {"blockchainAccountId": pair.account_id, "claimId": claimed["id"]}
    world.event(at, "counterparty.linked", pair.counterparty_id, told)
    told = {"counterpartyId": pair.counterparty_id}
    world.event(at, "ownership_claim.linked", claimed["id"], told)
    return row


def require_reverification(
    world: World, pair: Pair, linked: Row, reason: ReverificationReason, at: int
) -> None:
    linked.update(revoked_at=at, revoked_reason=reason.value)
    why = {"reason": reason.value}
    world.audit(at, "require_reverification", pair.counterparty_id, why, account=pair.owner(world))
    told = {"blockchainAccountId": pair.account_id, "reason": reason.value}
    world.event(at, "counterparty.reverification_required", pair.counterparty_id, told)
