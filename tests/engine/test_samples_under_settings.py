"""Sample data keeps every invariant and its promises under every allowed setting."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import py_ecc  # noqa: F401 - raises the recursion limit, which hypothesis must not watch
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.world.samples import MIDNIGHT, load, new_bank, rows

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS
from chainteller.domain.clock import ManualClock
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.ledger import buying_power
from chainteller.domain.limits import DEFAULT_LIMITS, DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.verification.full_pass import verify

pytestmark = pytest.mark.thorough

_MARKETS = tuple(market.name for market in MARKETS)
_SHORT_DELAYS: dict[str, Any] = dict.fromkeys(
    ("deposit_delay_s", "fill_delay_s", "settle_delay_s", "withdrawal_delay_s", "review_delay_s"), 0
)
_LONG_DELAYS = dict.fromkeys(_SHORT_DELAYS, 86_400 * 30 + 0.25)


def _limited(*own_bank: int) -> dict[DestinationClass, tuple[int, ...]]:
    return {**DEFAULT_LIMITS, DestinationClass.OWN_BANK: own_bank}


POLICY = (ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 3_600, AtDeadline.REFUSE),)


@contextmanager
def sample_bank(folder: Path, options: EngineOptions, seed: str = "42") -> Iterator[EngineContext]:
    bank = replace(new_bank(folder), options=options)
    try:
        assert load(bank, seed)
        yield bank
    finally:
        bank.database.close()


def check(bank: EngineContext) -> None:
    """Every invariant holds, and whatever is listed first can trade."""
    assert verify(bank.database) == ()
    first, *_ = rows(
        bank,
        "SELECT a.*, b.balance FROM trading_account a JOIN bank_account b "
        "ON b.id = a.bank_account_id ORDER BY a.last_activity DESC, a.id DESC",
    )
    assert first.last_activity >= MIDNIGHT
    assert first.control is None
    assert int(first.balance) >= 100_000
    balances = rows(
        bank,
        "SELECT asset, balance FROM ledger_account WHERE code = :code",
        code=f"customer:{first.id}:available",
    )
    power = buying_power({ASSETS_BY_KEY[row.asset]: int(row.balance) for row in balances})
    assert power <= 500_000


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"quote_window_s": 1, **_SHORT_DELAYS}, id="shortest"),
        pytest.param({"quote_window_s": 7}, id="seven-seconds"),
        pytest.param({"policy": Policy(POLICY)}, id="policy"),
        pytest.param({"quote_window_s": 3600, "rate_limits": False}, id="an-hour"),
        pytest.param({"quote_window_s": 1e6 + 0.5, **_LONG_DELAYS}, id="longest"),
        pytest.param({"maintenance": _MARKETS, "open_quotes_per_account": 1}, id="maintenance"),
        pytest.param({"limits": _limited(30_000, 50_000, 80_000)}, id="low-limits"),
        pytest.param(
            {"limits": _limited(0, 0, 0), "challenge_ttl_s": 1.5, "test_networks": True},
            id="no-withdrawals",
        ),
    ],
)
def test_sample_data_keeps_every_invariant(changed: dict[str, Any], tmp_path: Path) -> None:
    with sample_bank(tmp_path, EngineOptions(**changed)) as bank:
        check(bank)


def test_what_is_under_way_ends_by_itself_under_a_short_window(tmp_path: Path) -> None:
    options = EngineOptions(quote_window_s=1.5, **_SHORT_DELAYS)
    with sample_bank(tmp_path, options) as bank:
        engine = Engine(bank)
        assert isinstance(bank.clock, ManualClock)
        while (due := engine.next_due()) is not None:
            bank.clock.set(max(due, bank.clock.now()))
            assert engine.run_due()
        check(bank)
        assert not rows(bank, "SELECT id FROM trade WHERE status IN ('processing', 'executed')")


def test_a_short_window_leaves_customers_their_trades(tmp_path: Path) -> None:
    """They accept in time; quotes do not all run out."""
    with sample_bank(tmp_path, EngineOptions(quote_window_s=1)) as bank:
        (trades,) = rows(bank, "SELECT count(*) FROM trade")
        assert trades[0] > 500


_DELAYS = st.sampled_from([0, 0.1, 1, 45.5, 3600, 1e7])
_CENTS = st.sampled_from([0, 1, 20_000, 100_000, 2_500_000, 10**12])
OPTIONS = st.builds(
    EngineOptions,
    quote_window_s=st.one_of(
        st.sampled_from([1, 1.000001, 19.9, 20, 86_400]), st.floats(1, 4_000, allow_nan=False)
    ),
    deposit_delay_s=_DELAYS,
    fill_delay_s=_DELAYS,
    settle_delay_s=_DELAYS,
    withdrawal_delay_s=_DELAYS,
    review_delay_s=_DELAYS,
    challenge_ttl_s=st.sampled_from([1, 2.5, 60, 3600, 1e6]),
    maintenance=st.sets(st.sampled_from(_MARKETS)).map(tuple),
    rate_limits=st.booleans(),
    open_quotes_per_account=st.integers(1, 20),
    hold_premium_bps_per_minute=st.integers(0, 100),
    limits=st.tuples(_CENTS, _CENTS, _CENTS).map(lambda amounts: _limited(*amounts)),
)


def _check_generated(
    options: EngineOptions, seed: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with sample_bank(tmp_path_factory.mktemp("settings"), options, seed) as bank:
        assert verify(bank.database) == ()


settings.register_profile(
    "samples", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
_PROFILE = settings.get_profile("samples")


@settings(_PROFILE, max_examples=3)
@given(options=OPTIONS, seed=st.sampled_from(["42", "another", "7"]))
def test_sample_data_keeps_every_invariant_under_generated_settings(
    options: EngineOptions, seed: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _check_generated(options, seed, tmp_path_factory)


@pytest.mark.slow
@settings(_PROFILE, max_examples=60)
@given(options=OPTIONS, seed=st.text(max_size=6))
def test_sample_data_keeps_every_invariant_under_many_settings(
    options: EngineOptions, seed: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _check_generated(options, seed, tmp_path_factory)
