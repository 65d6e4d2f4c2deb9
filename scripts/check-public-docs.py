#!/usr/bin/env python3
"""Fails with file:line for each public declaration of the library products whose documentation misses something:

- a doc comment that begins with a summary,
- a `- Throws:` in the doc comment of a throwing one (not of one that only rethrows),
- for each `- Parameter` of the doc comment, a parameter of that name in the signature.
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
from swift_declarations import TYPES, declarations, masked

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Implementations of requirements that the standard library and Combine document.
IMPLEMENTATIONS = {
    "==", "<", "hash(into:)", "encode(to:)", "init(from:)", "description", "debugDescription", "makeIterator()", "next()",
    "Index", "Indices", "SubSequence", "startIndex", "endIndex", "indices", "index(after:)", "index(before:)",
    "formIndex(after:)", "formIndex(before:)", "subscript(position:)", "subscript(bounds:)", "Output", "Failure",
    "receive(subscriber:)",
}


def is_exempt(declaration):
    """Returns true for underscored and SPI names, overrides, and implementations that need no comment."""
    names = declaration.path + [label for label, _ in declaration.parameters]
    is_hidden = declaration.is_spi or any(re.match(r"_\w", name) for name in names)
    return is_hidden or "override" in declaration.words or declaration.name in IMPLEMENTATIONS


def doc_comment(lines):
    """Returns the doc comment that ends the lines."""
    count = next((n for n, line in enumerate(reversed(lines)) if not line.lstrip().startswith("///")), len(lines))
    return "\n".join(line.lstrip()[3:].removeprefix(" ") for line in lines[len(lines) - count :])


def faults(declaration, doc):
    """Yields each fault of a declaration's doc comment."""
    if not doc or doc.startswith("- "):
        yield "has no summary"
    if declaration.throws() and not re.search(r"^- Throws:", doc, re.M):
        yield "throws, but its doc comment has no `- Throws:`"
    documented = re.findall(r"^- Parameter `?(\w+)", doc, re.M)
    for text in re.findall(r"^- Parameters:((?:\n +.*)*)", doc, re.M):
        documented += re.findall(r"^ +- `?(\w+)`?:", text, re.M)
    for name in documented:
        if name not in [name for _, name in declaration.parameters]:
            yield f"has no parameter {name}, which its doc comment describes"


def main():
    manifest = (ROOT / "Package.swift").read_text()
    lists = re.findall(r"\.library\([^)]*targets: \[([^\]]*)\]", manifest)
    targets = {target for names in lists for target in re.findall(r"\w+", names)}
    files = sorted(file for target in targets for file in (ROOT / "Sources" / target).rglob("*.swift"))
    found = []
    for file in files:
        text = file.read_text()
        code = masked(text)
        found += [(file, text, declaration) for declaration in declarations(code, 0, len(code))]
    # Members of extensions of internal types are not public, however they are declared.
    types = [(".".join(it.path), it.is_public) for _, _, it in found if it.keyword in TYPES and it.keyword != "extension"]
    hidden = {path for path, is_public in types if not is_public} - {path for path, is_public in types if is_public}
    # DocC shows an implementation that has no comment with the comment of the requirement.
    requirements = {(it.path[-2], it.name) for _, _, it in found if it.outer == "protocol"}

    count = 0
    for file, text, declaration in found:
        owners = {".".join(declaration.path[:n]) for n in range(1, len(declaration.path))}
        if not declaration.is_public or declaration.keyword == "extension" or owners & hidden or is_exempt(declaration):
            continue
        doc = doc_comment(text[: declaration.start].split("\n")[:-1])
        conformances = re.findall(r"\w+", declaration.header) if declaration.outer != "protocol" else []
        if not doc and any((name, declaration.name) in requirements for name in conformances):
            continue
        line = text.count("\n", 0, declaration.offset) + 1
        for fault in faults(declaration, doc):
            count += 1
            print(f"{file.relative_to(ROOT)}:{line}: {declaration.keyword} {'.'.join(declaration.path)} {fault}")
    if count:
        sys.exit(f"{count} faults in the documentation of public declarations")


if __name__ == "__main__":
    main()
