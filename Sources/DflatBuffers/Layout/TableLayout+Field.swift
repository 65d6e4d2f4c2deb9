extension TableLayout {
  /// A field of a table.
  ///
  /// A slot is a byte offset in the vtable: 4 for the first field, 2 more for each that follows. A union has two slots, and
  /// is named by the second, that of its value.
  public struct Field: Sendable {
    enum Kind: Sendable {
      case scalar(size: Int)
      case structure(StructLayout)
      case string
      case table(@Sendable () -> TableLayout)
      case union(@Sendable () -> UnionLayout)
      case vector(Element)
      case nested(@Sendable () -> TableLayout)
    }

    /// The schema's name, for errors.
    public let name: String
    /// Where the vtable has it: 4 for the first field, 2 more for each that follows; of a union its value's.
    public let slot: Int
    /// Whether bytes without it are damaged.
    public let isRequired: Bool
    let kind: Kind

    private init(_ name: String, _ slot: Int, _ isRequired: Bool, _ kind: Kind) {
      precondition(slot >= 4 && slot % 2 == 0 && slot <= 65_534, "\(name) has a slot that vtables don't have: \(slot)")
      self.name = name
      self.slot = slot
      self.isRequired = isRequired
      self.kind = kind
    }

    /// A number, `bool` or enum of 1, 2, 4 or 8 bytes.
    public static func scalar(_ name: String, _ slot: Int, size: Int) -> Field {
      precondition([1, 2, 4, 8].contains(size), "\(name) has a size that scalars don't have: \(size)")
      return Field(name, slot, false, .scalar(size: size))
    }

    /// A scalar.
    public static func scalar<T: FlatBufferScalar>(_ name: String, _ slot: Int, _ type: T.Type) -> Field {
      scalar(name, slot, size: MemoryLayout<T>.size)
    }

    /// An enum.
    public static func enumeration<E: FlatBufferEnum>(_ name: String, _ slot: Int, _ type: E.Type) -> Field {
      scalar(name, slot, size: MemoryLayout<E.RawValue>.size)
    }

    /// A fixed struct, which stands in the table itself.
    public static func structure(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: StructLayout
    ) -> Field {
      Field(name, slot, required, .structure(layout))
    }

    /// A string.
    public static func string(_ name: String, _ slot: Int, required: Bool = false) -> Field {
      Field(name, slot, required, .string)
    }

    /// A table, in a closure because tables may contain themselves.
    public static func table(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: @escaping @Sendable () -> TableLayout
    ) -> Field {
      Field(name, slot, required, .table(layout))
    }

    /// A union whose kind is at the slot before.
    public static func union(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: @escaping @Sendable () -> UnionLayout
    ) -> Field {
      precondition(slot >= 6, "\(name) has its kind at the slot before: \(slot) can't be its value's")
      return Field(name, slot, required, .union(layout))
    }

    /// A vector; if of unions, the vector of kinds is at the slot before.
    ///
    /// - Parameter alignment: That of `force_align`. It is for writers; readers do without.
    public static func vector(
      _ name: String, _ slot: Int, required: Bool = false, alignment: Int? = nil, of element: Element
    ) -> Field {
      Field(name, slot, required, .vector(element))
    }

    /// A vector of bytes that is a buffer itself, with that table as its root.
    public static func nested(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: @escaping @Sendable () -> TableLayout
    ) -> Field {
      Field(name, slot, required, .nested(layout))
    }
  }

  /// What a vector has as elements.
  public enum Element: Sendable {
    case scalar(size: Int)
    case string
    case structure(StructLayout)
    case table(@Sendable () -> TableLayout)
    case union(@Sendable () -> UnionLayout)

    /// Scalars.
    public static func scalar<T: FlatBufferScalar>(_ type: T.Type) -> Element {
      .scalar(size: MemoryLayout<T>.size)
    }

    /// Enums.
    public static func enumeration<E: FlatBufferEnum>(_ type: E.Type) -> Element {
      .scalar(size: MemoryLayout<E.RawValue>.size)
    }
  }
}
