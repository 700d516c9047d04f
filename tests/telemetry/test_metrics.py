"""OTLP has the metrics of Prometheus' page, from the same table."""

from typing import Any

from prometheus_client.parser import text_string_to_metric_families
from tests.api.conftest import Caller
from tests.telemetry.collector import Collector
from tests.telemetry.conftest import sending
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.api.app import App
from chainteller.service.deployment import Deployment

MOVES = {
    "chainteller_process_cpu_seconds",
    "chainteller_process_peak_resident_bytes",
    "chainteller_ready",  # the last ones are sent while the server stops
}


def points(metric: Any) -> dict[tuple[tuple[str, str], ...], Any]:
    data = getattr(metric, metric.WhichOneof("data"))
    return {
        tuple(sorted((each.key, each.value.string_value) for each in point.attributes)): point
        for point in data.data_points
    }


def test_each_value_of_the_page_is_sent(world: World, collector: Collector) -> None:
    apps: list[App] = []

    class Kept(App):
        def __init__(self, behind: Deployment) -> None:
            super().__init__(behind)
            apps.append(self)

    behind = deployment(world)
    with sending(collector) as sent, served(behind, kind=Kept) as address:
        call = Caller(address, world.key())
        for _ in "123":
            call("GET", "/trading-accounts")
        call("GET", "/trading-accounts/TDA_9VF5AC0VHEYRMV43F3CQB7")
        (app,) = apps
        page = app.metrics.text(behind.figures()).decode()
        sent.send_metrics(app.operating.families)
    compared = 0
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            name, labels = sample.name, dict(sample.labels)
            bound = labels.pop("le", "")
            name = name.removesuffix("_bucket") if bound else name
            for ending in ("_sum", "_count"):
                name = name.removesuffix(ending) if family.type == "histogram" else name
            point = points(collector.metrics[name])[tuple(sorted(labels.items()))]
            if family.type != "histogram" and name not in MOVES:
                assert point.as_double == sample.value
                compared += 1
            elif bound == "0.05":
                at = [*point.explicit_bounds].index(0.05)
                assert sum(point.bucket_counts[: at + 1]) == sample.value
                assert sum(point.bucket_counts) == point.count
                compared += 1
    assert compared > 10
    assert collector.metrics["chainteller_http_requests_total"].sum.is_monotonic
