"""Fields take the keys that edit them in the order in which they were typed, and pastes whole.

Textual 8.2.8 inserts a letter as soon as the field hears it, and runs the binding of another key
once that has come back to the application. Of keys that come together, letters overtake those
before them: ``1000``, backspace twice and ``55`` is 1000.
"""

from textual import events
from textual.binding import Binding
from textual.widgets import Input

_SUBMIT = "submit"
_EDITING = {
    key: binding.action
    for binding in Input.BINDINGS
    if isinstance(binding, Binding) and binding.action != _SUBMIT
    for key in binding.key.split(",")
}
"""What the keys do that move in a field or change its text."""


class OrderedInput(Input):
    async def on_key(self, event: events.Key) -> None:
        """Textual's own handler, which inserts letters, is called after this one."""
        action = _EDITING.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)

    def on_paste(self, event: events.Paste) -> None:
        """Take every line, on one: Textual takes the first, and half a secret isn't recognised."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.stop()
            event.prevent_default()
            self.replace(" ".join(filter(None, map(str.strip, lines))), *self.selection)
