"""What arrives on simulated chains: the sample wallets send what they are asked for.

Their owners behave as ``sends`` in ``sample_data/wallets.toml`` says, half a minute after they were
asked. Nothing is kept, so that all processes see the same, and no other wallet sends anything.
"""

from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.domain.clock import MINUTE, SECOND
from chainteller.domain.second_method import Awaited, Seen, rounded

if TYPE_CHECKING:
    from chainteller.wallets.simulated import SampleWallet

AFTER = 30 * SECOND
SENT = 7
"""How many transactions a sample wallet has signed before."""
LATE = 5 * MINUTE
"""How long after the deadline a late customer's transfer arrives."""


class SampleArrivals:
    """``file`` is the ``wallets.toml`` of sample data; it is read at the first question."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _wallets(self) -> "tuple[SampleWallet, ...]":
        from chainteller.wallets.simulated import sample_wallets  # noqa: PLC0415 - few commands ask

        return sample_wallets(self._file)

    def since(self, awaited: Awaited) -> tuple[Seen, ...]:
        """What the wallet's owner sends; what has not arrived yet is dated ahead."""
        from chainteller.wallets.simulated import Sends  # noqa: PLC0415 - as above

        asset = awaited.amount.asset
        asked = (asset.network, awaited.address)
        by_address = {(w.address.network.name, w.address.canonical): w for w in self._wallets}
        wallet = by_address.get(asked)
        if wallet is None:
            return ()
        atoms, sender, arrived = awaited.amount.atoms, awaited.address, awaited.since + AFTER
        if wallet.sends is Sends.ROUNDED:
            atoms = rounded(awaited.amount)
        elif wallet.sends is Sends.FROM_ANOTHER:
            others = {each.name: each.address.canonical for each in self._wallets}
            sender = others[wallet.other_account]
        elif wallet.sends is Sends.LATE:
            arrived = awaited.deadline + LATE
        parts = (sender, awaited.address, asset.key, str(atoms), str(arrived))
        seen = "0x" + sha256(" ".join(parts).encode()).hexdigest()
        to = awaited.address
        return (Seen(seen, sender, to, asset.key, atoms, arrived, (sender,), (to,), SENT),)
