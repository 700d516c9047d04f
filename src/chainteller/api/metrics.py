"""Prometheus metrics of the service, of all its processes together.

With several processes, the counts of each are kept in files (``metric_files``), from which any of
them answers.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from chainteller.api.metric_files import folder_of_processes
from chainteller.service.deployment import Figure

disable_created_metrics()  # type: ignore[no-untyped-call]  # several processes have none either
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The metrics. Labels are operation names, because paths contain ids and are unbounded."""

    def __init__(self, version: str) -> None:
        self._registry = CollectorRegistry()
        self._requests = self._counter(
            "chainteller_http_requests_total",
            "Requests answered.",
            "operation", "method", "status",
        )  # fmt: skip
        self._refusals = self._counter(
            "chainteller_refusals_total", "Requests refused, by error code.", "error"
        )
        self._seconds = Histogram(
            "chainteller_http_request_seconds",
            "Time from the request's head to the end of its reply.",
            ("operation",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.streams = self._gauge("chainteller_event_streams", "Event streams open now.")
        self.strangers = self._gauge(
            "chainteller_stranger_connections", "Connections without an accepted key."
        )
        self.key_holders = self._gauge(
            "chainteller_key_holder_connections", "Connections on which a key was accepted."
        )
        self.busy_threads = self._gauge("chainteller_busy_threads", "Threads at work.")
        self.waiting = self._gauge("chainteller_waiting_requests", "Requests waiting for a thread.")
        self.ready = self._gauge(
            "chainteller_ready",
            "Whether the last readiness check passed (1) or not (0).",
            combine="livemin",
        )
        self._cpu = self._gauge(
            "chainteller_process_cpu_seconds", "Processor time used.", combine="liveall"
        )
        self._memory = self._gauge(
            "chainteller_process_peak_resident_bytes", "The most memory used.", combine="liveall"
        )
        self._gauge(
            "chainteller_build_info", "The running version.", "version", combine="livemax"
        ).labels(version).set(1)
        self._added_up: dict[str, Gauge] = {}
        self._counted: dict[tuple[str, str, int], Counter] = {}
        self._refused: dict[str, Counter] = {}
        self._timed: dict[str, Histogram] = {}

    def answered(
        self, operation: str, method: str, status: int, seconds: float, error: str = ""
    ) -> None:
        known = method if method in METHODS else "other"
        counted = self._counted.get((operation, known, status))
        if counted is None:
            counted = self._requests.labels(operation, known, str(status))
            self._counted[operation, known, status] = counted
        counted.inc()
        timed = self._timed.get(operation)
        if timed is None:
            timed = self._timed[operation] = self._seconds.labels(operation)
        timed.observe(seconds)
        if error:
            refused = self._refused.get(error)
            if refused is None:
                refused = self._refused[error] = self._refusals.labels(error)
            refused.inc()

    def note_process(self, figures: Iterable[Figure] = ()) -> None:
        """Note what this process uses, and its part of figures that all processes add up to."""
        for each in figures:
            gauge = self._added_up.get(each.name)
            if gauge is None:
                gauge = self._added_up[each.name] = self._gauge(
                    each.name, each.meaning, *each.labels
                )
            gauge.labels(*each.labels.values()).set(each.value)
        self._cpu.set(time.process_time())
        if sys.platform == "win32":
            return
        import resource  # noqa: PLC0415 - only where it exists

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self._memory.set(peak if sys.platform == "darwin" else peak * 1024)

    def count_dropped(self, signal: str, number: int) -> None:
        """Count what telemetry couldn't be sent. The metric exists where there's telemetry."""
        self._dropped.labels(signal).inc(number)

    @cached_property
    def _dropped(self) -> Counter:
        return self._counter(
            "chainteller_telemetry_dropped_total",
            "Spans (traces) and log lines (logs) that couldn't be sent.",
            "signal",
        )

    def families(self, figures: Iterable[Figure]) -> Iterator[Metric]:
        """The metrics of this process, and those of the records."""
        yield from self._registry.collect()
        yield from _registry_of(figures).collect()

    def text(self, figures: Iterable[Figure] = ()) -> bytes:
        """Export the metrics in the text format, version 0.0.4, with those of the records."""
        exported = self._registry
        folder = folder_of_processes()
        if folder is not None:
            exported = CollectorRegistry()
            MultiProcessCollector(exported, folder)  # type: ignore[no-untyped-call]  # as it is
        return generate_latest(exported) + generate_latest(_registry_of(figures))

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(name, meaning, labels, registry=self._registry)

    def _gauge(self, name: str, meaning: str, *labels: str, combine: Any = "livesum") -> Gauge:
        """A gauge; ``combine`` is what several processes together report."""
        return Gauge(name, meaning, labels, registry=self._registry, multiprocess_mode=combine)


class _Figures(Collector):
    def __init__(self, figures: Iterable[Figure]) -> None:
        self._figures = tuple(figures)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        families: dict[str, GaugeMetricFamily] = {}
        for each in self._figures:
            family = families.get(each.name)
            if family is None:
                names = tuple(each.labels)
                family = GaugeMetricFamily(each.name, each.meaning, labels=names)
                families[each.name] = family
            family.add_metric(tuple(each.labels.values()), each.value)
        yield from families.values()


def _registry_of(figures: Iterable[Figure]) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Figures(figures))
    return registry


METHODS = frozenset({"GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"})
