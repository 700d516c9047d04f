"""PostgreSQL restored to a point in time, or failed over with loss, and accepted on record."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.postgres import PostgresServer
from tests.witnessing.places import OPERATOR, opening
from tests.witnessing.witnesses import running_witness
from tests.world.bank import build

from chainteller.adapters.witness_http import HttpWitness
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.core.signers import Signers
from chainteller.engine.engine import Engine
from chainteller.engine.heads import signing_keys
from chainteller.engine.heads.signed_heads import (
    accept_restore,
    find_restore,
    judge_heads,
    make_heads,
)
from chainteller.engine.verification.full_pass import verify, verify_heads
from chainteller.service.errors import Conflict, ValidationFailed
from chainteller.storage.log import views
from chainteller.witnessing.folders import FolderWitness
from chainteller.witnessing.submissions import Witness


def engine_on(url: str, folder: Path, *witnesses: Witness) -> Engine:
    """A server's engine, with a folder as a witness and the heads that its machine keeps."""
    signers = Signers(folder / "keys", (FolderWitness(folder / "witness"), *witnesses), url)
    kept = KeptHeads(lambda deployment: folder / f"{deployment}.heads")
    return Engine(replace(build(url).context, signers=signers, kept=kept), OPERATOR)


def grow(engine: Engine, first: int, count: int) -> None:
    """Write entries, have their heads witnessed, and keep them."""
    for number in range(first, first + count):
        engine.open_trading_account(opening(number))
    make_heads(engine.context)
    assert engine.context.kept is not None
    engine.context.kept.follow(engine.context.database)


def breaches(engine: Engine) -> list[str]:
    context = engine.context
    kept = verify_heads(context.kept, context.database)
    return [*map(str, (*verify(context.database), *kept)), *judge_heads(context).breaches]


def problems(engine: Engine) -> list[str]:
    return [said for made in make_heads(engine.context) for said in made.problems]


def lost(server: PostgresServer, url: str, folder: Path, after: int) -> Engine:
    """A database that lost four entries which witnesses have, and has ``after`` others."""
    engine = engine_on(url, folder)
    signing_keys.create(engine.context, OPERATOR)
    grow(engine, 1, 4)
    engine.close()
    point = server.fresh(like=url)
    engine = engine_on(url, folder)
    grow(engine, 5, 4)
    engine.close()
    restored = engine_on(point, folder)
    for number in range(11, 11 + after):
        restored.open_trading_account(opening(number))
    return restored


@pytest.mark.parametrize("after", [0, 2, 6])
def test_a_restore_or_failover_is_a_breach_until_it_is_accepted_with_a_reason(
    postgres_server: PostgresServer, own_postgres_bank: str, tmp_path: Path, after: int
) -> None:
    """Whether or not the log has grown beyond the heads that it lost."""
    engine = lost(postgres_server, own_postgres_bank, tmp_path, after)
    context = engine.context
    assert problems(engine)
    assert {each.partition(":")[0] for each in breaches(engine)} >= {"invariant 21"}
    with pytest.raises(Conflict) as refused:
        engine.audit_checkpoint()
    assert refused.value.details["reason"] == "AUDIT_CONTRADICTED"

    found = find_restore(context)
    assert [*found.left] == ["default"]
    assert accept_restore(context, OPERATOR, "db1 was lost", found) >= 1
    newest = engine.audit().data[0]
    assert (newest.action, newest.inputs["reason"]) == ("restore_database", "db1 was lost")
    assert breaches(engine) == []
    assert problems(engine) == []
    head = engine.audit_checkpoint()
    assert head.size >= newest.seq
    witnessed = FolderWitness(tmp_path / "witness").kept(head.origin)
    assert witnessed[0].size == head.size
    with context.database.read() as connection:
        logs = [*views.sizes(connection)]
    acts = (each for name in logs for each in _acts(engine, name))
    assert sorted(acts) == sorted(logs), "one act in each log"
    engine.close()


def _acts(engine: Engine, log: str) -> list[str]:
    with engine.context.database.read() as connection:
        found = views.about(connection, log, "database")
        return [log for each in found if each.action == "restore_database"]


def test_what_was_accepted_explains_no_other_head(
    postgres_server: PostgresServer, own_postgres_bank: str, tmp_path: Path
) -> None:
    engine = lost(postgres_server, own_postgres_bank, tmp_path, 0)
    accept_restore(engine.context, OPERATOR, "db1 was lost", find_restore(engine.context))
    grow(engine, 11, 5)
    engine.close()
    again = lost_once_more(postgres_server, engine, tmp_path)
    assert len(breaches(again)) == 2, "the folder's head and the one of this machine"
    again.close()


def lost_once_more(server: PostgresServer, engine: Engine, folder: Path) -> Engine:
    point = server.fresh(like=engine.context.database.url)
    newer = engine_on(engine.context.database.url, folder)
    grow(newer, 16, 4)
    newer.close()
    return engine_on(point, folder)


def test_a_reason_is_required_and_nothing_is_changed_without_one(
    postgres_server: PostgresServer, own_postgres_bank: str, tmp_path: Path
) -> None:
    engine = lost(postgres_server, own_postgres_bank, tmp_path, 0)
    before = breaches(engine)
    for reason in ("", " ", "x" * 201):
        with pytest.raises(ValidationFailed):
            accept_restore(engine.context, OPERATOR, reason, find_restore(engine.context))
    assert breaches(engine) == before
    engine.close()


def test_a_witness_over_http_is_explained_and_stays_its_operators(
    postgres_server: PostgresServer, own_postgres_bank: str, tmp_path: Path
) -> None:
    engine = engine_on(own_postgres_bank, tmp_path)
    keys = signing_keys.create(engine.context, OPERATOR)
    known = [keys.verifiers(f"{keys.deployment}/{log}")[0] for log in ("*", "default", "other")]
    engine.close()
    with running_witness(known) as running:
        witness = HttpWitness(running.address, (running.key,))
        engine = engine_on(own_postgres_bank, tmp_path, witness)
        grow(engine, 1, 4)
        engine.close()
        point = postgres_server.fresh(like=own_postgres_bank)
        engine = engine_on(own_postgres_bank, tmp_path, witness)
        grow(engine, 5, 4)
        engine.close()
        restored = engine_on(point, tmp_path, witness)
        accept_restore(restored.context, OPERATOR, "db1 lost", find_restore(restored.context))
        assert breaches(restored) == []
        assert "says that it was restored" in "\n".join(judge_heads(restored.context).notes)
        assert [running.address in each for each in problems(restored)] == [True]
        restored.close()
