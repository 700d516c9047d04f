"""Texts as they arrive in wallets, changed by other programs and rules than a model of them.

Nothing here imports chainteller. Sources: RFC 2045, 3676, 4180, 4648, 5322, 8259; YAML 1.2; HTML;
CommonMark; the clipboards, terminals, chat programs and wallets that the functions name.
"""
