"""The audit trail of a trading account: all that was done to it, done or refused."""

import pytest
from tests.contract.conftest import Place
from tests.contract.test_trading import TOKEN, executed_at, funded, opened, quoted
from tests.contract.test_wallets import (
    answer,
    challenged,
    claimed,
    custody,
    link,
    registered,
    signed,
)

from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import (
    InsufficientFunds,
    InvalidSignature,
    NotFound,
    QuoteAccountMismatch,
    QuoteExpired,
)
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import OpenBlockchainAccount, ReverificationRequest
from chainteller.service.models.funding import WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import QuoteRequest

Notification = tuple[str, str, str | None]


def trail(service: Service, account_id: str) -> list[Notification]:
    """(action, object, error) of each row, newest first."""
    rows = service.audit(ListQuery(trading_account_id=account_id, limit=100)).data
    return [(row.action, row.object, row.error) for row in rows]


def test_an_accounts_trail_holds_all_that_was_done_to_it(place: Place) -> None:
    service, account = place.service, funded(place.service)
    bound = QuoteRequest(amount="1000.00", side="buy", trading_account_id=account.id)
    quote = service.create_quote("sol-usd", bound).value
    trade_id = executed_at(service, quote, account)
    service.cancel_trade(account.id, trade_id)
    sent = service.withdraw(account.id, WithdrawalRequest(amount="5.00", currency=TOKEN)).value
    unbound = quoted(service)
    place.world.advance(1_000)
    place.world.advance(1_000)
    with pytest.raises(QuoteExpired):
        executed_at(service, unbound, account)
    with pytest.raises(InsufficientFunds):
        service.withdraw(account.id, WithdrawalRequest(amount="9999.00", currency=TOKEN))
    expected = [
        ("withdraw", account.id, "INSUFFICIENT_FUNDS"),
        ("execute_quote", unbound.id, "QUOTE_EXPIRED"),
        ("withdrawal.completed", sent.id, None),
        ("work.dropped", trade_id, None),
        ("withdrawal.sent", sent.id, None),
        ("withdraw", sent.id, None),
        ("cancel_trade", trade_id, None),
        ("execute_quote", trade_id, None),
        ("create_quote", quote.id, None),
        ("deposit", service.deposits(account.id).data[0].id, None),
        ("open_trading_account", account.id, None),
    ]
    assert trail(service, account.id) == expected
    second = service.audit(ListQuery(trading_account_id=account.id, page=2, limit=4))
    assert [(row.action, row.object, row.error) for row in second.data] == expected[4:8]
    assert second.pagination.total == len(expected)
    of_trade = ListQuery(trading_account_id=account.id, text=trade_id)
    actions = [row.action for row in service.audit(of_trade).data]
    assert actions == ["work.dropped", "cancel_trade", "execute_quote"]
    assert verify(place.world.context.database) == ()


def test_a_trail_holds_nothing_of_other_accounts(place: Place) -> None:
    service, account = place.service, funded(place.service)
    other = opened(service, 2, "savings")
    bound = QuoteRequest(amount="10.00", side="buy", trading_account_id=account.id)
    quote = service.create_quote("sol-usd", bound).value
    with pytest.raises(QuoteAccountMismatch):
        executed_at(service, quote, other)
    assert trail(service, other.id) == [
        ("execute_quote", quote.id, "QUOTE_ACCOUNT_MISMATCH"),
        ("open_trading_account", other.id, None),
    ]
    assert len(trail(service, account.id)) == 3


def test_nobody_writes_into_or_reads_a_foreign_trail(place: Place) -> None:
    account, foreign = funded(place.service), place.stranger
    with pytest.raises(NotFound):
        foreign.withdraw(account.id, WithdrawalRequest(amount="5.00", currency=TOKEN))
    assert trail(foreign, account.id) == []
    assert len(trail(place.service, account.id)) == 2


def test_the_steps_of_an_accounts_wallets_are_in_its_trail(service: Service) -> None:
    account, wallet = custody(service), registered(service)
    challenge = challenged(service, account, wallet)
    with pytest.raises(InvalidSignature):
        service.submit_claim(account.id, answer(challenge, wallet, signed("another text")))
    claim = claimed(service, account, wallet)
    service.link_counterparty(account.id, link(claim))
    asked = ReverificationRequest(reason="AGENT_REQUEST")
    service.require_reverification(account.id, wallet.id, asked)
    told = trail(service, account.trading_account_id)
    assert [(action, error) for action, _, error in told] == [
        ("require_reverification", None),
        ("link_counterparty", None),
        ("submit_claim", None),
        ("create_challenge", None),
        ("submit_claim", "INVALID_SIGNATURE"),
        ("create_challenge", None),
        ("open_blockchain_account", None),
        ("open_trading_account", None),
    ]


def test_an_event_names_its_actor_and_the_account_that_it_is_about(place: Place) -> None:
    service, start = place.service, place.service.events(-1).next
    account = funded(service)
    asked = OpenBlockchainAccount(trading_account_id=account.id, network="solana")
    held = service.open_blockchain_account(asked).value
    challenged(service, held, registered(service))
    quote = quoted(service)
    trade_id = executed_at(service, quote, account)
    place.world.advance(1_000)
    place.world.advance(1_000)
    told = service.events(start).data
    own_name = service.capabilities().actor
    assert own_name
    for event in told:
        by_itself = event.type in {"trade.executed", "trade.settled"}
        assert event.actor == (None if by_itself else own_name), event.type
        assert "actor" not in event.data
    about = {event.type: event.data.get("tradingAccountId") for event in told}
    for kind in ("trading_account.created", "deposit.completed", "ownership_challenge.created"):
        assert about[kind] == account.id
    for kind in ("blockchain_account.created", "quote.executed", "trade.settled"):
        assert about[kind] == account.id
    assert about["counterparty.registered"] is None
    assert [event for event in place.stranger.events(start).data if event.actor == own_name] == []
    assert trade_id in {event.resource for event in told}
