"""A custody that exchanges files: for transfers that people or a batch sign.

A request is ``requests/KEY.json`` in the folder, which this program writes once. Its answer is
``answers/KEY.json``, which whoever carries it out writes as a whole; both have the contents that
docs/reference/ports.md describes. A request without an answer is pending.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chainteller.domain.json_depth import parse_json
from chainteller.domain.outside import (
    Answer,
    NotCarriedOut,
    State,
    Step,
    Unanswered,
    read_answer,
)
from chainteller.private_files import sync_folder
from chainteller.service.errors import ServiceUnavailable

_MAXIMUM_BYTES = 65_536


class FolderCustody:
    """Writes requests into a folder and reads their answers there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def carry_out(self, step: Step, key: str, body: Mapping[str, str]) -> Answer:
        """Raises NotCarriedOut, Unanswered, AnswerUnusable."""
        request = self._folder / "requests" / f"{key}.json"
        try:
            if not request.exists():
                _write(request, {"key": key, "step": step.value, **body})
        except OSError as error:
            raise NotCarriedOut(f"the request can't be written: {error.strerror}") from None
        try:
            with (self._folder / "answers" / request.name).open("rb") as opened:
                found = parse_json(opened.read(_MAXIMUM_BYTES))
        except FileNotFoundError:
            return Answer(State.PENDING)
        except OSError as error:
            raise Unanswered(f"the answer can't be read: {error.strerror}") from None
        except ValueError:
            raise Unanswered("the answer isn't JSON") from None
        return read_answer(found, key, body["amount"])

    def read(self, path: str, query: Mapping[str, str]) -> Any:  # noqa: ARG002 - the port's shape
        raise self.unavailable("it only exchanges files")

    def unavailable(self, why: str) -> ServiceUnavailable:
        return ServiceUnavailable(f"The custody: {why}.", {"reason": "CUSTODY_UNAVAILABLE"})

    def close(self) -> None:
        """Nothing is open."""


def _write(file: Path, body: Mapping[str, str]) -> None:
    """Write a file as a whole, so that nobody reads a part of it, and keep it through a crash."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    with partial.open("w", encoding="utf-8") as opened:
        json.dump(body, opened, indent=2)
        opened.flush()
        os.fsync(opened.fileno())
    partial.replace(file)
    sync_folder(file.parent)
