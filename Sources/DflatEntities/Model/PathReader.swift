package import DflatBuffers
import DflatSupport

/// Reads the value at a path from many buffers. Checks every access and, except for `value(in:)`, allocates nothing and
/// creates no strings.
///
/// Integers are read as order-preserving bits: 64 bits that compare as unsigned numbers for all widths, signed and
/// unsigned. Floating-point numbers are read as the bits of a `Double`.
package struct PathReader: Sendable {
  private enum Leaf {
    case scalar(Int, default: UInt64?)
    case enumeration(Int, default: UInt64?, known: KnownScalars)
    case string(Int, default: TextBytes?)
    case kind(Int, known: KnownScalars?)
    case unionString(Int, kind: UInt8)
  }

  private let steps: [FieldPath.Step]
  private let leaf: Leaf
  package let type: QueryValueType

  /// Creates a reader of values as queries see them.
  package init(_ path: FieldPath) { self.init(path, isStored: false) }

  /// Creates a reader of values as columns store them.
  package init(storedBy path: FieldPath) { self.init(path, isStored: true) }

  private init(_ path: FieldPath, isStored: Bool) {
    steps = path.steps
    type = path.type
    leaf =
      switch path.leaf {
      case .scalar(let position, _, let standard): .scalar(position, default: ScalarBits.of(standard))
      case .enumeration(let position, _, let standard, _) where isStored:
        .scalar(position, default: ScalarBits.of(standard))
      case .enumeration(let position, _, let standard, let known):
        .enumeration(
          position, default: ScalarBits.of(standard), known: KnownScalars(known.compactMap { ScalarBits.of($0) }))
      case .string(let position, let standard): .string(position, default: standard.map(TextBytes.init))
      case .kind(let slot, _) where isStored: .kind(slot, known: nil)
      case .kind(let slot, let known):
        .kind(slot, known: KnownScalars(known.map { ScalarBits.of(Int64($0)) }))
      case .unionString(let slot, let kind): .unionString(slot, kind: kind)
      }
  }

  package var isText: Bool { type == .string }
  package var isReal: Bool { type == .float || type == .double }

  // MARK: Paths

  /// The place to which the steps of a path lead.
  enum Location {
    /// A table, struct or union member on the path is absent.
    case none
    case table(FlatBufferTable)
    /// The position of a struct.
    case structure(Int)
  }

  static func location(of steps: [FieldPath.Step], in root: FlatBufferTable) throws(FlatBufferError) -> Location {
    var table = root
    var structure: Int?
    for step in steps {
      switch step {
      case .table(let slot):
        // An absent table, struct or member on the way makes the value absent.
        guard let target = try table.targetPosition(slot) else { return .none }
        table = try table.table(at: target, slot: slot)
      case .structure(let slot):
        guard let found = table.position(of: slot) else { return .none }
        structure = found
      case .inner(let offset):
        // A struct within a struct is stored in place.
        guard let outer = structure else { return .none }
        structure = outer &+ offset
      case .union(let slot, let kind):
        guard let target = try table.unionPosition(slot, kind: kind) else { return .none }
        table = try table.table(at: target, slot: slot)
      case .unionStructure(let slot, let kind):
        guard let target = try table.unionPosition(slot, kind: kind) else { return .none }
        structure = target
      }
    }
    return structure.map(Location.structure) ?? .table(table)
  }

  // MARK: Numbers

  /// Returns the bits of a number; nil for null.
  @inline(__always)
  package func bits(in root: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    if steps.isEmpty { return try bits(inside: root) }
    return try nestedBits(in: root)
  }

  private func nestedBits(in root: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    switch try Self.location(of: steps, in: root) {
    case .none: return nil
    case .table(let table): return try bits(inside: table)
    case .structure(let start):
      switch leaf {
      case .scalar(let offset, _): return try load(at: start &+ offset, in: root)
      case .enumeration(let offset, let standard, let known):
        let bits = try load(at: start &+ offset, in: root)
        return known.contains(bits) ? bits : standard
      case .string, .kind, .unionString: return nil
      }
    }
  }

  private func bits(inside table: FlatBufferTable) throws(FlatBufferError) -> UInt64? {
    switch leaf {
    case .scalar(let slot, let standard):
      guard let position = table.position(of: slot) else { return standard }
      return try load(at: position, in: table)
    case .enumeration(let slot, let standard, let known):
      guard let position = table.position(of: slot) else { return standard }
      let bits = try load(at: position, in: table)
      return known.contains(bits) ? bits : standard
    case .kind(let slot, let known):
      let kind = try table.unionKind(slot)
      if kind == 0 { return nil }
      let bits = ScalarBits.of(Int64(kind))
      if let known, !known.contains(bits) { return nil }
      return bits
    case .string, .unionString: return nil
    }
  }

  private func load(at position: Int, in table: FlatBufferTable) throws(FlatBufferError) -> UInt64 {
    try table.bits(type, at: position)
  }

  // MARK: Text

  /// Returns the bytes of a text; nil for null. They are valid as long as the table and this reader.
  @inline(__always)
  package func text(in root: FlatBufferTable) throws(FlatBufferError) -> UnsafeRawBufferPointer? {
    if steps.isEmpty { return try text(inside: root) }
    guard case .table(let table) = try Self.location(of: steps, in: root) else { return nil }
    return try text(inside: table)
  }

  private func text(inside table: FlatBufferTable) throws(FlatBufferError) -> UnsafeRawBufferPointer? {
    switch leaf {
    case .string(let slot, let standard):
      guard let target = try table.targetPosition(slot) else { return standard?.bytes }
      return try table.bytes(at: target)
    case .unionString(let slot, let kind):
      guard let target = try table.unionPosition(slot, kind: kind) else { return nil }
      return try table.bytes(at: target)
    case .scalar, .enumeration, .kind: return nil
    }
  }

  // MARK: Values

  /// Returns the value, of any type.
  package func value(in root: FlatBufferTable) throws(FlatBufferError) -> QueryValue {
    if isText {
      guard let bytes = try text(in: root) else { return .null }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw FlatBufferError(.invalidUTF8) }
      return .text(text)
    }
    guard let bits = try bits(in: root) else { return .null }
    return QueryValue(bits: bits, of: type)
  }

  /// Returns true if both tables hold the same value, bit for bit. Bytes that can't be read equal nothing.
  func isSame(in table: FlatBufferTable, as other: FlatBufferTable?) -> Bool {
    guard let other else { return false }
    do {
      guard isText else { return try bits(in: table) == bits(in: other) }
      guard let text = try text(in: table), let otherText = try self.text(in: other) else {
        return try self.text(in: table) == nil && self.text(in: other) == nil
      }
      return text.isSame(as: otherText)
    } catch { return false }
  }
}

extension FlatBufferTable {
  /// Returns the bits of the number at a position.
  @inline(__always)
  func bits(_ type: QueryValueType, at position: Int) throws(FlatBufferError) -> UInt64 {
    switch type {
    case .bool: try load(Bool.self, at: position) ? ScalarBits.yes : ScalarBits.no
    case .int8: ScalarBits.of(Int64(try load(Int8.self, at: position)))
    case .uint8: ScalarBits.of(Int64(try load(UInt8.self, at: position)))
    case .int16: ScalarBits.of(Int64(try load(Int16.self, at: position)))
    case .uint16: ScalarBits.of(Int64(try load(UInt16.self, at: position)))
    case .int32: ScalarBits.of(Int64(try load(Int32.self, at: position)))
    case .uint32: ScalarBits.of(Int64(try load(UInt32.self, at: position)))
    case .int64: ScalarBits.of(try load(Int64.self, at: position))
    case .uint64: try load(UInt64.self, at: position)
    case .float: Double(try load(Float.self, at: position)).bitPattern
    case .double: try load(Double.self, at: position).bitPattern
    case .string: 0
    }
  }
}
