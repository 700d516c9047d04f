"""Nothing: its two tables were of moves between databases, which were withdrawn before a release."""

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing to change."""
