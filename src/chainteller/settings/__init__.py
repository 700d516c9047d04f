"""What is configured: one TOML file under environment variables under flags.

Layers, the first that says something wins: flag, environment (``CHAINTELLER_<SECTION>__<NAME>``),
profile, file, default. Values are read once, checked all together and handed down as frozen
dataclasses; nothing here needs more than the standard library. The program never writes the file.
"""
