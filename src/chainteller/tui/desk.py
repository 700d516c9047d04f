"""What all screens share: the service, what is selected, what happened, how fresh it is."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from textual.dom import DOMNode
from textual.geometry import Size
from textual.signal import Signal

from chainteller.domain.clock import to_datetime
from chainteller.service.errors import ServiceUnavailable
from chainteller.tui.formats import clock_time
from chainteller.tui.start import DeskLook, StartedDesk

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount

_LOG_ROWS = 500


@dataclass(frozen=True, slots=True)
class Told:
    """One line of the event log; ``detail`` is what the log opens to."""

    at: str
    text: str
    tone: str = ""
    detail: str = ""


@dataclass(slots=True)
class Reach:
    """How the service answers; ``state`` is starting, live, paused or failed."""

    state: str = "starting"
    latency_ms: int = 0
    at: str = ""
    retry_in_s: int = 0


@dataclass(slots=True)
class Choice:
    """Where the agent is: kept while screens come and go."""

    account: "TradingAccount | None" = None
    market: str = ""
    side: str = "buy"
    trade_id: str | None = None


class Shell(Protocol):
    """What screens may ask of the application around them."""

    @property
    def size(self) -> Size:
        """The terminal's, in cells."""

    def go(self, name: str) -> None:
        """Show one of the five screens."""

    def back(self) -> None:
        """Show the screen before."""

    def deafen(self) -> None:
        """Ignore all keys for a moment: nobody answers a question that just appeared."""

    def release_keys(self) -> None:
        """What was typed ahead of a finished step may go on."""

    def poll_now(self) -> None:
        """Ask for news at once."""

    def audit_of(self, object_id: str) -> None:
        """Open the audit trail of a record."""

    def start_trade(self, side: str) -> None:
        """Open the quote form for the selected account."""


@dataclass(slots=True)
class Desk:
    owner: DOMNode
    shell: Shell
    look: DeskLook
    read_only: bool = False
    started: StartedDesk | None = None
    choice: Choice = field(default_factory=Choice)
    reach: Reach = field(default_factory=Reach)
    log: deque[Told] = field(default_factory=lambda: deque(maxlen=_LOG_ROWS))
    unread: int = 0
    writing: set[str] = field(default_factory=set)
    quiet: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while no write is running: who needs the balance after a deposit waits for it."""
    watched: set[str] = field(default_factory=set)
    followed: dict[str, str] = field(default_factory=dict)
    """Trades that this desk began, with the status last told."""
    on_start: "Signal[StartedDesk]" = field(init=False)
    on_change: "Signal[tuple[str, ...]]" = field(init=False)
    on_poll: "Signal[None]" = field(init=False)
    on_told: "Signal[Told]" = field(init=False)
    on_reach: "Signal[Reach]" = field(init=False)

    def __post_init__(self) -> None:
        self.read_only = self.look.read_only
        self.quiet.set()
        self.on_start = Signal(self.owner, "started")
        self.on_change = Signal(self.owner, "changed")
        self.on_poll = Signal(self.owner, "polled")
        self.on_told = Signal(self.owner, "told")
        self.on_reach = Signal(self.owner, "reach")

    @property
    def service(self) -> "Service":
        """Raises ServiceUnavailable while the engine is still being started."""
        if self.started is None:
            raise ServiceUnavailable("The engine is still starting.", {"reason": "STARTING"})
        return self.started.service

    @property
    def now(self) -> int:
        return self.look.clock.now()

    def offers(self, feature: str) -> bool:
        """Whether the deployment has an addition; unknown counts as yes, the call will tell."""
        capabilities = self.started.capabilities if self.started else None
        return (
            capabilities is None or not capabilities.features or (feature in capabilities.features)
        )

    def begin_write(self, lock: str) -> None:
        self.writing.add(lock)
        self.quiet.clear()

    def end_write(self, lock: str) -> None:
        self.writing.discard(lock)
        if not self.writing:
            self.quiet.set()

    def new_key(self) -> str:
        """An idempotency key, made before the request is sent."""
        return f"desk-{self.look.randomness.bytes(16).hex()}"

    def tell(self, text: str, tone: str = "", detail: str = "") -> None:
        """One line for the agent: on the status line now, in the event log for good."""
        told = Told(clock_time(to_datetime(self.now)), text, tone, detail)
        self.log.append(told)
        self.unread += 1
        self.on_told.publish(told)

    def heard(self, latency_ms: int) -> None:
        """New data came; the top bar shows its time."""
        self.reach = Reach("live", latency_ms, clock_time(to_datetime(self.now)))
        self.on_reach.publish(self.reach)

    def unheard(self, retry_in_s: int) -> None:
        self.reach = Reach("failed", self.reach.latency_ms, self.reach.at, retry_in_s)
        self.on_reach.publish(self.reach)
