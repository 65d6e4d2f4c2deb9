#!/usr/bin/env python3
"""Fails with file:line for each Swift or schema block of a DocC page that isn't in the code which the page names.

A page names its code in a comment: <!-- code: FOLDER… -->. Each block has to be a run of lines of one of the folders' files,
whatever its indentation. Because `make examples` builds those folders, the pages' code compiles.
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(swift|fbs)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(text):
    return [line.rstrip() for line in textwrap.dedent(text).strip("\n").split("\n")]


def contains(file, block):
    """Returns true if the block is a run of the file's lines, all indented alike."""
    size = len(block)
    return any(lines("\n".join(file[n : n + size])) == block for n in range(len(file) - size + 1))


def faults(page):
    text = page.read_text()
    code = re.search(r"^<!-- code: (.+) -->$", text, re.MULTILINE)
    if not code:
        return
    files = []
    for folder in code[1].split():
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".swift", ".fbs") and ".build" not in file.parts:
                # The packages of Examples are inside of DflatKV's, and the reader's is beside it.
                files.append(file.read_text().replace('name: "DflatKV", path: "../.."', 'path: "../DflatKV"').split("\n"))
    if not files:
        yield f"{page.relative_to(ROOT)}: {code[1]} has no code"
    for match in BLOCK.finditer(text):
        block = lines(match[2])
        if not any(contains(file, block) for file in files):
            line = text.count("\n", 0, match.start()) + 2
            yield f"{page.relative_to(ROOT)}:{line}: this block isn't in {code[1]}"


found = [fault for page in sorted(ROOT.glob("Sources/*/*.docc/**/*.md")) for fault in faults(page)]
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
