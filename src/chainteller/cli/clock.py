"""The bank's time: show it, and say that the clock is right. They work on the database."""

import click

from chainteller.cli.administration import accept_clock, show_clock
from chainteller.cli.error_output import say
from chainteller.cli.options import TellerGroup, example, options
from chainteller.cli.output import document, line, pairs

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


@click.group("clock", cls=TellerGroup)
def clock() -> None:
    """The bank's time: show it, and settle it when it is uncertain."""


@clock.command("show", changes=False, epilog=example("chainteller clock show"))
def show() -> None:
    """Show the bank's time, what the clocks show, and whether time is certain."""
    found = show_clock()
    if options().json:
        document(found)
        return
    pairs([(label, found[name]) for name, label in _LABELS.items() if found[name] is not None])
    if not found["certain"]:
        say(
            f"CLOCK_UNCERTAIN: {found['meaning']}",
            "Next: set the clock right if it's wrong; if it's right, chainteller clock accept.",
        )


@clock.command("accept", changes=True, epilog=example("chainteller clock accept"))
def accept() -> None:
    """Say that the clock is right: a new epoch begins with the time that it shows."""
    done = accept_clock()
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


COMMANDS = (clock,)
