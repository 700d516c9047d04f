"""Kill commands in the middle of their work, and let the next run finish it:
``python -m tests.cli.middle_kills FOLDER [PLACES [COMMAND...]]``.

Each command runs once as a whole under ``strace``, which says what it writes in its place: files,
names, and what goes to the disk. Then it runs again on a fresh copy of the place for each of PLACES
(20) of these system calls, and is killed with SIGKILL where it makes this one. After each kill
nothing may be lost or half there, and the next run must do what the first would have done and leave
no draft. Needs ``strace``.
"""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.cli.program import Ended, environment, in_this_process
from tests.storage.later_builds import expanded

from chainteller.sqlite import sqlite3

_CALLS = (
    "pwrite64,write,fsync,fdatasync,ftruncate,rename,renameat2,link,linkat,unlink,unlinkat,mkdir,"
    "rmdir,chmod"
)
_LINE = re.compile(r"(\d+) +(\w+)\(")
_NAME = "Adelheid Zwetschgenbaum"
_LINES = 1_200
_HEADER = "reference,name,kycLevel,termsAccepted,bankAccountId,bankAccountType,bankAccountBalance"


class Place(NamedTuple):
    """A folder with a bank and what its operator has."""

    folder: Path
    package: Path | None = None
    """Where another build is."""

    @property
    def home(self) -> dict[str, str]:
        return {"CHAINTELLER_HOME": str(self.folder / "home")}

    @property
    def bank(self) -> Path:
        return self.folder / "home" / "data" / "bank.db"

    def at(self, command: tuple[str, ...]) -> list[str]:
        return [each.replace("@", f"{self.folder}/") for each in command]

    def run(self, *command: str) -> Ended:
        """Run a command of this build, or of the place's own."""
        if self.package is None:
            return in_this_process(*self.at(command), **self.home)
        done = subprocess.run(
            [sys.executable, "-m", "chainteller", *self.at(command)],
            env=environment(**self.home) | {"PYTHONPATH": str(self.package)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def must(self, *command: str) -> Ended:
        ended = self.run(*command)
        assert ended.code == 0, (command, ended.out, ended.err)
        return ended

    def drafts(self) -> list[str]:
        return [each.name for each in self.folder.rglob(".*") if each.name != ".lock"]

    def ids(self, file: Path | None = None) -> set[str]:
        """The entries of the bank's logs, by their hashes."""
        connection = sqlite3.connect(f"file:{file or self.bank}?mode=ro", uri=True)
        try:
            return {row[0].hex() for row in connection.execute("SELECT leaf FROM entry")}
        finally:
            connection.close()


class Case(NamedTuple):
    """A command, the next run that finishes it, what must hold after the kill, and at the end."""

    prepare: Callable[[Place], None]
    command: tuple[str, ...]
    again: tuple[str, ...]
    killed: Callable[[Place], None]
    finished: Callable[[Place, Ended], None]


def _bank(place: Place) -> None:
    customers = [
        f"C-{number},Customer {number},enhanced,yes,ACC-{number},checking,100.00"
        for number in range(300)
    ]
    file = place.folder / "first.csv"
    file.write_text(
        "\n".join([_HEADER, *customers, f"C-F,{_NAME},enhanced,yes,ACC-F,checking,0", ""])
    )
    place.must("customers", "import", str(file))
    file.unlink()
    account = place.must("accounts", "open", "ACC-1", "--type", "checking", "--json").body["id"]
    for _ in range(3):
        place.must("deposit", account, "5.00", "--yes")


def _sound(place: Place) -> None:
    assert place.must("db", "verify").out == "every invariant holds\n"


def _backed_up(place: Place, name: str) -> None:
    place.must("db", "verify", "--database", f"sqlite:///{place.folder / name}")
    assert place.ids(place.folder / name) <= place.ids()


def _killed_backup(place: Place) -> None:
    _sound(place)
    if (place.folder / "backup.db").exists():
        _backed_up(place, "backup.db")


def _with_backup(place: Place) -> None:
    _bank(place)
    place.must("db", "backup", "@backup.db")
    place.must("quote", "sol-usd", "buy", "10")


def _restored(place: Place, _ended: Ended) -> None:
    _sound(place)
    assert place.ids(place.folder / "backup.db") < place.ids()


def _nothing_lost(place: Place) -> None:
    """The quote after the backup is in the bank still, or in the former one beside it."""
    files = [*place.bank.parent.glob("bank*"), place.bank]
    kept = [each for each in files if not each.name.endswith(("-wal", "-shm", "-journal"))]
    newest = {each for file in kept for each in place.ids(file)}
    assert len(newest - place.ids(place.folder / "backup.db")) >= 1


def _to_import(place: Place) -> None:
    _bank(place)
    lines = [f"N-{n},Nobody {n},basic,no,NEW-{n},checking," for n in range(_LINES)]
    (place.folder / "people.csv").write_text("\n".join([_HEADER, *lines, ""]))


def _imported(place: Place, ended: Ended) -> None:
    _sound(place)
    assert ended.body["created"] + ended.body["unchanged"] == _LINES
    assert not ended.body["refused"]


def _to_forget(place: Place) -> None:
    _bank(place)
    account = place.must("accounts", "open", "ACC-F", "--type", "checking", "--json").body["id"]
    place.must("notes", "add", account, f"as {_NAME} says")


def _forgotten(place: Place, _ended: Ended) -> None:
    _sound(place)
    for file in (each for each in place.folder.rglob("*") if each.is_file()):
        assert b"zwetschgen" not in file.read_bytes().lower(), file


def _drilled(place: Place, ended: Ended) -> None:
    _sound(place)
    assert ended.body["ok"]


def _upgraded(place: Place, ended: Ended) -> None:
    _sound(place)
    assert "breaches" not in ended.body
    assert place.must("db", "upgrade", "--check").code == 0


def _upgradable(place: Place) -> None:
    assert place.run("db", "upgrade", "--check").code in (0, 1)


CASES: Mapping[str, Case] = {
    "backup": Case(
        _bank,
        ("db", "backup", "@backup.db"),
        ("db", "backup", "@next.db"),
        _killed_backup,
        lambda place, _: _backed_up(place, "next.db"),
    ),
    "restore": Case(
        _with_backup,
        ("db", "restore", "@backup.db"),
        ("db", "restore", "@backup.db"),
        _nothing_lost,
        _restored,
    ),
    "upgrade": Case(
        _bank, ("db", "upgrade", "--json"), ("db", "upgrade", "--json"), _upgradable, _upgraded
    ),
    "import": Case(
        _to_import,
        ("customers", "import", "@people.csv", "--json"),
        ("customers", "import", "@people.csv", "--json"),
        _sound,
        _imported,
    ),
    "forget": Case(
        _to_forget,
        ("customers", "forget", "C-F"),
        ("customers", "forget", "C-F"),
        _sound,
        _forgotten,
    ),
    "drill": Case(
        _with_backup, ("drill", "@backup.db"), ("drill", "@backup.db", "--json"), _sound, _drilled
    ),
}


class Traced(NamedTuple):
    """How a traced run ended, and its writing calls in the place: thread, name, which of them."""

    code: int
    calls: list[tuple[int, str, int]]


def traced(place: Place, command: tuple[str, ...], kill: tuple[str, int] | None = None) -> Traced:
    """Run a command under strace; it's killed where a thread makes a call for the n-th time."""
    log = place.folder.with_suffix(".strace")
    line = ["strace", "-f", "-qq", "-y", "-s", "0", "-o", str(log)]
    line += ["-e", f"trace={_CALLS}"]
    if kill is not None:
        line += ["-e", f"inject={kill[0]}:signal=KILL:when={kill[1]}"]
    variables = environment(**place.home) | {"PYTHONDONTWRITEBYTECODE": "1"}
    if place.package is not None:
        variables["PYTHONPATH"] = str(place.package)
    done = subprocess.run(
        [*line, sys.executable, "-m", "chainteller", *place.at(command)],
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert kill is not None or done.returncode == 0, done.stderr
    counts: dict[tuple[int, str], int] = {}
    found = []
    for text in log.read_text(errors="replace").splitlines():
        matched = _LINE.match(text)
        if matched is None:
            continue
        thread, name = int(matched[1]), matched[2]
        counts[thread, name] = counts.get((thread, name), 0) + 1
        if str(place.folder) in text:
            found.append((thread, name, counts[thread, name]))
    return Traced(done.returncode, found)


def kills(root: Path, name: str, places: int) -> list[str]:
    """Kill a command at so many places; what was wrong."""
    case, wrong = CASES[name], []
    package = expanded(root / "build").package.parent if name == "upgrade" else None
    place, template = Place(root / name), root / f"{name}.template"
    place.folder.mkdir()
    case.prepare(place)
    place.folder.rename(template)
    place = place._replace(package=package)
    calls = _fresh(place, template, case.command).calls
    for number in range(places):
        _, call, nth = calls[number * (len(calls) - 1) // max(1, places - 1)]
        code = _fresh(place, template, case.command, (call, nth)).code
        try:
            assert code == -signal.SIGKILL, code
            case.killed(place)
            case.finished(place, place.must(*case.again))
            assert not place.drafts(), place.drafts()
        except AssertionError as fault:
            wrong.append(f"{name}: after {call} {nth}: {fault}")
    shutil.rmtree(place.folder)
    shutil.rmtree(template)
    sys.stdout.write(f"{name}: {places} kills, {len(calls)} calls, {len(wrong)} wrong\n")
    sys.stdout.flush()
    return wrong


def _fresh(
    place: Place, template: Path, command: tuple[str, ...], kill: tuple[str, int] | None = None
) -> Traced:
    """Run a command on a fresh copy, in the same folder: a desk's own file is named after it."""
    shutil.rmtree(place.folder, ignore_errors=True)
    shutil.copytree(template, place.folder)
    return traced(place, command, kill)


def main(folder: str, places: str = "20", *names: str) -> int:
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    wrong = [each for name in names or CASES for each in kills(root, name, int(places))]
    sys.stdout.writelines(f"WRONG: {each}\n" for each in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
