"""Written steps in the console's terms: ``deposit 1000``, ``quote sol-usd buy 1000``.

They prepare the bank of a scenario, or play a session without a console. Each step counts as the
keys that the same action takes in the console.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from chainteller.domain.clock import SECOND
from chainteller.domain.decisions import AT_DESK, DecisionKind
from chainteller.domain.preconditions import Control
from chainteller.service.amounts import read_currency
from chainteller.service.errors import TellerError
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    SmallTransferRequest,
)
from chainteller.service.models.decisions import (
    Approval,
    DecisionNote,
    OpenDecision,
    Refusal,
)
from chainteller.service.models.funding import (
    DepositRequest,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.training.reading import duration
from chainteller.wallets.simulated import SampleWallet

KEY_TAKES = SECOND // 2
"""Time per key when written steps are played."""


class VerbUnknown(TellerError):
    """A written step is invalid, or the record that it needs is missing."""

    code = "STEP"
    next_step = "See docs/reference/scenario_files.md for the steps."


_MOST_ASKED = 3


class Surroundings(Protocol):
    """What a player needs besides the service."""

    def wait(self, microseconds: int) -> None:
        """Let time pass."""

    def sign(self, wallet: str, text: str) -> str:
        """Have the customer sign a challenge's text."""

    def say(self, words: str) -> None:
        """Say words to the customer; ``#id`` is a statement of the scenario."""

    def hint(self) -> str:
        """Ask for a hint."""

    def opened(self) -> None:
        """The caller's record is open."""

    def has_agreed(self) -> bool:
        """Whether the customer has agreed to the newest quote."""

    def pressed(self, keys: int) -> None:
        """Count pressed keys."""


class Player:
    """Plays steps on a service; ``refused`` is the refusal of the last step, if any."""

    def __init__(
        self, service: Service, around: Surroundings, wallets: Sequence[SampleWallet]
    ) -> None:
        self.refused: TellerError | None = None
        self._service = service
        self._around = around
        self._wallets = {wallet.name: wallet for wallet in wallets}
        self._bank_account = ""
        self._wallet = ""
        self._ids: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._keys = 0

    def use(self, bank_account: str, wallet: str) -> None:
        """Set the bank account and the wallet that the steps refer to."""
        self._bank_account, self._wallet = bank_account, wallet

    def play(self, line: str) -> None:
        """Play one step. A refusal by the service is stored in ``refused``, not raised. Raises
        VerbUnknown: the step doesn't exist or its arguments are wrong."""
        words = shlex.split(line)
        step = VERBS.get(words[0]) if words else None
        if step is None:
            raise VerbUnknown(f"no such step: {line}")
        self.refused = None
        self._around.pressed(_keys_of(words))
        try:
            step(self, *words[1:])
        except VerbUnknown:
            raise
        except TellerError as error:
            self.refused = error
        except (TypeError, ValueError) as error:
            raise VerbUnknown(f"{line}: {error}") from None

    # -- accounts and funds -------------------------------------------------------------------

    def open(self, kind: str = "checking") -> None:
        request = OpenTradingAccount(bank_account_id=self._bank_account, bank_account_type=kind)
        opened = self._service.open_trading_account(request, idempotency_key=self._key())
        self._ids["account"] = opened.value.id

    def deposit(self, amount: str, currency: str = "DPT_USD") -> None:
        request = DepositRequest(amount=amount, currency=read_currency(currency))
        self._service.deposit(self._account, request, idempotency_key=self._key())

    def withdraw(self, amount: str, currency: str = "DPT_USD", to: str = "") -> None:
        destination = None
        if to:
            destination = Destination(
                type="counterparty",
                counterparty_id=self._id("counterparty"),
                blockchain_account_id=self._id("blockchain account"),
            )
        request = WithdrawalRequest(
            amount=amount,
            currency=read_currency(currency),
            destination=destination,
        )
        self._service.withdraw(self._account, request, idempotency_key=self._key())

    # -- trading ------------------------------------------------------------------------------

    def quote(self, market: str, side: str, amount: str) -> None:
        request = QuoteRequest(amount=amount, side=side, trading_account_id=self._account)
        made = self._service.create_quote(market, request, idempotency_key=self._key())
        self._ids["quote"] = made.value.id

    def execute(self) -> None:
        """Execute the newest quote, each time with a new idempotency key."""
        self._ids["execution"] = self._key()
        self.repeat()

    def repeat(self) -> None:
        """Send the newest execution again, as the same request."""
        request = ExecuteRequest(trading_account_id=self._account)
        trade = self._service.execute_quote(
            self._id("quote"), request, idempotency_key=self._id("execution")
        ).value
        self._ids["trade"] = trade.id

    def look(self) -> None:
        """Open the caller's record, and find the trade of the newest quote in the list; without a
        quote, the newest trade."""
        self._around.opened()
        trades = self._service.trades(self._account, ListQuery(limit=MAXIMUM_LIMIT)).data
        wanted = self._ids.get("quote")
        found = next((each.id for each in trades if wanted in {None, each.quote_id}), None)
        if found is not None:
            self._ids["trade"] = found

    def cancel(self, trade: str = "") -> None:
        """Cancel a trade: the newest one if no id is given."""
        if not trade and "trade" not in self._ids:
            self.look()
        wanted = trade or self._id("trade")
        self._service.cancel_trade(self._account, wanted, idempotency_key=self._key())

    # -- wallets ------------------------------------------------------------------------------

    def register(self, wallet: str = "") -> None:
        """Register the wallet; opens a blockchain account of its network if needed."""
        chosen = self._sample(wallet)
        network = chosen.address.network.name
        address = RegisterCounterparty(address=chosen.address.display, network=network)
        made = self._service.register_counterparty(address, idempotency_key=self._key())
        self._ids["counterparty"] = made.value.id
        mine = self._service.blockchain_accounts(ListQuery(trading_account_id=self._account)).data
        found = next((each.id for each in mine if each.network == network), None)
        if found is None:
            request = OpenBlockchainAccount(trading_account_id=self._account, network=network)
            opened = self._service.open_blockchain_account(request, idempotency_key=self._key())
            found = opened.value.id
        self._ids["blockchain account"] = found

    def enter(self, address: str, network: str) -> None:
        """Register an address as the customer spelled it."""
        request = RegisterCounterparty(address=address, network=network)
        self._service.register_counterparty(request, idempotency_key=self._key())

    def challenge(self) -> None:
        request = ChallengeRequest(counterparty_id=self._id("counterparty"))
        made = self._service.create_challenge(
            self._id("blockchain account"), request, idempotency_key=self._key()
        )
        self._ids["challenge"] = made.value.id
        self._texts["challenge"] = made.value.challenge

    def sign(self) -> None:
        self._texts["signature"] = self._around.sign(self._wallet, self._text("challenge"))

    def check(self) -> None:
        asked = DiagnosisRequest.of(self._claim())
        self._service.diagnose_signature(self._id("blockchain account"), asked)

    def claim(self) -> None:
        made = self._service.submit_claim(
            self._id("blockchain account"), self._claim(), idempotency_key=self._key()
        )
        self._ids["claim"] = made.value.id

    def link(self, wallet: str = "") -> None:
        chosen = self._sample(wallet)
        if "small transfer" in self._ids:
            sent = self._service.small_transfer_by_id(self._ids["small transfer"])
            self._ids["claim"] = sent.claim_id or self._id("claim")
        request = LinkRequest(
            address=chosen.address.display,
            network=chosen.address.network.name,
            ownership_claim_id=self._id("claim"),
        )
        self._service.link_counterparty(
            self._id("blockchain account"), request, idempotency_key=self._key()
        )

    def transfer(self) -> None:
        """Ask for a small transfer; ``link`` then uses the claim that it became."""
        request = SmallTransferRequest(counterparty_id=self._id("counterparty"))
        made = self._service.create_small_transfer(
            self._id("blockchain account"), request, idempotency_key=self._key()
        )
        self._ids["small transfer"] = made.value.id

    def verify(self) -> None:
        """Register, challenge, sign, claim and link."""
        self.register()
        self.challenge()
        self.sign()
        self.claim()
        self.link()

    def stop(self) -> None:
        """Cancel the newest withdrawal."""
        newest = self._service.withdrawals(self._account, ListQuery(limit=1)).data[0]
        self._service.cancel_withdrawal(self._account, newest.id, idempotency_key=self._key())

    # -- decisions ----------------------------------------------------------------------------

    def take(self) -> None:
        """Take the decision about the customer's withdrawal."""
        self._service.take_decision(self._waiting(), idempotency_key=self._key())

    def approve(self) -> None:
        self._service.approve_decision(self._waiting(), Approval(), idempotency_key=self._key())

    def refuse(self, reason: str) -> None:
        asked = Refusal(reason=reason)
        self._service.refuse_decision(self._waiting(), asked, idempotency_key=self._key())

    def ask(self, *words: str) -> None:
        """Note what the customer is asked for."""
        asked = DecisionNote(note=" ".join(words))
        self._service.note_decision(self._waiting(), asked, idempotency_key=self._key())

    def freeze(self, control: str = Control.FROZEN) -> None:
        """Put a control on the customer's account."""
        asked = OpenDecision(
            kind=DecisionKind.CONTROL, subject=self._account, control=control, reason=AT_DESK
        )
        self._service.open_decision(asked, idempotency_key=self._key())

    def lift(self) -> None:
        """Lift the control of the customer's account."""
        standing = self._waiting(DecisionKind.CONTROL)
        self._service.approve_decision(standing, Approval(), idempotency_key=self._key())

    # -- words and time -----------------------------------------------------------------------

    def tell(self, *words: str) -> None:
        self._around.say(" ".join(words))

    def say(self, statement: str) -> None:
        self._around.say(f"#{statement}")

    def agree(self, statement: str) -> None:
        """Say a statement that asks for consent; once more if the customer has a question."""
        for again in range(_MOST_ASKED):
            if again:
                self._around.pressed(_STEPS[Player.agree])
            self._around.say(f"#{statement}")
            if self._around.has_agreed():
                return

    def wait(self, time: str) -> None:
        self._around.wait(duration(time))

    def hint(self) -> None:
        self._around.hint()

    # -- below --------------------------------------------------------------------------------

    def _key(self) -> str:
        self._keys += 1
        return f"step-{self._keys}-{type(self._around).__name__.strip('_').lower()}"

    @property
    def _account(self) -> str:
        found = self._ids.get("account")
        if found is None:
            query = ListQuery(text=self._bank_account)
            for account in self._service.trading_accounts(query).data:
                if account.bank_account_id == self._bank_account:
                    found = self._ids["account"] = account.id
        if found is None:
            raise VerbUnknown("the customer has no trading account; open comes first")
        return found

    def _waiting(self, kind: DecisionKind = DecisionKind.WITHDRAWAL) -> str:
        """The customer's decision that was opened last; an open one if there is any."""
        query = ListQuery(trading_account_id=self._account, type=kind, sort="-created")
        found = self._service.decisions(query).data
        if not found:
            raise VerbUnknown(f"no decision about a {kind} of the customer")
        return next((each.id for each in found if each.status == "open"), found[0].id)

    def _id(self, what: str) -> str:
        if what not in self._ids:
            raise VerbUnknown(f"there is no {what} yet")
        return self._ids[what]

    def _text(self, what: str) -> str:
        if what not in self._texts:
            raise VerbUnknown(f"there is no {what} yet")
        return self._texts[what]

    def _sample(self, name: str) -> SampleWallet:
        found = self._wallets.get(name or self._wallet)
        if found is None:
            raise VerbUnknown(f"no sample wallet {name or '(none given)'}")
        return found

    def _claim(self) -> ClaimRequest:
        return ClaimRequest(
            challenge_id=self._id("challenge"),
            completed_challenge=self._text("signature"),
            counterparty_id=self._id("counterparty"),
        )


_STEPS: Mapping[Callable[..., None], int] = {
    Player.open: 3,  # + enter y
    Player.deposit: 2,  # d ... enter
    Player.withdraw: 3,  # w ... enter y
    Player.quote: 2,  # b ... enter
    Player.execute: 2,  # X y
    Player.repeat: 2,
    Player.look: 1,  # 4
    Player.cancel: 3,  # 4 C y
    Player.stop: 3,  # 6 C y
    Player.register: 3,
    Player.enter: 3,
    Player.challenge: 1,
    Player.sign: 1,
    Player.check: 1,
    Player.claim: 1,
    Player.transfer: 10,  # : small transfer enter, enter
    Player.link: 1,
    Player.verify: 6,
    Player.take: 2,  # 7 T
    Player.approve: 3,  # 7 A y
    Player.refuse: 5,  # 7 R 1 enter y
    Player.ask: 3,  # 7 m ... enter
    Player.freeze: 4,  # 1 F enter y
    Player.lift: 3,  # 1 F y
    Player.tell: 2,  # t t
    Player.say: 3,
    Player.agree: 3,
    Player.wait: 0,
    Player.hint: 0,
}
"""Every step, with the number of its keys in the console."""
VERBS: Mapping[str, Callable[..., None]] = {step.__name__: step for step in _STEPS}
_TYPED = frozenset({"deposit", "withdraw", "quote"})


def _keys_of(words: Sequence[str]) -> int:
    """The number of keys for a step in the console: its own, and every character of an amount."""
    typed = 0
    if words[0] in _TYPED:
        typed = sum(len(word) for word in words[1:] if word[0].isdigit())
    return _STEPS[VERBS[words[0]]] + typed
