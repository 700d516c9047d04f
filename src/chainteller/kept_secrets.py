"""Secrets that this machine keeps, one of a kind for each place: in the system's keyring where
there is one, otherwise in a file of the owner's."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from chainteller.credentials import from_keyring, into_keyring, out_of_keyring
from chainteller.paths import Paths, private_folder
from chainteller.private_files import locked, read_private, write_atomically
from chainteller.settings.place import Place
from chainteller.settings.values import SettingsInvalid, why_unreadable

_MOST_IN_KEYRING = 1_200
"""Characters: Windows keeps 2,560 bytes of UTF-16."""


class KeptSecret:
    """The secret of a place.

    Args:
        kind: ``agent`` or ``sign-in``.
        what: it, in words for an error.
    """

    def __init__(self, paths: Paths, place: Place, kind: str, what: str) -> None:
        name = f"{place.profile.name if place.profile else ''}\0{place.address}"
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        self.file = paths.config_file.parent / f"{kind}s" / f"{digest}.key"
        self._service, self._name, self._what = f"chainteller-{kind}", digest, what

    def read(self) -> str | None:
        """None where there is none. Raises SettingsInvalid: others may read it, or nobody can."""
        found = from_keyring(self._service, self._name)
        if found:
            return found
        try:
            return read_private(self.file)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            told = f"{self._what} {self.file} can't be read: {why_unreadable(error)}"
            raise SettingsInvalid([told]) from None

    def write(self, text: str) -> None:
        """Keep a secret in place of the one that was there. Raises OSError."""
        if len(text) <= _MOST_IN_KEYRING and into_keyring(self._service, self._name, text):
            self.file.unlink(missing_ok=True)
            return
        out_of_keyring(self._service, self._name)
        private_folder(self.file.parent)
        write_atomically(self.file, text, is_new=False)

    def remove(self) -> None:
        """Raises OSError."""
        out_of_keyring(self._service, self._name)
        self.file.unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One program of this machine at a time. Raises OSError."""
        private_folder(self.file.parent)
        with locked(self.file.with_suffix(".lock")):
            yield
