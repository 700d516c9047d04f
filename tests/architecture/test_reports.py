"""No report of a failing test, and no crash file, holds a secret or the environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
CANARY = "canary-sk_live_7f3kQ22dZz"
NAMES = ("BANK_API_TOKEN", "CHAINTELLER_API_KEY", "AWS_SECRET_ACCESS_KEY")
FAILING = """
import os
import subprocess
import sys

import pytest
from tests.tui.conftest import bench, deployment, press, settle

def test_shows_the_environment():
    environment = dict(os.environ)
    assert environment == {}

def test_raises_with_it():
    raise RuntimeError(f"{os.environ}")

def test_a_program_it_starts_has_it():
    program = "import os; print(os.environ); raise SystemExit(1)"
    subprocess.run([sys.executable, "-c", program], check=True)

def test_has_no_snapshot_report(snap_compare):
    from textual.app import App
    assert snap_compare(App())

async def test_the_console_crashes(bench):
    class Nobody:
        def __getattr__(self, name):
            environment = dict(os.environ)
            raise ValueError(name)
    app = bench.console(service=Nobody())
    async with app.run_test() as pilot:
        await settle(pilot)
"""


def _fail(folder: Path, *words: str) -> str:
    """Everything that a failing run printed and wrote."""
    (folder / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    (folder / "test_failing.py").write_text(FAILING)
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-vv", "-l"]
    command += [f"--rootdir={folder}", "--full-trace", "--junitxml=junit.xml", *words, str(folder)]
    done = subprocess.run(
        command,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            **dict.fromkeys(NAMES, CANARY),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert (folder / "junit.xml").exists()
    written = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    texts = [path.read_bytes().decode(errors="replace") for path in written]
    return "\n".join([done.stdout, done.stderr, *texts])


@pytest.mark.parametrize(
    "words",
    [(), pytest.param(("-n", "1"), marks=pytest.mark.slow)],
    ids=["one process", "workers"],
)
def test_no_report_holds_the_environment(tmp_path: Path, words: tuple[str, ...]) -> None:
    report = _fail(tmp_path, *words, "--basetemp", str(tmp_path / "base"))
    assert "4 failed, 1 error" in report, report[-3000:]
    assert "fixture 'snap_compare' not found" in report
    assert "chainteller-crash" in report
    assert CANARY not in report
    for name in NAMES:
        assert name not in report
