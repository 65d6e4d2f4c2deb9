/// A field as the verifier meets it: no references, so that going through a table's fields counts none.
struct Step: BitwiseCopyable {
  enum Kind: UInt8 {
    case inline, string, table, union, nested
    case vector, vectorOfStrings, vectorOfTables, vectorOfUnions
  }

  let kind: Kind
  let isRequired: Bool
  let slot: Int
  /// Of the field in the table, if inline; of an element, if a vector.
  var size = 4
  var alignment = 4
  /// The index in the layout's `tables` or `unions`.
  var reference = 0
}

/// A table that a layout refers to. In an array, or of a generic type, a closure would stand behind a thunk, and all
/// threads that verify would count references to the same one.
struct TableReference: Sendable {
  let layout: @Sendable () -> TableLayout
}

/// A union that a layout refers to.
struct UnionReference: Sendable {
  let layout: @Sendable () -> UnionLayout
}

/// Makes the steps of a table, and gathers the closures that they refer to.
struct StepCompiler {
  private(set) var tables: [TableReference] = []
  private(set) var unions: [UnionReference] = []

  mutating func step(for field: TableLayout.Field) -> Step {
    func step(_ kind: Step.Kind, size: Int = 4, alignment: Int = 4, reference: Int = 0) -> Step {
      Step(
        kind: kind, isRequired: field.isRequired, slot: field.slot, size: size, alignment: alignment,
        reference: reference)
    }
    switch field.kind {
    case .scalar(let size): return step(.inline, size: size, alignment: size)
    case .structure(let layout): return step(.inline, size: layout.size, alignment: layout.alignment)
    case .string: return step(.string)
    case .table(let layout): return step(.table, reference: index(of: layout))
    case .union(let layout): return step(.union, reference: index(of: layout))
    case .nested(let layout): return step(.nested, reference: index(of: layout))
    case .vector(.scalar(let size)): return step(.vector, size: size, alignment: size)
    case .vector(.structure(let layout)): return step(.vector, size: layout.size, alignment: layout.alignment)
    case .vector(.string): return step(.vectorOfStrings)
    case .vector(.table(let layout)): return step(.vectorOfTables, reference: index(of: layout))
    case .vector(.union(let layout)): return step(.vectorOfUnions, reference: index(of: layout))
    }
  }

  private mutating func index(of layout: @escaping @Sendable () -> TableLayout) -> Int {
    tables.append(TableReference(layout: layout))
    return tables.count - 1
  }

  private mutating func index(of layout: @escaping @Sendable () -> UnionLayout) -> Int {
    unions.append(UnionReference(layout: layout))
    return unions.count - 1
  }
}
