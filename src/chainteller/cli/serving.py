"""``chainteller serve``: the HTTP service on the embedded engine."""

import os

import click

from chainteller.cli import administration
from chainteller.cli.error_output import Usage
from chainteller.cli.options import TellerCommand, example, options


@click.command(
    "serve",
    cls=TellerCommand,
    changes=True,
    epilog=example("chainteller serve --port 8080", "chainteller serve --sample --log -"),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0: a free one."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="PostgreSQL only."
)
@click.option("--sample", is_flag=True, help="Load the sample data first.")
@click.option("--log", metavar="-", help="- logs to stderr instead of the log folder.")
def serve(host: str, port: int, workers: int, *, sample: bool, log: str | None) -> int:
    """Serve the HTTP API until SIGTERM."""
    if log not in (None, "-"):
        raise Usage("--log takes only -.", "Leave it out: logs then go to the log folder.")
    configured = options().configured
    place = configured.database()
    if workers > 1 and place.address.startswith("sqlite"):
        raise Usage(
            "SQLite is served by one worker.", "Use --workers 1, or a postgresql:// database."
        )
    if workers > 1 and not hasattr(os, "fork"):
        raise Usage("This system can't start several workers: it has no fork.", "Use --workers 1.")
    file = None if log == "-" else configured.settings.paths.logs / "serve.log"
    return administration.serve(host, port, workers, sample=sample, log=file)


COMMANDS = (serve,)
