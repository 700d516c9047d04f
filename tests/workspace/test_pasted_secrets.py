"""No wallet secret stays on this machine: whatever takes text, and in every file of the home."""

import itertools
import json
import re
import shlex
import sqlite3 as standard  # noqa: TID251 - a file as an earlier build left it
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import base58
import click
import pytest
from nacl.bindings import crypto_sign_seed_keypair
from tests.cli.conftest import sample_world
from tests.cli.every_command import INTERACTIVE, Bank, lines, sample_bank

from chainteller.cli.main import commands
from chainteller.service.errors import SecretEntered
from chainteller.workspace.store import SentState, Workspace

__all__ = ["sample_world"]
_PHRASE = (
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
)
_HEX = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
_SOLANA = crypto_sign_seed_keypair(bytes(range(1, 33)))[1]
SECRETS = {
    "phrase of 12 words": _PHRASE,
    "numbered phrase": " ".join(f"{at}. {word}" for at, word in enumerate(_PHRASE.split(), 1)),
    "phrase in capitals": "  ".join(["ZOO"] * 23 + ["VOTE"]),
    "phrase in Spanish": "abuso acabar academia acceso acción aceite acelga acento aceptar ácido "
    "aclarar acné",
    "hex key": f"0x{_HEX}",
    "hex key without a prefix": _HEX,
    "WIF": "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1",
    "mini key": "S6c56bnXQiBjk9mqSYE7ykVQ7NzrRy",
    "extended key": "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg"
    "6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
    "key file": '{"crypto":{"cipher":"aes-128-ctr","ciphertext":"d172bf743a674da9cdad04534d56926ef8'
    '358534d458fffccd4e6ad2fbde479c","kdf":"scrypt"},"version":3}',
    "Solana key as numbers": str([*_SOLANA]),
    "Solana key in base58": base58.b58encode(_SOLANA).decode(),
    "SeedQR": "073318950739065415961602009907670428187212261116",
}
_LEAST = 16
"""Characters of a secret that no file may have, anywhere."""


def parts(secret: str) -> list[bytes]:
    """Stretches of a secret that would give it away; those of a phrase are two words."""
    words = secret.split()
    if len(words) > 1 and len({*words}) > 1:
        pairs = itertools.pairwise(secret.lower().split())
        return [" ".join(each).encode() for each in pairs if len({*each}) > 1]
    return [
        secret[at : at + _LEAST].lower().encode() for at in range(0, len(secret) - _LEAST, _LEAST)
    ]


def found_in(home: Path, secret: str) -> list[str]:
    """The files that have a part of a secret, however its letters and blanks are written."""
    return [
        str(file)
        for file in home.rglob("*")
        if file.is_file()
        and (content := re.sub(rb"\s+", b" ", file.read_bytes().lower()))
        and any(part in content for part in parts(secret))
    ]


@pytest.fixture
def commanded(tmp_path: Path, sample_world: Path) -> Bank:
    return sample_bank(tmp_path, sample_world)


PLACE = {"--profile", "--database", "--url"}
"""Options of every command: where to look for a deployment."""
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
        if option != "--idempotency-key" or secret != _HEX:  # a digest that a script made its key
            yield [*line, option, secret]


@pytest.mark.parametrize(
    "kinds", [1, pytest.param(len(SECRETS), marks=pytest.mark.thorough)], ids=["one", "each"]
)
def test_no_command_keeps_a_secret(commanded: Bank, kinds: int) -> None:
    """Each command gets a secret in place of each text that it takes, and on its standard input."""
    found = {**dict.fromkeys(INTERACTIVE - ENDLESS, ()), **lines(commanded)}
    assert found.keys() | ENDLESS == commands().keys()
    turns = itertools.cycle(SECRETS.values())
    for path, line in found.items():
        for _ in range(kinds):
            secret = next(turns)
            for arguments in given(path, line or path.split()[1:], secret):
                commanded.run(*arguments, given=f"{secret}\n")
    for option in sorted(PLACE):
        commanded.run("accounts", "show", "TDA_1", option, next(turns))
    for kind, secret in SECRETS.items():
        assert found_in(commanded.home, secret) == [], kind


def test_no_line_of_the_plain_console_keeps_a_secret(commanded: Bank) -> None:
    own = [["note", "TDA_1", ""], ["handover", ""], ["last", ""], ["watch", ""], ["watch", "", ""]]
    for secret in SECRETS.values():
        said = [secret, f"note {secret} {secret}"]
        said += [shlex.join([word or secret for word in words]) for words in own]
        said += [shlex.join(["note", "TDA_1", *secret.split()]), f"find {secret}"]
        ended = commanded.run("desk", "--plain", given="\n".join([*said, "quit", ""]))
        assert "note TDA_1" not in ended.out
    for kind, secret in SECRETS.items():
        assert found_in(commanded.home, secret) == [], kind


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_that_is_submitted_as_a_signature_is_refused_and_not_kept(
    commanded: Bank, kind: str
) -> None:
    secret = SECRETS[kind]
    claimed = lines_of_claim(commanded)
    ended = commanded.run("wallets", "claim", claimed[0], secret, *claimed[2:])
    assert ended.code == 1
    assert "SECRET_ENTERED" in ended.err
    assert secret not in ended.err + ended.out
    assert found_in(commanded.home, secret) == []


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


@pytest.mark.parametrize("kind", SECRETS)
def test_a_note_or_a_filter_with_a_secret_is_not_kept(tmp_path: Path, kind: str) -> None:
    workspace, secret = Workspace(tmp_path / "state.db"), SECRETS[kind]
    for text in (secret, f"said on the phone:\n{secret}"):
        with pytest.raises(SecretEntered) as refused:
            workspace.set_note("TDA_1", text)
        assert secret not in str(refused.value)
    with pytest.raises(SecretEntered):
        workspace.add_note("TDA_1", "op01", secret)
    workspace.set_view("list.accounts", {"filter": ["x", secret]})
    workspace.close()
    assert found_in(tmp_path, secret) == []


@pytest.mark.parametrize("kind", SECRETS)
def test_what_an_earlier_build_kept_is_removed(tmp_path: Path, kind: str) -> None:
    path, secret = tmp_path / "state.db", SECRETS[kind]
    Workspace(path).close()
    request = {"challengeId": "CHG_1", "completedChallenge": secret, "counterpartyId": "CPT_1"}
    with closing(standard.connect(path)) as file:
        values = (
            "k1",
            "submit_claim",
            json.dumps({"ids": ["BCA_1"], "request": request}),
            1,
            "DONE",
        )
        file.execute(
            "INSERT INTO sent (key, operation, arguments, sent_at, state) VALUES (?,?,?,?,?)",
            values,
        )
        file.execute("INSERT INTO note VALUES ('TDA_1', ?, 1)", (f"before\n{secret}\nafter",))
        file.execute("PRAGMA user_version = 1")
        file.commit()
    assert found_in(tmp_path, secret)
    workspace = Workspace(path)
    kept = workspace.sent_request("k1")
    assert kept is not None
    assert (kept.state, kept.arguments["request"]["challengeId"]) == (SentState.DONE, "CHG_1")
    assert workspace.note("TDA_1") in ("before\nafter", "")
    workspace.close()
    assert found_in(tmp_path, secret) == []
