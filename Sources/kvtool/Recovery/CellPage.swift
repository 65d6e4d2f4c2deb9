/// A page of a b-tree: of a table by rowid, or of an index, which is also the form of a table without rowid.
struct CellPage {
  enum Kind: UInt8 {
    case interiorIndex = 2
    case interiorTable = 5
    case leafIndex = 10
    case leafTable = 13

    var isTable: Bool { self == .interiorTable || self == .leafTable }
    var isLeaf: Bool { self == .leafIndex || self == .leafTable }
  }

  struct Cell {
    /// The page with what comes before the cell; nil on a leaf.
    var child: Int?
    /// The row's number; nil in an index.
    var rowid: Int64?
    /// The number of the record's bytes; nil in an inner page of a table, which has no records.
    var payloadSize: Int?
    /// The bytes of the record that are on this page.
    var local: ArraySlice<UInt8> = []
    /// The first page of the others.
    var overflowPage: Int?
  }

  let kind: Kind
  /// The page after all cells; nil on a leaf.
  let lastChild: Int?
  /// The cells that are readable.
  let cells: [Cell]
  /// The number of cells that aren't.
  let damagedCount: Int

  /// Returns nil for a page of another kind, or without a header that makes sense.
  init?(_ page: [UInt8], isFirst: Bool, usableSize: Int) {
    let start = isFirst ? 100 : 0
    guard page.count >= usableSize, usableSize >= start + 12, let kind = Kind(rawValue: page[start]) else { return nil }
    let headerSize = kind.isLeaf ? 8 : 12
    let count = page.integer16(at: start + 3)
    let pointers = start + headerSize
    guard pointers + 2 * count <= usableSize else { return nil }
    self.kind = kind
    lastChild = kind.isLeaf ? nil : page.integer32(at: start + 8)
    let offsets = (0..<count).map { page.integer16(at: pointers + 2 * $0) }
    // Two pointers to one cell are damage.
    var known: Set<Int> = []
    let cells = offsets.compactMap { offset in
      offset >= pointers + 2 * count && offset < usableSize && known.insert(offset).inserted
        ? Self.cell(page, at: offset, kind, usableSize) : nil
    }
    self.cells = cells
    damagedCount = count - cells.count
  }

  private static func cell(_ page: [UInt8], at offset: Int, _ kind: Kind, _ usableSize: Int) -> Cell? {
    var reader = ByteReader(page[..<usableSize], at: offset)
    var cell = Cell()
    if !kind.isLeaf {
      guard let child = reader.integer32() else { return nil }
      cell.child = child
    }
    if kind == .interiorTable {
      guard let rowid = reader.varint() else { return nil }
      cell.rowid = rowid
      return cell
    }
    guard let size = reader.varint().flatMap({ Int(exactly: $0) }), size >= 0 else { return nil }
    cell.payloadSize = size
    if kind == .leafTable {
      guard let rowid = reader.varint() else { return nil }
      cell.rowid = rowid
    }
    // How much of the record is on the page ("B-tree Cell Format").
    let maximum = kind == .leafTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    if size <= maximum {
      guard let local = reader.bytes(size) else { return nil }
      cell.local = local
      return cell
    }
    let minimum = (usableSize - 12) * 32 / 255 - 23
    let local = minimum + (size - minimum) % (usableSize - 4)
    guard let bytes = reader.bytes(local <= maximum ? local : minimum), let page = reader.integer32() else {
      return nil
    }
    cell.local = bytes
    cell.overflowPage = page
    return cell
  }
}

/// Reads the parts of pages and records, within their bounds.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>, at position: Int? = nil) {
    self.bytes = bytes
    self.position = position ?? bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.endIndex - position else { return nil }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// Reads a big-endian number of up to eight bytes, which has a sign.
  mutating func integer(_ count: Int) -> Int64? {
    guard let bytes = bytes(count) else { return nil }
    var value: Int64 = (bytes.first ?? 0) >= 0x80 ? -1 : 0
    for byte in bytes { value = value << 8 | Int64(byte) }
    return value
  }

  mutating func integer32() -> Int? { integer(4).map { Int($0 & 0xFFFF_FFFF) } }

  /// Reads a number of one to nine bytes, seven bits in each of the first eight.
  mutating func varint() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard let byte = bytes(1)?.first else { return nil }
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }
}
