"""The layers between the screens and the service."""

import pytest
from tests.tui.conftest import Bench

from chainteller.records.transactions import fields_of
from chainteller.service.errors import NotFound
from chainteller.service.layers import layered
from chainteller.service.models.funding import KeptTransfer
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import OPERATIONS
from chainteller.tui.privacy import _LEARNED, Privacy
from chainteller.tui.request_log import RequestLog, Trace


def test_a_call_is_logged_as_its_http_request_without_what_was_searched(bench: Bench) -> None:
    account, log = bench.open(1), RequestLog(bench.settings.clock)
    service = layered(bench.service, Trace(log))
    service.trading_accounts(ListQuery(text="DDA-1", limit=5, sort="created"))
    service.trades(account.id, ListQuery(created_gte="2026-11-20T12:00:00Z"))
    service.events()
    with pytest.raises(NotFound):
        service.cancel_trade(account.id, "TXN_1", idempotency_key="mine")
    rows = [(row.method, row.path, row.status, row.code) for row in log.rows]
    assert rows == [
        ("GET", "/trading-accounts?limit=5&filter[query]=...&sort=created", 200, ""),
        ("GET", f"/trading-accounts/{account.id}/trades?filter[created][gte]=...", 200, ""),
        ("POST", f"/trading-accounts/{account.id}/trades/TXN_1/cancellations", 404, "NOT_FOUND"),
    ]
    assert log.rows[-1].id == "mine"


def test_privacy_learns_from_models_that_operations_answer() -> None:
    answered = " ".join(str(each.response) for each in OPERATIONS)
    kept_here = {KeptTransfer.__name__}
    for name in _LEARNED.keys() - kept_here:
        assert name in answered


def test_a_name_is_learned_from_whatever_answers_it(bench: Bench) -> None:
    account = bench.open(1)
    privacy = Privacy(fields_of)
    privacy.hidden = True
    assert account.customer_name is not None
    assert not privacy.would_show(account.customer_name)
    privacy.learn(bench.service.trading_accounts())
    assert privacy.would_show(account.customer_name)
