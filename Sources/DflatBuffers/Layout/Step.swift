/// A field of a table, or a member of a union, as the verifier processes it.
struct Step: BitwiseCopyable {
  enum Kind: UInt8 {
    case inline, string, table, union, nested
    case vector, vectorOfStrings, vectorOfTables, vectorOfUnions
    /// The union has no member with that number.
    case none
  }

  let kind: Kind
  let isRequired: Bool
  let slot: Int
  /// The size of an inline field, or of a vector's elements.
  var size = 4
  var alignment = 4
  /// The number of arrays in an inline field, or in each of a vector's elements, once decoded.
  var arrays = 0
  /// The table or union that the step refers to, if any.
  var link: UnsafePointer<LayoutLink>?
}

/// Compiles the parts of a layout into steps, and creates their links.
struct StepCompiler {
  private(set) var links: [UnsafeMutablePointer<LayoutLink>] = []

  mutating func step(for field: TableLayout.Field) -> Step {
    func step(
      _ kind: Step.Kind, size: Int = 4, alignment: Int = 4, arrays: Int = 0, link: UnsafePointer<LayoutLink>? = nil
    ) -> Step {
      Step(
        kind: kind, isRequired: field.isRequired, slot: field.slot, size: size, alignment: alignment, arrays: arrays,
        link: link)
    }
    func step(_ kind: Step.Kind, _ layout: StructLayout) -> Step {
      step(kind, size: layout.size, alignment: layout.alignment, arrays: layout.arrays)
    }
    switch field.kind {
    case .scalar(let size): return step(.inline, size: size, alignment: size)
    case .structure(let layout): return step(.inline, layout)
    case .string: return step(.string)
    case .table(let layout): return step(.table, link: link(to: layout))
    case .union(let layout): return step(.union, link: link(to: layout))
    case .nested(let layout): return step(.nested, link: link(to: layout))
    case .vector(.scalar(let size)): return step(.vector, size: size, alignment: size)
    case .vector(.structure(let layout)): return step(.vector, layout)
    case .vector(.string): return step(.vectorOfStrings)
    case .vector(.table(let layout)): return step(.vectorOfTables, link: link(to: layout))
    case .vector(.union(let layout)): return step(.vectorOfUnions, link: link(to: layout))
    }
  }

  mutating func step(for member: UnionLayout.Member?) -> Step {
    switch member {
    case nil: Step(kind: .none, isRequired: false, slot: 0)
    case .string: Step(kind: .string, isRequired: false, slot: 0)
    case .structure(let layout):
      Step(
        kind: .inline, isRequired: false, slot: 0, size: layout.size, alignment: layout.alignment,
        arrays: layout.arrays)
    case .table(let layout): Step(kind: .table, isRequired: false, slot: 0, link: link(to: layout))
    }
  }

  private mutating func link(to layout: @escaping @Sendable () -> TableLayout) -> UnsafePointer<LayoutLink> {
    add(LayoutLink { layout().plan })
  }

  private mutating func link(to layout: @escaping @Sendable () -> UnionLayout) -> UnsafePointer<LayoutLink> {
    add(LayoutLink { layout().plan })
  }

  private mutating func add(_ link: consuming LayoutLink) -> UnsafePointer<LayoutLink> {
    let memory = UnsafeMutablePointer<LayoutLink>.allocate(capacity: 1)
    memory.initialize(to: link)
    links.append(memory)
    return UnsafePointer(memory)
  }
}
