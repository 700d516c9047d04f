"""Signing in with the bank's OpenID provider, and who one is for the service."""

import threading
from typing import TYPE_CHECKING

from chainteller.cli.error_output import say
from chainteller.cli.open_services import service
from chainteller.cli.options import command, options
from chainteller.cli.output import answer, document, pairs
from chainteller.service import operations as op

if TYPE_CHECKING:
    from chainteller.remote.signed_in import SignIn


@command("sign-in", calls=[op.CAPABILITIES], example="sign-in --profile bank")
def sign_in() -> None:
    """Sign in with the issuer that the profile names.

    It prints an address and a code: open the address in a browser, on any device, and enter the
    code there.
    """
    found = _sign_in()
    begun = found.issuer.begin()
    prompt = begun.prompt
    say(f"Open {prompt.address} and enter the code {prompt.code}")
    if prompt.whole_address:
        say(f"The code is in this address: {prompt.whole_address}")
    say(f"Waiting for you to confirm, for {prompt.within_s // 60} min at most. Ctrl+c cancels.")
    found.complete(begun, threading.Event())
    _show_who()


@command("sign-out", changes=False, example="sign-out")
def sign_out() -> None:
    """Forget the sign-in on this machine, and have the issuer end it."""
    found = _sign_in()
    was_signed_in = found.end()
    answer({"signedOut": was_signed_in}, "signed out" if was_signed_in else "nobody had signed in")


@command("whoami", calls=[op.CAPABILITIES], example="whoami")
def whoami() -> None:
    """Say who you are for the service, and what you may do there."""
    _show_who()


def _show_who() -> None:
    with service() as bank:
        found = bank.capabilities()
    if options().json:
        document(found)
        return
    place = options().configured.place()
    pairs([("name", found.actor), ("place", place.label), ("may", " ".join(found.scopes) or "all")])


def _sign_in() -> "SignIn":
    from chainteller.sign_ins import sign_in_of

    configured = options().configured
    return sign_in_of(configured.settings.paths, configured.place())


COMMANDS = (sign_in, sign_out, whoami)
