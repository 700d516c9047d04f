"""Build the image and start compose.yaml for real, with podman.

    python -m tests.deployment.containers FOLDER

Needs root, and podman, podman-compose, runc and mmdebstrap. Where no registry can be reached, the
images that the two files name are made of Debian's packages (``stand_ins``). podman 4 knows no
conditions between services, so each is started once the one before it is healthy. FOLDER keeps the
base image for the next time; nothing else is left.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = ROOT / "docs" / "how-to" / "deployment"
_STAND_INS = Path(__file__).parent / "stand_ins"
_IMAGES = {"postgres": "postgres:17-bookworm", "nginx": "nginx:1.28-bookworm"}
_BASE = "localhost/bookworm-slim"
_SLIM = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("doc", "man", "locale", "info")]
_URL = "https://localhost:8443"
_COMPOSE = ("podman-compose", "--project-name", "chainteller")
"""An older one doesn't read the name in the file."""
_READY = f"curl --silent --fail --cacert secrets/tls_certificate {_URL}/readyz"
_OF_THE_HOST = ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
"""What says where the package indexes are, where that isn't the usual place."""


def run(*command: str | Path, **more: str) -> str:
    """What a command prints; ``more`` are environment variables."""
    done = subprocess.run(
        command, check=False, text=True, capture_output=True, env={**os.environ, **more}, cwd=HERE
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def build(folder: Path) -> None:
    archive = folder / "base.tar"
    if not archive.exists():
        run(
            "mmdebstrap",
            "--variant=minbase",
            *_SLIM,
            "--include=ca-certificates",
            "bookworm",
            archive,
        )
    run("podman", "import", archive, _BASE)
    began = time.monotonic()
    _build(HERE / "Dockerfile", ROOT, "chainteller")
    told = json.loads(run("podman", "image", "inspect", "chainteller", _BASE))
    sizes = " of which the base has ".join(f"{each['Size'] / 1e6:.0f} MB" for each in told)
    print(f"image built in {time.monotonic() - began:.0f} s: {sizes}")
    for name, image in _IMAGES.items():
        _build(_STAND_INS / f"{name}.Dockerfile", _STAND_INS, f"docker.io/library/{image}")


def _build(file: Path, context: Path, tag: str) -> None:
    kept = [f"--volume={each}:{each}:ro" for each in _OF_THE_HOST if Path(each).exists()]
    options = ("--network=host", "--isolation=chroot", "--format=docker", *kept)
    run("podman", "build", *options, f"--build-arg=BASE={_BASE}", "-t", tag, "-f", file, context)


def start_alone() -> None:
    """The image by itself, on SQLite: nothing but its data can be written, nobody is root."""
    run("podman", "volume", "create", "chainteller_alone")
    options = "--read-only --tmpfs=/tmp --cap-drop=ALL --security-opt=no-new-privileges"
    command = (
        *f"podman run --name=chainteller_alone --network=none {options}".split(),
        "--volume=chainteller_alone:/var/lib/chainteller",
        "chainteller",
    )
    for _ in range(3):
        began = time.monotonic()
        process = subprocess.Popen(
            [*command, "serve", "--log", "-"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        assert "listening on" in process.stdout.readline()
        print(f"listens after {time.monotonic() - began:.1f} s")
        inside = ("podman", "exec", "chainteller_alone", "sh", "-c")
        status = run(*inside, "touch /x 2>/dev/null && echo written; id -u; cat /proc/1/status")
        assert status.startswith("10001\n")
        assert "CapEff:\t0000000000000000" in status
        assert "NoNewPrivs:\t1" in status
        began = time.monotonic()
        run("podman", "kill", "--signal=TERM", "chainteller_alone")
        assert process.wait(30) == 0
        print(f"ends after SIGTERM in {time.monotonic() - began:.1f} s, with 0")
        run("podman", "rm", "chainteller_alone")


def start_units() -> None:
    """The units under systemd: the service answers on its socket, a backup drills itself."""
    _build(_STAND_INS / "systemd.Dockerfile", HERE, "chainteller_systemd")
    options = ("--detach", "--privileged", "--systemd=always", "--name=chainteller_units")
    run("podman", "run", *options, "chainteller_systemd")
    inside = "podman exec chainteller_units "
    _wait_for(
        f"{inside}curl --silent --fail --unix-socket /run/chainteller/teller.sock http://teller/readyz"
    )
    run(*f"{inside}systemctl start chainteller-backup.service".split())
    assert "bank-" in run(*f"{inside}ls /var/lib/chainteller-backups".split())
    run(*f"{inside}systemctl stop chainteller.service".split())
    shown = f"{inside}systemctl show --property=Result --value chainteller chainteller-backup"
    assert run(*shown.split()).split() == ["success", "success"]
    print("units run under systemd: served, backed up, drilled and stopped")


def compose_up() -> None:
    began = time.monotonic()
    run(HERE / "make_secrets")
    for service in ("database", "migrate", "serve", "proxy"):
        run(*_COMPOSE, "up", "--detach", "--no-build", "--no-deps", service)
        name = f"chainteller_{service}_1"
        if service == "migrate":
            assert run("podman", "wait", name) == "0", run("podman", "logs", name)
        else:
            _wait_for("podman healthcheck run " + name if service != "proxy" else _READY)
    print(f"compose.yaml is up after {time.monotonic() - began:.0f} s")


def _wait_for(line: str) -> None:
    for _ in range(60):
        done = subprocess.run(line.split(), cwd=HERE, capture_output=True, check=False)
        if not done.returncode:
            return
        time.sleep(0.5)
    run(*line.split())


def main_job() -> None:
    """An agent's trade, through the proxy, and its audit trail."""
    inside = ("podman", "exec", "chainteller_serve_1", "chainteller")
    run(*inside, "db", "sample")
    key = run(*inside, "keys", "create", "--name", "agent").split()[0]
    agent = {"CHAINTELLER_API_KEY": key, "SSL_CERT_FILE": str(HERE / "secrets/tls_certificate")}
    agent |= {"PYTHONPATH": str(ROOT / "src"), "CHAINTELLER_HOME": "/nonexistent"}

    def teller(*words: str) -> str:
        return run(sys.executable, "-m", "chainteller", "--url", _URL, "--json", *words, **agent)

    account = json.loads(teller("accounts", "open", "DDA-1001", "--type", "checking"))["id"]
    words = ("trade", "buy", "sol-usd", "--spend", "100.00", "--account", account)
    trade = json.loads(teller(*words, "--fund", "--yes", "--wait"))
    assert trade["status"] == "settled", trade
    run(*inside, "db", "verify")
    ready = json.loads(run(*_READY.split()))
    assert ready["books"]["breach"] is None, ready
    print(f"main job through the proxy: {trade['amount']} {trade['market']}, {trade['status']}")


def remove() -> None:
    for line in (f"{' '.join(_COMPOSE)} down --volumes",
                 "podman rm --force --ignore chainteller_alone chainteller_units",
                 "podman volume rm --force chainteller_alone"):  # fmt: skip
        subprocess.run(line.split(), cwd=HERE, capture_output=True, check=False)
    shutil.rmtree(HERE / "secrets", ignore_errors=True)


if __name__ == "__main__":
    remove()
    try:
        build(Path(sys.argv[1]))
        start_alone()
        start_units()
        compose_up()
        main_job()
    finally:
        remove()
