"""Whatever a deployment answers, the check ends with a report: no reply is a crash."""

import json
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from chainteller.conformance.exchanges import Senders, Session
from chainteller.conformance.probing import Target
from chainteller.conformance.report import check_deployment
from chainteller.conformance.specification import CHECKS
from chainteller.domain.randomness import SeededRandomness
from chainteller.remote.transport import Outgoing, Reply

_FIELDS = (
    *("data", "pagination", "total", "page", "limit", "id", "marketName", "currentPrice"),
    *("network", "price", "side", "assetBought", "assetSold", "symbol", "amount", "created"),
    *("expires", "fees", "flat", "bps", "token", "error", "message", "details", "challenge"),
    *("type", "status", "address", "features", "currencies", "bankAccounts", "controls"),
)
_TEXTS = st.sampled_from(
    ["sol-usd", "TDA_1", "QTE_1", "1.00", "buy", "2026-11-22T07:00:00Z", "", "\ud800", "a/b"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_FIELDS), inner, max_size=6)
    ),
    max_leaves=12,
)
_LISTS = st.fixed_dictionaries(
    {"data": st.lists(st.dictionaries(st.sampled_from(_FIELDS), _VALUES), min_size=1, max_size=2)},
    optional={"pagination": _VALUES},
)


class _Answering:
    """A deployment that answers with these replies in turn."""

    def __init__(self, draw: Callable[[], Reply]) -> None:
        self._draw = draw

    def send(self, request: Outgoing) -> Reply:
        assert request.path.startswith("/")
        return self._draw()


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.sampled_from([200, 201, 204, 304, 400, 404, 429, 500]), _LISTS | _VALUES),
        min_size=1,
        max_size=12,
    )
)
def test_any_replies_end_in_a_report(replies: list[tuple[int, object]]) -> None:
    sent = 0

    def draw() -> Reply:
        nonlocal sent
        status, body = replies[sent % len(replies)]
        sent += 1
        return Reply(status, {}, json.dumps(body).encode())

    answering = _Answering(draw)
    senders = Senders(answering, answering, answering, secret="a key of the test")
    session = Session(senders, lambda: 0.0, lambda _: None, wait_s=2)
    target = Target(write=True, account="TDA_1", chains={"ethereum": "BCA_1"})
    report = check_deployment("http://x", session, target, SeededRandomness("any reply"))
    assert len(report.findings) == len(CHECKS)
    json.dumps(report.to_json())
