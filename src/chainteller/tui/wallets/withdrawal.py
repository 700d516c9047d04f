"""A withdrawal to a customer's wallet: what would be refused is said before anything is asked."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import ASSETS_BY_KEY, CRYPTO, Asset
from chainteller.domain.clock import from_datetime
from chainteller.domain.limits import UNVERIFIED_HOLD, DestinationClass
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.failures import Failure, amount_failure
from chainteller.tui.formats import cents, countdown, grouped, plain
from chainteller.tui.service_calls import call_service
from chainteller.tui.wallets import writes as wallet_writes
from chainteller.tui.wallets.book import Session, Wallet, read_book

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TokenBalance
    from chainteller.service.models.funding import LimitUsage

PURPOSE = "withdraw-to-wallet"


@dataclass(frozen=True, slots=True)
class Means:
    """All that decides beforehand: what can be sent, at what price, and what may leave."""

    wallet: Wallet
    balance: "TokenBalance"
    asset: Asset
    price: Decimal
    limits: "tuple[LimitUsage, ...]"

    @property
    def name(self) -> str:
        return "verified 1P wallet" if self.wallet.is_verified else "wallet that is not verified"

    def usd(self, amount: str) -> str:
        return f"{Decimal(amount) * self.price:.2f}"

    @property
    def remaining(self) -> str:
        """The least that any rule of this class still lets out, in USD."""
        left = [Decimal(row.remaining) for row in self.limits]
        return f"{min(left):.2f}" if left else ""


class WalletWithdrawal:
    def __init__(self, screen: DeskScreen) -> None:
        self._screen = screen
        self._means: Means | None = None

    # -- where to and what --------------------------------------------------------------------

    def choose_destination(self, trading_account_id: str) -> None:
        self._screen.write("destination", lambda: self._choose_destination(trading_account_id))

    async def _choose_destination(self, trading_account_id: str) -> None:
        """The account's wallets, each with its class and what may still leave to it."""
        service = self._screen.desk.service
        book = await call_service(read_book, service, trading_account_id, Session())
        limits = (await call_service(service.limits, trading_account_id)).data
        wallets = {_told(wallet, limits): wallet for wallet in book.wallets}
        if not wallets:
            self._screen.desk.notify("no wallet of this account is known   5: wallets", "warn")
            return
        chosen = await self._screen.app.push_screen_wait(
            Choice("WITHDRAW to which wallet?", "full addresses follow", tuple(wallets))
        )
        if chosen is not None:
            await self._begin(wallets[chosen])

    def begin(self, wallet: Wallet) -> None:
        self._screen.write("withdrawal", lambda: self._begin(wallet))

    async def _begin(self, wallet: Wallet) -> None:
        service = self._screen.desk.service
        if not wallet.is_verified:
            known = await call_service(service.counterparty, wallet.counterparty.id)
            held = self._on_hold(known.created)
            if held is not None:
                self._screen.show_failure(held)
                return
        balances = (
            await call_service(service.token_balances, wallet.account.trading_account_id)
        ).data
        sendable = {
            f"{row.token.symbol}  {grouped(row.amount)} available": row
            for row in balances
            if row.token.network == wallet.network and Decimal(row.amount) > 0
        }
        if not sendable:
            self._screen.show_failure(
                Failure(
                    "NOTHING_TO_SEND",
                    f"The account holds nothing on {wallet.network}.",
                    "A wallet receives only what lives on its own network.",
                    "d on Accounts: deposit, or b: buy first",
                )
            )
            return
        chosen: str | None = next(iter(sendable))
        if len(sendable) > 1:
            box = Choice("WITHDRAW what?", f"held on {wallet.network}", tuple(sendable))
            chosen = await self._screen.app.push_screen_wait(box)
        if chosen is not None:
            self._means = await call_service(_means, service, wallet, sendable[chosen])
            self._open_field(self._means)

    def _on_hold(self, created: datetime | None) -> Failure | None:
        if created is None:
            return None
        until = from_datetime(created) + UNVERIFIED_HOLD
        if self._screen.desk.now >= until:
            return None
        left = countdown((until - self._screen.desk.now) // 1_000_000)
        return Failure(
            "DESTINATION_ON_HOLD",
            f"A newly registered wallet receives nothing for another {left}.",
            "It was not verified yet; nothing was asked or sent.",
            "5: verify it to lift the hold",
        )

    def _open_field(self, means: Means) -> None:
        end = means.wallet.counterparty.address[-6:]
        most = f"{grouped(means.balance.amount)} available"
        limit = f"at most {grouped(means.remaining)} USD now   " if means.remaining else ""
        self._screen.field_bar.open(
            PURPOSE,
            (("withdraw to ", "strong"), (f"..{end} ", ""), (f"{means.asset.symbol} ", "muted")),
            note=((f"{limit}{most}", "muted"),),
            amount=True,
        )

    # -- how much -----------------------------------------------------------------------------

    def submitted(self, value: str) -> None:
        means, amount = self._means, plain(value)
        if means is None:
            return
        refused = _refused(means, amount)
        if refused is not None:
            self._screen.show_failure(refused)
        else:
            self._screen.write("withdrawal", lambda: self._send(means, amount))

    async def _send(self, means: Means, amount: str) -> None:
        wallet, usd = means.wallet, means.usd(amount)
        desk = self._screen.desk
        reviewed = "" if wallet.is_verified else "; it is reviewed first, about two hours"
        asked = Ask(
            f"WITHDRAW {grouped(amount)} {means.asset.symbol} (about {grouped(usd)} USD) to",
            (
                f"{wallet.counterparty.address} on {wallet.network}?",
                f"a {means.name}{reviewed}",
                f"from {wallet.account.trading_account_id}; what is sent cannot be brought back",
            ),
            retype=amount if cents(usd) > desk.settings.confirm_above_cents else "",
        )
        if not await self._screen.confirm(asked):
            return
        desk.customer.require(wallet.account.trading_account_id)
        key = desk.new_key()
        done = await call_service(
            wallet_writes.withdraw, desk.service, wallet, means.asset, amount, key
        )
        self._screen.clear_failure()
        told = f"withdrawal {grouped(done.amount)} {means.asset.symbol} {done.status}  {done.id}"
        desk.notify(told, "good")
        desk.on_change.publish((f"withdrawal.{done.status}",))


def _told(wallet: Wallet, limits: "tuple[LimitUsage, ...]") -> str:
    own = [Decimal(row.remaining) for row in _of_class(wallet, limits)]
    most = f"  at most {grouped(f'{min(own):.2f}')} USD" if own else ""
    address = wallet.counterparty.address
    kind = "Verified 1P" if wallet.is_verified else "not verified"
    return f"{address[:6]}..{address[-6:]}  {wallet.network}  {kind}{most}"


def _of_class(wallet: Wallet, limits: "tuple[LimitUsage, ...]") -> "tuple[LimitUsage, ...]":
    kind = DestinationClass.VERIFIED if wallet.is_verified else DestinationClass.UNVERIFIED
    return tuple(row for row in limits if row.destination_class == kind)


def _means(service: "Service", wallet: Wallet, balance: "TokenBalance") -> Means:
    """Raises what the calls raise."""
    token = balance.token
    asset = ASSETS_BY_KEY.get(f"{token.symbol}@{token.network}") or Asset(
        token.symbol, token.network, 18
    )
    price = Decimal(1)
    if asset in CRYPTO:
        price = Decimal(service.market(f"{asset.symbol.lower()}-usd").current_price)
    limits = service.limits(wallet.account.trading_account_id).data
    return Means(wallet, balance, asset, price, _of_class(wallet, limits))


def _refused(means: Means, amount: str) -> Failure | None:
    """What the service would refuse, as far as it is known here."""
    malformed = amount_failure(amount, means.asset, "w: again")
    if malformed is not None:
        return malformed
    if Decimal(amount) > Decimal(means.balance.amount):
        available = f"{grouped(means.balance.amount)} {means.asset.symbol}"
        return Failure(
            "INSUFFICIENT_FUNDS",
            f"Only {available} can be sent.",
            "Nothing was asked or sent.",
            "w: a smaller amount",
        )
    usd = means.usd(amount)
    if means.remaining and Decimal(usd) > Decimal(means.remaining):
        verify = "" if means.wallet.is_verified else "; 5: verify the wallet for higher limits"
        return Failure(
            "LIMIT_EXCEEDED",
            f"About {grouped(usd)} USD is more than may go to a {means.name} now.",
            f"At most {grouped(means.remaining)} USD may leave. Nothing was asked or sent.",
            f"w: a smaller amount{verify}",
        )
    return None
