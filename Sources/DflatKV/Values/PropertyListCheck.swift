package import DflatBuffers

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Checks a binary property list before Foundation decodes it. All objects reachable from the top one must lie within
/// the bytes, and none may contain itself. Counting shared objects at each reference, they may not take more memory and
/// time than the size of the list permits. Foundation reads an object each time a type asks for it, and recurses along
/// the nesting.
package struct PropertyListCheck {
  package enum Failure: Error, CustomStringConvertible {
    case damaged
    case deep
    case large

    package var description: String {
      switch self {
      case .damaged: "its bytes are not a binary property list"
      case .deep: "it is nested more than \(maximumDepth) levels deep, or contains itself"
      case .large: "it would take more objects or more memory than is allowed"
      }
    }
  }

  /// A nesting depth that the stack of any thread permits.
  static let maximumDepth = 512
  /// The number of objects that a list of any size may have; a longer list may have one for each byte. Encoders don't
  /// share arrays and dictionaries, so their lists have no more.
  private static let leastObjects = 1 << 19
  /// The size in bytes up to which a list that an encoder wrote is neither deep nor large.
  static let smallSize = 512

  /// The size of an object, including its contents.
  private struct Extent {
    var objects = 1
    var memory = 16
    /// The maximum nesting of arrays and dictionaries in the object.
    var height = 0

    mutating func add(_ other: Extent) throws(Failure) {
      let (objects, overflow) = objects.addingReportingOverflow(other.objects)
      let (memory, overflown) = memory.addingReportingOverflow(other.memory)
      if overflow || overflown { throw .large }
      (self.objects, self.memory, height) = (objects, memory, max(height, other.height + 1))
    }
  }

  private let bytes: UnsafeRawBufferPointer
  private let offsetWidth: Int
  private let referenceWidth: Int
  private let count: Int
  private let top: Int
  private let tableStart: Int
  private let maximumObjects: Int
  private let maximumMemory: Int
  /// The extents of the arrays and dictionaries visited so far; one with 0 objects is being visited.
  private var extents: [Int: Extent] = [:]

  /// Throws if the bytes must not be decoded.
  package static func run(_ data: Data, limits: FlatBufferLimits) throws(Failure) {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(Failure) in
        var check = try PropertyListCheck(bytes, limits: limits)
        _ = try check.extent(of: check.top, depth: 0)
      }
    }
    try result.get()
  }

  private init(_ bytes: UnsafeRawBufferPointer, limits: FlatBufferLimits) throws(Failure) {
    let trailer = bytes.count - 32
    guard trailer >= 9, bytes.starts(with: "bplist00".utf8) else { throw .damaged }
    // The trailer, in big-endian numbers: the widths of offsets and references, the number of objects, the top object,
    // and the start of the table of offsets.
    self.bytes = bytes
    offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
      let count = Int(exactly: Self.number(bytes, trailer + 8, 8)),
      let top = Int(exactly: Self.number(bytes, trailer + 16, 8)),
      let tableStart = Int(exactly: Self.number(bytes, trailer + 24, 8)), tableStart > 8, tableStart < trailer,
      top < count,
      count <= (trailer - tableStart) / offsetWidth
    else { throw .damaged }
    self.count = count
    self.top = top
    self.tableStart = tableStart
    maximumObjects = max(Self.leastObjects, bytes.count)
    maximumMemory = limits.memory(forSize: bytes.count)
  }

  /// Returns the extent of an object, and of all that it contains.
  private mutating func extent(of object: Int, depth: Int) throws(Failure) -> Extent {
    guard object < count else { throw .damaged }
    let entry = Self.number(bytes, tableStart + object * offsetWidth, offsetWidth)
    guard let offset = Int(exactly: entry), offset >= 8, offset < tableStart else { throw .damaged }
    let marker = bytes[offset]
    let low = Int(marker & 15)
    // The marker's upper four bits are the type of the object, the lower ones its length or count.
    switch marker >> 4 {
    case 0x0:
      guard marker == 0 || marker == 8 || marker == 9 else { throw .damaged }
      return Extent()
    case 0x1: return try leaf(offset + 1, 1 << low, low <= 4)
    case 0x2: return try leaf(offset + 1, 1 << low, low == 2 || low == 3)
    case 0x3: return try leaf(offset + 1, 8, low == 3)
    case 0x8: return try leaf(offset + 1, low + 1, low < 8)
    case 0x4, 0x5, 0x7:
      let (count, start) = try length(at: offset, low)
      return try leaf(start, count, true, memory: count)
    case 0x6:
      let (count, start) = try length(at: offset, low)
      return try leaf(start, 2 * count, true, memory: 3 * count)
    case 0xa, 0xd:
      let (count, start) = try length(at: offset, low)
      return try container(object, start, marker >> 4 == 0xd ? 2 * count : count, depth: depth)
    default: throw .damaged
    }
  }

  /// Returns the extent of an object that contains no others. Contents of more than 15 bytes count as an allocation of
  /// their own.
  private func leaf(_ start: Int, _ length: Int, _ isKnown: Bool, memory: Int = 0) throws(Failure) -> Extent {
    guard isKnown, start <= tableStart, length <= tableStart - start else { throw .damaged }
    return Extent(memory: memory > 15 ? 48 + memory : 16)
  }

  /// Returns the extent of an array or dictionary. Visits any but the top one only once.
  private mutating func container(
    _ object: Int, _ start: Int, _ references: Int, depth: Int
  ) throws(Failure) -> Extent {
    guard start <= tableStart, references <= (tableStart - start) / referenceWidth else { throw .damaged }
    if let known = extents[object] {
      guard known.objects > 0, depth + known.height <= Self.maximumDepth else { throw .deep }
      return known
    }
    guard depth < Self.maximumDepth else { throw .deep }
    // Most values are one array or dictionary of leaves, for which this allocates nothing. The maximum depth ends a
    // cycle through the top object.
    if depth > 0 { extents[object] = Extent(objects: 0) }
    var extent = Extent()
    for index in 0..<references {
      let reference = Self.number(bytes, start + index * referenceWidth, referenceWidth)
      try extent.add(self.extent(of: Int(exactly: reference) ?? .max, depth: depth + 1))
      if extent.objects > maximumObjects || extent.memory > maximumMemory { throw .large }
    }
    if depth > 0 { extents[object] = extent }
    return extent
  }

  /// Returns an object's length, from its marker or from the integer after it, and the start of its contents.
  private func length(at offset: Int, _ low: Int) throws(Failure) -> (count: Int, start: Int) {
    guard low == 15 else { return (low, offset + 1) }
    guard offset + 1 < tableStart, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 15 <= 3 else { throw .damaged }
    let width = 1 << Int(bytes[offset + 1] & 15)
    guard offset + 2 + width <= tableStart, let count = Int(exactly: Self.number(bytes, offset + 2, width)),
      count <= bytes.count
    else { throw .damaged }
    return (count, offset + 2 + width)
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ width: Int) -> UInt64 {
    var number: UInt64 = 0
    for place in offset..<offset + width { number = number << 8 | UInt64(bytes[place]) }
    return number
  }
}
