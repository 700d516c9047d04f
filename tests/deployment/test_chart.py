"""The chart: linted, rendered and compared with the schemas of Kubernetes; wrong values are named.

``.ci/deployment`` gets the tools and runs it.
"""

import os
import subprocess
from pathlib import Path

import pytest

_TOOLS = os.environ.get("CHAINTELLER_DEPLOYMENT_TOOLS")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_TOOLS is None, reason="CHAINTELLER_DEPLOYMENT_TOOLS isn't set"),
]
_CHART = Path(__file__).parents[2] / "docs" / "how-to" / "deployment" / "chart"
_VALUES = sorted((Path(__file__).parent / "values").glob("*.yaml"))
_SMALLEST = Path(__file__).parent / "values" / "smallest.yaml"
_KUBERNETES = ("1.28", "1.37")


def _helm(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = (f"{_TOOLS}/helm", *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("values", _VALUES, ids=lambda path: path.stem)
def test_values_render_to_what_kubernetes_knows(values: Path, tmp_path: Path) -> None:
    linted = _helm("lint", "--strict", _CHART, "--values", values)
    assert linted.returncode == 0, linted.stdout
    rendered = _helm("template", "teller", _CHART, "--values", values)
    assert rendered.returncode == 0, rendered.stderr
    assert "runAsNonRoot: true" in rendered.stdout
    file = tmp_path / "rendered.yaml"
    file.write_text(rendered.stdout, encoding="utf-8")
    for version in _KUBERNETES:
        judge = [f"{_TOOLS}/venv/bin/kubernetes-validate", "--strict", "-k", version, str(file)]
        judged = subprocess.run(judge, capture_output=True, text=True, check=False)
        assert judged.returncode == 0, judged.stdout + judged.stderr


def test_values_that_are_missing_are_all_named() -> None:
    refused = _helm("template", "teller", _CHART)
    assert refused.returncode
    for name in ("/image/repository", "/database/url", "/database/passwordSecret/name"):
        assert name in refused.stderr
    assert "/writerKeySecret/name" in refused.stderr


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("tlsSecret=", "tlsSecret is missing. Name a secret of the type kubernetes.io/tls"),
        ("database.url=postgresql://teller:secret@db/teller", "/database/url"),
        ("database.url=sqlite:///bank.db", "/database/url"),
        ("replicas=0", "/replicas"),
        ("replica=2", "'replica'"),
        ("ingress.enabled=true", "/ingress/host"),
        ("settings.PGPASSWORD=secret", "PGPASSWORD"),
        ("writerKeySecret.name=", "/writerKeySecret/name"),
    ],
)
def test_a_wrong_value_is_named(wrong: str, told: str) -> None:
    refused = _helm("template", "teller", _CHART, "--values", _SMALLEST, "--set", wrong)
    assert refused.returncode
    assert told in refused.stderr
