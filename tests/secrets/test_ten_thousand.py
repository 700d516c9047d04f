"""Ten thousand secrets in commands, notes, calls and requests leave nothing in any file."""

from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from tests.api.conftest import Caller
from tests.secrets.generated import Secret, secrets
from tests.secrets.leaks import Parts
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.cli.runner import require_no_secrets
from chainteller.domain.actors import SCOPES
from chainteller.remote.client import RemoteService
from chainteller.service.errors import SecretEntered
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import ClaimRequest, DiagnosisRequest
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import Workspace

ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"


@pytest.mark.parametrize(
    "count", [60, pytest.param(10_000, marks=pytest.mark.thorough)], ids=["few", "many"]
)
def test_secrets_leave_nothing(tmp_path: Path, world: World, log_file: Path, count: int) -> None:
    entered = list(secrets(7, count))
    key = world.key(*SCOPES)
    with served(deployment(world)) as address:
        call = Caller(address, key)
        request = _challenge(call)
        desk = Workspace(tmp_path / "desk.db")
        places = (Recorder(world.engine, desk), Recorder(RemoteService(address, key), desk))
        for secret in entered:
            _say(secret)
            _note(desk, secret)
            for recorder in places:
                _claim(recorder, request, secret)
            _send(call, request, secret)
        desk.close()
        for recorder in places[1:]:
            _close(recorder.service)
    assert log_file.stat().st_size
    assert Parts(entered).found_in(tmp_path) == set()


def _say(secret: Secret) -> None:
    if not secret.is_hex:
        with pytest.raises(SecretEntered):
            require_no_secrets(["customers", "find", secret.text])


def _note(desk: Workspace, secret: Secret) -> None:
    with pytest.raises(SecretEntered):
        desk.add_note("TDA_1", "op01", secret.text)
    desk.set_view("list.accounts", {"filter": secret.text})


def _claim(recorder: Recorder, request: dict[str, str], secret: Secret) -> None:
    claim = ClaimRequest(
        challenge_id=request["challengeId"],
        completed_challenge=secret.text,
        counterparty_id=request["counterpartyId"],
    )
    with pytest.raises(SecretEntered):
        recorder.submit_claim(request["account"], claim)
    if isinstance(recorder.service, RemoteService):
        with pytest.raises(SecretEntered):
            recorder.diagnose_signature(request["account"], DiagnosisRequest.of(claim))


def _send(call: Caller, request: dict[str, str], secret: Secret) -> None:
    """Requests as another client sends them: a claim, a statement, a search and an id."""
    pair = {name: request[name] for name in ("counterpartyId", "challengeId")}
    at = f"/blockchain-accounts/{request['account']}"
    claim = {**pair, "completedChallenge": secret.text}
    for path in ("1P-counterparty-ownership-claims", "1P-counterparty-ownership-diagnoses"):
        assert call("POST", f"{at}/{path}", claim).status != 201, secret.kind
    said = {"counterpartyId": pair["counterpartyId"], "reason": "OTHER", "statement": secret.text}
    assert call("POST", f"{at}/1P-counterparty-ownership-statements", said).status == 400, (
        secret.kind
    )
    found = call("GET", f"/customers?{urlencode({'filter[query]': secret.text})}")
    assert found.status == 400 or secret.is_hex, secret.kind
    assert call("GET", f"/counterparties/{quote(secret.text, safe='')}").status in {400, 404}


def _challenge(call: Caller) -> dict[str, str]:
    """The names of a challenge that waits for its signature."""
    asked = {"tradingAccountId": call.account(), "network": "ethereum"}
    custody = call("POST", "/blockchain-accounts", asked).json["id"]
    wallet = call("POST", "/counterparties", {"address": ADDRESS, "network": "ethereum"}).json["id"]
    at = f"/blockchain-accounts/{custody}/1P-counterparty-ownership-challenges"
    made = call("POST", at, {"counterpartyId": wallet}).json
    return {"account": custody, "counterpartyId": wallet, "challengeId": made["id"]}


def _close(service: Service) -> None:
    assert isinstance(service, RemoteService)
    service.close()
