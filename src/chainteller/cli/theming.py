"""What the theme commands ask of the console's themes."""

from chainteller.paths import Paths, shipped


def names(paths: Paths) -> list[str]:
    """The names of the themes, shipped and own."""
    return sorted(
        {
            file.stem
            for folder in (shipped("themes"), paths.themes)
            for file in folder.glob("*.toml")
        }
    )


def problems(paths: Paths) -> list[str]:
    """What is wrong with the themes, each with file and key."""
    from chainteller.tui.themes import check_themes

    return list(check_themes((shipped("themes"), paths.themes)))
