import DflatSupport

/// The amount of data that readers may still visit in an unverified buffer. Damaged offsets can lead to the same bytes
/// repeatedly. They only lead forward, so that reading ends, but possibly after more steps than anyone can wait for.
@usableFromInline
struct ReadBudget {
  var tables: Int
  var bytes: Int

  init(_ limits: FlatBufferLimits, size: Int) {
    tables = limits.maximumTables
    // Readers copy the bytes that they visit, so the limit on memory applies too.
    bytes = min(limits.maximumSize, limits.memory(forSize: size))
  }
}

/// The bytes being read. Every access is checked.
///
/// Positions count from the start of the buffer. The checks subtract from `count` and never add to numbers in the
/// buffer, so that they can't overflow, not even on 32-bit machines. The base may be at any address: all loads are
/// unaligned.
@usableFromInline
struct BufferReader {
  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let count: Int
  /// The remaining limits; nil if the buffer was verified and therefore keeps the limits. The pointer is valid as long
  /// as the bytes.
  @usableFromInline let budget: UnsafeMutablePointer<ReadBudget>?

  @usableFromInline
  init(_ bytes: UnsafeRawBufferPointer, budget: UnsafeMutablePointer<ReadBudget>?) {
    // An empty buffer may have no address. Nothing is read from it, because its count is 0.
    base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = bytes.count
    self.budget = budget
  }

  @inlinable
  func has(_ size: Int, at position: Int) -> Bool {
    position >= 0 && position <= count - size
  }

  @inlinable
  func load<T: FlatBufferScalar>(_ type: T.Type = T.self, at position: Int, slot: Int) throws(FlatBufferError) -> T {
    guard has(MemoryLayout<T>.size, at: position) else {
      throw FlatBufferError(.truncated, slot: slot, position: position)
    }
    return T.flatBufferLoad(from: base + position)
  }

  /// Returns the target of the unsigned offset at a position. Targets lie ahead, with at least one byte in the buffer.
  @usableFromInline
  func target(at position: Int, slot: Int = 0) throws(FlatBufferError) -> Int {
    let offset: UInt32 = try load(at: position, slot: slot)
    guard offset != 0, offset <= UInt32(Int32.max), Int(offset) < count - position else {
      throw FlatBufferError(.offsetOutOfBounds, slot: slot, position: position)
    }
    return position + Int(offset)
  }

  /// Returns the start and number of the elements of the vector or string whose length is at a position.
  @usableFromInline
  func elements(
    at position: Int, size: Int, slot: Int
  ) throws(FlatBufferError) -> (start: Int, count: Int) {
    let length: UInt32 = try load(at: position, slot: slot)
    let start = position + 4
    guard UInt(length) <= UInt((count - start) / size) else {
      throw FlatBufferError(.truncated, slot: slot, position: position)
    }
    if budget != nil { try spend(bytes: 4 + Int(length) * size, slot: slot, position: position) }
    return (start, Int(length))
  }

  /// Returns the bytes of the string whose length is at a position.
  func text(at position: Int, slot: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer {
    let (start, length) = try elements(at: position, size: 1, slot: slot)
    return UnsafeRawBufferPointer(start: base + start, count: length)
  }

  func string(at position: Int, slot: Int) throws(FlatBufferError) -> String {
    let bytes = try text(at: position, slot: slot)
    guard UTF8Check.firstInvalid(in: bytes) == nil else {
      throw FlatBufferError(.invalidUTF8, slot: slot, position: position + 4)
    }
    // Decoding repairs nothing, as the bytes are valid. `String(validating:as:)` takes longer than both steps.
    return String(decoding: bytes, as: UTF8.self)
  }

  private func spend(bytes: Int, slot: Int, position: Int) throws(FlatBufferError) {
    guard let budget else { return }
    guard bytes <= budget.pointee.bytes else {
      throw FlatBufferError(.tooLarge, slot: slot, position: position)
    }
    budget.pointee.bytes -= bytes
  }

  func spendTable(slot: Int, position: Int) throws(FlatBufferError) {
    guard let budget else { return }
    guard budget.pointee.tables > 0 else {
      throw FlatBufferError(.tooManyTables, slot: slot, position: position)
    }
    budget.pointee.tables -= 1
  }
}
