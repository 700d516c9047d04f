"""What a scenario's file may say, and how its mistakes are named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import in_this_process
from tests.training.worlds import SCENARIOS, WALLETS, scenario
from tests.world.samples import keep_training_base

from chainteller.domain.clock import MINUTE
from chainteller.training.reading import ScenarioInvalid
from chainteller.training.scenarios import Scenario, filled, find_scenarios, load

Write = Callable[[str], Scenario]
GOOD = """
title = "A small one"
about = "Nothing happens."
level = 1
time_limit = "10m"
par_time = "3m"
par_keys = 10
[customer]
bank_account = "DDA-1001"
wallet = "alice-ethereum"
[[story]]
says = "Hello."
[[goal]]
id = "bought"
part = "correctness"
says = "Bought"
missed = "Not bought"
check = "trades"
market = "sol-usd"
[[goal]]
id = "quiet"
part = "safety"
says = "Nothing was said"
missed = "Something was said"
check = "never_told"
any_of = ["something"]
"""


def problem(write: Write, text: str) -> str:
    with pytest.raises(ScenarioInvalid) as refused:
        write(text)
    return "\n".join(refused.value.problems)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_every_shipped_scenario_is_good_and_says_what_the_book_says(name: str) -> None:
    found = scenario(name)
    assert found.name == name
    assert found.par_time < found.time_limit
    assert found.hints
    assert found.story
    assert found.book
    assert all(goal.book for goal in found.goals)
    assert len({goal.id for goal in found.goals}) == len(found.goals)


def test_a_good_file_is_read(write: Write) -> None:
    found = write(GOOD)
    assert (found.title, found.par_time, found.weights["correctness"]) == (
        "A small one",
        3 * MINUTE,
        50,
    )


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (
            "par_keys = 10",
            "par_kees = 10",
            "mine.toml: par_kees: unknown key (did you mean par_keys?)",
        ),
        ('title = "A small one"', "", "mine.toml: title: missing"),
        ('check = "trades"', 'check = "trade"', "[[goal]] 1 (bought): check: 'trade' is none of"),
        ('market = "sol-usd"', 'market = "sol-usdt"', "(did you mean sol-usd?)"),
        ('time_limit = "10m"', 'time_limit = "ten"', "time_limit: 'ten' is not a time such as"),
        ('wallet = "alice-ethereum"', 'wallet = "alice"', "[customer]: wallet: 'alice' is none of"),
        ('says = "Hello."', 'says = "Hello."\non = "exekute_quote"', "[[story]] 1: on: "),
        ('says = "Hello."', 'says = "Hello."\non = "deposit:NO_FUNDS"', "on: 'deposit:NO_FUNDS'"),
        ("level = 1", "level = true", "level: needs a whole number, 1 or more"),
        ('part = "safety"', 'part = "correctness"', "goal: at least one goal of safety"),
        ('any_of = ["something"]', "", "words that the customer is told"),
        ("[customer]", "[weights]\ntime = 60\n[customer]", "the four weights fall from"),
        ("[customer]", "[[fault]]\nkind = 'outage'\n[customer]", "[[fault]] 1: lasts: missing"),
        ("[customer]", "[[world]]\nchange = 'rain'\n[customer]", "change: 'rain' is none of"),
        ("par_keys = 10", "par_keys = 10\nsetup = ['fly away']", "setup: unknown verb fly"),
        ("par_keys = 10", "par_keys = ", "mine.toml: no TOML"),
    ],
)
def test_a_mistake_is_named_with_file_table_and_key(
    write: Write, before: str, after: str, wanted: str
) -> None:
    assert before in GOOD
    assert wanted in problem(write, GOOD.replace(before, after, 1))


def test_all_mistakes_are_named_at_once(write: Write) -> None:
    text = GOOD.replace("level = 1", "").replace('check = "trades"', 'check = "x"')
    assert len(problem(write, text).splitlines()) >= 2


def test_a_users_own_scenario_replaces_a_shipped_one(tmp_path: Path) -> None:
    mine = tmp_path / "first-steps.toml"
    mine.write_text(GOOD, encoding="utf-8")
    found = find_scenarios([SCENARIOS["first-steps"].parent, tmp_path, tmp_path / "none"])
    assert found["first-steps"] == mine
    assert load(mine, WALLETS).title == "A small one"


def test_the_command_line_validates_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD.replace("level = 1", "levle = 1"), encoding="utf-8")
    ended = in_this_process("scenarios", "validate", str(file))
    assert ended.code == 1
    assert "mine.toml: levle: unknown key (did you mean level?)" in ended.err
    file.write_text(GOOD, encoding="utf-8")
    assert in_this_process("scenarios", "validate", str(file)).code == 0


def test_the_list_is_easiest_first_and_has_numbers_in_place_of_names() -> None:
    ended = in_this_process("train", "--list")
    assert ended.code == 0
    assert not any(name in ended.out for name in SCENARIOS if "-" in name)
    _, *rows = [line.split(maxsplit=3) for line in ended.out.splitlines()]
    assert {number for number, *_ in rows} == {str(each + 1) for each in range(len(SCENARIOS))}
    times = {par: [int(each) for each in par.split(":")] for _, _, par, _ in rows}
    assert all(each < 60 for par in times.values() for each in par)
    pars = [(int(level), len(times[par]), times[par]) for _, level, par, _ in rows]
    assert pars == sorted(pars)


@pytest.mark.parametrize("name", ["1", "01", "first-steps"])
def test_a_number_and_a_name_begin_the_same_scenario(
    name: str, tmp_path: Path, home: Path, base: Path
) -> None:
    keep_training_base(home, base)
    steps = tmp_path / "run.txt"
    steps.write_text("look\n", encoding="utf-8")
    ended = in_this_process("train", name, "--steps", str(steps))
    assert ended.out.startswith(scenario("first-steps").title)
    assert "Next: chainteller train 1" in ended.err


def test_amounts_in_braces_are_multiplied_together_for_programs_and_for_people() -> None:
    texts = ["deposit {400.00}", "{$1000.00} USD", "{$1000} dollars", "0.5 ETH {unknown}"]
    assert filled(texts, {"percent": "115"}) == [
        "deposit 460.00",
        "1,150.00 USD",
        "1,150 dollars",
        "0.5 ETH {unknown}",
    ]
    assert filled(texts, {})[0] == "deposit 400.00"


def test_a_caller_is_drawn_as_one_of_the_known_kinds(write: Write) -> None:
    text = GOOD.replace('"DDA-1001"', '"drawn without shoes"')
    assert "drawn without terms" in problem(write, text)
