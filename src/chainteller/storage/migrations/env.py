"""Alembic's entry: it runs the migrations on the connection that maintenance.py hands in."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=True)
context.run_migrations()
