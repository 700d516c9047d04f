"""Clients that public generators make of the description do the main job, and linters are content.

Needs the tools of ``.ci/contract``: ``CHAINTELLER_CLIENT_TOOLS`` names a folder with
``node_modules`` (of ``typescript/package.json``) and ``venv`` (of ``requirements/contract.txt``).
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess

from chainteller.domain.clock import SystemClock

HERE = Path(__file__).parent
TOOLS = Path(os.environ.get("CHAINTELLER_CLIENT_TOOLS", "/nonexistent"))
NODE = TOOLS / "node_modules" / ".bin"
PYTHON = TOOLS / "venv" / "bin"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TOOLS.is_dir(), reason="the tools of .ci/contract aren't installed"),
]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server process, and an API key."""
    url = sqlite_url(tmp_path_factory.mktemp("bank"))
    world = build(url, clock=SystemClock())
    key = world.key()
    world.engine.close()
    server = ServerProcess(url)
    yield server.address, key
    server.kill()


@pytest.fixture
def folder(bank: tuple[str, str], tmp_path: Path) -> Path:
    """A folder with the description that the server serves."""
    address, key = bank
    described = httpx.get(f"{address}/openapi.json", headers={"Authorization": f"Bearer {key}"})
    (tmp_path / "openapi.json").write_bytes(described.raise_for_status().content)
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


def test_a_typescript_client_does_the_main_job(bank: tuple[str, str], folder: Path) -> None:
    for name in ("main_job.ts", "tsconfig.json", "package.json"):
        shutil.copy(HERE / "typescript" / name, folder)
    (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    run(folder, NODE / "openapi-typescript", "openapi.json", "--output", "api.d.ts")
    run(folder, NODE / "tsc", "--strict")
    told = run(folder, "node", "built/main_job.js", bank[0], key=bank[1])
    assert "done: TXN_" in told


def test_a_python_client_does_the_main_job(bank: tuple[str, str], folder: Path) -> None:
    shutil.copy(HERE / "main_job.py", folder)
    generator = PYTHON / "openapi-python-client"
    made = ("--meta=none", "--output-path=bank_client", "--path=openapi.json")
    told = run(folder, generator, "generate", *made)
    assert "unsupported" not in told.lower()
    assert "WARNING parsing" not in told
    run(folder, PYTHON / "mypy", "--strict", "main_job.py")
    told = run(folder, PYTHON / "python", "main_job.py", bank[0], key=bank[1])
    assert "done: TXN_" in told
