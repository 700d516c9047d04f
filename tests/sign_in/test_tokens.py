"""Access tokens at the service: which are accepted, for how long, and as whom people then act."""

import base64
import hmac
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jwt", reason="the extra sign-in isn't installed")

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.agents.desks import ROLES, Bank, served_bank
from tests.agents.test_agents import ONE, OPEN, reason
from tests.refusals import refusal
from tests.sign_in.small_issuer import AUDIENCE, SmallIssuer, forged, small_issuer

from chainteller.adapters.issuer_http import AGAIN_S, FRESH_S, KEPT_S, HttpIssuer
from chainteller.domain.policy import Policy
from chainteller.engine.operations.keys import REMEMBERED_S
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ServiceError
from chainteller.service.models.agents import ApproveAgent
from chainteller.service.models.pages import ListQuery

GROUPS = (("crypto-leads", "supervisor"), ("crypto-desk", "agent"))
POLICY = Policy(roles=ROLES, sign_in=GROUPS)


@dataclass
class SignInBank:
    """A bank whose people sign in; ``elapsed_s`` is the time that its keys go by."""

    bank: Bank
    issuer: SmallIssuer
    elapsed: dict[str, float] = field(default_factory=dict)

    def outcome(self, token: str) -> str:
        """Why the service refuses a token; empty where it doesn't."""
        client = self.bank.remote(token)
        try:
            client.trading_accounts()
        except ServiceError as error:
            return reason(error)
        finally:
            client.close()
        return ""

    def wait(self, seconds: float) -> None:
        """Let time pass for bank and issuer, and for what the bank remembers of the issuer."""
        self.bank.world.advance(seconds)
        self.elapsed["s"] += seconds

    def agents(self) -> list[tuple[str, str, tuple[str, ...]]]:
        listed = self.bank.world.engine.agents().data
        return [(each.name, each.status, each.roles) for each in listed]


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[SignInBank]:
    elapsed = {"s": 0.0}
    with small_issuer() as issuer:
        own = HttpIssuer(issuer.address, AUDIENCE, elapsed=lambda: elapsed["s"])
        with served_bank(tmp_path, POLICY, issuer=own) as served:
            issuer.clock = served.clock
            yield SignInBank(served, issuer, elapsed)
            assert verify(served.world.context.database) == ()


def test_whoever_signs_in_is_an_agent_of_that_name(bank: SignInBank) -> None:
    engine = bank.bank.world.engine
    account = engine.open_trading_account(OPEN).value.id
    person = bank.bank.remote(bank.issuer.token(groups=["crypto-desk", "canteen"]))
    person.deposit(account, ONE)
    (agent,) = engine.agents().data
    assert (agent.name, agent.status, agent.roles) == ("a.brandt", "approved", ("agent",))
    assert agent.approved_by == "127.0.0.1"
    newest = engine.audit(ListQuery(trading_account_id=account)).data[0]
    assert (newest.actor, newest.agent, newest.action) == ("a.brandt", agent.id, "deposit")
    assert person.capabilities().actor == "a.brandt"
    assert refusal(person.approve_agent, agent.id, ApproveAgent()).code == "FORBIDDEN"
    assert bank.issuer.asked == 1


def _hmac(issuer: SmallIssuer) -> str:
    """Signed with the public key, as if it were a shared secret."""
    public = issuer.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    unsigned = forged({"alg": "HS256", "typ": "at+jwt", "kid": issuer.key_id}, issuer.claims())
    signature = hmac.digest(public, unsigned[:-1].encode(), "sha256")
    return unsigned + base64.urlsafe_b64encode(signature).decode().rstrip("=")


def _tampered(issuer: SmallIssuer) -> str:
    header, _, signature = issuer.token().split(".")
    return ".".join((header, issuer.token(groups=["crypto-leads"]).split(".")[1], signature))


REFUSED: dict[str, Callable[[SmallIssuer], str]] = {
    "TOKEN_INVALID unsigned": lambda at: forged({"alg": "none", "typ": "at+jwt"}, at.claims()),
    "TOKEN_INVALID shared secret": _hmac,
    "TOKEN_INVALID tampered": _tampered,
    "TOKEN_INVALID cut": lambda at: at.token()[:-4],
    "TOKEN_INVALID id token": lambda at: at.signed(at.claims(), typ="JWT"),
    "TOKEN_INVALID another key": lambda at: at.signed(at.claims(), kid="key-9"),
    "TOKEN_INVALID critical": lambda at: at.signed(at.claims(), crit=["b64"], b64=True),
    "TOKEN_INVALID endless": lambda at: at.token(exp="never"),
    "TOKEN_INVALID no subject": lambda at: at.token(sub=None),
    "TOKEN_INVALID no json": lambda _: "a.b.c",
    "TOKEN_ISSUER": lambda at: at.token(iss="https://login.example"),
    "TOKEN_AUDIENCE": lambda at: at.token(aud="https://mail.bank.example"),
    "TOKEN_TIME": lambda at: at.token(age_s=-11),
    "TOKEN_TIME before it begins": lambda at: at.token(nbf=at.claims()["iat"] + 11),
    "TOKEN_EXPIRED too old": lambda at: at.token(age_s=41),
    "TOKEN_EXPIRED at its end": lambda at: at.token(age_s=20, exp=at.claims()["iat"] - 11),
    "AGENT_WITHOUT_ROLE": lambda at: at.token(groups=["canteen", 7, None]),
    "AGENT_WITHOUT_ROLE one text": lambda at: at.token(groups="canteen"),
    "AGENT_UNNAMED": lambda at: at.token(preferred_username=None),
    "AGENT_UNNAMED address": lambda at: at.token(preferred_username="a.brandt@bank.example"),
}  # fmt: skip


def test_tokens_that_arent_accepted(bank: SignInBank) -> None:
    for expected, made in REFUSED.items():
        assert bank.outcome(made(bank.issuer)) == expected.split()[0], expected
    assert bank.agents() == []


def test_clocks_may_differ_by_ten_seconds(bank: SignInBank) -> None:
    assert bank.outcome(bank.issuer.token(age_s=-10)) == ""
    ended = bank.issuer.claims(age_s=30) | {"exp": bank.issuer.claims()["iat"] - 10}
    assert bank.outcome(bank.issuer.signed(ended)) == ""


def test_a_token_is_accepted_for_less_than_a_minute(bank: SignInBank) -> None:
    token = bank.issuer.token()
    assert bank.outcome(token) == ""
    bank.wait(40)
    assert bank.outcome(token) == ""
    bank.wait(1)
    assert bank.outcome(token) == "TOKEN_EXPIRED"


def test_keys_rotate(bank: SignInBank) -> None:
    old = bank.issuer.token()
    assert bank.outcome(old) == ""
    bank.wait(AGAIN_S)
    bank.issuer.rotate(keeps_old=True)
    assert bank.outcome(bank.issuer.token()) == ""
    assert bank.outcome(old) == ""
    bank.issuer.rotate()
    bank.wait(FRESH_S)
    withdrawn = bank.issuer.signed(bank.issuer.claims("s.iyer"), kid="key-1")
    assert bank.outcome(withdrawn) == "TOKEN_INVALID"
    assert bank.outcome(bank.issuer.token()) == ""


def test_strangers_keys_cost_the_issuer_one_question_in_ten_seconds(bank: SignInBank) -> None:
    assert bank.outcome(bank.issuer.token()) == ""
    bank.wait(AGAIN_S)
    for number in range(5):
        token = bank.issuer.signed(bank.issuer.claims(), kid=f"stranger-{number}")
        assert bank.outcome(token) == "TOKEN_INVALID"
    assert bank.issuer.asked == 2


def test_an_issuer_that_is_gone_stops_nobody_whose_key_is_known(bank: SignInBank) -> None:
    bank.issuer.is_gone = True
    assert bank.outcome(bank.issuer.token()) == "ISSUER_UNREACHABLE"
    bank.issuer.is_gone = False
    bank.wait(AGAIN_S)
    assert bank.outcome(bank.issuer.token()) == ""
    bank.issuer.is_gone = True
    bank.wait(KEPT_S - 1)
    assert bank.outcome(bank.issuer.token()) == ""
    bank.wait(2)
    assert bank.outcome(bank.issuer.token()) == "ISSUER_UNREACHABLE"


def test_the_newest_token_says_which_roles_hold(bank: SignInBank) -> None:
    before = bank.issuer.token(groups=["crypto-leads"])
    assert bank.outcome(before) == ""
    bank.wait(1)
    after = bank.issuer.token(groups=["crypto-desk"])
    assert bank.outcome(after) == ""
    assert bank.outcome(before) == "TOKEN_EXPIRED"
    assert bank.agents() == [("a.brandt", "approved", ("agent",))]
    bank.wait(1)
    assert bank.outcome(bank.issuer.token(groups=[])) == "AGENT_WITHOUT_ROLE"
    assert bank.outcome(after) == "TOKEN_EXPIRED"
    acts = [row.inputs for row in bank.bank.world.engine.audit(ListQuery(limit=3)).data]
    assert acts == [{"roles": []}, {"roles": ["agent"]}, {"roles": ["supervisor"]}]


def test_a_name_stays_with_whom_it_was_given(bank: SignInBank) -> None:
    assert bank.outcome(bank.issuer.token()) == ""
    assert bank.outcome(bank.issuer.token(sub="somebody else")) == "AGENT_NAME_TAKEN"
    renamed = bank.bank.remote(bank.issuer.token(preferred_username="a.meyer"))
    assert renamed.capabilities().actor == "a.brandt"


def test_a_sign_in_and_a_machine_of_one_name_are_one_person(bank: SignInBank) -> None:
    machine = bank.bank.enrol("a.brandt")
    lead = bank.bank.remote(bank.issuer.token(groups=["crypto-leads"]))
    asked = ApproveAgent(roles=("supervisor",))
    assert reason(refusal(lead.approve_agent, machine.id, asked)) == "SAME_PERSON"
    other = bank.bank.remote(bank.issuer.token("s.iyer", groups=["crypto-leads"]))
    assert other.approve_agent(machine.id, asked).value.status == "approved"


def test_revoked_is_out_and_may_come_back(bank: SignInBank) -> None:
    engine, token = bank.bank.world.engine, bank.issuer.token()
    assert bank.outcome(token) == ""
    (agent,) = engine.agents().data
    engine.revoke_agent(agent.id)
    ends = time.monotonic() + 10 * REMEMBERED_S
    while bank.outcome(token) == "" and time.monotonic() < ends:
        pass
    bank.wait(1)
    again = bank.issuer.token(groups=["crypto-leads"])
    assert (bank.outcome(token), bank.outcome(again)) == ("AGENT_REVOKED", "AGENT_REVOKED")
    engine.approve_agent(agent.id, ApproveAgent(roles=("agent",)))
    bank.wait(1)
    assert bank.outcome(bank.issuer.token()) == ""


@pytest.mark.parametrize(
    ("claim", "claims"),
    [
        ("https://bank.example/roles", {"https://bank.example/roles": ["crypto-desk"]}),
        ("realm_access.roles", {"realm_access": {"roles": ["crypto-desk"]}}),
        ("groups", {"groups": "crypto-desk"}),
        ("groups.none", {"groups": ["crypto-desk"]}),
    ],
)
def test_where_groups_stand(claim: str, claims: dict[str, Any]) -> None:
    with small_issuer() as issuer:
        read = HttpIssuer(issuer.address, AUDIENCE, groups_claim=claim)
        found = read.signed_in(issuer.token(**{"groups": []} | claims)).groups
    assert found == (() if claim == "groups.none" else ("crypto-desk",))
