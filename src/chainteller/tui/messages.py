"""All messages that our widgets post; values only, what they mean is the screen's business.

Plain classes: a dataclass takes ten times as long to define, and the first frame waits for it.
"""

from textual.message import Message


class PageWanted(Message):
    """A list scrolled to rows that it does not hold; ``page`` counts from 1."""

    def __init__(self, list_id: str, page: int) -> None:
        super().__init__()
        self.list_id, self.page = list_id, page


class _OfRow(Message):
    def __init__(self, list_id: str, key: str) -> None:
        super().__init__()
        self.list_id, self.key = list_id, key


class RowChosen(_OfRow):
    """The cursor stands on another row."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RowChosen) and message.list_id == self.list_id


class RowOpened(_OfRow):
    """A row was clicked a second time."""


class _OfField(Message):
    def __init__(self, purpose: str, value: str = "") -> None:
        super().__init__()
        self.purpose, self.value = purpose, value


class FieldSubmitted(_OfField):
    """Enter."""


class FieldChanged(_OfField):
    """A letter more or less."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, FieldChanged) and message.purpose == self.purpose


class FieldPasted(_OfField):
    """A paste into a field that leaves it to the screen what of it may be shown."""


class FieldClosed(_OfField):
    """Escape."""


class FieldStepped(Message):
    """Left (-1) or right (+1) in an amount field: it belongs to the screen (the market)."""

    def __init__(self, purpose: str, step: int) -> None:
        super().__init__()
        self.purpose, self.step = purpose, step


class KeyClicked(Message):
    """A key of the footer was clicked: ``action`` is the screen's."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
