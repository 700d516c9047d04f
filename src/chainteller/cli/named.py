"""Transactions named on the command line, by their id or by their account and their id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from chainteller.cli.documents import output_file, write_document
from chainteller.cli.error_output import Usage
from chainteller.cli.open_services import workspace
from chainteller.cli.options import options
from chainteller.records.transfers import transfer_fields
from chainteller.service import operations as op
from chainteller.service.errors import NotFound, NotOffered, ReplyUnusable
from chainteller.service.interface import Service
from chainteller.service.models.funding import Transfer
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call, Operation
from chainteller.workspace.forms import FORMS
from chainteller.workspace.store import Kind

Function = TypeVar("Function", bound=Callable[..., Any])
Found = TypeVar("Found", Trade, Transfer, Trade | Transfer)


@dataclass(frozen=True, slots=True)
class Named(Generic[Found]):
    """One kind of transaction.

    Args:
        kind: trade, deposit, withdrawal, or transaction for any of them.
        operation: shows one, by its account and its id.
    """

    kind: str
    operation: Operation[Found]

    def find(self, bank: Service, ids: Sequence[str]) -> Found:
        """The transaction that ``ids`` name: its id, perhaps with its account before it.

        Raises:
            Usage: there are more ids, or the account is needed to find it.
            NotFound: no transaction of this kind has the id.
            NotOffered: the deployment doesn't show transactions of this kind.
            ReplyUnusable: the deployment answered with another record.
        """
        account_id, identifier = self._split(ids)
        if account_id:
            return self._of_account(bank, account_id, identifier)
        try:
            found = bank.transaction_by_id(identifier)
        except NotOffered:
            return self._of_account(bank, self._account_of(bank, identifier), identifier)
        self._check(found, identifier, None)
        return found  # type: ignore[return-value]  # its type was checked

    def ids(self, bank: Service, ids: Sequence[str]) -> tuple[str, str]:
        """The account and the id; the transaction is looked up only for its account. Raises
        TellerError: as ``find`` does."""
        account_id, identifier = self._split(ids)
        return (account_id, identifier) if account_id else self.owned(self.find(bank, ids), ids)

    def owned(self, found: Found, ids: Sequence[str]) -> tuple[str, str]:
        """The account and the id of a transaction that was found. Raises Usage: the deployment
        doesn't tell the account."""
        account_id = self._split(ids)[0] or found.trading_account_id
        if not account_id:
            raise self._account_needed()
        return account_id, found.id

    def print_receipt(
        self, bank: Service, ids: Sequence[str], form: str, file: Path | None
    ) -> None:
        """Print the receipt in one of its forms; ``--json`` comes first."""
        from chainteller.workspace.receipts import (
            receipt_of,
            render,
        )

        account_id, identifier = self.owned(self.find(bank, ids), ids)
        bank_name = options().configured.settings.service.bank_name
        found = receipt_of(bank, account_id, identifier, bank_name)
        write_document(render(found, "json" if options().json else form), file)

    def _split(self, ids: Sequence[str]) -> tuple[str | None, str]:
        if len(ids) > 2:
            raise Usage(f"Name a {self.kind}, or its account and it.", "Leave the rest out.")
        return (ids[0], ids[1]) if len(ids) == 2 else (None, ids[0])

    def _of_account(self, bank: Service, account_id: str, identifier: str) -> Found:
        found = bank.call(Call(self.operation, (account_id, identifier)))
        self._check(found, identifier, account_id)
        return found

    def _check(self, found: Trade | Transfer, identifier: str, account_id: str | None) -> None:
        if self.kind not in {"transaction", _kind_of(found)}:
            raise NotFound(self.kind, identifier)
        owner = found.trading_account_id
        if found.id != identifier or (account_id and owner not in {None, account_id}):
            raise ReplyUnusable(
                f"The deployment was asked for {identifier} and answered with {found.id}"
                + (f" of {owner}." if owner else ".")
            )

    def _account_of(self, bank: Service, identifier: str) -> str:
        """The account of a transaction that this machine knows."""
        feature = self.operation.feature
        if feature and feature not in bank.capabilities().features:
            raise NotOffered(f"This deployment doesn't show {self.kind}s.")
        with workspace() as own:
            known = own.known(Kind.TRANSACTION)
        for each in known:
            if each.id == identifier and each.parent:
                return each.parent
        raise self._account_needed()

    def _account_needed(self) -> Usage:
        return Usage(
            f"This deployment does not find a {self.kind} by its id alone.",
            f"Name its account too: {click.get_current_context().command_path} TDA_… TXN_…",
        )


def _kind_of(found: Trade | Transfer) -> str:
    return "trade" if isinstance(found, Trade) else transfer_fields(found).kind


def receipt_form(function: Function) -> Function:
    """Give a command ``--format`` and ``--output``; it receives ``form`` and ``file``."""
    named = click.option(
        "--format",
        "form",
        type=click.Choice(tuple(FORMS)),
        default="text",
        show_default=True,
        help="How it is written.",
    )
    return named(output_file(function))


TRADES = Named("trade", op.SHOW_TRADE)
DEPOSITS = Named("deposit", op.DEPOSIT_RECORD)
WITHDRAWALS = Named("withdrawal", op.WITHDRAWAL_RECORD)
TRANSACTIONS: Named[Trade | Transfer] = Named("transaction", op.SHOW_TRANSACTION)
