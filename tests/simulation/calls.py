"""What is asked of a deployment and what it answers, as the wire shows both."""

from dataclasses import dataclass, field
from typing import Any

from chainteller.domain.actors import Actor
from chainteller.service import operations
from chainteller.service.errors import ServiceError
from chainteller.service.interface import Service
from chainteller.service.models.base import WireModel, Written, read_request
from chainteller.service.models.pages import BalancesQuery
from chainteller.service.operations import Call, Operation

Wire = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A call; ``body`` has wire names, ``query`` the names of the query's model."""

    operation: str
    ids: tuple[str, ...] = ()
    body: Wire | None = None
    query: Wire = field(default_factory=dict)
    key: str | None = None

    @property
    def declared(self) -> Operation[Any]:
        return operations.BY_NAME[self.operation]

    def __str__(self) -> str:
        parts = [*self.ids, *([str(self.body)] if self.body else ())]
        parts += [f"{name}={value!r}" for name, value in self.query.items()]
        parts += [f"key={self.key!r}"] if self.key else []
        return f"{self.operation}({', '.join(parts)})"

    def send(self, service: Service) -> "Answered":
        """The deployment's answer or its refusal."""
        declared = self.declared
        try:
            request = None
            if declared.request is not None:
                request = read_request(declared.request, self.body)
            query = self._query()
            answer = service.call(Call(declared, self.ids, request, query, self.key))
        except ServiceError as error:
            return Answered(code=error.code, details=error.to_wire()["details"])
        if isinstance(answer, Written):
            return Answered(wire(answer.value), answer.created, answer.replayed)
        return Answered(wire(answer))

    def _query(self) -> WireModel | None:
        declared = self.declared.query
        if declared is None:
            return None
        if declared.model is BalancesQuery:
            return BalancesQuery(**self.query)
        return declared.model(**self.query)


def wire(model: WireModel) -> Wire:
    return model.model_dump(mode="json", by_alias=True)


@dataclass(frozen=True)
class Answered:
    """``code`` is that of a refusal, empty where ``value`` was answered."""

    value: Any = None
    created: bool = True
    replayed: bool = False
    code: str = ""
    details: Wire = field(default_factory=dict)

    def __str__(self) -> str:
        if self.code:
            return f"{self.code} {self.details}"
        marks = ("created " * self.created) + ("replayed " * self.replayed)
        return f"{marks}{self.value}"


@dataclass(frozen=True)
class Client:
    """Who asks, as the trail names them; ``scopes`` are those of a key, None for who may do
    everything."""

    organisation: str
    name: str
    key_id: str = ""
    scopes: frozenset[str] | None = None

    @property
    def actor(self) -> Actor:
        return Actor(self.organisation, self.name, self.key_id, self.scopes)

    @property
    def is_person(self) -> bool:
        return self.scopes is None or "desk" in self.scopes

    def may(self, scope: str) -> bool:
        return self.scopes is None or scope in self.scopes
