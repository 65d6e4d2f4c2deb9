#!/usr/bin/env python3
"""Records the README's session of kvtool: record-session.py [--check] BINDIR

Runs the commands below with BINDIR's kvtool. Writes what a terminal would show to docs/images/session.txt, and pictures of
it, light and dark, beside it (with the library Rich). With --check it writes nothing, and fails if the commands print
something else than session.txt has.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "images"
WATCH = "kvtool subscribe volume theme"
WATCHED = "» "  # precedes what the watching process prints

# The commands, and the number of lines that the watching process prints after each.
STEPS = [
    ("kvtool set volume 0.5 --double", 0),
    (WATCH + " &   # another process", 1),
    ("kvtool set volume 0.8", 1),
    ("kvtool set theme dark --string", 1),
    ("""echo '{"size": 12, "bold": true}' | kvtool set font --json""", 0),
    ("kvtool txn <<< '{\"op\": \"expect\", \"key\": \"theme\", \"value\": \"dark\"}\n"
     "{\"op\": \"set\", \"key\": \"theme\", \"value\": \"light\"}\n"
     "{\"op\": \"delete\", \"key\": \"volume\"}'", 2),
    ("kvtool set theme dark --if-value blue", 0),
    ("kvtool keys --long", 0),
]


def record(bin_folder):
    """Returns the lines that a terminal would show, each with its style."""
    lines = []
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, LC_ALL="C", PATH=f"{bin_folder}:{os.environ['PATH']}")
        for name in ("KVTOOL_DB", "KVTOOL_NAMESPACE", "XDG_DATA_HOME"):
            environment.pop(name, None)
        watcher = None
        try:
            for command, changes in STEPS:
                lines += [("bold", line) for line in ("$ " + command).split("\n")]
                if command.startswith(WATCH):
                    watcher = subprocess.Popen(WATCH.split(), env=environment, stdout=subprocess.PIPE, encoding="utf-8")
                else:
                    shell = ["bash", "-c", command]
                    run = subprocess.run(
                        shell, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
                    lines += [("", line) for line in run.stdout.splitlines()]
                for _ in range(changes):
                    lines.append(("green", WATCHED + watcher.stdout.readline().rstrip("\n")))
        finally:
            if watcher:
                watcher.terminate()
                watcher.wait()
    return lines


def draw(lines):
    """Writes the pictures."""
    from rich.console import Console
    from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME
    from rich.text import Text

    for name, theme in (("light", DEFAULT_TERMINAL_THEME), ("dark", SVG_EXPORT_THEME)):
        with open(os.devnull, "w") as nowhere:
            width = max(len(line) for _, line in lines) + 1
            console = Console(record=True, width=width, file=nowhere, force_terminal=True)
            for style, line in lines:
                console.print(Text(line, style=style))
            # Pages that show a picture don't let it load fonts from elsewhere.
            picture = re.sub(r"@font-face \{.*?\}\s*", "", console.export_svg(title="kvtool", theme=theme), flags=re.S)
            picture = picture.replace("Fira Code, monospace", "monospace")
            (FOLDER / f"session-{name}.svg").write_text(picture, encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    arguments = [argument for argument in arguments if argument != "--check"]
    if len(arguments) != 1:
        sys.exit(f"usage: {sys.argv[0]} [--check] BINDIR")
    lines = record(pathlib.Path(arguments[0]).resolve())
    text = "".join(line + "\n" for _, line in lines)
    recorded = FOLDER / "session.txt"
    if not check:
        recorded.write_text(text, encoding="utf-8")
        draw(lines)
    elif recorded.read_text(encoding="utf-8") != text:
        sys.exit(f"{recorded} differs from what the commands print; run `make session`:\n{text}")


main()
