"""Signing in with a real issuer, in a real terminal, and what changes there mean here.

The service is a process, the issuer is npm's oidc-provider, and both go by the machine's clock.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pexpect
import pyte
import pytest
from tests.cli.program import Ended, environment
from tests.sign_in.issuer import RealIssuer, confirm, needs_issuer, real_issuer

pytestmark = [needs_issuer, pytest.mark.slow]

AUDIENCE = "https://teller.bank.example"
_TIMEOUT_S = 60
_POLICY = """
[roles]
agent = ["serve"]
supervisor = ["serve", "decide", "control", "agents"]
[sign_in]
crypto-leads = "supervisor"
crypto-desk = "agent"
"""
_BANK = """
[engine]
policy = "{folder}/policy.toml"
[sign_in]
issuer = "{issuer}"
audience = "{audience}"
"""
_DESK = """
[desk]
profile = "bank"
[profiles.bank]
kind = "remote"
url = "{address}"
issuer = "{issuer}"
audience = "{audience}"
"""


def _environment(home: Path) -> dict[str, str]:
    return environment(
        CHAINTELLER_HOME=str(home), CHAINTELLER_CLIENT_TOOLS="", TERM="xterm-256color"
    )


@dataclass
class Branch:
    """A served bank, its issuer, and a desk."""

    issuer: RealIssuer
    folder: Path
    address: str

    def home(self, name: str, **text: str) -> Path:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        told = {"address": self.address, "issuer": self.issuer.address, "audience": AUDIENCE}
        (home / "config.toml").write_text(_DESK.format(**{**told, **text}), encoding="utf-8")
        return home

    def run(self, *arguments: str, desk: str = "desk", **text: str) -> Ended:
        """Run a command at a desk."""
        done = subprocess.run(
            [sys.executable, "-m", "chainteller", *arguments],
            env=_environment(self.home(desk, **text)),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def spawn(self, *arguments: str, desk: str = "desk") -> "pexpect.spawn[bytes]":
        return pexpect.spawn(
            sys.executable,
            ["-m", "chainteller", *arguments],
            dimensions=(30, 100),
            env=_environment(self.home(desk)),
            timeout=_TIMEOUT_S,
        )

    def sign_in(self, name: str, desk: str = "desk") -> None:
        child = self.spawn("sign-in", desk=desk)
        child.expect(r"in this address: (\S+)")
        confirm(child.match[1].decode(), name)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0

    def body(self, *arguments: str, desk: str = "desk") -> Any:
        ended = self.run(*arguments, "--json", desk=desk)
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    def scopes(self) -> list[str]:
        return list(self.body("whoami")["scopes"])


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Branch]:
    folder = tmp_path_factory.mktemp("branch")
    (folder / "policy.toml").write_text(_POLICY, encoding="utf-8")
    with real_issuer() as issuer:
        told = {"folder": folder, "issuer": issuer.address, "audience": AUDIENCE}
        (folder / "config.toml").write_text(_BANK.format(**told), encoding="utf-8")
        command = [sys.executable, "-m", "chainteller", "serve", "--port", "0", "--sample"]
        with subprocess.Popen(
            command,
            env=_environment(folder),
            stdout=subprocess.PIPE,
            text=True,
        ) as served:
            assert served.stdout is not None
            line = served.stdout.readline()
            yield Branch(issuer, folder, line.removeprefix("listening on ").strip())
            served.terminate()


class Screen:
    """The screen of a console in a terminal."""

    def __init__(self, child: "pexpect.spawn[bytes]") -> None:
        self._child = child
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def until(self, found: Callable[[str], Any]) -> Any:
        while not (result := found(self.text)):
            self._stream.feed(self._child.read_nonblocking(65_536, timeout=_TIMEOUT_S))
        return result


def seconds_until(found: Callable[[], bool]) -> float:
    began = time.monotonic()
    while not found():
        assert time.monotonic() - began < _TIMEOUT_S
    return time.monotonic() - began


def test_sign_in_by_keys_and_a_write_under_that_name(branch: Branch) -> None:
    branch.issuer.put("r.osei", "crypto-desk", "canteen")
    child = branch.spawn(desk="console")
    screen = Screen(child)
    code = screen.until(lambda text: re.search(r"\b[A-Z]{4}-[A-Z]{4}\b", text))[0]
    confirm(f"{branch.issuer.address}/device?user_code={code}", "r.osei")
    screen.until(lambda text: "live" in text and "TDA_" in text)
    assert "SIGN_IN_REQUIRED" not in screen.text
    child.send("d12\r")
    screen.until(lambda text: "leaves in" in text)
    screen.until(lambda text: "deposit 12.00 USD completed" in text)
    newest = branch.body("audit", "list", "--limit", "1", desk="console")["data"][0]
    assert (newest["actor"], newest["action"]) == ("r.osei", "deposit")
    assert newest["agent"].startswith("AGT_")
    branch.issuer.remove("r.osei")
    screen.until(lambda text: "Your sign-in with 127.0.0.1 has ended." in text)
    branch.issuer.put("s.iyer", "crypto-leads")
    code = screen.until(lambda text: re.search(r"\b[A-Z]{4}-[A-Z]{4}\b", text))[0]
    confirm(f"{branch.issuer.address}/device?user_code={code}", "s.iyer")
    screen.until(lambda text: "SIGN IN" not in text and "live" in text)
    assert branch.body("whoami", desk="console")["actor"] == "s.iyer"
    child.send("\x11")
    child.expect(pexpect.EOF)
    for file in (branch.folder / "console" / "sign-ins").glob("*.key"):
        assert file.stat().st_mode & 0o777 == 0o600


def test_changes_at_the_issuer_arrive_within_a_minute(branch: Branch) -> None:
    branch.issuer.put("a.brandt", "crypto-desk")
    branch.sign_in("a.brandt")
    assert "controls:write" not in branch.scopes()
    branch.issuer.put("a.brandt", "crypto-leads")
    more_s = seconds_until(lambda: "controls:write" in branch.scopes())
    branch.issuer.put("a.brandt", "crypto-desk")
    less_s = seconds_until(lambda: "controls:write" not in branch.scopes())
    branch.issuer.remove("a.brandt")
    out_s = seconds_until(lambda: branch.run("whoami").code != 0)
    assert branch.run("whoami").err.startswith("SIGN_IN_REQUIRED")
    sys.stderr.write(f"\nmore {more_s:.1f} s, less {less_s:.1f} s, out {out_s:.1f} s\n")
    assert max(more_s, less_s, out_s) < 60


def test_a_copied_token_is_out_within_a_minute(branch: Branch) -> None:
    """Whoever keeps a token, and renews nothing, is out when it's too old."""
    branch.issuer.put("l.duval", "crypto-desk")
    branch.sign_in("l.duval", "copied")
    (file,) = (branch.folder / "copied" / "sign-ins").glob("*.key")
    headers = {"Authorization": f"Bearer {json.loads(file.read_text())['access']}"}
    branch.issuer.remove("l.duval")
    with httpx.Client(base_url=branch.address, headers=headers) as copy:
        with copy.stream("GET", "/events/stream", timeout=_TIMEOUT_S) as stream:
            began = time.monotonic()
            assert b": ping" in b"".join(stream.iter_raw())
        streamed_s = time.monotonic() - began
        out_s = streamed_s + seconds_until(lambda: copy.get("/capabilities").status_code == 401)
        assert copy.get("/capabilities").json()["details"]["reason"] == "TOKEN_EXPIRED"
    sys.stderr.write(f"\nstream {streamed_s:.1f} s, requests {out_s:.1f} s\n")
    assert max(streamed_s, out_s) < 60


def test_keys_and_clock_of_the_issuer_change_at_work(branch: Branch) -> None:
    branch.issuer.put("m.koch", "crypto-desk")
    branch.issuer.rotate_keys()
    branch.sign_in("m.koch", "rotated")
    for seconds, reason in ((8, ""), (90, "TOKEN_TIME"), (-90, "TOKEN_EXPIRED")):
        branch.issuer.set_clock(seconds)
        child = branch.spawn("sign-in", desk=f"clock{seconds}")
        child.expect(r"in this address: (\S+)")
        confirm(child.match[1].decode(), "m.koch")
        child.expect(pexpect.EOF)
        child.close()
        assert (child.exitstatus == 0) is not bool(reason)
        assert reason in child.before.decode()
    branch.issuer.set_clock(0)


def test_what_the_issuer_refuses_is_named(branch: Branch) -> None:
    branch.issuer.put("t.lind", "crypto-desk")
    child = branch.spawn("sign-in", desk="refused")
    child.expect(r"in this address: (\S+)")
    confirm(child.match[1].decode(), "t.lind", agrees=False)
    child.expect("SIGN_IN_REQUIRED: The sign-in was refused.")
    child.close()
    wrong = branch.run("sign-in", desk="wrong", issuer=f"{branch.issuer.address}/other")
    assert (wrong.code, wrong.err.split(":")[0]) == (1, "REPLY_UNUSABLE")
    gone = branch.run("sign-in", desk="gone", issuer="http://127.0.0.1:9")
    assert (gone.code, gone.err.split(":")[0]) == (3, "UNREACHABLE")
    branch.issuer.put("n.weiss", "canteen")
    child = branch.spawn("sign-in", desk="canteen")
    child.expect(r"in this address: (\S+)")
    confirm(child.match[1].decode(), "n.weiss")
    child.expect("None of your groups has a role here.")
    child.close()


def test_a_copied_refresh_token_ends_the_sign_in(branch: Branch) -> None:
    branch.issuer.put("k.berg", "crypto-desk")
    branch.sign_in("k.berg", "first")
    (file,) = (branch.folder / "first" / "sign-ins").glob("*.key")
    aged = {**json.loads(file.read_text()), "at": 0}
    file.write_text(json.dumps(aged))
    assert branch.run("whoami", desk="first").code == 0
    file.write_text(json.dumps(aged))
    assert branch.run("whoami", desk="first").err.startswith("SIGN_IN_REQUIRED")
    assert not file.exists()


def test_signing_out_ends_it_at_the_issuer(branch: Branch) -> None:
    branch.issuer.put("p.novak", "crypto-desk")
    branch.sign_in("p.novak", "out")
    (file,) = (branch.folder / "out" / "sign-ins").glob("*.key")
    kept = file.read_text()
    assert branch.run("sign-out", desk="out").out == "signed out\n"
    file.write_text(json.dumps({**json.loads(kept), "at": 0}))
    file.chmod(0o600)
    assert branch.run("whoami", desk="out").err.startswith("SIGN_IN_REQUIRED")
    assert "nobody had signed in" in branch.run("sign-out", desk="out").out


def test_people_work_on_while_the_issuer_hangs_until_their_token_ends(branch: Branch) -> None:
    branch.issuer.put("j.prado", "crypto-desk")
    branch.sign_in("j.prado", "alone")
    (file,) = (branch.folder / "alone" / "sign-ins").glob("*.key")
    told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, "at": told["at"] - 26_000_000}))
    with branch.issuer.hanging():
        assert branch.run("whoami", desk="alone").code == 0
        works_s = seconds_until(lambda: branch.run("whoami", desk="alone").code != 0)
        assert branch.run("whoami", desk="alone").code == 3
    sys.stderr.write(f"\nworked on for {works_s:.1f} s\n")
    assert 20 < works_s < 60
    assert branch.run("whoami", desk="alone").code == 0
