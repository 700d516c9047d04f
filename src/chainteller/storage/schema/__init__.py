"""What this build creates in a database, and whether a database has it."""
