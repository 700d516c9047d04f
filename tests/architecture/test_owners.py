"""Every table says whose its rows are, and how they move with their organisation."""

from chainteller.storage.owners import OWNERS, Moves
from chainteller.storage.sealing import own_tables, sealed_tables


def test_every_table_says_whose_its_rows_are() -> None:
    silent = [table.name for table in own_tables() if table not in OWNERS]
    assert not silent, f"no line in OWNERS of storage/owners.py: {', '.join(silent)}"
    assert len(OWNERS) == len(own_tables())


def test_what_names_an_organisation_or_is_sealed_moves_unless_it_is_the_deployments() -> None:
    stays = {table.name for table, owner in OWNERS.items() if owner and owner.moves is Moves.NOT}
    assert stays == {"archived_leaves", "checkpoint", "unnumbered"}
    sealed = {table.name for table in sealed_tables() if OWNERS[table] is None}
    assert sealed == {"arrival", "clock", "departure", "market_control", "rule"}
    for table, owner in OWNERS.items():
        if owner is not None:
            assert owner.column in table.columns
            assert owner.parents or "organisation_id" in table.columns or owner.column == "id"
