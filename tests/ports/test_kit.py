"""``chainteller check --adapter`` finds nothing in the example, and each planted fault in it."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ports.bank import Bank, serve

from chainteller.cli.main import run
from chainteller.conformance.adapters import PARTS, QUESTIONS, Adapter, Sandbox, check_adapter
from chainteller.conformance.checks import State
from chainteller.domain.outside import Step
from chainteller.remote.transport import Transport

WALLET = "0x000000000000000000000000000000000000dEaD", "ethereum"
PLANTED = (
    ("core-bank", "forgets-keys", "debit.repeated"),
    ("core-bank", "races", "debit.at-once"),
    ("core-bank", "reuses-keys", "credit.one-body"),
    ("core-bank", "overdraws", "debit.refused"),
    ("core-bank", "takes-anything", "debit.amounts"),
    ("core-bank", "refuses-by-status", "credit.refused"),
    ("core-bank", "other-amount", "debit.accepted"),
    ("core-bank", "other-key", "credit.accepted"),
    ("core-bank", "other-words", "debit.accepted"),
    ("core-bank", "number-amount", "debit.accepted"),
    ("core-bank", "other-levels", "customers.found"),
    ("core-bank", "open", "key"),
    ("custody", "forgets-keys", "transfer.repeated"),
    ("custody", "changes-its-mind", "transfer.final"),
    ("custody", "no-hash", "transfer.final"),
    ("custody", "pays-anything", "transfer.refused"),
    ("custody", "new-addresses", "addresses.same"),
    ("screening", "words-for-scores", "screenings.form"),
    ("venue", "fills-anything", "order.refused"),
    ("venue", "crossed", "prices.sane"),
    ("venue", "never", "key"),
)


_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bank, str]]:
    made = Bank(str(tmp_path_factory.mktemp("kit") / "bank.db"), key="secret")
    server = serve(made)
    yield made, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def _new_key() -> str:
    return f"CHECK_{next(_NUMBERS)}"


def _deviations(address: str, part: str) -> dict[str, str]:
    """What deviates, and why; a check that can't be made counts, too."""
    keyed, impostor = (Transport(f"{address}/{part}", key) for key in ("secret", "other"))
    adapter = Adapter(
        part, keyed, impostor, Sandbox("ACC-1", WALLET, writes=True), _new_key, wait_s=0.5
    )
    try:
        found = list(check_adapter(adapter))
    finally:
        keyed.close()
        impostor.close()
    return {each.id: each.note for each in found if each.state is not State.OK}


@pytest.mark.parametrize("part", PARTS)
def test_the_example_is_as_the_contract_says(bank: tuple[Bank, str], part: str) -> None:
    bank[0].faults = set()
    assert _deviations(bank[1], part) == {}


@pytest.mark.parametrize(("part", "fault", "check"), PLANTED)
def test_a_planted_fault_is_named(
    bank: tuple[Bank, str], part: str, fault: str, check: str
) -> None:
    bank[0].faults = {fault}
    assert check in _deviations(bank[1], part)


def test_the_command_reads_unless_it_may_write(
    bank: tuple[Bank, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bank[0].faults = {"overdraws"}
    monkeypatch.setenv("CHAINTELLER_HOME", str(tmp_path))
    monkeypatch.setenv("CHAINTELLER_API_KEY", "secret")
    command = ["check", "--adapter", "core-bank", f"{bank[1]}/core-bank", "--json"]
    account = ["--bank-account", "ACC-1@checking"]
    assert run([*command, *account]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"] == {"ok": 4, "deviates": 0, "not checked": 14}
    assert run([*command, *account, "--write"]) == 1
    wrong = [each for each in json.loads(capsys.readouterr().out)["checks"] if each["note"]]
    assert [each["id"] for each in wrong] == ["debit.refused"]


def test_the_description_has_the_calls_that_are_made() -> None:
    described = json.loads(
        (Path(__file__).parents[2] / "docs/reference/ports.openapi.json").read_text()
    )
    asked = {path: "get" for path, _ in QUESTIONS.values()} | {each.path: "post" for each in Step}
    assert {path: next(iter(calls)) for path, calls in described["paths"].items()} == asked
    shapes = described["components"]["schemas"]
    for step in Step:
        keyed, impostor = Transport("http://127.0.0.1:1", ""), Transport("http://127.0.0.1:1", "")
        sandbox = Sandbox("ACC-1", WALLET, writes=True)
        body = Adapter("venue", keyed, impostor, sandbox, _new_key).body(step)
        assert set(body) == set(shapes[step.capitalize()]["required"])
        keyed.close()
        impostor.close()
