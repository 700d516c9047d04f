"""Requests made from the description itself: no finding, and planted faults are found.

Needs the extra ``fuzz`` (``requirements/fuzz.txt``) in an environment of its own, whose ``st`` is
on the path or named by ``CHAINTELLER_SCHEMATHESIS``.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess

PROGRAM = os.environ.get("CHAINTELLER_SCHEMATHESIS") or shutil.which("st")
SETTINGS = Path(__file__).with_name("schemathesis.toml")
TWO_TENANTS = """
[auth.wfc]
path = "wfc.yaml"
user = "alice"
peers = ["alice", "bob"]
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="schemathesis (extra fuzz) is not installed"),
]


def run(folder: Path, *, seed: str, examples: str, fault: str = "") -> tuple[int, str]:
    """Exit code and report of one run against a server of its own; two tenants take part."""
    world = build(sqlite_url(folder))
    tenants = {"alice": world.key(), "bob": world.key(organisation="other")}
    world.engine.close()
    users = "".join(
        f"  - name: {name}\n    fixedHeaders:\n      - name: Authorization\n"
        f'        value: "Bearer {key}"\n'
        for name, key in tenants.items()
    )
    (folder / "wfc.yaml").write_text(f"auth:\n{users}", encoding="utf-8")
    settings = SETTINGS.read_text(encoding="utf-8") + TWO_TENANTS
    (folder / "schemathesis.toml").write_text(settings, encoding="utf-8")
    server = ServerProcess(sqlite_url(folder), "0", "1", fault)
    try:
        done = subprocess.run(
            [
                str(PROGRAM),
                "run",
                f"{server.address}/openapi.json",
                f"--header=Authorization: Bearer {tenants['alice']}",
                f"--max-examples={examples}",
                f"--seed={seed}",
                "--workers=2",
                "--no-color",
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        server.kill()
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_nothing_is_found(tmp_path: Path, seed: str) -> None:
    code, report = run(tmp_path, seed=seed, examples="300")
    assert code == 0, report
    links = re.search(r"API Links:\s+(\d+) covered", report)
    assert links is not None
    assert int(links[1]) > 0


@pytest.mark.parametrize(
    ("fault", "finding"),
    [("any-key", "ST401"), ("other-tenant", "ST402"), ("wrong-shape", "ST108")],
)
def test_a_planted_fault_is_found(tmp_path: Path, fault: str, finding: str) -> None:
    code, report = run(tmp_path, seed="1", examples="50", fault=fault)
    assert code == 1, report
    assert finding in report
