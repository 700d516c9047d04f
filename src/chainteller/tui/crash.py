"""A crash leaves a file without values: a traceback's locals could hold keys and names."""

import os
import traceback
from pathlib import Path


def write_crash_file(error: BaseException, folder: Path, name: str) -> Path | None:
    """Write the bare traceback to ``folder/name`` with mode 0600; None where that fails."""
    path = folder / name
    frames = traceback.extract_tb(error.__traceback__)
    rows = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    rows.append(type(error).__name__)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
    except OSError:
        return None
    return path
