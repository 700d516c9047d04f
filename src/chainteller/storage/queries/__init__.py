"""The statements about each kind of record."""
