"""Contract wallets: accepted when the chain says so, asked again at a payout, never guessed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.ownership.nodes import Chain, Node, running
from tests.world.bank import World, build, sqlite_url

from chainteller.adapters.evm_rpc import EvmRpc
from chainteller.domain.clock import HOUR, ManualClock
from chainteller.domain.options import EngineOptions
from chainteller.engine.operations.claim_proofs import recheck
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ChainUnavailable, ClaimUnverifiable, InvalidSignature
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    RegisterCounterparty,
)
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    Transfer,
    WithdrawalRequest,
)
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.wallets import contracts

SAFE = "0x5aFE3855358E112B5647B952709E6165e1c1eEEe"
SIGNATURE = bytes(range(1, 65)) + b"\x1b" + bytes(range(2, 66)) + b"\x1c"
USDC = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")
DEADLINE_S = 2.0


class Case:
    """A customer with a Safe, at a bank whose chain has these nodes."""

    def __init__(self, folder: Path, *nodes: Node) -> None:
        urls = {"ethereum": tuple(node.url for node in nodes)}
        options = EngineOptions(rate_limits=False)
        rpc = EvmRpc(urls, DEADLINE_S) if nodes else None
        self.world: World = build(sqlite_url(folder), options=options, chain=rpc)
        self.service = self.world.engine
        account = self.service.open_trading_account(
            OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        ).value
        self.account_id = account.id
        request = OpenBlockchainAccount(trading_account_id=account.id, network="ethereum")
        self.custody: BlockchainAccount = self.service.open_blockchain_account(request).value
        self.wallet: Counterparty = self.register(SAFE)

    def register(self, address: str) -> Counterparty:
        request = RegisterCounterparty(address=address, network="ethereum")
        return self.service.register_counterparty(request).value

    def challenge(self) -> Challenge:
        request = ChallengeRequest(counterparty_id=self.wallet.id)
        return self.service.create_challenge(self.custody.id, request).value

    def request(self, challenge: Challenge, signature: bytes = SIGNATURE) -> ClaimRequest:
        return ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge="0x" + signature.hex(),
            counterparty_id=self.wallet.id,
        )

    def claim(self, chain: Chain) -> OwnershipClaim:
        """The owners sign, and the contract accepts it."""
        challenge = self.challenge()
        chain.accept(SAFE, challenge.challenge, SIGNATURE)
        diagnosed = self.service.diagnose_signature(
            self.custody.id, DiagnosisRequest.of(self.request(challenge))
        )
        assert (diagnosed.accepted, diagnosed.finding) == (True, "ACCEPTED")
        return self.service.submit_claim(self.custody.id, self.request(challenge)).value

    def link(self, claim: OwnershipClaim) -> None:
        request = LinkRequest(address=SAFE, network="ethereum", ownership_claim_id=claim.id)
        self.service.link_counterparty(self.custody.id, request)

    def pay(self) -> Transfer:
        self.service.deposit(self.account_id, DepositRequest(amount="50.00", currency=USDC))
        destination = Destination(
            type="counterparty",
            counterparty_id=self.wallet.id,
            blockchain_account_id=self.custody.id,
        )
        request = WithdrawalRequest(amount="20.00", currency=USDC, destination=destination)
        return self.service.withdraw(self.account_id, request).value

    def set_chain(self, rpc: EvmRpc | None) -> None:
        changed = replace(self.world.context, chain=rpc)
        object.__setattr__(self.world.engine, "context", changed)
        self.service = self.world.engine


@pytest.fixture
def chain() -> Chain:
    return Chain()


@pytest.fixture
def nodes(chain: Chain) -> Iterator[tuple[Node, Node]]:
    pair = (Node(chain), Node(chain, behind=2, host="localhost"))
    with running(*pair):
        yield pair


def test_a_contract_wallet_is_verified_and_paid_when_the_chain_confirms_it(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node]
) -> None:
    case = Case(tmp_path, *nodes)
    claim = case.claim(chain)
    assert (claim.method, claim.scheme) == ("contract", "erc1271")
    case.link(claim)
    chain.number += 10
    paid = case.pay()
    assert paid.status == "processing"
    for _ in "12":
        case.world.advance(60)
    assert case.service.withdrawals(case.account_id).data[0].status == "completed"
    [entry] = [
        row for row in case.service.audit().data if row.action == "ownership_claim.confirmed"
    ]
    assert (entry.object, entry.inputs["block"]) == (claim.id, chain.number - 2)
    names = [node.url.split("/")[2] for node in nodes]
    assert entry.inputs["providers"] == sorted(names)
    assert verify(case.world.context.database) == ()
    with case.world.context.database.read() as connection:
        [found] = list(recheck(connection))
    assert (found.found, "chain" in str(found.to_wire()["checked"])) == (None, True)


FINALIZED, SAFE_ONLY = {"finalized": 64, "safe": 32}, {"safe": 32}
LEVELS = [
    ("two hosts at finalized", ("127.0.0.1", "localhost"), (FINALIZED, FINALIZED), 0, "high"),
    ("one host that has safe alone", ("127.0.0.1", "localhost"), (FINALIZED, SAFE_ONLY), 0, "high"),
    ("one host that has neither", ("127.0.0.1", "localhost"), (FINALIZED, {}), 0, "medium"),
    ("two providers of one host", ("127.0.0.1", "127.0.0.1"), (FINALIZED, FINALIZED), 0, "medium"),
    ("one provider", ("127.0.0.1",), (FINALIZED,), 0, "medium"),
    ("accepted in the newest blocks", ("127.0.0.1", "localhost"), (SAFE_ONLY,) * 2, 98, "medium"),
]


@pytest.mark.parametrize(("name", "hosts", "tags", "young", "level"), LEVELS)
def test_a_chains_evidence_is_high_with_two_providers_and_a_settled_block(
    tmp_path: Path,
    chain: Chain,
    name: str,
    hosts: tuple[str, ...],
    tags: tuple[dict[str, int], ...],
    young: int,
    level: str,
) -> None:
    chain.young = young
    some = [Node(chain, host=host, tags=each) for host, each in zip(hosts, tags, strict=True)]
    with running(*some):
        case = Case(tmp_path, *some)
        claim = case.claim(chain)
        case.link(claim)
        assert case.pay().status == "processing"
    assert (claim.level, name) == (level, name)
    limits = case.service.limits(case.account_id).data
    assert any(each.evidence_level == "medium" for each in limits) == (level == "medium")
    assert verify(case.world.context.database) == ()
    with case.world.context.database.read() as connection:
        [found] = list(recheck(connection))
    assert (found.found, found.to_wire()["level"]) == (None, level)


@pytest.mark.parametrize(
    ("providers", "finality", "level"),
    [
        (("a.example.org", "b.example.net"), "finalized", "high"),
        (("a.example.org", "b.example.net"), "safe", "high"),
        (("a.example.org", "b.example.net"), "latest", "medium"),
        (("a.example.org", "b.example.org"), "finalized", "medium"),
        (("a.example.org", "a.example.org (2)"), "finalized", "medium"),
        (("a.example.org:8545", "A.EXAMPLE.ORG:8546"), "finalized", "medium"),
        (("10.0.0.1", "10.1.0.1"), "finalized", "high"),
        (("10.0.0.1:1", "10.0.0.1:2"), "finalized", "medium"),
        ((), "finalized", "medium"),
    ],
)
def test_providers_are_independent_where_their_hosts_have_different_owners(
    providers: tuple[str, ...], finality: str, level: str
) -> None:
    stored = {"answers": dict.fromkeys(providers, "0x"), "finality": finality}
    assert contracts.evidence_level(json.dumps(stored)) == level


def test_a_contract_wallet_whose_owner_was_removed_gets_nothing(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node]
) -> None:
    case = Case(tmp_path, *nodes)
    case.link(case.claim(chain))
    chain.accepted[SAFE.lower()].clear()
    with pytest.raises(ClaimUnverifiable) as refused:
        case.pay()
    assert refused.value.details["reason"] == "CONTRACT"
    assert f"block {chain.number - 2}" in refused.value.message
    assert case.service.withdrawals(case.account_id).data == ()
    assert "payout.refused" in {row.action for row in case.service.audit().data}


@pytest.mark.forms(1)
@pytest.mark.parametrize("how", ["no provider", "no answer"])
def test_a_payout_that_no_chain_confirms_is_refused_at_its_time(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node], how: str
) -> None:
    case = Case(tmp_path, *nodes)
    case.link(case.claim(chain))
    if how == "no provider":
        case.set_chain(None)
    else:
        nodes[0].fault = "refuses"
    waiting = case.pay()
    assert waiting.status == "reviewing"
    assert waiting.review is not None
    assert waiting.review.reason == "CHAIN_UNCONFIRMED"
    assert verify(case.world.context.database) == ()
    case.world.advance(7_199)
    [still] = case.service.withdrawals(case.account_id).data
    assert still.status == "reviewing"
    case.world.advance(1)
    [refused] = case.service.withdrawals(case.account_id).data
    assert refused.status == "rejected"
    assert refused.failure_reason is not None
    assert refused.failure_reason.code == "CHAIN_UNCONFIRMED"
    assert verify(case.world.context.database) == ()


def test_a_nested_reply_is_that_providers_failure(tmp_path: Path, nodes: tuple[Node, Node]) -> None:
    case = Case(tmp_path, *nodes)
    nodes[1].fault = "nested"
    with pytest.raises(ChainUnavailable) as refused:
        case.service.submit_claim(case.custody.id, case.request(case.challenge()))
    assert "nested too deeply" in refused.value.details["providers"][nodes[1].url.split("/")[2]]


@pytest.mark.forms(3)
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("hangs", "no answer within 2 s"),
        ("garbage", "no JSON"),
        ("redirects", "no JSON"),
        ("endless", "no end"),
        ("refuses", "refused eth_chainId: busy"),
        ("other chain", "serves chain 5, not 1"),
        ("other block", "another block than the others"),
        ("lies", "another answer than the others"),
        ("short answer", "another answer than the others"),
    ],
)
def test_a_provider_that_fails_or_disagrees_is_named_and_nothing_is_counted(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node], fault: str, said: str
) -> None:
    case = Case(tmp_path, *nodes)
    nodes[1].fault = fault
    challenge = case.challenge()
    chain.accept(SAFE, "another text", SIGNATURE)
    if fault == "short answer":
        chain.accept(SAFE, challenge.challenge, SIGNATURE)
    with pytest.raises(ChainUnavailable) as refused:
        case.service.submit_claim(case.custody.id, case.request(challenge))
    providers = refused.value.details["providers"]
    name = nodes[1].url.split("/")[2]
    assert said in providers[name]
    assert f"{name}: {providers[name]}" in refused.value.message
    assert "secret-key" not in str(refused.value.to_wire())
    assert case.service.challenge_by_id(challenge.id).attempts == 0


def test_a_wallet_is_registered_as_what_the_chain_has_at_its_address(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node]
) -> None:
    case = Case(tmp_path, *nodes)
    assert case.wallet.on_chain is not None
    assert (case.wallet.on_chain.code, case.wallet.on_chain.block) == ("none", chain.number - 2)
    chain.number += 50
    case.link(case.claim(chain))
    for fault in ("other block", "refuses", "garbage"):
        nodes[0].fault = fault
        assert case.register(SAFE).on_chain == case.wallet.on_chain
    nodes[0].fault = ""
    found = case.register(SAFE)
    assert found.id == case.wallet.id
    assert found.on_chain is not None
    assert (found.on_chain.code, found.on_chain.block) == ("contract", chain.number - 2)
    [linked] = case.service.linked_counterparties(case.custody.id).data
    assert linked.on_chain == case.service.counterparty(found.id).on_chain == found.on_chain
    seen = [row for row in case.service.audit().data if row.action == "counterparty.seen"]
    assert {row.inputs["block"] for row in seen} == {98, 148}
    assert all(len(row.inputs["providers"]) == 2 for row in seen)
    delegated, plain = "0x" + "17" * 20, "0x" + "18" * 20
    chain.codes[delegated] = "0xef0100" + "aa" * 20
    told = [case.register(each).on_chain for each in (delegated, plain)]
    assert [each.code for each in told if each] == ["delegated", "none"]
    assert verify(case.world.context.database) == ()
    case.set_chain(None)
    assert case.register("0x" + "19" * 20).on_chain is None


def test_a_signature_that_the_contract_refuses_is_refused_and_counted(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node]
) -> None:
    case = Case(tmp_path, *nodes)
    challenge = case.challenge()
    chain.accept(SAFE, challenge.challenge, SIGNATURE)
    for fault, signature in (("", SIGNATURE[:-1] + b"\x1b"), ("reverts", SIGNATURE)):
        nodes[0].fault = nodes[1].fault = fault
        with pytest.raises(InvalidSignature):
            case.service.submit_claim(case.custody.id, case.request(challenge, signature))
    assert case.service.challenge_by_id(challenge.id).attempts == 2


class SlowChain(Chain):
    """Time passes while it's asked about a signature."""

    clock: ManualClock
    takes = 2 * HOUR

    def call(self, wallet: str, data: str) -> str:
        self.clock.advance(self.takes)
        return super().call(wallet, data)


def test_a_challenge_that_expires_while_the_chain_is_asked_is_not_claimed(tmp_path: Path) -> None:
    chain = SlowChain()
    slow = (Node(chain), Node(chain))
    with running(*slow):
        case = Case(tmp_path, *slow)
        assert case.world.clock is not None
        chain.clock = case.world.clock
        challenge = case.challenge()
        chain.accept(SAFE, challenge.challenge, SIGNATURE)
        with pytest.raises(InvalidSignature) as refused:
            case.service.submit_claim(case.custody.id, case.request(challenge))
    assert refused.value.details["finding"] == "CHALLENGE_EXPIRED"


def test_an_address_without_code_is_no_contract_even_if_all_providers_accept(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node]
) -> None:
    case = Case(tmp_path, *nodes)
    nodes[0].fault = nodes[1].fault = "lies"
    with pytest.raises(InvalidSignature):
        case.service.submit_claim(case.custody.id, case.request(case.challenge()))


def test_a_signature_by_a_key_asks_no_chain_and_without_providers_nothing_changes(
    tmp_path: Path, chain: Chain
) -> None:
    case = Case(tmp_path)
    with pytest.raises(InvalidSignature):
        case.service.submit_claim(case.custody.id, case.request(case.challenge()))


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    "change", ["finality", "block", "answers", "call", "chainId", "all", "provider"]
)
def test_changed_evidence_is_noticed(
    tmp_path: Path, chain: Chain, nodes: tuple[Node, Node], change: str
) -> None:
    case = Case(tmp_path, *nodes)
    claim = case.claim(chain)
    database = case.world.context.database
    stored = Tables.claim_evidence
    with database.read() as connection:
        [before] = list(recheck(connection))
    assert before.found is None
    evidence = before.evidence.evidence_body
    changed = {
        "block": evidence.replace('"hash":"0x', '"hash":"0x00'),
        "answers": evidence.replace("0x1626ba7e", "0x1626ba7f"),
        "call": evidence.replace(SAFE, "0x" + "11" * 20),
        "chainId": evidence.replace('"chainId":1', '"chainId":10'),
        "all": "",
        "finality": evidence.replace('"finalized"', '"latest"'),
        "provider": evidence.replace('"localhost:', '"127.0.0.1:'),
    }[change]
    with database.write() as connection:
        connection.execute(update(stored).where(stored.c.claim_id == claim.id).values(body=changed))
        connection.commit()
    with database.read() as connection:
        [after] = list(recheck(connection))
    assert after.found is not None
    assert changed != evidence
    assert after.found.reason in {"EVIDENCE", "UNREADABLE", "METHOD"}


def test_wallets_are_recognised_by_the_form_of_their_signatures() -> None:
    word = (32).to_bytes(32, "big")
    wrapped = word + bytes(32) + (64).to_bytes(32, "big") + (65).to_bytes(32, "big") + bytes(96)
    description = b"Mail(string text)"
    typed = bytes(65) + bytes(64) + description + len(description).to_bytes(2, "big")
    labels = {
        contracts.recognised(data).label  # type: ignore[union-attr]  # each is recognised
        for data in (
            bytes(96) + bytes.fromhex("6492" * 16),
            wrapped + b'{"type":"webauthn.get"}',
            wrapped,
            typed,
            SIGNATURE,
            b"\0" + SIGNATURE[:65],
            b"\x09" + SIGNATURE[:64] + b"\1",
            b"\1" + bytes(20) + SIGNATURE[:65],
            bytes(20) + SIGNATURE[:65],
            b"\2" + bytes(99),
        )
    }
    assert len(labels) == 10
    assert contracts.recognised(SIGNATURE[:65]) is None
    assert contracts.recognised(b"") is None
