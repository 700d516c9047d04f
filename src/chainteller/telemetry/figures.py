"""The metrics of Prometheus' table as those of OpenTelemetry, with the same names and labels."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope


class Family(Protocol):
    """A metric with all its values, as prometheus_client has it."""

    @property
    def name(self) -> str: ...
    @property
    def documentation(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def samples(self) -> Sequence[Any]: ...


class During(NamedTuple):
    """The time that cumulative values are about, in nanoseconds since 1970."""

    since: int
    until: int


def metrics_data(resource: Resource, metrics: Iterable[Family], during: During) -> MetricsData:
    scope = ScopeMetrics(
        InstrumentationScope("chainteller"), list(_metrics(metrics, during)), schema_url=""
    )
    return MetricsData([ResourceMetrics(resource, [scope], schema_url="")])


def _metrics(metrics: Iterable[Family], during: During) -> Iterator[Metric]:
    for declared in metrics:
        name, data = declared.name, _data(declared, during)
        if declared.type == "counter":
            name = f"{name}_total"
        yield Metric(name, declared.documentation, "", data)


def _data(declared: Family, during: During) -> Any:
    cumulative = AggregationTemporality.CUMULATIVE
    if declared.type == "histogram":
        return Histogram([*_histograms(declared, during)], cumulative)
    points = [
        NumberDataPoint(dict(each.labels), during.since, during.until, each.value)
        for each in declared.samples
    ]
    if declared.type == "counter":
        return Sum(points, cumulative, is_monotonic=True)
    return Gauge(points)


def _histograms(declared: Family, during: During) -> Iterator[HistogramDataPoint]:
    """Of samples that count everything up to a bound, points that count between two of them."""
    found: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for each in declared.samples:
        labels = {name: value for name, value in each.labels.items() if name != "le"}
        values = found.setdefault(tuple(labels.items()), {})
        values[each.labels.get("le", each.name.removeprefix(f"{declared.name}_"))] = each.value
    for key, values in found.items():
        total, count = values.pop("sum"), values.pop("count")
        below = [*values.values()]
        yield HistogramDataPoint(
            attributes=dict(key),
            start_time_unix_nano=during.since,
            time_unix_nano=during.until,
            count=int(count),
            sum=total,
            bucket_counts=[int(now - last) for last, now in pairwise((0, *below))],
            explicit_bounds=[bound for each in values if (bound := float(each)) != math.inf],
            min=None,  # type: ignore[arg-type]  # left out, as Prometheus doesn't know it
            max=None,  # type: ignore[arg-type]  # as above
        )
