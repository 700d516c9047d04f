"""Takes away what only POSIX systems have, in a process that starts with this folder on its path.

Modules are hidden from the program and its libraries; the standard library keeps what it holds.
"""

import os
import signal
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# What of the standard library needs them on this system takes them before they are gone.
import asyncio  # noqa: F401  isort: skip
import getpass  # noqa: F401  isort: skip
import multiprocessing  # noqa: F401  isort: skip
import shutil  # noqa: F401  isort: skip
import subprocess  # noqa: F401  isort: skip
import tempfile  # noqa: F401  isort: skip
import platformdirs  # noqa: F401  isort: skip  - it asks for the name of the system

MODULES = frozenset(
    {"fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "syslog", "curses"}
)
FUNCTIONS = frozenset(
    {
        *("fork", "forkpty", "killpg", "wait", "wait3", "wait4", "waitid", "nice", "sync", "uname"),
        *("getuid", "geteuid", "getgid", "getegid", "getgroups", "setuid", "setgid", "initgroups"),
        *("getpgrp", "getpgid", "getsid", "setsid", "setpgid", "getpriority", "sched_getaffinity"),
        *("chown", "lchown", "fchown", "fchmod", "mkfifo", "mknod", "openpty", "ttyname"),
        *("tcgetpgrp", "tcsetpgrp", "sysconf", "pathconf", "fpathconf"),
    }
)
SIGNALS = frozenset(
    {
        *("SIGHUP", "SIGTSTP", "SIGCONT", "SIGSTOP", "SIGQUIT", "SIGUSR1", "SIGUSR2"),
        *("SIGALRM", "SIGWINCH", "SIGPIPE", "SIGTTIN", "SIGTTOU"),
    }
)


class _Hidden(MetaPathFinder):
    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the shape of a finder
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path.insert(0, _Hidden())
for each in [name for name in sys.modules if name.partition(".")[0] in MODULES]:
    del sys.modules[each]
for each in FUNCTIONS:
    if hasattr(os, each):
        delattr(os, each)
for each in SIGNALS:
    if hasattr(signal, each):
        delattr(signal, each)
