"""Closing a connection while others send through it: each of them hears what became of it."""

import threading

import pytest
from tests.remote.faulty_server import hangs, misbehaving
from tests.world.waiting import PATIENCE_S

from chainteller.remote.transport import NotSent, Outgoing, Reply, Transport, TransportFault

SENDERS = 8


@pytest.mark.filterwarnings("error")
def test_whoever_sends_while_it_closes_is_answered_at_once() -> None:
    with misbehaving(hangs) as address:
        for _ in range(10):
            transport = Transport(address, "key", deadline_s=30)
            heard: list[Reply | TransportFault] = []
            begun = threading.Barrier(SENDERS + 1, timeout=PATIENCE_S)

            def send(
                transport: Transport = transport,
                heard: list[Reply | TransportFault] = heard,
                begun: threading.Barrier = begun,
            ) -> None:
                begun.wait()
                try:
                    heard.append(transport.send(Outgoing("GET", "/trading/markets")))
                except TransportFault as fault:
                    heard.append(fault)

            threads = [threading.Thread(target=send) for _ in range(SENDERS)]
            for thread in threads:
                thread.start()
            begun.wait()
            transport.close()
            for thread in threads:
                thread.join(timeout=PATIENCE_S)
            assert len(heard) == SENDERS
            assert all(isinstance(each, TransportFault) for each in heard)


def test_a_closed_connection_sends_nothing() -> None:
    with misbehaving(hangs) as address:
        transport = Transport(address, "key")
        transport.close()
        transport.close()
        with pytest.raises(NotSent):
            transport.send(Outgoing("GET", "/trading/markets"))
