"""Small transfers by people who don't own the address: none of their ways verifies it.

Each way is what the chain shows of it. The address is somebody else's: an exchange's, a contract's
or a stranger's. What none of the rules can see is named in docs/development/decisions/0025.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.ownership.test_small_transfers import OTHER, OWN, Case

from chainteller.domain.evidence import AddressCode
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import Conflict
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    SmallTransfer,
    StatementRequest,
)
from chainteller.wallets.contracts import Block, ChainAnswer, CodeAnswer, Question
from chainteller.wallets.family import Address, Network

BINANCE = "0x28C6c06298d514Db089934071355E5743bf21d60"
TORNADO = "0x47CE0C6eD5B0Ce3d3A51fdb1C52DC66a7c3c2936"
SOLANA = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
RELAY = "Hyx62wPQGyvXCoihZq1BrbUjBRh2LuNxWiiqMkfAuSZr"
BITCOIN = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"
OTHERS_BITCOIN = ("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "39oRj36VbCJdky8wsPCT5FMQNRUUekuoUr")
HOUR_S = 3_600.0


class Contract:
    """A chain that has a contract at every address."""

    def serves(self, network: Network) -> bool:
        return network.name == "ethereum"

    def ask(self, _network: Network, question: Question, *, newest: bool = False) -> ChainAnswer:
        return ChainAnswer(question, 1, None, {}, {"chain": f"isn't asked here ({newest=})"})

    def code(self, _address: Address) -> CodeAnswer:
        return CodeAnswer(AddressCode.CONTRACT, Block(7, "0x" + "07" * 32), ("chain",), {})


def many_customers(case: Case) -> None:
    """Two other customers have been asked to prove the address of this one's exchange."""
    for bank_account, kind in (("DDA-2", "savings"), ("DDA-3", "checking")):
        opened = OpenTradingAccount(bank_account_id=bank_account, bank_account_type=kind)
        account = case.service.open_trading_account(opened).value
        asked = OpenBlockchainAccount(trading_account_id=account.id, network=case.network)
        custody = case.service.open_blockchain_account(asked).value
        case.service.create_challenge(custody.id, ChallengeRequest(counterparty_id=case.wallet.id))


class Way(NamedTuple):
    """``sends`` is what the chain shows; None where the request is refused with ``reason``."""

    sends: dict[str, Any] | None
    found: tuple[str, ...] = ()
    reason: str = ""
    network: str = "ethereum"
    address: str = OWN
    chain: Contract | None = None
    before: Callable[[Case], None] | None = None
    after_s: float = 60


WAYS = {
    "an exchange's hot wallet that is listed": Way(None, (), "KNOWN_SERVICE", address=BINANCE),
    "an exchange's hot wallet, which pays its customer's withdrawal to itself": Way(
        {"sentBefore": 2_000_000}, ("SERVICE",)
    ),
    "a hot wallet that is new, and that the operator's provider knows": Way(
        {"sentBefore": 3, "service": "Binance"}, ("SERVICE",)
    ),
    "a hot wallet that is new, and pays several withdrawals at once": Way(
        {"sentBefore": 3, "paidTo": [SOLANA, RELAY]}, ("PAYS_OTHERS",), "", "solana", SOLANA
    ),
    "a withdrawal from the exchange to the deposit address": Way({"to": OTHER, "paidTo": [OTHER]}),
    "an address that many customers of one exchange name": Way(
        None, (), "MANY_CUSTOMERS", before=many_customers
    ),
    "a contract that pays whoever asks": Way(None, (), "CONTRACT_WALLET", chain=Contract()),
    "a contract that no chain was asked about": Way(
        {"signedBy": [OTHER]}, ("WRONG_SENDER",)
    ),
    "an allowance: transferFrom of the owner's tokens, signed by the spender": Way(
        {"signedBy": [OTHER], "symbol": "USDC", "amount": "1.00"}
    ),
    "an account that lets a contract act for it (EIP-7702), called by somebody": Way(
        {"signedBy": [OTHER], "sentBefore": 0}, ("WRONG_SENDER",)
    ),
    "a program of Solana that moves what it was given, signed by a relay": Way(
        {"signedBy": [RELAY]}, ("WRONG_SENDER",), "", "solana", SOLANA
    ),
    "a mixer that is listed": Way(None, (), "KNOWN_SERVICE", address=TORNADO),
    "a mixer that pays out to the address": Way(
        {"from": OTHER, "signedBy": [OTHER]}, ("WRONG_SENDER",)
    ),
    "a coinjoin in which the owner takes part": Way(
        {"signedBy": [BITCOIN, *OTHERS_BITCOIN], "paidTo": [BITCOIN, *OTHERS_BITCOIN]},
        ("PAYS_OTHERS",), "", "bitcoin", BITCOIN,
    ),
    "a bought transfer: a stranger sends the amount to the address": Way(
        {"from": OTHER, "signedBy": [OTHER], "paidTo": [OWN]}, ("WRONG_SENDER",)
    ),
    "a bought transfer: the owner pays somebody the amount": Way({"to": OTHER, "paidTo": [OTHER]}),
    "a refund by a merchant to the merchant's own address": Way(
        {"sentBefore": 4_012, "paidTo": [OWN]}, ("SERVICE",)
    ),
    "a transfer of the owner's that was made before the request": Way({}, after_s=-60),
    "a consolidation of the owner's on Bitcoin, long before the request": Way(
        {}, (), "", "bitcoin", BITCOIN, after_s=-2 * HOUR_S - 1
    ),
}  # fmt: skip


def require_person(case: Case) -> None:
    """A statement about the address waits for a person, and verifies nothing."""
    stated = StatementRequest(
        counterparty_id=case.wallet.id, reason="EXCHANGE_ADDRESS", statement="My exchange's."
    )
    made = case.service.create_ownership_statement(case.custody.id, stated).value
    (waits,) = case.service.decisions().data
    assert (waits.kind, waits.subject) == ("ownershipStatement", made.id)
    assert case.service.linked_counterparties(case.custody.id).data == ()


def test_there_are_more_than_twelve_ways() -> None:
    assert len(WAYS) >= 12


@pytest.mark.parametrize("name", WAYS)
def test_nobody_verifies_an_address_that_isnt_theirs(name: str, tmp_path: Path) -> None:
    way = WAYS[name]
    case = Case(tmp_path, way.network, way.address, way.chain)
    if way.before is not None:
        way.before(case)
    if way.sends is None:
        with pytest.raises(Conflict) as refused:
            case.ask()
        assert refused.value.details["reason"] == way.reason
        assert "statement" in refused.value.details["suggestion"]
        require_person(case)
        return
    asked = case.ask()
    case.arrive(asked, way.after_s, **way.sends)
    done = case.seen(asked, 3 * HOUR_S)
    assert tuple(each.finding for each in done.arrivals) == way.found
    assert (done.status, done.claim_id) == ("expired", None)
    assert verify(case.world.context.database) == ()


def test_customers_who_name_the_address_after_the_request_count_as_well(tmp_path: Path) -> None:
    case = Case(tmp_path)
    asked = case.ask()
    many_customers(case)
    case.arrive(asked)
    done = case.seen(asked)
    assert ([each.finding for each in done.arrivals], done.claim_id) == (["SERVICE"], None)


def honest(case: Case, after_s: float, **sent: Any) -> SmallTransfer:
    asked = case.ask()
    case.arrive(asked, after_s, **sent)
    return case.seen(asked)


@pytest.mark.parametrize(
    ("network", "address", "after_s", "sent"),
    [
        ("ethereum", OWN, 60, {}),
        ("solana", SOLANA, 60, {}),
        ("solana", SOLANA, 60, {"signedBy": [SOLANA, RELAY]}),
        ("bitcoin", BITCOIN, 60, {}),
        ("bitcoin", BITCOIN, 60, {"paidTo": [BITCOIN, OTHERS_BITCOIN[0]]}),
        ("bitcoin", BITCOIN, 60, {"signedBy": [BITCOIN, OTHERS_BITCOIN[0]]}),
        ("bitcoin", BITCOIN, -2 * HOUR_S, {}),
    ],
)
def test_an_owner_verifies_a_wallet_of_each_family(
    network: str, address: str, after_s: float, sent: dict[str, Any], tmp_path: Path
) -> None:
    """Bitcoin: with change, with another input of the owner's, and in a block whose time is before
    the request."""
    case = Case(tmp_path, network, address)
    done = honest(case, after_s, **sent)
    assert (done.status, [each.finding for each in done.arrivals]) == ("verified", ["EXACT"])
    case.link(done.claim_id)
    [linked] = case.service.linked_counterparties(case.custody.id).data
    assert linked.verification is not None
    assert linked.verification.level == "medium"
    assert (verify(case.world.context.database), case.found()) == ((), [])
