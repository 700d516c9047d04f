"""Processor time of commands, as a ratio to bare Python and to another build.

``python benchmarks/commands.py [--other OTHER/.venv/bin/chainteller] [--rounds 15]``

All take turns in each round; minima are compared, because they are steadier on a shared machine.
Each build has its own database with sample data, and its own server for ``--url``.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

COMMANDS: Sequence[Sequence[str]] = (
    ("--version",),
    ("--help",),
    ("trade", "buy", "--help"),
    ("accounts", "list", "--json"),
    ("accounts", "list"),
    ("markets", "--json"),
)
_COMPLETION = {
    "_CHAINTELLER_COMPLETE": "bash_complete",
    "COMP_WORDS": "chainteller accounts list --fo",
    "COMP_CWORD": "3",
}
_ONLY_PROGRAM = 4
"""Commands before this one need no server."""


@contextmanager
def served(program: Path, environ: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """A server on the build's database; yields the environment of its client."""
    key = subprocess.check_output([program, "keys", "create", "--name", "x"], env=environ)
    server = subprocess.Popen(
        [program, "serve", "--port", "0"], env=environ, stdout=subprocess.PIPE, text=True
    )
    try:
        address = next(iter(server.stdout or ())).split()[-1]
        client = {"CHAINTELLER_URL": address, "CHAINTELLER_API_KEY": key.decode().strip()}
        yield {**environ, **client}
    finally:
        server.terminate()
        server.wait()


def cpu_ms(command: Sequence[str | Path], environ: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        env=environ,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--other", type=Path, help="the chainteller of another build")
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    own = Path(sys.executable).with_name("chainteller")
    builds = {"this build": own} | ({"the other": asked.other} if asked.other else {})
    bare = "python -c pass"
    runs: dict[tuple[str, str], tuple[Sequence[str | Path], Mapping[str, str]]] = {
        (bare, ""): ([sys.executable, "-c", "pass"], os.environ)
    }
    with ExitStack() as stack:
        for name, program in builds.items():
            home = stack.enter_context(tempfile.TemporaryDirectory())
            kept = {k: v for k, v in os.environ.items() if not k.startswith("CHAINTELLER")}
            environ: Mapping[str, str] = {**kept, "CHAINTELLER_HOME": home}
            subprocess.run([program, "db", "sample", "--json"], env=environ, check=True)
            client = stack.enter_context(served(program, environ))
            for words in COMMANDS:
                runs[" ".join(words), name] = ([program, *words], environ)
            if name == "this build":  # others open the console
                runs["completion", name] = ([program], {**environ, **_COMPLETION})
            for words in COMMANDS[_ONLY_PROGRAM - 1 :]:
                runs[f"{' '.join(words)} of a server", name] = ([program, *words], client)
        times: dict[tuple[str, str], list[float]] = {each: [] for each in runs}
        for _ in range(asked.rounds):
            for each, (command, environ) in runs.items():
                times[each].append(cpu_ms(command, environ))
    floor = times[bare, ""]
    for (command_line, build), found in times.items():
        ratios = f"{min(found) / min(floor):6.1f} {median(found) / median(floor):6.1f}"
        print(f"{ratios}  {min(found):7.1f} ms  {command_line}  {build}")


if __name__ == "__main__":
    main()
