#!/usr/bin/env python3
"""Prints random GraphQL schemas, each with operations and entities, as JSON: random_documents.py SEED COUNT

Names are chosen to hurt: keywords and types of Swift, names that differ by case or underscores, and those that the generated
code uses. graphql-core decides which schemas and operations are valid; others are left out.
"""

import json
import random
import sys

from graphql import (
    GraphQLObjectType, GraphQLUnionType, build_schema, get_named_type, is_composite_type, parse, validate, validate_schema)

BUILT_IN = ["Int", "Float", "String", "Boolean", "ID"]
FIELDS = """a b c name Name URL url self Self init default class in is Type type value item Item id_ key string int _x x_y xY
    description hashValue rowid subtype build store object data error path count some none member reference writer table result
    document operation subscript""".split()
TYPES = """Item Part Node Thing Film String_ Data Error Type Optional Array Set Url URL Character part Result Query_ Store Swift
    Date Color Kind Selected Member Subtype None_ Entity Table line_item Line_Item int bool_""".split()
VALUES = "A B RED Red red unknown Unknown default self _x a_b aB nil_ Type init".split()
# Names that entities can't have: those of Swift's types that the generated code needs, and a scalar of FlatBuffers.
TAKEN = {"Selected", "String_", "Error", "Optional", "Array", "Set", "Data", "bool_", "int"}


class Documents:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.fields = {}  # of interfaces and objects: name to (arguments, type)
        self.parents = {}
        names = self.random.sample(TYPES, len(TYPES))
        self.scalars, self.enums, self.interfaces, self.objects, self.unions = (
            [names.pop() for _ in range(self.random.randint(low, high))]
            for low, high in [(0, 2), (1, 2), (0, 3), (2, 6), (0, 2)])
        self.text = "\n".join(self.definitions())

    def chance(self, probability):
        return self.random.random() < probability

    # The schema

    def wrapped(self, name):
        forms = ["{}", "{}!", "[{}]", "[{}!]!", "[[{}!]]"]
        return self.random.choices(forms, [35, 20, 20, 13, 12])[0].format(name)

    def leaf(self):
        return self.random.choice(BUILT_IN + self.scalars + self.enums)

    def composite(self):
        return self.random.choice(self.objects + self.interfaces + self.unions)

    def some_fields(self, low, high):
        result = {}
        for name in self.random.sample(FIELDS, self.random.randint(low, high)):
            arguments = f"(first: {self.leaf()})" if self.chance(0.1) else ""
            result[name] = (arguments, self.wrapped(self.leaf() if self.chance(0.55) else self.composite()))
        return result

    def define(self, kind, name, possible_parents):
        """Returns the definition of an interface or an object, which implements some of the interfaces."""
        chosen = [parent for parent in possible_parents if self.chance(0.4)]
        parents = [p for p in possible_parents if p in chosen or any(p in self.parents[other] for other in chosen)]
        fields = {}
        for parent in parents:
            fields = {**self.fields[parent], **fields}
        fields = {**self.some_fields(1, 5), **fields}
        if self.chance(0.6):
            fields["id"] = ("", "ID!")
        self.fields[name] = fields
        self.parents[name] = parents
        return f"{kind} {name}{' implements ' if parents else ''}{' & '.join(parents)} {self.body(fields)}"

    def body(self, fields):
        return "{ " + " ".join(f"{name}{arguments}: {type}" for name, (arguments, type) in fields.items()) + " }"

    def definitions(self):
        for name in self.scalars:
            yield f"scalar {name}"
        for name in self.enums:
            yield f"enum {name} {{ {' '.join(self.random.sample(VALUES, self.random.randint(1, 5)))} }}"
        for index, name in enumerate(self.interfaces):
            yield self.define("interface", name, self.interfaces[:index])
        for name in self.objects:
            yield self.define("type", name, self.interfaces)
        for name in self.unions:
            members = self.random.sample(self.objects, self.random.randint(1, len(self.objects)))
            yield f"union {name} = {' | '.join(members)}"
        roots = {f"q{index}": ("", self.wrapped(self.composite())) for index in range(4)}
        yield f"type Query {self.body({**self.some_fields(1, 3), **roots})}"

    # Entities and operations

    def entities(self, schema):
        """Returns some types with a key that share no objects."""
        keyed = [name for name, fields in self.fields.items() if fields.get("id") == ("", "ID!") and name not in TAKEN]
        result, owned, spelled = [], set(), set()
        for name in self.random.sample(keyed, min(len(keyed), 5)):
            type = schema.type_map[name]
            objects = {name} if isinstance(type, GraphQLObjectType) else {t.name for t in schema.get_possible_types(type)}
            spelling = name.replace("_", "").lower()
            if objects and not objects & owned and spelling not in spelled:
                result.append(name)
                owned |= objects
                spelled.add(spelling)
        return result

    def selection(self, schema, type, depth):
        parts = []
        fields = {} if isinstance(type, GraphQLUnionType) else type.fields
        for name in self.random.sample(list(fields), self.random.randint(0, len(fields))):
            alias = self.random.choice(FIELDS) + ": " if self.chance(0.12) else ""
            arguments = "(first: null)" if fields[name].args else ""
            condition = self.random.choice([" @include(if: true)", " @skip(if: $flag)"]) if self.chance(0.1) else ""
            result = get_named_type(fields[name].type)
            if not is_composite_type(result):
                parts.append(alias + name + arguments + condition)
            elif depth > 0:
                parts.append(f"{alias}{name}{arguments}{condition} {self.selection(schema, result, depth - 1)}")
        if not isinstance(type, GraphQLObjectType) and depth > 0:
            possible = schema.get_possible_types(type)
            for object in self.random.sample(list(possible), self.random.randint(0, len(possible))):
                parts.append(f"... on {object.name} {self.selection(schema, object, depth - 1)}")
        if not parts or self.chance(0.2):
            parts.append("__typename")
        return "{ " + " ".join(parts) + " }"

    def operations(self, schema):
        for index in range(4):
            selection = self.selection(schema, schema.query_type, 4)
            variables = "($flag: Boolean = true)" if "$flag" in selection else ""
            operation = f"query {self.random.choice(['Q', 'get', 'Type_', 'self_'])}{index}{variables} {selection}"
            if not validate(schema, parse(operation)):
                yield operation


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    found = []
    while len(found) < count:
        documents = Documents(seed)
        seed += 1
        schema = build_schema(documents.text)
        if validate_schema(schema):
            continue
        entities, operations = documents.entities(schema), list(documents.operations(schema))
        if entities and operations:
            found.append({"schema": documents.text, "operations": "\n".join(operations), "entities": entities})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
