"""Configuration: command-line flags, environment variables and one TOML file.

Precedence: flag, environment (``CHAINTELLER_<SECTION>__<NAME>``), profile, file, default. Values
are read once, checked together and passed on as frozen dataclasses. Only the standard library is
needed. The program never writes the file.
"""
