#!/usr/bin/env python3
"""Fails with file:line for each public declaration of the library products whose documentation misses something:

- a doc comment that begins with a summary,
- a `- Throws:` in the doc comment of a throwing one (not of one that only rethrows),
- for each `- Parameter` of the doc comment, a parameter of that name in the signature.

Reads declarations as the formatter writes them: each begins on a line of its own.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Implementations of requirements that the standard library and Combine document.
IMPLEMENTATIONS = {
    "==", "<", "hash(into:)", "encode(to:)", "init(from:)", "description", "debugDescription", "makeIterator()", "next()",
    "Index", "Indices", "SubSequence", "startIndex", "endIndex", "indices", "index(after:)", "index(before:)",
    "formIndex(after:)", "formIndex(before:)", "subscript(position:)", "subscript(bounds:)", "Output", "Failure",
    "receive(subscriber:)",
}

TYPES = ("struct", "class", "enum", "protocol", "actor", "extension")
WITH_PARAMETERS = ("func", "init", "subscript", "case", "macro")
MODIFIERS = (
    "public|open|package|internal|fileprivate|private|final|static|class|mutating|nonmutating|borrowing|consuming|override|"
    "required|convenience|indirect|lazy|weak|unowned|dynamic|nonisolated|prefix|postfix|infix"
)
DECLARATION = re.compile(
    rf"^[ \t]*(?P<modifiers>(?:(?:@\w+(?:\([^()]*\))?|(?:{MODIFIERS})(?:\([\w.]+\))?)\s+)*?)"
    rf"(?P<keyword>{'|'.join(TYPES + WITH_PARAMETERS)}|var|let|typealias|associatedtype|operator|precedencegroup)\b"
    r"(?!\s+(?:func|var|subscript|final)\b)[?!]?[ \t]*(?P<name>`\w+`|[\w.]+|[^\w\s({]+)?",  # `class` may be a modifier
    re.M,
)


def masked(text):
    """Returns the text with spaces for comments and the contents of string literals: offsets and lines stay the same."""
    parts, i = [], 0
    while match := re.compile(r'//[^\n]*|/\*|(#*)("""|")').search(text, i):
        end = match.end()
        if match[0] == "/*":
            end = text.index("*/", end) + 2
        elif match[2]:
            end = end_of_string(text, end, match[1], match[2])
        parts += [text[i : match.start()], re.sub(r"[^\n]", " ", text[match.start() : end])]
        i = end
    return "".join(parts) + text[i:]


def end_of_string(text, i, hashes, quotes):
    """Returns the offset after the string literal whose contents begin at `i`."""
    while not text.startswith(quotes + hashes, i):
        if not text.startswith("\\" + hashes, i):
            i += 1
            continue
        i += 1 + len(hashes)
        depth = 1 if text[i] == "(" else 0
        i += 1
        while depth:  # an interpolation, which may contain string literals
            if inner := re.compile(r'(#*)("""|")').match(text, i):
                i = end_of_string(text, inner.end(), inner[1], inner[2])
            else:
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
    return i + len(quotes + hashes)


def after_bracket(code, i):
    """Returns the offset after the bracket that closes the one at `i`."""
    depth = 0
    while True:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[i], 0)
        i += 1
        if depth == 0:
            return i


def end_of_signature(code, i):
    """Returns the offset of the body's brace, or of the line break that ends a declaration without a body."""
    while i < len(code) and code[i] not in "{}":
        if code[i] in "([":
            i = after_bracket(code, i)
        elif code[i] == "\n" and code[:i].rstrip()[-1] not in ",=:&" and not re.match(
            r"\s*(->|where\b|throws\b|async\b|rethrows\b|[{:&=,.?+])", code[i:]
        ):
            break
        else:
            i += 1
    return i


def without_brackets(text):
    """Returns the text without anything in brackets, generic arguments included; arrows stay."""
    while (shorter := re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}|<(?:[^<>]|->)*>", "", text)) != text:
        text = shorter
    return text


def parameters(signature):
    """Returns the label and the name of each parameter; both are the same for `name: Type`."""
    if "(" not in signature:
        return []
    start = signature.index("(")
    parts = without_brackets(signature[start + 1 : after_bracket(signature, start) - 1]).split(",")
    names = [re.match(r"\s*(?:@\w+\s+)*`?(\w+)`?(?:\s+`?(\w+)`?)?\s*:", part) for part in parts]
    return [(name[1], name[2] or name[1]) for name in names if name]


class Declaration:
    """A declaration: `path` is its name from the outermost type on, `outer` the keyword of the type or extension that it
    is in, and `header` the latter's name and conformances."""

    def __init__(self, match, code, path, header, is_in_public, outer):
        self.header, self.outer = header, outer
        self.keyword, self.start, self.offset = match["keyword"], match.start(), match.start("keyword")
        self.words = re.sub(r"\w+\([^()]*\)", "", match["modifiers"]).split()  # without private(set)
        self.is_spi = "@_spi" in match["modifiers"]
        self.brace = end_of_signature(code, match.end("keyword"))
        self.end = after_bracket(code, self.brace) if code[self.brace : self.brace + 1] == "{" else self.brace
        self.signature, self.body = code[match.end("keyword") : self.brace], code[self.brace : self.end]
        self.parameters = parameters(self.signature) if self.keyword in WITH_PARAMETERS else []
        name = (match["name"] or "").strip("`")
        if self.keyword in ("init", "subscript"):
            name = self.keyword
        self.path = path + name.split(".")
        self.name = name
        if self.keyword in ("func", "init", "subscript") and re.match(r"\w", name):
            self.name += "(" + "".join(label + ":" for label, _ in self.parameters) + ")"
        self.is_public = is_in_public and not {"private", "fileprivate", "package"} & set(self.words) and (
            bool({"public", "open"} & set(self.words))
            or self.keyword in ("extension", "operator", "precedencegroup")
            or outer in ("protocol", "public extension")
            or (outer == "enum" and self.keyword == "case")
        )

    def throws(self):
        """Returns true for `throws` and `get throws`, not for `rethrows`, nor for the closures in a signature."""
        effects = without_brackets(self.signature).split("->")[0]
        return bool(re.search(r"\bthrows\b", effects) or re.match(r"\{\s*get\b[^{}]*\bthrows\b", self.body))

    def is_exempt(self):
        """Returns true for underscored and SPI names, overrides, and implementations that need no comment."""
        names = self.path + [label for label, _ in self.parameters]
        is_hidden = self.is_spi or any(re.match(r"_\w", name) for name in names)
        return is_hidden or "override" in self.words or self.name in IMPLEMENTATIONS


def declarations(code, start, end, path=(), header="", is_in_public=True, outer=None):
    """Yields the declarations of code[start:end], and those of the types in it. Bodies of functions are skipped."""
    while match := DECLARATION.search(code, start, end):
        brace = code.find("{", start, match.start())
        if brace >= 0:  # braces of no declaration
            start = after_bracket(code, brace)
            continue
        found = Declaration(match, code, list(path), header, is_in_public, outer)
        yield found
        if found.keyword in TYPES:
            inner = "public extension" if found.keyword == "extension" and "public" in found.words else found.keyword
            scope = (found.path, code[match.end("keyword") : found.brace], found.is_public, inner)
            yield from declarations(code, found.brace + 1, found.end - 1, *scope)
        start = max(found.end, match.end())


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
        if not declaration.is_public or declaration.keyword == "extension" or owners & hidden or declaration.is_exempt():
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
