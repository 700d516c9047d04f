"""What the row of ``storage.clock`` says, without the statements that read it."""

from typing import Any

from chainteller.domain.timekeeping import Anchor, Known


def known(row: Any) -> Known:
    return Known(
        row.last_at, row.seen_at, row.epoch, row.began_at, row.doubt, stepped=bool(row.stepped)
    )


def stored_anchor(row: Any, boot: str) -> Anchor | None:
    """The anchor of the machine's run ``boot``, if the row has one."""
    return Anchor(row.anchor_at, row.anchor_elapsed) if boot and row.boot == boot else None
