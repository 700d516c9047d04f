"""A deployment of the bare specification: the desk keeps its own list and says what is missing."""

from typing import Any, cast

from tests.tui.conftest import Bench, press, seen, settle
from textual import events

from chainteller.service.errors import NotOffered
from chainteller.service.features import EVERY_FEATURE
from chainteller.service.interface import Service
from chainteller.service.models.records import Capabilities
from chainteller.tui.app import Console
from chainteller.tui.start import StartedDesk

_ADDED = {name.replace("-", "_") for name in EVERY_FEATURE} | {"trading_account", "quote"}


class Bare:
    """The specification's own calls and nothing else."""

    def __init__(self, inner: Service) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return self._refuse if name in _ADDED else getattr(self._inner, name)

    def _refuse(self, *_: object, **__: object) -> None:
        raise NotOffered("This deployment does not offer it.")


def _console(bench: Bench) -> Console:
    bare = cast("Service", Bare(bench.service))
    return Console(lambda: StartedDesk(bare, "strict", Capabilities()), bench.look)


async def test_an_account_is_added_by_its_id_and_served(bench: Bench) -> None:
    account = bench.open(1)
    app = _console(bench)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "This deployment cannot list accounts." in seen(app)
        await press(pilot, "plus", *account.id, "enter")
        shown = seen(app)
        assert account.id in shown
        assert "live" in shown
        assert "known here" in shown
        assert "not offered by this deployment" in shown
        await press(pilot, "d", *"100", "enter")
        assert "deposit 100.00" in seen(app)
        await press(pilot, "a")
        assert "NOT_OFFERED" in seen(app)
    assert bench.service.deposits(account.id).pagination.total == 1


async def test_a_pasted_id_is_checked_and_added(bench: Bench) -> None:
    account = bench.open(1, deposit="75.00")
    app = _console(bench)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.post_message(events.Paste("TDA_NOBODY"))
        await settle(pilot)
        assert "NOT_FOUND" in seen(app)
        app.post_message(events.Paste(account.id))
        await settle(pilot)
        shown = seen(app)
        assert "75.00" in shown
        assert "none" not in shown.split("ACTIVITY")[1].split("WALLETS")[0]
