"""The desk line by line: for screen readers, for slow links, for people who like prompts.

A line is a command without the program's name; it works on the place that the desk was opened on.
What happened meanwhile is told, one line per event, before each prompt.
"""

import shlex
import sys

import click

from chainteller.bootstrap import OpenedService, open_service
from chainteller.cli.confirmation import session
from chainteller.cli.error_output import Usage, report_error, say
from chainteller.cli.output import line
from chainteller.cli.plain_commands import HELP, Words
from chainteller.cli.runner import require_no_secrets, run_program
from chainteller.service.errors import NotOffered, SecretEntered, TellerError
from chainteller.settings.flags import Flags
from chainteller.settings.place import Configured

PROMPT = "> "
_ENDS = {"quit", "exit"}
_OWN_SCREEN = {"desk", "demo", "train", "serve"}
_HELP = """\
accounts list, accounts show ID, customers find TEXT, deposit ACCOUNT AMOUNT,
trade buy sol-usd --spend AMOUNT --account ID, trades list ACCOUNT,
withdrawals list ACCOUNT, withdrawals show TXN, withdrawals cancel TXN, wallets --help ...
COMMAND --help explains a command, --help lists all, quit ends."""


def run_plain(configured: Configured) -> int:
    """Read commands until ``quit`` or the end of input; returns the last exit code."""
    place = configured.place()
    opened = open_service(configured, place)
    try:
        guard = "read-only" if place.read_only else "read and write"
        line(f"{place.kind} {place.label}, {guard}. Type a command, help or quit.")
        own = Words(configured, opened)
        with session():
            return _conversation(opened, own, _options(configured.flags))
    finally:
        opened.close()


def _conversation(opened: OpenedService, own: Words, options: list[str]) -> int:
    program = click.get_current_context().find_root().command
    code, cursor = 0, _cursor(opened)
    while True:
        cursor = _tell_events(opened, cursor)
        words = _asked()
        if words is None:
            return code
        if words == ["help"]:
            for each in (*_HELP.splitlines(), *HELP.splitlines()):
                line(each)
        elif words and words[0] in _OWN_SCREEN:
            code = report_error(Usage(f"{words[0]} opens its own program.", "quit, then start it"))
        elif words:
            answered = own.run(words)
            given = [*words, *options]
            code = run_program(program, given, words) if answered is None else answered


def _asked() -> list[str] | None:
    """Read the words of the next line; None at the end of input."""
    sys.stdout.write(PROMPT)
    sys.stdout.flush()
    given = sys.stdin.readline()
    if not given:
        line()
        return None
    try:
        words = shlex.split(given)
        require_no_secrets(words, given)
    except ValueError as error:
        report_error(Usage(f"The line can't be read: {error}.", "Close the quotation mark."))
        return []
    except SecretEntered as error:
        report_error(error)
        return []
    return None if words and words[0] in _ENDS else words


def _options(flags: Flags) -> list[str]:
    """The options that select this place, for each command."""
    valued = {"--profile": flags.profile, "--database": flags.database, "--url": flags.url}
    given = [word for name, value in valued.items() if value for word in (name, value)]
    return [*given, *(["--read-only"] if flags.read_only else [])]


def _cursor(opened: OpenedService) -> int:
    try:
        opened.run_due()
        return opened.service.events(after=-1).next
    except NotOffered:
        line("This deployment has no events. Look records up to see what happened.")
        return 0
    except TellerError as error:
        report_error(error)
        return 0


def _tell_events(opened: OpenedService, after: int) -> int:
    """Print one line per event since the cursor; nothing where events are not offered."""
    try:
        opened.run_due()
        found = opened.service.events(after=after)
    except NotOffered:
        return after
    except TellerError as error:
        say(f"{error.code}: {error.message}")
        return after
    for event in found.data:
        line(f"{event.at:%H:%M:%SZ}  {event.type}  {event.resource}")
    return found.next
