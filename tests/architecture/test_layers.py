"""The arrows between the parts, as pyproject.toml states them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_import_contract_is_kept() -> None:
    done = subprocess.run(
        [
            Path(sys.executable).with_name("lint-imports"),
            "--no-cache",
            "--config",
            "pyproject.toml",
        ],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_a_transaction_commits() -> None:
    allowed = {
        "engine/core/unit_of_work.py",
        "storage/upkeep/archives.py",  # a file beside the database; a transaction takes what it has
        "storage/database.py",  # what a transaction calls: it finds out what a lost answer meant
        "storage/upkeep/copying.py",  # a whole database, which is no operation of the service
        "storage/upkeep/maintenance.py",  # samples of tables that the database looks at
        "storage/schema/ddl.py",  # the schema of a new database
        "storage/upkeep/upgrade.py",  # a migration, which is no operation of the service
        "storage/db/write_health.py",  # a trial that leaves nothing
    }
    source = ROOT / "src" / "chainteller"
    found = {
        str(file.relative_to(source))
        for file in source.rglob("*.py")
        if ".commit(" in file.read_text(encoding="utf-8")
    }
    assert found
    assert found <= allowed


def test_nothing_but_the_clock_and_the_seed_is_read_from_the_machine() -> None:
    source = ROOT / "src" / "chainteller"
    readers = {
        str(file.relative_to(source))
        for file in source.rglob("*.py")
        if any(
            word in file.read_text(encoding="utf-8")
            for word in ("time_ns()", "datetime.now(", "time.time()")
        )
    }
    assert readers == {"domain/clock.py"}
