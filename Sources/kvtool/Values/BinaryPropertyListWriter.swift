/// Writes binary property lists (`bplist00`). Each node of the tree becomes one object, children before their parent.
struct BinaryPropertyListWriter {
  private var bytes = BinaryPropertyListReader.magic
  private var offsets: [Int] = []
  private let referenceSize: Int

  static func write(_ root: PropertyListNode) -> [UInt8] {
    var writer = BinaryPropertyListWriter(objectCount: count(root))
    _ = writer.append(root)
    return writer.finished()
  }

  private init(objectCount: Int) {
    referenceSize = Self.byteCount(UInt64(objectCount))
  }

  private static func count(_ node: PropertyListNode) -> Int {
    switch node {
    case .array(let elements): elements.reduce(1) { $0 + count($1) }
    case .dictionary(let members): members.reduce(1) { $0 + 1 + count($1.value) }
    default: 1
    }
  }

  /// Appends a node after its children, and returns its object number.
  private mutating func append(_ node: PropertyListNode) -> Int {
    switch node {
    case .array(let elements):
      let references = elements.map { append($0) }
      return container(0xA0, count: elements.count, references: references)
    case .dictionary(let members):
      let keys = members.map { append(.string($0.key)) }
      let values = members.map { append($0.value) }
      return container(0xD0, count: members.count, references: keys + values)
    default:
      offsets.append(bytes.count)
      appendLeaf(node)
      return offsets.count - 1
    }
  }

  private mutating func container(_ marker: UInt8, count: Int, references: [Int]) -> Int {
    offsets.append(bytes.count)
    append(marker: marker, count: count)
    for reference in references {
      append(UInt64(reference), byteCount: referenceSize)
    }
    return offsets.count - 1
  }

  private mutating func appendLeaf(_ node: PropertyListNode) {
    switch node {
    case .bool(let bool): bytes.append(bool ? 0x09 : 0x08)
    case .int(let int): append(int: int)
    case .uint(let uint):
      bytes.append(0x14)
      append(0, byteCount: 8)
      append(uint, byteCount: 8)
    case .real(let double):
      bytes.append(0x23)
      append(double.bitPattern, byteCount: 8)
    case .date(let seconds):
      bytes.append(0x33)
      append(seconds.bitPattern, byteCount: 8)
    case .uid(let uid):
      let size = Self.byteCount(uid)
      bytes.append(0x80 | UInt8(size - 1))
      append(uid, byteCount: size)
    case .data(let data):
      append(marker: 0x40, count: data.count)
      bytes.append(contentsOf: data)
    case .string(let string): append(string: string)
    case .array, .dictionary: break
    }
  }

  private mutating func append(string: String) {
    if string.utf8.allSatisfy({ $0 < 0x80 }) {
      append(marker: 0x50, count: string.utf8.count)
      bytes.append(contentsOf: string.utf8)
    } else {
      append(marker: 0x60, count: string.utf16.count)
      for unit in string.utf16 {
        append(UInt64(unit), byteCount: 2)
      }
    }
  }

  private mutating func append(int: Int64) {
    // The format defines integers shorter than eight bytes as unsigned.
    let size = int < 0 ? 8 : Self.byteCount(UInt64(int))
    bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
    append(UInt64(bitPattern: int), byteCount: size)
  }

  private mutating func append(marker: UInt8, count: Int) {
    if count < 0x0F {
      bytes.append(marker | UInt8(count))
    } else {
      bytes.append(marker | 0x0F)
      append(int: Int64(count))
    }
  }

  private mutating func append(_ value: UInt64, byteCount: Int) {
    for shift in (0..<byteCount).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift)))
    }
  }

  private consuming func finished() -> [UInt8] {
    let tableStart = bytes.count
    let offsetSize = Self.byteCount(UInt64(tableStart))
    for offset in offsets {
      append(UInt64(offset), byteCount: offsetSize)
    }
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
    append(UInt64(offsets.count), byteCount: 8)
    append(UInt64(offsets.count - 1), byteCount: 8)
    append(UInt64(tableStart), byteCount: 8)
    return bytes
  }

  /// Returns the size of the smallest integer that holds the value: 1, 2, 4 or 8 bytes.
  private static func byteCount(_ value: UInt64) -> Int {
    [1, 2, 4].first { value >> (8 * UInt64($0)) == 0 } ?? 8
  }
}
