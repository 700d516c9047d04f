"""The hash of an audit row, which links it to the previous row."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

COVERED = (
    "action",
    "actor",
    "at",
    "error",
    "inputs",
    "object",
    "organisation_id",
    "outcome",
    "previous_hash",
    "seq",
)
"""The hashed columns, in the alphabetical order of canonical JSON: all except the hash itself and
the account, which follows from the object."""


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode


def canonical(value: Mapping[str, Any]) -> str:
    return _encode(value)


def digest(covered: Sequence[Any]) -> str:
    """SHA-256 of the ``COVERED`` columns in canonical JSON.

    The JSON is written by hand, because verifying a chain calls this once per row. ``at`` is in
    microseconds; ``inputs`` is itself canonical JSON.
    """
    action, actor, at, error, inputs, subject, organisation, outcome, previous, seq = covered
    text = (
        f'{{"action":{_quoted(action)},"actor":{_quoted(actor)},"at":{at:d},'
        f'"error":{"null" if error is None else _quoted(error)},"inputs":{_quoted(inputs)},'
        f'"object":{_quoted(subject)},"organisation_id":{_quoted(organisation)},'
        f'"outcome":{_quoted(outcome)},"previous_hash":{_quoted(previous)},"seq":{seq:d}}}'
    )
    return hashlib.sha256(text.encode()).hexdigest()
