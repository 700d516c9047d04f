"""``chainteller check`` as a command: what it prints, its exit codes, and what it refuses."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Ended
from tests.conformance.altering_proxy import AlteringProxy, Passing
from tests.conformance.conftest import Served

from chainteller.cli.main import run
from chainteller.conformance.specification import CHECKS

Teller = Callable[..., Ended]
ESCAPE = "\x1b]52;c;aGk=\x07"


@pytest.fixture
def teller(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, served: Served
) -> Teller:
    """Run one command line in this process, with the service's key in the environment."""
    monkeypatch.setenv("CHAINTELLER_API_KEY", served.key)

    def call(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run(list(arguments))
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return call


def test_each_check_is_one_line_and_the_end_counts_them_and_names_the_flag_for_the_rest(
    teller: Teller, served: Served
) -> None:
    ended = teller("check", served.address)
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert sum(line.startswith(("ok  ", "not checked  ")) for line in lines) == len(CHECKS)
    counts, rest = lines[-2:]
    assert counts.startswith(f"{len(CHECKS)} checks: ")
    assert "0 deviates" in counts
    assert rest == f"{ended.out.count('[needs --write]')} not checked: needs --write"


def test_the_document_names_sentence_request_reply_and_deviation(
    teller: Teller, proxy: AlteringProxy
) -> None:
    def number(passing: Passing) -> None:
        if passing.path == "/trading/markets" and passing.status == 200:
            passing.body["data"][0]["currentPrice"] = 142.5

    proxy.plant(number)
    ended = teller("check", proxy.address, "--json")
    assert ended.code == 1
    assert ended.body["summary"]["deviates"] == 1
    assert ended.body["summary"]["checks"] == len(ended.body["checks"]) == len(CHECKS)
    found = next(each for each in ended.body["checks"] if each["state"] == "deviates")
    assert found["id"] == "market.currentPrice"
    assert found["section"] == "2.4"
    assert found["sentence"] == "currentPrice | string | decimal"
    assert found["notes"] == [
        "GET /trading/markets: currentPrice is 142.5, not a string with a decimal number"
    ]
    [exchange] = found["exchanges"]
    assert exchange["request"] == {"method": "GET", "path": "/trading/markets", "body": None}
    assert exchange["response"]["status"] == 200
    assert exchange["response"]["headers"]["content-type"] == "application/json"
    assert '"currentPrice": 142.5' in exchange["response"]["body"]


def test_a_deviation_is_explained_below_its_line(teller: Teller, proxy: AlteringProxy) -> None:
    def broken(passing: Passing) -> None:
        if passing.path == "/trading/markets" and passing.status == 200:
            del passing.body["pagination"]["total"]

    proxy.plant(broken)
    ended = teller("check", proxy.address)
    assert ended.code == 1
    lines = ended.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("deviates"))
    assert "markets.envelope" in lines[at]
    assert lines[at + 1].strip() == "GET /trading/markets: pagination.total is missing"
    assert lines[at + 2].strip().startswith('sent      {"method": "GET"')
    assert lines[at + 3].strip().startswith('received  {"status": 200')


def test_nothing_that_the_other_side_sends_reaches_the_terminal_or_shows_the_key(
    teller: Teller, proxy: AlteringProxy, served: Served
) -> None:
    def hostile(passing: Passing) -> None:
        if passing.status < 400 and "data" in passing.body:
            for row in passing.body["data"]:
                row["at"] = row["amount"] = ESCAPE + served.key
        elif passing.status >= 400:
            passing.body = {"error": ESCAPE + served.key, "details": ESCAPE + served.key + "\ud800"}

    proxy.plant(hostile)
    for option in ((), ("--json",)):
        ended = teller("check", proxy.address, "--write", "--account", served.account, *option)
        assert ended.code == 1
        assert served.key not in ended.out + ended.err
        assert "[API key]" in ended.out
        assert ended.out.replace("\n", "").isprintable()
        if option:
            json.loads(ended.out)


def test_a_redirect_is_named_and_not_followed(teller: Teller, proxy: AlteringProxy) -> None:
    asked: list[str] = []

    def redirect(passing: Passing) -> None:
        asked.append(passing.path)
        if passing.path == "/trading/markets":
            passing.status = 307
            passing.body = None
            passing.reply_headers["Location"] = f"{proxy.address}/stolen"

    proxy.plant(redirect)
    ended = teller("check", proxy.address)
    assert ended.code == 1
    assert "a redirect (307), which is not followed" in ended.out
    assert "/stolen" not in asked


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument"),
        (("ADDRESS", "--write", "--read-only"), "read-only"),
        (("ADDRESS", "--url", "http://127.0.0.1:1"), "as its argument"),
        (("ftp://bank.example",), "URL 'ftp://bank.example' needs http"),
        (("http://user:secret@bank.example",), "without credentials"),
        (("ADDRESS", "--wait", "soon"), "a duration such as"),
        (("ADDRESS", "--wait", "2h"), "an hour is the most"),
        (("ADDRESS", "--bank-account", "DDA-1"), "lacks a part"),
        (("ADDRESS", "--blockchain-account", "BCA_1"), "lacks a part"),
        (("ADDRESS", "--currency", "dollars"), "isn't a currency"),
    ],
)
def test_wrong_usage_exits_with_2(
    arguments: tuple[str, ...], words: str, teller: Teller, served: Served
) -> None:
    ended = teller("check", *(served.address if each == "ADDRESS" else each for each in arguments))
    assert ended.code == 2
    assert words in ended.err
    assert "secret" not in ended.err


def test_no_key_is_wrong_usage(
    teller: Teller, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHAINTELLER_API_KEY")
    ended = teller("check", served.address)
    assert ended.code == 2
    assert "no API key" in ended.err


def test_a_key_that_is_refused_ends_the_check(
    teller: Teller, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or everything else would be called not checked, and the exit code would be 0."""
    monkeypatch.setenv(
        "CHAINTELLER_API_KEY", f"{served.key[:-1]}{'x' if served.key[-1] != 'x' else 'y'}"
    )
    ended = teller("check", served.address)
    assert (ended.code, ended.out) == (1, "")
    assert "UNAUTHORIZED" in ended.err


def test_a_profile_gives_its_key_and_its_read_only_mode(
    teller: Teller, served: Served, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHAINTELLER_API_KEY")
    key = home / "key"
    key.write_text(served.key, encoding="utf-8")
    key.chmod(0o600)
    (home / "config.toml").write_text(
        f'[profiles.bank]\nkind = "remote"\nurl = "https://bank.example"\nkey_file = "{key}"\n'
        "read_only = true\n",
        encoding="utf-8",
    )
    assert teller("check", served.address, "--profile", "bank").code == 0
    refused = teller("check", served.address, "--profile", "bank", "--write")
    assert refused.code == 2
    assert "read-only" in refused.err


def test_a_closed_port_exits_with_3(teller: Teller) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    ended = teller("check", f"http://127.0.0.1:{port}")
    assert ended.code == 3
    assert ended.out == ""
    assert "can't be checked: no reply" in ended.err
