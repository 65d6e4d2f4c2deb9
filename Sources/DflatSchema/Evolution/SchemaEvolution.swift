/// Whether a schema may follow another one, so that programs of both read each other's bytes.
///
/// | change | allowed |
/// |---|---|
/// | append a field; with `id`, anywhere in the text | yes, unless it is `required` |
/// | deprecate a field | yes, unless it is `required`: old programs refuse bytes without it |
/// | rename a field, enum value or union member, a type that is no root | yes: bytes hold no names |
/// | add or remove `indexed`, `unique` | yes |
/// | append a value to an enum, a member to a union | yes; old programs read the default, or nothing |
/// | remove a field | no: what is appended later would take its slot. Deprecate it |
/// | change a field's type, its slot, or anything of a struct's layout | no |
/// | change a default, `= null` included | no: bytes leave defaults out, and old ones would get another meaning |
/// | add or remove `nested_flatbuffer`, change what it nests or a `force_align` | no: the one or the other refuses bytes |
/// | add or remove `required` | no: old bytes may lack it, or old programs refuse new bytes without it |
/// | change the primary key of a root, its `file_identifier`, its name or namespace | no: stored values are found by it |
/// | renumber or remove enum values and union members, change an enum's type | no |
/// | change `v` of a table or struct | yes, and then anything else of it: its values start over |
///
/// Fields are matched by slot, enum values by number, union members by kind. Types are matched by their names, and renamed
/// ones by where they are used: as the root, as the type of the same field. `v` is not asked for what lies inside of other
/// values: it is stored with the outermost one. Enums and unions, which are never stored alone, start over with what uses
/// them.
public enum SchemaEvolution {
  /// Why `new` may not follow `old`, at the lines of `new`; empty if it may.
  ///
  /// The schemas are those of their last files with all that these include.
  public static func problems(from old: Schema, to new: Schema) -> [Diagnostic] {
    var comparison = SchemaComparison(old: old, new: new)
    comparison.run()
    return new.sorted(comparison.problems)
  }
}
