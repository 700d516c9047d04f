"""What a console or a server does beside what it's asked."""

import logging
import threading

_log = logging.getLogger(__name__)
_AFTER_A_FAULT_S = 5.0


class Background:
    """Takes its turns in a thread of its own until it's stopped: a turn that fails is logged and
    ends no later one. ``start`` and ``stop`` are for the program that owns it. ``stop`` waits
    ``stop_s`` seconds for the turn under way; None: as long as it takes."""

    def __init__(self, name: str, first_s: float, stop_s: float | None = None) -> None:
        self._first_s, self._stop_s = first_s, stop_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after the turn under way."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(self._stop_s)

    def _run(self) -> None:
        pause_s = self._first_s
        while not self._stopping.wait(pause_s):
            try:
                pause_s = self._turn()
            except Exception:  # noqa: BLE001 - whatever it is, the next turn has to come
                _log.exception("%s failed and tries again", self._thread.name)
                pause_s = _AFTER_A_FAULT_S

    def _turn(self) -> float:
        """Do what there is to do; the seconds until the next turn."""
        raise NotImplementedError
