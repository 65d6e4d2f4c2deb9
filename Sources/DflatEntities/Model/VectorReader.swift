import DflatBuffers

/// Reads the elements of the vector at a path from many buffers. Checks every access, and allocates nothing.
struct VectorReader: Sendable {
  private let path: VectorPath
  /// The type of scalars and enums.
  private let type: QueryValueType
  private let size: Int
  /// The numbers that an enum knows, and the bits of its default.
  private let enumeration: (known: KnownScalars, standard: UInt64)?

  init(_ path: VectorPath) {
    self.path = path
    switch path.element {
    case .scalar(let type):
      self.type = type
      enumeration = nil
    case .enumeration(let type, let standard, let known):
      self.type = type
      enumeration = (KnownScalars(known.compactMap { ScalarBits.of($0) }), ScalarBits.of(standard) ?? 0)
    case .string:
      type = .string
      enumeration = nil
    }
    size = type.elementSize
  }

  /// The elements of one object's vector.
  struct Elements {
    fileprivate let table: FlatBufferTable
    fileprivate let start: Int
    let count: Int
  }

  /// Returns the elements of an object's vector; nil if the vector's table or union member is absent.
  func elements(in root: FlatBufferTable) throws(FlatBufferError) -> Elements? {
    guard case .table(let table) = try PathReader.location(of: path.steps, in: root) else { return nil }
    guard let target = try table.targetPosition(path.slot) else { return Elements(table: table, start: 0, count: 0) }
    let (start, count) = try table.elements(at: target, size: size)
    return Elements(table: table, start: start, count: count)
  }

  /// Returns the bits of the scalar or enum at an index.
  func bits(at index: Int, of elements: Elements) throws(FlatBufferError) -> UInt64 {
    let bits = try elements.table.bits(type, at: elements.start + index * size)
    guard let enumeration else { return bits }
    return enumeration.known.contains(bits) ? bits : enumeration.standard
  }

  /// Returns the bytes of the string at an index. They are valid as long as the object's.
  func text(at index: Int, of elements: Elements) throws(FlatBufferError) -> UnsafeRawBufferPointer {
    try elements.table.bytes(at: elements.table.target(at: elements.start + index * size))
  }
}

extension QueryValueType {
  /// The number of bytes of an element in a vector.
  fileprivate var elementSize: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float, .string: 4
    case .int64, .uint64, .double: 8
    }
  }
}
