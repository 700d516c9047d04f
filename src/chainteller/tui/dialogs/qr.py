"""A text as a QR code in half blocks: two modules to a character, dark on light."""

QUIET_ZONE = 2
"""Modules of light around the code. Four are the standard's; phones read two, and two fit."""
_BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


def half_blocks(text: str) -> tuple[str, ...]:
    """The rows of the code; every row is as wide as it has modules."""
    import segno

    code = segno.make(text.encode(), error="l", micro=False, boost_error=False)
    modules = [list(row) for row in code.matrix_iter(scale=1, border=QUIET_ZONE)]
    if len(modules) % 2:
        modules.append([0] * len(modules[0]))
    return tuple(
        "".join(
            _BLOCKS[int(bool(upper)), int(bool(lower))]
            for upper, lower in zip(modules[row], modules[row + 1], strict=True)
        )
        for row in range(0, len(modules), 2)
    )
