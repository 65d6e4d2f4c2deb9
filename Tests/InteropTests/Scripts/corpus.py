"""Converts the JSON corpus, in flatc's dialect, to the values that are compared.

In this form, a table has only the fields that differ from their defaults, an enum is its number, a union is the pair of
its member's number and value, and NaN is the text "nan".
"""
import math
import struct


def canonical_table(schema, name, json):
    fields = schema.tables[name]["fields"]
    known = {field["name"] for field in fields} | {field["name"] + "_type" for field in fields if "union" in field["type"]}
    assert set(json) <= known, f"{name} has no fields {set(json) - known}"
    result = {}
    for field in fields:
        value = json.get(field["name"])
        if value is None:
            continue
        if "nested" in field:
            value = canonical_table(schema, field["nested"], value)
        elif "union" in field["type"]:
            value = canonical_union(schema, field, json[field["name"] + "_type"], value)
        elif field["vector"]:
            value = [canonical(schema, field["type"], element) for element in value]
        else:
            value = canonical(schema, field["type"], value)
        keep(result, schema, field, value)
    return result


def keep(result, schema, field, value):
    """Puts the value into the table unless it equals that of an absent field."""
    if field["vector"] and value == [] and not field["required"]:
        return
    if not field["vector"] and not field.get("optional"):
        default = field.get("default", 0 if schema.base(field["type"]) else None)
        if default is not None and value == canonical(schema, field["type"], default):
            return
    result[field["name"]] = value


def canonical_union(schema, field, kind, value):
    members = schema.unions[field["type"]["union"]]

    def pair(name, value):
        member = next(member for member in members if member["name"] == name)
        return (member["kind"], canonical(schema, member["type"], value))

    return [pair(*each) for each in zip(kind, value)] if field["vector"] else pair(kind, value)


def canonical(schema, type, value):
    if "enum" in type:
        return number_of(schema.enums[type["enum"]], value)
    if "scalar" in type:
        return canonical_scalar(type["scalar"], value)
    if "struct" in type:
        return canonical_struct(schema, type["struct"], value)
    if "table" in type:
        return canonical_table(schema, type["table"], value)
    return value


def canonical_struct(schema, name, json):
    result = {}
    for field in schema.structs[name]["fields"]:
        count = field.get("count")
        value = json.get(field["name"], [0] * count if count else 0)
        if count:
            result[field["name"]] = [canonical(schema, field["type"], element) for element in value]
        elif value == 0 and "struct" in field["type"]:
            result[field["name"]] = canonical_struct(schema, field["type"]["struct"], {})
        else:
            result[field["name"]] = canonical(schema, field["type"], value)
    return result


def canonical_scalar(base, value):
    if base == "bool":
        return bool(value)
    if base not in ("float", "double"):
        return int(value)
    value = float(value)
    if base == "float":
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return "nan" if math.isnan(value) else value


def number_of(enum, value):
    if not isinstance(value, str):
        return value
    return sum(enum["values"][name] for name in value.split())


def difference(expected, found, path="$"):
    """Returns the first difference between the two, or None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in list(expected) + [key for key in found if key not in expected]:
            inner = difference(expected.get(key), found.get(key), f"{path}.{key}")
            if inner:
                return inner
        return None
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)) and len(expected) == len(found):
        for index, pair in enumerate(zip(expected, found)):
            inner = difference(*pair, f"{path}[{index}]")
            if inner:
                return inner
        return None
    return None if expected == found else f"{path}: expected {expected!r:.200}, found {found!r:.200}"
