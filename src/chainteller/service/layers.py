"""Layers around a service: each sees every call on its way in and its answer on the way out."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from chainteller.service.interface import Service
from chainteller.service.operations import Call, Operation

Answer = TypeVar("Answer")
Context = TypeVar("Context")


class Next(Protocol):
    """What is below a layer: the next one, or the service itself."""

    def __call__(self, call: Call[Answer], /) -> Answer: ...


class Layer(Protocol):
    """Answers a call itself, or passes it on, changed or not; raises TellerError."""

    def __call__(self, call: Call[Answer], onward: Next, /) -> Answer: ...


class Layered(Service):
    """A service with a layer around it."""

    __slots__ = ("_layer", "_onward")

    def __init__(self, layer: Layer, inner: Service) -> None:
        self._layer, self._onward = layer, inner.call

    def call(self, call: Call[Answer]) -> Answer:
        return self._layer(call, self._onward)


def layered(service: Service, *layers: Layer) -> Service:
    """The service with layers around it, the outermost first."""
    for layer in reversed(layers):
        service = Layered(layer, service)
    return service


class Answers(dict[Operation[Any], Callable[[Context, Call[Any]], Any]], Generic[Context]):
    """A table of functions that answer single operations, each checked against its operation."""

    def add(
        self, operation: Operation[Answer], function: Callable[[Context, Call[Answer]], Answer]
    ) -> None:
        self[operation] = function

    if TYPE_CHECKING:

        def __getitem__(
            self, operation: Operation[Answer]
        ) -> Callable[[Context, Call[Answer]], Answer]: ...
