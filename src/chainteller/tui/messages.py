"""All messages that our widgets post; values only, what they mean is the screen's business."""

from dataclasses import dataclass

from textual.message import Message


@dataclass
class PageWanted(Message):
    """A list scrolled to rows that it does not hold; ``page`` counts from 1."""

    list_id: str
    page: int


@dataclass
class RowChosen(Message):
    """The cursor stands on another row."""

    list_id: str
    key: str

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RowChosen) and message.list_id == self.list_id


@dataclass
class RowOpened(Message):
    """A row was clicked a second time."""

    list_id: str
    key: str


@dataclass
class FieldSubmitted(Message):
    purpose: str
    value: str


@dataclass
class FieldChanged(Message):
    purpose: str
    value: str

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, FieldChanged) and message.purpose == self.purpose


@dataclass
class Pasted(Message):
    """A paste into a field that keeps nothing of it: it is judged before it is shown."""

    purpose: str
    text: str


@dataclass
class FieldClosed(Message):
    purpose: str


@dataclass
class FieldStepped(Message):
    """Left (-1) or right (+1) in an amount field: it belongs to the screen (the market)."""

    purpose: str
    step: int


@dataclass
class KeyClicked(Message):
    """A key of the footer was clicked: ``action`` is the screen's."""

    action: str
