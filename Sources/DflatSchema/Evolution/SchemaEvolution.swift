/// Decides if a schema may replace another one, so that programs with either schema read each other's data.
///
/// | change | allowed |
/// |---|---|
/// | append a field; with `id`, anywhere in the text | yes, unless it is `required` |
/// | deprecate a field | yes, unless it is `required`: old programs refuse bytes without it |
/// | rename a field, enum value or union member, a type that is no entity | yes: bytes hold no names |
/// | add or remove `indexed`, `unique`, `searchable`, on fields; `indexed`, `unique` on the root | yes |
/// | add, remove or change `force_align` of a vector | yes: readers don't depend on it |
/// | append a value to an enum | yes; old programs read the default |
/// | append a member to a union | yes, unless a `required` field holds the union; old programs read nothing |
/// | remove a field | no: a field appended later would take its slot. Deprecate it |
/// | change a field's type, its slot, or anything in a struct's layout, `force_align` included | no |
/// | change a default, `= null` included | no: buffers omit defaults, so old ones would change their meaning |
/// | add or remove `nested_flatbuffer`, or change its table | no: programs refuse each other's bytes |
/// | add or remove `required` | no: old bytes may lack it, or old programs refuse new bytes without it |
/// | change the primary key of an entity, its name or namespace | no: they locate stored objects |
/// | change the `file_identifier` of a root | no: programs refuse each other's bytes |
/// | add or remove `root_type` of a table without a primary key or `file_identifier`; give it a primary key | yes |
/// | renumber or remove enum values and union members, change an enum's type | no |
/// | change `v` of a table or struct | yes, together with any other change: its values start over |
///
/// A root may change the case of its name, and anything else that leaves its table's name as it is.
///
/// Fields are matched by slot, enum values by number, union members by kind. Types are matched by name, and renamed
/// types by their use: as the root, or as the type of the same field. The `v` of a type inside other values has no
/// effect: values are stored with the `v` of the outermost one. Enums and unions, which are never stored alone, start
/// over with the types that use them.
public enum SchemaEvolution {
  /// Returns the reasons why `new` may not replace `old`, with locations in `new`; empty if it may.
  ///
  /// Each schema consists of its last file and everything that it includes.
  public static func problems(from old: Schema, to new: Schema) -> [Diagnostic] {
    problems(from: old, to: new, file: new.files.indices.last, isLock: false)
  }

  /// Returns the reasons why a file of `new` may not replace `old`, with locations in `new`; empty if it may.
  ///
  /// Types that `old` contains may be in any file of `new`.
  ///
  /// - Parameters:
  ///   - file: The file's index in `new.files`; nil if there is none.
  ///   - isLock: True if `old` is the schema of a lock.
  package static func problems(from old: Schema, to new: Schema, file: Int?, isLock: Bool) -> [Diagnostic] {
    var comparison = SchemaComparison(old: old, new: new, file: file, isLock: isLock)
    comparison.run()
    return new.sorted(comparison.problems.map(\.diagnostic))
  }
}
