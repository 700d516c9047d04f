"""The README's animation: some of the kept pictures of the sample bank, one after the other.

Run: python -m tests.tui.pictures.animation

A browser shows it without a script; one that shows no motion shows the first picture.
"""

from html import escape
from pathlib import Path

FILE = Path(__file__).parents[3] / "docs" / "demo.svg"
_KEPT = Path(__file__).parent / "kept"
_SHOWN_S, _CAPTION = 3.5, 28
SCENES = (
    ("desk/accounts", "The customers of the sample bank"),
    ("desk/palette", ": finds anyone and anything, as you type"),
    ("desk/deposit", "d 1000 enter: a deposit from the bank account"),
    ("desk/quote", "b 500 enter: a quote, valid for five minutes"),
    ("desk/question", "X asks before anything is bought"),
    ("desk/quote-executed", "y executes the quote, once"),
    ("desk/trade", "4: the trade, until it has settled"),
    ("desk/customer-text", "t: what to tell the customer, word for word"),
    ("wallets/why", "5: why a signature isn't valid, and what to ask"),
)
"""The pictures at 80x24 in the dark theme, with what the agent pressed."""


def animation() -> str:
    """All scenes as one SVG."""
    pictures = [_rows(_KEPT / f"{name}.80x24.dark.svg") for name, _ in SCENES]
    head = pictures[0][0]
    wide, high = (int(head.partition(f'{name}="')[2].partition('"')[0]) for name in _SIZES)
    opening = head.replace(f'height="{high}"', f'height="{high + _CAPTION}"')
    opening = opening.replace(f"0 0 {wide} {high}", f"0 0 {wide} {high + _CAPTION}")
    rows = [opening, f"<style>{_style()}</style>"]
    for number, (picture, (_, caption)) in enumerate(zip(pictures, SCENES, strict=True)):
        rows.append(f'<g class="s" style="animation-delay:{number * _SHOWN_S}s">')
        rows += picture[1:-1]
        rows.append(
            f'<text x="{wide // 2}" y="{high + 19}" text-anchor="middle" fill="#57606a">'
            f"{escape(caption)}</text></g>"
        )
    return "\n".join([*rows, "</svg>", ""])


_SIZES = ("width", "height")


def _rows(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def _style() -> str:
    whole, share = len(SCENES) * _SHOWN_S, 100 / len(SCENES)
    return (
        f".s{{visibility:hidden;animation:s {whole}s step-end infinite}}"
        ".s:first-of-type{visibility:visible}"
        f"@keyframes s{{0%{{visibility:visible}}{share:.3f}%{{visibility:hidden}}}}"
        "@media(prefers-reduced-motion:reduce){.s{animation:none}}"
    )


if __name__ == "__main__":
    FILE.write_text(animation(), encoding="utf-8")
