"""A market with a new asset, on a database older than the asset: declared, bought, shown, sold.

The change is made for real, in a copy of the package: one entry in each file of ``CHANGE``.
"""

import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.world.engines import make_world

import chainteller

ROOT = Path(__file__).parents[2]
CHANGE = {
    "domain/assets.py": (
        '    Market("eth-usd", ',
        '    Market("doge-usd", Asset("DOGE", "dogecoin", 8), 60),',
    ),
    "adapters/price_sources.py": (
        '    "eth-usd": PriceSource(',
        '    "doge-usd": PriceSource(1, 40, {"coinbase": "DOGE-USD", "kraken": "XDGUSD"}),',
    ),
}
"""What adding a market touches: in each file, an entry after the line that begins so."""


def declare(package: Path, change: dict[str, tuple[str, str]]) -> None:
    for name, (before, entry) in change.items():
        file = package / name
        lines = file.read_text().splitlines()
        (place,) = [number for number, line in enumerate(lines) if line.startswith(before)]
        lines.insert(place + 1, entry)
        file.write_text("\n".join(lines) + "\n")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, compiled files and all."""
    copy = tmp_path / "changed" / "chainteller"
    shutil.copytree(Path(chainteller.__file__).parent, copy)
    return copy


def run(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(package.parent), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env=os.environ | {"PYTHONPATH": path},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_new_asset_is_traded_both_ways_on_a_database_older_than_it(
    kind: str, package: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = (
        f"sqlite:///{tmp_path / 'bank.db'}"
        if kind == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    world = make_world(url)
    world.open()
    world.deposit("900.00")
    world.buy("50.00")
    world.close()
    declare(package, CHANGE)
    done = run(package, "tests.storage.doge_trade", url)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert Path(told["package"]).parent == package
    assert told["statuses"] == ["settled", "settled"]
    assert told["shown"] == [told["bought"], "0.00", "0.00"]
    assert told["left"] is None
    worth_before, worth = (Decimal(amount) for amount in told["value"])
    assert worth_before + 380 < worth < worth_before + 400
    before, after = (Decimal(amount) for amount in told["buying_power"])
    assert before - 20 < after < before
    assert told["breaches"] == []


def test_a_market_without_a_price_source_fails_at_import(package: Path) -> None:
    declare(package, {"domain/assets.py": CHANGE["domain/assets.py"]})
    done = run(package, "chainteller.adapters.price_sources")
    assert done.returncode != 0
    assert "doge-usd has no price source" in done.stderr
