"""The throw-away bank of a training session, as training sees it; bootstrap fulfils it."""

from typing import Protocol

from chainteller.domain.clock import ManualClock
from chainteller.service.interface import Service


class TrainingWorld(Protocol):
    """A bank that exists for one session. Instants and durations are microseconds."""

    @property
    def service(self) -> Service:
        """The bank itself, without any fault."""

    @property
    def clock(self) -> ManualClock:
        """The bank's only clock."""

    def run_due(self) -> int:
        """Do what is due now; how many pieces of work that was."""

    def next_due(self) -> int | None:
        """The instant of the next work."""

    def save(self, slot: int) -> None:
        """Keep a copy of everything under a number; an older copy of it is replaced."""

    def restore(self, slot: int) -> None:
        """Bring everything back to the copy; the clock is not part of it."""

    def close_market(self, market: str, reason: str, until: int | None) -> None:
        """Close a market; without ``until`` nobody knows for how long."""

    def open_market(self, market: str) -> None:
        """Open it again."""

    def move_price(self, market: str, bps: int) -> None:
        """From now on a market's price is this many basis points off its usual course."""

    def move_peg(self, asset: str, bps: int) -> None:
        """From now on a stablecoin (``USDC@solana``) is this far from its dollar."""

    def require_reverification(
        self, blockchain_account_id: str, counterparty_id: str, reason: str
    ) -> None:
        """The bank's monitoring ends a wallet's verification."""

    def return_deposit(self, deposit_id: str) -> None:
        """The core bank takes a completed deposit back; the account is frozen."""

    def close(self) -> None:
        """Close the bank's file."""
