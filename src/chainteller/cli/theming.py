"""What the theme commands ask of the console's themes."""

from chainteller.paths import Paths


def names(paths: Paths) -> list[str]:
    """The names of the themes that can be used, shipped and own."""
    from chainteller.tui.console.theme_files import load_themes

    themes, _ = load_themes(paths.theme_folders)
    return sorted(themes)


def problems(paths: Paths) -> list[str]:
    """What is wrong with the themes, each with file and key."""
    from chainteller.tui.console.theme_files import check_themes

    return check_themes(paths.theme_folders)
