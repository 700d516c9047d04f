"""The simulator's short form, and that the simulator itself can be trusted."""

import pytest
from tests.simulation import acts, model, views
from tests.simulation.generators import GENERATORS, WEIGHTS
from tests.simulation.model import Model
from tests.simulation.run import (
    Step,
    Tally,
    is_modelled,
    kinds,
    replayed,
    run,
    shrunk,
    simulated,
    steps_of,
)

from chainteller.service.operations import BY_NAME, WRITES

SEEDS = tuple(f"short-{number}" for number in range(11))
STEPS = 220


@pytest.mark.forms(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_deployment_does_what_its_model_does(seed: str) -> None:
    failure = run(seed, steps_of(seed, STEPS))
    assert failure is None, str(failure)


@pytest.mark.forms(1)
def test_a_deployment_on_a_server_does_the_same(postgres_url: str) -> None:
    tally = Tally()
    failure = run(SEEDS[0], steps_of(SEEDS[0], STEPS), tally, lambda: postgres_url)
    assert failure is None, str(failure)
    assert {"fault: before", "fault: after"} <= set(tally.kinds)


def test_every_operation_has_a_generator_and_a_model() -> None:
    """Imports of customers and webhooks aren't modelled."""
    modelled = {name for name, operation in BY_NAME.items() if is_modelled(operation)}
    writes = modelled & set(WRITES)
    assert set(GENERATORS) == modelled
    assert set(WEIGHTS) == writes
    assert set(views.VIEWS) == modelled - writes
    assert [name for name in writes if not hasattr(Model, f"_{name}")] == []


def test_the_short_form_takes_every_kind_of_step() -> None:
    taken = {step.kind for seed in SEEDS for step in steps_of(seed, STEPS)}
    assert taken == {name for name, _ in kinds()}
    assert set(acts.WEIGHTS) == set(acts.ACTS)


def test_a_seed_does_the_same_again() -> None:
    steps, said = steps_of("again", 120), []
    for _ in range(2):
        with simulated("again") as simulation:
            for step in steps:
                simulation.do(step)
            said.append(simulation.said)
    assert said[0] == said[1]
    assert len(said[0]) > len(steps)


def test_a_difference_is_replayed_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is made wrong here: it takes no reason for a verification to be ended."""
    monkeypatch.setattr(model, "REASONS", ())
    without_wallets = ("open_trading_account", "deposit", "create_quote", "trading_accounts")
    others = [step for step in steps_of("wrong", 400) if step.kind in without_wallets]
    assert len(set(map(str, others))) > 50
    steps = [*others, Step("require_reverification", 1), *steps_of("more", 20)]
    failure = run("wrong", steps)
    assert failure is not None
    assert failure.what == "require_reverification NOT_FOUND VALIDATION_ERROR"
    assert replayed(failure)
    small = shrunk(failure)
    assert [step.kind for step in small.steps] == ["require_reverification"]
    assert small.what == failure.what


@pytest.mark.slow
def test_calls_in_dying_processes_are_done_once_or_not_at_all() -> None:
    tally = Tally()
    for number in range(20):
        seed = f"killed-{number}"
        failure = run(seed, steps_of(seed, 300), tally, kills_processes=True)
        assert failure is None, str(failure)
    assert tally.kinds["killed by the kernel"] > 50


@pytest.mark.slow
def test_every_refusal_is_met() -> None:
    """So each rule of the model was at its edge."""
    tally = Tally()
    for number in range(25):
        seed = f"refusals-{number}"
        failure = run(seed, steps_of(seed, 1_000), tally)
        assert failure is None, str(failure)
    declared = {error.code for each in BY_NAME.values() for error in each.errors}
    assert declared - tally.refusals.keys() == set()
