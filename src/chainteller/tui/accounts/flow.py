"""Account flows: deposits and withdrawals between an account and its bank account, new accounts."""

from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import USD
from chainteller.domain.clock import format_instant, from_datetime
from chainteller.domain.limits import DestinationClass
from chainteller.domain.preconditions import Act
from chainteller.records.formats import DEPOSIT_TOKEN, grouped
from chainteller.service.errors import (
    InsufficientFunds,
    KycRequired,
    LimitExceeded,
    NotOffered,
    TermsNotAccepted,
)
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask, retype_above
from chainteller.tui.holding import Held

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import Customer, TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.records import Capabilities

DEPOSIT, WITHDRAWAL = "deposit", "withdrawal"


def transfer_request(
    kind: str,
    account: "TradingAccount",
    amount: str,
    token: Currency,
    confirm_above_cents: int,
) -> CustomerRequest["Transfer"]:
    """The deposit or withdrawal of ``amount`` dollars."""
    prepare = deposit_request if kind == DEPOSIT else _withdrawal_request
    return prepare(account, amount, token, confirm_above_cents)


def deposit_request(
    account: "TradingAccount", amount: str, token: Currency, confirm_above_cents: int
) -> CustomerRequest["Transfer"]:
    """From the customer's bank account, as the bank's deposit token. Confirmed only above the
    limit: it's the customer's own money and can be brought back.
    """
    retype = retype_above(confirm_above_cents, amount)
    question = Ask(
        f"DEPOSIT {grouped(amount)} USD into {account.id}?",
        (f"from bank account {account.bank_account_id}",),
        retype=retype,
    )
    return CustomerRequest(
        account.id,
        partial(_deposit, account.id, amount, token),
        question if retype else None,
        act=Act.DEPOSIT,
        words=f"deposit of {grouped(amount)} USD",
    )


def held(account: "TradingAccount", what: str) -> Held:
    """A deposit that waits before it is sent; ``what`` are the words of its request."""
    whose = f" for {account.customer_name}" if account.customer_name else ""
    return Held(f"{what}{whose} from {account.bank_account_id}", what, account.id)


def _deposit(
    account_id: str, amount: str, token: Currency, service: "Service", key: str
) -> "Transfer":
    request = DepositRequest(amount=amount, currency=token)
    return service.deposit(account_id, request, idempotency_key=key).value


def _withdrawal_request(
    account: "TradingAccount", amount: str, token: Currency, confirm_above_cents: int
) -> CustomerRequest["Transfer"]:
    question = Ask(
        f"WITHDRAW {grouped(amount)} USD from {account.id}?",
        (f"to the customer's bank account {account.bank_account_id}",),
        retype=retype_above(confirm_above_cents, amount),
    )
    return CustomerRequest(
        account.id,
        partial(_withdraw, account.id, amount, token),
        question,
        partial(_require_possible, account.id, amount),
        act=Act.WITHDRAW,
        words=f"withdrawal of {grouped(amount)} USD",
    )


def _withdraw(
    account_id: str, amount: str, token: Currency, service: "Service", key: str
) -> "Transfer":
    """To the customer's bank account; a deposit token may draw on USD at par."""
    request = WithdrawalRequest(amount=amount, currency=token)
    return service.withdraw(account_id, request, idempotency_key=key).value


def deposit_token(capabilities: "Capabilities | None") -> Currency:
    """The deployment's first deposit token; DPT_USD where it does not say."""
    offered = capabilities.currencies if capabilities is not None else ()
    ids = (each.id for each in offered if each.type == DEPOSIT_TOKEN and each.id)
    return Currency(type=DEPOSIT_TOKEN, id=next(ids, "DPT_USD"))


def _require_possible(account_id: str, amount: str, service: "Service") -> None:
    """Check, as far as the deployment tells, that ``amount`` dollars can leave for the bank. The
    balance comes first: a limit above it would name an amount that isn't there.

    Raises:
        LimitExceeded, InsufficientFunds: as the withdrawal itself would be refused.
    """
    wanted = Decimal(amount)
    with suppress(NotOffered):
        power = service.trading_account(account_id).buying_power
        if power is not None and wanted > Decimal(power):
            raise InsufficientFunds(power, amount, USD.symbol)
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
                        "suggestion": f"w: withdraw at most {rule.remaining} USD now",
                    },
                )


def opening_request(
    bank_account_id: str, kind: str, customer: "Customer | None" = None
) -> CustomerRequest["TradingAccount"]:
    """A new trading account; the question names the customer, where the deployment knows them."""
    whose = f" for {customer.name}" if customer is not None else ""
    question = Ask(
        f"OPEN A TRADING ACCOUNT{whose}?",
        (
            f"with the {kind} bank account {bank_account_id}",
            "You can't close it from this console.",
        ),
    )
    request = OpenTradingAccount(bank_account_id=bank_account_id, bank_account_type=kind)
    return CustomerRequest(
        None,
        lambda service, key: service.open_trading_account(request, idempotency_key=key).value,
        question,
        lambda _service: require_admissible(customer),
    )


_BELOW_ENHANCED = frozenset({"none", "basic", "standard"})


def has_enhanced_kyc(customer: "Customer") -> bool:
    return customer.kyc_level.lower() not in _BELOW_ENHANCED


def require_admissible(customer: "Customer | None") -> None:
    """Raise what the service would refuse a known customer's account for."""
    if customer is not None and not customer.terms_accepted:
        raise TermsNotAccepted("The customer hasn't accepted the trading terms.")
    if customer is not None and not has_enhanced_kyc(customer):
        raise KycRequired("The customer hasn't completed the identity check that trading requires.")
