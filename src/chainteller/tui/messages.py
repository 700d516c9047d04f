"""All messages that our widgets post; values only, what they mean is the screen's business.

Plain classes: a dataclass takes ten times as long to define, and the first frame waits for it.
"""

from textual.message import Message


class PageWanted(Message):
    """A list scrolled to rows that it does not hold; ``page`` counts from 1."""

    def __init__(self, list_id: str, page: int) -> None:
        super().__init__()
        self.list_id = list_id
        self.page = page


class RowChosen(Message):
    """The cursor stands on another row."""

    def __init__(self, list_id: str, key: str) -> None:
        super().__init__()
        self.list_id = list_id
        self.key = key

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RowChosen) and message.list_id == self.list_id


class RowOpened(Message):
    """A row was clicked a second time."""

    def __init__(self, list_id: str, key: str) -> None:
        super().__init__()
        self.list_id = list_id
        self.key = key


class FieldSubmitted(Message):
    def __init__(self, purpose: str, value: str) -> None:
        super().__init__()
        self.purpose = purpose
        self.value = value


class FieldChanged(Message):
    def __init__(self, purpose: str, value: str) -> None:
        super().__init__()
        self.purpose = purpose
        self.value = value

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, FieldChanged) and message.purpose == self.purpose


class FieldPasted(Message):
    """A paste into a field that leaves it to the screen what of it may be shown."""

    def __init__(self, purpose: str, text: str) -> None:
        super().__init__()
        self.purpose = purpose
        self.text = text


class FieldClosed(Message):
    def __init__(self, purpose: str) -> None:
        super().__init__()
        self.purpose = purpose


class FieldStepped(Message):
    """Left (-1) or right (+1) in an amount field: it belongs to the screen (the market)."""

    def __init__(self, purpose: str, step: int) -> None:
        super().__init__()
        self.purpose = purpose
        self.step = step


class KeyClicked(Message):
    """A key of the footer was clicked: ``action`` is the screen's."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
