#!/usr/bin/env python3
"""Fails with file:line for each `@inlinable` declaration in a type that is neither public nor `@usableFromInline`.

The compiler accepts it, but other modules then call the compiled function: nothing is inlined or specialized.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
from swift_declarations import TYPES, declarations, masked

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    found = []
    for file in sorted((ROOT / "Sources").rglob("*.swift")):
        code = masked(file.read_text())
        found += [(file, code, declaration) for declaration in declarations(code, 0, len(code))]
    hidden = {
        ".".join(it.path)
        for _, _, it in found
        if it.keyword in TYPES and it.keyword != "extension" and not {"public", "open", "@usableFromInline"} & set(it.words)
    }
    count = 0
    for file, code, declaration in found:
        owners = {".".join(declaration.path[:n]) for n in range(1, len(declaration.path))}
        if "@inlinable" in declaration.words and owners & hidden:
            count += 1
            line = code.count("\n", 0, declaration.offset) + 1
            print(f"{file.relative_to(ROOT)}:{line}: {'.'.join(declaration.path)} needs @usableFromInline at its type")
    if count:
        sys.exit(f"{count} declarations that other modules can't inline")


if __name__ == "__main__":
    main()
