"""A deployment of the bare specification can list nothing: the desk remembers what it met.

Wraps a service. Reads that the deployment does not offer are answered from the workspace where
it knows enough; an account that was never met is checked by its balances, which every deployment
has, and then remembered. Writes are recorded before they are sent.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any, cast

from chainteller.domain.clock import to_datetime
from chainteller.service.errors import NotOffered
from chainteller.service.interface import ALL, Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import BlockchainAccount, Challenge, Counterparty
from chainteller.service.models.pages import ListQuery, Page, Pagination
from chainteller.service.models.quotes import Quote
from chainteller.service.writes import WRITES
from chainteller.workspace import records
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import Workspace

ACCOUNT = "trading-account"
_UNKNOWN = "not told"


class Remembering:
    """The service as this desk uses it."""

    def __init__(self, service: Service, workspace: Workspace) -> None:
        self._service, self._workspace = service, workspace
        self._recorder = Recorder(service, workspace)

    @classmethod
    def over(cls, service: Service, workspace: Workspace) -> Service:
        return cast(Service, cls(service, workspace))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in WRITES:
            found: Callable[..., Any] = getattr(self._service, name)
            return found

        def write(*given: Any, idempotency_key: str | None = None) -> Written[Any]:
            done = self._recorder.write(name, *given, key=idempotency_key)
            with contextlib.suppress(sqlite3.Error):
                if isinstance(done.value, TradingAccount):
                    self._remember(done.value)
                records.keep(self._workspace, done.value, given)
            return done

        return write

    def _remember(self, account: TradingAccount) -> None:
        label = f"{account.bank_account_id} {account.bank_account_type}"
        self._workspace.remember(account.id, ACCOUNT, label=label)

    def trading_accounts(self, query: ListQuery = ALL) -> Page[TradingAccount]:
        """Those of the deployment, or those that this desk met, the last seen first."""
        try:
            return self._service.trading_accounts(query)
        except NotOffered:
            met = self._workspace.known(ACCOUNT, limit=1000)
        wanted = (query.text or "").lower()
        rows = [
            _account(each.id, each.label)
            for each in met
            if wanted in f"{each.id} {each.label}".lower()
        ]
        start = (query.page - 1) * query.limit
        seen = Pagination(total=len(rows), page=query.page, limit=query.limit)
        return Page(data=tuple(rows[start : start + query.limit]), pagination=seen)

    def trading_account(self, account_id: str) -> TradingAccount:
        """Raises NotFound: the deployment knows no balances of it either."""
        try:
            return self._service.trading_account(account_id)
        except NotOffered:
            self._service.token_balances(account_id)
        label = next(
            (
                row.label
                for row in self._workspace.known(ACCOUNT, limit=1000)
                if row.id == account_id
            ),
            "",
        )
        self._workspace.remember(account_id, ACCOUNT, label=label)
        return _account(account_id, label)

    # -- what else the desk made itself -------------------------------------------------------

    def quotes(self, query: ListQuery = ALL) -> Page[Quote]:
        try:
            return self._service.quotes(query)
        except NotOffered:
            account_id = query.trading_account_id
            return records.listed(self._workspace, records.QUOTE, Quote, query, account_id)

    def quote(self, quote_id: str) -> Quote:
        """Raises NotOffered for one that was not made here."""
        try:
            return self._service.quote(quote_id)
        except NotOffered:
            kept = records.one(self._workspace, records.QUOTE, Quote, quote_id)
            if kept is None:
                raise
            return kept

    def counterparties(self, query: ListQuery = ALL) -> Page[Counterparty]:
        try:
            return self._service.counterparties(query)
        except NotOffered:
            return records.listed(self._workspace, records.WALLET, Counterparty, query)

    def counterparty(self, counterparty_id: str) -> Counterparty:
        """Raises NotOffered for one that was not registered here."""
        try:
            return self._service.counterparty(counterparty_id)
        except NotOffered:
            kept = records.one(self._workspace, records.WALLET, Counterparty, counterparty_id)
            if kept is None:
                raise
            return kept

    def challenges(self, blockchain_account_id: str, query: ListQuery = ALL) -> Page[Challenge]:
        try:
            return self._service.challenges(blockchain_account_id, query)
        except NotOffered:
            kept = (self._workspace, records.CHALLENGE, Challenge, query, blockchain_account_id)
            return records.listed(*kept)

    def blockchain_accounts(self, query: ListQuery = ALL) -> Page[BlockchainAccount]:
        try:
            return self._service.blockchain_accounts(query)
        except NotOffered:
            owner = query.trading_account_id
            kind = records.BLOCKCHAIN_ACCOUNT
            return records.listed(self._workspace, kind, BlockchainAccount, query, owner)

    def blockchain_account(self, blockchain_account_id: str) -> BlockchainAccount:
        """Raises NotOffered for one that this desk was never told of."""
        try:
            return self._service.blockchain_account(blockchain_account_id)
        except NotOffered:
            kind = records.BLOCKCHAIN_ACCOUNT
            kept = records.one(self._workspace, kind, BlockchainAccount, blockchain_account_id)
            if kept is None:
                raise
            return kept

    def know_blockchain_account(
        self, blockchain_account_id: str, trading_account_id: str
    ) -> BlockchainAccount:
        """Put an account on the desk's list by its id; its linked wallets, which every
        deployment lists, show that it exists.

        Raises:
            NotFound: the deployment knows no such account.
        """
        self._service.linked_counterparties(blockchain_account_id)
        account = BlockchainAccount(
            id=blockchain_account_id,
            trading_account_id=trading_account_id,
            network=_UNKNOWN,
            address=_UNKNOWN,
            status="-",
            created=to_datetime(self._workspace.now()),
        )
        records.keep_blockchain_account(self._workspace, account)
        return account


def _account(account_id: str, label: str) -> TradingAccount:
    bank_account_id, _, kind = label.partition(" ")
    return TradingAccount(
        id=account_id,
        bank_account_id=bank_account_id or _UNKNOWN,
        bank_account_type=kind or "-",
    )
