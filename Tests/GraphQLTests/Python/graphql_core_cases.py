"""Prints documents of graphql-core's own tests, as JSON, with graphql-core's verdict on each; then as many that it makes from
them by removing, repeating and replacing tokens.

    python3 graphql_core_cases.py FOLDER MUTATIONS SEED

FOLDER has the package (`graphql`) and the tests of its source distribution (`graphql-core-tests`). The documents are collected by running
the tests with functions that remember their arguments: that of sources, and `validate`.
"""

import importlib
import importlib.util
import json
import pkgutil
import random
import sys
import types


def stand_in_for_pytest():
    """Returns a module with what the tests import from pytest, which isn't installed."""

    class Raises:
        value = None

        def __enter__(self):
            return self

        def __exit__(self, kind, value, traceback):
            self.value = value
            return True

        def match(self, pattern):
            return True

    class Anything:
        def __getattr__(self, name):
            return self

        def __call__(self, *arguments, **options):
            return arguments[0] if arguments and callable(arguments[0]) else self

    pytest = types.ModuleType("pytest")
    pytest.raises = lambda *arguments, **options: Raises()
    pytest.mark = pytest.fixture = pytest.skip = pytest.param = Anything()
    pytest.approx = lambda value, **options: value
    pytest.register_assert_rewrite = lambda *names: None
    return pytest


def nested_functions(function):
    """Calls a `describe_…` function and returns the functions that it defines."""
    found = {}

    def profile(frame, event, argument):
        if event == "return" and frame.f_code is function.__code__:
            found.update(frame.f_locals)

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return [value for value in found.values() if isinstance(value, types.FunctionType)]


def run(function):
    """Runs a test, or the tests in a `describe_…` function. Tests with fixtures can't run, and failures don't matter."""
    try:
        if function.__name__.startswith("describe_"):
            for nested in nested_functions(function):
                run(nested)
        elif function.__code__.co_argcount == 0 and not function.__code__.co_flags & 0x80:
            function()
    except BaseException:
        pass


folder = sys.argv[1]
sys.path.insert(0, folder)
sys.setrecursionlimit(20_000)
sys.modules["pytest"] = stand_in_for_pytest()

import graphql  # noqa: E402
from graphql import GraphQLError, build_schema, print_schema, validate_schema  # noqa: E402
from graphql.language import Lexer, Source, TokenKind, parse  # noqa: E402
from graphql.language import ast  # noqa: E402
from graphql.validation import validate  # noqa: E402

texts = {}
operations = {}


initialize = Source.__init__


def recording_initialize(source, body, *arguments, **options):
    texts[body] = None
    initialize(source, body, *arguments, **options)


def recording_validate(schema, document, *arguments, **options):
    try:
        operations[print_schema(schema), document.loc.source.body] = None
    except Exception:
        pass
    return validate(schema, document, *arguments, **options)


Source.__init__ = recording_initialize
for module in list(sys.modules.values()):
    if module.__name__.startswith("graphql"):
        if getattr(module, "validate", None) is validate:
            module.validate = recording_validate

# The tests import each other as parts of the package `tests`.
specification = importlib.util.spec_from_file_location(
    "tests", folder + "/graphql-core-tests/__init__.py", submodule_search_locations=[folder + "/graphql-core-tests"]
)
tests = sys.modules["tests"] = importlib.util.module_from_spec(specification)

for information in pkgutil.walk_packages(tests.__path__, "tests."):
    part = information.name.split(".")
    if not part[-1].startswith("test_") or "benchmarks" in part or "fuzz" in part[-1] or part[-1] == "test_docs":
        continue
    try:
        module = importlib.import_module(information.name)
    except BaseException:
        continue
    for name, value in list(vars(module).items()):
        if isinstance(value, types.FunctionType) and name.startswith(("describe_", "test_")):
            run(value)


def syntax(text):
    try:
        return parse(text)
    except (GraphQLError, RecursionError):
        return None


def is_valid_schema(text):
    try:
        return not validate_schema(build_schema(text))
    except Exception:
        return False


def is_type_system(document):
    return all(
        isinstance(node, (ast.TypeSystemDefinitionNode, ast.TypeSystemExtensionNode)) for node in document.definitions
    )


def tokens(text):
    """Returns the tokens of a document as texts, or nothing if it has none."""
    source = Source(text)
    lexer = Lexer(source)
    found = []
    try:
        while lexer.advance().kind is not TokenKind.EOF:
            found.append(text[lexer.token.start : lexer.token.end])
    except GraphQLError:
        return []
    return found


def mutated(text, generator):
    """Returns the document with one or two tokens removed, repeated, exchanged or replaced by others of it."""
    parts = tokens(text)
    if not 0 < len(parts) < 1_000:
        return None
    for _ in range(generator.choice((1, 1, 2))):
        place = generator.randrange(len(parts))
        other = generator.choice(parts)
        change = generator.randrange(4)
        if change == 0 and len(parts) > 1:
            del parts[place]
        elif change == 1:
            parts.insert(place, other)
        elif change == 2:
            parts[place] = other
        elif place + 1 < len(parts):
            parts[place], parts[place + 1] = parts[place + 1], parts[place]
    return " ".join(parts)


def mutations(items, count, generator):
    """Returns mutated documents of a list, each with what stands beside the document there."""
    found = {}
    for _ in range(count if items else 0):
        text, beside = generator.choice(items)
        text = mutated(text, generator)
        if text is not None:
            found[text, beside] = None
    return list(found)


# JSON can't hold half a surrogate pair.
documents = {text: syntax(text) for text in list(texts) if text == text.encode("utf-8", "ignore").decode()}
schemas = {text for text, document in documents.items() if document and is_type_system(document)}
schemas = sorted(schemas | {schema for schema, _ in operations})
verdicts = {schema: is_valid_schema(schema) for schema in schemas}
operations = [(text, schemas.index(schema)) for schema, text in operations if verdicts[schema]]
built = {index: build_schema(schemas[index]) for index in {index for _, index in operations}}


def is_valid_operation(text, schema):
    document = syntax(text)
    return document is not None and not validate(built[schema], document)


# Mutations of valid documents: those of others would nearly all be refused for the first reason.
count, generator = int(sys.argv[2]), random.Random(int(sys.argv[3]))
good = [(text, schema) for text, schema in operations if is_valid_operation(text, schema)]
operations += mutations(good, count, generator)
good = [(text, None) for text, isValid in verdicts.items() if isValid]
for text, _ in mutations(good, count, generator):
    document = syntax(text)
    if document is None or is_type_system(document):
        verdicts[text] = is_valid_schema(text)

json.dump(
    {
        "syntax": [{"text": text, "isValid": document is not None} for text, document in documents.items()],
        "schemas": [{"text": text, "isValid": isValid} for text, isValid in verdicts.items()],
        "operations": [
            {"schema": schema, "text": text, "isValid": is_valid_operation(text, schema)} for text, schema in operations
        ],
    },
    sys.stdout,
)
