"""Reads and writes the buffers of a list of cases with PyPI's flatbuffers package; prints a line for each disagreement.

The list is a JSON file: {"schema": PATH, "cases": [{"root": TYPE, "corpus": PATH, "read": [PATH], "write": PATH,
"identifier": TEXT?, "sizePrefixed": BOOL}]}
"""
import json
import sys

import corpus
from reading import read_buffer
from schema import Schema
from writing import write_buffer


def run(schema, case):
    with open(case["corpus"], encoding="utf-8") as file:
        expected = corpus.canonical_table(schema, case["root"], json.load(file))
    form = (case.get("identifier"), case["sizePrefixed"])
    for path in case["read"]:
        with open(path, "rb") as file:
            found = read_buffer(schema, case["root"], file.read(), *form)
        problem = corpus.difference(expected, found)
        if problem:
            print(f"{path}: {problem}")
    with open(case["write"], "wb") as file:
        file.write(write_buffer(schema, case["root"], expected, *form))


sys.setrecursionlimit(10_000)
with open(sys.argv[1], encoding="utf-8") as file:
    jobs = json.load(file)
schema = Schema(jobs["schema"])
for case in jobs["cases"]:
    try:
        run(schema, case)
    except Exception as error:
        print(f"{case['corpus']}: {type(error).__name__}: {error}")
