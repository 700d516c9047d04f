"""The console. Textual reads these settings once, when it is imported: so they stand here.

A key waits for Textual's frame clock while something else repaints, so the clock runs fast; what
does not change is not painted, so it costs nothing at rest. Nothing on this desk moves for show.
"""

import os

os.environ.setdefault("TEXTUAL_FPS", "240")
os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
