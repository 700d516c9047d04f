"""The program as a shell sees it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import click
import pytest
from pydantic import BaseModel, PlainSerializer
from tests.cli.conftest import Teller
from tests.cli.program import chainteller, environment, in_this_process, python
from tests.world.waiting import PATIENCE_S

from chainteller import __version__
from chainteller.cli.desk import recognised
from chainteller.cli.main import run
from chainteller.cli.runner import run_program


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--version", "--json"], ["--json", "--version"]]
)
def test_version_is_told(arguments: list[str]) -> None:
    ended = chainteller(*arguments)
    assert (ended.code, ended.out) == (0, f"chainteller {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "meaning", "next_step"),
    [
        (
            ["acounts"],
            "USAGE: There is no command 'acounts', did you mean accounts?",
            "Next: chainteller --help",
        ),
        (
            ["accounts", "lst"],
            "USAGE: There is no command 'lst', did you mean list?",
            "Next: chainteller accounts --help",
        ),
        (
            ["accounts", "show"],
            "USAGE: Missing argument 'ACCOUNT_ID'.",
            "Next: chainteller accounts show --help",
        ),
        (
            ["markets", "--what"],
            "USAGE: No such option '--what'. Did you mean '--watch'?",
            "Next: chainteller markets --help",
        ),
        (
            ["markets", "--url", "http://a", "--database", "sqlite:///b"],
            "CONFIGURATION: --url and --database exclude each other",
            "Next: Correct it, then look at the result with: chainteller config show",
        ),
        (
            ["db", "report", "TXN_1"],
            "USAGE: Missing option '--status'. Choose from: failed, returned",
            "Next: chainteller db report --help",
        ),
        (
            ["accounts", "list", "--database", "sqlite:///b?mode=ro"],
            "CONFIGURATION: --database needs sqlite:///FILE without ?; --read-only is an option of "
            "its own",
            "Next: Correct it, then look at the result with: chainteller config show",
        ),
        (
            ["db", "init", "--url", "http://a"],
            "CONFIGURATION: this command works on a database; --url names a deployment",
            "Next: Correct it, then look at the result with: chainteller config show",
        ),
        (
            ["serve", "--workers", "2"],
            "USAGE: SQLite is served by one worker.",
            "Next: Use --workers 1, or a postgresql:// database.",
        ),
    ],
)
def test_wrong_usage_ends_with_2_in_three_parts(
    arguments: list[str], meaning: str, next_step: str
) -> None:
    ended = in_this_process(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.complaint == [meaning, next_step]


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["markets", "--what"], 2, "USAGE"),
        (["markets", "--url", "http://a", "--database", "sqlite:///b"], 2, "CONFIGURATION"),
        (["markets", "--url", "unix:/none"], 3, "UNREACHABLE"),
        (["deposit", "TDA_1", "5", "--read-only"], 1, "READ_ONLY"),
    ],
)
def test_every_error_is_one_document_with_json(arguments: list[str], code: int, error: str) -> None:
    ended = in_this_process(*arguments, "--json", CHAINTELLER_API_KEY="key")
    assert (ended.code, ended.body["error"], ended.body["details"]) == (code, error, {})
    assert ended.err.startswith(f"{error}: {ended.body['message']}\n")


def test_wrong_usage_never_repeats_a_key() -> None:
    key = "4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d"
    ended = in_this_process("quote", "sol-usd", key, "5", "--json")
    assert (ended.code, ended.body["error"]) == (1, "SECRET_ENTERED")
    assert key not in ended.out + ended.err


_FILTERED = "trades list --side buy --market sol-usd --status settled --sort created --limit 1"
_MONITOR = (
    "keys create --name machine --kind desk --expires never --organisation north "
    "--scope accounts:write --scope agents:write --scope=controls:write --scope wallets:write"
)
_COLUMNS = "audit list --columns object,action,actor,case,error,agent,hash,seq,outcome --format csv"
_PHRASE = "legal winner thank year --json wave sausage worth useful legal winner thank yellow"


@pytest.mark.usefixtures("small_bank")
def test_the_program_s_own_words_are_no_recovery_words() -> None:
    assert in_this_process(*_FILTERED.split()).out == "no matches\n"
    assert in_this_process(*_COLUMNS.split()).out.startswith("object,action,actor")
    assert in_this_process(*_MONITOR.split()).out.startswith("chainteller_")
    split = in_this_process("customers", "find", *_PHRASE.split())
    assert (split.code, split.body["error"]) == (1, "SECRET_ENTERED")
    six = "find anna maria lopez garcia ruiz"
    lines = f"{_FILTERED}\n{six}\n{_MONITOR}\ncustomers find {_PHRASE}\n"
    session = in_this_process("desk", "--plain", given=lines)
    assert all(each in session.out for each in ("no matches", "nothing found", "chainteller_"))
    assert session.err.count("SECRET_ENTERED") == 1


def test_wrong_usage_is_the_same_in_a_shell() -> None:
    ended, here = chainteller("acounts"), in_this_process("acounts")
    assert ended == here
    assert ended.code == 2


def test_a_refused_connection_ends_with_3() -> None:
    ended = chainteller("--url", "http://127.0.0.1:9", "markets", CHAINTELLER_API_KEY="k")
    assert ended.code == 3
    assert ended.complaint[0].startswith("UNREACHABLE: ")
    assert ended.complaint[-1].startswith("Next: ")


def test_a_remote_place_without_a_key_says_where_it_goes() -> None:
    ended = in_this_process("--url", "http://127.0.0.1:9", "markets")
    assert ended.code == 2
    assert "CHAINTELLER_API_KEY" in ended.err


def test_a_missing_file_of_prices_is_a_configuration_error() -> None:
    ended = in_this_process("markets", CHAINTELLER_ENGINE__PRICE_FEED="replay:/nowhere.csv")
    assert ended.code == 2
    told = "engine.price_feed: /nowhere.csv: No such file or directory"
    assert ended.complaint[0] == f"CONFIGURATION: {told}"


def test_an_unknown_variable_warns_and_goes_on() -> None:
    ended = in_this_process("config", "validate", CHAINTELLER_ENGINE__SEDE="1")
    assert ended.code == 0
    assert "warning: unknown variable CHAINTELLER_ENGINE__SEDE" in ended.err


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, and longer than sixteen bytes", encoding="utf-8")
    ended = in_this_process("markets", "--database", f"sqlite:///{file}")
    assert ended.code == 3
    assert "NOT_A_DATABASE" in ended.err
    assert file.read_text(encoding="utf-8").startswith("not a database")


def test_sigint_ends_with_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "markets", "--watch", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=PATIENCE_S)
    assert '"marketName":' in first
    assert (process.returncode, complaint.strip()) == (130, "interrupted")


def test_sigint_while_json_is_written_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: int) -> int:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the signal didn't interrupt")

    class Interrupted(BaseModel):
        number: Annotated[int, PlainSerializer(interrupted)] = 1

    @click.command()
    def write() -> None:
        click.echo(Interrupted().model_dump_json())

    assert run_program(write, []) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_goes_away_is_no_crash() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "markets", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(CHAINTELLER_DESK__POLL_INTERVAL_S="0.05"),
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    complaint = process.stderr.read()
    process.wait(timeout=PATIENCE_S)
    process.stderr.close()
    assert "Traceback" not in complaint
    assert process.returncode == 1


@pytest.mark.parametrize(("line", "code"), [("keys list", 1), ("keys create --name a", 4)])
@pytest.mark.usefixtures("small_bank")
def test_output_that_cant_be_written_is_no_crash_and_no_refusal(
    line: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full, contextlib.redirect_stdout(full):
        assert run(line.split()) == code
    assert "\nOUTPUT_LOST: " in f"\n{capsys.readouterr().err}"


@pytest.mark.forms(2)
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-", "<&-"])
@pytest.mark.parametrize(
    ("line", "code", "has"),
    [
        ("keys create --name a", 0, "key"),
        ("keys revoke none", 1, "error"),
        ("wallets diagnose CHG_1 -", 1, "error"),
    ],
)
@pytest.mark.usefixtures("small_bank")
def test_a_stream_that_cant_be_used_changes_neither_the_answer_nor_the_exit_code(
    line: str, code: int, has: str, stream: str
) -> None:
    typed = f"{sys.executable} -m chainteller {line} --json {stream}"
    ended = in_a_shell(f"{typed} </dev/null" if "<" not in stream else typed)
    assert ended.returncode == code
    assert has in json.loads(ended.stdout)
    assert "CRASHED" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("stream", [">/dev/full", ">&-"])
@pytest.mark.parametrize(
    ("line", "code"),
    [("--version", 1), ("--help", 1), ("keys --help", 1), ("keys list", 1), ("db init", 4)],
)
@pytest.mark.usefixtures("small_bank")
def test_a_page_that_cant_be_written_is_no_crash(line: str, code: int, stream: str) -> None:
    ended = in_a_shell(f"{sys.executable} -m chainteller {line} {stream}")
    assert ended.returncode == code
    assert ended.stderr.startswith("OUTPUT_LOST: ")


def in_a_shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line], env=environment(), capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("line", ["policy explain", "wallets recheck"])
@pytest.mark.usefixtures("small_bank")
def test_an_id_that_is_no_text_is_unknown(line: str, teller: Teller) -> None:
    ended = teller(*line.split(), "\udcff\x9b31m", "--json")
    assert (ended.code, ended.body["error"]) == (1, "NOT_FOUND")


@pytest.mark.parametrize(
    ("arguments", "is_console"),
    [
        ([], True),
        (["desk"], True),
        (["desk", "--plain"], False),
        (["--profile", "x", "desk"], True),
        (["--url=http://a"], True),
        (["demo"], True),
        (["demo", "--seed", "7"], True),
        (["demo", "--read-only"], True),
        (["demo", "--database", "sqlite:///x"], False),
        (["demo", "--url=http://a"], False),
        (["demo", "--help"], False),
        (["desk", "--seed", "7"], False),
        (["demo", "--plain"], False),
        (["demo", "extra"], False),
        (["--database"], False),
        (["accounts", "list"], False),
        (["--json"], False),
    ],
)
def test_only_a_plain_call_of_the_console_passes_by_click(
    arguments: list[str], is_console: bool
) -> None:
    assert (recognised(arguments) is not None) is is_console


@pytest.mark.parametrize(
    "arguments", [[], ["desk"], ["demo", "--tour"], ["demo", "--json"], ["train", "first-steps"]]
)
def test_a_console_without_a_terminal_is_a_usage_error(arguments: list[str], home: Path) -> None:
    ended = chainteller(*arguments)
    assert ended.code == 2
    assert ended.complaint == [
        "USAGE: The console needs a terminal, and there is none.",
        "Next: Start it in a terminal, or read line by line: chainteller desk --plain",
    ]
    assert not (home / "logs").exists()


def test_a_fault_of_the_program_leaves_a_report_without_values(home: Path) -> None:
    code = (
        "from chainteller.cli import main, runner\n"
        "def broken(*arguments):\n"
        "    secret = 'k-very-secret'\n"
        "    raise RuntimeError(secret)\n"
        "runner._run = broken\n"
        "raise SystemExit(main.run(['--json']))\n"
    )
    ended = python(code)
    assert (ended.code, ended.body["error"]) == (1, "CRASHED")
    assert ended.complaint[0] == "CRASHED: The program failed: RuntimeError."
    report = home / "logs" / "crash.txt"
    assert "broken" in report.read_text(encoding="utf-8")
    assert "secret" not in report.read_text(encoding="utf-8").replace(
        "raise RuntimeError(secret)", ""
    )
    assert report.stat().st_mode & 0o777 == 0o600
    assert os.environ["CHAINTELLER_HOME"] == str(home)


def test_the_demo_is_read_only_where_that_is_asked_for() -> None:
    asked = recognised(["--read-only", "demo"])
    assert asked is not None
    assert asked.flags.read_only


def test_the_demo_refuses_a_place() -> None:
    ended = in_this_process("demo", "--database", "sqlite:///x")
    assert ended.code == 2
    assert "--database can't be used here" in ended.complaint[0]
