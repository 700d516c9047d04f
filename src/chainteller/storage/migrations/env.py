"""Alembic's entry: runs the migrations on the connection that maintenance.py hands in."""

from alembic import context

from chainteller.storage.revision import REVISION_TABLE

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=True, version_table=REVISION_TABLE)
context.run_migrations()
