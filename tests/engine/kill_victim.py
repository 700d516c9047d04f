"""The program that test_kill.py kills: it trades as fast as it can and says what was answered.

Each line on stdout is an acknowledged write, flushed before its thread begins the next one.
"""

import sys
import threading

from tests.world.files import KEYS

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.engine import Engine, EngineContext
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.database import open_database

_speaking = threading.Lock()


def say(kind: str, record_id: str) -> None:
    with _speaking:
        sys.stdout.write(f"{kind} {record_id}\n")
        sys.stdout.flush()


def main(url: str, account: str, threads: int) -> None:
    options = EngineOptions(fill_delay_s=0, settle_delay_s=0, withdrawal_delay_s=0)
    bank = EngineContext(
        open_database(url, KEYS),
        SystemClock(),
        SystemRandomness(),
        SimulatedPrices("1"),
        SimulatedVenue("1"),
        options,
    )
    say("ready", account)
    for _ in range(threads - 1):
        threading.Thread(target=trade_for_ever, args=(Engine(bank), account), daemon=True).start()
    trade_for_ever(Engine(bank), account)


def trade_for_ever(engine: Engine, account: str) -> None:
    number = 0
    token = Currency(type="deposit-token-currency", id="DPT_USD")
    while True:
        number += 1
        deposit = engine.deposit(account, DepositRequest(amount="3.00", currency=token))
        say("deposit", deposit.value.id)
        quote = engine.create_quote("sol-usd", QuoteRequest(amount="2.00", side="buy")).value
        say("quote", quote.id)
        request = ExecuteRequest(trading_account_id=account)
        trade = engine.execute_quote(quote.id, request, idempotency_key=quote.id).value
        say("trade", trade.id)
        if number % 3 == 0:
            cancelled = engine.cancel_trade(account, trade.id)
            say("cancelled", cancelled.value.id)
        if number % 4 == 0:
            withdrawal = engine.withdraw(account, WithdrawalRequest(amount="0.50", currency=token))
            say("withdrawal", withdrawal.value.id)
        engine.run_due(3)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
