"""A status is declared once, in its domain: whoever asks what has ended learns of a new one."""

import json
import subprocess
import sys

_PLANTED = """
import importlib.util, json, sys
from pathlib import Path

def plant(name, *changes):
    spec = importlib.util.find_spec(f"chainteller.domain.{name}")
    source = Path(spec.origin).read_text(encoding="utf-8")
    for before, after in changes:
        assert source.count(before) == 1, before
        source = source.replace(before, after + before)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    exec(compile(source, spec.origin, "exec"), module.__dict__)

ended = 'PARKED = "parked", Facts("[-]", "muted", is_final=True)\\n    '
plant("trades", ('PROCESSING = "processing"', ended))
plant("transfers", ('PROCESSING = "processing"', ended))
plant("decisions", ('OPEN = "open"', 'PARKED = "parked"\\n    '))
plant(
    "provider_requests",
    ('WAITING = "waiting"', 'PARKED = "parked"\\n    '),
    ("RequestStatus.DECLINED})", "RequestStatus.PARKED, "),
)
from chainteller.domain.event_types import EVENT_TYPES
from chainteller.engine.operations import due_times
from chainteller.storage.log import rows, verified_state
from chainteller.storage.queries import erasures
from chainteller.storage.upkeep import inspection

print(json.dumps({
    "rows of which nothing is kept": [
        name for name, statuses in verified_state._FOLLOWED.items() if "parked" in statuses
    ],
    "entries that an archive may take": [
        table.name for table, statuses in rows.ENDED.items() if "parked" in statuses
    ],
    "decisions that nothing is due for": "parked" in due_times.WORK["decision.due"].ended,
    "events": sorted(each for each in EVENT_TYPES if each.endswith(".parked")),
    "records in the way of forgetting a customer": erasures._OPEN.text.count("'parked'"),
    "trades that are replayed": inspection._OPEN_TRADES.text.count("'parked'"),
}))
"""


def test_a_status_that_has_ended_reaches_each_place_from_its_declaration() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _PLANTED], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "rows of which nothing is kept": ["trade", "transfer", "provider_request"],
        "entries that an archive may take": ["trade", "transfer", "provider_request", "decision"],
        "decisions that nothing is due for": True,
        "events": ["decision.parked", "deposit.parked", "trade.parked", "withdrawal.parked"],
        "records in the way of forgetting a customer": 2,
        "trades that are replayed": 0,
    }
