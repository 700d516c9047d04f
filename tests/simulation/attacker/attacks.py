"""What the attacker does: statements that are drawn from the catalogue and from what is stored."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import base58
from nacl.signing import SigningKey
from tests.simulation.attacker.bank import Facts, forged_key
from tests.simulation.attacker.catalogue import changes
from tests.simulation.attacker.raw import Key, Raw, RawTable, Row, Rows, Statement
from tests.simulation.generators import Draw
from tests.wallets.customers import SIGN

from chainteller.domain import merkle
from chainteller.domain.randomness import SeededRandomness
from chainteller.storage.db.records import ALL
from chainteller.storage.log import entry, sealing
from chainteller.storage.log.entry import Act, Stamp

_SEALED = {table.name: table for table in ALL if table.sealed}


_OWNERS = (
    "organisation_id", "trading_account_id", "customer_id", "blockchain_account_id",
    "counterparty_id", "bank_account_id",
)  # fmt: skip


_QUOTED = re.compile(r'"([^"]+)"')
_REQUEST_STATUSES = ("sending", "notDone", "approved", "refused", "done", "unknown")
_DECIDED: Mapping[str, tuple[Row, ...]] = {
    "transfer": (
        {"status": "processing"}, {"review_eta": 0}, {"status": "reviewing"},
        {"status": "processing", "review_reason": None, "review_eta": None},
    ),
    "decision": (
        {"needs_two": False}, {"first_by": "mallory", "first_at": 2**60, "digest": ""},
        {"at_deadline": "approve", "due": 0}, {"due": 0}, {"status": "approved"},
        {"status": "open", "decided_by": None, "decided_at": None},
        {"subject": "x"}, {"kind": "control"},
    ),
    "provider_request": tuple({"status": each, "due": 0} for each in _REQUEST_STATUSES),
    "trading_account": ({"control": None, "control_reason": None},),
}  # fmt: skip
"""Cells of what waits for a person, or of what a person has decided."""


@dataclass(frozen=True)
class Attack:
    """Statements that belong together, and what they are in words."""

    what: str
    statements: tuple[Statement, ...]


class Attacker:
    """Draws attacks on a database as it is now."""

    def __init__(self, raw: Raw, draw: Draw, facts: Facts) -> None:
        self.raw, self.draw, self.facts = raw, draw, facts
        self.tables = raw.tables()
        self.by_name = {table.name: table for table in self.tables}
        self.rows: Rows = {}

    def attack(self) -> Attack:
        """The next one; some change nothing."""
        self.rows = self.raw.read(self.tables)
        weighted: list[Callable[[], Attack]] = []
        for weight, kind in (
            (6, self.alter), (3, self.insert), (3, self.delete), (3, self.swap), (5, self.replay),
            (2, self.replay_table), (5, self.move), (6, self.alike), (4, self.key),
            (3, self.postpone),
            (6, self.rename), (4, self.shift),
            (4, self.forge), (3, self.rearrange), (1, self.hide), (4, self.rewind),
            (1, self.change_catalogue),
        ):  # fmt: skip
            weighted += [kind] * weight
        if self.rows.get("provider_request"):  # an earlier attack may have renamed it
            weighted += [self.redirect] * 8 + [self.decide] * 12
        try:
            return self.draw.pick(weighted)()
        except (KeyError, ZeroDivisionError):  # an earlier attack made, renamed or emptied a table
            return self.alter()

    # -- drawing ---------------------------------------------------------------------------------

    def table(self) -> RawTable:
        """One that has rows; usually one with a row that is worth something."""
        filled = [table for table in self.tables if self.rows[table.name]]
        if self.draw.chance(3):
            return self.draw.pick(filled)
        names = [name for name, key in self.worthy()]
        return self.by_name[self.draw.pick(names)] if names else self.draw.pick(filled)

    def worthy(self) -> list[tuple[str, Key]]:
        """The rows that name one of the ids that the attacker cares for, in any cell."""
        return self.worthy_of(self.draw.pick(sorted(self.facts.ids.items()))[1])

    def worthy_of(self, sought: str) -> list[tuple[str, Key]]:
        return [
            (name, key)
            for name, rows in self.rows.items()
            for key, row in rows.items()
            if any(value == sought for value in row.values())
        ]

    def row(self, table: RawTable) -> tuple[Key, Row]:
        rows = self.rows[table.name]
        if not self.draw.chance(3):
            here = [key for name, key in self.worthy() if name == table.name]
            if here:
                key = self.draw.pick(here)
                return key, dict(rows[key])
        key = self.draw.pick(list(rows))
        return key, dict(rows[key])

    def value(self, table: RawTable, column: str, now: Any) -> Any:
        """Another value of a cell: of another row, an older one, or one that nobody wrote."""
        how = self.draw.below(10)
        if how < 4:
            return self.draw.pick(list(self.rows[table.name].values()))[column]
        if how == 4:
            older = self.draw.pick(self.facts.past).get(table.name)
            return self.draw.pick(list(older.values())).get(column) if older else None
        if how == 5:
            return None
        return self._other(now)

    def _other(self, now: Any) -> Any:
        draw = self.draw
        if isinstance(now, bool):
            return not now
        if isinstance(now, (bytes, memoryview)):
            found = bytes(now)
            return found[:-1] + bytes([found[-1] ^ 1]) if found else b"x"
        if now is None:
            return draw.pick((0, 1, "x", *self.facts.ids.values()))
        if isinstance(now, int):
            return draw.pick(
                (0, now + 1, now - 1, now * 1_000, now + 86_400_000_000, now + 0.5, -now)
            )
        text = str(now)
        if text.isdigit():
            return draw.pick((str(int(text) + 1), str(int(text) * 1_000), f"{text}0", f"0{text}"))
        return draw.pick((text + "x", text.lower(), "", *self.facts.ids.values()))

    # -- rows ------------------------------------------------------------------------------------

    def alter(self) -> Attack:
        table = self.table()
        key, row = self.row(table)
        cells = {}
        for _ in range(self.draw.pick((1, 1, 1, 2, 4))):
            column = self.draw.pick(list(table.types))
            cells[column] = self.value(table, column, row[column])
        return Attack(f"{table.name}: altered {_told(cells)}", (table.update(key, cells),))

    def insert(self) -> Attack:
        table = self.table()
        _, row = self.row(table)
        changed = {name: self._new(row[name]) for name in table.key}
        for _ in range(self.draw.below(4)):
            column = self.draw.pick(list(table.types))
            changed[column] = self.value(table, column, row[column])
        return Attack(f"{table.name}: copied with {_told(changed)}", (table.insert(row | changed),))

    def _new(self, value: Any) -> Any:
        if self.draw.chance(3):
            return value
        if isinstance(value, int):
            return value + self.draw.pick((1, 100))
        return self.draw.pick((*self.facts.ids.values(), f"{value}"[:-1] + "Z"))

    def delete(self) -> Attack:
        table = self.table()
        key, _ = self.row(table)
        return Attack(f"{table.name}: deleted {key}", (table.delete(key),))

    def swap(self) -> Attack:
        """One column of two rows, or everything but their keys."""
        table = self.table()
        (one, first), (two, second) = self.row(table), self.row(table)
        columns = [name for name in table.types if name not in table.key]
        if not columns:
            return self.delete()
        if not self.draw.chance(3):
            columns = [self.draw.pick(columns)]
        statements = (
            table.update(one, {name: second[name] for name in columns}),
            table.update(two, {name: first[name] for name in columns}),
        )
        return Attack(f"{table.name}: swapped {', '.join(columns)} of {one} and {two}", statements)

    def replay(self) -> Attack:
        """A row as it was, or its absence."""
        older = self.draw.pick(self.facts.past)
        differing = [
            (table, key)
            for table in self.tables
            for key in older[table.name].keys() | self.rows[table.name].keys()
            if older[table.name].get(key) != self.rows[table.name].get(key)
        ]
        if not differing:
            return self.alter()
        table, key = self.draw.pick(sorted(differing, key=str))
        statement = self._replayed(table, key, older)
        return Attack(f"{table.name}: {key} as it was", (statement,))

    def _replayed(self, table: RawTable, key: Key, older: Rows) -> Statement:
        before, now = older[table.name].get(key), self.rows[table.name].get(key)
        if before is None:
            return table.delete(key)
        return table.insert(before) if now is None else table.update(key, before)

    def replay_table(self) -> Attack:
        """One or several tables as they were, without the log or with it."""
        older = self.draw.pick(self.facts.past)
        chosen = [table for table in self.tables if self.draw.chance(self.draw.pick((2, 8)))]
        statements = [
            self._replayed(table, key, older)
            for table in chosen
            for key in older[table.name].keys() | self.rows[table.name].keys()
            if older[table.name].get(key) != self.rows[table.name].get(key)
        ]
        names = ", ".join(table.name for table in chosen)
        return Attack(f"as they were: {names}", tuple(statements))

    def move(self) -> Attack:
        """A row to another organisation, account or customer, in every table that names it."""
        column = self.draw.pick(_OWNERS)
        having = [table for table in self.tables if column in table.types and self.rows[table.name]]
        table = self.draw.pick(having)
        key, row = self.row(table)
        values = {each[column] for each in self.rows[table.name].values()} | {"other", "default"}
        cells = {column: self.draw.pick(sorted(values - {row[column]}, key=str) or ["other"])}
        return Attack(f"{table.name}: moved {key} to {_told(cells)}", (table.update(key, cells),))

    def alike(self) -> Attack:
        """A row with everything of another row of its table but its key, and what differs by id."""
        table = self.table()
        (key, row), (_, model) = self.row(table), self.row(table)
        ids = set(self.facts.ids.values())
        columns = [
            name
            for name in table.types
            if name not in table.key and row[name] != model[name]
            and not (row[name] in ids and self.draw.chance(2))
        ]  # fmt: skip
        cells = {name: model[name] for name in columns if not self.draw.chance(4)}
        if not cells:
            return self.alter()
        return Attack(
            f"{table.name}: {key} like another: {_told(cells)}", (table.update(key, cells),)
        )

    def key(self) -> Attack:
        """An API key that opens more, or is in force again, or is the attacker's own."""
        table, rows = self.by_name["api_key"], self.rows["api_key"]
        key = self.draw.pick(list(rows))
        made = forged_key()
        cells: Row = self.draw.pick((
            {"revoked_at": None}, {"expires": None}, {"revoked_at": None, "expires": None},
            {"scopes": "admin accounts:read transfers:write"}, {"organisation_id": "other"},
            {"organisation_id": "default"}, {"secret_hash": made.secret_hash},
            {"key_id": made.key_id, "secret_hash": made.secret_hash},
            {"key_id": made.key_id, "secret_hash": made.secret_hash, "revoked_at": None},
            {"expires": 2**60},
        ))  # fmt: skip
        if "key_id" in cells and self.draw.chance(2):
            statement = table.insert({**rows[key], **cells})
        else:
            statement = table.update(key, cells)
        return Attack(f"api_key: {key} {_told(cells)}", (statement,))

    def rename(self) -> Attack:
        """One value in the place of another of its column, in some tables or in all."""
        table = self.by_name[self.draw.pick(("transfer", "counterparty", self.table().name))]
        column = self.draw.pick(list(table.types))
        values = sorted({row[column] for row in self.rows[table.name].values()} - {None}, key=str)
        if len(values) < 2:
            return self.alter()
        old, new = self.draw.pick(values), self.draw.pick(values)
        least = self.draw.pick((1, 2))
        statements = [
            each.update(key, {name: new for name, value in row.items() if value == old})
            for each in self.tables
            if each.name not in ("entry", "log")
            for key, row in self.rows[each.name].items()
            if old in row.values() and not (least == 2 and self.draw.chance(2))
        ]
        return Attack(f"{table.name}.{column}: {old!r} became {new!r}", tuple(statements))

    def shift(self) -> Attack:
        """Every time in the rows that name a record, and of its work, by some time."""
        by = self.draw.pick((-86_400, -86_400, -7_200, 3_600)) * 1_000_000
        sought = self.draw.pick(sorted(self.facts.ids.items()))
        statements = []
        for name, key in self.worthy_of(sought[1]):
            table, row = self.by_name[name], self.rows[name][key]
            cells = {
                each: value + by
                for each, value in row.items()
                if isinstance(value, int) and value > 10**15
            }
            if cells and name != "entry":
                statements.append(table.update(key, cells))
        return Attack(f"times of {sought[0]} by {by}", tuple(statements))

    def postpone(self) -> Attack:
        """Another time in any column of times, of everything or of one row."""
        times = [
            (table, name)
            for table in self.tables
            for name, kind in table.types.items()
            if "bigint" in kind and self.rows[table.name]
        ]
        by = self.draw.pick((-86_400, -7_200, -60, 60, 7_200, 86_400)) * 1_000_000
        table, name = self.draw.pick(times)
        key, row = self.row(table)
        if self.draw.chance(3):
            table, name = self.by_name["job"], "run_at"
            key, row = self.row(table) if self.rows["job"] else (key, row)
        if not isinstance(row.get(name), int):
            return self.alter()
        cells = {name: row[name] + by}
        return Attack(f"{table.name}: {key} {_told(cells)}", (table.update(key, cells),))

    # -- what other systems are asked for --------------------------------------------------------

    def redirect(self) -> Attack:
        """Another value inside of a request's body, with another key or not."""
        table, rows = self.by_name["provider_request"], self.rows["provider_request"]
        key = self.draw.pick(list(rows))
        row, other = rows[key], self.draw.pick(list(rows.values()))
        mine, theirs = (sorted(set(_QUOTED.findall(each["call"]))) for each in (row, other))
        old = self.draw.pick(mine)
        new = self.draw.pick((*theirs, f"{old}0", *self.facts.ids.values()))
        cells: Row = {"call": row["call"].replace(f'"{old}"', f'"{new}"')}
        if self.draw.chance(2):
            cells |= {"key": f"{row['key']}x"}
        if self.draw.chance(2):
            cells |= {"status": self.draw.pick(_REQUEST_STATUSES), "due": 0}
        statements = (table.update(key, cells), *self._due(key[0]))
        return Attack(f"provider_request: {key} {_told(cells)}", statements)

    def decide(self) -> Attack:
        """What waits for somebody counts as decided, by one or two, or ends by itself now."""
        name = self.draw.pick([each for each in _DECIDED if self.rows[each]])
        key = self.draw.pick(list(self.rows[name]))
        row, cells = self.rows[name][key], dict(self.draw.pick(_DECIDED[name]))
        if "digest" in cells:
            cells["digest"] = self.draw.pick(
                [each["digest"] for each in self.rows["decision"].values()]
            )
        statements = (self.by_name[name].update(key, cells), *self._due(row["id"]))
        return Attack(f"{name}: {key} {_told(cells)}", statements)

    def _due(self, reference: str) -> list[Statement]:
        """Its work is due now, if it has any, or gets some."""
        table = self.by_name["job"]
        found = [each for each in self.rows["job"].values() if each["reference"] == reference]
        statements = [table.update(table.key_of(each), {"run_at": 0}) for each in found]
        if self.draw.chance(2):
            kind = self.draw.pick(
                ("withdrawal.send", "decision.due", "provider.settle", "withdrawal.review")
            )
            job = Statement(
                "INSERT INTO job (kind, reference, run_at) VALUES (?, ?, 0)", (kind, reference)
            )
            statements.append(job)
        return statements

    # -- the log ---------------------------------------------------------------------------------

    def _log(self) -> tuple[str, list[Row]]:
        """A log with its entries, oldest first."""
        names = sorted({row["organisation_id"] for row in self.rows["entry"].values()})
        name = self.draw.pick(names)
        found = [row for row in self.rows["entry"].values() if row["organisation_id"] == name]
        return name, sorted(found, key=lambda row: int(row["number"]))

    def forge(self) -> Attack:
        """Entries that say that some rows are as an attack leaves them, with a mark of no key."""
        first = self.draw.pick((self.alter, self.key, self.alike, self.replay, self.insert))()
        return Attack(f"{first.what}, and entries for it", (*first.statements, FORGED))

    def rearrange(self) -> Attack:
        """Entries cut, put back, repeated, swapped or renumbered, with the log's row or not."""
        name, entries = self._log()
        table, log = self.by_name["entry"], self.by_name["log"]
        one, other = self.draw.pick(entries), self.draw.pick(entries)
        key, newest = table.key_of(one), entries[-1]
        free = max(int(each["number"]) for each in entries) + 1
        how, statements = self.draw.below(7), list[Statement]()
        if how == 0:
            count = self.draw.pick((1, 2, 5, 20))
            statements = [table.delete(table.key_of(each)) for each in entries[-count:]]
            newest = (entries[:-count] or [newest])[-1]
        elif how == 1:
            statements = [table.delete(key)]
        elif how == 2:
            newest = {**one, "number": free}
            statements = [table.insert(newest)]
        elif how == 3:
            cells = {name: other[name] for name in table.types if name not in table.key}
            before = {name: one[name] for name in cells}
            statements = [table.update(key, cells), table.update(table.key_of(other), before)]
        elif how == 4:
            statements = [table.update(key, {"body": other["body"]})]
        elif how == 5:
            wanted = self.draw.pick(
                ("mark", "leaf", "action", "object", "at", "trading_account_id")
            )
            statements = [table.update(key, {wanted: other[wanted]})]
        else:
            cells = {"body": None}
            statements = [
                table.update(key, cells),
                log.update((name,), {"archived": free, "moved": 1}),
            ]
        if how < 3 and not self.draw.chance(3):
            end = {"size": newest["number"], "mark": newest["mark"], "last_at": newest["at"]}
            statements.append(log.update((name,), end))
        return Attack(f"entry: rearranged ({how}) in {name} at {key}", tuple(statements))

    def hide(self) -> Attack:
        """All bodies of a log are gone, and an archive is said to have them."""
        name, entries = self._log()
        table, log = self.by_name["entry"], self.by_name["log"]
        statements = [table.update(table.key_of(each), {"body": None}) for each in entries]
        end = {"archived": len(entries), "moved": len(entries)}
        return Attack(f"entry: hidden in {name}", (*statements, log.update((name,), end)))

    def rewind(self) -> Attack:
        """Rows as they were, while the entries since then are filed elsewhere, or gone."""
        older, (name, entries) = self.draw.pick(self.facts.past), self._log()
        table, kept = self.by_name["entry"], ("entry", "log", "clock")
        known = {key for key in older["entry"] if key[0] == name}
        since = [each for each in entries[:-1] if table.key_of(each) not in known]
        how = self.draw.below(3)
        elsewhere = {"object": "x", "trading_account_id": None}
        statements = [
            table.delete(table.key_of(each))
            if how == 0
            else table.update(table.key_of(each), elsewhere if how == 1 else {"action": "x"})
            for each in since
        ]
        sought = set(self.worthy())
        for each in self.tables:
            if each.name in kept or self.draw.chance(8):
                continue
            before, now = older[each.name], self.rows[each.name]
            differing = [
                key for key in before.keys() | now.keys() if before.get(key) != now.get(key)
            ]
            some = self.draw.chance(3)
            statements += [
                self._replayed(each, key, older)
                for key in sorted(differing, key=str)
                if not some or (each.name, key) in sought
            ]
        return Attack(f"as it was, and {len(since)} entries hidden ({how})", tuple(statements))

    # -- the catalogue ---------------------------------------------------------------------------

    def change_catalogue(self) -> Attack:
        found = self.draw.pick(changes(self.raw, self.draw))
        return Attack(f"catalogue: {found}", tuple(map(Statement, found)))


FORGED = Statement("-- entries for what was altered")
"""Stands for entries that are made when what comes before has been done."""


def replaced_wallet(raw: Raw, facts: Facts) -> Attack:
    """A verified wallet becomes the attacker's, with its text, its signature and a forged trail."""
    tables = {table.name: table for table in raw.tables()}
    rows = raw.read(list(tables.values()))
    seed = bytes(range(32))
    address = base58.b58encode(bytes(SigningKey(seed).verify_key)).decode()
    wallet, custody = facts.ids["victim wallet"], facts.ids["victim custody"]
    former = rows["counterparty"][wallet,]["address"]
    statements = []
    for name in ("counterparty", "transfer", "challenge"):
        for key, row in rows[name].items():
            cells = {
                each: value.replace(former, address)
                for each, value in row.items()
                if isinstance(value, str) and former in value
            }
            if cells:
                statements.append(tables[name].update(key, cells))
    for key, row in rows["claim"].items():
        if (row["counterparty_id"], row["blockchain_account_id"]) == (wallet, custody):
            text = rows["challenge"][row["challenge_id"],]["text"].replace(former, address)
            signed = SIGN["solana"](seed, text.encode()).hex()
            statements.append(tables["claim"].update(key, {"signature": signed, "signer": address}))
    return Attack("the victim's wallet replaced, and entries for it", (*statements, FORGED))


def forged(raw: Raw, tables: list[RawTable], before: Rows) -> Iterator[Statement]:
    """Entries that seal rows as they are, where they differ from before; nobody signed them."""
    now = raw.read(tables)
    changed: list[tuple[str, sealing.Seal]] = []
    for table in tables:
        known = _SEALED.get(table.name)
        if known is None:
            continue
        form = sealing.form(known)
        for key in sorted(now[table.name].keys() | before[table.name].keys(), key=str):
            old, new = before[table.name].get(key), now[table.name].get(key)
            if old != new:
                seal = _seal(form, table, old, new)
                changed.append((str((new or old or {}).get("organisation_id") or "default"), seal))
    by_name = {table.name: table for table in tables}
    yield from _entries(by_name, now, changed)


def _seal(form: sealing.Form, table: RawTable, old: Row | None, new: Row | None) -> sealing.Seal:
    key, seal, was = form.key(new or old or {}), None, None
    try:
        seal = None if new is None else sealing.seal(new["salt"], form.text(new))
        was = None if old is None else sealing.seal(old["salt"], form.text(old))
    except (ValueError, TypeError):
        seal = seal or "x"
    return sealing.Seal(table.name, key, seal, {}, was)


def _entries(
    tables: Mapping[str, RawTable], now: Rows, changed: list[tuple[str, sealing.Seal]]
) -> Iterator[Statement]:
    for name in sorted({of for of, _ in changed}):
        found = [row for row in now["entry"].values() if row["organisation_id"] == name]
        if not found:
            continue
        newest = max(found, key=lambda row: int(row["number"]))
        act = Act("test", "test", rows=tuple(seal for of, seal in changed if of == name))
        made = entry.body(name, newest["at"], act, Stamp(), SeededRandomness("forger"))
        columns = {"number": newest["number"] + 1, "action": "test", "object": ""}
        columns |= {"trading_account_id": None, "body": entry.pack(made)}
        columns |= {"leaf": merkle.leaf_hash(entry.shown(made))}
        yield tables["entry"].insert({**newest, **columns})
        end = {"size": newest["number"] + 1, "mark": newest["mark"]}
        yield tables["log"].update((name,), end)


def _told(cells: Row) -> str:
    return ", ".join(f"{name} = {value!r}"[:60] for name, value in cells.items())
