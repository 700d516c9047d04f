"""The receivers of ``docs/how-to/webhooks.md`` verify what is sent, with the standard's libraries.

Needs the tools of ``.ci/contract``, as ``test_generated_clients`` does.
"""

import os
import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.clients.test_generated_clients import PYTHON, TOOLS
from tests.webhooks.conftest import HOSTS, Sending
from tests.world.engines import make_world

from chainteller.domain.clock import SystemClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.webhooks import secret_text
from chainteller.service.models.webhooks import CreateWebhook, ReplayEvents, RotateSecret

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TOOLS.is_dir(), reason="what clients/tools installs isn't there"),
]
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "webhooks.md"
FENCED = dict(
    re.findall(r"^```(python|js)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
)
COMMANDS = {"python": (str(PYTHON / "python"), "receiver.py"), "js": ("node", "receiver.mjs")}
OTHERS = secret_text(bytes(32))


@contextmanager
def receiver(folder: Path, language: str, port: int, secret: str) -> Iterator[list[str]]:
    """Run a receiver of the guide; the lines that it prints, once it's ended."""
    program, name = COMMANDS[language]
    (folder / name).write_text(FENCED[language], encoding="utf-8")
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    variables = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)}
    process = subprocess.Popen(
        [program, name], cwd=folder, env=variables, stdout=subprocess.PIPE, text=True
    )
    printed: list[str] = []
    try:
        _wait_for(port)
        yield printed
    finally:
        process.kill()
        printed += process.communicate()[0].splitlines()


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            threading.Event().wait(0.05)
        else:
            return
    raise AssertionError("the receiver doesn't listen")


@pytest.mark.parametrize("language", list(COMMANDS))
def test_a_receiver_of_the_guide_takes_what_is_signed_and_nothing_else(
    tmp_path: Path, language: str
) -> None:
    assert len(FENCED[language].splitlines()) <= 60
    world = make_world(tmp_path / "bank.db", options=EngineOptions(webhook_hosts=HOSTS))
    world.clock.set(SystemClock().now())
    sending = Sending(world)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    asked = CreateWebhook(url=f"http://127.0.0.1:{port}/", types=("deposit.*",))
    made = sending.engine.create_webhook(asked).value
    assert made.secret
    for _ in range(20):
        sending.world.deposit("10.00")
    with receiver(tmp_path, language, port, OTHERS) as refused:
        sending.deliver()
        assert sending.engine.webhook(made.id).answer == "400"
    sending.wait(2)
    with receiver(tmp_path, language, port, made.secret) as printed:
        sending.deliver()
        sending.engine.rotate_webhook(made.id, RotateSecret(overlap="1h"))
        sending.engine.replay_webhook(made.id, ReplayEvents(after=made.cursor))
        sending.deliver()
        assert sending.engine.webhook(made.id).status == "active"
    expected = [
        f"{each.seq} {each.type} {each.resource}"
        for each in sending.engine.events(made.cursor, 100).data
        if each.type.startswith("deposit.")
    ]
    assert refused == []
    assert sorted(printed) == sorted(expected), "each event once, although all were sent twice"
    assert len(expected) >= 20
    world.close()
