"""Reads the declarations of Swift files as the formatter writes them: each begins on a line of its own."""

import re

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
    """Returns the text with spaces for comments and the contents of string literals: offsets and lines stay the same.
    Interpolated code stays."""
    parts, i = [], 0
    while match := re.compile(r'//[^\n]*|/\*|(#*)("""|")').search(text, i):
        end, interpolations = match.end(), []
        if match[0] == "/*":
            end = text.index("*/", end) + 2
        elif match[2]:
            end, interpolations = end_of_string(text, end, match[1], match[2])
        parts.append(text[i : match.start()])
        i = match.start()
        for start, stop in interpolations:
            parts += [blank(text[i:start]), masked(text[start:stop])]
            i = stop
        parts.append(blank(text[i:end]))
        i = end
    return "".join(parts) + text[i:]


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def end_of_string(text, i, hashes, quotes):
    """Returns the offset after the string literal whose contents begin at `i`, and the offsets of its interpolated code."""
    interpolations = []
    while not text.startswith(quotes + hashes, i):
        if not text.startswith("\\" + hashes, i):
            i += 1
            continue
        i += 1 + len(hashes)
        depth = 1 if text[i] == "(" else 0
        i += 1
        start = i
        while depth:  # an interpolation, which may contain string literals
            if inner := re.compile(r'(#*)("""|")').match(text, i):
                i, _ = end_of_string(text, inner.end(), inner[1], inner[2])
            else:
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
                if not depth:
                    interpolations.append((start, i - 1))
    return i + len(quotes + hashes), interpolations


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
