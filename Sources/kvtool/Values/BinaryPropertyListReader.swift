import DflatBuffers
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads binary property lists (`bplist00`): objects, a table of their offsets, and a 32-byte trailer that locates the
/// table. Any bytes produce a tree or an error.
struct BinaryPropertyListReader {
  static let magic = Array("bplist00".utf8)

  private static let trailerLength = 32

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let tableStart: Int
  private let root: Int

  static func read(_ bytes: [UInt8]) throws(PropertyListFailure) -> PropertyListNode {
    let reader = try BinaryPropertyListReader(bytes)
    do {
      try PropertyListCheck.run(Data(bytes), limits: FlatBufferLimits())
    } catch {
      switch error {
      case .damaged: throw reader.damaged()
      case .deep: throw PropertyListFailure("the property list is nested too deeply, or contains itself")
      case .large: throw PropertyListFailure("the property list would take more values or memory than is allowed")
      }
    }
    return try reader.object(reader.root)
  }

  private init(_ bytes: [UInt8]) throws(PropertyListFailure) {
    guard bytes.count >= Self.magic.count + Self.trailerLength, bytes.starts(with: Self.magic) else {
      throw PropertyListFailure("it is not a binary property list")
    }
    self.bytes = bytes
    let trailer = bytes.count - Self.trailerLength
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let objectCount = Int(exactly: Self.integer(bytes[(trailer + 8)..<(trailer + 16)])),
      let root = Int(exactly: Self.integer(bytes[(trailer + 16)..<(trailer + 24)])),
      let tableStart = Int(exactly: Self.integer(bytes[(trailer + 24)..<(trailer + 32)])),
      tableStart <= trailer, root < objectCount, objectCount <= (trailer - tableStart) / offsetSize
    else {
      throw PropertyListFailure("the trailer of the binary property list is damaged")
    }
    self.objectCount = objectCount
    self.root = root
    self.tableStart = tableStart
  }

  private func object(_ index: Int) throws(PropertyListFailure) -> PropertyListNode {
    guard index < objectCount else {
      throw damaged()
    }
    let entry = tableStart + index * offsetSize
    guard let offset = Int(exactly: Self.integer(bytes[entry..<(entry + offsetSize)])), offset < tableStart else {
      throw damaged()
    }
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where marker == 0x08: return .bool(false)
    case 0x0 where marker == 0x09: return .bool(true)
    case 0x0 where marker == 0x00: return .null
    case 0x1: return try integerNode(at: offset + 1, sizeExponent: low)
    case 0x2: return try real(at: offset + 1, sizeExponent: low)
    case 0x3 where low == 3: return .date(Double(bitPattern: Self.integer(try slice(offset + 1, count: 8))))
    case 0x8 where low < 8: return .uid(Self.integer(try slice(offset + 1, count: low + 1)))
    default:
      let (count, start) = try length(at: offset, low: low)
      return try variable(marker >> 4, count: count, start: start)
    }
  }

  private func variable(
    _ type: UInt8, count: Int, start: Int
  ) throws(PropertyListFailure) -> PropertyListNode {
    switch type {
    case 0x4: return .data(Array(try slice(start, count: count)))
    case 0x5:
      let ascii = try slice(start, count: count)
      guard ascii.allSatisfy({ $0 < 0x80 }) else {
        throw damaged()
      }
      return .string(String(decoding: ascii, as: UTF8.self))
    case 0x6: return .string(try utf16(start, count: count))
    case 0x7:
      guard let text = String(validating: try slice(start, count: count), as: UTF8.self) else {
        throw damaged()
      }
      return .string(text)
    case 0xA: return .array(try objects(try references(start, count: count)))
    case 0xD: return .dictionary(try members(start, count: count))
    default: throw PropertyListFailure("the binary property list contains an unknown kind of value")
    }
  }

  private func objects(_ indices: [Int]) throws(PropertyListFailure) -> [PropertyListNode] {
    var nodes: [PropertyListNode] = []
    nodes.reserveCapacity(indices.count)
    for index in indices {
      nodes.append(try object(index))
    }
    return nodes
  }

  private func members(
    _ start: Int, count: Int
  ) throws(PropertyListFailure) -> [PropertyListNode.Member] {
    let keys = try objects(try references(start, count: count))
    let values = try objects(try references(start + count * referenceSize, count: count))
    var members: [PropertyListNode.Member] = []
    members.reserveCapacity(count)
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = key else {
        throw PropertyListFailure("the property list has a dictionary with a key that is not a string")
      }
      members.append(PropertyListNode.Member(key: name, value: value))
    }
    return members
  }

  private func integerNode(at start: Int, sizeExponent: Int) throws(PropertyListFailure) -> PropertyListNode {
    switch sizeExponent {
    case 0, 1, 2: return .int(Int64(Self.integer(try slice(start, count: 1 << sizeExponent))))
    case 3: return .int(Int64(bitPattern: Self.integer(try slice(start, count: 8))))
    case 4:
      let high = Self.integer(try slice(start, count: 8))
      let low = Self.integer(try slice(start + 8, count: 8))
      if high == 0 {
        return low <= UInt64(Int64.max) ? .int(Int64(low)) : .uint(low)
      }
      guard high == .max, low > UInt64(Int64.max) else {
        throw PropertyListFailure("the property list contains an integer of more than 64 bits")
      }
      return .int(Int64(bitPattern: low))
    default: throw damaged()
    }
  }

  private func real(at start: Int, sizeExponent: Int) throws(PropertyListFailure) -> PropertyListNode {
    switch sizeExponent {
    case 2: return .real(Double(Float(bitPattern: UInt32(Self.integer(try slice(start, count: 4))))))
    case 3: return .real(Double(bitPattern: Self.integer(try slice(start, count: 8))))
    default: throw damaged()
    }
  }

  private func utf16(_ start: Int, count: Int) throws(PropertyListFailure) -> String {
    guard count <= bytes.count / 2 else {
      throw damaged()
    }
    let encoded = try slice(start, count: count * 2)
    let units = (0..<count).map { index in
      UInt16(encoded[start + 2 * index]) << 8 | UInt16(encoded[start + 2 * index + 1])
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw PropertyListFailure("the property list contains a string that is not UTF-16")
    }
    return text
  }

  /// Returns an object's length, which its marker holds or a separate integer after it, and the start of its content.
  private func length(at offset: Int, low: Int) throws(PropertyListFailure) -> (count: Int, start: Int) {
    guard low == 0x0F else {
      return (low, offset + 1)
    }
    let marker = try slice(offset + 1, count: 1)[offset + 1]
    guard marker >> 4 == 0x1, marker & 0x0F <= 3 else {
      throw damaged()
    }
    let size = 1 << Int(marker & 0x0F)
    guard let count = Int(exactly: Self.integer(try slice(offset + 2, count: size))), count <= bytes.count else {
      throw damaged()
    }
    return (count, offset + 2 + size)
  }

  private func references(_ start: Int, count: Int) throws(PropertyListFailure) -> [Int] {
    guard count <= bytes.count else {
      throw damaged()
    }
    let encoded = try slice(start, count: count * referenceSize)
    return (0..<count).map { index in
      let first = start + index * referenceSize
      return Int(exactly: Self.integer(encoded[first..<(first + referenceSize)])) ?? .max
    }
  }

  private func slice(_ start: Int, count: Int) throws(PropertyListFailure) -> ArraySlice<UInt8> {
    guard start <= tableStart, count <= tableStart - start else {
      throw damaged()
    }
    return bytes[start..<(start + count)]
  }

  private func damaged() -> PropertyListFailure {
    PropertyListFailure("the binary property list is damaged")
  }

  /// Returns the value of a big-endian integer of at most eight bytes.
  private static func integer(_ slice: ArraySlice<UInt8>) -> UInt64 {
    slice.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
