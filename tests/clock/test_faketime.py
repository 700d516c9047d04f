"""``chainteller serve`` under a wall clock that is really set, as far as its process can tell.

``CHAINTELLER_CLOCK_SEEDS`` (40) is the number of cases of the long form, and
``CHAINTELLER_CLOCK_FROM`` (0) the first of them.
"""

import os
import time
from functools import partial
from pathlib import Path

import pytest
from tests.clock.cases import Case, Proof, generated, traded_by
from tests.clock.faked import LIBRARY, MISSING, FakedMachine, Reply, until
from tests.world.bank import build

FIRST = int(os.environ.get("CHAINTELLER_CLOCK_FROM", "0"))
COUNT = int(os.environ.get("CHAINTELLER_CLOCK_SEEDS", "40"))
"""Read before the tests' environment is cleared."""
LIFE_S = 30
"""Of a key that a busy machine needs some seconds to make and to use."""
pytestmark = [pytest.mark.skipif(LIBRARY is None, reason=MISSING), pytest.mark.thorough]


def prove(folder: Path, cases: list[Case], window_s: int) -> Proof:
    proof = Proof(folder, window_s)
    try:
        for case in cases:
            proof.run(case)
    finally:
        proof.close()
    assert (proof.late, proof.stuck, proof.outlived) == ([], [], [])
    assert proof.breaches() == []
    return proof


def test_a_clock_that_is_set_back_closes_the_bank_until_it_is_accepted(tmp_path: Path) -> None:
    proof = prove(tmp_path, [Case("between quote and execute", -3_600)], window_s=1)
    assert (proof.refused, proof.accepted) == (1, 1)


@pytest.mark.slow
def test_steps_of_a_second_to_ten_years_at_every_moment(tmp_path: Path) -> None:
    cases = [generated(seed) for seed in range(FIRST, FIRST + COUNT)]
    proof = prove(tmp_path, cases, window_s=5)
    assert proof.refused >= COUNT // 4


@pytest.mark.slow
def test_servers_whose_clocks_differ_use_that_of_the_database(
    tmp_path: Path, postgres_url: str
) -> None:
    build(postgres_url).engine.close()
    settings = {
        "CHAINTELLER_ENGINE__QUOTE_WINDOW_S": "2",
        "CHAINTELLER_ENGINE__FILL_DELAY_S": "1",
        "CHAINTELLER_ENGINE__SETTLE_DELAY_S": "1",
    }
    machines = []
    for name, skew in (("ahead", 30), ("behind", -30), ("right", 0)):
        (tmp_path / name).mkdir()
        machines.append(FakedMachine(tmp_path / name, postgres_url, settings))
        machines[-1].step(skew)
    ahead, behind, right = machines
    key = ahead.key()
    with ahead.serve() as fast, behind.serve() as slow, right.serve() as true:
        for server in (fast, slow, true):
            server.key = key
        opened = {"bankAccountId": "DDA-1", "bankAccountType": "checking"}
        account = fast.call("POST", "/trading-accounts", opened).body["id"]
        currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
        money = {"amount": "900.00", "currency": currency}
        assert slow.call("POST", f"/trading-accounts/{account}/deposits", money).status == 201
        assert fast.ready().body["checks"]["clock"].endswith("30 s ahead of the database's")
        assert slow.ready().body["checks"]["clock"].endswith("30 s behind the database's")
        assert true.ready().body["checks"] == {"database": "ok"}
        assert {server.ready().status for server in (fast, slow, true)} == {200}
        for one, other in ((fast, slow), (slow, fast), (true, fast), (slow, true)):
            done = traded_by(one, other, account)
            late = one.quote()
            time.sleep(2.01)
            assert other.execute(late, account).reason == "QUOTE_EXPIRED"
            trade = f"/trading-accounts/{account}/trades/{done.body['id']}"
            found = until(
                partial(other.call, "GET", trade), lambda it: it.body["status"] == "settled"
            )
            assert found.body["status"] == "settled"
        short, made = behind.key("--expires", f"{LIFE_S}s"), time.monotonic()
        read = f"/trading-accounts/{account}"
        assert {server.call("GET", read, key=short).status for server in (fast, slow, true)} == {
            200
        }
        time.sleep(max(0.0, made + LIFE_S + 0.01 - time.monotonic()))
        assert {server.call("GET", read, key=short).status for server in (fast, slow, true)} == {
            401
        }
        assert "30 s ahead of the database's" in fast.log()
        shown = ahead.run("clock", "show")
        assert "30 s ahead of the database's" in shown.stdout
        assert "certain        yes" in shown.stdout


def _is_settled(trade: Reply) -> bool:
    return bool(trade.body["status"] == "settled")
