"""A deployment whose every text is hostile, and a program that shows it on a terminal."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from chainteller.records.formats import RECORD_ID
from chainteller.service.errors import TellerError
from chainteller.service.interface import Service
from chainteller.service.operations import CAPABILITIES, Call

Answer = TypeVar("Answer")

HOSTILE = (
    "\x1b]52;c;ZXZpbA==\x1b\\", "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x07", "\x1b]2;title\x1b\\",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b[2J", "\x1b[31m", "\x1b[?1049l",
    "\x1bc", "\x1bP1$r\x1b\\", "\x9b31m", "\x9d52;c;ZXZpbA==\x9c", "\x90q\x9c", "a\x00b", "a\x7fb",
    "\r\nforged line", "\x08\x08\x08", "\t\v\f", "\u202egnp.exe", "\u2066left\u2069", "\u061cmark",
    "pay\u200bpal", "zero\ufeffwidth", "soft\u00adhyphen", "\U000e0041\U000e0042tag",
    "line\u2028break\u2029", "\ufff9anchor\ufffb", "lone \ud800 surrogate",
    "[@click=app.quit]ACME[/]", "[@click='app.bell']x", "Bob [/] Ltd", "[bold", "[$error]x[/]",
    "[link=http://evil.example]x[/link]", "a" + "\u0301" * 400, "W" * 5_000, "字" * 3_000,
    "שלום עולם", "👩‍👩‍👧‍👦 family", "%s {0} ${x}",
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?[\d.,]+")


class HostileService(Service):
    """Answers as ``inner`` does, with hostile text in every field that is no number. Ids keep
    working: what comes back in a call is found again. ``texts`` go in front of what is there."""

    def __init__(
        self, inner: Service, pairs: set[tuple[str, int]], texts: Sequence[str] = HOSTILE
    ) -> None:
        self._inner = inner
        self._texts = texts
        self._real: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._turn = 0
        self.pairs = pairs
        """(model.field, number of the string) shown so far."""

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation is CAPABILITIES:
            return self._inner.call(call)
        asked = replace(
            call,
            ids=tuple(self._back(each) for each in call.ids),
            request=self._back(call.request),
            query=self._back(call.query),
        )
        try:
            answer = self._inner.call(asked)
        except TellerError as error:
            error.args = (self._spoil("error.message", str(error)),)
            raise
        spoiled: Answer = self._of(answer)
        return spoiled

    def _back(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._real.get(value, value)
        if isinstance(value, BaseModel):
            return value.model_copy(
                update={key: self._back(getattr(value, key)) for key in type(value).model_fields}
            )
        return value

    def _spoil(self, where: str, text: str) -> str:
        if RECORD_ID.fullmatch(text):  # the same record has the same id wherever it is named
            return self._ids.setdefault(text, "") or self._new(where, text)
        return self._new(where, text)

    def _new(self, where: str, text: str) -> str:
        number = self._turn % len(self._texts)
        self._turn += 1
        self.pairs.add((where, number))
        spoiled = self._texts[number] + text
        self._real[spoiled] = text
        if text in self._ids:
            self._ids[text] = spoiled
        return spoiled

    def _of(self, value: Any, where: str = "") -> Any:
        if isinstance(value, BaseModel):
            kind = type(value).__name__
            changed = {
                key: self._of(getattr(value, key), f"{kind}.{key}")
                for key in type(value).model_fields
            }
            return value.model_copy(update=changed)
        if isinstance(value, str) and where and not _kept(where, value):
            return self._spoil(where, value)
        if isinstance(value, tuple):
            return tuple(self._of(one, where) for one in value)
        if isinstance(value, Mapping):
            return {key: self._of(one, where) for key, one in value.items()}
        if hasattr(value, "value") and hasattr(value, "replayed"):
            return type(value)(self._of(value.value), value.replayed)
        return value


def _kept(where: str, value: str) -> bool:
    """Numbers are no text, and what a remote's ``type`` is decides the model."""
    return _NUMBER.fullmatch(value) is not None or where.endswith((".type", "market_name"))


def main() -> int:
    from tests.tui.conftest import make_bench  # noqa: PLC0415 - only where this is the program

    folder = Path(sys.argv[1])
    for bench in make_bench(folder):
        for number in range(1, 9):
            bench.open(number, deposit="50.00")
        pairs: set[tuple[str, int]] = set()
        service = HostileService(bench.deployment, pairs)
        app = bench.console(service)
        app.bell = lambda: None  # type: ignore[method-assign]  # a bell that rings is theirs
        app.run()
        fields = sorted({where for where, _ in pairs})
        (folder / "pairs.txt").write_text(
            f"{len(pairs)} {len(fields)} {app.return_code}\n" + "\n".join(fields)
        )
        return app.return_code or 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
