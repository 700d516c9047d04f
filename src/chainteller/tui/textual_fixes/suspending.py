"""Suspending to the shell and coming back.

Textual 8.2.8 stops the process by SIGSTOP. Where no shell waits for it (a terminal that was opened
with the console as its program), nothing could ever continue it; and a SIGCONT to a console that
was never suspended starts its terminal a second time. Here the process stops as the terminal's own
ctrl+z would stop it: the system itself ignores SIGTSTP where nobody could continue the process.
"""

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

try:
    from textual.drivers import linux_driver
except ImportError:  # a system without POSIX terminals
    linux_driver = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from textual.app import App
    from textual.drivers.linux_driver import LinuxDriver

_STOPPED = "_is_stopped"
"""Attribute of a driver: whether it waits for SIGCONT."""


def guard_suspending() -> None:
    """Let Textual's driver for this terminal stop and continue as said above."""
    if linux_driver is not None:
        read: Any = linux_driver  # no public way
        read.LinuxDriver._sigtstp_application = _stop
        read.LinuxDriver._sigcont_application = _continue


def suspend(app: "App[Any]") -> bool:
    """Stop the console and whatever started it within the shell's job; False on terminals that
    can't.
    """
    driver = app._driver
    if sys.platform == "win32" or driver is None or not driver.can_suspend:
        return False
    os.killpg(os.getpgrp(), signal.SIGTSTP)
    return True


def _stop(driver: "LinuxDriver", *_: object) -> None:
    """Restore the terminal and stop; on with it at once where the system ignores that."""
    if sys.platform == "win32":
        return
    driver.suspend_application_mode()
    driver._must_signal_resume = True
    setattr(driver, _STOPPED, True)
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTSTP)  # it stops, and later continues, here
    signal.signal(signal.SIGTSTP, driver._sigtstp_application)
    if getattr(driver, _STOPPED):
        app: Any = driver._app  # a ``SteadyApp``
        _continue(driver)
        app.call_later(app.suspend_refused)


def _continue(driver: "LinuxDriver", *_: object) -> None:
    if getattr(driver, _STOPPED, False):
        setattr(driver, _STOPPED, False)
        driver.resume_application_mode()
