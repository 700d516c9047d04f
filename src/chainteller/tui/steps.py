"""Steps of a flow: what a screen does next, as values, and the function that does it.

A flow is a function that takes values and returns a step. What it needs from the service or the
agent it asks for with a step whose function gets the answer and returns the step after it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import Asset
from chainteller.records.formats import Piece
from chainteller.service.errors import TellerError
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.desk_screen import DeskScreen, say
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.failures import Failure
from chainteller.tui.list_screen import ListScreen
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.interface import Service


@dataclass(frozen=True, slots=True)
class Write:
    """Take ``step``, and those after it, unless the write of this name is still running."""

    lock: str
    step: "Step"


@dataclass(frozen=True, slots=True)
class Serve:
    """Select an account, unless it is selected, and take ``then`` for its customer."""

    account_id: str
    then: "Step"


@dataclass(frozen=True, slots=True)
class LookUp:
    """Ask the service. ``call`` runs in a thread, may raise TellerError and returns a step."""

    call: "Callable[[Service], Step]"


@dataclass(frozen=True, slots=True)
class Choose:
    """Let the agent choose one of ``options``; esc ends the flow."""

    title: str
    note: str
    options: tuple[str, ...]
    then: "Callable[[str], Step]"
    preset: str = ""


@dataclass(frozen=True, slots=True)
class OpenField:
    """Let the agent type something.

    Attributes:
        asset: With it, the field takes an amount of this asset.
        submitted: Takes what was typed; without it, the screen does, by the field's purpose.
    """

    purpose: str
    label: tuple[Piece, ...]
    note: tuple[Piece, ...]
    value: str = ""
    asset: Asset | None = None
    submitted: "Callable[[str], Step] | None" = None


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a flow: what the agent is shown.

    Attributes:
        notice: One line and its tone.
        refusal: Why nothing was done: by the service, or known before anything was sent.
        field: The field to open again with what was refused in it.
        record: Key of the row that the cursor moves to, in a list that is fetched again.
        changed: The kind of event to announce to every screen.
        transfer: The key of the transfer that was requested: Transfers opens on it.
        clears_failure: Whether it settles the refusal on the screen.
        answer: Why the key did nothing, on the status line until the next one.
    """

    notice: tuple[str, str] | None = None
    refusal: TellerError | Failure | None = None
    field: OpenField | None = None
    record: str = ""
    changed: str = ""
    transfer: str = ""
    clears_failure: bool = False
    answer: str = ""


Step = Write | Serve | LookUp | Choose | OpenField | CustomerRequest["Step"] | Result


def notice(text: str, tone: str = "warn") -> Result:
    return Result(notice=(text, tone))


def answer(text: str) -> Result:
    return Result(answer=text)


def take(screen: DeskScreen, step: Step) -> None:
    """Take a step on a screen; from a step that waits for an answer, the flow goes on by itself."""
    if isinstance(step, Write):
        screen.write(step.lock, partial(follow, screen, step.step))
    elif isinstance(step, OpenField):
        _open_field(screen, step)
    elif isinstance(step, Result):
        _show(screen, step)
    else:
        screen.read("step", partial(follow, screen, step), opens=True)


async def follow(screen: DeskScreen, step: Step) -> None:
    """Take a step and those after it, in a worker. They are for the customer being served.

    Raises:
        CustomerChanged: another customer was selected meanwhile.
        TellerError: any error of the service.
    """
    desk, now = screen.desk, step
    if isinstance(now, Serve):
        now = await _serve(screen, now)
    account_id = desk.customer.account_id
    while isinstance(now, LookUp | Choose | CustomerRequest):
        if isinstance(now, LookUp):
            now = await call_service(now.call, desk.service_for(account_id))
        elif isinstance(now, Choose):
            dialog = Choice(now.title, now.note, now.options, now.preset)
            chosen: str | None = await screen.app.push_screen_wait(dialog)
            if chosen is None:
                return
            now = now.then(chosen)
        else:
            sent = await desk.send(now)
            if sent is None:
                return
            now = sent
        desk.customer.require(account_id)
    take(screen, now)


async def _serve(screen: DeskScreen, step: Serve) -> Step:
    desk = screen.desk
    if step.account_id != desk.customer.account_id:
        account = await call_service(desk.service.trading_account, step.account_id)
        desk.customer.serve(account, keeps_list_of=screen.KEY)
    return step.then


def _open_field(screen: DeskScreen, step: OpenField) -> None:
    """An amount is typed anew; a text that was refused is long, and is corrected."""
    screen.field_bar.open(
        step.purpose,
        step.label,
        value=step.value,
        note=step.note,
        asset=step.asset,
        goes_on=step.asset is None,
    )
    submitted = step.submitted
    if submitted is not None:
        screen.field_answer = lambda typed: take(screen, submitted(typed))


def _show(screen: DeskScreen, result: Result) -> None:
    if result.clears_failure:
        screen.clear_failure()
    if isinstance(result.refusal, Failure):
        screen.show_failure(result.refusal)
    elif result.refusal is not None:
        screen.fail(result.refusal, "request")
    if result.field is not None:
        _open_field(screen, result.field)
    _say(screen, result)
    if result.record and isinstance(screen, ListScreen):
        screen.wanted_key = result.record
        screen.reload()
    if result.transfer:
        screen.desk.customer.to_show["transfers"] = result.transfer
    if result.changed:
        _announce(screen, result.changed)


def _announce(screen: DeskScreen, kind: str) -> None:
    """Have every screen read what was done; the list where it was done, without a rest."""
    if isinstance(screen, ListScreen):
        screen.take_news()
    screen.desk.on_change.publish((kind,))


def _say(screen: DeskScreen, result: Result) -> None:
    if result.notice is not None:
        screen.desk.notify(*result.notice)
    if result.answer:
        say(screen, result.answer)
