"""Writes values, in the form of corpus.py, with the builder of PyPI's package."""
import flatbuffers
from flatbuffers import number_types as N
from schema import SCALARS


def write_buffer(schema, root, value, identifier=None, size_prefixed=False):
    builder = flatbuffers.Builder(16)
    offset = write_table(builder, schema, root, value)
    identifier = identifier.encode() if identifier else None
    if size_prefixed:
        builder.FinishSizePrefixed(offset, identifier)
    else:
        builder.Finish(offset, identifier)
    return bytes(builder.Output())


def write_table(builder, schema, name, value):
    fields = schema.tables[name]["fields"]
    present = [field for field in fields if field["name"] in value]
    children = {field["name"]: write_child(builder, schema, field, value[field["name"]]) for field in present}
    builder.StartObject(max([0] + [(field["slot"] - 2) // 2 for field in fields]))
    for field in present:
        slot = (field["slot"] - 4) // 2
        child = children[field["name"]]
        if child is not None:
            builder.PrependUOffsetTRelativeSlot(slot, child[-1], 0)
        elif "struct" in field["type"]:
            builder.PrependStructSlot(slot, write_struct(builder, schema, field["type"]["struct"], value[field["name"]]), 0)
        else:
            # Not PrependSlot: it has no way to write an optional scalar that is zero.
            builder.Prepend(SCALARS[schema.base(field["type"])], number(value[field["name"]]))
            builder.Slot(slot)
        if "union" in field["type"]:
            if field["vector"]:
                builder.PrependUOffsetTRelativeSlot(slot - 1, child[0], 0)
            else:
                builder.PrependUint8Slot(slot - 1, child[0], 0)
    return builder.EndObject()


def write_child(builder, schema, field, value):
    """Writes the part of a value that is outside the table.

    Returns a tuple that ends with its offset, after the kind or kinds of a union. Returns None for inline values.
    """
    type = field["type"]
    if "nested" in field:
        return (builder.CreateByteVector(write_buffer(schema, field["nested"], value)),)
    if "union" in type:
        if not field["vector"]:
            return (value[0], write_member(builder, schema, type["union"], value))
        offsets = [write_member(builder, schema, type["union"], each) for each in value]
        kinds = builder.CreateByteVector(bytes(kind for kind, _ in value))
        return (kinds, write_vector(builder, schema, {"string": True}, offsets))
    if field["vector"]:
        if schema.base(type) is None and "struct" not in type:
            value = [write_offset(builder, schema, type, each, field.get("shared", False)) for each in value]
        return (write_vector(builder, schema, type, value, field.get("alignment", 1)),)
    if schema.base(type) is None and "struct" not in type:
        return (write_offset(builder, schema, type, value, field.get("shared", False)),)
    return None


def write_offset(builder, schema, type, value, shared=False):
    if "table" in type:
        return write_table(builder, schema, type["table"], value)
    return builder.CreateSharedString(value) if shared else builder.CreateString(value)


def write_member(builder, schema, union, value):
    type = schema.member(union, value[0])["type"]
    if "struct" in type:
        return write_struct(builder, schema, type["struct"], value[1])
    return write_offset(builder, schema, type, value[1])


def write_vector(builder, schema, type, elements, alignment=1):
    builder.StartVector(schema.size(type), len(elements), max(alignment, schema.alignment(type)))
    for element in reversed(elements):
        if "struct" in type:
            place_struct(builder, schema, type["struct"], element)
        elif schema.base(type):
            builder.Place(number(element), SCALARS[schema.base(type)])
        else:
            builder.PrependUOffsetTRelative(element)
    return builder.EndVector()


def write_struct(builder, schema, name, value):
    struct = schema.structs[name]
    builder.Prep(struct["alignment"], struct["size"])
    place_struct(builder, schema, name, value)
    return builder.Offset()


def place_struct(builder, schema, name, value):
    """Writes the struct from its end to its beginning, as the builder fills its memory."""
    struct = schema.structs[name]
    end = struct["size"]
    for field in reversed(struct["fields"]):
        elements = value[field["name"]] if "count" in field else [value[field["name"]]]
        builder.Pad(end - field["offset"] - len(elements) * schema.size(field["type"]))
        for element in reversed(elements):
            if "struct" in field["type"]:
                place_struct(builder, schema, field["type"]["struct"], element)
            else:
                builder.Place(number(element), SCALARS[schema.base(field["type"])])
        end = field["offset"]


def number(value):
    return float("nan") if value == "nan" else value
