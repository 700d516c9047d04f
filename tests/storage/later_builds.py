"""Later builds of this very code: copies of the package, each with one revision more.

``expanded`` adds a column, an index and a table, and leaves the floor; ``contracted`` removes the
table again and raises the floor to its own revision.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.world.files import KEY_SETTING

import chainteller
from chainteller.storage.revision import FLOOR, REVISION

ROOT = Path(__file__).parents[2]
_FIRST, _SECOND = (f"{int(REVISION) + step:04d}" for step in (1, 2))
_EXPAND = f'''"""Expand: keep a memo with each trade."""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.migrations.indexes import Index, create

revision, down_revision = "{_FIRST}", "{REVISION}"
indexes = (Index("ix_trade_updated", "trade", ("organisation_id", "updated")),)


def upgrade() -> None:
    op.add_column("trade", sa.Column("memo", sa.Text(), nullable=True))
    op.create_table(
        "scratch",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("salt", sa.String(16), nullable=True),
    )
    create(indexes)
'''
_CONTRACT = f'''"""Contract: forget the table that nothing needs."""

from alembic import op

revision, down_revision = "{_SECOND}", "{_FIRST}"


def upgrade() -> None:
    op.drop_table("scratch")
'''
_TABLE = """class ScratchRow(Declared, table=True):
    id: str = Field(primary_key=True, sa_type=Key)


"""


class Build:
    """A copy of the package, run as ``python -m chainteller``."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.package = folder / "chainteller"
        shutil.copytree(package, self.package)

    def run(
        self, *arguments: str, module: str = "chainteller", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(self.package.parent), str(ROOT)])
        return subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=os.environ | KEY_SETTING | {"PYTHONPATH": path} | variables,
            cwd=self.package.parent,
            capture_output=True,
            text=True,
            check=False,
        )

    def replace(self, name: str, before: str, after: str) -> None:
        file = self.package / name
        text = file.read_text()
        assert text.count(before) == 1, (name, before)
        file.write_text(text.replace(before, after))

    def add_revision(self, number: str, text: str) -> None:
        (self.package / f"storage/migrations/versions/r{number}.py").write_text(text)

    def generate(self) -> None:
        """Write what follows from the declarations of its tables."""
        done = self.run(module="tests.storage.schema_text")
        assert done.returncode == 0, done.stderr


def expanded(folder: Path) -> Build:
    build = Build(folder, Path(chainteller.__file__).parent)
    build.add_revision(_FIRST, _EXPAND)
    build.replace("storage/revision.py", f'REVISION = "{REVISION}"', f'REVISION = "{_FIRST}"')
    build.replace(
        "engine/operations/quotes.py",
        '"version": 1,',
        '"version": 1, "memo": "new",',
    )
    tables = "storage/schema/tables.py"
    build.replace(
        tables,
        '        Index("ix_trade_ordinal", ',
        '        Index("ix_trade_updated", "organisation_id", "updated"),\n'
        '        Index("ix_trade_ordinal", ',
    )
    trade, rest = (build.package / tables).read_text().split("class TransferRow(", 1)
    head, version, tail = trade.rpartition("    version: int = 1\n")
    memo = "    memo: str | None = Field(default=None, sa_type=Text)\n"
    trade = f"{head}{version}{memo}{tail}{_TABLE}"
    (build.package / tables).write_text(f"{trade}class TransferRow({rest}")
    build.generate()
    return build


def contracted(before: Build, folder: Path) -> Build:
    build = Build(folder, before.package)
    build.add_revision(_SECOND, _CONTRACT)
    build.replace("storage/revision.py", f'REVISION = "{_FIRST}"', f'REVISION = "{_SECOND}"')
    build.replace("storage/revision.py", f'FLOOR = "{FLOOR}"', f'FLOOR = "{_SECOND}"')
    build.replace("storage/schema/tables.py", _TABLE, "")
    build.generate()
    return build
