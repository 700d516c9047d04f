"""What the console is given: how the desk looks before the engine is there, and the engine.

What is loaded before the first frame is made of named tuples: Python defines one in a tenth of the
time that a frozen dataclass takes, and here that time is waited for.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from chainteller.domain.clock import Clock, SystemClock
from chainteller.domain.randomness import Randomness, SystemRandomness
from chainteller.records.accounts import ListedAccount

if TYPE_CHECKING:
    from textual.widget import Widget

    from chainteller.remote.signed_in import SignIn
    from chainteller.service.interface import Service
    from chainteller.service.models.records import Capabilities, ChainReport

Glimpse = tuple[Sequence[ListedAccount], int]
"""The first accounts, and how many there are in all."""


class ConsoleSettings(NamedTuple):
    """All that the first frame needs; nothing of it asks a service.

    ``kind`` is the first word of the top bar (DEMO, EMBEDDED, REMOTE, TRAINING). With
    ``poll_interval_s`` 0 nothing is fetched but on ``r``. ``keys`` maps a command's id
    (``accounts.deposit``) to other keys. Theme folders: the shipped one first, the user's after.
    """

    kind: str = "EMBEDDED"
    label: str = ""
    operator: str = "operator"
    bank_name: str = "Example Bank"
    theme: str = "dark"
    theme_folders: tuple[Path, ...] = ()
    poll_interval_s: float = 1.0
    confirm_above_cents: int = 1_000_000
    hold_s: float = 5.0
    """Seconds in which a deposit can be taken back before it's sent."""
    read_only: bool = False
    keys: Mapping[str, str] = MappingProxyType({})
    customer_texts: Path | None = None
    """A TOML file with what a customer may be told (``sample_data/customer_texts.toml``)."""
    own_customer_texts: Path | None = None
    """The bank's own texts, which replace those of the same name."""
    glossary: Path | None = None
    """A TOML file that explains terms (``sample_data/glossary.toml``)."""
    export_folder: Path | None = None
    """Where ``e`` writes; left out: the current folder."""
    crash_folder: Path | None = None
    """Where a crash file goes (mode 0600, without values); left out: the current folder."""
    panel: "Callable[[], Widget] | None" = None
    """Makes a widget that every screen shows under its top bar: a guide through the desk."""
    profile: str = ""
    audit_key: str = ""
    """The verifier key that the profile names for the place's audit log; empty: the first seen."""
    profiles: "tuple[ProfileRow, ...]" = ()
    sign_in: "SignInAtDesk | None" = None
    """How people sign in at this place; left out: they don't."""
    glimpse: "Callable[[int], Glimpse | None] | None" = None
    """Reads so many account rows without the engine, where that is quick; called in a thread."""
    clock: Clock = SystemClock()
    randomness: Randomness = SystemRandomness()


class SignInAtDesk(NamedTuple):
    """``opened`` gives what signs in, and ``fetch_name`` asks the service who that is then. Both
    are called in a thread and raise ``TellerError``."""

    opened: "Callable[[], SignIn]"
    fetch_name: Callable[[], str]


DEMO_PROFILE = "demo"
"""The kind of the profiles of the demo: its agents, whom one human plays."""


class ProfileRow(NamedTuple):
    """A configured place that ``:profile`` can switch to; ``address`` holds no password."""

    name: str
    kind: str
    address: str
    read_only: bool = False
    label: str = ""


class StartedDesk(NamedTuple):
    """The engine or client behind the desk; whoever built it also runs its worker.

    ``load_samples`` loads the sample data into an empty database, where that is possible;
    ``close`` is called once, after the terminal is restored.
    """

    service: "Service"
    label: str = ""
    capabilities: "Capabilities | None" = None
    close: Callable[[], None] = lambda: None
    load_samples: Callable[[], None] | None = None
    is_agents: bool = False
    """Whether an agent's key of this machine signs the requests."""
    workspace_file: Path | None = None
    """Where notes, last places and sent requests of this place are kept; left out: nowhere."""
    payouts_stopped: bool = False
    """Whether the books are in dispute as the console starts."""
    verify_audit: "Callable[[], ChainReport] | None" = None
    """Checks the whole audit log, where the deployment's database is at hand."""


Start = Callable[[], StartedDesk]
"""Builds the desk in a background thread; raises ``TellerError`` where it cannot."""

Reopen = Callable[[str], tuple[Start, ConsoleSettings]]
"""What a profile of that name opens; raises ``TellerError`` where it cannot be told."""
