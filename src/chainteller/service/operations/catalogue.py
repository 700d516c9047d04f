"""All operations, of every section: what serves and what documents needs them."""

from collections.abc import Mapping
from typing import Any

from chainteller.service.operations import (
    accounts,
    agents,
    books,
    customers,
    decisions,
    deployment,
    funding,
    notes,
    statements,
    trading,
    wallets,
    webhooks,
)
from chainteller.service.operations.declaring import Endpoint, Operation, Write

_SECTIONS = (
    accounts,
    statements,
    customers,
    funding,
    trading,
    wallets,
    decisions,
    agents,
    notes,
    webhooks,
    deployment,
    books,
)
ENDPOINTS = tuple(
    each for section in _SECTIONS for each in vars(section).values() if isinstance(each, Endpoint)
)
"""Every endpoint, in the order of their declarations."""
OPERATIONS: tuple[Operation[Any], ...] = tuple(
    each for each in ENDPOINTS if isinstance(each, Operation)
)
BY_NAME: Mapping[str, Operation[Any]] = {each.name: each for each in OPERATIONS}
WRITES: Mapping[str, Write[Any]] = {
    each.name: each for each in OPERATIONS if isinstance(each, Write)
}
