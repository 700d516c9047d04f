"""A fault to plant in a copy of the source, and what is named for catching it."""

SIMULATOR = "tests.simulation"
"""Named in the place of a test: seeds of the simulator, of which at least one has to differ."""


class Fault:
    """A wrong piece of text in the place of a right one, which its file has exactly once.

    Args:
        name: What is wrong then.
        file: Where, below ``src/chainteller``.
        right: The text that is replaced.
        wrong: What it is replaced by.
        tests: The tests that should notice, or files of them; the walker is tried after them.
    """

    def __init__(self, name: str, file: str, right: str, wrong: str, *tests: str) -> None:
        self.name, self.file, self.right, self.wrong, self.tests = name, file, right, wrong, tests
