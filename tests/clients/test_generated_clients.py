"""Packages of clients that ``clients/build`` makes do the main job, and linters are content.

Needs what ``clients/tools`` installs, in the folder that ``CHAINTELLER_CLIENT_TOOLS`` names.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.servers.program import ServeProgram
from tests.world.bank import sqlite_url

from chainteller import __version__

CLIENTS = Path(__file__).parents[2] / "clients"
TOOLS = Path(os.environ.get("CHAINTELLER_CLIENT_TOOLS", "/nonexistent"))
NODE = TOOLS / "node_modules" / ".bin"
PYTHON = TOOLS / "venv" / "bin"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TOOLS.is_dir(), reason="what clients/tools installs isn't there"),
]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of ``chainteller serve --sample``, and an API key."""
    home = tmp_path_factory.mktemp("bank")
    url = sqlite_url(home)
    place = {**os.environ, "CHAINTELLER_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    create = (sys.executable, "-m", "chainteller", "keys", "create", "--name", "clients")
    key = subprocess.check_output([*create, "--database", url], env=place, text=True).strip()
    server = ServeProgram(url, home, "--sample")
    yield server.address, key
    server.stop()


@pytest.fixture(scope="module")
def description(bank: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server says of itself."""
    address, key = bank
    described = httpx.get(f"{address}/openapi.json", headers={"Authorization": f"Bearer {key}"})
    file = tmp_path_factory.mktemp("description") / "openapi.json"
    file.write_bytes(described.raise_for_status().content)
    return file


@pytest.fixture(scope="module")
def packages(description: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the packages that ``clients/build`` makes of it."""
    folder = tmp_path_factory.mktemp("packages")
    run(folder, CLIENTS / "build", description, folder, TOOLS)
    return folder


@pytest.fixture
def folder(description: Path, tmp_path: Path) -> Path:
    """A folder with the description."""
    shutil.copy(description, tmp_path)
    return tmp_path


def run(folder: Path, *command: str | Path, key: str = "") -> str:
    """What a command prints. Fails the test where the command does."""
    done = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "CHAINTELLER_API_KEY": key, "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_linters_have_no_finding(folder: Path) -> None:
    told = run(folder, NODE / "redocly", "lint", "openapi.json", "--format=json")
    assert json.loads(told[told.index("{") : told.rindex("}") + 1])["problems"] == []
    (folder / ".spectral.yaml").write_text("extends: ['spectral:oas']\n", encoding="utf-8")
    run(folder, NODE / "spectral", "lint", "openapi.json", "--fail-severity=hint")


def test_a_linter_finds_what_is_wrong(folder: Path) -> None:
    document = json.loads((folder / "openapi.json").read_text(encoding="utf-8"))
    del document["servers"]
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(AssertionError, match="no-empty-servers"):
        run(folder, NODE / "redocly", "lint", "openapi.json", "--format=json")


def test_the_packages_have_the_version_of_the_service(packages: Path) -> None:
    assert {each.name for each in packages.iterdir()} == {
        f"chainteller_client-{__version__}-py3-none-any.whl",
        f"chainteller_client-{__version__}.tar.gz",
        f"chainteller-client-{__version__}.tgz",
    }


def test_the_example_in_typescript_does_the_main_job(
    bank: tuple[str, str], packages: Path, tmp_path: Path
) -> None:
    for name in ("example.ts", "tsconfig.json"):
        shutil.copy(CLIENTS / "typescript" / name, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    modules = tmp_path / "node_modules"
    modules.mkdir()
    for each in (TOOLS / "node_modules").iterdir():
        (modules / each.name).symlink_to(each)
    with tarfile.open(packages / f"chainteller-client-{__version__}.tgz") as packed:
        packed.extractall(tmp_path, filter="data")
    (tmp_path / "package").rename(modules / "chainteller-client")
    run(tmp_path, NODE / "tsc")
    told = run(tmp_path, "node", "built/example.js", bank[0], key=bank[1])
    assert "done: TXN_" in told


def test_the_example_in_python_does_the_main_job(
    bank: tuple[str, str], packages: Path, tmp_path: Path
) -> None:
    shutil.copy(CLIENTS / "python" / "example.py", tmp_path)
    (wheel,) = packages.glob("*.whl")
    run(tmp_path, PYTHON / "pip", "install", "--no-deps", "--no-index", "--target=.", wheel)
    run(tmp_path, PYTHON / "mypy", "--strict", "example.py")
    told = run(tmp_path, PYTHON / "python", "example.py", bank[0], key=bank[1])
    assert "done: TXN_" in told
