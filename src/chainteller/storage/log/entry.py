"""An entry of the log: one act, with what it told, wrote and posted.

An act is an operation, a piece of due work or a refusal. The body of its entry has three lines of
canonical JSON (sorted keys, no spaces, ASCII):

    {"v": 1, "log": organisation, "at": microseconds, "by": actor, "action": ..., "object": ...,
     "account": trading account, "key": API key id, "error": code of a refusal,
     "rule": version of the settings, "agent": whose signature the request had,
     "case": the bank's number of the case, "when": of what is reported later,
     "events": [[type, resource, data], ...], "rows": SHA-256 of line 2, "inputs": of line 3}
    {"rows": [[table, key, seal], [table, key, seal, {column: value}],
              [table, key, seal, {column: value}, seal before], ...],
     "journals": [[kind, record, microseconds, [[code, asset, atoms, version, after], ...]], ...],
     "salt": random, where no seal among the rows is keyed with a secret salt}
    {"inputs": {...}, "salt": random}

The first line is shown to whoever asks for a proof, and the leaf hash is that of RFC 6962 over its
bytes. The second line stays inside, because keys of rows and the bank's own postings tell how much
others do. The third may be erased; its hash stays.

A seal of null says that the row was removed. The seal before is that of the row as the write found
it; a row without one was not there. A leg's atoms are a text, positive on the account's normal
side; the bank's own accounts have no version and no balance after, for their order isn't decided
when the entry is written.
"""

import zlib
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from chainteller.domain import merkle
from chainteller.domain.canonical import canonical
from chainteller.domain.json_depth import parse_json
from chainteller.domain.randomness import Randomness
from chainteller.storage.log import sealing

VERSION = 1
EVENTS_PER_ACT = 64
"""An event's number is its entry's, times this, and its place."""
_SALT_BYTES = 12
_EVENT_DIGITS = 22
_FORM = b"\x01"
"""Names the stored form: raw deflate with the dictionary ``entry_v1.dictionary``, which is part of
it. A new dictionary is another form."""
_DICTIONARY = files("chainteller.storage.log").joinpath("entry_v1.dictionary").read_bytes()
_DEFLATE = zlib.compressobj(6, zlib.DEFLATED, -13, 6, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
_INFLATE = zlib.decompressobj(-13, _DICTIONARY)
"""They're copied for each entry, which takes less than making them anew."""
_MOST = 2**28
"""Bytes of a body."""


class Leg(NamedTuple):
    """One side of a journal: by how many atoms a balance changed, and its version and amount
    after that; None for the bank's own accounts."""

    code: str
    asset: str
    change: int
    version: int | None = None
    after: int | None = None


class Posted(NamedTuple):
    """A journal as it was posted; ``kind`` and ``record`` name it."""

    kind: str
    record: str
    at: int
    legs: tuple[Leg, ...]


class Told(NamedTuple):
    """An event of an act; ``data`` has wire names and no secrets."""

    type: str
    resource: str
    data: Mapping[str, Any]


class Act(NamedTuple):
    """What was done or refused. ``when`` is the instant of what is only reported now."""

    action: str
    actor: str
    object: str = ""
    account: str | None = None
    inputs: Mapping[str, Any] = {}
    error: str | None = None
    events: tuple[Told, ...] = ()
    rows: tuple[sealing.Seal, ...] = ()
    journals: tuple[Posted, ...] = ()
    when: int | None = None


class Stamp(NamedTuple):
    """What all acts of a transaction share: the API key, the version of the settings, the agent
    who signed the request, and the case that it's for."""

    key_id: str = ""
    rule_id: str = ""
    agent_id: str = ""
    case_id: str = ""


class Entry(NamedTuple):
    """What an entry says. ``number`` counts its log's entries from 1."""

    log: str
    number: int
    at: int
    action: str
    actor: str
    object: str
    account: str | None
    key_id: str
    error: str | None
    when: int
    events: tuple[Told, ...]
    rows: list[list[Any]]
    journals: tuple[Posted, ...]
    inputs: Mapping[str, Any] | None
    """None where they were erased."""
    agent_id: str = ""
    case_id: str = ""


class Parts(NamedTuple):
    """What of an entry is wanted beside its events: rows with journals, and inputs."""

    rows: bool = True
    inputs: bool = True


WHOLE, FOR_AUDIT, FOR_EVENTS = Parts(), Parts(rows=False), Parts(rows=False, inputs=False)
_NO_ROWS: Mapping[str, Any] = {"rows": [], "journals": []}


def body(log: str, at: int, act: Act, stamp: Stamp, randomness: Randomness) -> bytes:
    """The body of an entry. Raises ValueError: the act has too many events."""
    if len(act.events) > EVENTS_PER_ACT:
        raise ValueError(f"an act with {len(act.events)} events")
    told, has_secret = [], False
    for each in act.rows:
        told.append(each if each.before is not None else each[:4] if each.values else each[:3])
        has_secret |= bool(each.seal) and sealing.is_secret(each.table)
    second = {"rows": told, "journals": [_told_journal(each) for each in act.journals]}
    if not has_secret:
        second["salt"] = _salt(randomness)
    rows = canonical(second).encode()
    inputs = canonical({"inputs": act.inputs, "salt": _salt(randomness)}).encode()
    first: dict[str, Any] = {
        "v": VERSION,
        "log": log,
        "at": at,
        "by": act.actor,
        "action": act.action,
        "object": act.object,
        "events": act.events,
        "rows": _hash(rows),
        "inputs": _hash(inputs),
    }
    optional = {
        "account": act.account,
        "error": act.error,
        "when": act.when,
        "key": stamp.key_id or None,
        "rule": stamp.rule_id or None,
        "agent": stamp.agent_id or None,
        "case": stamp.case_id or None,
    }
    first |= {name: value for name, value in optional.items() if value is not None}
    return b"\n".join((canonical(first).encode(), rows, inputs))


def _told_journal(journal: Posted) -> list[Any]:
    legs = []
    for leg in journal.legs:
        after = () if leg.version is None else (leg.version, str(leg.after))
        legs.append([leg.code, leg.asset, str(leg.change), *after])
    return [journal.kind, journal.record, journal.at, legs]


def _salt(randomness: Randomness) -> str:
    return urlsafe_b64encode(randomness.bytes(_SALT_BYTES)).decode()


def _hash(line: bytes) -> str:
    return urlsafe_b64encode(sha256(line).digest()).decode()[:43]


def shown(found: bytes) -> bytes:
    """The line of a body that is shown, and hashed as its leaf."""
    return found.partition(b"\n")[0]


def leaf_of(found: bytes) -> bytes:
    """The leaf hash of an entry with this body."""
    return merkle.leaf_hash(shown(found))


def read(number: int, found: bytes, parts: Parts = WHOLE) -> Entry:
    """What an entry's body says. What isn't among ``parts`` is empty. Raises ValueError: it has a
    form that no build writes, or a line that isn't the one that the first line names."""
    try:
        first, second, third = found.split(b"\n")
        told = parse_json(first)
        if told["v"] != VERSION:
            raise ValueError(f"an entry of version {told['v']!r}, which this build doesn't know")
        if told["rows"] != _hash(second):
            raise ValueError("another second line")
        inner = parse_json(second) if parts.rows else _NO_ROWS
        inputs = None
        if third:
            if told["inputs"] != _hash(third):
                raise ValueError("another third line")
            inputs = parse_json(third)["inputs"] if parts.inputs else {}
        return Entry(
            told["log"],
            number,
            told["at"],
            told["action"],
            told["by"],
            told["object"],
            told.get("account"),
            told.get("key", ""),
            told.get("error"),
            told.get("when", told["at"]),
            tuple(Told(*each) for each in told["events"]),
            inner["rows"],
            tuple(
                Posted(kind, record, at, tuple(_leg(*leg) for leg in legs))
                for kind, record, at, legs in inner["journals"]
            ),
            inputs,
            told.get("agent", ""),
            told.get("case", ""),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no entry: {error}") from error


def _leg(
    code: str, asset: str, change: str, version: int | None = None, after: str | None = None
) -> Leg:
    return Leg(code, asset, int(change), version, None if after is None else int(after))


def event_id(leaf: bytes, place: int) -> str:
    """The id of an event: the first 110 bits of a hash over its entry's leaf and its place."""
    digest = sha256(leaf + place.to_bytes(1, "big")).digest()
    return f"EVT_{b32encode(digest).decode()[:_EVENT_DIGITS].translate(_CROCKFORD)}"


_CROCKFORD = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHJKMNPQRSTVWXYZ")


# The stored form


def pack(found: bytes) -> bytes:
    """The stored form of a body."""
    deflate = _DEFLATE.copy()
    return _FORM + deflate.compress(found) + deflate.flush()


def unpack(stored: bytes) -> bytes:
    """The body of a stored form. Raises ValueError: it isn't what ``pack`` made."""
    if stored[:1] != _FORM:
        raise ValueError("an entry of an unknown form")
    inflate = _INFLATE.copy()
    try:
        found = inflate.decompress(stored[1:], _MOST)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not inflate.eof or inflate.unused_data:
        raise ValueError("an entry with another end")
    return found


def opened(number: int, stored: bytes, parts: Parts = WHOLE) -> Entry:
    """What a stored entry says. Raises ValueError."""
    return read(number, unpack(stored), parts)


def erased(found: bytes) -> bytes:
    """A body without its inputs; its leaf stays the same."""
    first, second, _ = found.split(b"\n")
    return b"\n".join((first, second, b""))


def seq_of(number: int, place: int) -> int:
    """The number of an event: in the order of its log, and not dense."""
    return number * EVENTS_PER_ACT + place


def number_of(seq: int) -> int:
    """The number of the entry that told an event."""
    return seq // EVENTS_PER_ACT
