"""Asserting a refusal: its code, and its details without what is only advice."""

from collections.abc import Callable
from typing import Any

import pytest

from chainteller.service.errors import ServiceError


def refusal(act: Callable[..., object], *arguments: Any, **named: Any) -> ServiceError:
    """The error that the call raises; it always says what to do next."""
    with pytest.raises(ServiceError) as refused:
        act(*arguments, **named)
    assert refused.value.suggestion, "a refusal says what to do next"
    assert refused.value.message
    return refused.value


def details(error: ServiceError) -> dict[str, Any]:
    return {name: value for name, value in error.details.items() if name != "suggestion"}
