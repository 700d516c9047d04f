"""Records that this desk has seen, for deployments that cannot list them.

Reads that the deployment does not offer are answered from the workspace where it knows enough; an
account that is not known yet is checked by its balances, which every deployment has, and then
remembered.
"""

import contextlib
import sqlite3
from typing import TypeVar

from chainteller.domain.clock import to_datetime
from chainteller.service import operations
from chainteller.service.errors import NotOffered
from chainteller.service.interface import Service
from chainteller.service.layers import Answers, Next
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import BlockchainAccount, Challenge, Counterparty
from chainteller.service.models.pages import BalancesQuery, ListQuery, Page
from chainteller.service.models.quotes import Quote
from chainteller.service.operations import Call, Read
from chainteller.workspace import records
from chainteller.workspace.records import Record
from chainteller.workspace.store import Kind, Workspace

Answer = TypeVar("Answer")
_UNKNOWN = "not told"


class _NotMet(Exception):
    """This desk knows nothing of the record either."""


class Remembering:
    """A layer that keeps what writes answer, and answers from it what is not offered."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: Answers[Next] = Answers()
        self._known.add(operations.TRADING_ACCOUNTS, self._trading_accounts)
        self._known.add(operations.SHOW_TRADING_ACCOUNT, self._trading_account)
        self._remember_lists()
        self._remember_records()

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        try:
            answer = onward(call)
        except NotOffered as missing:
            if call.operation not in self._known:
                raise
            try:
                return self._known[call.operation](onward, call)
            except _NotMet:
                raise missing from None
        if isinstance(answer, Written):
            with contextlib.suppress(sqlite3.Error):
                self._keep(call.arguments, answer.value)
        return answer

    def _keep(self, given: tuple[object, ...], value: object) -> None:
        if isinstance(value, TradingAccount):
            label = f"{value.bank_account_id} {value.bank_account_type}"
            self._workspace.remember(value.id, Kind.TRADING_ACCOUNT, label=label)
        records.keep(self._workspace, value, given)

    def _trading_accounts(
        self, _onward: Next, call: Call[Page[TradingAccount]]
    ) -> Page[TradingAccount]:
        """Those that this desk met, the last seen first."""
        query = _listed(call)
        wanted = (query.text or "").lower()
        rows = tuple(
            _account(each.id, each.label)
            for each in self._workspace.known(Kind.TRADING_ACCOUNT)
            if wanted in f"{each.id} {each.label}".lower()
        )
        return Page.whole(rows).cut(query.page, query.limit)

    def _trading_account(self, onward: Next, call: Call[TradingAccount]) -> TradingAccount:
        """Raises NotFound: the deployment knows no balances of it either."""
        (account_id,) = call.ids
        onward(Call(operations.TOKEN_BALANCES, call.ids, query=BalancesQuery()))
        self._workspace.remember(account_id, Kind.TRADING_ACCOUNT)
        known = self._workspace.known_object(account_id, Kind.TRADING_ACCOUNT)
        return _account(account_id, known.label if known is not None else "")

    # -- what else the desk made itself -------------------------------------------------------

    def _remember_lists(self) -> None:
        self._lists(operations.QUOTES, Quote)
        self._lists(operations.COUNTERPARTIES, Counterparty)
        self._lists(operations.CHALLENGES, Challenge)
        self._lists(operations.BLOCKCHAIN_ACCOUNTS, BlockchainAccount)

    def _remember_records(self) -> None:
        self._shows(operations.SHOW_QUOTE, Quote)
        self._shows(operations.SHOW_COUNTERPARTY, Counterparty)
        self._shows(operations.SHOW_BLOCKCHAIN_ACCOUNT, BlockchainAccount)

    def _lists(self, operation: Read[Page[Record]], model: type[Record]) -> None:
        def known(_onward: Next, call: Call[Page[Record]]) -> Page[Record]:
            query = _listed(call)
            parent = call.ids[0] if call.ids else query.trading_account_id
            return records.listed(self._workspace, model, query, parent)

        self._known.add(operation, known)

    def _shows(self, operation: Read[Record], model: type[Record]) -> None:
        def known(_onward: Next, call: Call[Record]) -> Record:
            kept = records.one(self._workspace, model, call.ids[0])
            if kept is None:
                raise _NotMet
            return kept

        self._known.add(operation, known)


def know_blockchain_account(
    service: Service, workspace: Workspace, blockchain_account_id: str, trading_account_id: str
) -> BlockchainAccount:
    """Put an account on the desk's list by its id; its linked wallets, which every deployment
    lists, show that it exists.

    Raises:
        NotFound: the deployment knows no such account.
    """
    service.linked_counterparties(blockchain_account_id)
    account = BlockchainAccount(
        id=blockchain_account_id,
        trading_account_id=trading_account_id,
        network=_UNKNOWN,
        address=_UNKNOWN,
        status="-",
        created=to_datetime(workspace.now()),
    )
    records.keep_blockchain_account(workspace, account)
    return account


def _listed(call: Call[Page[Record]] | Call[Page[TradingAccount]]) -> ListQuery:
    return call.query if isinstance(call.query, ListQuery) else ListQuery()


def _account(account_id: str, label: str) -> TradingAccount:
    bank_account_id, _, kind = label.partition(" ")
    return TradingAccount(
        id=account_id,
        bank_account_id=bank_account_id or _UNKNOWN,
        bank_account_type=kind or "-",
    )
