"""Trading accounts (specification 4.1)."""

import click

from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import remembering, service, writing
from chainteller.cli.options import group, options, or_samples
from chainteller.cli.output import document, line, record
from chainteller.domain.agents import LOOK
from chainteller.domain.clock import SystemClock
from chainteller.domain.decisions import DecisionKind
from chainteller.domain.preconditions import SETTABLE
from chainteller.records.accounts import ACCOUNT, BALANCE, LIMIT
from chainteller.records.audit import AUDIT_ROW
from chainteller.records.decisions import DECISION
from chainteller.service import operations as op
from chainteller.service.interface import Service
from chainteller.service.models.accounts import (
    OpenTradingAccount,
    TokenBalance,
    TradingAccount,
)
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.funding import LimitUsage
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery, Page
from chainteller.service.models.records import AuditRow
from chainteller.service.paging import every


@group("accounts")
def accounts() -> None:
    """Trading accounts: list, open, show, balances, limits, control."""


@accounts.command("list", calls=[op.TRADING_ACCOUNTS], example="accounts list --text DDA-1001")
@list_options(op.TRADING_ACCOUNTS, ACCOUNT)
def list_accounts(selection: Selection[TradingAccount]) -> None:
    """List trading accounts, the newest first."""
    with remembering() as bank:
        selection.show(
            bank,
            bank.trading_accounts,
            nothing="no accounts yet; open one: chainteller accounts open BANK_ACCOUNT_ID "
            f"--type checking{or_samples()}",
        )


@accounts.command(
    "open", calls=[op.OPEN_TRADING_ACCOUNT], example="accounts open DDA-1001 --type checking"
)
@click.argument("bank_account_id")
@click.option(
    "--type", "bank_account_type", required=True, metavar="TYPE", help="checking or savings"
)
def open_account(bank_account_id: str, bank_account_type: str) -> None:
    """Open a trading account for a bank account."""
    request = OpenTradingAccount(
        bank_account_id=bank_account_id, bank_account_type=bank_account_type
    )
    with writing() as desk:
        written = desk.open_trading_account(request)
    record(written.value, ACCOUNT)


@accounts.command("show", calls=[op.SHOW_TRADING_ACCOUNT], example="accounts show TDA_...")
@click.argument("account_id")
def show(account_id: str) -> None:
    """Show a trading account."""
    with remembering() as bank:
        record(bank.trading_account(account_id), ACCOUNT)


@accounts.command("text", calls=[op.SHOW_TRADING_ACCOUNT], example="accounts text TDA_...")
@click.argument("account_id", metavar="ID")
def text(account_id: str) -> None:
    """Print the text for the customer about an account and its pending activity."""
    from chainteller.tui.queries import account_sheet

    with remembering() as bank:
        sheet = account_sheet(bank, account_id, SystemClock().now())
    texts = options().customer_texts()
    bank_name = options().configured.settings.service.bank_name
    said = texts.of_account_sheet(sheet, bank_name)
    if options().json:
        document({"text": said})
        return
    for each in said.splitlines():
        line(each)


@accounts.command("balances", calls=[op.TOKEN_BALANCES], example="accounts balances TDA_...")
@click.argument("account_id")
@click.option("--zero", is_flag=True, help="Include assets with a balance of zero.")
@list_options(op.TOKEN_BALANCES, BALANCE, given=["include_zero"])
def balances(account_id: str, selection: Selection[TokenBalance], *, zero: bool) -> None:
    """Show an account's balances, one line per asset."""
    with service() as bank:
        found = bank.token_balances(account_id, include_zero=zero)
    nothing = "the account is empty; deposit first: chainteller deposit ACCOUNT AMOUNT"
    selection.write(found, nothing=nothing)


@accounts.command("limits", calls=[op.LIMITS], example="accounts limits TDA_...")
@click.argument("account_id")
@list_options(op.LIMITS, LIMIT)
def limits(account_id: str, selection: Selection[LimitUsage]) -> None:
    """Show the withdrawal limits by kind of destination."""
    with service() as bank:
        selection.write(bank.limits(account_id), nothing="no limits")


@accounts.command(
    "control",
    calls=[op.OPEN_DECISION, op.APPROVE_DECISION, op.DECISIONS],
    example=(
        "accounts control TDA_... --set FROZEN --reason COMPLIANCE_REVIEW",
        "accounts control TDA_... --lift --reason 'The customer was identified.'",
    ),
)
@click.argument("account_id", metavar="ID")
@click.option("--set", "control", metavar="C", help=", ".join(SETTABLE))
@click.option("--lift", is_flag=True, help="Lift the control.")
@click.option("--reason", required=True, metavar="R", help="With --set a code; with --lift, words.")
@click.option("--words", metavar="WORDS", help="More about the reason; customers don't see it.")
@click.option("--until", metavar="TIME", help="When it's lifted by itself.")
def control(
    account_id: str,
    control: str | None,
    reason: str,
    words: str | None,
    until: str | None,
    *,
    lift: bool,
) -> None:
    """Freeze an account, let it only sell, or lift that."""
    if lift == (control is not None):
        raise click.UsageError("Name either --set with a control, or --lift.")
    with writing() as desk:
        if lift:
            standing = _standing(desk, account_id)
            decided = desk.approve_decision(standing, Approval(answer=reason))
        else:
            asked = OpenDecision(
                kind="control",
                subject=account_id,
                control=control,
                reason=reason,
                words=words,
                until=until,
            )
            decided = desk.open_decision(asked)
    record(decided.value, DECISION)


def _standing(bank: Service, account_id: str) -> str:
    """The id of the open decision about an account's control. Raises UsageError."""
    from chainteller.tui.queries import standing_decision

    found = standing_decision(bank, DecisionKind.CONTROL, account_id)
    if found is None:
        raise click.UsageError(
            "No decision about a control of this account is open. If it has a control, set that "
            "again, then lift it."
        )
    return found.id


@accounts.command(
    "access", calls=[op.SHOW_TRADING_ACCOUNT, op.AUDIT], example="accounts access TDA_... --all"
)
@click.argument("account_id", metavar="ID")
@list_options(op.AUDIT, AUDIT_ROW, given=["trading_account_id", "text"])
def access(account_id: str, selection: Selection[AuditRow]) -> None:
    """List which agents have looked at an account, newest first: once in ten minutes for each
    agent and case, where the policy has roles."""

    def looks(query: ListQuery) -> Page[AuditRow]:
        about = query.model_copy(update={"text": account_id, "page": 1, "limit": MAXIMUM_LIMIT})
        found = Page.whole(tuple(row for row in every(bank.audit, about) if row.action == LOOK))
        return found.cut(query.page, query.limit)

    with service() as bank:
        bank.trading_account(account_id)
        selection.show(bank, looks, nothing="nobody has looked at it")


COMMANDS = (accounts,)
