"""The same commands against ``chainteller serve`` in a process of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment
from tests.remote.plain_server import plain_deployment


@pytest.fixture
def served(bank: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a deployment on the sample bank; its key is in the environment."""
    key = teller("keys", "create", "--name", "remote").out.strip()
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(
            CHAINTELLER_ENGINE__FILL_DELAY_S="0", CHAINTELLER_ENGINE__SETTLE_DELAY_S="0"
        ),
    )
    assert process.stdout is not None
    announced = process.stdout.readline()
    assert announced.startswith("listening on http://127.0.0.1:")
    monkeypatch.setenv("CHAINTELLER_API_KEY", key)
    yield announced.removeprefix("listening on ").strip()
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=20)
    assert (process.returncode, rest) == (0, "")


def test_a_remote_place_answers_as_the_embedded_one(served: str, teller: Teller) -> None:
    for line in (("customers", "find", "DDA-100"), ("blockchain-accounts", "list")):
        remote = teller("--url", served, *line, "--json").body
        assert remote["pagination"]["total"] > 1
        assert remote == teller(*line, "--json").body
    assert teller("--url", served, "info", "--json").body["place"].startswith("remote ")


def test_a_trade_is_followed_to_its_end(served: str, teller: Teller) -> None:
    account = teller("accounts", "list", "--limit", "1", "--json").body["data"][0]["id"]
    ended = teller(
        "trade", "buy", "sol-usd", "--spend", "25", "--account", account,
        "--fund", "--yes", "--wait", "--json", "--url", served,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.body["status"] == "settled"


def test_refusals_of_a_deployment_are_told_alike(
    served: str, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = teller("accounts", "show", "TDA_NOBODY", "--json", "--url", served)
    embedded = teller("accounts", "show", "TDA_NOBODY", "--json")
    assert (remote.code, remote.body) == (embedded.code, embedded.body)
    assert remote.err == embedded.err
    monkeypatch.setenv("CHAINTELLER_API_KEY", "anything at all")
    ended = teller("markets", "--url", served)
    assert (ended.code, ended.complaint[0]) == (
        1,
        "UNAUTHORIZED: A valid API key is required.",
    )
    assert "CHAINTELLER_API_KEY" in ended.complaint[-1]
    assert "header" not in ended.err.lower()
    assert "Bearer" not in ended.err


@pytest.mark.parametrize("word", ["show", "text", "receipt", "cancel"])
def test_where_trades_are_not_found_by_id_the_account_is_asked_for(
    home: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("CHAINTELLER_API_KEY", "any form of key")
    with plain_deployment() as address:
        refused = teller("--url", address, "trades", word, "TXN_1")
    assert refused.code == 2
    assert "does not find a trade by its id alone" in refused.err
    assert f"chainteller trades {word} TDA_… TXN_…" in refused.err
