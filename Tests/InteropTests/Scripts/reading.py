"""Reads a buffer with the accessors of PyPI's package, into the form of corpus.py."""
import corpus
from flatbuffers import number_types as N
from flatbuffers.table import Table
from schema import SCALARS


def read_buffer(schema, root, data, identifier=None, size_prefixed=False):
    start = 0
    if size_prefixed:
        size = Table(data, 0).Get(N.UOffsetTFlags, 0)
        assert size == len(data) - 4, f"the size prefix says {size} of {len(data) - 4} bytes"
        start = 4
    if identifier:
        assert data[start + 4:start + 8] == identifier.encode(), f"the identifier is {data[start + 4:start + 8]}"
    return read_table(schema, root, Table(data, Table(data, 0).Get(N.UOffsetTFlags, start) + start))


def read_table(schema, name, table):
    result = {}
    for field in schema.tables[name]["fields"]:
        offset = 0 if field["deprecated"] else table.Offset(field["slot"])
        if offset == 0:
            continue
        if "nested" in field:
            first = table.Vector(offset)
            value = read_buffer(schema, field["nested"], table.Bytes[first:first + table.VectorLen(offset)])
        elif "union" in field["type"]:
            value = read_union(schema, field, table, offset)
        elif field["vector"]:
            value = read_elements(schema, field["type"], table, table.Vector(offset), table.VectorLen(offset))
        else:
            value = read_value(schema, field["type"], table, table.Pos + offset)
        if value is not None:
            corpus.keep(result, schema, field, value)
    return result


def read_union(schema, field, table, offset):
    union = field["type"]["union"]
    kinds = table.Offset(field["slot"] - 2)
    if not field["vector"]:
        return read_member(schema, union, table.Get(N.Uint8Flags, table.Pos + kinds), table, table.Pos + offset)
    assert table.VectorLen(kinds) == table.VectorLen(offset)
    return [
        read_member(
            schema, union, table.Get(N.Uint8Flags, table.Vector(kinds) + index), table, table.Vector(offset) + 4 * index)
        for index in range(table.VectorLen(offset))
    ]


def read_member(schema, union, kind, table, position):
    member = schema.member(union, kind)
    if member is None:
        return None
    if "struct" in member["type"]:
        position = table.Indirect(position)
    return (kind, read_value(schema, member["type"], table, position))


def read_elements(schema, type, table, first, count):
    size = schema.size(type)
    return [read_value(schema, type, table, first + size * index) for index in range(count)]


def read_value(schema, type, table, position):
    """`position` is that of the value, or that of the offset that refers to it."""
    base = schema.base(type)
    if base:
        return corpus.canonical_scalar(base, table.Get(SCALARS[base], position))
    if "struct" in type:
        return read_struct(schema, type["struct"], table, position)
    if "table" in type:
        return read_table(schema, type["table"], Table(table.Bytes, table.Indirect(position)))
    # Unlike the other accessors, `String` takes an absolute position.
    return table.String(position).decode("utf-8")


def read_struct(schema, name, table, position):
    result = {}
    for field in schema.structs[name]["fields"]:
        at = position + field["offset"]
        if "count" in field:
            result[field["name"]] = read_elements(schema, field["type"], table, at, field["count"])
        else:
            result[field["name"]] = read_value(schema, field["type"], table, at)
    return result
