"""Three servers on one PostgreSQL database behind a load balancer, restarted one after another."""

import http.client
import json
import signal
import threading

import pytest
from tests.servers.balancing import balancing, until_ready
from tests.world.bank import build
from tests.world.serving import ServerProcess
from tests.world.waiting import PATIENCE_S

CLIENTS = 8
ROLLS = 10
NOTICE_S = "1.5"


class Clients:
    """Clients that ask for quotes until they are ended."""

    def __init__(self, key: str, port: int) -> None:
        self.answered = [0] * CLIENTS
        self.failed: list[str] = []
        self._said = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._port = port
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._use, args=(n,)) for n in range(CLIENTS)]
        for each in self._threads:
            each.start()

    def end(self) -> None:
        self._ended.set()
        for each in self._threads:
            each.join(PATIENCE_S)

    def _use(self, number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        while not self._ended.wait(0.02):
            try:
                status = self._ask(connection)
            except (OSError, http.client.HTTPException) as fault:
                self.failed.append(repr(fault))
                connection.close()
            else:
                self.answered[number] += status == 201
                if status != 201:
                    self.failed.append(str(status))
        connection.close()

    def _ask(self, connection: http.client.HTTPConnection) -> int:
        body = json.dumps({"amount": "10.00", "side": "buy"})
        connection.request("POST", "/trading/markets/sol-usd/quotes", body, self._said)
        reply = connection.getresponse()
        reply.read()
        return reply.status


@pytest.mark.slow
def test_no_request_fails_while_servers_are_restarted(own_postgres_bank: str) -> None:
    world = build(own_postgres_bank)
    key = world.key()
    world.engine.close()
    servers = [ServerProcess(own_postgres_bank, "0", "1", "", NOTICE_S) for _ in range(3)]
    ports = [int(server.address.rpartition(":")[2]) for server in servers]
    with balancing(ports) as balancer:
        until_ready(balancer, 3)
        clients = Clients(key, balancer.port)
        for roll in range(ROLLS):
            for at, port in enumerate(ports):
                servers[at].process.send_signal(signal.SIGTERM)
                assert servers[at].ended()[0] == 0, f"roll {roll}"
                servers[at] = ServerProcess(own_postgres_bank, str(port), "1", "", NOTICE_S)
                until_ready(balancer, 3)
        clients.end()
    for server in servers:
        server.kill()
    assert clients.failed == []
    assert min(clients.answered) > ROLLS
