#!/usr/bin/env python3
"""Derives from the sources which folder of a module uses which other folder of it, and prints one line a folder:

    Reading ► ChangeLog, Errors, Support

A folder uses another one if it mentions a type, function or variable that the other one declares, or a member that an
extension in the other one adds to a type declared elsewhere. Whatever needs the compiler is left out: such a member counts
only if the package has no other member of its name outside of that folder, and other members count only where their type is
mentioned. Subfolders belong to their top-level folder; a file beside the folders stands for itself.

    check-folders.py            prints the graph of each module
    check-folders.py --check    fails for each cycle, and if the drawing in docs/architecture.md differs from the sources
    check-folders.py --write    updates the drawing, between the lines `<!-- folders -->` and `<!-- end of folders -->`
    check-folders.py DflatCore/Support DflatCore/Pipeline    prints each use of the second folder in the first
"""

import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from swift_declarations import TYPES, declarations, masked, without_brackets

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/architecture.md"
DRAWING = re.compile(r"(?<=<!-- folders -->\n).*?(?=<!-- end of folders -->)", re.S)

# A word of code, with the dot before it if it is a member's name. Ranges (`0..<count`) have no members.
MENTION = re.compile(r"(?P<dot>(?<!\.)\.)?\b(?P<name>[A-Za-z_]\w*)")
# Names of members that mean something else in most places: those of the standard library, and keywords.
COMMON_NAMES = {"isNaN", "label", "try"}
# The uses of a cycle's arrow that --check prints.
MAXIMUM_USES = 12


class File:
    """A Swift file: its top-level folder, its code without comments and strings, and its declarations."""

    def __init__(self, path, module):
        parts = path.relative_to(module).parts
        self.path, self.folder = path, parts[0] if len(parts) > 1 else path.stem
        self.code = masked(path.read_text())
        self.declarations = list(declarations(self.code, 0, len(self.code)))


def names(declaration):
    """Returns the names of a declaration: several for `case a, b` and `let a, b: Int`."""
    found = [declaration.path[-1]]
    if declaration.keyword in ("case", "let", "var"):
        rest = without_brackets(declaration.signature).split(":" if declaration.keyword != "case" else "\n\n")[0]
        found += [word[1] for word in re.finditer(r",\s*`?(\w+)", rest)]
    return [name for name in found if re.match(r"[A-Za-z_]", name)]


def is_visible(declaration):
    return not {"private", "fileprivate"} & set(declaration.words)


class Module:
    """The declarations of a module that its folders can use from each other."""

    def __init__(self, path):
        self.path = path
        # Simulation.swift shadows names of the system, so mentions of them are no uses of its folder.
        paths = sorted(file for file in path.rglob("*.swift") if file.name != "Simulation.swift")
        self.files = [File(file, path) for file in paths]
        # The folders and the keyword of each top-level name, and the places of each member name: folder, type, and whether
        # an extension declares it.
        self.globals, self.keywords = collections.defaultdict(set), {}
        self.places = collections.defaultdict(set)
        # The names of each type's nested types, which hide top-level ones in it.
        self.nested = collections.defaultdict(set)
        for file in self.files:
            for it in file.declarations:
                self.add(it, file)

    def add(self, it, file):
        if it.outer and it.keyword in TYPES + ("typealias", "associatedtype"):
            self.nested[it.path[0]].add(it.path[-1])
        if not is_visible(it) or it.keyword in ("extension", "init", "subscript"):
            return
        for name in names(it):
            if it.outer:
                self.places[name].add((file.folder, it.path[0], "extension" in it.outer))
            else:
                self.globals[name].add(file.folder)
                self.keywords[name] = it.keyword

    def find_members(self, others):
        """Finds the folder and the types of each member name that only extensions in one folder add to types declared
        elsewhere. `others` are the other modules of the package."""
        types = {name for module in [self, *others] for name in module.globals}
        self.members = {}
        for name, places in self.places.items():
            folders = {folder for folder, _, _ in places}
            is_added = all(
                is_extension and owner in types and folder not in self.globals.get(owner, ())
                for folder, owner, is_extension in places
            )
            if len(folders) == 1 and is_added and name not in COMMON_NAMES and not any(name in it.places for it in others):
                self.members[name] = (folders.pop(), {owner for _, owner, _ in places})

    def uses(self):
        """Returns the uses behind each arrow: (folder, other folder) → [(file, line, name)]."""
        found = collections.defaultdict(list)
        for file in self.files:
            hidden = {it.path[-1] for it in file.declarations if it.outer is not None and it.keyword in TYPES + ("typealias",)}
            hidden |= {it.path[-1] for it in file.declarations if it.outer is None and not is_visible(it)}
            hidden |= {name for it in file.declarations for name in generic_parameters(it)}
            scopes = [it for it in file.declarations if it.outer is None and it.keyword in TYPES]
            hidden |= {name for it in scopes for name in self.nested.get(it.path[0], ())}
            for mention in MENTION.finditer(file.code):
                scope = next((it.path[0] for it in scopes if it.start <= mention.start() < it.end), None)
                folder = self.folder(mention, scope, file, hidden)
                if folder and folder != file.folder:
                    line = file.code.count("\n", 0, mention.start("name")) + 1
                    found[file.folder, folder].append((file.path, line, mention["name"]))
        return found

    def folder(self, mention, scope, file, hidden):
        """Returns the folder that declares what a word means, or None if the word means nothing of another folder."""
        name = mention["name"]
        before, after = file.code[: mention.start()][-40:], file.code[mention.end() : mention.end() + 40]
        is_module = mention["dot"] and before.endswith(self.path.name)
        if (not mention["dot"] or is_module) and name in self.globals and name not in hidden:
            is_label = self.keywords[name] not in TYPES + ("typealias",) and re.match(r"\s*:", after)
            is_call = self.keywords[name] != "func" or after.startswith(("(", "<"))
            folders = self.globals[name]
            if is_call and not is_label and file.folder not in folders and len(folders) == 1:
                return next(iter(folders))
        if name in self.members:
            folder, owners = self.members[name]
            # Without a dot, a member of the type that the code extends.
            is_own = scope in owners and not re.match(r"\s*:", after) and not re.search(r"\b(func|var|let|case)\s+$", before)
            if mention["dot"] or is_own:
                return folder
        return None


def generic_parameters(declaration):
    clause = re.match(r"\s*\w+\s*<([^<>]*)>", declaration.signature)
    return re.findall(r"(?:^|,)\s*(\w+)", clause[1]) if clause else []


def components(graph):
    """Returns the sets of folders that use each other in a circle; a folder outside of all circles is a set of its own."""
    reach = {folder: set(others) for folder, others in graph.items()}
    for middle in graph:
        for folder in graph:
            if middle in reach[folder]:
                reach[folder] |= reach[middle]
    return {frozenset({folder} | {it for it in reach[folder] if folder in reach[it]}) for folder in graph}


def ordered(graph):
    """Returns the folders, each before those that it uses, the farthest from the bottom first."""
    component = {folder: found for found in components(graph) for folder in found}
    heights = {}

    def height(found):
        if found not in heights:
            below = {component[other] for folder in found for other in graph[folder]} - {found}
            heights[found] = 1 + max(map(height, below), default=-1)
        return heights[found]

    return sorted(graph, key=lambda folder: (-height(component[folder]), sorted(component[folder]), folder))


def shortest_cycle(graph, members):
    """Returns a shortest cycle within a component, as the list of its folders."""
    for length in range(2, len(members) + 1):
        for first in sorted(members):
            paths = [[first]]
            for _ in range(length - 1):
                paths = [it + [other] for it in paths for other in sorted(graph[it[-1]] & members) if other not in it]
            for path in paths:
                if first in graph[path[-1]]:
                    return path


def drawing(graph):
    """Returns the lines of a module's graph."""
    return [f"{folder} ► {', '.join(sorted(graph[folder]))}" if graph[folder] else folder for folder in ordered(graph)]


def modules():
    """Returns the modules that have folders, in the order of the manifest: their uses, and their graphs."""
    manifest = (ROOT / "Package.swift").read_text()
    # A module that the manifest describes twice, for two kinds of builds, is there once.
    targets = dict.fromkeys(re.findall(r'^ *\.(?:target|executableTarget)\(\s*name: "(\w+)"', manifest, re.M))
    found = [Module(ROOT / "Sources" / name) for name in targets if any((ROOT / "Sources" / name).rglob("*.swift"))]
    for module in found:
        if not any(module.path.glob("*/*.swift")):
            continue
        module.find_members([other for other in found if other is not module])
        uses = module.uses()
        graph = {folder.name: set() for folder in module.path.iterdir() if any(folder.rglob("*.swift"))}
        for folder, other in uses:
            graph.setdefault(folder, set()).add(other)
            graph.setdefault(other, set())
        yield module.path.name, uses, graph


def lines(uses):
    return [f"    {file.relative_to(ROOT)}:{line}: {name}" for file, line, name in uses]


def faults(name, uses, graph):
    """Yields a description of a shortest cycle of each circle in a module's graph."""
    for members in sorted(components(graph), key=sorted):
        if len(members) == 1:
            continue
        cycle = shortest_cycle(graph, members)
        text = [f"{name}: {' ► '.join(cycle + cycle[:1])}"]
        for folder, other in zip(cycle, cycle[1:] + cycle[:1]):
            all_lines = lines(uses[folder, other])
            text += [f"  {folder} uses {other}:"] + all_lines[:MAXIMUM_USES]
            if len(all_lines) > MAXIMUM_USES:
                text.append(f"    and {len(all_lines) - MAXIMUM_USES} more")
        yield "\n".join(text)


def main(arguments):
    found = list(modules())
    if len(arguments) == 2:
        (name, folder), (_, other) = (argument.split("/", 1) for argument in arguments)
        print("\n".join(lines(next(uses for module, uses, _ in found if module == name)[folder, other])))
        return
    text = "".join(f"```\n{name}\n\n" + "\n".join(drawing(graph)) + "\n```\n\n" for name, _, graph in found).rstrip() + "\n"
    document = DOCUMENT.read_text()
    if arguments == ["--write"]:
        if not DRAWING.search(document):
            sys.exit(f"{DOCUMENT.relative_to(ROOT)} has no lines <!-- folders --> and <!-- end of folders -->")
        DOCUMENT.write_text(DRAWING.sub(lambda _: text, document))
    elif arguments == ["--check"]:
        problems = [fault for name, uses, graph in found for fault in faults(name, uses, graph)]
        drawn = DRAWING.search(document)
        if not drawn or drawn[0] != text:
            problems.append(f"{DOCUMENT.relative_to(ROOT)} doesn't draw these folders; run scripts/check-folders.py --write")
        if problems:
            sys.exit("\n".join(problems))
    else:
        print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
