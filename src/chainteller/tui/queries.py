"""Reads that combine several calls of the service; plain functions that run in a thread."""

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_DOWN, Decimal
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from chainteller.domain.assets import CASH_EQUIVALENTS, base_symbol
from chainteller.domain.challenges import is_verified
from chainteller.domain.clock import to_datetime
from chainteller.domain.decisions import DecisionKind, DecisionStatus
from chainteller.domain.periods import day_after
from chainteller.records.trades import is_over as is_trade_over
from chainteller.records.trades import is_trade
from chainteller.records.transfers import is_over as is_transfer_over
from chainteller.service.errors import NotFound, NotOffered, TellerError
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.trades import Trade
from chainteller.service.operations import BLOCKCHAIN_ACCOUNTS, NOTES_FEATURE, TRANSACTIONS
from chainteller.workspace.notes import of_team

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chainteller.domain.periods import Days
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TokenBalance, TradingAccount
    from chainteller.service.models.counterparties import BlockchainAccount, Challenge, Counterparty
    from chainteller.service.models.decisions import Decision
    from chainteller.service.models.finding import Found
    from chainteller.service.models.funding import LimitUsage
    from chainteller.service.models.markets import Market, PriceSample
    from chainteller.service.models.notes import Note
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Transaction

Part = TypeVar("Part")
Other = TypeVar("Other")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a part of a screen is missing: failed and not offered are two different texts."""

    text: str


@dataclass(frozen=True, slots=True)
class AccountSheet:
    """An account with all that its detail shows.

    Attributes:
        read_at: When the service was asked: what its balances are as of.
        shows_trades_alone: Whether the deployment lists trades, but not every transaction.
        knows_wallets: Whether the deployment lists the account's wallets; else they are those that
            are known on this desk.
        notes: The team's newest ones; None where the deployment keeps none.
    """

    read_at: datetime
    account: "TradingAccount"
    balances: "tuple[TokenBalance, ...] | Gap"
    activity: "tuple[Transaction, ...] | Gap"
    limits: "tuple[LimitUsage, ...] | Gap"
    wallets: "tuple[LinkedAccount, ...] | Gap"
    shows_trades_alone: bool = False
    knows_wallets: bool = True
    notes: "tuple[Note, ...] | None" = None

    @property
    def state(self) -> tuple[object, ...]:
        """Two sheets of the same state have the same past."""
        newest = () if isinstance(self.activity, Gap) else self.activity[:1]
        balances = () if isinstance(self.balances, Gap) else self.balances
        held = tuple((row.token, row.total or row.amount) for row in balances)
        return (self.account.id, held, tuple((row.id, row.status) for row in newest))


@dataclass(frozen=True, slots=True)
class LinkedAccount:
    """A blockchain account with the counterparties linked to it."""

    account: "BlockchainAccount"
    counterparties: "tuple[Counterparty, ...]"


@dataclass(frozen=True, slots=True)
class MarketSheet:
    markets: "tuple[Market, ...]"
    samples: "dict[str, tuple[PriceSample, ...]]"


def created_within(days: "Days | None") -> dict[str, str]:
    """The filters of a list for what was created on some days; none for any day."""
    if days is None:
        return {}
    first, after = days.first.isoformat(), day_after(days.last).isoformat()
    return {"created_gte": f"{first}T00:00:00Z", "created_lt": f"{after}T00:00:00Z"}


def is_within(moment: datetime | None, days: "Days | None") -> bool:
    """Whether something happened on some days; what has no time may have."""
    return days is None or moment is None or days.first <= moment.date() <= days.last


def query(**fields: object) -> ListQuery:
    return ListQuery.model_validate(fields)


ACTIVITY_ROWS, _CHALLENGES, _QUOTES = 8, 10, 20


def account_sheet(
    service: "Service",
    account_id: str,
    now: int,
    offers: "Callable[[str], bool]" = lambda _feature: True,
) -> AccountSheet:
    """``now`` is in microseconds since the epoch; ``offers`` says which additions the deployment
    has. Raises NotFound; every other part may be a gap.
    """
    account = service.trading_account(account_id)
    lists_all = offers(TRANSACTIONS.feature or "")
    asked = query(limit=ACTIVITY_ROWS)
    return AccountSheet(
        read_at=to_datetime(now),
        account=account,
        balances=_or_gap(lambda: service.token_balances(account_id).data),
        activity=_or_gap(
            lambda: (
                service.transactions(account_id, asked).data
                if lists_all
                else service.trades(account_id, asked).data[:ACTIVITY_ROWS]
            )
        ),
        limits=_or_gap(lambda: service.limits(account_id).data),
        wallets=_or_gap(lambda: linked_accounts(service, account_id)),
        shows_trades_alone=not lists_all,
        knows_wallets=offers(BLOCKCHAIN_ACCOUNTS.feature or ""),
        notes=team_notes(service, account_id, offers),
    )


def team_notes(
    service: "Service", about: str, offers: "Callable[[str], bool]"
) -> "tuple[Note, ...] | None":
    """The team's newest notes; None where the deployment keeps none, or doesn't show them."""
    if not offers(NOTES_FEATURE):
        return None
    return attempt(lambda: of_team(service, about), None)


def attempt(read: "Callable[[], Part]", otherwise: Other) -> "Part | Other":
    """What a read gives, or else, where it is refused, something in its place."""
    try:
        return read()
    except TellerError:
        return otherwise


def _or_gap(read: "Callable[[], Part]") -> "Part | Gap":
    try:
        return read()
    except TellerError as error:
        return gap(error)


def linked_accounts(service: "Service", account_id: str) -> tuple[LinkedAccount, ...]:
    found = service.blockchain_accounts(query(trading_account_id=account_id, limit=20)).data
    return tuple(
        LinkedAccount(account, service.linked_counterparties(account.id).data) for account in found
    )


def standing_decision(service: "Service", kind: DecisionKind, subject: str) -> "Decision | None":
    """The open decision about an account's control, or about a closed market."""
    status = DecisionStatus.OPEN.value
    found = service.decisions(query(text=subject, status=status, type=kind.value)).data
    return found[0] if found else None


def newest_quotes(service: "Service", account_id: str, most: int = _QUOTES) -> "tuple[Quote, ...]":
    """An account's newest quotes; none where they can't be read."""
    asked = query(trading_account_id=account_id, limit=most)
    return attempt(lambda: service.quotes(asked).data, ())


def open_challenges(service: "Service", sheet: AccountSheet) -> "tuple[Challenge, ...]":
    """The texts that wait for a signature, for the linked accounts of a sheet; as far as they can
    be read.
    """
    linked = () if isinstance(sheet.wallets, Gap) else sheet.wallets
    found = [attempt(partial(_open_challenges, service, each), ()) for each in linked]
    return tuple(row for rows in found for row in rows)


def _open_challenges(service: "Service", linked: LinkedAccount) -> "tuple[Challenge, ...]":
    wallets = {each.id: each for each in linked.counterparties}
    return tuple(
        row
        for row in service.challenges(linked.account.id, query(limit=_CHALLENGES)).data
        if row.status == "open" and is_needed(row, wallets.get(row.counterparty_id or ""))
    )


def is_needed(challenge: "Challenge", wallet: "Counterparty | None") -> bool:
    """Whether an open text is still to be signed: not where something else has verified its wallet
    since it was made.
    """
    verification = wallet.verification if wallet is not None else None
    if verification is None or challenge.created is None:
        return True
    return not is_verified(verification.status) or challenge.created > verification.verified_at


def is_over(row: "Transaction") -> bool:
    """Whether nothing happens to a trade, deposit or withdrawal any more."""
    return is_trade_over(row) if is_trade(row) else is_transfer_over(row)


def gap(error: TellerError) -> Gap:
    if isinstance(error, NotOffered):
        return Gap("not offered by this deployment")
    return Gap(f"failed: {error.code}")


def market_sheet(service: "Service", names: tuple[str, ...]) -> MarketSheet:
    """All markets, and recent prices of the named ones where the deployment has them."""
    markets = service.markets().data
    samples: dict[str, tuple[PriceSample, ...]] = {}
    for name in names:
        try:
            samples[name] = service.prices(name).data
        except NotOffered:
            samples[name] = ()
    return MarketSheet(markets, samples)


@dataclass(frozen=True, slots=True)
class FormSheet:
    """What the quote form stands on: the account, what it holds, the markets."""

    account: "TradingAccount"
    balances: "tuple[TokenBalance, ...]"
    markets: "tuple[Market, ...]"
    quotes: "tuple[Quote, ...]" = ()
    """Those asked for earlier, the newest first."""

    def market(self, name: str) -> "Market | None":
        return next((row for row in self.markets if row.market_name == name), None)

    def spendable(self, market: str, side: str) -> str:
        """What could be sold at most: buying power, or the units of the market's asset."""
        if side == "buy":
            return self.account.buying_power or _usd_like(self.balances)
        symbol = base_symbol(market)
        found = [row.amount for row in self.balances if row.token.symbol == symbol]
        return found[0] if found else "0.00"


USD_LIKE = frozenset(asset.symbol for asset in CASH_EQUIVALENTS)


def _usd_like(balances: "tuple[TokenBalance, ...]") -> str:
    """For a deployment that does not tell buying power: the sum of what counts as dollars."""
    found = [Decimal(row.amount) for row in balances if row.token.symbol in USD_LIKE]
    return f"{sum(found, Decimal(0)).quantize(Decimal('0.01'), ROUND_DOWN)}"


_EARLIER = 5


def form_sheet(service: "Service", account_id: str, before: FormSheet | None = None) -> FormSheet:
    """``before`` is the last sheet: earlier quotes are asked for once. Raises NotFound."""
    same = before is not None and before.account.id == account_id
    return FormSheet(
        service.trading_account(account_id),
        service.token_balances(account_id).data,
        service.markets().data,
        before.quotes
        if before is not None and same
        else newest_quotes(service, account_id, _EARLIER),
    )


_MOST_LIKE, _MOST_PEOPLE = 20, 6


def accounts_like(service: "Service", text: str) -> "tuple[TradingAccount, ...]":
    """The accounts of whoever a text may mean, the best match first: of people whose names are only
    like it, and of records that it names. Empty where the deployment can't search everything.

    Raises:
        TellerError: the search failed.
    """
    accounts: dict[str, TradingAccount] = {}
    people = 0
    for row in found_by(service, text):
        people += row.kind == "customer"
        if row.kind == "customer" and row.reference and people <= _MOST_PEOPLE:
            asked = query(text=row.reference, limit=_MOST_LIKE)
            theirs = service.trading_accounts(asked).data
            accounts |= {each.id: each for each in theirs if each.customer_id == row.id}
        elif row.trading_account_id and row.trading_account_id not in accounts:
            account = service.trading_account(row.trading_account_id)
            accounts[account.id] = account
        if len(accounts) >= _MOST_LIKE:
            break
    return tuple(accounts.values())


def found_by(service: "Service", text: str) -> "tuple[Found, ...]":
    """What a search of everything finds; nothing where the deployment has none."""
    try:
        return service.find(text).data[:_MOST_LIKE]
    except NotOffered:
        return ()


def records_found(
    service: "Service",
    text: str,
    kinds: frozenset[str],
    read: "Callable[[str, str], Item]",
    listed: "Callable[[str], Sequence[Item]] | None",
) -> "list[Item]":
    """Records of some kinds that a search of everything finds; without any, those of the people
    whom it finds. ``read`` reads one by its trading account and its own id, and ``listed`` those of
    a trading account; without it, people are left out.

    Raises:
        TellerError: the search or a read failed.
    """
    found = found_by(service, text)
    records = [read(row.trading_account_id or "", row.id) for row in found if row.kind in kinds]
    if records or listed is None:
        return records
    accounts = [row.id for row in found if row.kind == "trading-account"]
    return [each for account_id in accounts[:_MOST_PEOPLE] for each in listed(account_id)]


def trades_by_id(service: "Service", trade_id: str) -> "list[Trade]":
    """The trade, or none; on a deployment that finds none by id, one of the newest of all."""
    try:
        found = service.transaction_by_id(trade_id)
    except NotFound:
        return []
    except NotOffered:
        recent = service.all_trades(query(limit=100)).data
        return [row for row in recent if row.id == trade_id]
    return [found] if isinstance(found, Trade) else []


class CustomerView(NamedTuple):
    """All that is read about one customer.

    Attributes:
        sheet: The account as its detail shows it.
        transactions: The newest ones first; trades alone where the deployment lists no others.
        quotes: The newest ones first.
        challenges: The texts that wait for a signature.
    """

    sheet: AccountSheet
    transactions: "tuple[Transaction, ...]" = ()
    quotes: "tuple[Quote, ...]" = ()
    challenges: "tuple[Challenge, ...]" = ()


class DeskView(NamedTuple):
    """What all of the deployment waits for, as (words for one, how many), and the prices of the
    market that is being looked at, oldest first."""

    waiting: tuple[tuple[str, int], ...] = ()
    markets: "tuple[Market, ...]" = ()
    looked_at: str = ""
    samples: "tuple[PriceSample, ...]" = ()
