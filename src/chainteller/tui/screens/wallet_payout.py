"""Withdrawing to a wallet: how much of its network's coin, asked once, sent once."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from chainteller.domain.assets import NATIVE_BY_NETWORK, Asset
from chainteller.service.errors import TellerError
from chainteller.tui import wallet_writes
from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.failures import Failure
from chainteller.tui.formats import grouped, plain
from chainteller.tui.screens.questions import amount_failure
from chainteller.tui.wallet_book import Wallet
from chainteller.tui.widgets.paste_field import PasteFieldBar

if TYPE_CHECKING:
    from chainteller.service.interface import Service

PAYOUT = "payout"


class Host(Protocol):
    """What a withdrawal needs of the screen."""

    desk: Desk

    @property
    def field_bar(self) -> PasteFieldBar: ...
    @property
    def wallet(self) -> Wallet | None: ...
    def write(self, lock: str, work: Callable[[], Awaitable[None]]) -> None: ...
    async def confirm(self, asked: Ask) -> bool: ...
    def show_failure(self, failure: Failure) -> None: ...
    def clear_failure(self) -> None: ...


class WalletPayout:
    def __init__(self, host: Host) -> None:
        self._host = host

    def open_field(self) -> None:
        """``w``: the amount, in the coin of the selected wallet's network."""
        host, wallet = self._host, self._host.wallet
        asset = NATIVE_BY_NETWORK.get(wallet.network) if wallet else None
        if wallet is None or asset is None:
            host.desk.tell("select a wallet on ethereum, solana or bitcoin first", "warn")
            return
        host.clear_failure()
        host.field_bar.open(
            PAYOUT,
            (("withdraw to ", "strong"), _short(wallet), (f"  {asset.symbol} ", "muted")),
            note=(("enter: ask   esc: no", "muted"),),
            amount=True,
        )

    def submitted(self, value: str) -> None:
        wallet = self._host.wallet
        asset = NATIVE_BY_NETWORK.get(wallet.network) if wallet else None
        if wallet is None or asset is None:
            return
        failure = amount_failure(value, asset, "w: again")
        if failure is not None:
            self._host.show_failure(failure)
            return
        amount = plain(value)
        self._host.write("withdrawal", lambda: self._send(wallet, amount, asset))

    async def _send(self, wallet: Wallet, amount: str, asset: Asset) -> None:
        desk = self._host.desk
        worth = await ask(_worth_cents, desk.service, amount, asset)
        state = "verified" if wallet.is_verified else "NOT verified: small limits and a review"
        question = Ask(
            f"WITHDRAW {grouped(amount)} {asset.symbol} from {wallet.account.trading_account_id}?",
            (f"to {wallet.counterparty.address}", f"on {wallet.network}, {state}"),
            retype=amount if worth > desk.look.confirm_above_cents else "",
        )
        if not await self._host.confirm(question):
            return
        key = desk.new_key()
        done = await ask(wallet_writes.withdraw, desk.service, wallet, (amount, asset.symbol), key)
        self._host.clear_failure()
        shown = f"{grouped(done.amount)} {asset.symbol}"
        desk.tell(f"withdrawal {shown} {done.status}  {done.id}", "good")
        desk.on_change.publish((f"withdrawal.{done.status}",))


def _short(wallet: Wallet) -> tuple[str, str]:
    return (f"..{wallet.counterparty.address[-6:]}", "")


def _worth_cents(service: "Service", amount: str, asset: Asset) -> int:
    """What it is worth now; with no price it counts as much, so that it is typed twice."""
    try:
        price = service.market(f"{asset.symbol.lower()}-usd").current_price
    except TellerError:
        return 10**18
    return int(Decimal(amount) * Decimal(price) * 100)
