"""The customer being served: the context of every screen, and the requests bound to it."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from textual.dom import DOMNode
from textual.signal import Signal

from chainteller.domain.preconditions import forbidding
from chainteller.service.errors import AccountRestricted, TellerError

if TYPE_CHECKING:
    from chainteller.domain.preconditions import Act
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.tui.dialogs.question import Ask
    from chainteller.tui.queries import AccountSheet

Answer = TypeVar("Answer")
_MOST_TOLD = 500


class CustomerChanged(TellerError):
    """A request that was prepared for one customer while another one is being served now."""

    code = "CUSTOMER_CHANGED"
    next_step = "1: select the customer again"

    def __init__(self, account_id: str) -> None:
        super().__init__(
            f"It was prepared for {account_id}, which is no longer selected. Nothing was sent."
        )


def require_unrestricted(account: "TradingAccount", act: "Act") -> None:
    """Raises AccountRestricted: a control on the account forbids the act, as far as it's told."""
    control = forbidding(account.controls, act)
    if control:
        raise AccountRestricted(control, "")


def label_of(account: "TradingAccount") -> str:
    """Whose an account is: the customer, the trading account and its bank account."""
    is_told = account.bank_account_type.isalpha()
    bank = f"{account.bank_account_type} {account.bank_account_id}" if is_told else ""
    return "   ".join(each for each in (account.customer_name, account.id, bank) if each)


class Told(NamedTuple):
    """Words that the agent was shown to say to the customer of an account."""

    at: int
    account_id: str
    text: str


class CustomerContext:
    """The trading account being served, and where its work was left.

    Screens read it whenever they draw, ask or send. ``on_change`` publishes the id of the account
    that was served before (empty when there was none) each time another account is served.
    """

    def __init__(self, owner: DOMNode, served: Callable[[], None]) -> None:
        """``served`` is called whenever the account is set, also to newer data of the same one."""
        self._account: TradingAccount | None = None
        self._sheet: AccountSheet | None = None
        self._served = served
        self.on_change: Signal[str] = Signal(owner, "customer changed")
        self.on_news: Signal[TradingAccount] = Signal(owner, "customer's account read")
        """Newer data of the account being served."""
        self.last_id = ""
        """Id of the account that the workspace remembers from the last session or since."""
        self.market = ""
        """The market looked at last: a new order starts in it."""
        self.to_show: dict[str, str] = {}
        """Keys of the records that screens of the customer select when they open."""
        self.lists_all: set[str] = set()
        """Keys of the screens that list the records of all accounts."""
        self.told: deque[Told] = deque(maxlen=_MOST_TOLD)

    @property
    def account(self) -> "TradingAccount | None":
        """The account being served, as it was fetched last."""
        return self._account

    @property
    def account_id(self) -> str:
        """Id of the account being served; empty when there is none."""
        return self._account.id if self._account is not None else ""

    @property
    def label(self) -> str:
        """Who is being served."""
        return label_of(self._account) if self._account is not None else ""

    def serve(self, account: "TradingAccount", keeps_list_of: str = "") -> None:
        """Serve ``account`` from here on, on every screen; a list of all accounts from which it was
        chosen stays.
        """
        before = self.account_id
        self._account = account
        self._served()
        if account.id != before:
            self._forget_lists(keeps_list_of)
            self.on_change.publish(before)

    @property
    def sheet(self) -> "AccountSheet | None":
        """All that was read last of the account being served; None until it has come."""
        known = self._sheet
        return known if known is not None and known.account.id == self.account_id else None

    def learn(self, sheet: "AccountSheet | None") -> None:
        """Take what was read of the account being served, unless newer is known; None where nothing
        of it is shown any more.
        """
        known = self.sheet
        if sheet is None:
            self._sheet = None
        elif sheet.account.id == self.account_id and (
            known is None or known.read_at <= sheet.read_at
        ):
            self._sheet = sheet
            self.refresh(sheet.account)

    def refresh(self, account: "TradingAccount") -> None:
        """Take newer data of the account being served; late data of another one is ignored."""
        if account.id == self.account_id:
            self._account = account
            self.on_news.publish(account)

    def clear(self) -> None:
        """Serve nobody, as at the start."""
        before = self.account_id
        self._account, self._sheet, self.last_id, self.market = None, None, "", ""
        self._forget_lists()
        if before:
            self.on_change.publish(before)

    def _forget_lists(self, but: str = "") -> None:
        self.to_show.clear()
        self.lists_all &= {but}

    def require(self, account_id: str | None) -> None:
        """Raise CustomerChanged unless ``account_id`` is None or the account being served."""
        if account_id not in {None, self.account_id}:
            raise CustomerChanged(str(account_id))


class CustomerRequest(NamedTuple, Generic[Answer]):
    """What a command sends for one customer.

    Attributes:
        account_id: The trading account that it was prepared for. It has to be served when the
            request is sent, and every record in the request has to belong to it. None for a
            customer who has no account here yet, whoever is served meanwhile.
        call: Sends it, in a thread: (service, idempotency key).
        question: What the agent has to confirm first.
        check: Raises, in a thread, what the service would refuse it for: before the question, and
            again whenever something changed while the question is open.
        renew: Reads the records that the question is about and returns the question as it is now,
            in place of ``question``; raises as ``check``.
        act: What a control on the account may forbid; checked when ``check`` is.
        words: What it does, with its amount: for when the service refuses it or says nothing.
    """

    account_id: str | None
    call: "Callable[[Service, str], Answer]"
    question: "Ask | None" = None
    check: "Callable[[Service], None] | None" = None
    renew: "Callable[[Service], Ask] | None" = None
    act: "Act | None" = None
    words: str = ""
