/// Builds a buffer from its end to its start: children first, then the objects that refer to them.
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
/// ``reset()`` keeps the memory, so that the next buffer needs no allocation. The builder records errors in the values
/// (too large, nested too deeply), and ``finish(_:identifier:sizePrefixed:)`` throws the first one. Misuse of the API
/// traps.
///
/// The verifier accepts a finished buffer under the same limits, provided that each object is referred to once: readers
/// count a shared object at every reference, and the builder accounts for that only with shared strings. The builder
/// doesn't enforce `maximumMemory` because it knows no layout; `mayTakeMuchMemory` is true if a buffer needs
/// verification.
///
/// The same sequence of calls produces the same bytes as Google's builder. https://flatbuffers.dev/internals/
public struct FlatBufferBuilder: ~Copyable {
  /// The buffer's memory, filled from its end. Both ends are aligned to 16 bytes.
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  /// The number of bytes written, at the end of the memory.
  @usableFromInline var size = 0
  /// The largest alignment of any object written.
  @usableFromInline var alignment = 1
  /// The location of the field of each slot in the current table; 0 if the field is absent.
  @usableFromInline var slots: UnsafeMutableBufferPointer<UInt32>
  /// The number of slots of the current table; nil while no table is being written.
  @usableFromInline var slotCount: Int?
  /// The value of `size` before the current table.
  var tableStart = 0
  /// The children of vectors that are not written yet.
  var pending = PendingOffsets()
  var vtables = OffsetIndex()
  var strings = OffsetIndex()
  /// The first error since the builder was created or reset.
  var error: FlatBufferError?
  @usableFromInline var nesting = Nesting()
  /// The number of bytes that readers visit beyond the buffer's size, because they visit shared strings at each
  /// reference.
  @usableFromInline var sharedBytes = 0
  var isFinished = false
  @usableFromInline let limits: FlatBufferLimits

  /// Creates a builder.
  ///
  /// - Parameters:
  ///   - initialCapacity: The initial size of the memory in bytes. It doubles as often as needed.
  ///   - limits: The limits of the buffer's readers.
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

  /// Discards the current buffer, and keeps the memory for the next one.
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

  /// True if the buffer needs verification against `maximumMemory`: that limit is set; or the buffer, with shared
  /// strings counted at each reference, exceeds 256 KiB; or the sum of three numbers exceeds 100: tables and elements
  /// of vectors of unions, each of which may be estimated at 1 MiB, and the MiB of arrays in structs. Any other buffer
  /// stays within the default limit.
  ///
  /// Inlinable, because a call from another module would copy the builder.
  @inlinable
  package var mayTakeMuchMemory: Bool {
    size + sharedBytes > 256 << 10 || nesting.tables + nesting.others > 100 || limits.maximumMemory != nil
  }

  /// Counts the elements of a vector of unions for `mayTakeMuchMemory`. Vectors of `FlatBufferUnion` are counted
  /// already.
  @usableFromInline
  package mutating func count(unions: Int) { nesting.addUnions(unions) }

  /// Counts the arrays of structs for `mayTakeMuchMemory`, if these have more arrays than bytes. Others take memory in
  /// proportion to the buffer's size.
  @inlinable
  mutating func count(structs: Int, of layout: StructLayout) {
    if layout.arrays > layout.size { count(arrays: layout.arrays, times: structs) }
  }

  @usableFromInline
  mutating func count(arrays: Int, times structs: Int) { nesting.addArrays(arrays, times: structs) }

  /// Verifies the finished buffer against a layout, with the builder's limits.
  ///
  /// - Throws: ``FlatBufferError`` if the verifier refuses the buffer.
  package borrowing func verify(_ layout: TableLayout) throws(FlatBufferError) {
    try withFinishedBytes { bytes throws(FlatBufferError) in
      _ = try FlatBufferVerifier(limits: limits).verify(root: layout, in: bytes)
    }
  }

  /// The size of the builder's memory in bytes. Inlinable, because a call from another module would copy the builder.
  @inlinable
  package var memorySize: Int { capacity }

  mutating func fail(_ code: FlatBufferError.Code) {
    fail(FlatBufferError(code, position: size))
  }

  mutating func fail(_ failure: FlatBufferError) {
    if error == nil { error = failure }
  }

  /// The start of the written bytes.
  @inlinable
  var head: UnsafeMutableRawPointer { memory + (capacity - size) }

  /// Reserves bytes that start at a multiple of the alignment, counted from the buffer's end, and writes zeros after
  /// them as padding. Returns nil if the buffer would become too large.
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

  /// Enlarges the memory, and keeps the buffer at its end.
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

  /// Writes the offset from the current position to an object.
  @usableFromInline
  mutating func writeOffset(to offset: FlatBufferOffset) {
    guard let bytes = claim(4, alignment: 4) else { return }
    reference(to: offset, from: size).flatBufferStore(to: bytes)
  }

  /// Returns the distance from a location to an object written earlier, or 0 after a failure.
  func reference(to offset: FlatBufferOffset, from location: Int) -> UInt32 {
    let target = Int(offset.location)
    return target > 0 && target < location ? UInt32(location - target) : 0
  }

  @usableFromInline
  mutating func check(_ offset: FlatBufferOffset) {
    if offset.location == 0 || Int(offset.location) > size { fail(.offsetOutOfBounds) }
  }

  /// Traps if a table is being written, because children come before their table, or if the buffer is finished.
  @usableFromInline
  func checkNoTable() {
    precondition(slotCount == nil, "write children before startTable, not between it and endTable")
    precondition(!isFinished, "the buffer is finished: reset the builder before writing another one")
  }
}
