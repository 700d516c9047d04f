"""A bank on a machine whose wall clock can be set, with an account that has money."""

from tests.clock.machine import Machine, MachineClock
from tests.world.bank import World, build
from tests.world.engines import DPT
from tests.world.logs import entries

from chainteller.domain.options import EngineOptions
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.operations.keys import ApiKeys, Authenticator
from chainteller.engine.upkeep import epochs
from chainteller.service.errors import ServiceError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import DepositRequest, Transfer, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

OPTIONS = EngineOptions(
    rate_limits=False,
    quote_window_s=5,
    fill_delay_s=1,
    settle_delay_s=1,
    withdrawal_delay_s=1,
)


class Bank:
    """One process at a time on a database; ``restart`` ends it and starts the next."""

    def __init__(self, url: str, options: EngineOptions = OPTIONS) -> None:
        self.machine, self.url, self.options = Machine(), url, options
        self.start()
        opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        self.account = self.engine.open_trading_account(opened).value.id
        self.deposit()

    def _opened(self) -> World:
        return build(self.url, clock=MachineClock(self.machine), options=self.options)

    @property
    def engine(self) -> Engine:
        return self.world.engine

    @property
    def context(self) -> EngineContext:
        return self.world.context

    def stop(self) -> None:
        self.engine.close()

    def start(self) -> str:
        self.world = self._opened()
        return self.tick()

    def restart(self) -> str:
        self.stop()
        return self.start()

    def tick(self) -> str:
        """Why time is uncertain, after what a worker does every second; empty if it isn't."""
        doubt = epochs.tick(self.context).doubt
        return "" if doubt is None else doubt.value

    def work(self) -> None:
        """What a worker does every second."""
        if not self.tick():
            self.engine.run_due()

    def accept(self) -> epochs.Epoch | None:
        return epochs.accept(self.context, self.engine.actor)

    def deposit(self, amount: str = "1000.00") -> Transfer:
        asked = DepositRequest(amount=amount, currency=DPT)
        return self.engine.deposit(self.account, asked).value

    def withdraw(self, amount: str = "10.00") -> Transfer:
        asked = WithdrawalRequest(amount=amount, currency=DPT)
        return self.engine.withdraw(self.account, asked).value

    def quote(self) -> str:
        asked = QuoteRequest(amount="10.00", side="buy")
        return self.engine.create_quote("sol-usd", asked).value.id

    def execute(self, quote_id: str) -> str:
        asked = ExecuteRequest(trading_account_id=self.account)
        return self.engine.execute_quote(quote_id, asked).value.id

    def trade(self, trade_id: str) -> str:
        return str(self.engine.trade(self.account, trade_id).status)

    def key(self, expires: str | None = None) -> str:
        return ApiKeys(self.context).create("test", (), "default", expires).text

    def use(self, key: str) -> str:
        """Use a key where nobody remembers it: ``valid``, or the refusal's code and reason."""
        try:
            Authenticator(self.context).principal(key)
        except ServiceError as refused:
            return f"{refused.code} {refused.details['reason']}"
        return "valid"

    def entries(self, action: str) -> list[dict[str, object]]:
        """The inputs of the audit entries of an action, oldest first."""
        found = entries(self.context.database, action=action)
        return [dict(each.inputs or {}) for each in found]

    def told(self) -> list[str]:
        """The events about the clock, oldest first."""
        found = self.engine.events(0, 1_000).data
        return [each.type for each in found if each.type.startswith("clock.")]
