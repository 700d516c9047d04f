"""How values are written on screen: ``chainteller.records.formats``, under the console's name."""

from chainteller.records.formats import *  # noqa: F403
