"""A real issuer for tests: the npm package oidc-provider, and a browser that confirms sign-ins."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

_SCRIPT = Path(__file__).parent / "issuer.mjs"
TOOLS = Path(os.environ.get("CHAINTELLER_CLIENT_TOOLS", "/nowhere"))
"""The folder with npm's packages, as ``.ci/contract`` makes it."""
_is_there = (TOOLS / "node_modules" / "oidc-provider").is_dir() and shutil.which("node")
needs_issuer = pytest.mark.skipif(
    not _is_there, reason="CHAINTELLER_CLIENT_TOOLS names no folder with npm's oidc-provider"
)


class RealIssuer:
    """Its people are changed as the bank's administrators would."""

    def __init__(self, process: "subprocess.Popen[str]", address: str) -> None:
        self._process, self.address = process, address

    def put(self, name: str, *groups: str, named: str = "") -> None:
        """A person with the login ``name``, whose user name is another one if it's ``named``."""
        person = {"groups": groups, "name": named or name}
        self._change("PUT", f"people/{name}", person)

    def remove(self, name: str) -> None:
        self._change("PUT", f"people/{name}", None)

    def rotate_keys(self) -> None:
        self._change("POST", "keys", None)

    def set_clock(self, seconds: int) -> None:
        """How far its clock is ahead."""
        self._change("POST", "clock", {"seconds": seconds})

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It takes connections and answers nothing."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _change(self, method: str, path: str, body: object) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        httpx.request(method, f"{self.address}/test/{path}", content=content).raise_for_status()


@contextmanager
def real_issuer() -> Iterator[RealIssuer]:
    command = [str(shutil.which("node")), str(_SCRIPT), str(TOOLS)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield RealIssuer(process, process.stdout.readline().strip())
        finally:
            process.kill()


def confirm(address: str, login: str, *, agrees: bool = True) -> str:
    """What a person does in a browser; returns the last page."""
    with httpx.Client(follow_redirects=True) as browser:
        page = browser.get(address)
        for _ in range(6):
            answers = {"login": login, "password": "x", "confirm": "yes"}
            form = dict(_inputs(page.text)) | (answers if agrees else {"abort": "yes"})
            action = re.search(r'<form[^>]* action="([^"]+)"', page.text)
            if action is None:
                return page.text
            page = browser.post(urljoin(str(page.url), unescape(action[1])), data=form)
    return page.text


def _inputs(page: str) -> Iterator[tuple[str, str]]:
    form = page[: page.find("</form>")]
    for found in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]+)"', found), re.search(r'value="([^"]*)"', found)
        if name and value:
            yield name[1], unescape(value[1])
