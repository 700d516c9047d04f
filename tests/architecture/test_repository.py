"""What lies in the repository, and what must not."""

import re
import subprocess
from pathlib import Path

from tests.environment import KEPT

ROOT = Path(__file__).parents[2]
TOP_LEVEL = {
    ".ci",
    ".dockerignore",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "clients",
    "docs",
    "pyproject.toml",
    "requirements",
    "sample_data",
    "src",
    "tests",
    "themes",
}


def _tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return [
            str(file.relative_to(ROOT)) for name in TOP_LEVEL for file in (ROOT / name).rglob("*")
        ]
    return done.stdout.splitlines()


def test_the_top_level_holds_what_it_should_and_nothing_else() -> None:
    assert {name.split("/")[0] for name in _tracked()} <= TOP_LEVEL


def test_lock_files_name_hashes_and_no_hosts() -> None:
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    assert {lock.stem for lock in locks} >= {"lint", "pdf", "runtime", "server", "test"}
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text
        assert "--hash=sha256:" in text
        for entry in re.findall(r"^[\w.\[\]-]+==.*?(?=^\S)", text, re.MULTILINE | re.DOTALL):
            assert "--hash=" in entry, entry


def test_textual_is_pinned_exactly() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'"textual==\d+\.\d+\.\d+"', text)


def test_the_suite_keeps_what_its_tests_read_from_the_environment() -> None:
    read = {
        name
        for path in (ROOT / "tests").rglob("*.py")
        for name in re.findall(
            r'(?m)^\w+ = .*os\.environ\.get\("(\w+)"', path.read_text(encoding="utf-8")
        )
    }
    assert "PAYOUT_SEEDS" in read
    assert read <= KEPT
