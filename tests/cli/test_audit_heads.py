"""Signed heads through the command line and a real server: keys, files, witnesses, refusals."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.witnessing import places
from tests.world.waiting import PATIENCE_S

from chainteller.witnessing.checkpoints import read_signed_head
from chainteller.witnessing.notes import VerifierKey, verified_by


@contextmanager
def _served(home: Path, **variables: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``chainteller serve`` as a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "serve", "--port", "0"],
        env={**os.environ, "CHAINTELLER_HOME": str(home), **variables},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1], process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _head_size(note: str) -> int:
    return read_signed_head(note.encode()).head.size


@pytest.fixture
def signed(small_bank: Path, home: Path, teller: Teller) -> dict[str, object]:
    """A bank with a signing key and a folder as witness; what ``key create`` told."""
    (home / "config.toml").write_text(
        f'[audit]\nwitnesses = ["{home / "witness"}"]\n', encoding="utf-8"
    )
    body = teller("audit", "key", "create", "--json").body
    assert isinstance(body, dict)
    return body


def test_a_server_signs_what_is_new_when_it_stops(
    home: Path, teller: Teller, signed: dict[str, object], tmp_path: Path
) -> None:
    key = teller("keys", "create", "--name", "auditor").out.strip()
    file = tmp_path / "head.checkpoint"
    with _served(home) as (address, process):
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{address}/audit/checkpoint", headers={"Authorization": f"Bearer {key}"}
        )
        with urllib.request.urlopen(request) as reply:  # noqa: S310 - as above
            body = json.load(reply)
        file.write_text(body["note"], encoding="utf-8")
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    folder = home / "witness" / str(signed["deployment"]) / "default"
    sizes = [int(each.stem) for each in folder.glob("*.checkpoint")]
    assert max(sizes) == places.size_of(home / "data" / "bank.db")
    assert teller("audit", "verify", "--head", str(file)).code == 0
    verified = teller("db", "verify", "--json")
    assert (verified.code, verified.body["ok"]) == (0, True)
    assert "every entry is witnessed" in "\n".join(verified.body["notes"])


def test_a_head_is_compared_with_a_remote_log_by_its_proofs(
    home: Path,
    teller: Teller,
    signed: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "head.checkpoint"
    assert teller("audit", "checkpoint", "--output", str(file)).code == 0
    assert teller("quote", "sol-usd", "buy", "10").code == 0
    key = teller("keys", "create", "--name", "auditor").out.strip()
    monkeypatch.setenv("CHAINTELLER_API_KEY", key)
    with _served(home) as (address, _):
        found = teller("--url", address, "audit", "verify", "--head", str(file), "--json").body
        assert found["size"] == _head_size(file.read_text())
        assert found["logSize"] > found["size"]
        assert found["trusted"] == "the keys that the deployment names"
        note = teller("--url", address, "--read-only", "audit", "checkpoint").out
        assert _head_size(note) >= found["logSize"], "the service's own due work adds entries too"
        file.write_text(file.read_text().replace("\n", "\nx", 1), encoding="utf-8")
        refused = teller("--url", address, "audit", "verify", "--head", str(file))
        assert (refused.code, refused.out) == (1, "")
        assert "CHECKPOINT_REFUSED: MALFORMED" in refused.err
        row = teller("--url", address, "audit", "list", "--json").body["data"][0]["seq"]
        assert teller("--url", address, "audit", "proof", str(row)).code == 0


def test_a_note_is_printed_alone_and_its_keys_verify_it(
    teller: Teller, signed: dict[str, object]
) -> None:
    printed = teller("audit", "checkpoint")
    read = read_signed_head(printed.out.encode())
    keys = teller("audit", "key", "show", "--json").body["keys"]
    named = [VerifierKey.parse(each) for each in keys[0]["verifierKeys"]]
    assert len(verified_by(read.note, named)) == 1
    assert teller("audit", "key", "rotate").code == 0
    both = read_signed_head(teller("audit", "checkpoint").out.encode())
    assert len(both.note.signatures) == 2
    assert teller("audit", "key", "retire").code == 0
    states = [each["state"] for each in teller("audit", "key", "show", "--json").body["keys"]]
    assert states == ["current", "retired"]


def test_without_a_key_info_and_check_say_that_no_heads_are_signed(
    small_bank: Path, teller: Teller
) -> None:
    for command in (("info",), ("db", "check")):
        ended = teller(*command)
        assert ended.code == 0
        assert "no signing key: chainteller audit key create" in ended.out + ended.err
    refused = teller("audit", "checkpoint")
    assert refused.code == 1
    assert "chainteller audit key create" in refused.err
    assert teller("audit", "key", "show").code == 1


def test_a_rolled_back_file_is_a_breach_with_the_last_honest_head(
    small_bank: Path, home: Path, teller: Teller, signed: dict[str, object]
) -> None:
    honest = _head_size(teller("audit", "checkpoint").out)
    older = small_bank.read_bytes()
    assert teller("quote", "sol-usd", "buy", "10").code == 0
    latest = _head_size(teller("audit", "checkpoint").out)
    small_bank.write_bytes(older)
    ended = teller("db", "verify", "--json")
    assert ended.code == 1
    shorter, breach = sorted(ended.body["breaches"], key=lambda each: "signed" in each)
    assert f"it had {latest} entries when its head was kept and has {honest}" in shorter
    assert f"a head of {latest} entries, and the log has {honest}" in breach
    assert f"the last honest head is {honest} " in breach
    assert f"BREACH: {shorter}\n  {signed['deployment']}/default" in ended.err


@pytest.mark.parametrize(
    ("origin", "reason"),
    [("other/default", "OTHER_DEPLOYMENT"), ("{}/elsewhere", "OTHER_ORGANISATION")],
)
def test_a_head_of_another_log_is_refused_by_name(
    teller: Teller, signed: dict[str, object], tmp_path: Path, origin: str, reason: str
) -> None:
    note = teller("audit", "checkpoint").out
    deployment = str(signed["deployment"])
    file = tmp_path / "other.checkpoint"
    file.write_text(note.replace(f"{deployment}/default", origin.format(deployment)), "utf-8")
    refused = teller("audit", "verify", "--head", str(file))
    assert refused.code == 1
    assert f"CHECKPOINT_REFUSED: {reason}" in refused.err
    assert teller("audit", "verify", "--head", str(tmp_path / "none")).code == 2


def test_a_witness_that_cannot_be_used_is_named_and_nothing_stops(
    small_bank: Path, home: Path, teller: Teller
) -> None:
    (home / "config.toml").write_text(
        f'[audit]\nwitnesses = ["{small_bank}", "http://127.0.0.1:9"]\n', encoding="utf-8"
    )
    assert teller("audit", "key", "create").code == 0
    ended = teller("audit", "checkpoint")
    assert ended.code == 0
    assert "UNUSABLE_FOLDER" in ended.err
    assert "SILENT: it can't be reached" in ended.err
    rows = teller("audit", "witness", "list", "--json").body["data"]
    assert {each["kind"] for each in rows} == {"folder", "http"}
    assert all(each["problem"] for each in rows)
    assert teller("db", "verify").code == 0


@pytest.mark.parametrize(
    "wrong", ["relative/folder", "http://", "http://w.example not-a-key", "https://w.example a+b+c"]
)
def test_a_witness_that_is_none_is_a_wrong_setting(home: Path, teller: Teller, wrong: str) -> None:
    (home / "config.toml").write_text(f'[audit]\nwitnesses = ["{wrong}"]\n', encoding="utf-8")
    ended = teller("config", "validate")
    assert ended.code == 2
    assert "audit.witnesses" in ended.err
