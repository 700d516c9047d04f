"""What is loaded when: looked up in ``sys.modules`` of a fresh process, never by the clock."""

import pytest
from tests.cli.program import python

_HEAVY = (
    "textual",
    "click",
    "pydantic",
    "sqlmodel",
    "sqlalchemy",
    "httpx",
    "starlette",
    "eth_account",
    "nacl",
    "alembic",
)


def _loaded(code: str) -> set[str]:
    """The top-level names, and our own modules, that are loaded after ``code``."""
    ended = python(f"{code}\nimport sys\nprint(*sorted(sys.modules))")
    assert ended.code == 0, ended.err
    return set(ended.out.split("\n")[-2].split())


def test_version_loads_nothing_heavy() -> None:
    loaded = _loaded("from chainteller.__main__ import main\nmain(['--version'])")
    assert not loaded & set(_HEAVY)
    assert {name for name in loaded if name.startswith("chainteller")} == {
        "chainteller",
        "chainteller.__main__",
    }


@pytest.mark.parametrize("arguments", ["[]", "['demo']", "['desk', '--database', 'sqlite:///x']"])
def test_a_console_is_recognised_without_click_or_the_engine(arguments: str) -> None:
    loaded = _loaded(
        "import os\n"
        "from chainteller.cli import desk\n"
        "from chainteller.settings.place import configure\n"
        f"console = desk.recognised({arguments})\n"
        "assert console is not None\n"
        "configure(console.flags, os.environ).place()\n"
    )
    assert not loaded & set(_HEAVY)
    assert not {name for name in loaded if name.startswith("chainteller.service.models")}


def test_settings_load_the_standard_library_only() -> None:
    loaded = _loaded("import os\nfrom chainteller.settings.reading import load\nload(os.environ)")
    assert not loaded & {*_HEAVY, "platformdirs"}


def test_the_command_line_loads_no_engine_for_its_help() -> None:
    loaded = _loaded("from chainteller.cli.main import run\nrun(['trade', '--help'])")
    assert "click" in loaded
    assert not loaded & {"textual", "sqlmodel", "sqlalchemy", "httpx", "starlette", "eth_account"}


def test_the_first_frame_needs_textual_and_the_standard_library_only() -> None:
    loaded = _loaded(
        "import chainteller.tui.console.app, chainteller.tui.start, chainteller.cli.desk"
    )
    assert "textual" in loaded
    assert not loaded & (set(_HEAVY) - {"textual"})
    assert not {name for name in loaded if name.startswith("chainteller.service.models")}
    assert not {
        name for name in loaded if name.startswith(("chainteller.engine", "chainteller.storage"))
    }


def test_the_first_frame_waits_for_one_dataclass_only() -> None:
    """Python defines a named tuple in a tenth of a dataclass's time."""
    ended = python(
        "import dataclasses, sys\n"
        "import chainteller.tui.console.app, chainteller.tui.start, chainteller.cli.desk\n"
        "for name, module in [*sys.modules.items()]:\n"
        "    for each in [*vars(module).values()] if name.startswith('chainteller.') else ():\n"
        "        if dataclasses.is_dataclass(each) and each.__module__ == name:\n"
        "            print(each.__qualname__)\n"
    )
    assert ended.code == 0, ended.err
    assert ended.out.split() == ["Amount"]


def test_a_remote_client_loads_no_database_and_no_console() -> None:
    loaded = _loaded("import chainteller.remote.client")
    assert not loaded & {"sqlmodel", "sqlalchemy", "textual", "eth_account", "nacl"}


def test_an_embedded_command_loads_no_console_no_client_and_no_migrations() -> None:
    loaded = _loaded("from chainteller.cli.main import run\nassert run(['markets', '--json']) == 0")
    assert "chainteller" in loaded
    assert not loaded & {"textual", "httpx", "starlette", "eth_account", "alembic", "sqlalchemy"}


def test_due_work_loads_no_wallets_before_some_needs_them() -> None:
    loaded = _loaded("import chainteller.engine.upkeep.due")
    assert not {name for name in loaded if name.startswith("chainteller.wallets")}


def test_the_first_rows_are_read_without_the_search() -> None:
    loaded = _loaded("import chainteller.storage.queries.first_page")
    assert not loaded & {"chainteller.storage.lists.search", "chainteller.domain.search_texts"}
