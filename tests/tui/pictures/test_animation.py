"""The README's animation is made of the pictures as they are now."""

from xml.etree import ElementTree as ET

from tests.tui.pictures.animation import FILE, SCENES, animation


def test_the_animation_shows_the_kept_pictures_and_is_small() -> None:
    written = FILE.read_text(encoding="utf-8")
    assert written == animation(), "run: python -m tests.tui.pictures.animation"
    assert len(written.encode()) < 300_000
    scenes = ET.fromstring(written).findall("{http://www.w3.org/2000/svg}g")  # noqa: S314
    assert len(scenes) == len(SCENES)
