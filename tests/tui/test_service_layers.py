"""The layers between the screens and the service."""

from tests.tui.conftest import Bench

from chainteller.records.transactions import fields_of
from chainteller.service.models.funding import KeptTransfer
from chainteller.service.operations import OPERATIONS
from chainteller.tui.privacy import _FIELDS, _TRANSACTIONS, Privacy


def test_privacy_learns_from_models_that_operations_answer() -> None:
    answered = " ".join(str(each.response) for each in OPERATIONS)
    kept_here = {KeptTransfer.__name__}
    learned = {*_FIELDS, *_TRANSACTIONS, "LimitUsage", "Found"}
    for name in learned - kept_here:
        assert name in answered


def test_a_name_is_learned_from_whatever_answers_it(bench: Bench) -> None:
    account = bench.open(1)
    privacy = Privacy(fields_of)
    privacy.hidden = True
    assert account.customer_name is not None
    assert not privacy.would_show(account.customer_name)
    privacy.learn(bench.service.trading_accounts())
    assert privacy.would_show(account.customer_name)
