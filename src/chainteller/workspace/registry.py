"""A deployment of the bare specification can list nothing: the desk remembers what it met.

Wraps a service. Reads that the deployment does not offer are answered from the workspace where
it knows enough; an account that was never met is checked by its balances, which every deployment
has, and then remembered. Writes are recorded before they are sent.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any, cast

from chainteller.service.errors import NotOffered
from chainteller.service.interface import ALL, Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.pages import ListQuery, Page, Pagination
from chainteller.workspace.recording import WRITES, Recorder
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
            if isinstance(done.value, TradingAccount):
                with contextlib.suppress(sqlite3.Error):
                    self._remember(done.value)
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


def _account(account_id: str, label: str) -> TradingAccount:
    bank_account_id, _, kind = label.partition(" ")
    return TradingAccount(
        id=account_id,
        bank_account_id=bank_account_id or _UNKNOWN,
        bank_account_type=kind or "-",
    )
