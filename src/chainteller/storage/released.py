"""Rows and columns that only the released build (66d1173, revision 0002) needs.

That build reads a customer's balances by the ``owner`` stored beside a ledger account's code, and
expects a row for each of its assets from the day a trading account is opened. This build derives
the owner from the code and treats a missing row as a balance of zero; it only writes both.
Revision 0006, from which no released server runs, drops the column and this module.
"""

from collections.abc import Iterator

from chainteller.domain.ledger import Bucket, customer, owner

ASSETS = frozenset(
    {
        "USD@fiat",
        "BUSD1@bank",
        "USDC@solana",
        "USDC@ethereum",
        "BTC@bitcoin",
        "ETH@ethereum",
        "SOL@solana",
    }
)
"""The assets that the released build knows. It can't read an account with a balance in any other
asset, so those rows are stored without an owner, where it doesn't look."""


def stored_owner(code: str, asset: str) -> str:
    """The ``owner`` column of a ledger account."""
    return owner(code) if asset in ASSETS else ""


def expected_rows(account_id: str) -> Iterator[tuple[str, str]]:
    """Code and asset of every row that a new trading account starts with."""
    for bucket in Bucket:
        for asset in sorted(ASSETS):
            yield customer(account_id, bucket), asset
