"""Loading the sample data into an empty database."""

from chainteller.service.errors import TellerError
from chainteller.tui.console.protection import agreed
from chainteller.tui.desk import Desk
from chainteller.tui.failures import explain
from chainteller.tui.service_calls import call_service


async def load_samples(desk: Desk) -> None:
    """Ask, then load the sample data, where the deployment can."""
    load = desk.started.load_samples if desk.started else None
    if load is None:
        desk.notify("sample data: not offered by this deployment", "warn")
        return
    fact = "Made-up customers, no real money."
    if not await agreed(desk, "LOAD THE SAMPLE DATA into this database?", fact):
        return
    desk.notify("loading the sample data", "muted")
    try:
        await call_service(load)
    except TellerError as error:
        failure = explain(error)
        desk.notify(f"{failure.code}  {failure.what}", "bad", failure.detail)
    else:
        desk.notify("sample data loaded", "good")
        desk.on_change.publish(("samples",))
