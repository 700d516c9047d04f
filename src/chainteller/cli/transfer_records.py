"""Deposits and withdrawals as records, and every kind of transaction of an account."""

from collections.abc import Callable
from pathlib import Path

import click

from chainteller.cli.confirmation import account_of_customer, confirm, require_terminal
from chainteller.cli.lists import Selection, list_options
from chainteller.cli.named import DEPOSITS, TRANSACTIONS, WITHDRAWALS, Named, receipt_form
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import TellerGroup, group, options
from chainteller.cli.output import record
from chainteller.cli.single_calls import add_list
from chainteller.domain.transfers import HOLDING, TransferStatus, type_of
from chainteller.records.fields import FieldList
from chainteller.records.trades import TRADE
from chainteller.records.trades import next_of as next_of_trade
from chainteller.records.transactions import TRANSACTION
from chainteller.records.transfers import (
    DEPOSIT,
    WITHDRAWAL,
    due_of,
    next_of,
    transfer_fields,
    why_not_cancelled,
)
from chainteller.service import operations as op
from chainteller.service.errors import WithdrawalNotCancellable
from chainteller.service.interface import Service
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.trades import Trade, Transaction
from chainteller.service.operations import Call, Operation


def _ids(name: str) -> Callable[..., Callable[..., object]]:
    return click.argument("ids", metavar=f"[ACCOUNT] {name}", nargs=-1, required=True)


@group("deposits")
def deposits() -> None:
    """Deposits: list, show, receipt. `chainteller deposit` makes one."""


@group("withdrawals")
def withdrawals() -> None:
    """Withdrawals: list, show, cancel, receipt. `chainteller withdraw` makes one."""


def _add_commands(
    to: TellerGroup,
    named: Named[Transfer],
    lists: Operation[Page[Transfer]],
    fields: FieldList[Transfer],
    *,
    example: tuple[str, str],
    nothing: str,
) -> None:
    """Add what both kinds have: ``list``, ``show`` and ``receipt``. ``example`` is of lists, and
    ``nothing`` is printed where there are none."""
    kind, calls = named.kind, [named.operation, op.TRANSACTION_BY_ID]

    @to.command(
        "list",
        calls=[lists, op.ALL_TRANSFERS],
        example=example,
        help=f"List {kind}s, newest first: of an account, or of every account.",
    )
    @click.argument("account_id", metavar="[ACCOUNT]", required=False)
    @list_options(lists, fields)
    def listed(account_id: str | None, selection: Selection[Transfer]) -> None:
        with service() as bank:

            def fetch(query: ListQuery) -> Page[Transfer]:
                if account_id is not None:
                    return bank.call(Call(lists, (account_id,), query=query))
                return bank.all_transfers(query.model_copy(update={"type": type_of(kind)}))

            selection.show(bank, fetch, nothing=nothing)

    @to.command(
        "show",
        calls=calls,
        example=f"{kind}s show TXN_...",
        help=f"Show a {kind}. Its id is enough where the deployment finds transactions by id.",
    )
    @_ids(kind.upper())
    def show(ids: tuple[str, ...]) -> None:
        with service() as bank:
            _show(bank, named.find(bank, ids))

    @to.command(
        "receipt",
        calls=calls,
        example=f"{kind}s receipt TXN_... --format csv",
        help=f"Print a {kind}'s receipt, byte for byte as the console's export writes it.",
    )
    @_ids(kind.upper())
    @receipt_form
    def receipt(ids: tuple[str, ...], form: str, file: Path | None) -> None:
        with service() as bank:
            named.print_receipt(bank, ids, form, file)


_add_commands(
    deposits,
    DEPOSITS,
    op.DEPOSITS,
    DEPOSIT,
    example=(
        "deposits list TDA_... --status processing",
        "deposits list --all --format csv --output deposits.csv",
    ),
    nothing="no deposits; make one: chainteller deposit ACCOUNT AMOUNT",
)
_add_commands(
    withdrawals,
    WITHDRAWALS,
    op.WITHDRAWALS,
    WITHDRAWAL,
    example=(
        "withdrawals list --status reviewing",
        "withdrawals list TDA_... --from 2026-11-01 --to 2026-11-30 --json",
    ),
    nothing="no withdrawals; make one: chainteller withdraw ACCOUNT AMOUNT",
)


@withdrawals.command(
    "cancel", calls=[op.CANCEL_WITHDRAWAL], example="withdrawals cancel TXN_... --yes"
)
@_ids("WITHDRAWAL")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
def cancel_withdrawal(ids: tuple[str, ...], *, yes: bool) -> None:
    """Cancel a withdrawal that hasn't been sent. One that is cancelled already is shown again."""
    if not yes:
        require_terminal()
    with writing() as desk:
        found = WITHDRAWALS.find(desk.service, ids)
        account_id, withdrawal_id = WITHDRAWALS.owned(found, ids)
        if found.status != TransferStatus.CANCELLED:
            _require_cancellable(found)
            if not yes:
                confirm(_question(desk.service, found, account_id), yes=yes)
            found = desk.cancel_withdrawal(account_id, withdrawal_id).value
    record(found, WITHDRAWAL)


def _require_cancellable(found: Transfer) -> None:
    """Raises WithdrawalNotCancellable, as the service would; a deployment may not say."""
    if found.cancellable is False or (found.cancellable is None and found.status not in HOLDING):
        raise WithdrawalNotCancellable(
            f"The withdrawal has the status {found.status}: it can no longer be cancelled.",
            {
                "withdrawalId": found.id,
                "status": found.status,
                "executedAt": WITHDRAWAL["completed_at"].exact(found) or None,
            },
        )


def _question(bank: Service, found: Transfer, account_id: str) -> str:
    target = WITHDRAWAL["destination"].plain(found)
    return (
        f"Cancel withdrawal {found.id} of {WITHDRAWAL['amount'].spoken(found)}"
        f"{f' to {target}' if target else ''} from {account_of_customer(bank, account_id)}."
    )


@group("transactions")
def transactions() -> None:
    """Deposits, withdrawals and trades of an account: list, show."""


add_list(
    transactions,
    op.TRANSACTIONS,
    TRANSACTION,
    "List an account's deposits, withdrawals and trades, newest first.",
    example="transactions list TDA_... --from 2026-11-01",
    nothing="no transactions",
    within=click.argument("account_id", metavar="ACCOUNT"),
)


@transactions.command(
    "show", calls=[op.SHOW_TRANSACTION, op.TRANSACTION_BY_ID], example="transactions show TXN_..."
)
@_ids("TXN")
def show_transaction(ids: tuple[str, ...]) -> None:
    """Show a deposit, a withdrawal or a trade, whichever has the id."""
    with service() as bank:
        found: Transaction = TRANSACTIONS.find(bank, ids)
        if isinstance(found, Trade):
            record(found, TRADE, [("now", next_of_trade(found).words)])
        else:
            _show(bank, found)


def _show(bank: Service, found: Transfer) -> None:
    """Print a transfer; as text with what can still be done, and what happens next by itself."""
    fields, due = transfer_fields(found), due_of(found)
    if options().json:
        record(found, fields)
        return
    is_final = bool(why_not_cancelled(found))
    can_cancel = not is_final and "withdrawal-cancellations" in bank.capabilities().features
    more = [("now", next_of(found, can_cancel=can_cancel).words)]
    record(found, fields, [*more, *([("next", due.words)] if due is not None else [])])


COMMANDS = (deposits, withdrawals, transactions)
