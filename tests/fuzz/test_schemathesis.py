"""Requests made from the description itself: no finding, and planted faults are found.

Every run has a server process and a database of its own, on SQLite and on PostgreSQL. Needs the
extra ``fuzz`` (``requirements/fuzz.txt``) in an environment of its own, whose ``st`` is on the
path or named by ``CHAINTELLER_SCHEMATHESIS``.
"""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from tests.fuzz.known_values import as_settings, known_values
from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess

from chainteller.domain.clock import SystemClock
from chainteller.engine.verification.full_pass import verify, verify_chain

PROGRAM = os.environ.get("CHAINTELLER_SCHEMATHESIS") or shutil.which("st")
SETTINGS = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = os.environ.get("CHAINTELLER_FUZZ_EXAMPLES", "100")
"""For each operation, in each phase."""
SEEDS = os.environ.get("CHAINTELLER_FUZZ_SEEDS", "1 2 3").split()
REACHED = (
    "createTradingAccount",
    "createDeposit",
    "createWithdrawal",
    "createQuote",
    "executeQuote",
    "createCounterparty",
    "createBlockchainAccount",
    "createOwnershipChallenge",
    "getTrade",
    "findTransaction",
    "getOwnershipChallenge",
    "getOwnershipClaim",
)
"""Operations of which a run that never succeeds has looked at refusals alone."""
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


@dataclass(frozen=True, slots=True)
class Run:
    """``answered`` counts the replies of the server by operation and status."""

    code: int
    report: str
    answered: Counter[tuple[str, str]]

    def succeeded(self, operation: str) -> int:
        found = self.answered.items()
        return sum(n for (name, status), n in found if name == operation and status < "300")

    @property
    def links(self) -> int:
        """Links that were followed; each stateful phase tells its own."""
        found = re.findall(r"API Links:\s+([\d,]+) covered", self.report)
        return sum(int(number.replace(",", "")) for number in found)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path)
    return str(request.getfixturevalue("postgres_url"))


def write_settings(folder: Path, tenants: dict[str, str], known: dict[str, list[str]]) -> None:
    """Two tenants take part, so that one may try the ids of the other."""
    users = "".join(
        f"  - name: {name}\n    fixedHeaders:\n      - name: Authorization\n"
        f'        value: "Bearer {key}"\n'
        for name, key in tenants.items()
    )
    (folder / "wfc.yaml").write_text(f"auth:\n{users}", encoding="utf-8")
    settings = SETTINGS.read_text(encoding="utf-8") + TWO_TENANTS + as_settings(known)
    (folder / "schemathesis.toml").write_text(settings, encoding="utf-8")


def run(
    folder: Path, database: str, phases: Mapping[str, bool], *options: str, fault: str = ""
) -> Run:
    """One server with a database, and one run for each list of phases.

    Values of records that exist reach deeper, and make the tester follow fewer of its own links:
    ``phases`` says of each list whether they are used.
    """
    world = build(database, clock=SystemClock())
    known = known_values(world)
    tenants = {"alice": world.key(), "bob": world.key(organisation="other")}
    monitoring = world.key("admin")
    world.engine.close()
    server = ServerProcess(database, "0", "1", fault)
    code, report = 0, ""
    try:
        for names, knowing in phases.items():
            write_settings(folder, tenants, known if knowing else {})
            done = subprocess.run(
                [
                    str(PROGRAM),
                    "run",
                    f"{server.address}/openapi.json",
                    f"--header=Authorization: Bearer {tenants['alice']}",
                    f"--phases={names}",
                    "--workers=1",  # Python 3.11 can't parse source in two threads at once
                    "--no-color",
                    *options,
                ],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            code, report = max(code, done.returncode), report + done.stdout + done.stderr
        answered = counted(server.address, monitoring)
    finally:
        server.kill()
    made = Run(code, report, answered)
    figures = f"answered {answered.total()} links {made.links} code {code}\n{answered}\n"
    (folder / "report.txt").write_text(report + figures, encoding="utf-8")
    return made


def counted(address: str, key: str) -> Counter[tuple[str, str]]:
    """What ``/metrics`` says of the replies."""
    asked = Request(f"{address}/metrics", headers={"Authorization": f"Bearer {key}"})  # noqa: S310 - our own server
    with urlopen(asked, timeout=10) as reply:  # noqa: S310 - as above
        text = reply.read().decode()
    found = re.findall(
        r'^chainteller_http_requests_total{.*operation="(\w+)".*status="(\d+)".*} ([\d.e+]+)$',
        text,
        re.MULTILINE,
    )
    return Counter({(name, status): int(float(number)) for name, status, number in found})


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found(tmp_path: Path, database: str, seed: str) -> None:
    phases = {"examples,coverage,stateful": False, "fuzzing,stateful": True}
    done = run(tmp_path, database, phases, f"--max-examples={EXAMPLES}", f"--seed={seed}")
    assert done.code == 0, done.report
    assert done.links > 0
    assert [name for name in REACHED if not done.succeeded(name)] == []
    world = build(database, clock=SystemClock())
    assert verify(world.context.database) == ()
    assert verify_chain(world.context.database).intact
    world.engine.close()


@pytest.mark.parametrize(
    ("fault", "finding"),
    [("any-key", "ST401"), ("other-tenant", "ST402"), ("wrong-shape", "ST108")],
)
def test_a_planted_fault_is_found(tmp_path: Path, database: str, fault: str, finding: str) -> None:
    phases = {"examples,coverage,fuzzing,stateful": False}
    done = run(tmp_path, database, phases, "--max-examples=50", "--seed=1", fault=fault)
    assert done.code == 1, done.report
    assert finding in done.report
