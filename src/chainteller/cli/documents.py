"""Documents for customers: where a command writes them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from chainteller.cli.error_output import Usage
from chainteller.cli.lists import write_new_file
from chainteller.cli.options import FILE

Function = TypeVar("Function", bound=Callable[..., Any])

output_file: Callable[[Function], Function] = click.option(
    "--output", "file", type=FILE, metavar="FILE", help="Write to a new file."
)


def write_document(document: str | bytes, file: Path | None) -> None:
    """Print a document, or write it to a new file that only its owner may read. Raises Usage: the
    file exists or can't be written, or a PDF would be printed on a terminal."""
    if file is not None:
        write_new_file(file, document)
    elif isinstance(document, str):
        click.echo(document, nl=False)
    elif sys.stdout.isatty():
        raise Usage("A PDF can't be shown in a terminal.", "Name a file: --output FILE.")
    else:
        click.echo(document, nl=False)
