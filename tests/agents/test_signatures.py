"""Signatures of requests: RFC 9421 with Ed25519, over everything that a request does."""

from base64 import b64decode

import pytest
from nacl.signing import SigningKey, VerifyKey

from chainteller.domain.agents import agent_id
from chainteller.domain.clock import ManualClock, parse_instant
from chainteller.domain.signed_requests import Target, content_digest, read_signature
from chainteller.remote.signing import AgentSigner

SEED = bytes(range(32))
AGENT = agent_id("default", SigningKey(SEED).verify_key.encode())
NOW = parse_instant("2026-11-20T12:00:00Z")
BODY = b'{"amount":"1.00"}'
TARGET = Target("POST", "/trading-accounts/TDA_1/deposits", "a=%20b")
HEADERS = {"idempotency-key": "k-1", "chainteller-case": "INC-1", "accept": "application/json"}


def signed(body: bytes | None = BODY) -> dict[str, str]:
    return HEADERS | dict(AgentSigner(AGENT, SEED, ManualClock(NOW))(TARGET, HEADERS, body))


def test_what_is_signed_is_as_the_standard_says() -> None:
    """Section 2.5 of RFC 9421, and section 3.3.6 for Ed25519; the digest is that of RFC 9530."""
    headers = signed()
    base = f"""\
"@method": POST
"@path": /trading-accounts/TDA_1/deposits
"@query": ?a=%20b
"content-digest": sha-256=:7NS+sH1InNyZm6fEDl2G0uQz48UkirCM82ioXJP7gEA=:
"idempotency-key": k-1
"chainteller-case": INC-1
"@signature-params": ("@method" "@path" "@query" "content-digest" "idempotency-key" \
"chainteller-case");created=1795176000;keyid="{AGENT}\""""
    parameters = base.rpartition('"@signature-params": ')[2]
    assert headers["signature-input"] == f"agent={parameters}"
    label, _, value = headers["signature"].partition("=")
    assert label == "agent"
    VerifyKey(SigningKey(SEED).verify_key.encode()).verify(
        base.encode(), b64decode(value.strip(":"))
    )


def test_a_request_is_read_as_it_was_signed() -> None:
    found = read_signature(TARGET, signed())
    assert (found.agent_id, found.created) == (AGENT, NOW)
    SigningKey(SEED).verify_key.verify(found.base, found.signature)


@pytest.mark.parametrize(
    "target",
    [TARGET._replace(method="PUT"), TARGET._replace(path="/other"), TARGET._replace(query="")],
)
def test_another_target_has_another_base(target: Target) -> None:
    assert read_signature(target, signed()).base != read_signature(TARGET, signed()).base


@pytest.mark.parametrize("name", ["content-digest", "idempotency-key", "chainteller-case"])
def test_no_field_is_changed_added_or_left_out(name: str) -> None:
    headers, plain = signed(), signed(None)
    changed = read_signature(TARGET, headers | {name: "x"})
    assert changed.base != read_signature(TARGET, headers).base
    with pytest.raises(ValueError, match="other components"):
        read_signature(TARGET, {key: value for key, value in headers.items() if key != name})
    if name not in plain:
        with pytest.raises(ValueError, match="other components"):
            read_signature(TARGET, plain | {name: content_digest(b"x")})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("signature", ""),
        ("signature", "agent=:AAAA:"),
        ("signature", "other=:" + "A" * 86 + "==:"),
        ("signature-input", "agent=();created=1"),
        ("signature-input", f'agent=("@method");created=1;keyid="{AGENT}";alg="none"'),
        ("signature-input", f'agent=("@method");created=-1;keyid="{AGENT}"'),
        ("signature-input", 'agent=("@method");created=1;keyid="AGT_1"'),
    ],
)
def test_another_form_is_no_signature(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"signature|signed"):
        read_signature(TARGET, signed() | {name: value})


def test_an_id_names_one_key_of_one_organisation() -> None:
    key = SigningKey(SEED).verify_key.encode()
    others = {
        agent_id("default", bytes(32)),
        agent_id("other", key),
        agent_id("defaul", b"t" + key),
    }
    assert len(others | {AGENT}) == 4
