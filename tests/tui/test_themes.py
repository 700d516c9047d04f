"""Theme files: all shipped ones are readable, a broken one is named and left out."""

from pathlib import Path

import pytest

from chainteller.tui.console.theme_files import check_themes, find_theme, load_themes

SHIPPED = Path(__file__).parents[2] / "themes"
GOOD = (SHIPPED / "dark.toml").read_text()


def test_every_shipped_theme_passes_the_check() -> None:
    themes, problems = load_themes([SHIPPED])
    assert problems == []
    assert len(themes) >= 6
    assert check_themes([SHIPPED]) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("#dfe6ee", "#3a4048"), "foreground"),
        (('up = "#7ddc9f"', ""), "missing up"),
        (('muted = "#94a3b3"', 'muted = "grey"'), "muted"),
        (('name = "dark"', 'name = "dark"\nsparkle = "#ffffff"'), "unknown sparkle"),
        (("dark = true", "dark = "), "broken.toml"),
    ],
)
def test_a_theme_that_is_broken_or_unreadable_is_named(
    tmp_path: Path, change: tuple[str, str], named: str
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(GOOD.replace(*change, 1))
    assert any(named in problem for problem in check_themes([path]))


def test_the_users_theme_replaces_the_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD.replace("#0e1218", "#000000"))
    themes, _ = load_themes([SHIPPED, tmp_path])
    assert themes["dark"].colors["background"] == "#000000"


def test_the_theme_of_the_first_frame_is_the_one_that_all_files_would_give(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD.replace("#0e1218", "#000000"))
    (tmp_path / "dark.toml").write_text("no theme")
    (tmp_path / "own.toml").write_text(GOOD.replace('name = "dark"\n', ""))
    folders = [SHIPPED, tmp_path]
    themes, problems = load_themes(folders)
    assert len(problems) == 1
    for name, theme in themes.items():
        assert find_theme(folders, name) == theme
    assert find_theme(folders, "none") is None
