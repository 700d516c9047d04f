"""Find records by whatever somebody typed, said or pasted: the best match first.

The database names a bounded number of candidates (``storage/lists/search.py`` and the indexes of
ids, amounts and times); how well each matches is judged here. Ids come before references and
numbers, these before names, and names before amounts and days.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from chainteller.domain import search_texts
from chainteller.domain.actors import Actor
from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD
from chainteller.domain.clock import DAY, format_instant, from_datetime, to_datetime
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import Bucket, customer
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.periods import Days, midnight
from chainteller.domain.policy import CasePolicy
from chainteller.domain.search_texts import Ends, Subject, Wanted, folded, name_words
from chainteller.domain.trades import QuoteStatus
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import answers
from chainteller.engine.core.unit_of_work import now
from chainteller.paths import shipped
from chainteller.service import operations
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.finding import FindQuery, Found
from chainteller.service.models.pages import Page
from chainteller.storage.db.query import Record, Session
from chainteller.storage.lists import finding as rows
from chainteller.storage.lists import search
from chainteller.storage.lists.search import Hit
from chainteller.storage.lists.vocabulary import EXACT, Match
from chainteller.storage.log import ledger, views
from chainteller.storage.log.entry import Entry
from chainteller.storage.queries import quotes

MOST = 100
"""Records that are found at most."""
_MOST_TEXT = 200
_MOST_WORDS = 8
_MOST_PEOPLE = 300
_WORDS_AT_ONCE = 25
_SHOWN_ACCOUNTS = 3
"""People whose accounts and records are shown, too."""
_EXACT_ID, _SHORT_ID, _PART_OF_ID = 100, 99, 85
_EXACT_KEY, _PART_OF_KEY, _END_OF_KEY = 98, 82, 80
_OWN, _NUMBERED = 3, 2
"""How much better a record matches that has a number beside its customer's name, and how much
better that customer does."""
_AS_LIKELY, _MOST_NUMBERED = 15, 50
"""Points within the best match, and people, whose numbers are looked at."""
_BELOW = 12
"""How much lower than their customer accounts stand."""
_AMOUNT, _ON_DAY = 60, 50
_BELOW_AMOUNTS = 45
_CASE_SIGN = "#"
_NAMED_ACTORS = 3
_LEAST_SCORE, _GOOD_SCORE = 45, 80
_NICKNAME = 0.93
_INITIAL = 0.9
_STRONG = 0.88
_LEAST_LIKENESS = 0.6
_OF_NAME = 0.08
_OUT_OF_ORDER = 0.01
_SCOPES: Mapping[str, str] = {
    "quote": "trading:quote",
    "counterparty": "wallets:read",
    "blockchain-account": "wallets:read",
}
"""What an API key needs to see a kind, besides what finding itself needs. Cases need the trail."""
_KINDS_OF_PREFIX: Mapping[str, tuple[str, ...]] = {
    Prefix.CUSTOMER: ("customer",),
    Prefix.TRADING_ACCOUNT: ("trading-account",),
    Prefix.TRANSACTION: ("trade", "transfer"),
    Prefix.QUOTE: ("quote",),
    Prefix.COUNTERPARTY: ("counterparty",),
    Prefix.BLOCKCHAIN_ACCOUNT: ("blockchain-account",),
}


@dataclass(slots=True)
class _Finds:
    """What was found, each record once, with its best score."""

    scores: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)
    known: dict[tuple[str, str], Record] = field(default_factory=dict)

    def add(self, kind: str, record_id: str, score: float, matched: str) -> None:
        before = self.scores.get((kind, record_id))
        if before is None or before[0] < score:
            self.scores[kind, record_id] = (score, matched)

    def add_row(self, kind: str, row: Record, score: float, matched: str) -> None:
        self.known[kind, row.id] = row
        self.add(kind, row.id, score, matched)


@answers(operations.FIND)
def find(context: EngineContext, actor: Actor, query: FindQuery) -> Page[Found]:
    """Everything that matches, the best match first. Raises ValidationFailed without a text."""
    text = "".join(sign if sign.isprintable() else " " for sign in query.text)[:_MOST_TEXT]
    text = text.encode("utf-8", "ignore").decode().strip()
    if not text:
        raise ValidationFailed.of("query", "Say what to look for.", "REQUIRED")
    with context.database.read() as connection:
        finder = _Finder(connection, actor.organisation, now(context, connection))
        sees_trail = actor.may(operations.AUDIT.scope)
        is_case = sees_trail and finder.look_for_case(text.removeprefix(_CASE_SIGN).strip())
        if not is_case and not text.startswith(_CASE_SIGN):
            finder.look_for(search_texts.read(text, to_datetime(finder.at).date()))
        found = finder.found()
    allowed = [
        each
        for each in found
        if actor.scopes is None or _SCOPES.get(each.kind, "accounts:read") in actor.scopes
    ]
    return Page[Found].whole(tuple(allowed[:MOST]))


class _Finder:
    """One search in one snapshot."""

    def __init__(self, connection: Session, organisation_id: str, at: int) -> None:
        self._connection = connection
        self._organisation_id = organisation_id
        self.at = at
        self._finds = _Finds()

    def look_for_case(self, text: str) -> bool:
        """Whom and what a case's newest entries are about, and who made them; whether it has any.
        The number may be typed in lower case."""
        connection, of = self._connection, self._organisation_id
        for case_id in dict.fromkeys((text, text.upper())):
            if not CasePolicy().accepts(case_id):
                continue
            entries, total = views.of_case(connection, of, case_id, MOST)
            if entries:
                case = _Case(case_id, _case_title(entries, total), entries[0].when)
                self._finds.add_row("case", case, _EXACT_ID, case_id)
                self._touched_for(case_id, entries)
                return True
        return False

    def _touched_for(self, case_id: str, entries: Sequence[Entry]) -> None:
        connection, of = self._connection, self._organisation_id
        touched: dict[str, tuple[float, str]] = {}
        for at, entry in enumerate(entries):
            how = _EXACT_KEY - at / MOST, _told_of_case(case_id, entry)
            for record_id in filter(None, (entry.object, entry.account)):
                touched.setdefault(record_id, how)
        for kind in ("trade", "transfer", "quote", "counterparty", "blockchain-account"):
            for row in rows.of_kind(connection, of, kind, list(touched)):
                self._finds.add_row(rows.kind_of(kind, row), row, *touched[row.id])
        for row in rows.of_kind(connection, of, "trading-account", list(touched)):
            score, matched = touched[row.id]
            self._finds.add_row("trading-account", row, score + 1, matched)
            self._finds.add("customer", row.customer_id, score + 1.5, matched)

    def look_for(self, wanted: Wanted) -> None:
        for ends in wanted.ids:
            self._by_id(ends)
        for ends in wanted.ends:
            hits = search.by_ends(self._connection, self._organisation_id, ends, MOST)
            self._add_hits(hits, _SHORT_ID)
        subject = search_texts.subject_of(wanted.words)
        self._by_key(wanted.keys, lower=_BELOW_AMOUNTS if subject.is_money else 0)
        has_record = any(score >= _SHORT_ID for score, _ in self._finds.scores.values())
        people = [] if has_record else self._people(wanted)
        numbered = self._with_numbers(people, wanted)
        people = sorted(
            (numbered.get(person.id, person) for person in people),
            key=lambda each: (-each.score, each.name, each.id),
        )
        for person in people:
            self._finds.add("customer", person.id, person.score, person.matched)
        self._accounts_of(people[:_SHOWN_ACCOUNTS])
        if not numbered and not has_record and (not people or wanted.amounts or wanted.days):
            self._anywhere(wanted, subject)

    # Ids, references and addresses

    def _by_id(self, ends: Ends) -> None:
        prefix = ends.begin.partition("_")[0]
        for kind in _KINDS_OF_PREFIX.get(prefix, ()):
            found = rows.with_id(self._connection, self._organisation_id, kind, ends, MOST)
            for row in found:
                is_whole = row.id == ends.begin and not ends.end
                score = _EXACT_ID if is_whole else _PART_OF_ID + min(10, len(ends.begin) - 4)
                if ends.end:
                    score = _SHORT_ID
                elif not is_whole and len(ends.begin) < len(prefix) + 5:
                    score -= 20
                self._finds.add_row(rows.kind_of(kind, row), row, score, row.id)

    def _by_key(self, keys: Sequence[str], *, lower: float) -> None:
        """``lower`` is how much lower a part of an id stands where numbers are amounts."""
        if not keys:
            return
        connection, organisation_id = self._connection, self._organisation_id
        for hit in search.by_key(connection, organisation_id, keys):
            # The longest key that stands in the text is what was meant.
            self._add_hits([hit], _EXACT_KEY - 5 / len(hit.key))
        for key in keys[:_MOST_WORDS]:
            begun = search.by_beginning(connection, organisation_id, key, MOST)
            self._add_hits(begun, _PART_OF_KEY - lower, part=key)
            ended = search.by_end(connection, organisation_id, key, MOST)
            self._add_hits(ended, _END_OF_KEY - lower, part=key)

    def _add_hits(self, hits: Iterable[Hit], score: float, part: str = "") -> None:
        for hit in hits:
            share = 12 * len(part) / len(hit.key) if part else 0
            self._finds.add(hit.kind, hit.id, score + share, hit.id)

    # People

    def _people(self, wanted: Wanted) -> list["_Person"]:
        known = search.vocabulary(self._connection, self._organisation_id)
        words = [*wanted.words, *(number for number in wanted.numbers if number in known)]
        tokens = [word for word in dict.fromkeys(words) if word not in stop_words()]
        if all(len(token) == 1 for token in tokens):  # initials and digits name nobody alone
            tokens = list(dict.fromkeys(words))
        tokens = tokens[:_MOST_WORDS]
        typed = self._meant(tokens, forgiving=False)
        people = self._named(words, tokens, typed)
        odd = [token for token, found in typed.items() if EXACT not in found.values()]
        is_complete = all(typed.values())
        for some in (odd, tokens):
            if is_complete and people and people[0].score >= _GOOD_SCORE:
                break
            if some:
                meant = typed | self._meant(some, forgiving=True)
                people = self._named(words, tokens, meant)
                is_complete = True
        return people

    def _meant(self, tokens: Sequence[str], *, forgiving: bool) -> dict[str, dict[str, float]]:
        """The words of names that each typed word may stand for; initials stand for many."""
        known = search.vocabulary(self._connection, self._organisation_id)
        meant: dict[str, dict[str, float]] = {}
        for token in tokens:
            if len(token) > 1:
                likely = [*_by_nickname(token), *known.matches(folded(token), forgiving=forgiving)]
                meant[token] = _best(each for each in likely if each.word in known)
        return meant

    def _named(
        self, words: Sequence[str], tokens: list[str], meant: dict[str, dict[str, float]]
    ) -> list["_Person"]:
        """The people whose names match best."""
        names = {token: found for token, found in meant.items() if found}
        if not names:
            return []
        is_sentence = len(words) > len(tokens) or len(names) < len(meant) or len(tokens) > 3
        ids = self._candidates(list(names.values()))
        found = rows.customers(self._connection, ids)
        people = [_judged(row, tokens, names, is_sentence=is_sentence) for row in found]
        good = [person for person in people if person.score >= _LEAST_SCORE]
        for row in found:
            self._finds.known["customer", row.id] = row
        return sorted(good, key=lambda each: (-each.score, each.name, each.id))[:MOST]

    def _candidates(self, meant: list[dict[str, float]]) -> list[str]:
        """Customers whose names have a word for each of the words that were meant or, where there
        is none, for some of them."""
        strong = [[word for word, how in each.items() if how >= _STRONG] for each in meant]
        found: dict[str, None] = {}
        if all(strong):
            found |= dict.fromkeys(self._with(strong))
        found |= dict.fromkeys(self._with([list(each) for each in meant]))
        count = len(meant) - 1
        while not found and count:
            for some in combinations(meant, count):
                found |= dict.fromkeys(self._with([list(each) for each in some]))
            count -= 1
        return list(found)

    def _with(self, words: list[list[str]]) -> Iterator[str]:
        connection, organisation_id = self._connection, self._organisation_id
        if len(words) > 1:
            yield from search.customers_with(connection, organisation_id, words, _MOST_PEOPLE)
            return
        count = 0
        for start in range(0, len(words[0]), _WORDS_AT_ONCE):
            some = words[0][start : start + _WORDS_AT_ONCE]
            found = search.customers_with(connection, organisation_id, [some], _MOST_PEOPLE)
            count += len(found)
            yield from found
            if count >= _MOST_PEOPLE:
                return

    def _accounts_of(self, people: Sequence["_Person"]) -> None:
        """The accounts of the people that match best."""
        places = {person.id: person for person in people}
        connection, organisation_id = self._connection, self._organisation_id
        for row in rows.bank_accounts_of(connection, organisation_id, list(places)):
            person = places[row.customer_id]
            self._finds.add_row("bank-account", row, person.score - _BELOW, person.matched)
        for row in rows.trading_accounts_of(connection, organisation_id, list(places)):
            person = places[row.customer_id]
            self._finds.add_row("trading-account", row, person.score - _BELOW - 1, person.matched)

    # What is numbered beside a name

    def _with_numbers(self, people: Sequence["_Person"], wanted: Wanted) -> dict[str, "_Person"]:
        """Those of the people who have a number that stands beside their name, by id: in their
        reference, an account, an amount or a day. They come before others of that name."""
        likely = [each for each in people if each.score >= people[0].score - _AS_LIKELY]
        places = {each.id: each for each in likely[:_MOST_NUMBERED]}
        if not places or not (wanted.keys or wanted.amounts or wanted.days):
            return {}
        found = {
            each.id: replace(each, score=each.score + _NUMBERED)
            for each in places.values()
            if _has_key(self._finds.known["customer", each.id].reference, wanted.keys)
        }
        theirs = (*self._numbered_accounts(places, wanted), *self._records_of(places, wanted))
        for customer_id in theirs:
            person = places[customer_id]
            found[customer_id] = replace(person, score=person.score + _NUMBERED)
        return found

    def _numbered_accounts(self, people: Mapping[str, "_Person"], wanted: Wanted) -> Iterator[str]:
        """Whose bank account has one of the numbers; it's found, too."""
        for row in rows.bank_accounts_of(self._connection, self._organisation_id, list(people)):
            if _has_key(row.id, wanted.keys):
                score = people[row.customer_id].score + _OWN
                self._finds.add_row("bank-account", row, score, row.id)
                yield row.customer_id

    def _records_of(self, people: Mapping[str, "_Person"], wanted: Wanted) -> Iterator[str]:
        """Whose records have one of the amounts, on one of the days; they are found, too."""
        amounts, days = _atoms(wanted.amounts), _spans(wanted.days)
        if not amounts and not days:
            return
        connection = self._connection
        accounts = rows.trading_accounts_of(connection, self._organisation_id, list(people))
        owners = {row.id: row.customer_id for row in accounts}
        scope = rows.Scope(self._organisation_id, tuple(owners))
        for kind, row in rows.matching(connection, scope, amounts, days, MOST) if owners else ():
            owner = owners[row.trading_account_id]
            score = people[owner].score + _OWN
            self._finds.add_row(rows.kind_of(kind, row), row, score, _told(kind, row))
            yield owner

    # Amounts and days of anybody

    def _anywhere(self, wanted: Wanted, subject: Subject) -> None:
        """What the text speaks of, or else anything of that amount and day. A trade stands for its
        quote."""
        amounts, days = _atoms(wanted.amounts), _spans(wanted.days)
        if not amounts and not days:
            return
        score = _AMOUNT if amounts else _ON_DAY
        scope = rows.Scope(self._organisation_id)
        said = rows.Only(subject.kinds, subject.statuses)
        asked = [(said, days), (rows.Only(subject.kinds), days)]
        if amounts:  # people are rarely wrong about an amount
            asked += [(rows.Only(subject.kinds), ()), (rows.Only(), days), (rows.Only(), ())]
        matching: Sequence[tuple[str, Record]] = ()
        for only, on in dict.fromkeys(asked):
            matching = rows.matching(self._connection, scope, amounts, on, MOST, only)
            if matching:
                break
        found = [(kind, row) for kind, row in matching if not _is_executed_quote(kind, row)]
        for at, (kind, row) in enumerate(found):
            place = score - at / MOST
            self._finds.add_row(rows.kind_of(kind, row), row, place, _told(kind, row))

    # What is shown

    def found(self) -> list[Found]:
        ordered = sorted(self._finds.scores.items(), key=lambda each: (-each[1][0], each[0]))
        best = ordered[: 2 * MOST]
        missing: dict[str, list[str]] = {}
        for (kind, record_id), _ in best:
            if (kind, record_id) not in self._finds.known:
                missing.setdefault(kind, []).append(record_id)
        for kind, ids in missing.items():
            for row in rows.of_kind(self._connection, self._organisation_id, kind, ids):
                self._finds.known[kind, row.id] = row
        shown = [(place, how) for place, how in best if place in self._finds.known]
        owners = rows.owners(
            self._connection,
            self._organisation_id,
            [(kind, self._finds.known[kind, record_id]) for (kind, record_id), _ in shown],
        )
        accounts = [record_id for (kind, record_id), _ in shown if kind == "trading-account"]
        codes = {customer(account_id, Bucket.OWED): account_id for account_id in accounts}
        balances = ledger.of_codes(self._connection, self._organisation_id, codes)
        owed = {
            codes[code]: balance
            for (code, asset), (balance, _) in balances.items()
            if asset == USD.key
        }
        return [
            _item(
                place, self._finds.known[place], owners.get(place), how,
                (self.at, owed.get(place[1], 0)),
            )
            for place, how in shown
        ]  # fmt: skip


class _Case(NamedTuple):
    """A case as a row that was found; it belongs to no account alone."""

    id: str
    title: str
    created: int
    trading_account_id: str | None = None


def _case_title(entries: Sequence[Entry], total: int) -> str:
    names = list(dict.fromkeys(entry.actor for entry in entries))
    more = f" and {len(names) - _NAMED_ACTORS} more" if len(names) > _NAMED_ACTORS else ""
    count = f"{total} {'entry' if total == 1 else 'entries'}"
    return f"{count} by {', '.join(names[:_NAMED_ACTORS])}{more}"


def _told_of_case(case_id: str, entry: Entry) -> str:
    """Who did the newest thing to a record, and when: to the minute, in UTC."""
    refused = " refused" if entry.error else ""
    at = format_instant(entry.when)[:16].replace("T", " ")
    return f"{case_id}: {entry.action}{refused}, {entry.actor} {at}"


@dataclass(frozen=True, slots=True)
class _Person:
    id: str
    name: str
    score: float
    matched: str


def _judged(
    row: Record,
    tokens: Sequence[str],
    meant: Mapping[str, Mapping[str, float]],
    *,
    is_sentence: bool,
) -> _Person:
    """How well a customer's name matches what was typed. In a sentence, words that match nothing
    don't count."""
    words = name_words(row.name)
    free, sums, weights = set(words), 0.0, 0.0
    matched: list[str] = []
    for token in sorted(tokens, key=len, reverse=True):
        word, likeness = _word_for(token, meant.get(token, {}), free)
        weight = 0.5 if len(token) == 1 else min(len(token), 8) / 4
        if word:
            matched.append(word)
            free -= {each for each in free if each in word or word in each}
        elif is_sentence:
            weight *= 0.15
        sums, weights = sums + weight * likeness, weights + weight
    parts = search_texts.words_of(row.name)
    share = min(1.0, len(matched) / max(1, len(parts)))
    share -= _OUT_OF_ORDER * (not _in_order(tokens, row.name))
    score = 97 * ((1 - _OF_NAME) * sums / weights + _OF_NAME * share)
    return _Person(row.id, row.name, score, row.name if matched else "")


def _word_for(token: str, meant: Mapping[str, float], free: set[str]) -> tuple[str, float]:
    """The word of a name that a typed word stands for best, and how well."""
    if len(token) == 1:
        begun = next((word for word in sorted(free) if word.startswith(folded(token)[0])), "")
        return (begun, _INITIAL) if begun else ("", 0.0)
    best = max(((meant[word], word) for word in free if word in meant), default=(0.0, ""))
    return (best[1], best[0]) if best[0] >= _LEAST_LIKENESS else ("", 0.0)


def _has_key(text: str, keys: Sequence[str]) -> bool:
    """Whether a reference or an account number begins or ends with one of the numbers."""
    forms = search_texts.keys_of(text)
    return any(form.startswith(key) or form.endswith(key) for form in forms for key in keys)


def _in_order(tokens: Sequence[str], name: str) -> bool:
    begun = [folded(word)[0][:1] for word in search_texts.words_of(name)]
    at = 0
    for token in tokens:
        letter = folded(token)[0][:1]
        if letter in begun[at:]:
            at = begun.index(letter, at) + 1
    return (
        at > 0
        and [folded(t)[0][:1] for t in tokens]
        == [letter for letter in begun if letter in {folded(t)[0][:1] for t in tokens}][
            : len(tokens)
        ]
    )


def _best(found: Iterable[Match]) -> dict[str, float]:
    best: dict[str, float] = {}
    for each in found:
        best[each.word] = max(best.get(each.word, 0.0), each.likeness)
    return dict(sorted(best.items(), key=lambda pair: (-pair[1], pair[0])))


@cache
def _names_file() -> Mapping[str, Any]:
    text = (shipped("sample_data") / "nicknames.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def nicknames() -> Mapping[str, frozenset[str]]:
    """Each name with those that people use for it, and the other way round."""
    found: dict[str, set[str]] = {}
    for group in _names_file()["groups"]:
        for name in group:
            found.setdefault(name, set()).update(group)
    return {name: frozenset(others - {name}) for name, others in found.items()}


@cache
def stop_words() -> frozenset[str]:
    """Words around what is looked for."""
    return frozenset(_names_file()["stop_words"].split())


def _by_nickname(token: str) -> Iterator[Match]:
    for form in folded(token):
        for name in sorted(nicknames().get(form, ())):
            yield Match(name, _NICKNAME)


def _atoms(amounts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Each amount in each asset that can have it."""
    return tuple(pair for amount in amounts for pair in rows.in_assets(amount))


def _spans(days: Iterable[Days]) -> tuple[tuple[int, int], ...]:
    """The first instant of each period, and the first one after it."""
    return tuple(
        (from_datetime(midnight(each.first)), from_datetime(midnight(each.last)) + DAY)
        for each in days
    )


def _is_executed_quote(kind: str, row: Record) -> bool:
    return kind == "quote" and row.status == QuoteStatus.EXECUTED


def _told(kind: str, row: Record) -> str:
    """What of a record was found: its amount, or what was sold and bought."""
    if kind == "transfer":
        return format_atoms(row.amount, ASSETS_BY_KEY[row.asset])
    market, is_buy = MARKETS_BY_NAME[row.market], row.side == "buy"
    sold, bought = (USD, market.base) if is_buy else (market.base, USD)
    return f"{format_atoms(row.sold, sold)} for {format_atoms(row.bought, bought)}"


def _item(
    place: tuple[str, str],
    row: Record,
    owner: Record | None,
    how: tuple[float, str],
    as_of: tuple[int, int],
) -> Found:
    """``as_of`` is the instant of the search, and how many cents the account's customer owes."""
    (kind, _), (score, matched), (at, owed_cents) = place, how, as_of
    known = {
        "name": None if owner is None else owner.name,
        "reference": None if owner is None else owner.reference,
        "customer_id": None if owner is None else owner.id,
    }
    names = row._fields
    for name in ("bank_account_id", "trading_account_id", "status", "created"):
        known[name] = getattr(row, name) if name in names else None
    if kind == "quote":
        known["status"] = quotes.status_of(row, at)
    if kind == "bank-account":
        known["bank_account_id"] = row.id
    if kind == "trading-account":
        known["trading_account_id"] = row.id
        known["status"] = f"owes {format_cents(owed_cents)} USD" if owed_cents else None
    title = _TITLES[kind](row, owner, known["status"])
    return Found(
        kind=kind, id=row.id, title=title, matched=matched, score=round(min(100, score)), **known
    )


def _whose(text: str, owner: Record | None) -> str:
    """With the customer's name, which a gateway doesn't know."""
    return text if owner is None or not owner.name else f"{text}, {owner.name}"


def _trade_title(row: Record, owner: Record | None, status: str | None) -> str:
    base = MARKETS_BY_NAME[row.market].base
    atoms = row.bought if row.side == "buy" else row.sold
    return _whose(f"{row.side} {format_atoms(atoms, base)} {base.symbol}, {status}", owner)


def _transfer_title(row: Record, owner: Record | None, status: str | None) -> str:
    asset = ASSETS_BY_KEY[row.asset]
    amount = f"{row.direction} {format_atoms(row.amount, asset)} {asset.symbol}"
    return _whose(f"{amount}, {status}", owner)


def _wallet_title(row: Record, owner: Record | None, _status: str | None) -> str:
    return _whose(f"{row.network} {row.address}", owner)


_TITLES = {
    "case": lambda row, *_: row.title,
    "customer": lambda row, *_: ", ".join(filter(None, (row.name, row.reference))),
    "bank-account": lambda row, owner, _: _whose(f"{row.id} {row.type}", owner),
    "trading-account": lambda row, owner, debt: _whose(
        ", ".join(filter(None, (f"{row.bank_account_id} trading account", debt))), owner
    ),
    "trade": _trade_title,
    "quote": _trade_title,
    "deposit": _transfer_title,
    "withdrawal": _transfer_title,
    "counterparty": _wallet_title,
    "blockchain-account": _wallet_title,
}
