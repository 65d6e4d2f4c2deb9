#!/usr/bin/env python3
"""Compares dflatc with flatc: which of the schemas that flatc accepts does dflatc refuse?

    compare-with-flatc.py DFLATC FOLDER…

Looks for *.fbs in the folders, leaves out files with equal contents, and gives both compilers the same include folders: those
between the schema and the folder named on the command line. Prints what dflatc refuses, with its errors, and the counts.
Exits with 1 if dflatc refuses a schema.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def distinct(folders):
    """Returns the schemas below each folder, each with its folder, without later ones with equal contents."""
    known = set()
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*.fbs") if path.is_file()):
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest not in known:
                known.add(digest)
                yield folder, path


def includes(folder, path):
    parents = [parent for parent in path.parents if parent == folder or folder in parent.parents]
    return [word for parent in parents for word in ("-I", str(parent))]


def main(dflatc, *folders):
    accepted, refused, left_out = 0, [], 0
    for folder, path in distinct([pathlib.Path(folder) for folder in folders]):
        options = includes(folder, path)
        with tempfile.TemporaryDirectory() as output:
            if run("flatc", *options, "--binary", "--schema", "-o", output, str(path)).returncode != 0:
                left_out += 1
                continue
            result = run(dflatc, *options, "-o", output, str(path))
        accepted += 1
        if result.returncode != 0:
            refused.append(path)
            print(result.stderr.strip())
    version = run("flatc", "--version").stdout.strip()
    print(f"{version} accepts {accepted} schemas; dflatc refuses {len(refused)} of them.")
    print(f"{left_out} that flatc refuses were left out.")
    return 1 if refused else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
