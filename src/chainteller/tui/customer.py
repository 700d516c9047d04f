"""The customer being served: the context of every screen, and the requests bound to it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.dom import DOMNode
from textual.signal import Signal

from chainteller.service.errors import TellerError

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.tui.dialogs.question import Ask

Answer = TypeVar("Answer")
Confirm = Callable[["Ask"], Awaitable[bool]]
"""Asks the agent a question; whether the answer is yes."""


class CustomerChanged(TellerError):
    """A request that was prepared for one customer while another one is being served now."""

    code = "CUSTOMER_CHANGED"
    next_step = "1: select the customer again"

    def __init__(self, account_id: str) -> None:
        super().__init__(f"It was prepared for {account_id}, which isn't selected any more.")


class CustomerContext:
    """The trading account being served, and where its work was left.

    Screens read it whenever they draw, ask or send. ``on_change`` publishes the id of the account
    that was served before (empty when there was none) each time another account is served.
    """

    def __init__(self, owner: DOMNode, served: Callable[[], None]) -> None:
        """``served`` is called whenever the account is set, also to newer data of the same one."""
        self._account: TradingAccount | None = None
        self._served = served
        self.on_change: Signal[str] = Signal(owner, "customer changed")
        self.last_id = ""
        """Id of the account that the workspace remembers from the last session or since."""
        self.market = ""
        """The market looked at last: a new order starts in it."""
        self.trade_to_show: str | None = None
        """Id of the trade that Trades selects when it opens."""

    @property
    def account(self) -> "TradingAccount | None":
        """The account being served, as it was fetched last."""
        return self._account

    @property
    def account_id(self) -> str:
        """Id of the account being served; empty when there is none."""
        return self._account.id if self._account is not None else ""

    def serve(self, account: "TradingAccount") -> None:
        """Serve ``account`` from here on, on every screen."""
        before = self.account_id
        self._account = account
        self._served()
        if account.id != before:
            self.trade_to_show = None
            self.on_change.publish(before)

    def refresh(self, account: "TradingAccount") -> None:
        """Take newer data of the account being served; late data of another one is ignored."""
        if account.id == self.account_id:
            self._account = account

    def clear(self) -> None:
        """Serve nobody, as at the start."""
        before = self.account_id
        self._account, self.last_id, self.market, self.trade_to_show = None, "", "", None
        if before:
            self.on_change.publish(before)

    def require(self, account_id: str) -> None:
        """Raise CustomerChanged unless ``account_id`` is the account being served."""
        if account_id != self.account_id:
            raise CustomerChanged(account_id)


@dataclass(frozen=True, slots=True)
class CustomerRequest(Generic[Answer]):
    """What a command sends for one customer.

    Attributes:
        account_id: The trading account that it was prepared for, which has to be served when it
            is sent; empty for any customer's record out of a list of all accounts.
        call: Sends it, in a thread: (service, idempotency key).
        question: What the agent has to confirm first.
        check: Raises, in a thread, what the service would refuse it for; before the question.
    """

    account_id: str
    call: "Callable[[Service, str], Answer]"
    question: "Ask | None" = None
    check: "Callable[[Service], None] | None" = None
