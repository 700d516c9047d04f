"""The bank's time: show it, and say that the clock is right. They work on the database."""

from chainteller.bootstrap import operator
from chainteller.cli.administration import Outcome, engine
from chainteller.cli.error_output import say
from chainteller.cli.options import group, options
from chainteller.cli.output import document, line, pairs
from chainteller.domain.clock import format_instant

_LABELS = {
    "certain": "certain",
    "reason": "reason",
    "bankTime": "bank's time",
    "clock": "clock",
    "clockOf": "whose clock",
    "machineClock": "this machine",
    "difference": "difference",
    "newestRecord": "newest record",
    "epoch": "epoch",
    "epochBegan": "epoch began",
}


@group("clock")
def clock() -> None:
    """The bank's time: show it, and settle it when it is uncertain."""


@clock.command("show", changes=False, example="clock show")
def show() -> None:
    """Show the bank's time, what the clocks show, and whether time is certain."""
    found = _shown()
    if options().json:
        document(found)
        return
    pairs([(label, found[name]) for name, label in _LABELS.items() if found[name] is not None])
    if not found["certain"]:
        say(
            f"CLOCK_UNCERTAIN: {found['meaning']}",
            "Next: set the clock right if it's wrong; if it's right, chainteller clock accept.",
        )


@clock.command("accept", changes=True, example="clock accept")
def accept() -> None:
    """Say that the clock is right: a new epoch begins with the time that it shows."""
    done = _accepted()
    if options().json:
        document(done)
    elif not done["accepted"]:
        line("time is certain; nothing was changed")
    else:
        line(f"epoch {done['epoch']} begins at {done['newTime']}, after {done['oldTime']}")
        if done["entriesBetween"]:
            line(
                f"{done['entriesBetween']} audit entries have a later time: "
                f"{done['firstEntry']} to {done['lastEntry']}"
            )
        line(f"records put right: {done['recordsPutRight']}")


def _shown() -> Outcome:
    """What time it is at the bank, and what the clocks show."""
    from chainteller.domain.timekeeping import MEANINGS
    from chainteller.engine.core import timekeeping
    from chainteller.engine.upkeep import epochs

    with engine() as found:
        context = found.context
        with context.database.read() as connection:
            reading = timekeeping.read(context.time, connection)
    known = reading.known
    newest = known.last_at if known else 0
    return {
        "certain": reading.doubt is None,
        "reason": None if reading.doubt is None else reading.doubt.value,
        "meaning": None if reading.doubt is None else MEANINGS[reading.doubt],
        "bankTime": format_instant(reading.now),
        "clock": format_instant(reading.clock),
        "clockOf": "database" if context.database.is_postgres else "machine",
        "machineClock": format_instant(reading.wall),
        "difference": epochs.describe_difference(reading.ahead) if reading.ahead else None,
        "newestRecord": format_instant(newest) if newest else None,
        "epoch": known.epoch if known else 0,
        "epochBegan": format_instant(reading.began_at) if reading.began_at else None,
    }


def _accepted() -> Outcome:
    """Begin a new epoch with the time that the clock shows, unless time is certain."""
    from chainteller.engine.upkeep import epochs

    with engine() as found:
        begun = epochs.accept(found.context, operator(options().configured.settings))
    if begun is None:
        return {"accepted": False}
    return {
        "accepted": True,
        "epoch": begun.number,
        "oldTime": format_instant(begun.before),
        "newTime": format_instant(begun.began_at),
        "entriesBetween": begun.stamped.entries,
        "firstEntry": begun.stamped.first or None,
        "lastEntry": begun.stamped.last or None,
        "recordsPutRight": begun.changed,
    }


COMMANDS = (clock,)
