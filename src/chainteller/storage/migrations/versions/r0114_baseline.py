"""The schema of 0.2.0, which ``schema.build`` creates; later revisions follow this one."""

revision = "0114"
down_revision = None


def upgrade() -> None:
    """Nothing to do: a database without this revision is new, or of an unsupported build."""
