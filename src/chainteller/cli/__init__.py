"""The command line. Only ``cli.main`` and the commands' modules know click."""
