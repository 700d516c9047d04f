"""By keys, through a gateway before the 16 calls: the link of a page, its signature, the link."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.gateway.kills import free_port
from tests.gateway.test_gateway import WALLET
from tests.telemetry.test_console_to_rows import key, serve
from tests.world.terminal import Terminal
from tests.world.waiting import PATIENCE_S

from chainteller.wallets.simulated import sample_proof

pytestmark = pytest.mark.slow


@contextmanager
def provider(folder: Path) -> Iterator[list[str]]:
    """Address, API key and a blockchain account of a deployment with the 16 calls alone."""
    command = [sys.executable, "-m", "tests.spec_only", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield [process.stdout.readline().strip() for _ in range(3)]
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def test_a_wallet_is_verified_from_its_page(tmp_path: Path) -> None:
    port = free_port()
    home = tmp_path / "gateway"
    with provider(tmp_path / "provider") as (address, secret, account):
        settings = {
            "CHAINTELLER_API_KEY": secret,
            "CHAINTELLER_SERVICE__PUBLIC_URL": f"http://127.0.0.1:{port}",
        }
        with serve(home, "--for", address, "--port", str(port), **settings) as front:
            own = key(home, **settings)
            client = httpx.Client(base_url=front, headers={"Authorization": f"Bearer {own}"})
            opening = {"bankAccountId": "DDA-5", "bankAccountType": "checking"}
            assert client.post("/trading-accounts", json=opening).status_code == 201
            desk = Terminal(
                variables={
                    "CHAINTELLER_HOME": str(tmp_path / "console"),
                    "CHAINTELLER_URL": front,
                    "CHAINTELLER_API_KEY": own,
                }
            )
            desk.until("DDA-5")
            desk.press("5", "paste BCA_... to add one")
            desk.press("+", "its id (BCA_...)")
            desk.press(f"{account}\r", "+ registers a wallet")
            desk.press("+", "address")
            desk.press(f"{WALLET.address.display}\r", "enter creates the message")
            desk.press("\r", f"{front}/sign/")
            link = re.findall(rf"{front}/sign/[\w-]{{22}}", desk.text())[0]
            (shown,) = httpx.get(f"{link}/message").json()["messages"]
            signature = sample_proof(WALLET, shown["message"]).signature
            sent = {"messageId": shown["id"], "signature": signature}
            (kept,) = httpx.post(f"{link}/signatures", json=sent).json()["messages"]
            assert kept["valid"] is True
            desk.until("WOULD BE ACCEPTED")
            desk.press("\r", "is Verified 1P")
            listed = client.get(f"/blockchain-accounts/{account}/counterparties").json()["data"]
            assert [each["type"] for each in listed] == ["VerifiedCounterparty1P"]
            assert desk.quit() == 0
            client.close()
