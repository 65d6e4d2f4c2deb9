"""Prints the answer to the introspection query of the schema in a file: introspect.py FILE"""

import json
import sys

from graphql import build_schema, introspection_from_schema

with open(sys.argv[1]) as file:
    schema = build_schema(file.read())
json.dump({"data": introspection_from_schema(schema)}, sys.stdout)
