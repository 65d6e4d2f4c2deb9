import DflatBuffers
import Testing

// Finds and changes the parts of a buffer, without the library's reader.
extension [UInt8] {
  func read16(_ position: Int) -> Int { Int(self[position]) | Int(self[position + 1]) << 8 }

  func read32(_ position: Int) -> Int { read16(position) | read16(position + 2) << 16 }

  var root: Int { read32(0) }

  func vtable(of table: Int) -> Int {
    table - Int(Int32(truncatingIfNeeded: read32(table)))
  }

  /// Returns the position of a table's field, or nil if it is absent.
  func field(_ slot: Int, of table: Int) -> Int? {
    let vtable = vtable(of: table)
    guard slot < read16(vtable), read16(vtable + slot) != 0 else { return nil }
    return table + read16(vtable + slot)
  }

  /// Returns the position that the offset in a field of the root refers to.
  func target(_ slot: Int) throws -> Int {
    let position = try #require(field(slot, of: root))
    return position + read32(position)
  }

  func patched(_ position: Int, _ bytes: UInt8...) -> [UInt8] {
    var copy = self
    copy.replaceSubrange(position..<position + bytes.count, with: bytes)
    return copy
  }

  func patched32(_ position: Int, _ value: Int) -> [UInt8] {
    patched(
      position, UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
      UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 24))
  }
}
