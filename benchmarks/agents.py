"""What signatures, roles and cases cost: quotes and executions of a server with a policy, under a
system's key without and with an idempotency key, and signed by an agent in a case.

    PYTHONPATH=src:. python benchmarks/agents.py [COUNT]

One server process on SQLite. In each round the three follow each other, a different one first, and
each makes COUNT trades. What counts is the server's processor time, because the client signs on the
same machine: verifying a signature takes 0.06 ms of it, twice. The figure is the median of the
rounds' ratios, with the quartiles: neighbours and the database's upkeep disturb single rounds.
"""

import http.client
import itertools
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from nacl.signing import SigningKey
from tests.servers.program import ServeProgram
from tests.world.bank import build
from tests.world.files import KEY_SETTING

from chainteller.domain.actors import DESK_SCOPES
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.signed_requests import CASE_HEADER, KEY_HEADER, Target
from chainteller.remote.signing import AgentSigner
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.settings.policy import parse_policy

POLICY = """
[roles]
agent = ["serve"]
reviewer = ["serve", "decide"]
[case]
wanted = "required"
pattern = "INC-[0-9]{4,}"
[two]
withdrawal = "10000"
[review]
unverified_wallet = { over = "0", within = "2h", then = "refuse" }
"""
ROUNDS = 42
_NUMBERS = itertools.count()


class Caller:
    """One connection to the server, under one API key. Each makes signatures, and leaves the server
    idle for as long; those of an agent are sent."""

    def __init__(
        self, port: int, key: str, sign: AgentSigner, *, is_keyed: bool, is_agent: bool = False
    ) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", port)
        self._key, self._sign = key, sign
        self._is_keyed, self._is_agent = is_keyed, is_agent

    def post(self, path: str, body: Mapping[str, str]) -> str:
        """The id of what was made."""
        text = json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self._key}", "content-type": "application/json"}
        if self._is_keyed:
            headers[KEY_HEADER] = f"k-{next(_NUMBERS)}"
        in_case = headers | {CASE_HEADER: "INC-20931"}
        signed = {**in_case, **self._sign(Target("POST", path, ""), in_case, text)}
        if self._is_agent:
            headers = signed
        self._line.request("POST", path, text, headers)
        reply = self._line.getresponse()
        answer = json.loads(reply.read())
        if reply.status >= 300:
            raise AssertionError(answer)
        return str(answer.get("data", [answer])[0]["id"])

    def trade(self, account: str) -> None:
        quote = self.post("/trading/markets/sol-usd/quotes", {"amount": "10.00", "side": "buy"})
        self.post(f"/trading/quotes/{quote}", {"tradingAccountId": account})


def main(count: int) -> None:
    """Print the server's milliseconds for a quote with its execution, and the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "policy.toml").write_text(POLICY)
        url = f"sqlite:///{home / 'bank.db'}"
        world = build(
            url, clock=SystemClock(), options=EngineOptions(policy=parse_policy(POLICY, ""))
        )
        system, desk = world.key(), world.key(*DESK_SCOPES)
        seed = SigningKey.generate().encode()
        public_key = public_key_text(SigningKey(seed).verify_key.encode())
        enrolled = world.engine.enrol_agent(EnrolAgent(name="a.brandt", public_key=public_key))
        world.engine.approve_agent(enrolled.value.id, ApproveAgent(roles=("agent",)))
        world.engine.close()
        os.environ |= KEY_SETTING
        program = ServeProgram(
            url, home, engine__policy=str(home / "policy.toml"), service__rate_limits="off",
            engine__fill_delay_s="86400",
        )  # fmt: skip
        try:
            _measure(
                program, system, desk, AgentSigner(enrolled.value.id, seed, SystemClock()), count
            )
        finally:
            program.stop()


def _measure(program: ServeProgram, system: str, desk: str, sign: AgentSigner, count: int) -> None:
    callers = {
        "no agent, no key": Caller(program.port, system, sign, is_keyed=False),
        "no agent": Caller(program.port, system, sign, is_keyed=True),
        "agent and case": Caller(program.port, desk, sign, is_keyed=True, is_agent=True),
    }
    first = callers["no agent"]
    account = first.post(
        "/trading-accounts", {"bankAccountId": "DDA-1", "bankAccountType": "checking"}
    )
    body = {"amount": "900000.00", "currency": {"type": "deposit-token-currency", "id": "DPT_USD"}}
    first.post(f"/trading-accounts/{account}/deposits", body)  # type: ignore[arg-type]
    names = [*callers]
    taken: dict[str, list[float]] = {name: [] for name in names}
    for at in range(ROUNDS + 1):
        for name in (*names[at % 3 :], *names[: at % 3]):
            before = _processor_s(program)
            for _ in range(count):
                callers[name].trade(account)
            taken[name].append((_processor_s(program) - before) / count * 1_000)
    for name, found in taken.items():
        pairs = zip(found[1:], taken["no agent"][1:], strict=True)  # the first one warms up
        low, middle, high = statistics.quantiles([one / floor for one, floor in pairs])
        milliseconds = statistics.median(found[1:])
        told = f"{milliseconds:7.2f} ms   {middle:5.2f}   ({low:.2f} to {high:.2f})"
        sys.stdout.write(f"{name:20} {told}\n")


def _processor_s(program: ServeProgram) -> float:
    """Of all its threads, in nanoseconds: ``stat`` counts hundredths of a second, which is as much
    as a turn's difference."""
    threads = Path(f"/proc/{program.process_id}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
