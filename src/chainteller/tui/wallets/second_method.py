"""Wallets that can't sign: ask for a small transfer, record a statement, and show both."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.second_method import ArrivalFinding, StatementReason
from chainteller.records.formats import countdown, money, short_id
from chainteller.service.models.counterparties import SmallTransferRequest, StatementRequest
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.steps import Choose, OpenField, Result, Step, Write, notice
from chainteller.tui.wallets.book import Wallet
from chainteller.tui.widgets.lines import Line, cut, line, wrapped
from chainteller.tui.widgets.paste_field import STATEMENT

if TYPE_CHECKING:
    from chainteller.service.interface import Service

_REASONS = {
    "the wallet is a contract": StatementReason.CONTRACT_WALLET,
    "the address is at an exchange": StatementReason.EXCHANGE_ADDRESS,
    "the device can't sign": StatementReason.DEVICE_CANNOT_SIGN,
    "another reason": StatementReason.OTHER,
}


# -- asking ----------------------------------------------------------------------------------------


def ask_for_transfer(wallet: Wallet) -> Step:
    """Ask for a small transfer from the wallet to itself."""
    if wallet.is_verified and wallet.counterparty.verification_state == "current":
        return notice("already verified", "muted")
    if wallet.network != wallet.account.network:
        return notice(
            f"a small transfer needs a blockchain account on {wallet.network}: open one, and add "
            "the wallet to it with +"
        )

    asked = CustomerRequest(wallet.account.trading_account_id, partial(_ask, wallet))
    return Write("small transfer", asked)


def _ask(wallet: Wallet, service: "Service", key: str) -> Step:
    request = SmallTransferRequest(counterparty_id=wallet.counterparty.id)
    made = service.create_small_transfer(wallet.account.id, request, idempotency_key=key).value
    text = f"small transfer of {money(made.amount, made.symbol)} requested   t: tell the customer"
    return Result(
        (text, "good"), record=wallet.key, changed="small_transfer.created", clears_failure=True
    )


def record_statement(wallet: Wallet) -> Step:
    """Record what the customer says about a wallet, which is kept and verifies nothing."""

    def state(label: str) -> Step:
        return OpenField(
            STATEMENT,
            (("statement ", "strong"),),
            (("the customer's words   enter: record", "muted"),),
            submitted=lambda typed: Write("statement", send(_REASONS[label], typed)),
        )

    def send(reason: StatementReason, typed: str) -> Step:
        return CustomerRequest(
            wallet.account.trading_account_id, partial(_state, wallet, reason, typed)
        )

    return Choose(
        "WHY CAN'T THE WALLET SIGN?",
        "The statement is stored. It doesn't verify the wallet.",
        tuple(_REASONS),
        state,
    )


def _state(wallet: Wallet, reason: str, typed: str, service: "Service", key: str) -> Step:
    request = StatementRequest(
        counterparty_id=wallet.counterparty.id, reason=reason, statement=typed
    )
    made = service.create_ownership_statement(wallet.account.id, request, idempotency_key=key).value
    return Result(
        (f"statement {short_id(made.id)} recorded; it verifies nothing", "good"),
        record=wallet.key,
        changed="ownership_statement.created",
        clears_failure=True,
    )


# -- showing ---------------------------------------------------------------------------------------


def second_lines(wallet: Wallet, now: int, width: int) -> list[Line]:
    """The newest small transfer and statement of a wallet that isn't verified by them yet."""
    return [*_transfer_lines(wallet, now, width), *_statement_lines(wallet)]


def _transfer_lines(wallet: Wallet, now: int, width: int) -> list[Line]:
    small = wallet.small
    if small is None or wallet.is_linked_by(small.claim_id):
        return []
    seconds = wallet.seconds_for_transfer(now)
    is_waiting = seconds is not None
    left = (small.status, "muted") if seconds is None else (f"{countdown(seconds)} left", "")
    rows = [line(("SMALL TRANSFER", "strong"), right=(left,))]
    if is_waiting:
        rows += [
            line(("exactly", "muted"), right=((money(small.amount, small.symbol), "strong"),)),
            line(("from the wallet to itself", "muted")),
            *(line(part) for part in cut(small.recipient, width)),
        ]
    for arrival in small.arrivals:
        is_exact = arrival.finding == ArrivalFinding.EXACT
        mark = ("[ok] ", "good") if is_exact else ("[x]  ", "bad")
        rows.append(line(mark, money(arrival.amount, arrival.symbol)))
        rows += [line(f"     {row}") for row in wrapped(arrival.explanation, width - 5)]
    if is_waiting:
        rows.append(line(("t", "key"), (" what to tell the customer", "muted")))
    return [*rows, line()]


def _statement_lines(wallet: Wallet) -> list[Line]:
    stated = wallet.statement
    if stated is None:
        return []
    reason = next((words for words, each in _REASONS.items() if each == stated.reason), "")
    return [
        line(("STATEMENT", "strong"), right=((stated.status, "warn"),)),
        line((reason or stated.reason, "muted")),
        line(("It doesn't verify the wallet.", "muted")),
        line(),
    ]
