"""Whatever a server does, the client says one of a few named things, and in time."""

import contextlib
import itertools
import re
import resource
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.remote.faulty_server import FAULTS, GOOD_MARKETS, Fault, misbehaving, reply, says
from tests.world.waiting import PATIENCE_S

from chainteller.remote.client import RemoteService
from chainteller.remote.transport import DEADLINE_S
from chainteller.service.error_codes import UnknownRefusal, step_at_desk
from chainteller.service.errors import (
    ClientError,
    MarketUnavailable,
    OutcomeUnknown,
    ReplyUnusable,
    ServiceUnreachable,
    TellerError,
)
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest

SHORT_S = 1.0
DEPOSIT = DepositRequest(amount="1.00", currency=Currency(type="deposit-token-currency"))
NEVER_END = {
    "accepts and hangs",
    "drips a body",
    "drips headers",
    "endless 1xx",
    "stops in the middle",
}
NO_ANSWER = {
    "accepts and hangs",
    "closes at once",
    "resets",
    "drips headers",
    "endless 1xx",
    "HTTP/0.9",
}
REFUSED = {  # a refusal in strange words is still a refusal: nothing happened
    "login page",
    "html 404",
    "an error without a code",
    "an error whose details are text",
}
MAXIMUM_GROWTH_MIB = 32


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chainteller.remote.sending._PAUSES_MS", (20, 20))


def client(address: str, name: str = "") -> RemoteService:
    """A fault that never ends is cut off soon; all others end sooner on any machine."""
    deadline_s = SHORT_S if name in NEVER_END else PATIENCE_S
    return RemoteService(address, "key", deadline_s=deadline_s)


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """At no moment within the block does this process hold much more than before it."""
    before = _peak_mib(anew=True)
    yield
    assert _peak_mib(anew=False) - before < MAXIMUM_GROWTH_MIB


def _peak_mib(*, anew: bool) -> float:
    """The most that was resident, on Linux since the last time that it was begun anew."""
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    told = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", told)
    assert found is not None
    return int(found[1]) / 1024


def test_there_are_enough_faults() -> None:
    assert len(FAULTS) >= 25


@pytest.mark.forms(24)
@pytest.mark.parametrize("name", FAULTS)
def test_a_read_ends_in_a_named_error_within_the_deadline(name: str) -> None:
    with misbehaving(FAULTS[name]) as address:
        service = client(address, name)
        service.capabilities()
        started = time.monotonic()
        with bounded_memory(), pytest.raises(ClientError) as fault:
            service.markets()
        took_s = time.monotonic() - started
        assert took_s < (DEADLINE_S if name in NEVER_END else PATIENCE_S), "its own deadline"
        service.close()
    expected = ServiceUnreachable if name in NO_ANSWER else ReplyUnusable
    assert type(fault.value) is expected
    assert not re.search(r"\w(Error|Timeout)\b", fault.value.message), "a class is no word"
    assert fault.value.suggestion


@pytest.mark.forms(24)
@pytest.mark.parametrize("name", FAULTS)
def test_a_write_without_a_clear_answer_is_unknown_and_keeps_its_key(name: str) -> None:
    with misbehaving(FAULTS[name]) as address:
        service = client(address, name)
        service.capabilities()
        started = time.monotonic()
        with bounded_memory(), pytest.raises(ClientError) as fault:
            service.execute_quote(
                "QTE_1", ExecuteRequest(trading_account_id="TDA_1"), idempotency_key="mine"
            )
        took_s = time.monotonic() - started
        assert took_s < (DEADLINE_S if name in NEVER_END else PATIENCE_S), "its own deadline"
        service.close()
    if name in REFUSED:
        assert isinstance(fault.value, ReplyUnusable)
    else:
        assert isinstance(fault.value, OutcomeUnknown)
        assert fault.value.idempotency_key == "mine"


@pytest.mark.parametrize("code", ["INTERNAL_ERROR", "CODE_OF_A_NEWER_RELEASE"])
def test_a_write_answered_with_status_500_may_have_been_done(code: str) -> None:
    said = f'{{"error": "{code}", "message": "Sorry.", "details": {{}}}}'.encode()
    with misbehaving(says(reply(said, "500 Internal Server Error"))) as address:
        service = client(address)
        with pytest.raises(OutcomeUnknown, match=code) as fault:
            service.cancel_trade("TDA_1", "TXN_1", idempotency_key="mine")
        service.close()
    assert fault.value.idempotency_key == "mine"


@pytest.mark.parametrize("code", ["INSUFFICIENT_FUNDS", "NOT_FOUND", "CODE_OF_A_NEWER_RELEASE"])
def test_an_error_with_a_status_of_success_refuses_nothing(code: str) -> None:
    said = f'{{"error": "{code}", "message": "No.", "details": {{}}}}'.encode()
    with misbehaving(says(reply(said))) as address:
        service = client(address)
        with pytest.raises(OutcomeUnknown, match=f"HTTP status 200 with the error {code}"):
            service.cancel_trade("TDA_1", "TXN_1", idempotency_key="mine")
        with pytest.raises(OutcomeUnknown, match=f"HTTP status 200 with the error {code}"):
            service.deposit("TDA_1", DEPOSIT, idempotency_key="mine")
        with pytest.raises(ReplyUnusable, match=f"HTTP status 200 with the error {code}"):
            service.trade("TDA_1", "TXN_1")
        service.close()


@pytest.mark.parametrize(
    ("status", "code", "is_open_without_keys", "is_open_with_keys"),
    [
        ("503 Service Unavailable", "SERVICE_UNAVAILABLE", True, False),
        ("504 Gateway Timeout", "SERVICE_UNAVAILABLE", True, True),
        ("502 Bad Gateway", "NOT_FOUND", True, True),
        ("503 Service Unavailable", "MARKET_UNAVAILABLE", False, False),
        ("500 Internal Server Error", "INSUFFICIENT_FUNDS", False, False),
        ("429 Too Many Requests", "RATE_LIMITED", False, False),
    ],
)
def test_a_status_of_the_server_s_own_is_a_refusal_only_where_a_contract_says_so(
    status: str, code: str, is_open_without_keys: bool, is_open_with_keys: bool
) -> None:
    said = f'{{"error": "{code}", "message": "No.", "details": {{}}}}'.encode()
    for offers, is_open in ((False, is_open_without_keys), (True, is_open_with_keys)):
        with misbehaving(
            says(reply(said, status, "Retry-After: 60\r\n")), offers=offers
        ) as address:
            service = client(address)
            with pytest.raises(TellerError, match="No") as refused:
                service.deposit("TDA_1", DEPOSIT, idempotency_key="mine")
            service.close()
        assert isinstance(refused.value, OutcomeUnknown) is is_open


@pytest.mark.parametrize("first", ["closes at once", "gateway error"])
@pytest.mark.parametrize(
    ("status", "code", "is_open"),
    [
        ("503 Service Unavailable", "SERVICE_UNAVAILABLE", True),
        ("429 Too Many Requests", "RATE_LIMITED", True),
        ("409 Conflict", "IDEMPOTENCY_IN_PROGRESS", True),
        ("409 Conflict", "QUOTE_ALREADY_USED", True),
        ("422 Unprocessable Content", "INSUFFICIENT_FUNDS", False),
    ],
)
def test_a_refused_repetition_leaves_a_write_open_unless_it_judges_the_write(
    first: str, status: str, code: str, is_open: bool
) -> None:
    said = f'{{"error": "{code}", "message": "No.", "details": {{}}}}'.encode()
    answers = itertools.chain([FAULTS[first]], itertools.repeat(says(reply(said, status))))

    def fault(connection: socket.socket, ended: threading.Event) -> None:
        next(answers)(connection, ended)

    with misbehaving(fault) as address:
        service = client(address)
        service.capabilities()
        with pytest.raises(TellerError, match="No") as refused:
            service.cancel_trade("TDA_1", "TXN_1", idempotency_key="mine")
        service.close()
    assert isinstance(refused.value, OutcomeUnknown) is is_open


def test_a_key_that_is_being_answered_leaves_the_write_open() -> None:
    said = b'{"error": "IDEMPOTENCY_IN_PROGRESS", "message": "Later.", "details": {}}'
    with misbehaving(says(reply(said, "409 Conflict"))) as address:
        service = client(address)
        with pytest.raises(OutcomeUnknown, match="IDEMPOTENCY_IN_PROGRESS"):
            service.cancel_trade("TDA_1", "TXN_1", idempotency_key="mine")
        service.close()


def test_a_server_that_behaves_is_understood() -> None:
    with misbehaving(says(reply(GOOD_MARKETS))) as address:
        service = client(address)
        assert service.markets().data[0].market_name == "sol-usd"
        service.close()


def test_a_refused_connection_is_told_at_once_and_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    service = RemoteService(address, "key")
    started = time.monotonic()
    with pytest.raises(ServiceUnreachable):
        service.markets()
    with pytest.raises(ServiceUnreachable):
        service.cancel_trade("TDA_1", "TXN_1")
    assert time.monotonic() - started < DEADLINE_S, "neither waits for its deadline"
    service.close()


def test_an_unknown_field_and_an_unknown_status_are_taken_as_they_come() -> None:
    newer = GOOD_MARKETS.replace(b'"network"', b'"venue": {"a": 1}, "status": "auction", "network"')
    with misbehaving(says(reply(newer))) as address:
        service = client(address)
        assert service.markets().data[0].status == "auction"
        service.close()


def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    service = client("http://does-not-exist.invalid")
    with pytest.raises(ServiceUnreachable):
        service.markets()
    service.close()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "bank.example",
        "ftp://bank.example",
        "http://",
        "http://user:secret@bank.example",
        "::",
        "unix:x",
    ],
)
def test_refuses_what_is_no_address(address: str) -> None:
    with pytest.raises(ValueError) as refused:
        RemoteService(address, "key")
    assert "secret" not in str(refused.value)


def test_neither_the_key_nor_the_reply_shows_in_an_error() -> None:
    with misbehaving(says(reply(b"<html>canary-reply</html>"))) as address:
        service = RemoteService(address, "canary-key")
        with pytest.raises(ClientError) as fault:
            service.markets()
        shown = repr(fault.value) + str(fault.value.__cause__) + repr(service)
        service.close()
    assert "canary" not in shown


@pytest.mark.parametrize("field", ["currency", "id"])
def test_an_answer_that_is_not_shown_names_what_is_wrong_and_repeats_nothing(field: str) -> None:
    said = f'{{"amount": "1.00", "{field}": ["canary-reply"]}}'.encode()
    with misbehaving(says(reply(said))) as address:
        service = client(address)
        with pytest.raises(OutcomeUnknown, match=rf"can't be read: {field}\.$") as fault:
            service.deposit("TDA_1", DEPOSIT, idempotency_key="mine")
        service.close()
    assert "canary" not in fault.value.message


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("408 Request Timeout", b"<html>too late</html>"),
        ("408 Request Timeout", b'{"error": "TIMEOUT", "message": "Too late.", "details": {}}'),
        ("409 Conflict", b""),
        ("425 Too Early", b""),
    ],
)
def test_a_write_answered_before_its_end_may_have_been_done(status: str, said: bytes) -> None:
    with misbehaving(says(reply(said, status))) as address:
        service = client(address)
        with pytest.raises(OutcomeUnknown) as fault:
            service.deposit("TDA_1", DEPOSIT, idempotency_key="mine")
        service.close()
    assert fault.value.idempotency_key == "mine"


LIMITED = reply(
    b'{"error": "RATE_LIMITED", "message": "Too many requests.", "details": {}}',
    "429 Too Many Requests",
    "Retry-After: 1\r\n",
)


@pytest.mark.parametrize(
    "first",
    [
        FAULTS["closes at once"],
        FAULTS["resets"],
        FAULTS["truncated body"],
        FAULTS["gateway error"],
        says(LIMITED),
        says(LIMITED.replace(b"RATE_LIMITED", b"TOO_SOON____")),
    ],
    ids=["closed", "reset", "truncated", "gateway", "limited", "limited in its own words"],
)
def test_one_bad_answer_is_not_the_end_of_a_read(first: Fault) -> None:
    answers = iter([first, says(reply(GOOD_MARKETS))])

    def fault(connection: socket.socket, ended: threading.Event) -> None:
        next(answers)(connection, ended)

    with misbehaving(fault) as address:
        service = RemoteService(address, "key", deadline_s=PATIENCE_S)
        assert service.markets().data[0].market_name == "sol-usd"
        service.close()


@pytest.mark.parametrize(
    ("status", "step"),
    [
        ("401 Unauthorized", "CHAINTELLER_API_KEY"),
        ("429 Too Many Requests", "Wait, then retry"),
        ("422 Unprocessable Content", "what the code means"),
    ],
)
def test_a_code_that_is_not_known_is_explained_by_its_status(status: str, step: str) -> None:
    refused = reply(b'{"error": "E17", "message": "No.", "details": {}}', status)
    with misbehaving(says(refused)) as address:
        service = RemoteService(address, "key", deadline_s=0.5)
        with pytest.raises(UnknownRefusal, match="No") as told:
            service.markets()
        service.close()
    assert step in step_at_desk(told.value)


def test_a_market_under_maintenance_is_told_at_once_and_not_asked_again() -> None:
    asked = []
    closed = reply(
        b'{"error": "MARKET_UNAVAILABLE", "message": "Closed.", "details": {"market": "sol-usd"}}',
        "503 Service Unavailable",
        "Retry-After: 1\r\n",
    )

    def fault(connection: socket.socket, ended: threading.Event) -> None:
        asked.append(1)
        says(closed)(connection, ended)

    with misbehaving(fault) as address:
        service = RemoteService(address, "key", deadline_s=PATIENCE_S)
        with pytest.raises(MarketUnavailable):
            service.markets()
        service.close()
    assert asked == [1]
