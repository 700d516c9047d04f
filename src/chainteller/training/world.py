"""The interface to the temporary bank of a training session."""

from typing import Protocol

from chainteller.domain.clock import ManualClock
from chainteller.service.interface import Service


class TrainingWorld(Protocol):
    """A bank that exists for one session. Instants and durations are microseconds."""

    @property
    def service(self) -> Service:
        """The bank without faults, as the trainee uses it."""

    @property
    def colleague(self) -> Service:
        """The bank as another agent uses it, who did what was done before the session."""

    @property
    def clock(self) -> ManualClock:
        """The bank's only clock."""

    def run_due(self) -> int:
        """Do due work; returns how many pieces it did."""

    def next_due(self) -> int | None:
        """The instant of the next work, or None."""

    def close_market(self, market: str, reason: str, until: int | None) -> None:
        """Close a market; ``until`` is None if the end isn't known."""

    def open_market(self, market: str) -> None:
        """Reopen a market."""

    def move_price(self, market: str, bps: int) -> None:
        """Shift a market's price by this many basis points from now on."""

    def move_peg(self, asset: str, bps: int) -> None:
        """Shift a stablecoin (``USDC@solana``) by this many basis points from now on."""

    def require_reverification(
        self, blockchain_account_id: str, counterparty_id: str, reason: str
    ) -> None:
        """End a wallet's verification, as the bank's monitoring."""

    def report(self, transfer_id: str, status: str, reason: str) -> None:
        """Let a transfer end as the core bank reports it: failed, or returned."""

    def close(self) -> None:
        """Close the bank's file."""
