"""What the guide panel and the boxes of a training session show."""

from collections.abc import Sequence

from chainteller.domain.clock import SECOND, to_datetime
from chainteller.records.formats import Piece, clock_time
from chainteller.training.score import Judged
from chainteller.training.session import Session
from chainteller.tui.widgets.lines import Line, line, wrapped

KEYS = (
    ("f2", "story", "all that the customer said"),
    ("f3", "goals", "the goals, and whether they are met"),
    ("f4", "hint", "a hint"),
    ("f5", "pause", "pause or resume the clock"),
    ("f6", "skip", "skip to the next event"),
    ("f7", "say", "choose a statement to say"),
    ("f8", "send", "the customer sends the address (after +), or the signature"),
    ("f10", "end", "end, with the report"),
)
"""Keys of the session, each with its word in the panel and what it does."""
_SAYS = "CUSTOMER "
_BOX = 70


def panel(session: Session, width: int, *, running: bool) -> list[Line]:
    """Clock, the customer's newest words in two lines, keys."""
    heard = session.progress.heard
    said = wrapped(heard[-1][1], max(20, width - len(_SAYS) - 2)) if heard else [""]
    if len(said) > 2:
        said = [said[0], f"{said[1][: width - len(_SAYS) - 8]} ... f2"]
    said += [""] * (2 - len(said))
    state: Piece = ("running", "good") if running else ("PAUSED", "warn strong")
    used, limit = minutes(session.elapsed), minutes(session.scenario.time_limit)
    keys: list[Piece] = [(" ", "")]
    for key, word, _ in KEYS:
        keys += [(key, "key"), (f" {word}  ", "muted")]
    return [
        line(
            (f" {session.scenario.label}", "training"),
            (f"  {used} of {limit}  ", ""),
            state,
            right=((f"{clock_time(to_datetime(session.clock.now()))}Z ", "muted"),),
        ),
        line((f" {_SAYS}", "muted"), (said[0], "strong")),
        line((" " * (len(_SAYS) + 1), ""), (said[1], "strong")),
        line(*keys),
    ]


def briefing(session: Session) -> list[Line]:
    """What a trainee reads before the clock starts."""
    rows = [line(row) for row in wrapped(session.scenario.about, _BOX)]
    rows += [line(), line(("Keys for training, besides those of the console", "muted"))]
    rows += [line((f"{key:<4} ", "key"), about) for key, _, about in KEYS]
    rows += [
        line((":    ", "key"), "clock +5m, say ..."),
        line(("t    ", "key"), "shows the text for the customer; what it shows counts as said"),
        line(),
        line(("The clock starts when you close this.", "strong")),
    ]
    return rows


def story(session: Session) -> list[Line]:
    rows = [line((row, "muted")) for row in wrapped(session.scenario.about, _BOX)]
    for at, says in session.progress.heard:
        rows += [line(), line((minutes(at - session.started_at), "muted"))]
        rows += [line(row) for row in wrapped(says, _BOX)]
    return rows


def goals(judged: Sequence[Judged]) -> list[Line]:
    """Where each goal stands now."""
    rows: list[Line] = []
    for each in judged:
        mark: Piece = ("[ok] ", "good") if each.finding.met else ("[  ] ", "warn")
        first, *rest = wrapped(each.goal.says, _BOX - 5)
        rows += [line(mark, first), *(line(("     ", ""), row) for row in rest)]
    return rows


def hint(text: str, number: int, count: int) -> list[Line]:
    shown = min(number, count)
    return [
        *(line(row) for row in wrapped(text, _BOX)),
        line(),
        line((f"hint {shown} of {count}; each costs two points", "muted")),
    ]


def report(lines: Sequence[str]) -> list[Line]:
    rows: list[Line] = []
    for each in lines:
        tone = "bad" if each.startswith("[x]") else "good" if each.startswith("[ok]") else ""
        indent = " " * (len(each) - len(each.lstrip()))
        rows += [line((indent + row, tone)) for row in wrapped(each.strip(), _BOX - len(indent))]
    return rows


def minutes(microseconds: int) -> str:
    whole, seconds = divmod(microseconds // SECOND, 60)
    return f"{whole}:{seconds:02d}"
