/// Writes a buffer, from its end to its start: children first, then what refers to them.
///
///     var builder = FlatBufferBuilder()
///     let title = builder.create("Hello")
///     builder.startTable(slots: 2)
///     builder.add(title, at: 4)
///     builder.add(Int32(3), at: 6, default: 0)
///     try builder.finish(builder.endTable())
///     builder.withFinishedBytes { bytes in … }
///     builder.reset()
///
/// A builder keeps its memory: with ``reset()`` it writes the next buffer without allocating. What can go wrong with the
/// values (too large, nested too deeply) is kept until ``finish(_:identifier:sizePrefixed:)``, which throws it; what is
/// wrong with the calls traps. What it finished, the verifier accepts with the same limits, as long as its objects are
/// referred to once: what is shared otherwise than as strings counts each time when it is read. Of `maximumMemory` the
/// builder, which knows no layout, has no notion; `mayTakeMuchMemory` tells when the verifier has to be asked.
///
/// Given the same order of calls the bytes are those of Google's builder. https://flatbuffers.dev/internals/
public struct FlatBufferBuilder: ~Copyable {
  /// Filled from its end. The end is aligned to 16 bytes, as is the start.
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  /// How many bytes at the end of the memory are written.
  @usableFromInline var size = 0
  /// The largest alignment of what was written.
  @usableFromInline var alignment = 1
  /// For each slot of the table that is being written, the location of its field, 0 if it has none.
  @usableFromInline var slots: UnsafeMutableBufferPointer<UInt32>
  /// Nil while no table is being written.
  @usableFromInline var slotCount: Int?
  /// The size before the table.
  var tableStart = 0
  /// Locations of children that vectors will refer to.
  var pending = PendingOffsets()
  var vtables = OffsetIndex()
  var strings = OffsetIndex()
  /// The first thing that went wrong.
  var error: FlatBufferError?
  var nesting = Nesting()
  /// How many bytes a reader visits more than there are, for shared strings are visited each time.
  var sharedBytes = 0
  var isFinished = false
  let limits: FlatBufferLimits

  /// - Parameters:
  ///   - initialCapacity: In bytes. The memory doubles as often as needed.
  ///   - limits: Those of the readers.
  public init(initialCapacity: Int = 1024, limits: FlatBufferLimits = FlatBufferLimits()) {
    capacity = Self.rounded(max(initialCapacity, 16))
    memory = .allocate(byteCount: capacity, alignment: 16)
    slots = .allocate(capacity: 16)
    self.limits = limits
  }

  deinit {
    memory.deallocate()
    slots.deallocate()
  }

  /// Forgets what was written, and keeps the memory for the next buffer.
  public mutating func reset() {
    size = 0
    alignment = 1
    slotCount = nil
    pending.removeAll()
    vtables.removeAll()
    strings.removeAll()
    error = nil
    nesting = Nesting()
    sharedBytes = 0
    isFinished = false
  }

  /// Whether what was written, strings counted as often as they are read, is so large that its verification against
  /// `maximumMemory` is worth the time. A smaller buffer stays within the default.
  package var mayTakeMuchMemory: Bool { size + sharedBytes > 256 << 10 || limits.maximumMemory != nil }

  /// Verifies what was finished by its layout, with the builder's limits.
  package borrowing func verify(_ layout: TableLayout) throws(FlatBufferError) {
    try withFinishedBytes { bytes throws(FlatBufferError) in
      _ = try FlatBufferVerifier(limits: limits).verify(root: layout, in: bytes)
    }
  }

  /// How many bytes the builder's memory has.
  package var memorySize: Int { capacity }

  mutating func fail(_ code: FlatBufferError.Code) {
    fail(FlatBufferError(code, position: size))
  }

  mutating func fail(_ failure: FlatBufferError) {
    if error == nil { error = failure }
  }

  /// The start of the memory that is written.
  @inlinable
  var head: UnsafeMutableRawPointer { memory + (capacity - size) }

  /// Makes room for bytes that start at a multiple of the alignment, counted from the buffer's end, with zeros after them
  /// as padding. Nil if the buffer would be too large.
  @inlinable
  mutating func claim(_ count: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    let padding = (0 &- (size &+ count)) & (alignment &- 1)
    guard count <= capacity &- size &- padding || grow(by: count, padding: padding) else { return nil }
    if alignment > self.alignment { self.alignment = alignment }
    if padding != 0 { pad(padding) }
    size &+= count
    return head
  }

  @usableFromInline
  mutating func pad(_ padding: Int) {
    for _ in 0..<padding {
      size &+= 1
      head.storeBytes(of: 0, as: UInt8.self)
    }
  }

  /// Makes the memory larger. The buffer's end stays at the memory's.
  @usableFromInline
  @inline(never)
  mutating func grow(by count: Int, padding: Int) -> Bool {
    let (needed, overflow) = (size + padding).addingReportingOverflow(count)
    guard count >= 0, !overflow, needed <= limits.maximumSize - sharedBytes else {
      fail(.tooLarge)
      return false
    }
    let larger = Self.rounded(max(needed, min(capacity, limits.maximumSize / 2) * 2))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    (memory + (larger - size)).copyMemory(from: head, byteCount: size)
    self.memory.deallocate()
    self.memory = memory
    capacity = larger
    return true
  }

  private static func rounded(_ capacity: Int) -> Int { (capacity + 15) & ~15 }

  /// Writes the offset from here to an object.
  @usableFromInline
  mutating func writeOffset(to offset: FlatBufferOffset) {
    guard let bytes = claim(4, alignment: 4) else { return }
    reference(to: offset, from: size).flatBufferStore(to: bytes)
  }

  /// The distance from a location to an object further back, 0 after a failure.
  func reference(to offset: FlatBufferOffset, from location: Int) -> UInt32 {
    let target = Int(offset.location)
    return target > 0 && target < location ? UInt32(location - target) : 0
  }

  @usableFromInline
  mutating func check(_ offset: FlatBufferOffset) {
    if offset.location == 0 || Int(offset.location) > size { fail(.offsetOutOfBounds) }
  }

  /// Vectors, strings and tables are not written while a table is.
  @usableFromInline
  func checkNoTable() {
    precondition(slotCount == nil, "write children before startTable, not between it and endTable")
    precondition(!isFinished, "the buffer is finished: reset the builder before writing another one")
  }
}
