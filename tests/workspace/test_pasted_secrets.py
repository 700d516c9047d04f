"""No wallet secret stays on this machine: whatever takes text, and in every file of the home."""

import itertools
import json
import shlex
import signal
import sqlite3 as standard  # noqa: TID251 - a file as an earlier build left it
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import click
import pytest
from tests.cli.all_commands import commands
from tests.cli.conftest import sample_world, training_world
from tests.cli.every_command import INTERACTIVE, Bank, lines, sample_bank
from tests.cli.program import environment
from tests.secrets.generated import FEW_OR_MANY, QUICK, Secret
from tests.secrets.leaks import Parts, pages_in
from tests.world.waiting import PATIENCE_S

from chainteller.service.errors import SecretEntered
from chainteller.workspace.store import SentState, Workspace, digest_of

__all__ = ["sample_world", "training_world"]
SecretsEntered = Sequence[Secret]


@pytest.fixture
def commanded(tmp_path: Path, sample_world: Path, training_world: Path) -> Bank:
    return sample_bank(tmp_path, sample_world, training_world)


PLACE = {"--profile", "--database", "--url"}
"""Options of every command: where to look for a deployment."""
_SHORT = 64
"""Characters that the shortest of texts may have."""
ENDLESS = {"chainteller serve", "chainteller demo"}
"""Commands that would go on: requests to the one are tried by HTTP, the other keeps no file."""


def given(path: str, line: Sequence[str], secret: str) -> Iterator[list[str]]:
    """A command line once for each text that the command takes, which is replaced.

    Files are the caller's own: their names are no text that chainteller keeps.
    """
    command = commands()[path]
    texts = [each for each in command.params if each.type is click.STRING]
    words = path.removeprefix("chainteller ").split()
    options = {name for each in texts if isinstance(each, click.Option) for name in each.opts}
    valued = {
        name
        for each in command.params
        if isinstance(each, click.Option) and not each.is_flag
        for name in each.opts
    }
    for at in range(len(words), len(line)):
        is_value = line[at - 1] in valued
        if "/" not in line[at] and (is_value or not line[at].startswith("--")):
            yield [*line[:at], secret, *line[at + 1 :]]
    if any(isinstance(each, click.Argument) for each in texts) and len(line) == len(words):
        yield [*line, secret]
    for option in sorted(options - PLACE - {*line}):
        yield [*line, option, secret]


@FEW_OR_MANY
def test_no_command_keeps_a_secret(commanded: Bank, entered: SecretsEntered) -> None:
    """Each command gets a secret in place of each text that it takes, and on its standard input."""
    found = {**dict.fromkeys(INTERACTIVE - ENDLESS, ()), **lines(commanded)}
    assert found.keys() | ENDLESS == commands().keys()
    known = pages_in(commanded.home)
    _run_each(commanded, found, fitting(entered))
    _give_by_standard_input(commanded, found["chainteller wallets claim"], fitting(entered))
    turns = itertools.cycle(entered)
    for option in sorted(PLACE):
        commanded.run("accounts", "show", "TDA_1", option, next(turns).text)
    assert Parts(entered, known).found_in(commanded.home) == set()


@FEW_OR_MANY
def test_no_command_for_a_remote_deployment_keeps_or_sends_a_secret(
    tmp_path: Path, sample_world: Path, training_world: Path, entered: SecretsEntered
) -> None:
    server = sample_bank(tmp_path / "server", sample_world, training_world)
    found = {path: line for path, line in lines(server).items() if commands()[path].calls}
    key = server.run("keys", "create", "--name", "remote").out.strip()
    client, known = Bank(tmp_path / "client"), pages_in(tmp_path)
    client.home.mkdir()
    with _serving(server.home) as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAINTELLER_API_KEY", key)
        at = ["--url", address]
        assert client.run("markets", "--json", *at).code == 0
        _run_each(client, found, entered, at)
        _give_by_standard_input(client, found["chainteller wallets claim"], entered, at)
    (log,) = server.home.rglob("serve.log")
    assert log.stat().st_size
    assert Parts(entered, known).found_in(tmp_path) == set()


def fitting(entered: SecretsEntered) -> SecretsEntered:
    """Of a few secrets, those that every text could be: a longer one is refused for its length,
    also where nobody looks for secrets."""
    if len(entered) > len(QUICK):
        return entered
    return [each for each in entered if len(each.text) <= _SHORT and each.text.isprintable()]


def _give_by_standard_input(
    bank: Bank, claim: Sequence[str], entered: SecretsEntered, place: Sequence[str] = ()
) -> None:
    for secret, command in zip(entered, itertools.cycle(("claim", "diagnose")), strict=False):
        words = ["wallets", command, claim[2], "-", *claim[4:], *place]
        ended = bank.run(*words, given=f"{secret.text}\n")
        assert ended.code == 1, (secret.kind, ended)
        assert "SECRET_ENTERED" in ended.err, secret.kind


def _run_each(
    bank: Bank,
    found: Mapping[str, Sequence[str]],
    entered: SecretsEntered,
    place: Sequence[str] = (),
) -> None:
    turns = itertools.cycle(entered)
    is_short = bool(place) and len(entered) == len(QUICK)  # of each command one text, in turn
    for number, (path, line) in enumerate(found.items()):
        for _ in range(max(1, len(entered) // 15)):
            secret = next(turns)
            tried = [*given(path, line or path.split()[1:], secret.text)]
            if is_short and tried:
                tried = [tried[number % len(tried)]]
            for words in tried:
                if not (secret.is_hex and words[-2] == "--idempotency-key"):  # or a digest
                    bank.run(*words, *place, given=f"{secret.text}\n")


@contextmanager
def _serving(home: Path) -> Iterator[str]:
    """The address of ``chainteller serve`` in a process of its own, which writes into its home."""
    with (home / "said").open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "chainteller", "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env=environment(CHAINTELLER_HOME=str(home)),
        )
        assert process.stdout is not None
        announced = process.stdout.readline()
        try:
            yield announced.removeprefix("listening on ").strip()
        finally:
            process.send_signal(signal.SIGTERM)
            rest, _ = process.communicate(timeout=PATIENCE_S)
            said.write(rest)


@pytest.mark.parametrize(
    "words", [[""], ["accounts", "list", ""], ["info", "--profile", ""], ["info", "--database="]]
)
def test_a_command_line_that_is_wrong_anyway_is_refused_without_repeating_it(
    commanded: Bank, words: list[str]
) -> None:
    for secret in QUICK:
        if not secret.is_hex:
            ended = commanded.run(*words[:-1], words[-1] + secret.text)
            assert (ended.code, "SECRET_ENTERED" in ended.err) == (1, True), secret.kind
            assert not {*Parts([secret]).found((ended.out + ended.err).encode())}, secret.kind


@FEW_OR_MANY
def test_no_line_of_the_plain_console_keeps_a_secret(
    commanded: Bank, entered: SecretsEntered
) -> None:
    known = pages_in(commanded.home)
    own = [["note", "TDA_1", ""], ["handover", ""], ["last", ""], ["watch", ""], ["watch", "", ""]]
    said: list[str] = []
    for secret in (each.text for each in entered):
        said += [secret, f"note {secret} {secret}"]
        said += [shlex.join([word or secret for word in words]) for words in own]
        said += [shlex.join(["note", "TDA_1", *secret.split()]), f"find {secret}"]
    ended = commanded.run("desk", "--plain", given="\n".join([*said, "quit", ""]))
    assert "note TDA_1" not in ended.out
    assert not {*Parts(entered).found((ended.out + ended.err).encode())}
    assert Parts(entered, known).found_in(commanded.home) == set()


@FEW_OR_MANY
def test_a_secret_that_is_submitted_as_a_signature_is_refused_and_not_repeated(
    commanded: Bank, entered: SecretsEntered
) -> None:
    claim, known = lines_of_claim(commanded), pages_in(commanded.home)
    for secret in entered:
        for command, words in (("claim", secret.text), ("diagnose", "-")):
            given = f"{secret.text}\n"
            ended = commanded.run("wallets", command, claim[0], words, *claim[2:], given=given)
            assert ended.code == 1, (secret.kind, ended)
            assert "SECRET_ENTERED" in ended.err, secret.kind
            assert "move the funds" in ended.err
            said = (ended.err + ended.out).encode()
            assert not {*Parts([secret]).found(said)}, (secret.kind, said)
    assert Parts(entered, known).found_in(commanded.home) == set()


def lines_of_claim(bank: Bank) -> Sequence[str]:
    listed = bank.made("counterparties", "list")["data"]
    custody = bank.made("blockchain-accounts", "list")["data"][0]["id"]
    return (
        "CHG_0000000000000000000000",
        "",
        "--account",
        custody,
        "--counterparty",
        listed[0]["id"],
    )


@FEW_OR_MANY
def test_a_note_or_a_filter_with_a_secret_is_not_kept(
    tmp_path: Path, entered: SecretsEntered
) -> None:
    workspace = Workspace(tmp_path / "state.db")
    for secret in entered:
        for text in (secret.text, f"said on the phone:\n{secret.text}"):
            with pytest.raises(SecretEntered) as refused:
                workspace.set_note("TDA_1", text)
            assert secret.text not in str(refused.value)
        with pytest.raises(SecretEntered):
            workspace.add_note("TDA_1", "op01", secret.text)
        workspace.set_view("list.accounts", {"filter": ["x", secret.text]})
    workspace.close()
    assert Parts(entered).found_in(tmp_path) == set()


def test_a_transaction_s_hash_is_kept_in_a_note_that_says_what_it_is(tmp_path: Path) -> None:
    workspace, digits = Workspace(tmp_path / "state.db"), "5c50" * 16
    with pytest.raises(SecretEntered) as refused:
        workspace.set_note("TDA_1", f"she sent {digits}")
    assert 'write "tx" before it' in refused.value.suggestion
    workspace.set_note("TDA_1", f"she sent tx {digits}")
    assert workspace.note("TDA_1").endswith(digits)
    workspace.close()


@FEW_OR_MANY
@pytest.mark.parametrize("layout", [1, 2])
def test_what_an_earlier_build_kept_is_removed(
    tmp_path: Path, entered: SecretsEntered, layout: int
) -> None:
    path = tmp_path / "state.db"
    Workspace(path).close()
    with closing(standard.connect(path)) as file:
        for number, secret in enumerate(entered):
            signature: object = secret.text if layout == 1 else digest_of(secret.text)
            request = {"challengeId": "CHG_1", "completedChallenge": signature}
            saved = {"ids": ["BCA_1"], "request": request}
            values = (f"k{number}", "submit_claim", json.dumps(saved), number, "DONE")
            file.execute(
                "INSERT INTO sent (key, operation, arguments, sent_at, state) VALUES (?,?,?,?,?)",
                values,
            )
            saved = {"ids": ["BCA_1"], "request": {"reason": secret.text}}
            values = (f"r{number}", "clear_dispute", json.dumps(saved), number, "DONE")
            file.execute(
                "INSERT INTO sent (key, operation, arguments, sent_at, state) VALUES (?,?,?,?,?)",
                values,
            )
            note = f"before\n{secret.text}\nafter"
            file.execute("INSERT INTO note VALUES (?, ?, 1)", (f"TDA_{number}", note))
            typed = json.dumps([secret.text])
            file.execute("INSERT INTO view VALUES (?, ?)", (f"list.{number}", typed))
        file.execute("INSERT INTO note VALUES ('TDA_X', 'nothing secret', 1)")
        file.execute(f"PRAGMA user_version = {layout}")
        file.commit()
    assert Parts(entered).found_in(tmp_path)
    workspace = Workspace(path)
    for number, secret in enumerate(entered):
        kept = workspace.sent_request(f"k{number}")
        assert kept is not None
        assert (kept.state, kept.arguments["request"]["challengeId"]) == (SentState.DONE, "CHG_1")
        assert kept.arguments["request"]["completedChallenge"] == digest_of(secret.text)
        assert workspace.note(f"TDA_{number}") in ("before\nafter", "")
    assert workspace.note("TDA_X") == "nothing secret"
    workspace.close()
    assert Parts(entered).found_in(tmp_path) == set()
