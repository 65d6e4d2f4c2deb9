extension TableLayout {
  /// A field of a table.
  ///
  /// A slot is a byte offset in the vtable: 4 for the first field, and 2 more for each following one. A union has two
  /// slots: this one is the second, which holds its value.
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

    /// The name in the schema, for errors.
    public let name: String
    /// The byte offset in the vtable: 4 for the first field, and 2 more for each following one; for a union that of its
    /// value.
    public let slot: Int
    /// True if a table without the field is invalid.
    public let isRequired: Bool
    let kind: Kind

    private init(_ name: String, _ slot: Int, _ isRequired: Bool, _ kind: Kind) {
      precondition(slot >= 4 && slot % 2 == 0 && slot <= 65_534, "\(name) has an invalid vtable slot: \(slot)")
      self.name = name
      self.slot = slot
      self.isRequired = isRequired
      self.kind = kind
    }

    /// Describes a number, `bool` or enum of 1, 2, 4 or 8 bytes.
    public static func scalar(_ name: String, _ slot: Int, size: Int) -> Field {
      precondition([1, 2, 4, 8].contains(size), "\(name) has an invalid scalar size: \(size)")
      return Field(name, slot, false, .scalar(size: size))
    }

    /// Describes a scalar.
    public static func scalar<T: FlatBufferScalar>(_ name: String, _ slot: Int, _ type: T.Type) -> Field {
      scalar(name, slot, size: MemoryLayout<T>.size)
    }

    /// Describes an enum.
    public static func enumeration<E: FlatBufferEnum>(_ name: String, _ slot: Int, _ type: E.Type) -> Field {
      scalar(name, slot, size: MemoryLayout<E.RawValue>.size)
    }

    /// Describes a fixed struct, which the table stores in place.
    public static func structure(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: StructLayout
    ) -> Field {
      Field(name, slot, required, .structure(layout))
    }

    /// Describes a string.
    public static func string(_ name: String, _ slot: Int, required: Bool = false) -> Field {
      Field(name, slot, required, .string)
    }

    /// Describes a table. The layout is in a closure because tables may contain themselves.
    public static func table(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: @escaping @Sendable () -> TableLayout
    ) -> Field {
      Field(name, slot, required, .table(layout))
    }

    /// Describes a union, whose kind is at the preceding slot.
    public static func union(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: @escaping @Sendable () -> UnionLayout
    ) -> Field {
      precondition(
        slot >= 6, "the kind of \(name) takes the slot before its value, so the value can't have slot \(slot)")
      return Field(name, slot, required, .union(layout))
    }

    /// Describes a vector. For a vector of unions, the vector of kinds is at the preceding slot.
    ///
    /// - Parameters:
    ///   - name: The field's name in the schema.
    ///   - slot: The field's number in the table.
    ///   - required: True if a table without the field is invalid.
    ///   - alignment: The `force_align` of the field. Layouts ignore it: only writers need it.
    ///   - element: The type of the elements.
    public static func vector(
      _ name: String, _ slot: Int, required: Bool = false, alignment: Int? = nil, of element: Element
    ) -> Field {
      if case .union = element {
        precondition(
          slot >= 6, "the kinds of \(name) take the slot before its values, so the values can't have slot \(slot)")
      }
      return Field(name, slot, required, .vector(element))
    }

    /// Describes a vector of bytes that is a buffer itself, with that table as its root.
    public static func nested(
      _ name: String, _ slot: Int, required: Bool = false, _ layout: @escaping @Sendable () -> TableLayout
    ) -> Field {
      Field(name, slot, required, .nested(layout))
    }
  }

  /// The type of a vector's elements.
  public enum Element: Sendable {
    /// A number, `bool` or enum of that many bytes.
    case scalar(size: Int)
    /// A string.
    case string
    /// A fixed struct.
    case structure(StructLayout)
    /// A table, in a closure because tables may contain themselves.
    case table(@Sendable () -> TableLayout)
    /// A union, in a closure because its tables may contain themselves.
    case union(@Sendable () -> UnionLayout)

    /// Returns the element type for scalars.
    public static func scalar<T: FlatBufferScalar>(_ type: T.Type) -> Element {
      .scalar(size: MemoryLayout<T>.size)
    }

    /// Returns the element type for enums.
    public static func enumeration<E: FlatBufferEnum>(_ type: E.Type) -> Element {
      .scalar(size: MemoryLayout<E.RawValue>.size)
    }
  }
}
