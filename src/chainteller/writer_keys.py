"""Where the key is without which nobody writes to the log: a file, a variable or a command."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from chainteller.credentials import from_command, from_file, from_variable
from chainteller.domain.randomness import SystemRandomness
from chainteller.paths import private_folder
from chainteller.private_files import write_atomically
from chainteller.settings.values import SettingsInvalid
from chainteller.storage.log.writer_keys import KEY_BYTES, missing_key

_SETTING = "audit.writer_key"
_VARIABLE, _COMMAND = "env:", "command:"


@dataclass(frozen=True, slots=True)
class ConfiguredKeys:
    """The keys that ``audit.writer_key`` names; where it's empty, a file in ``folder`` for each
    deployment. A key is written as 64 hexadecimal digits. Where ``source`` names the key, the heads
    of the log are kept in the folder ``state``: a secret's folder can't be written."""

    source: str
    folder: Path
    environ: Mapping[str, str]
    state: Path

    def place(self, deployment: str) -> str:
        """Where the key is, in words that tell no arguments of a command."""
        if self.source.startswith(_COMMAND):
            return f"{_COMMAND}{(self.source.removeprefix(_COMMAND).split() or ['(empty)'])[0]}"
        return self.source if self._is_outside else str(self._file(deployment))

    def heads_file(self, deployment: str, database: str) -> Path:
        """Where the heads of the logs of a database are kept. Each has its own: a backup that is
        restored beside the bank goes on by itself, and so does the bank."""
        folder = self.state / "writer_heads" if self.source else self._file(deployment).parent
        own = sha256(database.encode()).hexdigest()[:12]
        return folder / f"{deployment}.{own}.heads"

    def state_file(self, deployment: str, database: str) -> Path:
        """Where it's kept what its logs say of the rows that a payout rests on."""
        return self.heads_file(deployment, database).with_suffix(".state")

    def load(self, deployment: str) -> bytes:
        """Raises WriterKeyMissing."""
        try:
            key = bytes.fromhex(self._text(deployment))
        except SettingsInvalid as error:
            raise missing_key(self._without_folder("; ".join(error.problems), deployment)) from None
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise missing_key(f"a key has {2 * KEY_BYTES} hexadecimal digits, and it hasn't")
        return key

    def create(self, deployment: str) -> bytes:
        """Make the file, unless a key is there. Raises as ``load``."""
        if not self._is_outside and not self._file(deployment).exists():
            self._write(deployment, is_new=True)
        return self.load(deployment)

    def replace(self, deployment: str) -> bytes:
        """Put another key into the file; elsewhere, its owner has done so. Raises as ``load``."""
        if not self._is_outside:
            self._write(deployment, is_new=False)
        return self.load(deployment)

    @property
    def _is_outside(self) -> bool:
        return self.source.startswith((_VARIABLE, _COMMAND))

    def _without_folder(self, said: str, deployment: str) -> str:
        """What is said of a file reaches clients, who needn't know where it is."""
        file = self._file(deployment)
        return said if self._is_outside else said.replace(str(file), file.name)

    def _file(self, deployment: str) -> Path:
        return Path(self.source).expanduser() if self.source else self.folder / f"{deployment}.key"

    def _text(self, deployment: str) -> str:
        if self.source.startswith(_VARIABLE):
            return from_variable(_SETTING, self.source.removeprefix(_VARIABLE), self.environ)
        if self.source.startswith(_COMMAND):
            return from_command(_SETTING, self.source.removeprefix(_COMMAND))
        return from_file(_SETTING, self._file(deployment))

    def _write(self, deployment: str, *, is_new: bool) -> None:
        file, key = self._file(deployment), SystemRandomness().bytes(KEY_BYTES)
        try:
            private_folder(file.parent)
            write_atomically(file, f"{key.hex()}\n", is_new=is_new)
        except OSError as error:
            raise missing_key(f"{file.name}: {error.strerror}") from None
