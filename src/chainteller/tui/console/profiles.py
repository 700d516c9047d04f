"""``:profile``: the places that are configured; also what is shown when one can't be used."""

from typing import TYPE_CHECKING

from chainteller.tui.dialogs.choice import Choice

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell
    from chainteller.tui.start import ProfileRow


def choose_profile(console: "ConsoleShell", reason: str = "") -> None:
    """Let the agent choose a place, which is opened in place of this one; ``reason`` says why this
    one can't be used.
    """
    look = console.desk.settings
    rows = {_row(each): each.name for each in look.profiles}
    if not rows:
        told = "no profiles are configured: [profiles.NAME] in config.toml"
        console.desk.notify(told, "muted")
        return
    here = look.profile or look.label
    title = f"{here} can't be used" if reason else "PROFILES"
    preset = next((row for row, name in rows.items() if name == look.profile), "")

    def chosen(row: str | None) -> None:
        if row is not None:
            console.desk.shell.action_profile(rows[row])

    note = reason or (f"now on {here}" if here else "opens another place")
    console.push_screen(Choice(title, note, tuple(rows), preset), chosen)


def _row(profile: "ProfileRow") -> str:
    mode = "read-only" if profile.read_only else "rw"
    shown = f"{profile.name:<12} {profile.label:<11} {profile.kind:<8} {mode:<9} {profile.address}"
    return shown.rstrip()
