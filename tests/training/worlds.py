"""Sessions on a bank that is made once per test run and copied."""

from pathlib import Path

from tests.world.samples import TRAINING_SEED

from chainteller.paths import shipped
from chainteller.settings.policy import read_policy
from chainteller.training.opening import open_session as open_begun
from chainteller.training.reactions import read_temperaments
from chainteller.training.scenarios import Scenario, find_scenarios, load
from chainteller.training.session import Session
from chainteller.training_world import ThrowawayWorld
from chainteller.wallets.simulated import sample_wallets

SEED = TRAINING_SEED
SAMPLE_DATA = shipped("sample_data")
WALLETS = sample_wallets(SAMPLE_DATA / "wallets.toml")
POLICY = read_policy(str(SAMPLE_DATA / "policy.toml"))
TEMPERAMENTS = read_temperaments(SAMPLE_DATA / "training.toml")
SCENARIOS = find_scenarios([SAMPLE_DATA / "scenarios"])


def scenario(name: str) -> Scenario:
    return load(SCENARIOS[name], WALLETS)


def open_session(folder: Path, base: Path, given: Scenario, seed: str = SEED) -> Session:
    """A session that has begun; its bank lives in ``folder``, which is empty."""
    folder.mkdir(exist_ok=True)
    world = ThrowawayWorld(folder, seed, base, POLICY)
    return open_begun(given, world, seed, WALLETS, TEMPERAMENTS)
