"""When telemetry is sent, and where to."""

import sys

import pytest

from chainteller.settings import values
from chainteller.settings.tree import ServiceSettings, readers
from chainteller.telemetry.destinations import Destination, Unsendable, destination

BASE = "http://collector:4318"


def addresses(endpoint: str = "", **environ: str) -> dict[str, str]:
    found = destination("x", endpoint, environ)
    return {} if found is None else dict(found.endpoints)


def test_a_variable_or_the_setting_turns_it_on_and_the_variable_comes_first() -> None:
    every = {each: f"{BASE}/v1/{each}" for each in ("traces", "metrics", "logs")}
    assert addresses() == {}
    assert addresses(f"{BASE}/") == every
    assert addresses("http://other", OTEL_EXPORTER_OTLP_ENDPOINT=BASE) == every


def test_signals_are_left_out_and_sent_elsewhere() -> None:
    traces = "http://traces:1/here"
    assert addresses(BASE, OTEL_METRICS_EXPORTER="none", OTEL_LOGS_EXPORTER="none") == {
        "traces": f"{BASE}/v1/traces"
    }
    assert addresses(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=traces) == {"traces": traces}
    assert addresses(BASE, OTEL_SDK_DISABLED="true") == {}


def test_what_cannot_be_sent_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unsendable, match="Set it to http/protobuf"):
        addresses(BASE, OTEL_EXPORTER_OTLP_PROTOCOL="grpc")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    with pytest.raises(Unsendable, match=r"pip install 'chainteller\[telemetry\]'"):
        addresses(BASE)


def test_credentials_of_an_address_are_not_shown() -> None:
    assert Destination("x", {"logs": "https://me:secret@host:1/v1"}).hosts == "host:1"


def test_a_wrong_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="http://HOST"):
        values.otlp_endpoint("collector:4318")
    with pytest.raises(ValueError, match="json"):
        readers(ServiceSettings)["log_format"]("text")
    assert values.otlp_endpoint("") == ""
