"""Fields of a record: label, value, format, who may see it and which interfaces show it.

Nothing here knows an interface's layout: the console, the commands, receipts and the texts for
customers ask a ``FieldList`` for its fields and place them. The modules that declare the lists
import their models for type checking only, so that the console can use them before its first
frame; a test compares the lists with the models.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Flag, auto
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from chainteller.domain.assets import DEPOSIT_TOKEN_USD, FIAT_NETWORK, spoken_symbol
from chainteller.domain.clock import format_moment
from chainteller.domain.untrusted import marked
from chainteller.records.formats import (
    Piece,
    approximate,
    both_times,
    clean,
    grouped,
    money,
    short_address,
    short_id,
    status,
    when,
)

Value = TypeVar("Value")
Record_contra = TypeVar("Record_contra", contravariant=True)


class Interface(Flag):
    """Where a whole record is shown. Lists choose their columns by name instead."""

    DETAIL = auto()
    """The facts of the console's detail view."""
    COMMAND = auto()
    """Commands that print one record, such as ``trades show``."""
    RECEIPT = auto()


NOWHERE = Interface(0)
DOCUMENTS = Interface.COMMAND | Interface.RECEIPT
EVERYWHERE = Interface.DETAIL | Interface.COMMAND | Interface.RECEIPT


class Money(NamedTuple):
    """An amount of an asset, as the wire writes it."""

    amount: str
    unit: str
    network: str | None = None


# -- formats --------------------------------------------------------------------------------------


class Format(Generic[Value]):
    """How one kind of value is written; ``now`` is in microseconds since the epoch."""

    align = "left"
    is_amount = False
    """Whether what is private of a value are amounts, else names."""

    def plain(self, value: Value) -> str:
        """For commands: exact digits, no separators."""
        return str(value)

    def exact(self, value: Value) -> str:
        """For receipts."""
        return self.plain(value)

    def column(self, value: Value) -> str:
        """For a command's table, under a heading that may name the unit."""
        return self.plain(value)

    def csv(self, value: Value) -> str:
        """For a cell of a CSV file: whole, and a number alone where it is an amount."""
        return self.column(value)

    def line(self, value: Value, now: int) -> Piece:  # noqa: ARG002 - of those that tell an age
        """For the console's detail view, with its tone."""
        return clean(self.plain(value)), ""

    def cell(self, value: Value, now: int) -> Piece:
        """For the console's lists, as short as it can be told apart."""
        return self.line(value, now)

    def spoken(self, value: Value) -> str:
        """For a text to the customer."""
        return self.plain(value)

    def secrets(self, value: Value) -> Sequence[str]:
        """What of a private value is masked wherever it is painted, as the wire writes it."""
        return (self.plain(value),)


class Text(Format[str]):
    """Text as the deployment sent it."""


class Symbol(Format[str]):
    """What people call an asset; CSV has its symbol."""

    def plain(self, value: str) -> str:
        return spoken_symbol(value)

    def csv(self, value: str) -> str:
        return value


class Compared(Format[str]):
    """Text that people compare, so nothing in it may be invisible."""

    def plain(self, value: str) -> str:
        return marked(value)

    def secrets(self, value: str) -> Sequence[str]:
        return (value,)


class Identifier(Compared):
    """An id of a record: whole, and short in the console's lists."""

    def cell(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return short_id(marked(value)), ""


class Address(Compared):
    """A wallet's address: whole wherever it may be compared."""

    def cell(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return short_address(marked(value)), ""


class Status(Format[str]):
    def line(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return status(value)


class Whole(Format[int]):
    align = "right"

    def cell(self, value: int, now: int) -> Piece:  # noqa: ARG002
        return grouped(str(value)), ""


class Decimals(Format[str]):
    """A decimal number whose unit stands elsewhere, in the label or beside it."""

    align = "right"
    is_amount = True

    def line(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return grouped(value), ""

    def cell(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return approximate(value), ""

    def secrets(self, value: str) -> Sequence[str]:
        return (value,)


class Dollars(Decimals):
    """A decimal number of US dollars; columns name the unit in their heading."""

    def plain(self, value: str) -> str:
        return f"{value} USD"

    def column(self, value: str) -> str:
        return value

    def line(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return money(value, "USD"), ""

    def cell(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return grouped(value), ""

    def spoken(self, value: str) -> str:
        return money(value, "USD")


def chain(network: str | None) -> str:
    """The network where it is a blockchain; empty for dollars and the bank's own token."""
    return network if network and network not in _OFF_CHAIN else ""


_OFF_CHAIN = frozenset({FIAT_NETWORK, DEPOSIT_TOKEN_USD.network})


def asset_name(symbol: str, network: str | None) -> str:
    """``USDC on solana``; of what is on no chain, the symbol."""
    where = chain(network)
    return f"{symbol} on {where}" if where else symbol


class AmountWithAsset(Format[Money]):
    """An amount with its asset, and the network where there is a chain."""

    is_amount = True

    def plain(self, value: Money) -> str:
        return f"{value.amount} {asset_name(value.unit, value.network)}"

    def csv(self, value: Money) -> str:
        return value.amount

    def line(self, value: Money, now: int) -> Piece:  # noqa: ARG002
        return self.spoken(value), ""

    def cell(self, value: Money, now: int) -> Piece:  # noqa: ARG002
        return f"{approximate(value.amount)} {value.unit}".rstrip(), ""

    def spoken(self, value: Money) -> str:
        return money(value.amount, value.unit)

    def secrets(self, value: Money) -> Sequence[str]:
        return (value.amount,)


class Moment(Format[datetime]):
    """An instant: to the second for commands, exact in receipts, in UTC and local time for
    customers.
    """

    def plain(self, value: datetime) -> str:
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"

    def exact(self, value: datetime) -> str:
        return format_moment(value)

    def csv(self, value: datetime) -> str:
        return format_moment(value)

    def cell(self, value: datetime, now: int) -> Piece:
        return when(value, now), "muted"

    def spoken(self, value: datetime) -> str:
        return both_times(value)


class TimeOfDay(Moment):
    """An instant that customers are told without its date, because it is near."""

    def spoken(self, value: datetime) -> str:
        return both_times(value, dated=False)


class YesOrNo(Format[bool]):
    def plain(self, value: bool) -> str:  # noqa: FBT001 - the value
        return "yes" if value else "no"


class Words(Format[Sequence[str]]):
    """Several texts, separated by commas."""

    def plain(self, value: Sequence[str]) -> str:
        return ", ".join(value)


TEXT, SYMBOL, IDENTIFIER, ADDRESS = Text(), Symbol(), Identifier(), Address()
STATUS, WHOLE = Status(), Whole()
DECIMALS, DOLLARS, AMOUNT = Decimals(), Dollars(), AmountWithAsset()
MOMENT, TIME_OF_DAY, YES_OR_NO, WORDS = Moment(), TimeOfDay(), YesOrNo(), Words()


def _attribute(name: str) -> Callable[[Any], Any]:
    """Reads an attribute, or one of an attribute that may be None."""
    owner, _, inner = name.partition(".")
    if not inner:
        return attrgetter(owner)

    def read(record: Any) -> Any:
        part = getattr(record, owner)
        return None if part is None else getattr(part, inner)

    return read


# -- fields ---------------------------------------------------------------------------------------


class Field(Generic[Record_contra]):
    """One fact of a record.

    Args:
        name: the model's attribute (``fees.total``), by which lists choose their columns.
        label: what every interface calls it.
        format_: how the value is written.
        interfaces: which of those that show a whole record show it.
        value: reads it from the record where it isn't the attribute; None or nothing at all is not
            shown.
        of: the attributes that ``value`` reads, where they are not ``name`` alone.
        heading: over a column; left out, the label in capitals.
        is_private: whether it is masked while names and amounts are hidden.
        spoken: its name in the texts for customers; without one no customer is told.
        tone: in the console's detail, where the format gives none.
    """

    def __init__(  # noqa: PLR0913 - all that is known of a field
        self,
        name: str,
        label: str,
        format_: Format[Value],
        interfaces: Interface = EVERYWHERE,
        *,
        value: Callable[[Record_contra], Value | None] | None = None,
        of: Sequence[str] = (),
        heading: str = "",
        is_private: bool = False,
        spoken: str = "",
        tone: str = "",
    ) -> None:
        value = value or _attribute(name)

        def reader(write: Callable[[Value], str]) -> Callable[[Record_contra], str]:
            def read(record: Record_contra) -> str:
                found = value(record)
                return "" if found is None or found in ("", ()) else write(found)

            return read

        def line(record: Record_contra, now: int) -> Piece:
            found = value(record)
            if found is None or found in ("", ()):
                return "", ""
            text, own = format_.line(found, now)
            return text, own or tone

        def cell(record: Record_contra, now: int) -> Piece:
            found = value(record)
            return ("-", "") if found is None or found in ("", ()) else format_.cell(found, now)

        def secrets(record: Record_contra) -> Sequence[str]:
            found = value(record) if is_private else None
            return () if found is None else format_.secrets(found)

        self.name, self.label, self.of = name, label, tuple(of) or (name,)
        self.heading = heading or label.upper()
        self.interfaces, self.is_private, self.spoken_as = interfaces, is_private, spoken
        self.align, self.is_amount = format_.align, format_.is_amount
        self.plain, self.exact = reader(format_.plain), reader(format_.exact)
        self.column, self.spoken = reader(format_.column), reader(format_.spoken)
        self.csv = reader(format_.csv)
        self.line, self.cell = line, cell
        self.secrets = secrets
        """What of the record is masked for this field: nothing where it is not private."""


class FieldsInvalid(ValueError):
    """A field list contradicts itself or its model."""


class FieldList(Generic[Record_contra]):
    """The fields of one kind of record, in the order in which they are shown.

    Args:
        kind: what the record is called.
        model: its model, as ``module.Class`` under ``chainteller.service.models``.
        fields: in the order of the detail, ``show`` and the receipt.
        interfaces: which of them show a whole record of this kind, or a part of it.
        table: the columns of the command that lists such records.
        wire_only: attributes of the model that are for programs alone.

    Raises:
        FieldsInvalid: two fields of one name, or a column that is no field.
    """

    def __init__(
        self,
        kind: str,
        model: str,
        fields: Sequence[Field[Record_contra]],
        *,
        interfaces: Interface = EVERYWHERE,
        table: Sequence[str] = (),
        wire_only: Sequence[str] = (),
    ) -> None:
        self.kind, self.model, self.interfaces = kind, model, interfaces
        self.fields, self.wire_only = tuple(fields), tuple(wire_only)
        self._by_name: Mapping[str, Field[Record_contra]] = {each.name: each for each in fields}
        if len(self._by_name) != len(self.fields):
            twice = sorted({one.name for one in fields if _count(fields, one.name) > 1})
            raise FieldsInvalid(f"{kind}: declared twice: {', '.join(twice)}")
        self.table = self.columns(table)

    def __getitem__(self, name: str) -> Field[Record_contra]:
        found = self._by_name.get(name)
        if found is None:
            raise FieldsInvalid(f"{self.kind}: there is no field {name!r}")
        return found

    def columns(self, names: Iterable[str]) -> tuple[Field[Record_contra], ...]:
        """The fields of these names, in their order. Raises FieldsInvalid: the list has no field of
        a name."""
        return tuple(self[name] for name in names)

    def shown_in(self, interface: Interface) -> tuple[Field[Record_contra], ...]:
        return tuple(
            field for field in self.fields if interface in field.interfaces & self.interfaces
        )

    def facts(self, record: Record_contra) -> list[tuple[str, str]]:
        """(label, value) of all that is known of a record, for a command."""
        shown = self.shown_in(Interface.COMMAND)
        return [(each.label, text) for each in shown if (text := each.plain(record))]

    def receipt(self, record: Record_contra) -> list[tuple[str, str]]:
        """(label, value) of a receipt's rows, also of those that are empty."""
        return [(each.label, each.exact(record)) for each in self.shown_in(Interface.RECEIPT)]

    def spoken(self, record: Record_contra) -> dict[str, str]:
        """The values that a text for the customer may use, by their names there."""
        said = {each.spoken_as: each.spoken(record) for each in self.fields if each.spoken_as}
        return {name: text for name, text in said.items() if text}

    def private_names(self, record: Record_contra) -> list[str]:
        """What of a record is masked as a name, while names and amounts are hidden."""
        return [text for each in self.fields if not each.is_amount for text in each.secrets(record)]

    def private_amounts(self, record: Record_contra) -> list[str]:
        """What of a record is masked as an amount, while names and amounts are hidden."""
        return [text for each in self.fields if each.is_amount for text in each.secrets(record)]


def _count(fields: Sequence[Field[Record_contra]], name: str) -> int:
    return sum(each.name == name for each in fields)
