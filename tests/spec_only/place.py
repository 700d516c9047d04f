"""A spec-only deployment in front of a test's bank, with a console's own list of known records."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import find_call
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.remote.answers import complete
from chainteller.remote.client import RemoteService, path_of
from chainteller.service.deployment import Deployment
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import BlockchainAccount
from chainteller.service.operations import Call
from chainteller.sqlite import sqlite3
from chainteller.workspace import records
from chainteller.workspace.registry import know_blockchain_account
from chainteller.workspace.store import Kind, Workspace

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class SpecOnlyPlace:
    """``workspace_file`` is where the console knows what a test arranged with ``arranging``."""

    service: RemoteService
    app: SpecOnlyApp
    workspace_file: Path
    workspace: Workspace

    def arranging(self, bank: Service) -> Service:
        """The bank itself. What is made with it is known to the console, as if it had made it."""
        return layered(bank, self._know)

    def share(self, file: Path) -> None:
        """Let a console whose workspace is ``file`` know what was arranged."""
        if file == self.workspace_file:
            return
        Workspace(file).close()
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as database:
            database.execute("ATTACH ? AS arranged", (str(self.workspace_file),))
            database.execute("INSERT OR IGNORE INTO main.known SELECT * FROM arranged.known")

    def _know(self, call: Call[Answer], onward: Next) -> Answer:
        answer = onward(call)
        if isinstance(answer, Written):
            if isinstance(answer.value, BlockchainAccount):
                made = answer.value
                know_blockchain_account(
                    self.service, self.workspace, made.id, made.trading_account_id
                )
            else:
                records.keep(self.workspace, _as_told(call, answer.value), call.arguments)
                self._associate(call)
        return answer

    def _associate(self, call: Call[Any]) -> None:
        """A wallet that gets a challenge was registered for that blockchain account."""
        wallet_id = getattr(call.request, "counterparty_id", None)
        if wallet_id and call.operation.name == "create_challenge":
            self.workspace.remember(wallet_id, Kind.COUNTERPARTY, call.ids[0])


def _as_told(call: Call[Any], record: Any) -> Any:
    """A record as the deployment would have answered it."""
    specified = find_call(call.operation.method, path_of(call))
    if specified is None or not specified.response:
        return record.model_copy(update={"id": ""})
    body = record.model_dump(mode="json", by_alias=True)
    fields = type(specified)(specified.method, specified.path, response=specified.response)
    return complete(call, type(record).model_validate(fields.answer(body)))


@contextlib.contextmanager
def spec_only_server(world: World) -> Iterator[tuple[str, SpecOnlyApp]]:
    """Its address and its application, until the block ends."""
    apps: list[SpecOnlyApp] = []

    class Noted(SpecOnlyApp):
        def __init__(self, behind: Deployment) -> None:
            super().__init__(behind)
            apps.append(self)

    with served(deployment(world), kind=Noted) as address:
        yield address, apps[0]


@contextlib.contextmanager
def spec_only_place(world: World, folder: Path) -> Iterator[SpecOnlyPlace]:
    """The deployment on a real port, until the block ends."""
    assert world.clock is not None
    file = folder / "known.db"
    workspace = Workspace(file, world.clock)
    with spec_only_server(world) as (address, app):
        service = RemoteService(address, world.key())
        try:
            yield SpecOnlyPlace(service, app, file, workspace)
        finally:
            service.close()
            workspace.close()
