"""Made-up customers and scripted searches for them: what people type when they remember a name, an
id or a number not quite as it's stored. No name is of the sample data.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chainteller.domain.ids import short
from chainteller.domain.randomness import Randomness, SeededRandomness, below

_GIVEN = (
    "Aaltje Bartholomew Branimir Cosima Désirée Dragoljub Eadwig Fearghal Gerlinde Ghislaine "
    "Hallgerður Ignatius Jozefína Kazimierz Leocadia Lysander Małgorzata Nikolaos Oyelaran "
    "Perpetua Quillon Rosalind Sigrún Thaddeus Ümit Vasilisa Wilhelmina Xanthippe Yngvildur "
    "Zdravko Christopher Elizabeth Jonathan Margarethe Alexandra"
)
_BEGIN = (
    "Ab Bran Cor Dev Esk Fjel Grim Hol Ingr Jan Krö Lund Mör Nys Øst Pel Qua Rød Sæl Tür Ulf "
    "Vät Wex Zöl"
)
_MIDDLE = "a be co di e fa go ha i ka li mo na o pe ra si ta u va"
_END = (
    "bach borg cliffe dahl fors grein heim kemper lund mark neß quist rath sen thorpe veld "
    "witz zahn"
)
_NICKNAMES = {
    "Christopher": "chris", "Elizabeth": "liz", "Jonathan": "jon", "Alexandra": "sandra",
    "Wilhelmina": "wilhelmina", "Bartholomew": "bartholomew",
}  # fmt: skip
_TRANSLITERATED = str.maketrans(
    {"ö": "oe", "ü": "ue", "ä": "ae", "ø": "oe", "Ø": "Oe", "ß": "ss", "æ": "ae", "Ü": "Ue"}
)
_BARE = str.maketrans("öüäøØéíúłðÜ", "ouaoOeiuldU")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Person:
    """A customer with a bank account."""

    number: int
    given: str
    last: str

    @property
    def id(self) -> str:
        return f"CUS_{self.number:022d}"

    @property
    def name(self) -> str:
        return f"{self.given} {self.last}"

    @property
    def bank_account_id(self) -> str:
        return f"DDA-{self.number + 70_000}"

    @property
    def reference(self) -> str:
        return f"KD-{self.number + 400_000}"


@dataclass(frozen=True, slots=True)
class Search:
    """A text, what should come first, and how the text was made."""

    text: str
    kind: str
    id: str
    how: str


def people(count: int, seed: str) -> list[Person]:
    """So many customers, whose names all differ."""
    randomness, found, seen = SeededRandomness(f"people {seed}"), list[Person](), set[str]()
    while len(found) < count:
        person = Person(len(found) + 1, _one(randomness, _GIVEN), _last(randomness))
        if person.name not in seen:
            seen.add(person.name)
            found.append(person)
    return found


def _last(randomness: Randomness) -> str:
    middle = _one(randomness, _MIDDLE) if below(randomness, 2) else ""
    more = _one(randomness, _MIDDLE) + "n" if below(randomness, 3) == 0 else ""
    return _one(randomness, _BEGIN) + middle + more + _one(randomness, _END)


def _one(randomness: Randomness, words: str) -> str:
    each = words.split()
    return each[below(randomness, len(each))]


def scripted(found: list[Person], trades: list[str], count: int, seed: str) -> Iterator[Search]:
    """So many searches, of each way in turn. ``trades`` are ids of trades."""
    randomness = SeededRandomness(f"searches {seed}")
    unique = _unique_initials(found)
    made = 0
    while made < count:
        person = found[below(randomness, len(found))]
        way = _WAYS[made % len(_WAYS)]
        if way is _initial and (person.given[0], person.last) not in unique:
            continue
        made += 1
        yield way(person, randomness, trades)


def _unique_initials(found: list[Person]) -> set[tuple[str, str]]:
    seen: dict[tuple[str, str], int] = {}
    for person in found:
        key = (person.given[0], person.last)
        seen[key] = seen.get(key, 0) + 1
    return {key for key, count in seen.items() if count == 1}


def misspelt(word: str, edits: int, randomness: Randomness) -> str:
    """A word after some edits; the first letter stays."""
    for _ in range(edits):
        at = 1 + below(randomness, max(1, len(word) - 2))
        letter = _LETTERS[below(randomness, 26)]
        word = (
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :],
        )[below(randomness, 4)]
    return word


def _of(person: Person, text: str, how: str) -> Search:
    return Search(text, "customer", person.id, how)


def _as_stored(person: Person, _: Randomness, __: list[str]) -> Search:
    return _of(person, person.name.lower(), "as stored")


def _one_edit(person: Person, randomness: Randomness, _: list[str]) -> Search:
    last = misspelt(person.last.lower(), 1, randomness)
    return _of(person, f"{person.given.lower()} {last}", "one edit")


def _two_edits(person: Person, randomness: Randomness, _: list[str]) -> Search:
    last = misspelt(person.last.lower(), 2, randomness)
    return _of(person, f"{person.given.lower()} {last}", "two edits")


def _both_misspelt(person: Person, randomness: Randomness, _: list[str]) -> Search:
    given = misspelt(person.given.lower(), 1, randomness)
    return _of(person, f"{given} {misspelt(person.last.lower(), 1, randomness)}", "both misspelt")


def _swapped(person: Person, _: Randomness, __: list[str]) -> Search:
    return _of(person, f"{person.last.lower()}, {person.given.lower()}", "swapped")


def _initial(person: Person, randomness: Randomness, _: list[str]) -> Search:
    given, last = person.given[0].lower(), person.last.lower()
    return _of(person, (f"{given}. {last}", f"{last} {given}")[below(randomness, 2)], "initial")


def _transliterated(person: Person, _: Randomness, __: list[str]) -> Search:
    return _of(person, person.name.translate(_TRANSLITERATED).lower(), "transliterated")


def _without_accents(person: Person, _: Randomness, __: list[str]) -> Search:
    return _of(person, person.name.replace("ß", "ss").translate(_BARE), "without accents")


def _nickname(person: Person, _: Randomness, __: list[str]) -> Search:
    given = _NICKNAMES.get(person.given, person.given.lower())
    return _of(person, f"{given} {person.last.lower()}", "nickname")


def _number(person: Person, randomness: Randomness, _: list[str]) -> Search:
    number = person.bank_account_id.removeprefix("DDA-")
    texts = (
        f"dda{number}",
        f"DDA {number}",
        f"dda - {number}",
        number,
        f"{person.bank_account_id}?",
    )
    text = texts[below(randomness, len(texts))]
    return Search(text, "bank-account", person.bank_account_id, "number")


def _reference(person: Person, randomness: Randomness, _: list[str]) -> Search:
    bare = person.reference.replace("-", ("", " ")[below(randomness, 2)]).lower()
    return _of(person, bare, "reference")


def _short_id(_: Person, randomness: Randomness, trades: list[str]) -> Search:
    trade = trades[below(randomness, len(trades))]
    texts = (short(trade), short(trade).lower(), trade.replace("_", "-"), trade.replace("_", " "))
    return Search(texts[below(randomness, len(texts))], "trade", trade, "id")


def _sentence(person: Person, randomness: Randomness, trades: list[str]) -> Search:
    trade = trades[below(randomness, len(trades))]
    if below(randomness, 2):
        text = f"Hello, my order {short(trade)} from last week is still missing, please help."
        return Search(text, "trade", trade, "sentence with an id")
    return _of(person, f"please find the account of {person.name}", "sentence with a name")


_WAYS: tuple[Callable[[Person, Randomness, list[str]], Search], ...] = (
    _as_stored, _one_edit, _two_edits, _both_misspelt, _swapped, _initial, _transliterated,
    _without_accents, _nickname, _number, _reference, _short_id, _sentence,
)  # fmt: skip
