"""Play a session without a console, from written steps."""

from collections.abc import Callable, Iterable

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

    def hint(self) -> str:
        return self._session.hint()

    def pressed(self, keys: int) -> None:
        for _ in range(keys):
            self._session.key()
        self._session.advance(keys * KEY_TAKES)


def play_steps(
    session: Session,
    lines: Iterable[str],
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Play written steps; blank lines and lines that begin with ``#`` are skipped. Raises
    VerbUnknown: a step is invalid; the steps before it were played."""
    player = Player(session.service, SessionSurroundings(session), session.wallets)
    player.use(session.scenario.customer.bank_account, session.scenario.customer.wallet)
    for line in lines:
        step = line.strip()
        if not step or step.startswith("#"):
            continue
        player.play(step)
        refused = player.refused
        tell(f"{step}" + (f"  -> {refused.code}: {refused.message}" if refused else ""))
