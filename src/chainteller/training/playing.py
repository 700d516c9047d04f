"""Play a session without a console: from written steps, or replayed from a report's log."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from chainteller.service.errors import TellerError
from chainteller.service.operations import BY_NAME, Call
from chainteller.training.session import Session
from chainteller.training.steps import KEY_TAKES, Player


class SessionSurroundings:
    """The surroundings of a player during a session: passes everything to the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def wait(self, microseconds: int) -> None:
        self._session.advance(microseconds)

    def sign(self, wallet: str, text: str) -> str:  # noqa: ARG002 - the session knows both
        return self._session.sign()

    def say(self, words: str) -> None:
        if words.startswith("#"):
            self._session.say(words[1:])
        else:
            self._session.tell(words)

    def opened(self) -> None:
        self._session.open_record()

    def has_agreed(self) -> bool:
        return self._session.has_agreed()

    def word(self, verb: str) -> str:
        if verb == "hint":
            return self._session.hint()
        if verb == "checkpoint":
            self._session.checkpoint()
        else:
            self._session.undo()
        return ""

    def pressed(self, keys: int) -> None:
        for _ in range(keys):
            self._session.key("step")
        self._session.advance(keys * KEY_TAKES)


def play_steps(
    session: Session,
    lines: Iterable[str],
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Play written steps; blank lines and lines that begin with ``#`` are skipped.

    Raises:
        VerbUnknown: a step is invalid; the steps before it were played.
    """
    player = Player(session.service, SessionSurroundings(session), session.wallets)
    player.use(session.scenario.customer.bank_account, session.scenario.customer.wallet)
    for line in lines:
        step = line.strip()
        if not step or step.startswith("#"):
            continue
        player.play(step)
        refused = player.refused
        tell(f"{step}" + (f"  -> {refused.code}: {refused.message}" if refused else ""))


def play_log(session: Session, log: Sequence[Mapping[str, Any]]) -> None:
    """Replay the log of a report, entry by entry.

    Raises:
        ValueError: an entry has an unknown kind.
    """
    for entry in log[1:]:  # the first entry is the initial checkpoint of every session
        kind = next(iter(entry))
        if kind not in _ENTRIES:
            raise ValueError(f"no entry of a log: {kind}")
        _ENTRIES[kind](session, entry)


def _call(session: Session, entry: Mapping[str, Any]) -> None:
    operation, given = BY_NAME[str(entry["call"])], list(entry["with"])
    request = None
    if operation.request is not None:
        (body,) = given.pop().values()
        request = operation.request.model_validate(body)
    try:
        session.service.call(Call(operation, tuple(given), request, key=entry["key"] or None))
    except TellerError:
        return  # it was refused in the original session too


def _keys(session: Session, entry: Mapping[str, Any]) -> None:
    for name in entry["keys"]:
        session.key(str(name))


def _clock(session: Session, entry: Mapping[str, Any]) -> None:
    session.advance(int(entry["clock"]) - session.elapsed)


_ENTRIES: Mapping[str, Callable[[Session, Mapping[str, Any]], object]] = {
    "call": _call,
    "keys": _keys,
    "clock": _clock,
    "open": lambda session, _: session.open_record(),
    "tell": lambda session, entry: session.tell(str(entry["tell"]), str(entry["of"])),
    "sign": lambda session, _: session.sign(),
    "hint": lambda session, _: session.hint(),
    "checkpoint": lambda session, _: session.checkpoint(),
    "undo": lambda session, _: session.undo(),
}
