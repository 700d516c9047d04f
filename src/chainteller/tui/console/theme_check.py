"""Is a theme readable? Contrast by WCAG 2.2, and colours that colour-blind agents tell apart.

Foregrounds are measured on every ground that screens paint them on. Pairs that carry meaning
(up and down, success and error) must also differ under deuteranopia, or be told by sign and
word, which every screen does; so that a pair that is too close is named only when its greys are
equal too.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

TEXT_CONTRAST = 4.5
_GROUNDS = ("background", "surface", "panel")
_TEXTS = (
    "foreground", "muted", "accent", "success", "warning", "error", "up", "down", "expiring",
    "training", "production",
)  # fmt: skip
_PAIRS = (("up", "down"), ("success", "error"))
_DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
"""Machado, Oliveira and Fernandes 2009, severity 1.0; works on linear RGB."""
_LEAST_DELTA_E = 20.0

Rgb = tuple[float, float, float]


def problems_of(name: str, colors: Mapping[str, str]) -> list[str]:
    """What is hard to read in one theme; empty when nothing is."""
    found = [
        f"{name}: {text} on {ground} has a contrast of {ratio:.2f}, needs {TEXT_CONTRAST}"
        for text in _TEXTS
        for ground in _GROUNDS
        if (ratio := contrast(colors[text], colors[ground])) < TEXT_CONTRAST
    ]
    ratio = contrast(colors["cursor-text"], colors["cursor"])
    if ratio < TEXT_CONTRAST:
        found.append(f"{name}: cursor-text on cursor has a contrast of {ratio:.2f}")
    for one, other in _PAIRS:
        distance = delta_e(simulate(colors[one]), simulate(colors[other]))
        grey = contrast(colors[one], colors[other])
        if distance < _LEAST_DELTA_E and grey < 1.05:
            found.append(f"{name}: {one} and {other} look the same to a colour-blind agent")
    return found


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two ``#rrggbb`` colours."""
    lights = sorted((_luminance(one), _luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def simulate(color: str) -> Rgb:
    """Linear RGB as seen without green cones."""
    red, green, blue = _linear(color)
    seen = [a * red + b * green + c * blue for a, b, c in _DEUTERANOPIA]
    return (_unit(seen[0]), _unit(seen[1]), _unit(seen[2]))


def delta_e(one: Rgb, other: Rgb) -> float:
    """CIE 1976 distance of two linear RGB colours."""
    squares = ((a - b) ** 2 for a, b in zip(_lab(one), _lab(other), strict=True))
    return float(sum(squares) ** 0.5)


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def _linear(color: str) -> Rgb:
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    flat = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return (flat[0], flat[1], flat[2])


def _luminance(color: str) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _lab(rgb: Rgb) -> Rgb:
    red, green, blue = rgb
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return (116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz))


def sorted_files(paths: Sequence[Path]) -> list[Path]:
    """Theme files of folders and single files, in a stable order; a missing folder is empty."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob("*.toml")) if path.is_dir() else [path] * path.is_file()
    return files
