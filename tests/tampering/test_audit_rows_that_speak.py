"""Which audit rows of the released build speak for rows that are not as they were sealed."""

from hypothesis import given
from hypothesis import strategies as st

from chainteller.engine.checks.unsealed import CHANGED, Sought, Stretch, Wrong
from chainteller.storage.tables import Tables

LAST = 12
WORDS = st.frozensets(st.sampled_from("abcd"), max_size=3)
NUMBERS = st.integers(0, LAST)
SOUGHT = st.lists(st.tuples(NUMBERS, NUMBERS, WORDS), max_size=8)
AUDITED = st.lists(st.tuples(st.integers(1, LAST), WORDS, st.none() | NUMBERS), max_size=LAST)


@given(SOUGHT, AUDITED)
def test_a_row_is_found_if_one_audit_row_of_its_stretch_speaks_for_it(
    rows: list[tuple[int, int, frozenset[str]]],
    audited: list[tuple[int, frozenset[str], int | None]],
) -> None:
    """Each row and audit row are compared here, which takes too long in a bank."""
    named = [Wrong(Tables.quote, str(at), CHANGED) for at in range(len(rows))]
    stretches = [Stretch(min(pair), max(pair)) for *pair, _ in rows]
    words = [said for *_, said in rows]
    numbered = {seq: (said, LAST if upto is None else upto) for seq, said, upto in audited}
    sought = Sought(zip(named, stretches, words, strict=True))
    for seq in sorted(numbered):
        sought.hear(seq, *numbered[seq])
    assert sought.found == {
        each
        for each, (after, found), mine in zip(named, stretches, words, strict=True)
        for seq, (said, upto) in numbered.items()
        if after < seq <= found <= upto and mine & said
    }
