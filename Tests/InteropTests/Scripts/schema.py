"""The schema that the tests describe to Python by names, slots and offsets, so that no generated accessors are involved."""
import json

from flatbuffers import number_types as N

SCALARS = {
    "bool": N.BoolFlags, "byte": N.Int8Flags, "ubyte": N.Uint8Flags, "short": N.Int16Flags, "ushort": N.Uint16Flags,
    "int": N.Int32Flags, "uint": N.Uint32Flags, "long": N.Int64Flags, "ulong": N.Uint64Flags,
    "float": N.Float32Flags, "double": N.Float64Flags,
}


class Schema:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            description = json.load(file)
        self.enums = description["enums"]
        self.structs = description["structs"]
        self.tables = description["tables"]
        self.unions = description["unions"]

    def base(self, type):
        """The scalar type that stores this one, or None."""
        if "enum" in type:
            return self.enums[type["enum"]]["base"]
        return type.get("scalar")

    def size(self, type):
        """The size in bytes of an element of a vector or array; an offset has 4."""
        if "struct" in type:
            return self.structs[type["struct"]]["size"]
        base = self.base(type)
        return SCALARS[base].bytewidth if base else N.UOffsetTFlags.bytewidth

    def alignment(self, type):
        return self.structs[type["struct"]]["alignment"] if "struct" in type else self.size(type)

    def member(self, union, kind):
        """The union's member of that number, or None if only a newer schema has it."""
        return next((member for member in self.unions[union] if member["kind"] == kind), None)
