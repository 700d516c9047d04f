"""The signing page over HTTP: what it shows, what it takes, and what it leaves nowhere."""

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from sqlalchemy import text
from tests.api.conftest import Answer, Caller
from tests.contract.test_wallets import ADDRESS, OTHER_WALLET, signed
from tests.wallets.customers import EVM_KEYS
from tests.wallets.extended import JUNK, extended_public_key
from tests.world.bank import START, World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.domain.clock import ManualClock
from chainteller.domain.options import EngineOptions, Rate, Rates
from chainteller.engine.operations.signing_pages import MOST_SENT, receive
from chainteller.engine.verification.full_pass import verify
from chainteller.remote.client import RemoteService
from chainteller.service.models.counterparties import ChallengeRequest

URL = "https://sign.bank.example/teller"
TOKEN = base64.urlsafe_b64encode(bytes(range(16))).decode().rstrip("=")
XPUB = extended_public_key(JUNK, "m/44'/60'/0'")
WORDS_OF_A_WALLET = " ".join(["abandon"] * 11 + ["about"])


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    options = EngineOptions(rate_limits=False, public_url=URL)
    world = build(sqlite_url(tmp_path), options=options)
    yield world
    world.engine.close()


def ask(
    call: Caller,
    address: str = ADDRESS,
    network: str = "solana",
    account: str = "",
    **more: object,
) -> dict[str, Any]:
    """Register a wallet and create a challenge with a page; its ids and texts."""
    account = account or call.account()
    opened = {"tradingAccountId": account, "network": network}
    custody = call("POST", "/blockchain-accounts", opened).json["id"]
    wallet = call("POST", "/counterparties", {"address": address, "network": network}).json["id"]
    hashed = sha256(TOKEN.encode()).hexdigest()
    body = {"counterpartyId": wallet, "pageTokenHash": hashed, **more}
    path = f"/blockchain-accounts/{custody}/1P-counterparty-ownership-challenges"
    made = call("POST", path, body)
    assert made.status == 201, made.json["details"]
    return {**made.json, "claims": path.replace("challenges", "claims"), "wallet": wallet}


def page(call: Caller, token: str = TOKEN) -> Answer:
    return call("GET", f"/sign/{token}/message", key=None)


def message(call: Caller) -> Any:
    """The first message of the page."""
    return page(call).json["messages"][0]


def send(call: Caller, signature: str, token: str = TOKEN, about: str = "") -> Answer:
    """Send a signature for a message, by default the page's first one."""
    messages = [] if about else page(call, token).json.get("messages", [])
    body = {"signature": signature, "messageId": about or (messages or [{"id": "CHG_0"}])[0]["id"]}
    return call("POST", f"/sign/{token}/signatures", body, key=None)


def is_valid(answer: Answer) -> Any:
    """What the page is told of the signature that it sent."""
    about = answer.json["sent"]
    return next(each["valid"] for each in answer.json["messages"] if each["id"] == about)


def shown(call: Caller, challenge_id: str) -> Any:
    return call("GET", f"/1P-counterparty-ownership-challenges/{challenge_id}").json


def claim(call: Caller, asked: dict[str, Any], signature: str) -> Answer:
    body = {
        "challengeId": asked["id"],
        "completedChallenge": signature,
        "counterpartyId": asked["wallet"],
    }
    return call("POST", asked["claims"], body)


def test_a_signature_from_the_page_is_kept_for_the_agent_who_submits_it(
    call: Caller, world: World
) -> None:
    asked = ask(call)
    before = message(call)
    assert before["text"] == asked["challenge"]
    assert before["message"].startswith("sign.bank.example wants you to sign in with your Sol")
    wrong = send(call, signed(before["message"], OTHER_WALLET))
    assert (wrong.status, message(call)["received"], is_valid(wrong)) == (200, True, False)
    right = signed(before["message"])
    assert is_valid(send(call, right)) is True
    assert is_valid(send(call, "somebody else opened the link")) is False
    assert message(call)["valid"] is True
    kept = shown(call, asked["id"])
    assert (kept["pageSignature"], kept["attempts"], kept["status"]) == (right, 0, "open")
    made = claim(call, asked, kept["pageSignature"]).json
    proof = call("GET", f"/1P-counterparty-ownership-claims/{made['id']}").json
    assert proof["text"] == before["message"]
    assert message(call)["status"] == "used"
    assert message(call)["text"] is None
    assert send(call, right).json["details"]["reason"] == "PAGE_CLOSED"
    linked = {"address": ADDRESS, "network": "solana", "ownershipClaimId": made["id"]}
    path = asked["claims"].replace("1P-counterparty-ownership-claims", "counterparties")
    assert call("POST", path, linked).json["type"] == "VerifiedCounterparty1P"
    assert list(verify(world.context.database)) == []


class Sharing(ManualClock):
    """Lets somebody else act while a request, which has read its rows, reads the time."""

    meanwhile: Callable[[], object] | None = None

    def now(self) -> int:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            with ThreadPoolExecutor(1) as other:
                other.submit(act).result()
        return super().now()


def test_a_signature_that_proves_it_stays_where_another_was_sent_at_the_same_moment(
    tmp_path: Path,
) -> None:
    clock = Sharing(START)
    options = EngineOptions(rate_limits=False, public_url=URL)
    world = build(sqlite_url(tmp_path / "two"), clock=clock, options=options)
    with served(deployment(world)) as address:
        call = Caller(address, world.key())
        asked = ask(call)
        right = signed(asked["challenge"])
        clock.meanwhile = partial(receive, world.context, TOKEN, asked["id"], right)
        receive(world.context, TOKEN, asked["id"], "somebody else opened the link")
        assert clock.meanwhile is None
        assert shown(call, asked["id"])["pageSignature"] == right
        told = [each.type for each in world.engine.events().data]
        assert told.count("ownership_challenge.signed") == 1
    world.engine.close()


def test_either_text_proves_it(call: Caller) -> None:
    key = Account.from_key(EVM_KEYS[0])
    asked = ask(call, key.address, "ethereum")
    text = message(call)["message"]
    domain, address, *_ = text.split("\n")
    assert domain == "sign.bank.example wants you to sign in with your Ethereum account:"
    assert address == key.address
    assert f"URI: {URL}\nVersion: 1\nChain ID: 1\nNonce: {asked['id'][4:]}\n" in text
    for signed_text, passes in ((text, True), (asked["challenge"], True), (text + "\n", False)):
        signature = key.sign_message(encode_defunct(text=signed_text)).signature.to_0x_hex()
        assert is_valid(send(call, signature)) is passes
    assert claim(call, asked, shown(call, asked["id"])["pageSignature"]).status == 201


def test_a_family_without_sign_in_messages_signs_the_short_text(call: Caller) -> None:
    ask(call, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "bitcoin")
    found = message(call)
    assert found["message"] == found["text"]


@pytest.mark.parametrize(
    "token", ["A" * 22, TOKEN[:-1], f"{TOKEN}A", "page.html", "%2e%2e", "CHG_1"]
)
def test_a_guessed_token_is_unknown_and_costs_time(call: Caller, token: str) -> None:
    ask(call)
    for answer in (page(call, token), send(call, "x", token)):
        assert (answer.status, answer.code) == (404, "NOT_FOUND")
        assert token not in answer.body.decode()


def test_guessing_is_held_up_and_a_page_has_a_rate(world: World) -> None:
    # So slow that a busy machine earns no further try meanwhile.
    with served(deployment(world, rates=Rates(write=Rate(0.01, 10)))) as address:
        call = Caller(address, world.key())
        ask(call)
        about = message(call)["id"]
        statuses = [send(call, f"attempt {each}", about=about).status for each in range(16)]
        assert (statuses[:10], statuses[-1]) == ([200] * 10, 429)
        assert [page(call, "B" * 22).status for _ in range(4)] == [404] * 4


def test_an_expired_page_shows_no_text_and_takes_nothing(call: Caller, world: World) -> None:
    ask(call, validSeconds=60)
    text = message(call)["message"]
    world.advance(61)
    assert message(call)["status"] == "expired"
    assert message(call)["message"] is None
    answer = send(call, signed(text))
    assert (answer.status, answer.json["details"]["reason"]) == (409, "PAGE_CLOSED")


def test_a_text_that_was_signed_is_not_shown_again_as_if_it_was_not(
    call: Caller, world: World
) -> None:
    """The row is as the newest entry about it says; one about the claim wrote it after that."""
    asked = ask(call)
    columns = "status, used_at, claim_id, salt"
    before = f"SELECT {columns} FROM challenge"  # noqa: S608 - our own names
    with world.engine.context.database.write() as connection:
        (row,) = connection.execute(text(before)).all()
    assert claim(call, asked, signed(message(call)["message"])).status == 201
    setting = ", ".join(f"{name} = :{name}" for name in columns.split(", "))
    with world.engine.context.database.write() as connection:
        connection.execute(text(f"UPDATE challenge SET {setting}"), row._asdict())  # noqa: S608
        connection.commit()
    refused = page(call)
    assert (refused.status, refused.json["details"]["reason"]) == (409, "PAGE_CLOSED")


@pytest.mark.parametrize(
    "altered",
    [
        "UPDATE challenge SET text = 'Log in to the exchange'",
        "UPDATE challenge SET page_text = 'Log in to the exchange'",
        "UPDATE counterparty SET address = 'other'",
        "UPDATE challenge SET expires = expires + 60000000",
    ],
    ids=["text", "text of the page", "wallet", "end"],
)
def test_a_text_that_was_altered_in_the_database_is_shown_to_nobody(
    call: Caller, world: World, altered: str
) -> None:
    ask(call)
    assert page(call).status == 200
    with world.engine.context.database.write() as connection:
        connection.execute(text(altered))
        connection.commit()
    for _ in range(2):
        refused = page(call)
        assert (refused.status, refused.json["details"]["reason"]) == (409, "PAGE_CLOSED")
        assert b"exchange" not in refused.body
    (dispute,) = world.engine.disputes().data
    table = altered.split()[1]
    assert dispute.where.startswith(f"{table} ")


def test_a_page_goes_on_after_a_wrong_signature_was_submitted(call: Caller, world: World) -> None:
    asked = ask(call)
    refused = claim(call, asked, signed("another text"))
    assert refused.code == "INVALID_SIGNATURE"
    assert page(call).status == 200
    assert world.engine.disputes().data == ()


def test_a_page_takes_so_many_signatures_and_no_more(call: Caller) -> None:
    ask(call)
    answers = [send(call, f"attempt {each}") for each in range(MOST_SENT + 1)]
    assert [each.status for each in answers] == [200] * MOST_SENT + [409]
    assert answers[-1].json["details"]["reason"] == "TOO_MANY_SIGNATURES"


def test_what_is_no_signature_is_refused_and_kept_nowhere(
    call: Caller, world: World, log_file: Path, tmp_path: Path
) -> None:
    asked = ask(call)
    secret = send(call, WORDS_OF_A_WALLET)
    assert secret.json["details"]["errors"][0]["code"] == "SECRET_PASTED"
    for pasted in (XPUB, f"My key: {XPUB}", f"{XPUB}\n{XPUB}", f"{XPUB[:9]}\u200b{XPUB[9:]}"):
        extended = send(call, pasted)
        assert extended.json["details"]["errors"][0]["code"] == "EXTENDED_KEY", pasted
    huge = send(call, "A" * 1_000_000)
    assert (huge.status, huge.code) == (413, "PAYLOAD_TOO_LARGE")
    document: object
    other = {"signature": "x", "messageId": asked["id"], "challengeId": asked["id"]}
    for document in ({"signature": "x"}, {"signature": 1, "messageId": asked["id"]}, other, [], {}):
        assert call("POST", f"/sign/{TOKEN}/signatures", document, key=None).status in {400, 422}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    sent = call("POST", f"/sign/{TOKEN}/signatures", body=b"signature=x", headers=form, key=None)
    assert sent.status == 415
    assert shown(call, asked["id"])["pageSignature"] is None
    assert send(call, "not a signature").status == 200
    world.engine.context.database.close()
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert log_file in files
    for file in files:
        content = file.read_bytes()
        assert TOKEN.encode() not in content, file
        assert WORDS_OF_A_WALLET.encode() not in content, file
        assert XPUB[20:60].encode() not in content, file


def test_the_page_is_the_same_for_every_token_and_loads_nothing_from_elsewhere(
    call: Caller,
) -> None:
    files = {
        name: call("GET", f"/sign/{name}", key=None) for name in ("A" * 22, "page.css", "page.js")
    }
    for answer in files.values():
        assert answer.status == 200
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
        assert b"://" not in answer.body
    assert files["page.js"].headers["content-type"].startswith("text/javascript")


def test_without_a_public_address_there_are_no_pages(tmp_path: Path) -> None:
    world = build(sqlite_url(tmp_path / "other"), options=EngineOptions(rate_limits=False))
    with served(deployment(world)) as address:
        call = Caller(address, world.key())
        assert call("GET", f"/sign/{TOKEN}", key=None).status == 404
        assert call("GET", "/capabilities").json["signingPages"] is None
        with pytest.raises(AssertionError, match="no signing pages"):
            ask(call)
    world.engine.close()


def test_another_challenge_keeps_its_own_page(call: Caller) -> None:
    asked = ask(call)
    assert call("GET", "/capabilities").json["signingPages"] == f"{URL}/sign/"
    remote = RemoteService(call.address, str(call.key))
    again = ChallengeRequest(
        counterparty_id=asked["wallet"], page_token_hash=sha256(b"2").hexdigest()
    )
    made = remote.create_challenge(asked["blockchainAccountId"], again).value
    remote.close()
    assert made.challenge != asked["challenge"]
    assert made.page_text is not None
    path = asked["claims"].replace("claims", "challenges")
    assert message(call)["text"] == asked["challenge"]
    hashed = sha256(TOKEN.encode()).hexdigest()
    used = call("POST", path, {"counterpartyId": asked["wallet"], "pageTokenHash": hashed})
    assert (used.status, used.code) == (400, "VALIDATION_ERROR")


def test_wallets_of_one_customer_share_a_page_and_a_signature_finds_its_message(
    call: Caller, world: World
) -> None:
    account = call.account()
    keys = [Account.from_key(each) for each in EVM_KEYS[:3]]
    asked = [ask(call, key.address, "ethereum", account) for key in keys]
    with pytest.raises(AssertionError, match="Its page has a message of this wallet already"):
        ask(call, keys[0].address, "ethereum", account)
    with pytest.raises(AssertionError, match="Its page is in use"):
        ask(call, account=call.account(2))  # another customer's wallet
    assert {each["address"] for each in page(call).json["messages"]} == {e.address for e in keys}
    ids = [each["id"] for each in asked]
    signatures = [
        key.sign_message(encode_defunct(text=each["challenge"])).signature.to_0x_hex()
        for key, each in zip(keys, asked, strict=True)
    ]
    sent = send(call, signatures[1], about=ids[0])
    assert (sent.json["sent"], is_valid(sent)) == (ids[1], True)
    assert shown(call, ids[0])["pageSignature"] is None
    assert is_valid(send(call, "no signature", about=ids[0])) is False
    assert is_valid(send(call, signatures[0], about=ids[0])) is True
    assert send(call, "x", about=ask_alone(call)).status == 404
    world.advance(3_601)  # the third one expires half-way
    left = send(call, signatures[2], about=ids[2])
    assert (left.status, left.json["details"]["reason"]) == (409, "PAGE_CLOSED")
    assert [each["status"] for each in page(call).json["messages"]] == ["expired"] * 3
    with pytest.raises(AssertionError, match="Its page is in use"):
        ask(call, "0x" + "11" * 20, "ethereum", account)


def ask_alone(call: Caller) -> str:
    """The id of a challenge without a page."""
    wallet = {"address": ADDRESS, "network": "solana"}
    opened = {"tradingAccountId": call.account(3), "network": "solana"}
    custody = call("POST", "/blockchain-accounts", opened).json["id"]
    body = {"counterpartyId": call("POST", "/counterparties", wallet).json["id"]}
    path = f"/blockchain-accounts/{custody}/1P-counterparty-ownership-challenges"
    return str(call("POST", path, body).json["id"])
