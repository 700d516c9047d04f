"""Readiness of a real server whose disk is full, and after it has space again."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.world.bank import build, sqlite_url
from tests.world.serving import ServerProcess
from tests.world.waiting import PATIENCE_S, until

"""How long a state may take to show on a busy machine; it takes up to six seconds."""
SIZE = 8 * 2**20
PAGE = 4_096
FULL = {"STORAGE_FULL", "STORAGE_FAULT"}


@contextmanager
def serving(folder: Path) -> Iterator[tuple[ServerProcess, httpx.Client]]:
    """A server on a bank in a folder, and a client with a key."""
    world = build(sqlite_url(folder))
    key = world.key()
    world.engine.close()
    server = ServerProcess(sqlite_url(folder))
    headers = {"Authorization": f"Bearer {key}"}
    try:
        with httpx.Client(base_url=server.address, headers=headers, timeout=PATIENCE_S) as client:
            yield server, client
    finally:
        server.kill()


def is_ready(client: httpx.Client) -> bool:
    answer = client.get("/readyz")
    body = answer.json()
    if answer.status_code == 200:
        assert body.pop("books")["breach"] is None
        assert body == {"status": "ready", "checks": {"database": "ok"}}
        return True
    assert (answer.status_code, body["status"]) == (503, "unavailable")
    assert body["checks"]["database"] in FULL
    assert "space" in body["suggestion"]
    return False


def fill(file: Path) -> None:
    """Write until there is no space left, which raises OSError."""
    with file.open("wb", buffering=0) as handle:
        while True:
            handle.write(bytes(4096))


def opened(client: httpx.Client, bank_account: str) -> httpx.Response:
    request = {"bankAccountId": bank_account, "bankAccountType": "checking"}
    return client.post("/trading-accounts", json=request)


def deposit(client: httpx.Client, account: str) -> httpx.Response:
    currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
    request = {"amount": "1.00", "currency": currency}
    return client.post(f"/trading-accounts/{account}/deposits", json=request)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits another process")
def test_readiness_follows_writes_that_fail_and_succeed_again(tmp_path: Path) -> None:
    """The limit of a file's size stands for the disk's end."""
    with serving(tmp_path) as (server, client):
        account = opened(client, "DDA-1").json()["id"]
        assert is_ready(client)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        # Less than any commit needs, also in a write-ahead log that has begun again.
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (PAGE, hard))
        until(lambda: deposit(client, account).status_code == 503)
        for _ in range(30):  # longer than one trial, without any other write
            assert not is_ready(client)
            time.sleep(0.1)
        assert client.get(f"/trading-accounts/{account}").status_code == 200
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        until(lambda: is_ready(client))
        assert deposit(client, account).status_code == 201


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine mounts no file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_an_idle_server_notices_that_its_disk_is_full(small_disk: Path) -> None:
    with serving(small_disk) as (_, client):
        assert is_ready(client)
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space"):
            fill(filler)
        until(lambda: not is_ready(client))
        refused = opened(client, "DDA-1")
        assert (refused.status_code, refused.json()["error"]) == (503, "SERVICE_UNAVAILABLE")
        assert refused.json()["details"]["reason"] in FULL
        assert not is_ready(client)
        filler.unlink()
        until(lambda: is_ready(client))
        assert opened(client, "DDA-1").status_code == 201
