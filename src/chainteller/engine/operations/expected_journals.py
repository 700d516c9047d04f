"""The journals that a record must have, derived from its row alone.

The rows are interpreted here independently of the code that posts, so that a mistake there does
not hide itself.
"""

from collections.abc import Iterable, Iterator, Mapping

from chainteller.domain import ledger
from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD
from chainteller.domain.ledger import Bucket, Fill, Journal, JournalKind, Leg
from chainteller.domain.money import Amount, whole_cents
from chainteller.domain.quoting import Side
from chainteller.domain.trades import FILLED, TradeStatus
from chainteller.domain.transfers import LEFT, Direction, TransferStatus
from chainteller.storage.db.query import Record
from chainteller.storage.queries.trades import hold_parts

_RELEASED = frozenset(status for status in TradeStatus if status.facts.gives_back)
_GIVEN_BACK = frozenset(status for status in TransferStatus if status.facts.gives_back)

COPIED_FROM_QUOTE = ("market", "side", "price_cents", "sold", "bought", "fee_cents")
"""Columns of a trade that repeat those of its quote."""
Posted = Mapping[str, Iterable[Leg]]
"""The stored legs, by the kind of their journal."""


def of_trade(trade: Record) -> Iterator[Journal]:
    parts, account, buys = hold_parts(trade.hold), trade.trading_account_id, trade.side == Side.BUY
    yield ledger.hold(account, trade.id, parts)
    if trade.status in _RELEASED:
        yield ledger.release(account, trade.id, parts)
    figures = Fill(
        account_id=account,
        reference=trade.id,
        base=MARKETS_BY_NAME[trade.market].base,
        base_atoms=trade.amount,
        usd_cents=trade.sold if buys else trade.bought,
        fee_cents=trade.fee_cents,
        provider_cents=trade.provider_cents,
    )
    if trade.status in FILLED:
        yield ledger.fill_buy(figures, parts) if buys else ledger.fill_sell(figures)
    if trade.status == TradeStatus.SETTLED:
        yield ledger.settle_buy(figures) if buys else ledger.settle_sell(figures)


def of_transfer(transfer: Record, posted: Posted) -> Iterator[Journal]:
    """Derive a transfer's journals.

    Three facts are not in the row and are taken from ``posted``: whether a failed withdrawal had
    been sent, how much of a deposit repaid what was owed, and how much of a returned deposit could
    be recovered.
    """
    if transfer.direction == Direction.DEPOSIT:
        return _of_deposit(transfer, posted)
    sent = transfer.status in LEFT or (
        transfer.status == TransferStatus.FAILED and JournalKind.SENT in posted
    )
    if transfer.counterparty_id is None:
        return _of_bank_withdrawal(transfer, sent=sent)
    return _of_wallet_withdrawal(transfer, sent=sent)


def _of_deposit(deposit: Record, posted: Posted) -> Iterator[Journal]:
    token, cents = ASSETS_BY_KEY[deposit.asset], deposit.notional_cents
    account = deposit.trading_account_id
    if deposit.status in (TransferStatus.COMPLETED, TransferStatus.RETURNED):
        repaid = _moved(posted, JournalKind.DEPOSIT, ledger.customer(account, Bucket.OWED))
        yield ledger.deposit_completed(account, deposit.id, token, cents, whole_cents(repaid, USD))
    if deposit.status == TransferStatus.RETURNED:
        available = ledger.customer(account, Bucket.AVAILABLE)
        recovered = whole_cents(_moved(posted, JournalKind.DEPOSIT_RETURN, available), token)
        yield ledger.deposit_returned(account, deposit.id, token, cents, recovered)


def _moved(posted: Posted, kind: JournalKind, code: str) -> int:
    """The atoms that a stored journal moved of an account."""
    return sum(leg.atoms for leg in posted.get(kind, ()) if leg.account == code)


def _of_bank_withdrawal(withdrawal: Record, *, sent: bool) -> Iterator[Journal]:
    parts, account = hold_parts(withdrawal.hold), withdrawal.trading_account_id
    yield ledger.hold(account, withdrawal.id, parts)
    if sent:
        yield ledger.bank_withdrawal_sent(account, withdrawal.id, parts)
        if withdrawal.status in (TransferStatus.FAILED, TransferStatus.RETURNED):
            yield ledger.bank_withdrawal_returned(account, withdrawal.id, parts)
    elif withdrawal.status in _GIVEN_BACK:
        yield ledger.release(account, withdrawal.id, parts)


def _of_wallet_withdrawal(withdrawal: Record, *, sent: bool) -> Iterator[Journal]:
    parts, account = hold_parts(withdrawal.hold), withdrawal.trading_account_id
    amount = Amount(withdrawal.amount, ASSETS_BY_KEY[withdrawal.asset])
    yield ledger.hold(account, withdrawal.id, parts)
    if sent:
        yield ledger.wallet_withdrawal_sent(account, withdrawal.id, amount, withdrawal.fee)
        if withdrawal.status == TransferStatus.FAILED:
            yield ledger.wallet_withdrawal_failed(account, withdrawal.id, amount)
        if withdrawal.status == TransferStatus.COMPLETED:
            yield ledger.wallet_withdrawal_confirmed(withdrawal.id, amount)
    elif withdrawal.status in _GIVEN_BACK:
        yield ledger.release(account, withdrawal.id, parts)
