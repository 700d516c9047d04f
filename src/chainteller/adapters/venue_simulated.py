"""A simulated execution venue that decides by the trade's id alone."""

import hashlib

from chainteller.domain.trades import Rejection

PER_MILLE = 1000
_REFUSALS = (
    Rejection("PROVIDER_REJECTED", "The liquidity provider refused the order."),
    Rejection("NO_LIQUIDITY", "The liquidity provider could not fill the whole order."),
)


class SimulatedVenue:
    """Fills every order, or rejects a share of them for training.

    The same trade and seed always have the same outcome, so a repeated or concurrent worker
    reaches the same decision.
    """

    def __init__(self, seed: str = "", *, rejects_per_mille: int = 0) -> None:
        if not 0 <= rejects_per_mille <= PER_MILLE:
            raise ValueError(f"rejects_per_mille is between 0 and {PER_MILLE}")
        self._seed = seed
        self._rejects_per_mille = rejects_per_mille

    def decide(self, trade_id: str) -> Rejection | None:
        """None if the trade is filled at its price, otherwise the reason for the rejection."""
        digest = hashlib.sha256(f"{self._seed}/{trade_id}".encode()).digest()
        if int.from_bytes(digest[:8], "big") % PER_MILLE >= self._rejects_per_mille:
            return None
        return _REFUSALS[digest[8] % len(_REFUSALS)]
