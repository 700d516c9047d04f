"""``chainteller check``: a deployment against the sentences of the specification."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from chainteller.cli.error_output import Exit, Usage
from chainteller.cli.options import command, options
from chainteller.cli.output import document, line
from chainteller.domain.clock import SECOND
from chainteller.domain.keys import duration_of
from chainteller.service.errors import ServiceUnreachable, Unauthorized
from chainteller.settings.place import Place
from chainteller.settings.values import SettingsInvalid

if TYPE_CHECKING:
    from chainteller.conformance.checks import Finding
    from chainteller.conformance.exchanges import Senders
    from chainteller.conformance.report import Report

_PARTS = ("core-bank", "custody", "screening", "venue")
_MAXIMUM_WAIT_S = 3600.0
_PENDING_S = 10.0
"""How long an adapter's request may be pending without ``--wait``."""
_WIDTH = 11
_SHOWN_EXCHANGES = 3


class _Duration(click.ParamType[float]):
    """A duration such as 30s or 5m, in seconds; 0s is allowed."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        try:
            seconds = 0.0 if value == "0s" else duration_of(str(value)) / SECOND
        except ValueError as error:
            self.fail(f"{value!r} isn't {error}", param, ctx)
        if seconds > _MAXIMUM_WAIT_S:
            self.fail("an hour is the most", param, ctx)
        return seconds


@command(
    "check",
    changes=False,
    example=(
        "check https://bank.example/trading",
        "check http://127.0.0.1:8080 --write --account TDA_... --wait 5m",
        "check --adapter custody https://adapters.bank.example/custody",
    ),
)
@click.argument("address", metavar="URL")
@click.option(
    "--adapter",
    type=click.Choice(_PARTS),
    help="Check an adapter of one of the bank's own systems.",
)
@click.option("--write", is_flag=True, help="Also make changes: only on a sandbox account.")
@click.option("--account", metavar="TDA_…", help="The trading account to read, and to trade in.")
@click.option(
    "--bank-account",
    metavar="ID@TYPE",
    help="With --write: open a trading account on it. With --adapter: debit and credit it.",
)
@click.option("--to", metavar="ADDRESS@NETWORK", help="With --adapter custody: send to it.")
@click.option(
    "--blockchain-account",
    "chains",
    metavar="BCA_…@NETWORK",
    multiple=True,
    help="A blockchain account for wallets; can be repeated.",
)
@click.option("--currency", metavar="CURRENCY", help="What to deposit: DPT_USD or USDC@solana.")
@click.option(
    "--wait",
    type=_Duration(),
    default="0s",
    help="How long to wait, such as 5m, for a quote to expire.",
)
@click.option(
    "--timeout", type=_Duration(), default="10s", show_default=True, help="Limit per request."
)
def check(  # noqa: PLR0913 - one per option
    *,
    address: str,
    adapter: str | None,
    account: str | None,
    bank_account: str | None,
    to: str | None,
    chains: tuple[str, ...],
    currency: str | None,
    wait: float,
    timeout: float,
    write: bool,
) -> int:
    """Check any deployment against the sentences of the specification.

    Only reads, unless --write is given. Exits with 1 if the deployment deviates. With --adapter,
    the address is that of an adapter to the bank's core bank, custody, screening or venue.
    """
    from chainteller.conformance.exchanges import Session
    from chainteller.conformance.probing import KeyRefused, Target, Unreachable
    from chainteller.conformance.report import check_deployment
    from chainteller.credentials import api_key
    from chainteller.domain.randomness import SystemRandomness

    place = _place(address)
    if write and place.read_only:
        raise Usage("--write makes changes, and read-only mode is on.", "Leave out --write.")
    if adapter is not None:
        own = _pair(bank_account, "--bank-account", "ACC-1@checking")
        sandbox = own[0] if own else "", _pair(to, "--to", "ADDRESS@ethereum")
        return _check_adapter(place, adapter, sandbox, timeout, wait or _PENDING_S, writes=write)
    target = Target(
        write=write,
        account=account,
        bank_account=_pair(bank_account, "--bank-account", "DDA-1001@checking"),
        chains={
            network: chain
            for chain, network in (
                _pair(each, "--blockchain-account", "BCA_1@ethereum") or ("", "") for each in chains
            )
        },
        currency=_currency(currency),
    )
    key = api_key(place, options().configured.environ)
    with _senders(place.address, key, timeout) as senders:
        session = Session(senders, time.monotonic, time.sleep, wait_s=wait)
        try:
            report = check_deployment(place.address, session, target, SystemRandomness())
        except Unreachable as reason:
            raise ServiceUnreachable(f"{place.label} can't be checked: {reason}.") from None
        except KeyRefused:
            raise Unauthorized("UNKNOWN") from None
    if options().json:
        document(report.to_json())
    else:
        _print(report)
    return Exit.REFUSED if report.deviates else Exit.DONE


def _check_adapter(
    place: Place,
    part: str,
    sandbox: tuple[str, tuple[str, str] | None],
    timeout_s: float,
    wait_s: float,
    *,
    writes: bool,
) -> int:
    """Exits with 1 if the adapter deviates from docs/reference/ports.md."""
    from chainteller.conformance.adapters import Adapter, Sandbox, check_adapter
    from chainteller.conformance.checks import State
    from chainteller.conformance.probing import Unreachable
    from chainteller.credentials import api_key
    from chainteller.domain.randomness import SystemRandomness

    randomness = SystemRandomness()
    with _senders(
        place.address, api_key(place, options().configured.environ), timeout_s
    ) as senders:
        adapter = Adapter(
            part,
            senders.keyed,
            senders.impostor,
            Sandbox(*sandbox, writes=writes),
            lambda: f"CHECK_{randomness.bytes(8).hex()}",
            wait_s,
        )
        try:
            findings = list(check_adapter(adapter))
        except Unreachable as reason:
            raise ServiceUnreachable(f"{place.label} can't be checked: {reason}.") from None
    counts = {state: sum(each.state is state for each in findings) for state in State}
    if options().json:
        checks = [each._asdict() | {"state": each.state.value} for each in findings]
        summary = {state.value: count for state, count in counts.items()}
        document({"url": place.address, "adapter": part, "checks": checks, "summary": summary})
    else:
        for each in findings:
            note = f" [{each.note}]" if each.note else ""
            line(f"{each.state.value:<{_WIDTH}}  {each.id}  {each.sentence}{note}")
        line()
        told = ", ".join(f"{count} {state.value}" for state, count in counts.items())
        line(f"{len(findings)} checks: {told}.")
    return Exit.REFUSED if counts[State.DEVIATES] else Exit.DONE


def _place(address: str) -> Place:
    """The deployment of the argument, with the key and the mode of ``--profile``. Raises Usage: the
    address is invalid, or a global option names another place."""
    configured = options().configured
    if configured.flags.names_address:
        raise Usage("check takes the deployment's address as its argument, not as an option.")
    given_as = "URL" if "@" in address else f"URL {address!r}"  # no password is repeated
    flags = configured.flags._replace(url=address, url_given_as=given_as)
    try:
        return replace(configured, flags=flags).place()
    except SettingsInvalid as error:
        raise Usage(error.message, "chainteller check https://HOST") from None


def _pair(text: str | None, option: str, shown: str) -> tuple[str, str] | None:
    if text is None:
        return None
    first, at, second = text.rpartition("@")
    if not (first and at and second):
        raise Usage(f"{option} {text!r} lacks a part.", f"Give it as in {option} {shown}.")
    return first, second


def _currency(text: str | None) -> Mapping[str, str] | None:
    from chainteller.cli.amounts import currency_of

    if text is None:
        return None
    found = json.loads(currency_of(text).to_json())
    return {name: value for name, value in found.items() if value is not None}


@contextmanager
def _senders(address: str, key: str, timeout_s: float) -> Iterator["Senders"]:
    from chainteller.conformance.exchanges import Senders
    from chainteller.remote.transport import Transport

    try:
        opened = [
            Transport(address, each, deadline_s=timeout_s)
            for each in (key, "not-a-key-of-this-deployment", None)
        ]
    except ValueError as error:
        raise Usage(f"URL must be {error}.") from None
    try:
        keyed, impostor, anonymous = opened
        yield Senders(keyed, impostor, anonymous, key)
    finally:
        for each in opened:
            each.close()


def _print(report: "Report") -> None:
    from chainteller.conformance.checks import State
    from chainteller.conformance.specification import CHAPTERS

    findings = {finding.check.id: finding for finding in report.findings}
    account = f", account {report.account}" if report.account else ""
    line(f"{report.url}, {'reading and writing' if report.write else 'reading only'}{account}")
    for title, checks in CHAPTERS:
        line()
        line(title)
        for each in checks:
            _print_finding(findings[each.id])
    line()
    line("Extensions (additions to the specification)")
    for name, has in report.extensions.items():
        line(f"{'offered' if has else 'missing':<{_WIDTH}}  {name}")
    line()
    counts = [f"{report.count(state)} {state.value}" for state in State]
    offered = sum(report.extensions.values())
    line(
        f"{len(report.findings)} checks: {', '.join(counts)}. "
        f"{offered} of {len(report.extensions)} extensions offered."
    )
    missing = [each.notes[0] for each in report.findings if each.state is State.NOT_CHECKED]
    for reason, count in Counter(missing).items():
        if "--" in reason:
            line(f"{count} not checked: {reason}")


def _print_finding(finding: "Finding") -> None:
    from chainteller.conformance.checks import State

    check = finding.check
    row = f"{finding.state.value:<{_WIDTH}}  {check.id}  ({check.section}) {check.sentence}"
    notes = finding.notes
    if finding.state is not State.DEVIATES:
        line(" ".join([row, *(f"[{note}]" for note in notes)]))
        return
    line(row)
    for note in notes:
        line(f"{'':<{_WIDTH}}  {note}")
    for each in finding.evidence()[:_SHOWN_EXCHANGES]:
        line(f"{'':<{_WIDTH}}  sent      {_in_one_line(each['request'])}")
        received = each["response"] or {"fault": each["fault"]}
        line(f"{'':<{_WIDTH}}  received  {_in_one_line(received)}")


def _in_one_line(part: object) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(", ", ": "))


COMMANDS = (check,)
