"""Money between an account and the customer's bank account: the amount typed, asked, sent."""

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import USD
from chainteller.domain.clock import format_instant, from_datetime
from chainteller.domain.limits import DestinationClass
from chainteller.service.errors import InsufficientFunds, LimitExceeded, NotOffered
from chainteller.tui import confirmations as questions
from chainteller.tui import writes
from chainteller.tui.formats import cents, dollars, transferred
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.tui.desk_screen import DeskScreen


class BankTransfers:
    """Deposits and withdrawals for a screen, which shows what became of them by ``show_news``."""

    def __init__(self, host: "DeskScreen", show_news: Callable[[], None]) -> None:
        self._host, self._show_news = host, show_news
        self._desk = host.desk

    def submitted(self, purpose: str, account: "TradingAccount", value: str) -> None:
        """Enter in the amount's field: ``purpose`` is deposit or withdraw."""
        failure = questions.amount_failure(value, USD, "d or w: again")
        if failure is not None:
            self._host.show_failure(failure)
            return
        amount = dollars(value)
        if purpose == "deposit":
            self._host.write("deposit", lambda: self._deposit(account, amount))
        else:
            self._host.write("withdrawal", lambda: self._withdraw(account, amount))

    async def _deposit(self, account: "TradingAccount", amount: str) -> None:
        """Sends at once: the customer's own money, and it can be brought back."""
        above = cents(amount) > self._desk.settings.confirm_above_cents
        asked = questions.deposit_question(account, amount)
        if above and not await self._host.confirm(asked):
            return
        service, key = self._desk.service, self._desk.new_key()
        token = await call_service(writes.deposit_token, service)
        done = await call_service(writes.deposit, service, account.id, amount, token, key)
        self._transferred("deposit", done)

    async def _withdraw(self, account: "TradingAccount", amount: str) -> None:
        """What would be refused is refused before anything is asked."""
        service, limit = self._desk.service, self._desk.settings.confirm_above_cents
        await call_service(_require_possible, service, account.id, amount)
        asked = questions.withdrawal_question(account, amount, limit)
        if not await self._host.confirm(asked):
            return
        key = self._desk.new_key()
        token = await call_service(writes.deposit_token, service)
        done = await call_service(writes.withdraw, service, account.id, amount, token, key)
        self._transferred("withdrawal", done)

    def _transferred(self, what: str, done: "Transfer") -> None:
        self._host.clear_failure()
        self._desk.notify(f"{what} {transferred(done)} {done.status}  {done.id}", "good")
        self._show_news()
        self._desk.on_change.publish((f"{what}.{done.status}",))


def _require_possible(service: "Service", account_id: str, amount: str) -> None:
    """Pass if ``amount`` dollars can leave for the bank, as far as the deployment tells before.

    Raises:
        LimitExceeded, InsufficientFunds: as the withdrawal itself would be refused.
    """
    wanted = Decimal(amount)
    with suppress(NotOffered):
        for rule in service.limits(account_id).data:
            is_of_the_bank = rule.destination_class == DestinationClass.OWN_BANK
            if is_of_the_bank and wanted > Decimal(rule.remaining):
                again = rule.resets_at and format_instant(from_datetime(rule.resets_at))
                facts = {"limit": rule.limit, "used": rule.used, "requested": amount}
                raise LimitExceeded(
                    "The withdrawal limit would be exceeded.",
                    {
                        **facts,
                        "remaining": rule.remaining,
                        "resetsAt": again,
                        "suggestion": f"w: at most {rule.remaining} USD may leave now",
                    },
                )
    with suppress(NotOffered):
        power = service.trading_account(account_id).buying_power
        if power is not None and wanted > Decimal(power):
            raise InsufficientFunds(power, amount, USD.symbol)
