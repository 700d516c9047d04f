"""The same calls to several deployments, and every answer and refusal held beside the others."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from tests.properties.deployments import EmbeddedDeployment
from tests.world.serving import served

from chainteller.engine.deployment import EmbeddedDeployment as Served
from chainteller.engine.operations.keys import ApiKeys
from chainteller.remote.client import RemoteService
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import ServiceError
from chainteller.service.interface import Service
from chainteller.service.models.base import Written
from chainteller.service.operations import Call

Answer = TypeVar("Answer")


class Recorded(Service):
    """A service whose calls are written down with all that came back, error details included."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.log: list[str] = []

    def call(self, call: Call[Answer]) -> Answer:
        asked = f"{call.operation.name}{call.arguments}"
        try:
            answer = self._service.call(call)
        except ServiceError as refusal:
            wire = json.dumps(refusal.to_wire(), sort_keys=True, default=str)
            self.log.append(f"{asked}: {wire}")
            raise
        self.log.append(f"{asked}: {_shown(answer)}")
        return answer


def _shown(answer: Any) -> str:
    if isinstance(answer, Written):
        return f"{answer.value.to_json()} {answer.created} {answer.replayed}"
    return str(answer.to_json())


class SideBySide(EmbeddedDeployment):
    """A deployment whose answers are recorded.

    Each makes an API key, needed or not: all draw the same random numbers, so that ids, and with
    them whole answers, must be equal.
    """

    def __init__(self, place: Path | str, seed: str, *, remote: bool = False) -> None:
        super().__init__(place, seed)
        self._stack = ExitStack()
        key = ApiKeys(self.world.context, environment="test").create("test", (), "default", None)
        if remote:
            options = DeploymentOptions("0.0.test", rate_limits=False)
            address = self._stack.enter_context(served(Served(self.world.engine, options)))
            client = RemoteService(address, key.text)
            self._stack.callback(client.close)
            self.recorded = Recorded(client)
        else:
            self.recorded = Recorded(self.service)
        self.service = self.recorded  # every call passes through

    def close(self) -> None:
        self._stack.close()
        super().close()
