"""The console's face: ``run_console``."""

from chainteller.tui.start import DeskLook, Start


def run_console(start: Start, look: DeskLook) -> int:
    """Run the console until it ends; the exit code (ctrl+q 0, SIGINT 130, SIGTERM 143 ...)."""
    raise NotImplementedError((start, look))
