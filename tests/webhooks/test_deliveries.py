"""Deliveries: signed, in order per record, tried again, and recorded once they're accepted."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import text
from tests.tampering.altering import unguarded
from tests.webhooks.conftest import Sending
from tests.webhooks.receiving import Received, Receiver, is_in_order
from tests.world.waiting import until

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import DAY, SECOND
from chainteller.engine.core.unit_of_work import act
from chainteller.engine.operations import webhooks
from chainteller.engine.upkeep import deliveries
from chainteller.remote.transport import DEADLINE_S
from chainteller.service.models.webhooks import ReplayEvents, RotateSecret
from chainteller.storage.db import records
from chainteller.storage.db.query import Query
from chainteller.storage.db.sources import Source
from chainteller.storage.log import entry
from chainteller.storage.queries import disputes

_ENDS_WITHIN_S = 30.0
Receivers = Callable[..., Receiver]
_FORGE = Query(
    "UPDATE entry SET leaf = :leaf, body = :body "
    "WHERE organisation_id = 'default' AND number = :number"
)


def test_events_arrive_signed_as_the_stream_has_them_and_only_once(
    sending: Sending, receivers: Receivers
) -> None:
    receiver = receivers()
    made = sending.to(receiver)
    for _ in range(3):
        sending.world.deposit("50.00")
    sending.world.buy()
    sending.world.settle()
    sending.deliver()
    streamed = sending.engine.events(made.cursor, 100).data
    assert sorted(each.body.decode() for each in receiver.received) == sorted(
        each.to_json() for each in streamed
    )
    assert len(receiver.received) >= 12
    assert is_in_order([each.event for each in receiver.received])
    assert made.secret is not None
    assert all(each.is_signed_with(made.secret) for each in receiver.received)
    now_s = sending.world.clock.now() // SECOND
    assert {each.timestamp_s for each in receiver.received} == {now_s}
    sending.deliver()
    assert len(receiver.received) == len(streamed)
    shown = sending.engine.webhook(made.id)
    assert (shown.status, shown.answer, shown.attempts) == ("active", "204", 0)
    assert shown.cursor == sending.engine.events(-1).next


def test_an_event_that_somebody_wrote_into_the_database_is_not_signed(
    sending: Sending, receivers: Receivers
) -> None:
    receiver = receivers()
    made = sending.to(receiver, "deposit.*")
    deposit = sending.world.deposit("50.00")
    with unguarded(sending.world) as connection:
        newest = "organisation_id = 'default' ORDER BY number DESC LIMIT 1"
        row = connection.execute(Source(records.Entry).where(newest)).one()
        told, *rest = entry.unpack(row.body).split(b"\n")
        body = b"\n".join((told.replace(deposit.id.encode(), b"TXN_FORGED"), *rest))
        values = {"number": row.number, "leaf": entry.leaf_of(body), "body": entry.pack(body)}
        connection.execute(_FORGE, values)
        connection.commit()
    sending.deliver()
    assert receiver.received == []
    assert sending.engine.webhook(made.id).answer == "LOG_ALTERED"
    sending.engine.replay_webhook(made.id, ReplayEvents(after=sending.engine.events(-1).next))
    later = sending.world.deposit("60.00")
    sending.deliver()
    assert {each.event["resource"] for each in receiver.received} == {later.id}


@pytest.mark.parametrize("column", ["url", "types", "generation"])
def test_an_endpoint_that_somebody_altered_in_the_database_gets_nothing(
    sending: Sending, receivers: Receivers, column: str
) -> None:
    receiver, thief = receivers(), receivers()
    made = sending.to(receiver, "deposit.*")
    sending.engine.rotate_webhook(made.id, RotateSecret(overlap="0"))
    sending.world.deposit("50.00")
    altered = {"url": thief.url, "types": "", "generation": 1}[column]
    honest = _alter(sending, made.id, column, altered)
    sending.deliver()
    assert not sending.engine.test_webhook(made.id).value.accepted
    assert (receiver.received, thief.received) == ([], [])
    shown = sending.engine.webhook(made.id)
    assert (shown.status, shown.answer) == ("failing", "ENDPOINT_ALTERED")
    with sending.world.database.read() as connection:
        (breach,) = disputes.disputed(connection)
    assert (breach.invariant, breach.place) == (20, f"webhook {made.id}")
    _alter(sending, made.id, column, honest)
    sending.wait(1.2)
    sending.deliver()
    assert {each.event["type"].partition(".")[0] for each in receiver.received} == {"deposit"}


def test_an_altered_endpoint_gets_nothing_after_it_was_paused_and_resumed(
    sending: Sending, receivers: Receivers
) -> None:
    thief, made = receivers(), sending.to(receivers())
    _alter(sending, made.id, "url", thief.url)
    sending.engine.pause_webhook(made.id)
    sending.engine.resume_webhook(made.id)
    sending.deliver()
    assert thief.received == []
    assert sending.engine.webhook(made.id).answer == "ENDPOINT_ALTERED"


def test_an_endpoint_waits_longer_each_time_at_an_entry_that_cannot_be_read(
    sending: Sending, receivers: Receivers, caplog: pytest.LogCaptureFixture
) -> None:
    made = sending.to(receivers())
    sending.world.deposit("50.00")
    newest = "SELECT max(number) FROM entry WHERE organisation_id = 'default'"
    with unguarded(sending.world) as connection:
        here = {"number": connection.execute(text(newest)).one()[0], "body": b"x"}
        spoil = "UPDATE entry SET body = :body WHERE organisation_id = 'default'"
        connection.execute(text(f"{spoil} AND number = :number"), here)
        connection.commit()
    sending.deliver()
    sending.deliver()
    shown = sending.engine.webhook(made.id)
    assert (shown.status, shown.answer, shown.attempts) == ("failing", "LOG_ALTERED", 1)
    assert [each.getMessage() for each in caplog.records] == [
        f"webhook {made.id} fails: LOG_ALTERED"
    ]


def test_an_endpoint_with_a_cell_that_cannot_be_read_does_not_end_the_deliveries(
    sending: Sending, receivers: Receivers, caplog: pytest.LogCaptureFixture
) -> None:
    made = sending.to(receivers())
    if sending.world.database.is_postgres:
        pytest.skip("PostgreSQL keeps no text in a column of numbers")
    _alter(sending, made.id, "next_at", "soon")
    sending.deliverer.start()
    try:
        until(lambda: "webhooks wait: a row" in caplog.text)
    finally:
        sending.deliverer.stop()


def test_only_wanted_events_arrive(sending: Sending, receivers: Receivers) -> None:
    few, record = receivers(), receivers()
    sending.to(few, "quote.executed")
    sending.to(record, "trade.*")
    for _ in range(40):
        sending.world.deposit("10.00")
    sending.world.buy()
    sending.world.settle()
    sending.deliver()
    assert [each.event["type"] for each in few.received] == ["quote.executed"]
    assert {each.event["type"].partition(".")[0] for each in record.received} == {"trade"}
    assert all(
        each.cursor == sending.engine.events(-1).next for each in sending.engine.webhooks().data
    )


def test_a_refused_event_holds_back_its_record_and_is_repeated_with_its_id(
    sending: Sending, receivers: Receivers
) -> None:
    sending.world.deposit("1000.00")
    trade = sending.world.buy()

    def refuse(message: Received) -> int:
        return 500 if message.event["resource"] == trade.id else 200

    receiver = receivers(refuse)
    made = sending.to(receiver)
    sending.world.settle()
    other = sending.world.deposit("10.00")
    sending.deliver()
    tried = [each.event for each in receiver.received]
    assert [each["type"] for each in tried if each["resource"] == trade.id] == ["trade.executed"]
    assert other.id in {each["resource"] for each in tried}
    shown = sending.engine.webhook(made.id)
    assert (shown.status, shown.answer, shown.attempts) == ("failing", "500", 1)
    sending.deliver()
    assert len(receiver.received) == len(tried), "a repetition came before its pause"
    receiver.decide = lambda _: 200
    sending.wait(1.2)
    sending.deliver()
    again = receiver.received[len(tried) :]
    assert [each.event["type"] for each in again] == ["trade.executed", "trade.settled"]
    assert again[0].id in receiver.ids[: len(tried)]
    assert again[0].timestamp_s > receiver.received[0].timestamp_s
    assert sending.engine.webhook(made.id).status == "active"


def test_a_later_event_of_the_newest_entry_is_repeated(
    sending: Sending, receivers: Receivers
) -> None:
    sending.world.deposit("1000.00")
    quote = sending.world.quote()
    kind = "trade.processing"  # the entry tells of the quote first
    receiver = receivers(lambda message: 500 if message.event["type"] == kind else 204)
    sending.to(receiver)
    sending.world.execute(quote)
    sending.deliver()
    receiver.decide = lambda _: 204
    sending.wait(1.2)
    sending.deliver()
    first, again = (each.id for each in receiver.received if each.event["type"] == kind)
    assert first == again


def test_an_endpoint_gets_nothing_from_before_it_was_made(
    sending: Sending, receivers: Receivers
) -> None:
    sending.world.deposit("1000.00")
    sending.world.buy()  # in an entry with several events
    receiver = receivers()
    sending.to(receiver)
    sending.deliver()
    assert [each.event["type"] for each in receiver.received] == ["webhook.created"]


def test_pauses_grow_only_while_an_endpoint_accepts_nothing(
    sending: Sending, receivers: Receivers
) -> None:
    sending.world.deposit("1000.00")
    trade = sending.world.buy()
    receiver = receivers(lambda message: 500 if message.event["resource"] == trade.id else 204)
    made = sending.to(receiver)
    sending.world.settle()
    attempts, pauses = list[int](), list[float]()
    shown = sending.engine.webhook(made.id)
    for is_news in (True, True, True, True, False, False, True):
        if is_news:
            sending.world.deposit("10.00")
        sending.deliver()
        shown = sending.engine.webhook(made.id)
        attempts.append(shown.attempts)
        assert shown.next_attempt is not None
        pauses.append(shown.next_attempt.timestamp() - sending.world.clock.now() / SECOND)
        sending.wait(pauses[-1])
    assert attempts == [1, 1, 1, 1, 2, 3, 1]
    assert [round(each) for each in pauses[3:6]] == [
        0,
        pytest.approx(5, abs=1),
        pytest.approx(31, abs=2),
    ]
    assert shown.failing_since is not None


def test_pauses_grow_until_an_endpoint_that_fails_for_three_days_is_paused_and_loses_nothing(
    sending: Sending, receivers: Receivers
) -> None:
    receiver = receivers(lambda _: 503)
    made, began = sending.to(receiver), sending.world.clock.now()
    sending.world.deposit("10.00")
    pauses: list[float] = []
    shown = sending.engine.webhook(made.id)
    while shown.status != "paused":
        sending.deliver()
        shown = sending.engine.webhook(made.id)
        if shown.next_attempt is not None:
            pauses.append(shown.next_attempt.timestamp() - sending.world.clock.now() / SECOND)
            sending.wait(pauses[-1])
    lasted = sending.world.clock.now() - began
    assert pauses == sorted(pauses)
    assert 3 * DAY <= lasted <= 4.2 * DAY
    assert len(receiver.received) == len(pauses) + 2 <= 13, "one request each time but the first"
    assert shown.paused_reason == "FAILED"
    assert "webhook.paused" in {each.type for each in sending.engine.events(made.cursor, 100).data}
    sending.deliver()
    receiver.decide = lambda _: 200
    receiver.received.clear()
    sending.engine.resume_webhook(made.id)
    sending.deliver()
    types = {each.event["type"] for each in receiver.received}
    assert {"webhook.created", "deposit.completed", "webhook.resumed"} <= types


def test_an_endpoint_that_is_gone_is_paused_at_once(sending: Sending, receivers: Receivers) -> None:
    receiver = receivers(lambda _: 410)
    made = sending.to(receiver)
    sending.world.deposit("10.00")
    sending.deliver()
    shown = sending.engine.webhook(made.id)
    assert (shown.status, shown.paused_reason, shown.answer) == ("paused", "GONE", "410")


def test_a_redirect_is_not_followed(sending: Sending, receivers: Receivers) -> None:
    elsewhere, receiver = receivers(), receivers(lambda _: 307)
    receiver.headers = {"location": elsewhere.url}
    made = sending.to(receiver)
    sending.deliver()
    assert (len(receiver.received), elsewhere.received) == (1, [])
    assert sending.engine.webhook(made.id).answer == "307"
    receiver.headers = {"location": "http://169.254.169.254/latest/meta-data/"}
    sending.wait(2)
    sending.deliver()
    assert sending.engine.webhook(made.id).attempts == 2


def test_an_answer_without_end_counts_by_its_status(sending: Sending, receivers: Receivers) -> None:
    receiver = receivers(lambda _: 200)
    receiver.is_endless = True
    made = sending.to(receiver)
    sending.deliver()
    shown = sending.engine.webhook(made.id)
    assert (shown.answer, len(receiver.received)) == ("200", 1)
    assert shown.cursor == sending.engine.events(-1).next


def test_an_endpoint_that_hangs_does_not_stop_another(
    sending: Sending, receivers: Receivers
) -> None:
    arrived = threading.Event()
    hanging = receivers()
    hanging.decide = hanging.hang

    def prompt(_: Received) -> int:
        arrived.set()
        return 200

    slow = sending.to(hanging)
    quick = sending.to(receivers(prompt))
    sending.sender.deadline_s = 2.0
    sending.deliver()
    assert arrived.is_set()
    assert sending.engine.webhook(quick.id).status == "active"
    assert sending.engine.webhook(slow.id).answer == "TIMED_OUT"


def test_a_test_of_an_endpoint_that_hangs_ends_before_its_caller_gives_up(
    sending: Sending, receivers: Receivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert webhooks.TEST_WITHIN_S < DEADLINE_S
    monkeypatch.setattr(webhooks, "TEST_WITHIN_S", 0.2)
    hanging = receivers()
    hanging.decide = hanging.hang
    tried = sending.engine.test_webhook(sending.to(hanging).id).value
    assert (tried.accepted, tried.answer) == (False, "TIMED_OUT")
    assert tried.milliseconds < 1_000 * sending.sender.deadline_s


def test_an_endpoint_is_one_servers_until_that_lets_it_go_or_is_dead(
    sending: Sending, receivers: Receivers
) -> None:
    receiver, other = receivers(), sending.another()
    sending.to(receiver)
    taken = sending.deliverer._take()
    assert len(taken) == 1
    sending.deliver(other)
    assert receiver.received == []
    sending.wait(10)
    sending.deliver(other)
    assert len(receiver.received) == 1
    act(sending.world.context, WORKER, other._renew)
    sending.to(receivers(), "trade.*")
    sending.deliver()
    assert len(receiver.received) == 2, "what was let go isn't held again"


def test_an_endpoint_that_is_not_held_for_certain_any_more_is_let_go(
    sending: Sending, receivers: Receivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that stood still longer than endpoints are held for, between taking and sending."""
    receiver = receivers()
    sending.to(receiver)
    with monkeypatch.context() as starved:
        starved.setattr(deliveries, "HELD_S", 0.0)
        asyncio.run(asyncio.wait_for(sending.deliverer.deliver_due(), _ENDS_WITHIN_S))
    assert receiver.received == []
    sending.deliver(sending.another())
    assert len(receiver.received) == 1


def test_servers_take_no_more_than_their_share(sending: Sending, receivers: Receivers) -> None:
    for _ in range(5):
        sending.to(receivers())
    first, second = sending.another(servers=2), sending.another(servers=2)
    assert [len(each._take()) for each in (first, first, second, second)] == [3, 0, 2, 0]


def test_a_replay_sends_again_what_it_had_with_the_same_ids(
    sending: Sending, receivers: Receivers
) -> None:
    receiver = receivers()
    made = sending.to(receiver)
    sending.world.deposit("10.00")
    sending.deliver()
    first = receiver.ids
    sending.engine.replay_webhook(made.id, ReplayEvents(after=made.cursor))
    sending.deliver()
    again = receiver.received[len(first) :]
    assert {each.id for each in again if each.event["type"] != "webhook.replayed"} == set(first)
    assert len(again) == len(first) + 1


def test_two_secrets_sign_for_as_long_as_they_overlap(
    sending: Sending, receivers: Receivers
) -> None:
    receiver = receivers()
    made = sending.to(receiver)
    rotated = sending.engine.rotate_webhook(made.id, RotateSecret(overlap="1h")).value
    sending.deliver()
    sending.wait(3_600)
    sending.world.deposit("10.00")
    sending.deliver()
    assert made.secret
    assert rotated.secret
    both, last = receiver.received[0], receiver.received[-1]
    assert both.is_signed_with(made.secret)
    assert both.is_signed_with(rotated.secret)
    assert last.is_signed_with(rotated.secret)
    assert not last.is_signed_with(made.secret)


@pytest.mark.parametrize("change", ["pause", "delete", "replay"])
def test_what_a_round_found_is_dropped_if_the_endpoint_was_changed_meanwhile(
    sending: Sending, receivers: Receivers, change: str
) -> None:
    receiver = receivers()
    made = sending.to(receiver)

    def meanwhile(_: Received) -> int:
        receiver.decide = lambda _: 200
        if change == "pause":
            sending.engine.pause_webhook(made.id)
        elif change == "delete":
            sending.engine.delete_webhook(made.id)
        else:
            sending.engine.replay_webhook(made.id, ReplayEvents(after=0))
        return 200

    receiver.decide = meanwhile
    sending.deliver()
    found = {each.id: each for each in sending.engine.webhooks().data}
    if change == "delete":
        assert found == {}
    elif change == "pause":
        assert (found[made.id].status, found[made.id].answer) == ("paused", "200")
    else:
        assert found[made.id].cursor == 0
        sending.deliver()
        assert "trading_account.created" in {each.event["type"] for each in receiver.received}


def _alter(sending: Sending, webhook_id: str, column: str, value: object) -> object:
    """Write a cell with SQL; returns what it was."""
    here = {"id": webhook_id, "value": value}
    read, write = (
        text(each.replace("COLUMN", column) + " WHERE id = :id")
        for each in ("SELECT COLUMN AS cell FROM webhook", "UPDATE webhook SET COLUMN = :value")
    )
    with sending.world.database.write() as connection:
        before: object = connection.execute(read, here).one().cell
        connection.execute(write, here)
        connection.commit()
    return before
