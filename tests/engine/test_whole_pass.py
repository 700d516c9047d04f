"""The verification of everything that runs in a process of its own."""

import pickle
import socket
import subprocess
import sys
from pathlib import Path

from tests.world.bank import build, sqlite_url
from tests.world.waiting import PATIENCE_S

from chainteller.paths import locate
from chainteller.settings.place import Place
from chainteller.settings.tree import Settings

_ENDLESS = """
import socket, sys, threading
from chainteller import whole_pass

def verify_all(database):
    told = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    told.sendall(b"verifying")
    threading.Event().wait()

whole_pass.verify_all = verify_all
whole_pass.main()
"""
_SERVER = """
import sys, threading
from chainteller.engine.verification.in_rounds import Process

process = Process([sys.executable, "-c", *sys.argv[1:]], sys.stdin.buffer.read())
process.start()
threading.Event().wait()
"""


def test_it_ends_with_a_server_that_was_killed(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    build(url).engine.close()
    settings = Settings(locate({"CHAINTELLER_HOME": str(tmp_path)}))
    given = pickle.dumps((settings, Place(remote=False, address=url, label="", chosen_by="")))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        port = listener.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, _ENDLESS, str(port)], stdin=subprocess.PIPE
        )
        with server:
            assert server.stdin is not None
            server.stdin.write(given)
            server.stdin.close()
            verifying, _ = listener.accept()
            with verifying:
                verifying.settimeout(PATIENCE_S)
                assert verifying.recv(99) == b"verifying"
                server.kill()
                assert verifying.recv(99) == b"", "its connection ends with it"
