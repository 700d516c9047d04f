"""Small transfers: the exact amount from the exact address in time verifies, nothing else does."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.world.bank import World, build, sqlite_url

from chainteller.adapters.arrivals_read import FileArrivals
from chainteller.domain.clock import DAY, SECOND, format_instant
from chainteller.domain.evidence import METHODS, VerificationMethod
from chainteller.engine.core.ports import Chain
from chainteller.engine.operations.claim_proofs import recheck
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import (
    ArrivalsUnwatched,
    ClaimUnverifiable,
    Conflict,
    EvidenceExpired,
    LimitExceeded,
    NotFound,
    ValidationFailed,
)
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
    SmallTransfer,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    Transfer,
    WithdrawalRequest,
)

OWN = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
USDC = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")


@dataclass
class Case:
    """A customer whose wallet can't sign messages, and the file of what arrives."""

    folder: Path
    network: str = "ethereum"
    address: str = OWN
    chain: Chain | None = None
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self.file = self.folder / "arrivals.json"
        self.sent: list[dict[str, Any]] = []
        self.world = build(
            sqlite_url(self.folder), arrivals=FileArrivals(self.file), chain=self.chain
        )
        self.service = self.world.engine
        opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        self.account_id = self.service.open_trading_account(opened).value.id
        custody = OpenBlockchainAccount(trading_account_id=self.account_id, network=self.network)
        self.custody = self.service.open_blockchain_account(custody).value
        asked = RegisterCounterparty(address=self.address, network=self.network)
        self.wallet = self.service.register_counterparty(asked).value

    def ask(self, **more: Any) -> SmallTransfer:
        request = SmallTransferRequest(counterparty_id=self.wallet.id, **more)
        return self.service.create_small_transfer(self.custody.id, request).value

    def arrive(self, asked: SmallTransfer, after_s: float = 60, **changed: Any) -> None:
        """The wallet sends to itself what was asked for, but for what is changed."""
        at = round(asked.created.timestamp() * SECOND + after_s * SECOND)
        transfer = {
            "hash": f"0x{len(self.sent) + 1:064x}",
            "network": self.network,
            "from": asked.sender,
            "to": asked.recipient,
            "symbol": asked.symbol,
            "amount": asked.amount,
            "at": format_instant(at),
            "signedBy": [asked.sender],
            "paidTo": [asked.sender],
            "sentBefore": 12,
        }
        self.sent.append(transfer | changed)
        self.file.write_text(json.dumps({"transfers": [{"hash": 7}, *self.sent]}))

    def seen(self, asked: SmallTransfer, seconds: float = 120) -> SmallTransfer:
        self.world.advance(seconds)
        return self.service.small_transfer_by_id(asked.id)

    def link(self, claim_id: str | None) -> None:
        self.service.link_counterparty(
            self.custody.id,
            LinkRequest(
                address=self.address, network=self.network, ownership_claim_id=str(claim_id)
            ),
        )

    def pay(self, amount: str = "20.00") -> Transfer:
        self.service.deposit(self.account_id, DepositRequest(amount=amount, currency=USDC))
        destination = Destination(
            type="counterparty",
            counterparty_id=self.wallet.id,
            blockchain_account_id=self.custody.id,
        )
        request = WithdrawalRequest(amount=amount, currency=USDC, destination=destination)
        return self.service.withdraw(self.account_id, request).value

    def found(self) -> list[str]:
        """What is wrong with claims, as payouts would find it."""
        with self.world.context.database.read() as connection:
            return [each.found.reason for each in recheck(connection) if each.found]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def test_the_exact_amount_verifies_with_the_limits_and_the_life_of_its_level(case: Case) -> None:
    asked = case.ask()
    assert (asked.sender, asked.recipient) == (OWN, OWN)
    for told in (asked.amount, OWN, "to the same address", "ETH", asked.id):
        assert told in asked.instruction
    assert case.seen(asked).status == "waiting"
    case.arrive(asked)
    done = case.seen(asked)
    assert (done.status, [each.finding for each in done.arrivals]) == ("verified", ["EXACT"])
    claim = case.service.claim_by_id(str(done.claim_id))
    assert (claim.method, claim.level, claim.scheme) == ("transfer", "medium", "transfer")
    assert case.service.small_transfers(case.custody.id).data == (done,)
    case.link(done.claim_id)
    [linked] = case.service.linked_counterparties(case.custody.id).data
    assert linked.verification is not None
    assert (linked.type, linked.verification.level) == ("VerifiedCounterparty1P", "medium")
    assert case.pay().status == "processing"
    with pytest.raises(LimitExceeded) as refused:
        case.pay("10000.01")
    assert refused.value.details["ruleId"] == "VerifiedCounterparty1P:medium:per-transaction"
    assert case.pay("9980.00").status == "processing"
    used = {row.rule_id: row.used for row in case.service.limits(case.account_id).data}
    assert used["VerifiedCounterparty1P:medium:24h"] == "10000.00"
    assert used["VerifiedCounterparty1P:24h"] == "10000.00"
    case.world.advance(60)
    assert (verify(case.world.context.database), case.found()) == ((), [])
    case.world.advance(METHODS[VerificationMethod.TRANSFER].lifetime / SECOND)
    with pytest.raises(EvidenceExpired) as expired:
        case.pay("1.00")
    assert "small transfer" in expired.value.suggestion
    assert verify(case.world.context.database) == ()


@pytest.mark.parametrize(
    ("after_s", "changed", "finding"),
    [
        (60, {"amount": "0.01"}, "WRONG_AMOUNT"),
        (60, {"symbol": "USDC", "amount": "1.00"}, "WRONG_ASSET"),
        (60, {"from": OTHER}, "WRONG_SENDER"),
        (60, {"signedBy": [OTHER]}, "WRONG_SENDER"),
        (60, {"paidTo": [OWN, OTHER]}, "PAYS_OTHERS"),
        (60, {"paidTo": [OTHER]}, "PAYS_OTHERS"),
        (60, {"sentBefore": 100}, "EXACT"),
        (60, {"sentBefore": 101}, "SERVICE"),
        (60, {"service": "An exchange"}, "SERVICE"),
        (60, {"service": {}}, "SERVICE"),
        (7_200, {}, "EXACT"),
        (7_201, {}, "TOO_LATE"),
        (60, {"from": OTHER, "amount": "0.01"}, None),
        (60, {"to": OTHER}, None),
        (60, {"network": "base"}, None),
        (-1, {}, None),
        (60, {"hash": ""}, None),
        (60, {"signedBy": []}, None),
        (60, {"paidTo": OWN}, None),
        (60, {"sentBefore": "12"}, None),
        (60, {"sentBefore": -1}, None),
    ],
)
def test_what_is_wrong_with_a_transfer_is_named_and_nothing_is_verified(
    case: Case, after_s: float, changed: dict[str, Any], finding: str | None
) -> None:
    asked = case.ask()
    case.arrive(asked, after_s, **changed)
    done = case.seen(asked, 8_000)
    assert [each.finding for each in done.arrivals] == ([finding] if finding else [])
    assert done.status == ("verified" if finding == "EXACT" else "expired")
    assert (done.claim_id is None) == (finding != "EXACT")
    trail = [row for row in case.service.audit().data if row.action == "small_transfer.arrived"]
    assert [row.inputs["finding"] for row in trail] == [each.finding for each in done.arrivals]
    assert case.seen(asked).arrivals == done.arrivals
    assert verify(case.world.context.database) == ()


def test_a_wrong_transfer_leaves_time_for_the_right_one_and_each_is_recorded_once(
    case: Case,
) -> None:
    asked = case.ask()
    with pytest.raises(Conflict) as waiting:
        case.ask()
    assert waiting.value.details["id"] == asked.id
    for number in range(30):
        case.arrive(asked, 60 + number, amount=f"0.{number + 1:03}")
    assert len(case.seen(asked, 300).arrivals) == 20
    case.arrive(asked, 200)
    done = case.seen(asked, 600)
    assert (done.status, len(done.arrivals)) == ("verified", 21)
    assert verify(case.world.context.database) == ()


def test_one_from_before_a_verification_was_ended_verifies_nothing_and_doesnt_hinder_another(
    case: Case,
) -> None:
    """Also where it was sent before, and is seen after."""
    first = case.ask()
    case.arrive(first)
    case.link(case.seen(first).claim_id)
    before = case.ask()
    case.arrive(before, after_s=1)
    case.world.clock.advance(2 * SECOND)  # type: ignore[union-attr]  # nobody looks meanwhile
    request = ReverificationRequest(reason="SUSPICIOUS_ACTIVITY")
    case.service.require_reverification(case.custody.id, case.wallet.id, request)
    case.world.clock.advance(SECOND)  # type: ignore[union-attr]
    after = case.ask()
    late = case.seen(before)
    assert late.status == "verified"
    with pytest.raises(Conflict) as refused:
        case.link(late.claim_id)
    assert refused.value.details["reason"] == "VERIFICATION_ENDED"
    [wallet] = case.service.linked_counterparties(case.custody.id).data
    assert wallet.type == "counterparty"
    case.arrive(after)
    case.link(case.seen(after).claim_id)
    [wallet] = case.service.linked_counterparties(case.custody.id).data
    assert wallet.type == "VerifiedCounterparty1P"
    assert case.found() == []


def test_a_file_that_cant_be_read_puts_nothing_at_risk(case: Case) -> None:
    asked = case.ask()
    for content in ("", "{", "[]", '{"transfers": 1}', '{"transfers": [1, null, {"at": 5}]}'):
        case.file.write_text(content)
        assert case.seen(asked).status == "waiting"
    case.arrive(asked)
    case.world.advance(DAY / SECOND)
    assert case.service.small_transfer_by_id(asked.id).status == "verified"


def test_a_small_transfer_is_no_message_to_sign(case: Case) -> None:
    asked = case.ask()
    assert case.service.challenges(case.custody.id).data == ()
    with pytest.raises(NotFound):
        case.service.challenge_by_id(asked.id)
    signed = ClaimRequest(
        challenge_id=asked.id, completed_challenge="0x11", counterparty_id=case.wallet.id
    )
    with pytest.raises(NotFound):
        case.service.submit_claim(case.custody.id, signed)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE claim SET method = 'signature', level = 'high'",
        "UPDATE claim SET level = 'high'",
        "UPDATE small_transfer SET amount = '1'",
        "UPDATE small_transfer SET deadline = deadline + 3600000000",
        "UPDATE small_transfer_arrival SET finding = 'WRONG_SENDER'",
        'UPDATE claim_evidence SET body = replace(body, \'"sender":"0x7\', \'"sender":"0x3\')',
        "UPDATE claim_evidence SET body = replace(body, 'recipient\":\"0x7', 'recipient\":\"0x3')",
        'UPDATE claim_evidence SET body = replace(body, \'"signers":["0x7\', \'"signers":["0x3\')',
        "UPDATE claim_evidence SET body = replace(body, '\"sent\":12', '\"sent\":999')",
        'UPDATE claim_evidence SET body = replace(body, \'"service":""\', \'"service":"X"\')',
        "DELETE FROM claim_evidence",
        "DELETE FROM small_transfer_arrival",
    ],
)
def test_a_payout_on_altered_evidence_is_refused(case: Case, statement: str) -> None:
    asked = case.ask()
    case.arrive(asked)
    case.link(case.seen(asked).claim_id)
    with case.world.context.database.write() as connection:
        assert connection.execute(text(statement)).rowcount == 1
        connection.commit()
    with pytest.raises(ClaimUnverifiable):
        case.pay()
    assert len(verify(case.world.context.database)) > 0


def test_a_statement_waits_for_a_person_and_verifies_nothing(case: Case) -> None:
    def state(statement: str, reason: str = "EXCHANGE_ADDRESS") -> Any:
        request = StatementRequest(
            counterparty_id=case.wallet.id, reason=reason, statement=statement
        )
        return case.service.create_ownership_statement(case.custody.id, request).value

    made = state(" It is my deposit address at an exchange. ")
    assert (made.status, made.level) == ("reviewing", "low")
    assert case.service.ownership_statement_by_id(made.id) == made
    assert case.service.ownership_statements(case.custody.id).data == (made,)
    secret = "my private key: " + "11" * 32
    for wrong in ("", " ", secret, "x" * 2_001, "a\x00b"):
        with pytest.raises(ValidationFailed) as refused:
            state(wrong)
        assert "1111" not in str(refused.value.details)
    with pytest.raises(ValidationFailed):
        state("It is mine.", "BECAUSE")
    case.world.advance(DAY * 2 / SECOND)
    assert case.service.linked_counterparties(case.custody.id).data == ()
    assert case.pay().status == "reviewing"
    trail = str([row.inputs for row in case.service.audit().data])
    assert "deposit address" not in trail
    assert verify(case.world.context.database) == ()


def test_without_anybody_who_watches_nothing_is_promised(case: Case) -> None:
    unwatched = replace(case.world.context, arrivals=None)
    object.__setattr__(case.world.engine, "context", unwatched)
    with pytest.raises(ArrivalsUnwatched):
        case.ask()
