"""The console of a session and the guided tour, driven by keys."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import OpenSession
from tests.training.test_runs import NAMES
from tests.training.test_scenarios import GOOD
from tests.training.worlds import SAMPLE_DATA, scenario
from tests.tui.conftest import Bench, answer, bench, deployment, press, seen, settle, until
from textual import events
from textual.pilot import Pilot

from chainteller.cli.desk import training_look
from chainteller.domain.clock import MINUTE, SECOND
from chainteller.paths import locate
from chainteller.training.reports import make_report, to_lines
from chainteller.training.scenarios import Scenario
from chainteller.training.session import Session
from chainteller.tui.console.command_table import COMMANDS
from chainteller.tui.console.tour import Step, TourConsole, read_tour
from chainteller.tui.start import StartedDesk
from chainteller.tui.training.console import TrainingConsole

__all__ = ["bench", "deployment"]
SIZES = [(80, 24), (120, 40)]
SHOWN = "cancel-too-late"
"""The scenario that stands for all in the suite."""
NEVER_STARTED = "outage"
"""The scenario whose service answers nothing at first."""


def console_of(session: Session, home: Path) -> TrainingConsole:
    """A console whose clock moves by keys only."""
    look = training_look(locate({"CHAINTELLER_HOME": str(home)}))
    return TrainingConsole(session, look._replace(poll_interval_s=0))


async def begun(pilot: Pilot[Any], *, started: bool = True) -> None:
    await settle(pilot, started=started)
    await pilot.press("escape")
    await settle(pilot, started=started)


async def choose_customer(pilot: Pilot[Any], session: Session) -> None:
    await press(pilot, "slash", *session.scenario.customer.bank_account, "enter")


async def ask_for_a_price(pilot: Pilot[Any], session: Session) -> None:
    """After a deposit, of all that it brought."""
    amount = session.scenario.drawn["atoms"]
    await choose_customer(pilot, session)
    await press(pilot, "d", *amount, "enter")
    await press(pilot, "b")
    await press(pilot, *amount, "enter")


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_it_says_training_briefs_first_and_shows_the_story(
    begin: OpenSession, home: Path, size: tuple[int, int]
) -> None:
    session = begin(scenario("first-steps"))
    app = console_of(session, home)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert "The clock starts when you close this." in seen(app)
        assert not app.running
        await press(pilot, "escape")
        shown = seen(app)
        assert "TRAINING" in shown.splitlines()[0]
        assert "I would like to buy SOL" in shown
        assert app.running
        assert app.theme == "training"


async def test_keys_typed_before_the_start_dont_close_the_story(
    begin: OpenSession, home: Path
) -> None:
    app = console_of(begin(scenario("first-steps")), home)
    app.typed_ahead.put_first("escape")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "The clock starts when you close this." in seen(app)
        assert "1 key typed ahead had nothing to act on: dropped" in seen(app)
        assert not app.running


async def test_why_a_session_cant_start_stands_behind_the_story(
    begin: OpenSession, home: Path
) -> None:
    app = console_of(begin(scenario(NEVER_STARTED)), home)
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(pilot, started=False)
        assert "UNREACHABLE" in seen(app)
        assert "r: retry" in seen(app)


async def test_a_session_is_solved_by_keys(begin: OpenSession, home: Path) -> None:
    session = begin(scenario("first-steps"))
    app = console_of(session, home)
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await ask_for_a_price(pilot, session)
        for _ in range(3):  # a customer may ask back before agreeing
            if not session.has_agreed():
                await press(pilot, "t")
                await press(pilot, "escape")
        await press(pilot, "X")
        await answer(pilot, "y")
        app.jump(40 * SECOND)
        await settle(pilot)
        await press(pilot, "r")
        await press(pilot, "t")
        await press(pilot, "escape")
        await press(pilot, "f10")
        assert "END this training session?" in seen(app)
        await answer(pilot, "n")
        assert "SCORE" not in seen(app)
        await press(pilot, "f10")
        await answer(pilot, "y")
        assert re.search(r"SCORE (9[5-9]|100) of 100", seen(app))
        await press(pilot, "escape")
        assert app.return_code == 0


DECIDED: Mapping[str, tuple[str, ...]] = {
    "a-call-at-nine": ("7", "T", "A", "y", "say approved"),
    "a-call-at-ten": ("7", "R", "enter", "y", "say refused"),
    "a-call-at-eleven": ("7", "m", *"photo", "enter", "say photo"),
    "a-call-at-noon": ("F", "enter", "1", "y", "say frozen"),
    "a-call-at-two": ("w", "amount", "enter", "y", "say second", "clock", "say done"),
    "a-call-at-four": ("say checked",),
}
"""How each scenario in which people decide is solved, from the caller's account on."""


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", DECIDED)
async def test_what_people_decide_is_decided_by_keys(
    begin: OpenSession, home: Path, name: str
) -> None:
    session = begin(scenario(name))
    app = console_of(session, home)
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await choose_customer(pilot, session)
        for key in DECIDED[name]:
            if key.startswith("say "):
                said = [each.id for each in session.statements].index(key[4:])
                await press(pilot, "f7", str(said + 1))
            elif key == "amount":
                await press(pilot, *session.scenario.drawn["typed"])
            elif key == "clock":
                app.jump(60 * SECOND)
                await settle(pilot)
            elif key == "y":
                await answer(pilot, key)
            else:
                await press(pilot, key)
    report = make_report(session)
    assert report["score"] >= 95, "\n".join(to_lines(report))


@pytest.mark.thorough
async def test_pause_step_and_jump_move_the_sessions_clock(begin: OpenSession, home: Path) -> None:
    session = begin(scenario("market-maintenance"))
    app = console_of(session, home)
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(pilot)
        await press(pilot, "f5")
        assert "PAUSED" in seen(app)
        await press(pilot, "colon", *"clock +5m")
        await pilot.press("enter")
        await settle(pilot)
        assert session.elapsed == 5 * MINUTE
        await press(pilot, "f6")
        assert session.elapsed > 5 * MINUTE


@pytest.mark.thorough
async def test_hints_goals_and_words_are_a_key_away(begin: OpenSession, home: Path) -> None:
    session = begin(scenario("cancel-too-late"))
    app = console_of(session, home)
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(pilot)
        await press(pilot, "f4")
        assert "hint 1 of 3" in seen(app)
        await press(pilot, "escape")
        await choose_customer(pilot, session)
        await press(pilot, "f3")
        assert "[  ] The customer knows" in seen(app)
        await press(pilot, "escape")
        await press(pilot, "f7")
        assert "WHAT DO YOU SAY?" in seen(app)
        said = [each.id for each in session.statements]
        await press(pilot, str(said.index("too-late") + 1))
        await press(pilot, "f3")
        assert "[ok] The customer knows" in seen(app)
    assert session.hints == 1


@pytest.mark.parametrize(
    "name",
    [each if each == SHOWN else pytest.param(each, marks=pytest.mark.thorough) for each in NAMES],
)
async def test_goals_and_words_are_not_shown_before_the_record_is_open(
    begin: OpenSession, home: Path, name: str
) -> None:
    session = begin(scenario(name))
    app = console_of(session, home)
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(pilot, started=name != NEVER_STARTED)
        shown = [seen(app)]
        for key in ("f3", "f7", "1", "escape", "f3", "f7", "2"):
            await pilot.press(key)
            await settle(pilot, started=name != NEVER_STARTED)
            shown.append(seen(app))
    text = "\n".join(shown)
    assert "Open the caller's record first: f3 and f7 work from then on  " in text
    assert name not in text
    assert not any(goal.says[:30] in text for goal in session.scenario.goals)
    assert not any(each.text[:30] in text for each in session.statements)
    assert make_report(session)["score"] < 60


async def test_guiding_keys_are_not_counted(begin: OpenSession, home: Path) -> None:
    session = begin(scenario("first-steps"))
    app = console_of(session, home)
    async with app.run_test(size=(80, 24)) as pilot:
        await begun(pilot)
        before = session.keys
        await press(pilot, "f2")
        await press(pilot, "escape")
        await press(pilot, "2")
        assert session.keys == before + 2


async def test_a_withdrawal_to_a_verified_wallet_names_it_and_takes_y(
    begin: OpenSession, write: Callable[[str], Scenario], home: Path
) -> None:
    setup = '["open checking", "deposit 5000.00", "quote eth-usd buy 4000.00", "execute", '
    setup += '"wait 2m", "verify"]'
    session = begin(write(GOOD.replace("par_keys = 10", f"par_keys = 10\nsetup = {setup}")))
    app = console_of(session, home)
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await choose_customer(pilot, session)
        await press(pilot, "5")
        await press(pilot, "down")
        await press(pilot, "w")
        await press(pilot, *"0.5", "enter")
        asked = seen(app)
        assert "WITHDRAW 0.50 ETH" in asked
        assert session.addresses["alice-ethereum"] in asked
        await answer(pilot, "y")
    (made,) = session.service.withdrawals(session.account_id or "").data
    assert (made.amount, made.status) == ("0.50", "processing")


# -- the tour -------------------------------------------------------------------------------------


def test_the_tours_keys_exist_and_it_takes_about_five_minutes() -> None:
    steps = read_tour(SAMPLE_DATA / "tour.toml")
    known = {key for command in COMMANDS for key in command.key.split(",")}
    known |= {*"0123456789", "enter", "escape", "y"}
    for step in steps:
        typed = step.keys[step.keys.index("colon") :] if "colon" in step.keys else ()
        pressed = step.keys[: len(step.keys) - len(typed)]
        assert all(key in known or key.startswith("wait:") for key in pressed), step
        assert typed[-1:] in {(), ("enter",)}
    assert 240 <= sum(step.reads_s for step in steps) <= 330


def tour(bench: Bench, steps: tuple[Step, ...]) -> TourConsole:
    def start() -> StartedDesk:
        return StartedDesk(bench.service, "test bank")

    return TourConsole(start, bench.settings, steps)


async def test_the_tour_presses_keys_by_itself(bench: Bench) -> None:
    app = tour(bench, (Step("one", 0), Step("two", 0, ("2",)), Step("three", 0, ("4",))))
    async with app.run_test(size=(100, 30)):
        await until(lambda: app.at == 3)
        assert app.current_mode == "trades"
        await until(lambda: "you have control" in seen(app))


async def test_any_key_takes_over_and_f5_hands_back(bench: Bench) -> None:
    app = tour(bench, (Step("look around", 60), Step("markets", 60, ("2",))))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: app.desk.started is not None)
        await pilot.press("4")
        await pilot.pause()
        assert not app.leading
        assert app.current_mode == "trades"
        await until(lambda: "you have control" in seen(app))
        assert app.at == 0
        await pilot.press("f5")
        assert app.leading
        await pilot.press("f6")
        await until(lambda: app.current_mode == "markets")


async def test_keys_behind_the_end_reach_neither_the_desk_nor_the_report(
    begin: OpenSession, home: Path
) -> None:
    session = begin(scenario("first-steps"))
    app = console_of(session, home)
    async with app.run_test(size=(120, 40)) as pilot:
        await begun(pilot)
        await press(pilot, "1")
        await press(pilot, "f10")
        await settle(pilot)
        for key in ("y", "enter", "2", "escape", "enter"):  # in one packet
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await settle(pilot)
        assert "SESSION ENDED" in seen(app)
        assert app.current_mode == "accounts"
        await press(pilot, "escape")
