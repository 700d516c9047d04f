"""A database with the sample data and many settled trades, for the console's benchmark.

Run: python benchmarks/console_database.py FILE [TRADES]
"""

import sqlite3  # noqa: TID251 - also runs beside the released build, in a process of its own
import subprocess
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.trade_rows import insert_trades, trade_row


def fill(path: Path, trades: int) -> None:
    """The trades go to the account with the latest activity, which the list shows first."""
    program = [sys.executable, "-m", "chainteller", "db", "sample"]
    subprocess.run([*program, "--database", f"sqlite:///{path}"], check=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        account, ordinal, transactions, at = connection.execute(
            "SELECT id, trade_count, transaction_count, last_activity FROM trading_account "
            "ORDER BY last_activity DESC LIMIT 1"
        ).fetchone()
        insert_trades(
            connection,
            (
                trade_row(account, number, after=(ordinal, transactions), at=at - trades + number)
                for number in range(1, trades + 1)
            ),
        )
        connection.execute(
            "UPDATE trading_account SET trade_count = ?, transaction_count = ? WHERE id = ?",
            (ordinal + trades, transactions + trades, account),
        )
        connection.execute("COMMIT")


if __name__ == "__main__":
    fill(Path(sys.argv[1]).absolute(), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
