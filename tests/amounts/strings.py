"""Strings that are nearly amounts, and an oracle of its own that says which of them are."""

from collections.abc import Iterator
from random import Random  # noqa: TID251 - strings that can be made again from a seed

from tests.domain.test_money import MALFORMED
from tests.tui.hostile_service import HOSTILE

KNOWN = (
    "1", "1.5", "1.50", "0.01", "7.00", "1500", "1,500.00", "12,345", "1,234,567.89", "999,999",
    "1,50", "12,34.56", "1,2345", "0,123", "1e3", "2e1", "-7", "+7", "--7", "5k", "1'000",
    "1.000,00", "1,000,00", ",500", "1,", "1,.5", "1,000.", "1,000,", "1,,000", "1234,567", "00",
    "007", "0.0", "1.001", "1.000", "0,001", "1_000", "1 000", "1\u202f000", "\u0661\u0662",
    "\uff11", "1\uff0c000", "1\u066b50", "\u22127", "$5", "5 USD", "0x10", "1/2", "1.2.3", "1.5.",
    ".5", "5.", ".", ",", "9" * 38, "9" * 39, "1" + ",000" * 12, "1" + ",000" * 13,
    "0." + "0" * 17 + "1", "1." + "0" * 18, "1." + "0" * 19, " 1", "1 ", "1\t", "\t1", "1\n",
    "1\u00a0", "\u200b1", "1\u200b",
)  # fmt: skip
_SIGNS = "0123456789,,..  -+eEkKmM_'\u00a0\u202f\u0661\uff11\uff0c\u066b\u2212$\u200b/x"


def made(seed: int, count: int) -> list[str]:
    """``count`` strings: known ones, hostile ones, and amounts of the grammar with mutations."""
    strings = [*KNOWN, *MALFORMED, *HOSTILE]
    random = Random(seed)  # noqa: S311 - no secret
    shuffled = random.sample(strings, min(len(strings), count // 2))
    return [*shuffled, *(_mutated(random) for _ in range(count - len(shuffled)))]


def _mutated(random: Random) -> str:
    text = _amount(random)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        place = random.randrange(len(text) + 1)
        match random.randrange(5):
            case 0:
                text = text[:place] + random.choice(_SIGNS) + text[place:]
            case 1:
                text = text[:place] + text[place + 1 :]
            case 2:
                text = text[:place] + random.choice(_SIGNS) + text[place + 1 :]
            case 3:
                text = text[:place] + text[place:][:2] + text[place:]
            case _:
                text = text[place:] + text[:place]
    return text


def _amount(random: Random) -> str:
    digits = random.choice((1, 2, 3, 4, 5, 6, 7, 9, 12, 37, 38, 39))
    whole = random.choice(("", "", "", "0")) + str(random.randrange(10 ** (digits - 1), 10**digits))
    if random.random() < 0.5:
        whole = f"{int(whole):,}"
    decimals = random.choice((0, 0, 1, 2, 2, 2, 3, 6, 9, 18, 19))
    fraction = "".join(random.choice("0123456789") for _ in range(decimals))
    return f"{whole}.{fraction}" if fraction else whole


def oracle(text: str, decimals: int, *, groups: bool) -> int | None:
    """The atoms of an amount, or None: read character by character, without the product's code."""
    whole, point, fraction = text.partition(".")
    if groups and "," in whole:
        first, *more = whole.split(",")
        if first[:1] == "0" or not 1 <= len(first) <= 3 or any(len(each) != 3 for each in more):
            return None
        whole = "".join((first, *more))
    if not _digits(whole) or len(whole) > 38 or (whole[0] == "0" and whole != "0"):
        return None
    if point and not (_digits(fraction) and len(fraction) <= min(18, decimals)):
        return None
    atoms = int(whole) * 10**decimals + int((fraction + "0" * decimals)[:decimals] or "0")
    return atoms or None


def _digits(text: str) -> bool:
    return bool(text) and all(one in "0123456789" for one in text)


def typeable(texts: list[str]) -> Iterator[str]:
    """Those that a keyboard can type: every character is printable."""
    return (text for text in texts if text and all(one.isprintable() for one in text))
