"""Locations of files: the user's folders, and the files shipped with the program."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HOME_VARIABLE = "CHAINTELLER_HOME"
_APPLICATION = "chainteller"


class Paths(NamedTuple):
    """The user's files and folders. Reading a path doesn't create anything."""

    config_file: Path
    data: Path
    state: Path
    logs: Path
    cache: Path

    @property
    def database(self) -> Path:
        """The default database of the embedded engine."""
        return self.data / "bank.db"

    @property
    def signing_keys(self) -> Path:
        """The keys that sign checkpoints of the audit trail."""
        return self.data / "signing_keys"

    @property
    def writer_keys(self) -> Path:
        """The keys without which nobody writes to the log: neither with the data nor in backups."""
        return self.config_file.parent / "writer_keys"

    @property
    def themes(self) -> Path:
        """The user's own theme files."""
        return self.config_file.parent / "themes"

    @property
    def customer_texts(self) -> Path:
        """The bank's own texts for customers, which replace the shipped ones."""
        return self.config_file.parent / "customer_texts.toml"

    @property
    def theme_folders(self) -> tuple[Path, Path]:
        """Folders with themes: the shipped ones, then the user's, which take precedence."""
        return shipped("themes"), self.themes


def locate(environ: Mapping[str, str]) -> Paths:
    """The folders under ``CHAINTELLER_HOME``, or the operating system's folders."""
    home = environ.get(HOME_VARIABLE)
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(
            root / "config.toml", root / "data", root / "state", root / "logs", root / "cache"
        )
    from platformdirs import PlatformDirs  # noqa: PLC0415 - not needed under CHAINTELLER_HOME

    folders = PlatformDirs(_APPLICATION, appauthor=False)
    return Paths(
        config_file=folders.user_config_path / "config.toml",
        data=folders.user_data_path,
        state=folders.user_state_path,
        logs=folders.user_log_path,
        cache=folders.user_cache_path,
    )


def shipped(name: str) -> Path:
    """A shipped folder (``themes``, ``sample_data``): in the wheel, or at the repository's root."""
    package = Path(__file__).parent
    installed = package / "_data" / name
    return installed if installed.is_dir() else package.parent.parent / name


def private_folder(folder: Path) -> Path:
    """Create ``folder``, accessible only to its owner, and return it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
