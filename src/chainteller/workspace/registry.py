"""Lists from the workspace, for deployments of the bare specification that can't list records.

Wraps a service. Reads that the deployment does not offer are answered from the workspace where
it knows enough; an account that was never met is checked by its balances, which every deployment
has, and then remembered. Writes are recorded before they are sent.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from chainteller.domain.clock import to_datetime
from chainteller.service.errors import NotOffered
from chainteller.service.interface import ALL, Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import BlockchainAccount, Challenge, Counterparty
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import Quote
from chainteller.service.writes import WRITES
from chainteller.workspace import records
from chainteller.workspace.recording import Recorder
from chainteller.workspace.records import Record
from chainteller.workspace.store import Kind, Workspace

_UNKNOWN = "not told"


class Remembering:
    """A service that answers from the workspace what its deployment does not offer."""

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
        self._workspace.remember(account.id, Kind.TRADING_ACCOUNT, label=label)

    def trading_accounts(self, query: ListQuery = ALL) -> Page[TradingAccount]:
        """Accounts of the deployment, or those seen from here, the last seen first."""
        try:
            return self._service.trading_accounts(query)
        except NotOffered:
            met = self._workspace.known(Kind.TRADING_ACCOUNT)
        wanted = (query.text or "").lower()
        rows = tuple(
            _account(each.id, each.label)
            for each in met
            if wanted in f"{each.id} {each.label}".lower()
        )
        return Page.whole(rows).cut(query.page, query.limit)

    def trading_account(self, account_id: str) -> TradingAccount:
        """An account of the deployment or of the workspace.

        Raises:
            NotFound: the deployment has no balances of it either.
        """
        try:
            return self._service.trading_account(account_id)
        except NotOffered:
            self._service.token_balances(account_id)
        self._workspace.remember(account_id, Kind.TRADING_ACCOUNT)
        known = self._workspace.known_object(account_id, Kind.TRADING_ACCOUNT)
        return _account(account_id, known.label if known is not None else "")

    # -- what else the desk made itself -------------------------------------------------------

    def quotes(self, query: ListQuery = ALL) -> Page[Quote]:
        return self._listed(self._service.quotes, Quote, query, query.trading_account_id)

    def quote(self, quote_id: str) -> Quote:
        return self._one(self._service.quote, Quote, quote_id)

    def counterparties(self, query: ListQuery = ALL) -> Page[Counterparty]:
        return self._listed(self._service.counterparties, Counterparty, query)

    def counterparty(self, counterparty_id: str) -> Counterparty:
        return self._one(self._service.counterparty, Counterparty, counterparty_id)

    def challenges(self, blockchain_account_id: str, query: ListQuery = ALL) -> Page[Challenge]:
        asked = partial(self._service.challenges, blockchain_account_id)
        return self._listed(asked, Challenge, query, blockchain_account_id)

    def blockchain_accounts(self, query: ListQuery = ALL) -> Page[BlockchainAccount]:
        asked, owner = self._service.blockchain_accounts, query.trading_account_id
        return self._listed(asked, BlockchainAccount, query, owner)

    def blockchain_account(self, blockchain_account_id: str) -> BlockchainAccount:
        asked = self._service.blockchain_account
        return self._one(asked, BlockchainAccount, blockchain_account_id)

    def _listed(
        self,
        asked: Callable[[ListQuery], Page[Record]],
        model: type[Record],
        query: ListQuery,
        parent: str | None = None,
    ) -> Page[Record]:
        """Blockchain accounts of the deployment, or those opened from here."""
        try:
            return asked(query)
        except NotOffered:
            return records.listed(self._workspace, model, query, parent)

    def _one(self, asked: Callable[[str], Record], model: type[Record], identifier: str) -> Record:
        """Raises NotOffered where the deployment does not tell, for one that was not made here."""
        try:
            return asked(identifier)
        except NotOffered:
            kept = records.one(self._workspace, model, identifier)
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
