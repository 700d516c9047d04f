"""What in a new description breaks a client that was generated from an earlier one.

``python -m tests.clients.compatibility EARLIER NEW`` prints each change, one per line, and ends
with 1 if there are any. Additions are none: new calls, optional fields of requests, fields of
replies, and values of enumerations in replies, which clients are told to expect.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Document = Mapping[str, Any]


def breaking(earlier: Document, new: Document) -> list[str]:
    """The breaking changes, in the order of the earlier description."""
    return list(_Comparison(earlier, new).changes())


class _Comparison:
    def __init__(self, earlier: Document, new: Document) -> None:
        self._earlier = earlier
        self._new = new

    def changes(self) -> Iterator[str]:
        for path, item in self._earlier["paths"].items():
            for method, call in item.items():
                name = f"{method.upper()} {path}"
                now = self._new["paths"].get(path, {}).get(method)
                if now is None:
                    yield f"{name} is gone"
                    continue
                if call["operationId"] != now["operationId"]:
                    yield f"{name}: its operationId was {call['operationId']}"
                if call.get("security") == [] and now.get("security") != []:
                    yield f"{name} needs a key"
                yield from self._parameters(name, call, now)
                yield from self._body(name, call, now)
                yield from self._replies(name, call, now)

    def _parameters(self, name: str, call: Document, now: Document) -> Iterator[str]:
        before = {(each["in"], each["name"]): each for each in call.get("parameters", ())}
        after = {(each["in"], each["name"]): each for each in now.get("parameters", ())}
        for key, each in before.items():
            told = f"{name}: the {key[0]} parameter {key[1]}"
            if key not in after:
                yield f"{told} is gone"
                continue
            if after[key].get("required", False) and not each.get("required", False):
                yield f"{told} is required"
            yield from self._sent(told, each["schema"], after[key]["schema"], frozenset())
        for key in after.keys() - before.keys():
            if after[key].get("required", False):
                yield f"{name}: the {key[0]} parameter {key[1]} is new and required"

    def _body(self, name: str, call: Document, now: Document) -> Iterator[str]:
        before, after = call.get("requestBody"), now.get("requestBody")
        if before is None:
            if after is not None and after.get("required", False):
                yield f"{name}: a body is required"
            return
        if after is None:
            yield f"{name}: its body is gone"
            return
        for kind, content in before["content"].items():
            if kind not in after["content"]:
                yield f"{name}: it takes no {kind}"
                continue
            schema = after["content"][kind]["schema"]
            yield from self._sent(f"{name}: body", content["schema"], schema, frozenset())

    def _replies(self, name: str, call: Document, now: Document) -> Iterator[str]:
        for status, reply in call["responses"].items():
            told = f"{name}: {status}"
            after = now["responses"].get(status)
            if after is None:
                if status < "300":
                    yield f"{told} is gone"
                continue
            for header in reply.get("headers", {}):
                if header not in after.get("headers", {}):
                    yield f"{told}: the header {header} is gone"
            for kind, content in reply.get("content", {}).items():
                if kind not in after.get("content", {}):
                    yield f"{told}: {kind} is gone"
                    continue
                schema = after["content"][kind]["schema"]
                yield from self._received(told, content["schema"], schema, frozenset())

    def _sent(
        self, told: str, before: Document, after: Document, seen: frozenset[str]
    ) -> Iterator[str]:
        """Changes by which a request that was valid may be refused."""
        if before.get("$ref", "") in seen:
            return
        seen |= {before["$ref"]} if "$ref" in before else set()
        before, after = _resolved(before, self._earlier), _resolved(after, self._new)
        yield from self._kinds(told, before, after, lost="isn't taken")
        yield from _narrower(told, before, after)
        yield from self._fields_sent(told, before, after, seen)
        if "items" in before and "items" in after:
            yield from self._sent(f"{told}[]", before["items"], after["items"], seen)
        yield from self._choices(told, before, after, seen, self._sent)

    def _fields_sent(
        self, told: str, before: Document, after: Document, seen: frozenset[str]
    ) -> Iterator[str]:
        now = after.get("properties", {})
        for field in after.get("required", ()):
            if field not in before.get("required", ()):
                yield f"{told}.{field} is required"
        for field, schema in before.get("properties", {}).items():
            if field in now:
                yield from self._sent(f"{told}.{field}", schema, now[field], seen)
            elif after.get("additionalProperties") is False:
                yield f"{told}.{field} isn't taken"

    def _received(
        self, told: str, before: Document, after: Document, seen: frozenset[str]
    ) -> Iterator[str]:
        """Changes by which a reply may not be what a client expects."""
        if before.get("$ref", "") in seen:
            return
        seen |= {before["$ref"]} if "$ref" in before else set()
        before, after = _resolved(before, self._earlier), _resolved(after, self._new)
        yield from self._kinds(told, after, before, lost="may be there")
        yield from _wider(told, before, after)
        yield from self._fields_received(told, before, after, seen)
        if "items" in before and "items" in after:
            yield from self._received(f"{told}[]", before["items"], after["items"], seen)
        yield from self._choices(told, before, after, seen, self._received)

    def _fields_received(
        self, told: str, before: Document, after: Document, seen: frozenset[str]
    ) -> Iterator[str]:
        for field in before.get("required", ()):
            if field not in after.get("required", ()):
                yield f"{told}.{field} may be missing"
        now = after.get("properties", {})
        for field, schema in before.get("properties", {}).items():
            if field not in now:
                yield f"{told}.{field} is gone"
            else:
                yield from self._received(f"{told}.{field}", schema, now[field], seen)

    def _kinds(self, told: str, before: Document, after: Document, *, lost: str) -> Iterator[str]:
        """Types of one side that the other lacks."""
        there, left = _types(before), _types(after)
        if left:
            for kind in sorted(there - left) or (["anything"] if not there else []):
                yield f"{told}: {kind} {lost}"

    def _choices(
        self, told: str, before: Document, after: Document, seen: frozenset[str], compare: Any
    ) -> Iterator[str]:
        """Choices of a union by name; those of a nullable field by their place."""
        earlier, now = _union(before), _union(after)
        for name, schema in earlier.items():
            if name in now:
                yield from compare(told, schema, now[name], seen)
            elif now:
                yield f"{told}: {name} is gone"


def _narrower(told: str, before: Document, after: Document) -> Iterator[str]:
    """Values that were taken and may not be any more."""
    if "enum" in after:
        for value in [each for each in before.get("enum", ()) if each not in after["enum"]]:
            yield f"{told}: the value {value} isn't taken"
        if "enum" not in before and "const" not in before:
            yield f"{told}: only some values are taken"
    for bound in ("pattern", "minLength", "maxLength", "minimum", "maximum"):
        if bound in after and before.get(bound) != after[bound]:
            yield f"{told}: {bound} was {before.get(bound, 'none')}"


def _wider(told: str, before: Document, after: Document) -> Iterator[str]:
    """Values that may be there and were not announced."""
    if "enum" in before and "enum" not in after:
        yield f"{told}: any value may be there"
    if before.get("const") != after.get("const"):
        yield f"{told}: it was {before.get('const', 'any value')}"
    if "format" in before and before["format"] != after.get("format"):
        yield f"{told}: its format was {before['format']}"


def _resolved(schema: Document, document: Document) -> Document:
    while "$ref" in schema:
        found: Any = document
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def _types(schema: Document) -> frozenset[str]:
    """The JSON types that a schema names; none for any type, or for a union of records."""
    if "type" in schema:
        named = schema["type"]
        return frozenset([named] if isinstance(named, str) else named)
    choices = [each for each in schema.get("anyOf", ()) if "$ref" not in each]
    return frozenset(kind for each in choices for kind in _types(each))


def _union(schema: Document) -> dict[str, Document]:
    choices = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    return {
        str(each.get("$ref", each.get("type", ""))).rpartition("/")[2]: each for each in choices
    }


def main() -> int:
    earlier, new = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])
    found = breaking(earlier, new)
    print("\n".join(found) or "nothing that breaks a client")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
