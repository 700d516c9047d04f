"""``:`` in training: time, words, checkpoints, beside everything that it finds elsewhere."""

import re
from functools import partial
from typing import Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from chainteller.training.reading import duration
from chainteller.training.session import Session
from chainteller.tui.console.palette import deferred

_CLOCK = re.compile(r"clock\s*\+?\s*(\d{1,6}[smh])", re.ASCII)


class Led(Protocol):
    """What the provider needs of the console."""

    session: Session

    def jump(self, microseconds: int) -> None:
        """Let so much time pass at once."""


class TrainingProvider(Provider):
    @property
    def console(self) -> Led:
        return cast("Led", self.app)

    def _entries(self) -> list[tuple[str, str]]:
        rows = [
            ("clock +1m", "app.clock('1m')"),
            ("clock +5m", "app.clock('5m')"),
            ("clock: pause or go on   [f5]", "app.pause"),
            ("clock: to the next thing that happens   [f6]", "app.skip"),
            ("story: all that the customer said   [f2]", "app.story"),
            ("goals   [f3]", "app.goals"),
            ("hint   [f4]", "app.hint"),
            ("customer sends the address, or signs the newest text   [f8]", "app.customer_sends"),
            ("checkpoint: keep this state", "app.checkpoint"),
            ("undo: back to the newest checkpoint", "app.undo"),
            ("end the session and show the report   [f10]", "app.finish"),
        ]
        said = self.console.session.scenario.statements
        return [*rows, *((f"say: {each.text}", f"app.say('{each.id}')") for each in said)]

    async def discover(self) -> Hits:
        for name, action in self._entries():
            yield DiscoveryHit(Content(name), deferred(self.screen, action), name)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        asked = _CLOCK.fullmatch(query.strip())
        if asked is not None:
            jump = partial(self.console.jump, duration(asked[1]))
            yield Hit(1.0, Content(f"clock +{asked[1]}"), jump, f"clock +{asked[1]}")
        for name, action in self._entries():
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, Content(name), deferred(self.screen, action), name)
