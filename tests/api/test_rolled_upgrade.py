"""Three servers of release 0.1.0 on one PostgreSQL, replaced by this build one after another.

``CHAINTELLER_TEST_RELEASED`` names the ``chainteller`` of that release, in an environment of its
own, and ``CHAINTELLER_TEST_ROWS`` how many audit rows the database has (200,000).
"""

import http.client
import json
import os
import subprocess
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update
from tests.postgres import PostgresServer, start_bundled
from tests.servers.balancing import balancing, until_ready
from tests.servers.program import ServeProgram
from tests.storage import released

from chainteller.cli.error_output import Exit
from chainteller.cli.main import run
from chainteller.domain.audit_chain import COVERED
from chainteller.engine.verification import verify
from chainteller.storage import chain, maintenance
from chainteller.storage.database import connect, open_database
from chainteller.storage.tables import Tables

_RELEASED = os.environ.get("CHAINTELLER_TEST_RELEASED", "")
_ROWS = int(os.environ.get("CHAINTELLER_TEST_ROWS", "200000"))
CLIENTS = 3
_PAUSE_S = 0.5
_UNDISTURBED_S = 5.0
_SETTINGS = {"service__rate_limits": "off"}


class Client:
    """Buys, pays in and looks, a connection for each request, until it is ended."""

    def __init__(self, key: str, port: int, account: str) -> None:
        self.answered, self.failed, self.longest_s = 0, list[str](), 0.0
        self._said = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._port, self._account = port, account
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join(60)

    def _run(self) -> None:
        of_account = f"/trading-accounts/{self._account}"
        paid = {
            "amount": "10.00",
            "currency": {"type": "deposit-token-currency", "id": "DPT_USD"},
        }
        for number in count():
            self._ask("POST", f"{of_account}/deposits", paid, f"{id(self)}-deposit-{number}")
            asked = {"amount": "10.00", "side": "buy"}
            quote = self._ask("POST", "/trading/markets/sol-usd/quotes", asked)
            if quote:
                path = f"/trading/quotes/{quote['data'][0]['id']}"
                traded = {"tradingAccountId": self._account}
                self._ask("POST", path, traded, f"{id(self)}-execute-{number}")
            self._ask("GET", f"{of_account}/trades")
            if self._ended.wait(_PAUSE_S):
                return

    def _ask(
        self, method: str, path: str, body: object = None, key: str = ""
    ) -> dict[str, list[dict[str, str]]]:
        said = self._said | ({"Idempotency-Key": key} if key else {})
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        began = time.monotonic()
        try:
            connection.request(method, path, json.dumps(body) if body else None, said)
            reply = connection.getresponse()
            text = reply.read()
        except (OSError, http.client.HTTPException) as fault:
            self.failed.append(f"{method} {path}: {fault!r}")
            return {}
        finally:
            connection.close()
            self.longest_s = max(self.longest_s, time.monotonic() - began)
        if reply.status not in (200, 201):
            self.failed.append(f"{method} {path}: {reply.status} {text.decode()}")
            return {}
        self.answered += 1
        found: dict[str, list[dict[str, str]]] = json.loads(text)
        return found


def lengthen(url: str, count: int) -> None:
    """Repeat the first audit row until there are so many, as that release chains them."""
    audit = Tables.audit
    database = connect(url)
    with database.write() as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        columns = [audit.c[name] for name in (*COVERED, "trading_account_id")]
        first = connection.execute(select(*columns).order_by(audit.c.seq).limit(1)).mappings().one()
        head = connection.execute(
            select(Tables.head.c.audit_seq, Tables.head.c.audit_hash, Tables.head.c.last_at)
        ).one()
        row = {"seq": head.audit_seq, "hash": head.audit_hash}
        names = [*COVERED, "trading_account_id", "hash"]
        driver: Any = connection.connection.driver_connection
        with (
            driver.cursor() as cursor,
            cursor.copy(f"COPY audit ({', '.join(names)}) FROM STDIN") as copy,
        ):
            while row["seq"] < count:
                ends = {"seq": row["seq"] + 1, "previous_hash": row["hash"], "at": head.last_at}
                row = {**first, **ends}
                row["hash"] = chain.link_hash(row)
                copy.write_row([row[name] for name in names])
        ends = {"audit_seq": row["seq"], "audit_hash": row["hash"]}
        connection.execute(update(Tables.head).values(**ends))
        connection.execute(text("ANALYZE"))
        connection.commit()
    database.close()


def run_released(url: str, home: Path, *arguments: str) -> str:
    variables = {**os.environ, "PYTHONPATH": "", "CHAINTELLER_HOME": str(home)}
    done = subprocess.run(
        [_RELEASED, *arguments, "--database", url],
        env=variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(not _RELEASED, reason="CHAINTELLER_TEST_RELEASED names no release")
def test_no_request_fails_while_a_release_is_replaced(tmp_path: Path) -> None:
    bundled = start_bundled()
    url = PostgresServer(bundled.url).fresh()
    try:
        replace_under_load(url, tmp_path)
    finally:
        bundled.remove()


def replace_under_load(url: str, home: Path) -> None:
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s: {what}")  # noqa: T201 - its figures

    released.restore(url)
    lengthen(url, _ROWS)
    database = connect(url)
    with database.read() as connection:
        ids = connection.execute(text("SELECT id FROM trading_account ORDER BY 1")).scalars()
        accounts = [str(each) for each in ids]
        size = maintenance.size_of(connection, None)
    database.close()
    tell(f"{_ROWS:,} audit rows, {size / 1e6:.0f} MB")
    key = run_released(url, home, "keys", "create", "--name", "load")
    servers = [ServeProgram(url, home, program=_RELEASED, **_SETTINGS) for _ in range(3)]
    with balancing([server.port for server in servers]) as balancer:
        until_ready(balancer, 3)
        clients = [
            Client(key, balancer.port, accounts[number % len(accounts)])
            for number in range(CLIENTS)
        ]

        def look(what: str) -> None:
            tell(
                f"{what}; {sum(each.answered for each in clients)} answered, "
                f"{sum(len(each.failed) for each in clients)} failed, "
                f"longest {max(each.longest_s for each in clients):.1f} s"
            )

        try:
            time.sleep(_UNDISTURBED_S)
            look("upgrade begins")
            assert run(["db", "upgrade", "--database", url]) == Exit.DONE
            look("upgraded")
            for at, server in enumerate(servers):
                balancer.drain(server.port)
                assert server.stop() == 0
                servers[at] = ServeProgram(url, home, port=str(server.port), **_SETTINGS)
                balancer.drained.clear()
                until_ready(balancer, 3)
                look(f"server {at + 1} replaced")
            assert run(["db", "upgrade", "--database", url]) == Exit.DONE
            look("the last rows are sealed")
            time.sleep(_UNDISTURBED_S)
        finally:
            for client in clients:
                client.end()
            look("ended")
            for client in clients:
                for fault in client.failed:
                    tell(fault)
            for server in servers:
                server.stop()
    assert [fault for client in clients for fault in client.failed] == []
    assert min(client.answered for client in clients) > 100
    found = open_database(url)
    assert verify(found) == ()
    found.close()
    tell("verified")
