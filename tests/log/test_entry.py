"""The form of an entry: what it says is what is read, and nothing else is."""

from hashlib import sha256

import pytest

from chainteller.domain import merkle
from chainteller.domain.randomness import SeededRandomness
from chainteller.storage.log import entry
from chainteller.storage.log.entry import Act, Leg, Posted, Stamp, Told
from chainteller.storage.log.sealing import Seal

ACT = Act(
    "execute_quote",
    "m.okafor",
    "TXN_1",
    "TDA_1",
    {"quoteId": "QTE_1"},
    events=(Told("trade.executed", "TXN_1", {"status": "processing"}),),
    rows=(
        Seal("trade", "TXN_1", "a" * 22, {"sold": 100}),
        Seal("quote", "QTE_1", "b" * 22, {"status": "executed"}, "c" * 22),
        Seal("idempotency", "default execute_quote k", None, {}, "d" * 22),
    ),
    journals=(
        Posted(
            "hold",
            "TXN_1",
            7,
            (
                Leg("customer:TDA_1:available", "USD@fiat", -100, 3, 900),
                Leg("custody", "USD@fiat", -100),
            ),
        ),
    ),
)
BODY = entry.body("default", 9, ACT, Stamp("KEY_1", "RUL_1"), SeededRandomness("1"))
STORED = (
    "018d98cb0e82301045ffa56b355489a44be5a122be5011dc1828a08610d4f092c47f178909148b3a9b6e9ae9a473"
    "a7cd3df5d982e0072d44efbefa9dc033dde01ffc0d9bcc26d93a91e31dcbc65a94ea2c7f180f223f6395e5251512"
    "7563cf6f4bc9d85dacfec939dc8d3cb1e7bcaa988a4651f2d7998365d3119e697c28aff4bd206d71781b9a7a3852"
    "db29427184b83d17b2264e7c3b56c42d209c26a4cb85a086f91eee831b42c213569c651b320c68f55a00e52be932"
    "ebbb28bcd029cf0426358a4b2fb495a778d419626115a8d1c8a53135c0bf58ceab3c5836354045c968a3ae5dff3c"
    "e04fabe0284bd79ab2c91f0f56248db36ce231ddc4bd62e5be88cfe0f104"
)
DICTIONARY = "83226a69fbff0746111458a49ff710927a3de7dc81fa26bb4666cedec75e8801"


def test_what_an_entry_says_is_read_again() -> None:
    found = entry.read(4, BODY)
    assert found[:10] == (
        "default", 4, 9, "execute_quote", "m.okafor", "TXN_1", "TDA_1", "KEY_1", None, 9,
    )  # fmt: skip
    assert (found.events, found.journals, found.inputs) == (ACT.events, ACT.journals, ACT.inputs)
    assert found.rows == [
        ["trade", "TXN_1", "a" * 22, {"sold": 100}],
        ["quote", "QTE_1", "b" * 22, {"status": "executed"}, "c" * 22],
        ["idempotency", "default execute_quote k", None, {}, "d" * 22],
    ]


def test_what_was_stored_once_is_read_for_ever() -> None:
    """Another dictionary, or another order of anything, is another form with a name of its own."""
    assert entry.unpack(entry.pack(BODY)) == BODY
    assert entry.unpack(bytes.fromhex(STORED)) == BODY
    assert entry.opened(4, bytes.fromhex(STORED)) == entry.read(4, BODY)


def test_the_dictionary_never_changes() -> None:
    """Any byte of it may stand in some entry, also one that no entry here uses."""
    assert sha256(entry._DICTIONARY).hexdigest() == DICTIONARY


def test_an_entry_of_another_version_or_form_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="version 2, which this build doesn't know"):
        entry.read(4, BODY.replace(b'"v":1', b'"v":2'))
    with pytest.raises(ValueError, match="an entry of an unknown form"):
        entry.unpack(b"\x02" + entry.pack(BODY)[1:])


def test_only_the_one_form_is_read() -> None:
    first, second, third = BODY.split(b"\n")
    for wrong in (
        BODY.replace(b'"v":1', b'"v":2'),
        BODY + b" ",
        b"\n".join((first, second)),
        b"\n".join((first, second.replace(b"100", b"101"), third)),
        b"\n".join((first, second, third.replace(b"QTE_1", b"QTE_2"))),
        b"\n".join((first, third, third)),
        b"7",
        b"{",
        b"",
    ):
        with pytest.raises(ValueError):
            entry.read(4, wrong)
    stored = entry.pack(BODY)
    for wrong in (b"", b"\x02" + stored[1:], stored[:-1], stored + b"\0", b"\x01not deflate"):
        with pytest.raises(ValueError):
            entry.unpack(wrong)


def test_an_entry_without_its_inputs_keeps_its_leaf() -> None:
    rest = entry.erased(BODY)
    assert b"quoteId" not in rest
    assert entry.leaf_of(rest) == entry.leaf_of(BODY) == merkle.leaf_hash(BODY.split(b"\n")[0])
    found = entry.read(4, rest)
    assert found.inputs is None
    assert found._replace(inputs=ACT.inputs) == entry.read(4, BODY)


def test_nothing_can_be_tried_out_against_the_hashes_of_a_proof() -> None:
    """What is shown has the hashes of two lines, each of which has a secret of its own."""
    seeds = [SeededRandomness(seed) for seed in ("1", "2")]
    plain = Act("deposit", "m.okafor", rows=(Seal("trade", "TXN_1", "a" * 22, {}),))
    told = [entry.body("default", 9, plain, Stamp(), seed).split(b"\n") for seed in seeds]
    assert told[0][1] != told[1][1]
    assert told[0][2] != told[1][2]


def test_events_are_numbered_and_named_by_their_entry() -> None:
    leaf = entry.leaf_of(BODY)
    names = [entry.event_id(leaf, place) for place in range(entry.EVENTS_PER_ACT)]
    assert len({*names, entry.event_id(leaf[::-1], 0)}) == entry.EVENTS_PER_ACT + 1
    numbers = [
        entry.seq_of(number, place) for number in (1, 2, 3) for place in range(entry.EVENTS_PER_ACT)
    ]
    assert numbers == sorted({*numbers})
    assert {entry.number_of(each) for each in numbers[entry.EVENTS_PER_ACT : -1]} == {2, 3}
    many = ACT._replace(events=ACT.events * (entry.EVENTS_PER_ACT + 1))
    with pytest.raises(ValueError, match="65 events"):
        entry.body("default", 9, many, Stamp(), SeededRandomness("1"))
