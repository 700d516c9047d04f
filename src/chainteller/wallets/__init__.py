"""Wallet verification: pure functions that read addresses and signatures and judge them.

Nothing here reads a clock, a file or the network. `eth_account` and `eth_keys` are imported inside
the functions that need them, because they cost more start time than everything else together.
"""
