"""The files for operators name what there is, and keep their promises."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ROOT / "docs" / "how-to" / "deployment"
_SOURCES = ("src/chainteller/api/metrics.py", "src/chainteller/engine/upkeep/figures.py")
_METRIC = re.compile(r"\bchainteller_[a-z_]+")
_ANALYZE = shutil.which("systemd-analyze")
_EXPOSURE = 20
"""In tenths: what ``systemd-analyze security`` may say of a unit at most."""


def _metrics(text: str) -> set[str]:
    """The metrics that a text names; a histogram's series are the histogram."""
    return {re.sub("_(bucket|sum|count)$", "", each) for each in _METRIC.findall(text)}


def _read(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


DECLARED = {
    name for file in _SOURCES for name in re.findall(r'"(chainteller_[a-z_]+)"', _read(file))
}
EXPRESSIONS = [
    target["expr"]
    for panel in json.loads((FILES / "dashboard.json").read_text("utf-8"))["panels"]
    for target in panel["targets"]
]
"""The queries of the dashboard."""


def alerts(severity: str = "") -> dict[str, str]:
    """The expressions of the alerts, or of those of a severity."""
    found = {}
    for rule in _read("docs/how-to/deployment/alerts.yml").split("- alert: ")[1:]:
        name, _, told = rule.partition("\n")
        expression = re.split(r"\n +(?:for|labels):", told)[0].partition("expr: ")[2]
        if f"{{severity: {severity}" in told:
            found[name] = " ".join(expression.removeprefix(">-").split())
    return found


def test_the_reference_has_every_metric() -> None:
    rows = [
        line for line in _read("docs/reference/http_api.md").splitlines() if "| `chaint" in line
    ]
    assert _metrics("\n".join(rows)) == DECLARED


@pytest.mark.parametrize(
    "file", ["deployment/alerts.yml", "deployment/dashboard.json", "alerts.md"]
)
def test_what_is_watched_exists(file: str) -> None:
    named = _metrics(_read(f"docs/how-to/{file}"))
    assert named
    assert named <= DECLARED


def test_every_alert_is_explained_with_its_expression() -> None:
    section = re.compile(r"^### (\w+)\n\n.+?\n```\n(.+?)\n```\n\n\S", re.MULTILINE | re.DOTALL)
    for severity, text in zip(
        ("page", "ticket"), _read("docs/how-to/alerts.md").split("## Ticket"), strict=True
    ):
        assert dict(section.findall(text)) == alerts(severity)


@pytest.mark.skipif(_ANALYZE is None, reason="systemd isn't installed")
@pytest.mark.parametrize("unit", sorted(each.name for each in FILES.glob("*.service")))
def test_units_are_hardened(unit: str) -> None:
    command = [
        str(_ANALYZE),
        "security",
        "--offline=yes",
        f"--threshold={_EXPOSURE}",
        str(FILES / unit),
    ]
    judged = subprocess.run(command, check=False, capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout.splitlines()[-1]


def test_compose_runs_the_image_as_the_dockerfile_says() -> None:
    compose, image = (FILES / "compose.yaml").read_text(), (FILES / "Dockerfile").read_text()
    assert "USER 10001:10001" in image
    assert "chown 10001:10001" in (FILES / "make_secrets").read_text()
    assert "VOLUME /var/lib/chainteller" in image
    assert "state:/var/lib/chainteller" in compose
    secrets = set(re.findall(r"file: \./secrets/(\w+)", compose))
    assert secrets == set(
        re.findall(r"^\[ -e (\w+) \]", (FILES / "make_secrets").read_text(), re.MULTILINE)
    ) | {"tls_certificate"}
