"""On a real pseudo-terminal: how the console ends, and what it leaves behind."""

import os
import signal
import sys
import time
from pathlib import Path

import pexpect
import pytest
from tests.world.waiting import PATIENCE_S

SOURCE = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
from chainteller.tui.console.app import run_console
from chainteller.tui.start import ConsoleSettings, StartedDesk

class Nobody:
    secret = "canary-of-a-local-variable"
    def __getattr__(self, name):
        secret = self.secret
        raise ValueError(secret)

def start():
    if "crash" in sys.argv:
        return StartedDesk(Nobody())
    import threading
    threading.Event().wait()

if "reading" in sys.argv:
    from chainteller.tui.textual_fixes import terminal_input

    def feed(parser, data):
        secret = "canary-of-a-local-variable"
        raise ValueError(data + secret)

    terminal_input.TerminalParser.feed = feed

if "alert" in sys.argv:
    from chainteller.tui.console.app import Console
    mounted = Console.on_mount

    def on_mount(console):
        mounted(console)
        console.set_timer(0.1, lambda: console.alert("sol-usd is open for Ada Customer", "good"))

    Console.on_mount = on_mount

settings = ConsoleSettings(
    theme_folders=(Path(sys.argv[1]) / "themes",), crash_folder=Path(sys.argv[2]))
sys.exit(run_console(start, settings))
"""
MOUSE_OFF, ALTERNATE_OFF = b"\x1b[?1000l", b"\x1b[?1049l"


def _spawn(tmp_path: Path, *words: str) -> pexpect.spawn:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCE / "src"),
        "TERM": "xterm-256color",
    }
    return pexpect.spawn(
        sys.executable,
        [str(program), str(SOURCE), str(tmp_path), *words],
        env=environment,
        dimensions=(30, 100),
        timeout=PATIENCE_S,
    )


def _end(child: pexpect.spawn) -> tuple[int | None, bytes]:
    output = child.read()
    child.wait()
    return child.exitstatus, output


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("way", "code"),
    [("ctrl+q", 0), (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_every_end_restores_the_terminal_and_says_how_it_came(
    tmp_path: Path, way: str | signal.Signals, code: int
) -> None:
    child = _spawn(tmp_path)
    child.expect("ACCOUNTS")
    child.expect("keys")
    if way == "ctrl+q":
        child.send("\x11")
    else:
        os.kill(child.pid, int(way))
    status, output = _end(child)
    assert status == code
    assert MOUSE_OFF in output
    assert ALTERNATE_OFF in output


def test_it_ends_when_its_terminal_is_closed(tmp_path: Path) -> None:
    child = _spawn(tmp_path)
    child.expect("ACCOUNTS")
    child.expect("keys")
    os.close(child.child_fd)
    child.closed = True
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        ended, status = os.waitpid(child.pid, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 129
            return
        time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    os.waitpid(child.pid, 0)
    raise AssertionError("it goes on without a terminal")


def test_a_crash_ends_with_1_and_a_report_without_values(tmp_path: Path) -> None:
    child = _spawn(tmp_path, "crash")
    status, output = _end(child)
    assert status == 1
    assert ALTERNATE_OFF in output
    assert b"ValueError" in output
    (report,) = tmp_path.glob("chainteller-crash-*.txt")
    assert report.stat().st_mode & 0o777 == 0o600
    for text in (output, report.read_bytes()):
        assert b"canary" not in text
        assert b"secret =" not in text


def test_a_fault_while_keys_are_read_ends_as_any_other(tmp_path: Path) -> None:
    child = _spawn(tmp_path, "reading")
    child.expect("keys")
    child.send("canary typed")
    status, output = _end(child)
    assert status == 1
    assert ALTERNATE_OFF in output
    assert b"chainteller stopped: ValueError" in output
    assert b"canary-of-a" not in output
    assert b"Traceback" not in output
    assert [*tmp_path.glob("chainteller-crash-*.txt")]


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    "sent",
    [
        b"\xff",
        b"Gr\xfc\xdfe aus K\xf6ln",
        b"\xe5\xad",
        b"\xe5\xad\x1b[A",
        b"\x1b[200~\xe5\xad\x97\xe5\x1b[201~",
        b"\x1b[200~\xf0\x9f\x91\x1b[201~\xc3",
        b"\xed\xa0\x80 \xc0\xaf \xf8\x88\x80\x80\x80",
    ],
    ids=lambda sent: sent.hex(),
)
def test_bytes_that_are_no_text_end_nothing(tmp_path: Path, sent: bytes) -> None:
    child = _spawn(tmp_path)
    child.expect("keys")
    child.send("?")
    child.expect("run or explain")
    child.send(sent)
    child.send("Z")
    child.expect("No matches")
    assert child.isalive()
    child.send("\x11")
    status, output = _end(child)
    assert status == 0
    assert b"Traceback" not in output


def test_the_title_counts_what_waits_and_names_nobody(tmp_path: Path) -> None:
    child = _spawn(tmp_path, "alert")
    child.expect_exact("\x1b]2;(1) chainteller\x07")
    child.expect("is open")
    child.send("!")
    child.expect_exact("\x1b]2;chainteller\x07")
    child.send("\x11")
    status, output = _end(child)
    assert status == 0
    assert b"\x1b]2;sol" not in output


def test_ctrl_z_gives_the_terminal_back_to_the_shell_and_fg_draws_again(tmp_path: Path) -> None:
    program, rc = tmp_path / "program.py", tmp_path / "rc"
    program.write_text(PROGRAM)
    rc.write_text("PS1='shell$ '\nbind 'set enable-bracketed-paste off'\n")
    environment = os.environ | {"PYTHONPATH": str(SOURCE / "src"), "TERM": "xterm-256color"}
    child = pexpect.spawn(
        "bash",
        ["--rcfile", str(rc), "-i"],
        env=environment,
        dimensions=(30, 100),
        timeout=PATIENCE_S,
    )
    child.expect_exact("shell$ ")
    child.sendline(f"{sys.executable} {program} {SOURCE} {tmp_path}")
    for _ in range(2):
        child.expect("ACCOUNTS")
        child.expect("keys")
        child.send("\x1a")
        child.expect_exact("\x1b[?1049l")
        child.expect("Stopped")
        child.expect_exact("shell$ ")
        child.sendline("stty -a; jobs | wc -l")
        child.expect(r"\sicanon\s")
        child.expect_exact("1\r\n")
        child.sendline("fg")
        child.expect_exact("\x1b[?1049h")
    child.expect("ACCOUNTS")
    child.send("?")
    child.expect("run or explain")
    child.send("\x11")
    child.expect_exact("shell$ ")
    child.sendline("exit 7")
    status, _ = _end(child)
    assert status == 7


@pytest.mark.parametrize("way", ["key", pytest.param("signal", marks=pytest.mark.thorough)])
def test_without_a_shell_that_waits_it_goes_on_and_says_so(tmp_path: Path, way: str) -> None:
    child = _spawn(tmp_path)
    child.expect("ACCOUNTS")
    child.send("?")
    child.expect("run or explain")  # the first frame is painted before signals are handled
    child.send("\x1b")
    child.expect("last activity")  # a stop drops what was typed and not read yet
    if way == "key":
        child.send("\x1a")
    else:
        os.kill(child.pid, signal.SIGTSTP)
    child.expect("can't be suspended")
    child.send("?")
    child.expect("run or explain")
    child.send("\x11")
    status, _ = _end(child)
    assert status == 0


def test_a_continue_signal_without_a_stop_changes_nothing(tmp_path: Path) -> None:
    child = _spawn(tmp_path)
    child.expect("ACCOUNTS")
    child.expect("keys")
    os.kill(child.pid, signal.SIGCONT)
    child.send("?")
    child.expect("run or explain")
    child.send("\x11")
    status, output = _end(child)
    assert status == 0
    assert ALTERNATE_OFF.replace(b"l", b"h") not in output
