"""The man page that is installed with the program."""

import shutil
import subprocess

import pytest
from tests.cli.all_commands import commands
from tests.cli.man_page import FILE, man_page


def test_the_page_is_made_of_the_commands() -> None:
    assert FILE.read_text(encoding="utf-8") == man_page()


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff isn't installed")
def test_it_is_set_without_a_warning_and_names_every_command() -> None:
    command = ["groff", "-man", "-Tutf8", "-ww", "-rLL=200n", "-P-cbou", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    words = " ".join(done.stdout.replace("\N{MINUS SIGN}", "-").split())
    assert [name for name in commands() if name not in words] == []
