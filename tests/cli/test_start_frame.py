"""The first frame and its rows, drawn before the engine and the settings are loaded."""

import os
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import python
from tests.refusals import details, refusal

from chainteller.bootstrap import start_demo
from chainteller.cli.desk import DEMO_AGENTS, demo_look, glimpse_of_demo, training_look
from chainteller.paths import Paths, locate
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.decisions import Approval, Decision
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.settings.place import Place, sqlite_url
from chainteller.settings.tree import DeskSettings, Settings


def test_a_desk_without_settings_looks_like_one_with_default_settings(tmp_path: Path) -> None:
    paths = locate({"CHAINTELLER_HOME": str(tmp_path)})
    settings = Settings(paths, desk=DeskSettings(operator="demo"))
    look = demo_look(paths)
    assert look.poll_interval_s == settings.desk.poll_interval_s
    assert look.confirm_above_cents == settings.desk.confirm_above
    assert look.bank_name == settings.service.bank_name
    assert dict(look.keys) == dict(settings.keys)
    assert (look.kind, look.operator, look.label) == ("DEMO", "demo", "sample data")
    assert demo_look(paths, DEMO_AGENTS[1]).label == "you play s.iyer"
    assert not look.read_only
    assert training_look(paths).operator == "trainee"


def test_the_demo_reads_no_settings_before_the_first_frame() -> None:
    ended = python(
        "import os, sys\n"
        "from chainteller.cli import desk\n"
        "from chainteller.paths import locate\n"
        "import chainteller.cli.temporary_database, chainteller.tui.console.app\n"
        "assert desk.recognised(['demo']) is not None\n"
        "desk.demo_look(locate(os.environ))\n"
        "print(*sys.modules)"
    )
    assert ended.code == 0, ended.err
    loaded = set(ended.out.split())
    assert "chainteller.tui.accounts.screen" in loaded
    late = {"settings.tree", "settings.place", "tui.palette", "tui.exports", "tui.reads"}
    assert not loaded & {f"chainteller.{name}" for name in late}
    assert "hashlib" not in loaded


def test_the_demo_shows_the_accounts_of_its_kept_world_and_goes_on_with_a_second_agent(
    tmp_path: Path,
) -> None:
    paths = locate({"CHAINTELLER_HOME": str(tmp_path)})
    assert glimpse_of_demo(paths, "7", 50) is None
    place = Place(remote=False, address=sqlite_url(tmp_path / "b.db"), label="", chosen_by="test")
    started = start_demo(paths, place, "7")
    assert len([*(paths.cache / "worlds").iterdir()]) == 1
    try:
        found = glimpse_of_demo(paths, "7", 50)
        assert found is not None
        rows, total = found
        by_id: dict[str, TradingAccount] = {}
        for page in (1, 2, 3):
            listed = started.service.trading_accounts(ListQuery(page=page, limit=100))
            by_id |= {account.id: account for account in listed.data}
        assert len(rows) == 50
        assert total == len(by_id)
        for row in rows:
            assert by_id[row.id].bank_account_id == row.bank_account_id
            assert by_id[row.id].customer_name == row.customer_name
        assert glimpse_of_demo(paths, "8", 50) is None
        waiting = _large_withdrawal(started.service)
    finally:
        started.close()
    _approved_by_a_colleague(paths, place, waiting)


def _large_withdrawal(service: Service) -> Decision:
    """What a withdrawal of more than the demo's policy leaves to one person waits for."""
    asked = OpenTradingAccount(bank_account_id="DDA-1001", bank_account_type="checking")
    account = service.open_trading_account(asked).value.id
    token = Currency(type="deposit-token-currency", id="DPT_USD")
    service.deposit(account, DepositRequest(amount="6000.00", currency=token))
    made = service.withdraw(account, WithdrawalRequest(amount="6000.00", currency=token)).value
    (waiting,) = service.decisions(ListQuery(text=made.id)).data
    error = refusal(service.approve_decision, waiting.id, Approval())
    assert details(error)["reason"] == "SAME_PERSON"
    return waiting


def _approved_by_a_colleague(paths: Paths, place: Place, waiting: Decision) -> None:
    """The demo goes on with its second agent, on the same bank and with other ids."""
    second = DEMO_AGENTS[1]
    started = start_demo(paths, place, "7", second, 1)
    try:
        decided = started.service.approve_decision(waiting.id, Approval()).value
        assert (decided.status, decided.decided_by) == ("approved", second)
        other = OpenTradingAccount(bank_account_id="DDA-1002", bank_account_type="savings")
        assert started.service.open_trading_account(other).created
    finally:
        started.close()


def test_a_console_that_click_opens_has_no_colours_either(
    teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    assert teller("train", "--list", "--no-color").code == 0
    assert os.environ["NO_COLOR"] == "1"
