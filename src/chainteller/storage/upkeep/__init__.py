"""Backup, copies, archives, upgrades, and reading a whole database."""
