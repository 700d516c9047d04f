"""Wallets as lines: blockchain accounts, and the counterparties linked to each."""

from typing import TYPE_CHECKING

from chainteller.tui.formats import Piece, short_address, short_id, status, when
from chainteller.tui.reads import LinkedAccount
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount, Counterparty

COLUMNS = (
    Column("BLOCKCHAIN ACCT", 15),
    Column("NETWORK", 10),
    Column("ADDRESS", 14, grows=True),
    Column("TRADING ACCT", 14, rank=1),
    Column("STATE", 12),
)


def account_row(account: "BlockchainAccount") -> Row:
    return Row(
        account.id,
        (
            (short_id(account.id), ""),
            (account.network, ""),
            (short_address(account.address), "muted"),
            (short_id(account.trading_account_id), "muted"),
            status(account.status),
        ),
    )


def detail(found: LinkedAccount, now: int) -> list[Line]:
    account = found.account
    rows = [
        line((account.id, "strong"), right=(status(account.status),)),
        line((f"{account.network}  the bank's custody address", "muted")),
        line(account.address),
        line((f"opened {when(account.created, now)}   {account.trading_account_id}", "muted")),
        line(),
        heading("COUNTERPARTIES", f"{len(found.counterparties)} linked"),
    ]
    if not found.counterparties:
        rows += [
            line(("No wallet is linked yet.", "")),
            line(("+", "key"), (" registers the customer's address", "muted")),
        ]
    for counterparty in found.counterparties:
        rows += [line(), *_counterparty(counterparty)]
    return rows


def _counterparty(row: "Counterparty") -> list[Line]:
    rows = [
        line((row.network or "-", "strong"), f"  {short_id(row.id)}", right=(_standing(row),)),
        line(row.address),
    ]
    if row.verification is not None:
        since, until = row.verification.verified_at, row.verification.expires_at
        rows.append(line((f"verified {since:%d %b %Y}, again by {until:%d %b %Y}", "muted")))
    return rows


def _standing(row: "Counterparty") -> Piece:
    if row.verification is None:
        return "[-] not verified", "muted"
    if row.verification.status == "current":
        return "[ok] Verified 1P", "good"
    tone = "warn" if row.verification.status == "expiring" else "bad"
    return f"[x] {row.verification.status}", tone
