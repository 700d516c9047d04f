"""Find anything by what a customer says or an agent remembers."""

import click

from chainteller.cli.lists import Output, output_options
from chainteller.cli.open_services import service
from chainteller.cli.options import command
from chainteller.records.finding import FOUND
from chainteller.service import operations as op
from chainteller.service.models.finding import Found


@command(
    "find",
    calls=[op.FIND],
    example=("find mara whitlok", "find TXN_E1FW..2CCQ", "find j. cartwright 250.00"),
)
@click.argument("words", nargs=-1, required=True)
@output_options(FOUND)
def find(words: tuple[str, ...], output: Output[Found]) -> None:
    """Find customers, accounts, trades, transfers, quotes and wallets, the best match first."""
    with service() as bank:
        found = bank.find(" ".join(words))
        output.write(
            found,
            found.data,
            nothing="nothing found; try a name, an id, an address, an amount or a day",
        )


COMMANDS = (find,)
