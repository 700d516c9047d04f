"""Promises of the command line to a script's author, by the real program."""

from pathlib import Path

import pytest
from tests.cli.program import in_this_process


def test_a_group_without_a_command_complains_in_three_parts(tmp_path: Path) -> None:
    ended = in_this_process("accounts", CHAINTELLER_HOME=str(tmp_path))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        "USAGE: Missing command.",
        "Next: chainteller accounts --help",
    ]


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", ["x" * 40, "Bänk", "two  blanks", 'a "quoted" bank', " edge"])
def test_a_bank_name_that_no_wallet_can_sign_is_a_configuration_error(
    tmp_path: Path, name: str
) -> None:
    ended = in_this_process(
        "config", "validate", CHAINTELLER_HOME=str(tmp_path), CHAINTELLER_SERVICE__BANK_NAME=name
    )
    assert ended.code == 2
    assert "CHAINTELLER_SERVICE__BANK_NAME: service.bank_name needs" in ended.err


def test_validating_looks_for_the_replayed_prices(tmp_path: Path) -> None:
    ended = in_this_process(
        "config",
        "validate",
        CHAINTELLER_HOME=str(tmp_path),
        CHAINTELLER_ENGINE__PRICE_FEED=f"replay:{tmp_path / 'missing.csv'}",
    )
    assert ended.code == 2
    assert "engine.price_feed" in ended.err
