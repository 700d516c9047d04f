"""Parts of a bank that this program can stand in for, so that it works without them."""

from collections.abc import Mapping
from enum import StrEnum


class Part(StrEnum):
    CORE_BANK = "core bank"
    CUSTODY = "custody"
    SCREENING = "screening"
    VENUE = "venue"
    CHAIN = "chain"
    PRICES = "prices"


SIMULATED: Mapping[Part, str] = {
    Part.CORE_BANK: "Bank accounts and their balances exist here only. Deposits and withdrawals to "
    "the bank change them, and reach no core system.",
    Part.CUSTODY: "Nothing is sent to a chain. A withdrawal to a wallet is booked, and its "
    "transaction hash is made up.",
    Part.SCREENING: "Nobody screens customers or wallets. What waits for a person follows from the "
    "bank's policy alone.",
    Part.VENUE: "Trades are filled at the quote's price. No order reaches a liquidity provider.",
    Part.CHAIN: "What arrives for a small transfer is made up, unless wallets.arrivals names who "
    "reads the chain.",
    Part.PRICES: "Prices are made up, unless engine.price_feed names a source.",
}
"""What it means that a part is simulated."""
