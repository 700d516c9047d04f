"""Uniform Resources (BCR-2020-005), in which air-gapped wallets show signatures: bytewords, CBOR.

Only as much of CBOR as these need: integers, byte and text strings, arrays, maps and tags.
"""

import zlib
from collections.abc import Iterator

WORDS = (
    "ableacidalsoapexaquaarchatomauntawayaxisbackbaldbarnbeltbetabiasbluebodybragbrewbulbbuzzcalm"
    "cashcatschefcityclawcodecolacookcostcruxcurlcuspcyandarkdatadaysdelidicedietdoordowndrawdrop"
    "drumdulldutyeacheasyechoedgeepicevenexamexiteyesfactfairfernfigsfilmfishfizzflapflewfluxfoxy"
    "freefrogfuelfundgalagamegeargemsgiftgirlglowgoodgraygrimgurugushgyrohalfhanghardhawkheathelp"
    "highhillholyhopehornhutsicedideaidleinchinkyintoirisironitemjadejazzjoinjoltjowljudojugsjump"
    "junkjurykeepkenokeptkeyskickkilnkingkitekiwiknoblamblavalazyleaflegsliarlimplionlistlogoloud"
    "loveluaulucklungmainmanymathmazememomenumeowmildmintmissmonknailnavyneednewsnextnoonnotenumb"
    "obeyoboeomitonyxopenovalowlspaidpartpeckplaypluspoempoolposepuffpumapurrquadquizraceramprealred"
    "orichroadrockroofrubyruinrunsrustsafesagascarsetssilkskewslotsoapsolosongstubsurfswantacotaskta"
    "xitenttiedtimetinytoiltombtoystriptunatwinuglyundouniturgeuservastveryvetovialvibeviewvisavoidvo"
    "wswallwandwarmwaspwavewaxywebswhatwhenwhizwolfworkyankyawnyellyogayurtzapszerozestzinczonezoom"
)
_BY_ENDS = {WORDS[start] + WORDS[start + 3]: start // 4 for start in range(0, len(WORDS), 4)}
_MOST_ITEMS = 200


def decode_ur(text: str) -> object:
    """The CBOR value of a single-part UR in minimal bytewords; None where it isn't one."""
    letters = text.lower().rpartition("/")[2]
    pairs = [letters[start : start + 2] for start in range(0, len(letters), 2)]
    if any(pair not in _BY_ENDS for pair in pairs):
        return None
    data = bytes(_BY_ENDS[pair] for pair in pairs)
    body, checksum = data[:-4], data[-4:]
    if zlib.crc32(body).to_bytes(4, "big") != checksum:
        return None
    try:
        return _Cbor(body).value()
    except (ValueError, IndexError, RecursionError):
        return None


def byte_strings(value: object) -> Iterator[bytes]:
    """All byte strings of at least 60 bytes in a value."""
    if isinstance(value, bytes):
        if len(value) >= 60:
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from byte_strings(each)


class _Cbor:
    def __init__(self, data: bytes) -> None:
        self._data, self._position, self._items = data, 0, 0

    def value(self) -> object:
        """A value; maps and tags are lists of what they hold. Raises ValueError or IndexError."""
        self._items += 1
        if self._items > _MOST_ITEMS:
            raise ValueError("too many items")
        kind, number = self._head()
        if kind in {2, 3}:
            piece = self._data[self._position : self._position + number]
            self._position += number
            if len(piece) != number:
                raise ValueError("too short")
            return piece if kind == 2 else piece.decode("utf-8", "replace")
        if kind == 4:
            return [self.value() for _ in range(min(number, _MOST_ITEMS))]
        if kind == 5:
            return [self.value() for _ in range(min(2 * number, _MOST_ITEMS))]
        return self.value() if kind == 6 else number

    def _head(self) -> tuple[int, int]:
        first = self._data[self._position]
        self._position += 1
        kind, size = first >> 5, first & 31
        if size < 24:
            return kind, size
        if size > 27:
            raise ValueError("indefinite length")
        width = 1 << (size - 24)
        piece = self._data[self._position : self._position + width]
        self._position += width
        return kind, int.from_bytes(piece, "big")
