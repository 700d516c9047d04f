"""A deployment of the bare specification: the desk remembers the accounts that it met."""

from typing import TypeVar

import pytest
from tests.world.bank import World

from chainteller.domain.actors import Actor
from chainteller.service.errors import NotFound, NotOffered
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import QuoteRequest
from chainteller.service.operations import Call
from chainteller.workspace.recording import Recording
from chainteller.workspace.registry import Remembering
from chainteller.workspace.store import Kind, Workspace

Answer = TypeVar("Answer")


def _only_specified(call: Call[Answer], onward: Next) -> Answer:
    """A layer: a deployment that offers the specification alone."""
    if call.operation.feature is not None:
        raise NotOffered("not offered by this deployment")
    return onward(call)


def _bare(world: World) -> Service:
    return layered(world.engine.acting_as(Actor(name="op01")), _only_specified)


def _remembering(service: Service, workspace: Workspace) -> Service:
    return layered(service, Remembering(workspace), Recording(workspace))


def test_an_account_opened_here_is_listed_though_the_deployment_cannot(
    world: World, workspace: Workspace
) -> None:
    desk = _remembering(_bare(world), workspace)
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    opened = desk.open_trading_account(asked).value
    again = _remembering(_bare(world), workspace)
    (listed,) = again.trading_accounts(ListQuery(text="dda-1")).data
    assert (listed.id, listed.bank_account_id, listed.buying_power) == (opened.id, "DDA-1", None)
    assert again.trading_accounts(ListQuery(text="nobody")).data == ()


def test_an_account_known_by_id_alone_is_checked_by_its_balances(
    world: World, workspace: Workspace
) -> None:
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    elsewhere = world.engine.acting_as(Actor(name="op02")).open_trading_account(asked).value
    desk = _remembering(_bare(world), workspace)
    with pytest.raises(NotFound):
        desk.trading_account("TDA_NOBODY")
    assert desk.trading_accounts().data == ()
    assert desk.trading_account(elsewhere.id).bank_account_id == "not told"
    assert [row.id for row in desk.trading_accounts().data] == [elsewhere.id]


def test_a_deployment_that_lists_is_asked_itself(world: World, workspace: Workspace) -> None:
    inner = world.engine.acting_as(Actor(name="op01"))
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    opened = inner.open_trading_account(asked).value
    (listed,) = _remembering(inner, workspace).trading_accounts().data
    assert listed == inner.trading_account(opened.id)


def test_a_quote_is_found_however_many_were_made_since(world: World, workspace: Workspace) -> None:
    desk = _remembering(_bare(world), workspace)
    made = desk.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy")).value
    for number in range(1_000):
        workspace.remember(f"QTE_{number}", Kind.QUOTE, label="{}")
    assert desk.quote(made.id) == made
