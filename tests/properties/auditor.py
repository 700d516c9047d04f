"""An auditor that keeps its own books beside a service and says where they part.

Nothing here comes from the engine's domain: prices, fees, draws, holds and limits are computed
again, from the contract, with whole numbers and fractions. It sees the service through the
``Service`` interface alone, so the same audit runs over any deployment of it.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import TypeVar

from tests.properties.books import (
    CASH,
    CURRENCIES,
    DECIMALS,
    MARKETS,
    Books,
    Deployment,
    Export,
    Rules,
    S,
    atoms,
    cents_of,
    instant,
    text,
)

from chainteller.service.errors import ServiceError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.trades import Trade

Answer = TypeVar("Answer")


class Auditor:
    """Runs operations on one deployment and checks each answer against its own books.

    Records are named by their place in the order of creation, so that several deployments can
    be given the same operations though their ids differ.
    """

    def __init__(self, deployment: Deployment, bank: dict[str, int], rules: Rules) -> None:
        self.deployment, self.service, self.rules = deployment, deployment.service, rules
        self.bank = dict(bank)
        self.accounts: list[str] = []
        self.bank_of: dict[str, str] = {}
        self.books: dict[str, Books] = {}
        self.quotes: list[Export] = []
        self.trades: list[Export] = []
        self.withdrawals: list[Export] = []
        self.operations = 0
        self.refused: dict[str, int] = defaultdict(int)

    # What is done.

    def open(self, bank_account: str) -> None:
        request = OpenTradingAccount(bank_account_id=bank_account, bank_account_type="checking")
        taken = bank_account in self.bank_of.values()
        account = self._run(
            lambda: self.service.open_trading_account(request).value.id,
            "CONFLICT" if taken else "",
        )
        if isinstance(account, str):
            self.accounts.append(account)
            self.bank_of[account] = bank_account
            self.books[account] = Books()

    def deposit(self, account: str, cents: int, asset: str, key: str | None = None) -> None:
        request = DepositRequest(amount=text(cents, "USD@fiat"), currency=CURRENCIES[asset])
        bank_account = self.bank_of[account]
        short = cents > self.bank[bank_account]
        done = self._run(
            lambda: self.service.deposit(account, request, idempotency_key=key),
            "INSUFFICIENT_FUNDS" if short else "",
        )
        if done is None:
            return
        assert done.value.status == "completed"
        self.bank[bank_account] -= cents
        self.books[account].available[asset] += cents * 10 ** (DECIMALS[asset] - 2)
        if key is not None:
            again = self.service.deposit(account, request, idempotency_key=key)
            assert again.replayed
            assert again.value == done.value

    def quote(self, market: str, side: str, amount: int) -> None:
        base, _ = MARKETS[market]
        asked = "USD@fiat" if side == "buy" else base
        request = QuoteRequest(amount=text(amount, asked), side=side)
        answer = self._try(lambda: self.service.create_quote(market, request).value)
        if isinstance(answer, ServiceError):
            assert answer.code in ("AMOUNT_BELOW_MINIMUM", "LIMIT_EXCEEDED"), answer.to_wire()
            self._check_size_refusal(market, side, amount, answer.code)
            return
        assert answer.pricing is not None
        price, bought, gross = self._priced(market, side, amount, Fraction(answer.pricing.mid))
        assert self.rules.minimum_order <= gross <= self.rules.maximum_order
        other = base if side == "buy" else "USD@fiat"
        assert Fraction(answer.price) == Fraction(price, 100)
        assert atoms(answer.asset_sold.amount, asked) == amount
        assert atoms(answer.asset_bought.amount, other) == bought
        now = self.deployment.now()
        assert instant(answer.expires) == now + self.rules.window
        self.quotes.append(
            Export(answer.id, side=side, sold=(asked, amount), bought=(other, bought), at=now)
        )

    def execute(self, account: str, number: int, key: str | None = None) -> None:
        quote = self.quotes[number]
        request = ExecuteRequest(trading_account_id=account)
        asset, amount = quote.sold
        drawn = self._draw(account, amount, CASH) if quote.side == "buy" else None
        if quote.side == "sell" and self.books[account].available[asset] >= amount:
            drawn = [(asset, amount)]
        expected = ""
        if quote.trade:
            expected = "QUOTE_ALREADY_USED"
        elif self.deployment.now() > quote.at + self.rules.window:
            expected = "QUOTE_EXPIRED"
        elif drawn is None:
            expected = "INSUFFICIENT_FUNDS"
        trade = self._run(
            lambda: self.service.execute_quote(quote.id, request, idempotency_key=key), expected
        )
        if trade is None or drawn is None:
            return
        self._check_trade(trade.value, quote)
        quote.trade = trade.value.id
        self._hold(account, drawn)
        due = self.deployment.now() + self.rules.fill_delay
        self.trades.append(
            Export(
                trade.value.id,
                account,
                "processing",
                quote.side,
                quote.sold,
                quote.bought,
                drawn,
                self.deployment.now(),
                due,
            )
        )
        if key is not None:
            again = self.service.execute_quote(quote.id, request, idempotency_key=key)
            assert again.replayed
            assert again.value == trade.value

    def cancel_trade(self, number: int) -> None:
        trade = self.trades[number]
        stands = trade.status not in ("processing", "cancelled")
        done = self._run(
            lambda: self.service.cancel_trade(trade.account, trade.id).value,
            "TRADE_NOT_CANCELLABLE" if stands else "",
        )
        if done is not None:
            assert done.status == "cancelled"
            if trade.status == "processing":
                self._release(trade)
            trade.status = "cancelled"

    def withdraw(self, account: str, cents: int, asset: str) -> None:
        request = WithdrawalRequest(amount=text(cents, "USD@fiat"), currency=CURRENCIES[asset])
        order = (asset, *(each for each in CASH if each != asset))
        drawn = self._draw(account, cents, order)
        expected = ""
        if self._beyond_limits(account, cents):
            expected = "LIMIT_EXCEEDED"
        elif drawn is None:
            expected = "INSUFFICIENT_FUNDS"
        done = self._run(lambda: self.service.withdraw(account, request).value, expected)
        if done is None or drawn is None:
            return
        assert done.status == "processing"
        self._hold(account, drawn)
        now = self.deployment.now()
        due = now + self.rules.withdrawal_delay
        self.withdrawals.append(
            Export(done.id, account, "processing", hold=drawn, at=now, due=due, cents=cents)
        )

    def cancel_withdrawal(self, number: int) -> None:
        export = self.withdrawals[number]
        stands = export.status not in ("processing", "cancelled")
        done = self._run(
            lambda: self.service.cancel_withdrawal(export.account, export.id).value,
            "WITHDRAWAL_NOT_CANCELLABLE" if stands else "",
        )
        if done is not None:
            assert done.status == "cancelled"
            if export.status == "processing":
                self._release(export)
            export.status = "cancelled"

    def advance(self, microseconds: int) -> None:
        self.operations += 1
        self.deployment.advance(microseconds)
        now = self.deployment.now()
        for trade in self.trades:
            if trade.status == "processing" and trade.due <= now:
                self._filled(trade, now)
            elif trade.status == "executed" and trade.due <= now:
                asset, amount = trade.bought
                self.books[trade.account].incoming[asset] -= amount
                self.books[trade.account].available[asset] += amount
                trade.status = "settled"
        for export in self.withdrawals:
            if export.status == "processing" and export.due <= now:
                for asset, amount in export.hold:
                    self.books[export.account].held[asset] -= amount
                export.status, export.due = "sent", now + self.rules.withdrawal_delay
            elif export.status == "sent" and export.due <= now:
                self.bank[self.bank_of[export.account]] += export.cents
                export.status = "completed"

    def _try(self, act: Callable[[], Answer]) -> Answer | ServiceError:
        self.operations += 1
        try:
            return act()
        except ServiceError as error:
            self.refused[error.code] += 1
            return error

    def _run(self, act: Callable[[], Answer], expected: str) -> Answer | None:
        """The answer, or None where the refusal was the one that the books demand."""
        answer = self._try(act)
        if isinstance(answer, ServiceError):
            assert answer.code == expected, f"{answer.to_wire()}, expected {expected or 'success'}"
            return None
        assert not expected, f"done, but {expected} was expected"
        return answer

    # What is compared.

    def compare(self, account: str) -> None:
        """The account's balances, every asset and every bucket."""
        books = self.books[account]
        for shown in self.service.token_balances(account, include_zero=True).data:
            asset = f"{shown.token.symbol}@{shown.token.network}"
            found = [Fraction(each or "") for each in (shown.amount, shown.held, shown.incoming)]
            unit = 10 ** DECIMALS[asset]
            buckets = (books.available, books.held, books.incoming)
            expected = [Fraction(bucket[asset], unit) for bucket in buckets]
            assert found == expected, f"{asset}: {found} is shown, {expected} is right"

    def compare_all(self) -> None:
        for account in self.accounts:
            self.compare(account)
            self._compare_limits(account)
        self._compare_banks()
        for trade in self.trades:
            assert self.service.trade(trade.account, trade.id).status == trade.status
        for export in self.withdrawals:
            found = self.service.withdrawal_record(export.account, export.id)
            assert found.status == export.status
        totals = dict.fromkeys(self.accounts, 0)
        for trade in self.trades:
            totals[trade.account] += 1
        for account, total in totals.items():
            assert self.service.trades(account).pagination.total == total

    def _compare_banks(self) -> None:
        shown = {
            each.id: Fraction(each.balance)
            for customer in self.service.customers().data
            for each in customer.bank_accounts
        }
        assert shown == {name: Fraction(cents, 100) for name, cents in self.bank.items()}

    def _compare_limits(self, account: str) -> None:
        shown = {
            rule.period_seconds * S: Fraction(rule.used) * 100
            for rule in self.service.limits(account).data
            if rule.destination_class == "own-bank-account"
        }
        for period, _ in self.rules.limits:
            assert shown[period] == self._used(account, period)

    # The auditor's own arithmetic.

    def _priced(self, market: str, side: str, amount: int, mid: Fraction) -> tuple[int, int, int]:
        """(price in cents, atoms bought, gross cents of the USD leg) by the contract's rules."""
        base, half_spread = MARKETS[market]
        premium = Fraction(self.rules.premium_bps_per_minute * self.rules.window, 60 * S)
        moved = (half_spread + premium) / 10_000
        unit = 10 ** DECIMALS[base]
        if side == "buy":
            price = ceil(mid * 100 * (1 + moved))
            return price, floor(Fraction((amount - self._fee(amount)) * unit, price)), amount
        price = floor(mid * 100 * (1 - moved))
        gross = floor(Fraction(amount * price, unit))
        return price, gross - self._fee(gross), gross

    def _fee(self, gross: int) -> int:
        return max(1, ceil(Fraction(gross * self.rules.fee_bps, 10_000)))

    def _check_size_refusal(self, market: str, side: str, amount: int, code: str) -> None:
        mid = Fraction(self.service.market(market).current_price)
        _, bought, gross = self._priced(market, side, amount, mid)
        small = gross < self.rules.minimum_order or bought <= 0
        assert code == ("AMOUNT_BELOW_MINIMUM" if small else "LIMIT_EXCEEDED")
        assert small or gross > self.rules.maximum_order

    def _check_trade(self, trade: Trade, quote: Export) -> None:
        assert trade.status == "processing"
        assert trade.quote_id == quote.id
        assert trade.asset_sold is not None
        assert trade.asset_bought is not None
        assert atoms(trade.asset_sold.amount, quote.sold[0]) == quote.sold[1]
        assert atoms(trade.asset_bought.amount, quote.bought[0]) == quote.bought[1]

    def _draw(
        self, account: str, cents: int, order: tuple[str, ...]
    ) -> list[tuple[str, int]] | None:
        taken = []
        for asset in order:
            part = min(cents, cents_of(self.books[account].available[asset], asset))
            if part:
                taken.append((asset, part * 10 ** (DECIMALS[asset] - 2)))
                cents -= part
        return None if cents else taken

    def buying_power(self, account: str) -> int:
        return sum(cents_of(self.books[account].available[asset], asset) for asset in CASH)

    def _hold(self, account: str, parts: list[tuple[str, int]]) -> None:
        for asset, amount in parts:
            self.books[account].available[asset] -= amount
            self.books[account].held[asset] += amount

    def _release(self, export: Export) -> None:
        for asset, amount in export.hold:
            self.books[export.account].held[asset] -= amount
            self.books[export.account].available[asset] += amount

    def _filled(self, trade: Export, now: int) -> None:
        """The venue alone knows whether it fills; what follows from that is checked."""
        status = self.service.trade(trade.account, trade.id).status
        assert status in ("executed", "failed")
        trade.status = status
        if status == "failed":
            self._release(trade)
            return
        for asset, amount in trade.hold:
            self.books[trade.account].held[asset] -= amount
        asset, amount = trade.bought
        self.books[trade.account].incoming[asset] += amount
        trade.due = now + self.rules.settle_delay

    def _used(self, account: str, period: int) -> int:
        since = self.deployment.now() - period
        return sum(
            export.cents
            for export in self.withdrawals
            if export.account == account
            and export.at > since
            and export.status in ("processing", "sent", "completed")
            and period
        )

    def _beyond_limits(self, account: str, cents: int) -> bool:
        return any(
            self._used(account, period) + cents > limit for period, limit in self.rules.limits
        )

    def room(self, account: str) -> int:
        """What may leave the account now by its limits."""
        return min(limit - self._used(account, period) for period, limit in self.rules.limits)
