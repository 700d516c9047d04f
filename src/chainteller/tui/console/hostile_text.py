"""The last gate before the terminal: no control, bidi or zero-width character gets past it.

Textual hands escape sequences in data through to the terminal, whatever the widget; a name could
write the agent's clipboard. Line filters see every painted line.
"""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from chainteller.records.formats import clean, is_clean


class HostileTextFilter(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        if all(segment.control or is_clean(segment.text) for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(clean(segment.text), segment.style)
            for segment in segments
        ]
