"""Endpoints: where nothing may be sent, who learns a secret, and what is on record."""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.api.test_listening import issue
from tests.refusals import details, refusal
from tests.webhooks.conftest import HOSTS, Sending
from tests.webhooks.receiving import Receiver
from tests.world.engines import make_world

from chainteller.adapters.webhook_http import HttpWebhooks
from chainteller.domain.options import EngineOptions
from chainteller.domain.webhooks import WebhookHosts
from chainteller.engine.engine import Engine
from chainteller.engine.heads import writer_key
from chainteller.engine.upkeep import figures
from chainteller.engine.upkeep.deliveries import Deliverer
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.webhooks import CreateWebhook, ReplayEvents, RotateSecret
from chainteller.storage.database import open_database
from chainteller.writer_keys import ConfiguredKeys

Receivers = Callable[..., Receiver]


def test_a_secret_is_shown_once_and_kept_nowhere(
    sending: Sending, receivers: Receivers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    receiver = receivers()
    asked = CreateWebhook(url=receiver.url)
    first = sending.engine.create_webhook(asked, idempotency_key="once")
    again = sending.engine.create_webhook(asked, idempotency_key="once")
    assert first.value.secret
    assert (again.replayed, again.value.id, again.value.secret) == (True, first.value.id, None)
    assert "secret" not in again.value.to_json()
    sending.deliver()
    assert sending.engine.test_webhook(first.value.id).value.accepted
    rotated = sending.engine.rotate_webhook(first.value.id, RotateSecret()).value.secret
    assert rotated
    kept = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    told = kept + caplog.text.encode() + sending.engine.audit().model_dump_json().encode()
    for secret in (first.value.secret, rotated):
        assert secret.removeprefix("whsec_").encode() not in told


def test_another_writers_key_needs_another_secret(receivers: Receivers, tmp_path: Path) -> None:
    keys = ConfiguredKeys(str(tmp_path / "writer.key"), tmp_path, {}, tmp_path)
    options = EngineOptions(webhook_hosts=HOSTS)
    sending, receiver = (
        Sending(make_world(_new(tmp_path, keys), options=options, keys=keys)),
        receivers(),
    )
    made = sending.to(receiver)
    actor = sending.engine.actor
    writer_key.replace(sending.world.context, actor, "the file was copied by mistake")
    sending.deliver()
    shown = sending.engine.webhook(made.id)
    assert (receiver.received, shown.answer) == ([], "SECRET_LOST")
    rotated = sending.engine.rotate_webhook(made.id, RotateSecret()).value
    sending.deliver()
    assert rotated.secret
    assert receiver.received[0].is_signed_with(rotated.secret)
    assert len(receiver.received[0].signatures) == 1
    sending.world.close()


def _new(folder: Path, keys: ConfiguredKeys) -> str:
    """A database that is marked with another key than those of tests."""
    url = f"sqlite:///{folder / 'own.db'}"
    open_database(url, keys).close()
    return url


@pytest.mark.parametrize(
    ("hosts", "host", "answer"),
    [
        (("http://localhost",), "localhost", "ADDRESS_REFUSED"),
        (("http://localhost", "127.0.0.1"), "localhost", "204"),
        (("http://nowhere.invalid",), "nowhere.invalid", "UNRESOLVED"),
        (("http://other.example",), "127.0.0.1", "HOST_NOT_ALLOWED"),
        (("127.0.0.1",), "127.0.0.1", "HOST_NOT_ALLOWED"),
    ],
)
def test_nothing_is_sent_to_what_the_operator_does_not_allow_any_more(
    sending: Sending, receivers: Receivers, hosts: tuple[str, ...], host: str, answer: str
) -> None:
    receiver = receivers()
    loose = replace(sending.world.context.options, webhook_hosts=(f"http://{host}",))
    context = replace(sending.world.context, options=loose)
    asked = CreateWebhook(url=receiver.url.replace("127.0.0.1", host))
    made = Engine(context).create_webhook(asked).value
    sender = HttpWebhooks(WebhookHosts(hosts))
    sending.deliver(Deliverer(context, sender))
    assert sending.engine.webhook(made.id).answer == answer
    assert len(receiver.received) == (answer == "204")


def test_a_certificate_must_be_of_the_name_whatever_address_that_has(
    sending: Sending, receivers: Receivers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = issue(tmp_path, "receiver")
    address = receivers().encrypt(chain, key)
    named = address.replace("127.0.0.1", "localhost")
    found = {}
    for trusted in (False, True):
        for url in (address, named):
            made = sending.engine.create_webhook(CreateWebhook(url=url)).value
            found[trusted, url] = sending.engine.test_webhook(made.id).value.answer
        monkeypatch.setenv("SSL_CERT_FILE", str(chain))
    assert found == {
        (False, address): "UNTRUSTED",
        (False, named): "UNTRUSTED",
        (True, address): "204",
        (True, named): "UNTRUSTED",
    }


def test_what_cannot_be_an_endpoint_is_refused_by_name(sending: Sending) -> None:
    wrong = {
        "https://elsewhere.example/": ("url", "HOST_NOT_ALLOWED"),
        "http://hooks.bank.example/": ("url", "HOST_NOT_ALLOWED"),
        "https://a:b@hooks.bank.example/": ("url", "INVALID"),
    }
    for url, (field, code) in wrong.items():
        found = details(refusal(sending.engine.create_webhook, CreateWebhook(url=url)))
        assert (found["errors"][0]["field"], found["errors"][0]["code"]) == (field, code)
    good = "https://hooks.bank.example/"
    for unknown in ("", "*", "Trade.settled", "trade.", "trade.settle", "trades.*", "webhook.test"):
        typed = CreateWebhook(url=good, types=("trade.*", unknown))
        assert refusal(sending.engine.create_webhook, typed).code == "VALIDATION_ERROR", unknown
    misspelt = CreateWebhook(url=good, types=("trade.setled",))
    said = details(refusal(sending.engine.create_webhook, misspelt))["errors"][0]["message"]
    assert "such as trade.settled;" in said
    made = sending.engine.create_webhook(CreateWebhook(url=good)).value
    ahead = ReplayEvents(after=made.cursor + 640_000)
    assert refusal(sending.engine.replay_webhook, made.id, ahead).code == "VALIDATION_ERROR"
    long = RotateSecret(overlap="8d")
    assert refusal(sending.engine.rotate_webhook, made.id, long).code == "VALIDATION_ERROR"


def test_what_people_do_is_on_record_and_what_is_sent_is_not(
    sending: Sending, receivers: Receivers
) -> None:
    receiver = receivers()
    made = sending.to(receiver)
    sending.deliver()
    size = sending.engine.audit().pagination.total
    sending.engine.resume_webhook(made.id)
    sending.world.deposit("10.00")
    sending.deliver()
    sending.deliver()
    assert sending.engine.audit().pagination.total == size + 2
    gone = sending.to(receivers(lambda _: 410))
    sending.deliver()
    sending.engine.delete_webhook(made.id)
    actions = [each.action for each in sending.engine.audit().data]
    assert actions[:3] == ["delete_webhook", "pause_webhook", "create_webhook"]
    assert verify(sending.world.context.database) == ()
    counted = {
        each.labels.get("status", each.name): each.value
        for each in figures.read(sending.world.context)
        if each.name.startswith("chainteller_webhook")
    }
    assert counted == {
        "active": 0,
        "failing": 0,
        "paused": 1,
        "chainteller_webhook_lag_seconds": 0,
    }
    assert sending.engine.webhook(gone.id).paused_reason == "GONE"
