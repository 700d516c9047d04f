"""The stored form of entries."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.world.engines import make_world

from chainteller.domain.audit_chain import canonical
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.randomness import Randomness, SeededRandomness, below
from chainteller.storage import log, packing, sealing
from chainteller.storage.rows import Seal
from chainteller.storage.tables import Tables

ENTRY_ID = log.new_id(1_763_700_000_000_000)
SEALS = ("+c/JfUQe71jLmRNlgRuTug", "a4oNhq9w84EYTHC+uVGSkJXRhdV6NN6h", "ABCDEFGHIJKLMNOPQRSTUV")
IDS = ("TXN_DW41G1WAY90XJFG560TXCG", "TDA_F67N5J04A8150G8KZ45TMY", "QTE_ZZZZZZZZZZZZZZZZZZZZZZ")
WORDS = (
    *("", "a", "$#!^~%", "\x01\x02\x10", "\u00e9\u4e2d", '"', "\\", "RUL_e9b8a918105958994968bd35"),
    *("log", '"log":"default"', '"at":1763700000000000,', ENTRY_ID, "default"),
    *(f"{IDS[0]}:hold", f"{IDS[0]}A", IDS[1].lower(), "_" + "0" * 24, "=" * 22, "A" * 32),
)


def made(draw: Randomness) -> object:
    kind = below(draw, 8)
    if kind < 3:
        return (SEALS + IDS + WORDS)[below(draw, len(SEALS + IDS + WORDS))]
    if kind == 3:
        return new_id(Prefix.TRANSACTION, draw)
    if kind == 4:
        return (None, True, 0, -1, 10**20, 1_763_700_000_000_000)[below(draw, 6)]
    if kind == 5:
        return {WORDS[below(draw, len(WORDS))]: made(draw) for _ in range(3)}
    return [made(draw) for _ in range(below(draw, 5))]


def test_whatever_is_packed_comes_back_exactly() -> None:
    draw = SeededRandomness("packing")
    for _ in range(400):
        parts = {"rows": [made(draw) for _ in range(below(draw, 60))], "x": made(draw)}
        body = canonical({"at": 1_763_700_000_000_000, "id": ENTRY_ID, "log": "default"} | parts)
        if below(draw, 2):
            body += "\n" + canonical(
                {"after": below(draw, 10**9), "inner": "0f" * 32, "x": made(draw)}
            )
        packed = packing.pack(body, ENTRY_ID, "default")
        assert packing.unpack(packed, ENTRY_ID, "default") == body
        place = below(draw, len(packed))
        altered = packed[:place] + bytes([packed[place] ^ 1 << below(draw, 8)])
        assert packing.body(altered + packed[place + 1 :], ENTRY_ID, "default") == ""
        assert packing.body(packed[:place], ENTRY_ID, "default") == ""


def test_the_dictionary_is_the_one_with_which_entries_were_packed() -> None:
    known = "0ec1170d441cf957"
    assert sha256(packing._dictionary()).hexdigest()[:16] == known


@pytest.mark.parametrize("text", ['{"a":"\u00e9"}', '{"a":"\x01"}'])
def test_what_is_no_canonical_json_has_no_stored_form(text: str) -> None:
    with pytest.raises(ValueError, match="canonical"):
        packing.pack(text, ENTRY_ID, "default")


def test_seals_are_the_same_in_every_build() -> None:
    """BLAKE2b of 24 bytes under the salt; 16 of them in base64. Whatever the salt is."""
    assert sealing.seal("ABCDEFGHIJKLMNOPQRSTUV", b"cells") == "d5IuLZzsHrGw/ujXQdg7aw"
    assert sealing.seal(None, b"cells") == "WvwUlrBrQI0+jTLrG3f1Sg"
    assert sealing.seal("A" * 65, b"cells") == sealing.seal("A" * 64, b"cells")


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("a B@c 3", {"code": "a", "asset": "B@c", "account_version": 3}),
        ("a B@c x", None),
        ("a B@c", None),
        ("a B@c 3 4", None),
    ],
)
def test_what_is_no_key_of_a_row_is_none(key: str, found: dict[str, object] | None) -> None:
    assert sealing.form(Tables.posting).primary_key(key) == found


@pytest.mark.parametrize(
    ("sealed", "has_salt"),
    [
        ((), True),
        (("quote", "posting", "event"), True),
        (("quote", "audit"), False),
        (("trading_account",), False),
    ],
)
def test_a_second_line_is_never_without_something_secret(
    sealed: Sequence[str], *, has_salt: bool
) -> None:
    stamp = log.Stamp("default", 1_763_700_000_000_000, "worker")
    seals = {("transfer", "gone"): Seal("transfer", "gone", None, {}, SEALS[0])}
    seals |= {(table, "1"): Seal(table, "1", SEALS[0], {}) for table in sealed}
    ((_, body),) = log.bodies(stamp, (), {None: seals})["default"]
    assert ("salt" in log.read(body.encode())) is has_salt


def test_the_entry_of_an_audit_row_is_found_by_its_instant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(tmp_path / "bank.db")
    world.open()
    world.deposit("500.00")
    world.buy("50.00")
    world.settle()
    monkeypatch.setattr(log, "entries", lambda *_: iter(()))  # the whole log, which comes next
    with world.database.read() as connection:
        rows = connection.execute(text("SELECT seq, action FROM audit")).all()
        for row in rows:
            found = log.entries_about(connection, "default", row.seq, row.seq)
            assert any(f'"op":"{row.action}"' in body for _, body in found), row
    assert len(rows) > 5
    world.close()
