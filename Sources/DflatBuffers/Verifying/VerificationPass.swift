import DflatSupport

/// One pass over a buffer, and its remaining limits.
///
/// Positions are inside the buffer. The checks subtract from the buffer's size and never add to numbers in the buffer,
/// so that none overflows.
struct VerificationPass {
  let base: UnsafeRawPointer
  let count: Int
  private(set) var tablesLeft: Int
  private(set) var bytesLeft: Int
  /// The memory that the decoded values may still take.
  private(set) var memoryLeft: Int
  /// The smallest remaining depth at any table visited.
  private(set) var depthLeft = Int.max

  init(_ bytes: UnsafeRawBufferPointer, _ limits: FlatBufferLimits) {
    self.init(
      bytes, tablesLeft: limits.maximumTables, bytesLeft: limits.maximumSize,
      memoryLeft: limits.memory(forSize: bytes.count))
  }

  init(_ bytes: UnsafeRawBufferPointer, tablesLeft: Int, bytesLeft: Int, memoryLeft: Int) {
    base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = bytes.count
    self.tablesLeft = tablesLeft
    self.bytesLeft = bytesLeft
    self.memoryLeft = memoryLeft
  }

  /// Charges memory that decoding allocates, that many times.
  @inline(__always)
  private mutating func spend(memory: Int, times count: Int = 1, at position: Int) throws(FlatBufferError) {
    let (total, overflow) = memory.multipliedReportingOverflow(by: count)
    guard !overflow, total <= memoryLeft else { throw FlatBufferError(.tooMuchMemory, position: position) }
    memoryLeft -= total
  }

  /// Verifies the table at a position, with its children.
  ///
  /// - Parameter depth: The number of levels of tables allowed, including this one.
  mutating func table(at position: Int, _ layout: TableLayout, depth: Int) throws(FlatBufferError) {
    defer { withExtendedLifetime(layout) {} }
    try table(at: position, layout.plan.route, depth: depth)
  }

  /// Verifies the whole buffer, except for its file identifier.
  mutating func buffer(_ layout: TableLayout, depth: Int) throws(FlatBufferError) {
    defer { withExtendedLifetime(layout) {} }
    try buffer(layout.plan.route, depth: depth)
  }

  /// Verifies the table at a position, with its children.
  ///
  /// - Parameter route: The table's route, which must outlive the call.
  private mutating func table(
    at position: Int, _ route: UnsafePointer<Route>, depth: Int
  ) throws(FlatBufferError) {
    let table: Header
    do throws(FlatBufferError) {
      table = try header(at: position, depth: depth)
      try spend(memory: route.pointee.estimate.pointee.bytes(of: route), at: position)
    } catch {
      throw named(error, by: route, field: nil)
    }
    let steps = route.pointee.steps
    for index in steps.indices {
      do throws(FlatBufferError) { try field(steps[index], of: table, depth: depth) } catch {
        throw named(error, by: route, field: index)
      }
    }
  }

  /// Adds the names of a table and its field to an error, unless it has those of a nested table.
  @inline(never)
  private func named(_ error: FlatBufferError, by route: UnsafePointer<Route>, field: Int?) -> FlatBufferError {
    guard error.table == nil else { return error }
    let plan = route.pointee.plan.takeUnretainedValue()
    return FlatBufferError(
      error.code, table: plan.name, field: field.map { plan.fieldNames[$0] }, position: error.position)
  }

  /// A table whose vtable and own bytes lie inside the buffer.
  struct Header {
    let position: Int
    let size: Int
    let vtable: Int
    let vtableSize: Int
  }

  /// Charges a table against the limits, and finds and checks its vtable.
  private mutating func header(at position: Int, depth: Int) throws(FlatBufferError) -> Header {
    func damage(_ code: FlatBufferError.Code, _ position: Int) -> FlatBufferError {
      FlatBufferError(code, position: position)
    }
    // Charge the table.
    guard depth > 0 else { throw damage(.tooDeep, position) }
    depthLeft = min(depthLeft, depth)
    guard tablesLeft > 0 else { throw damage(.tooManyTables, position) }
    tablesLeft -= 1
    // Find the vtable, at a distance that may point in either direction.
    guard position & 3 == 0 else { throw damage(.misaligned, position) }
    guard count >= 4, position <= count - 4 else { throw damage(.truncated, position) }
    let distance = Int32.flatBufferLoad(from: base + position)
    let (vtable, overflow) = position.subtractingReportingOverflow(Int(distance))
    guard !overflow, vtable >= 0, vtable <= count - 4, vtable & 1 == 0 else {
      throw damage(.invalidVTable, position)
    }
    // Both must lie within the buffer. Tables may overlap, so their bytes are charged, too.
    let vtableSize = Int(UInt16.flatBufferLoad(from: base + vtable))
    let size = Int(UInt16.flatBufferLoad(from: base + (vtable + 2)))
    guard vtableSize >= 4, vtableSize & 1 == 0, vtableSize <= count - vtable, size >= 4, size <= count - position
    else { throw damage(.invalidVTable, vtable) }
    guard size <= bytesLeft else { throw damage(.tooLarge, position) }
    bytesLeft -= size
    return Header(position: position, size: size, vtable: vtable, vtableSize: vtableSize)
  }

  /// Returns the position of a field, or nil if it is absent.
  private func position(
    of slot: Int, size: Int, alignment: Int, in table: Header
  ) throws(FlatBufferError) -> Int? {
    guard slot < table.vtableSize else { return nil }
    let offset = Int(UInt16.flatBufferLoad(from: base + (table.vtable + slot)))
    guard offset != 0 else { return nil }
    guard offset >= 4, size <= table.size - offset else {
      throw FlatBufferError(.invalidVTable, position: table.vtable + slot)
    }
    let position = table.position + offset
    guard position & (alignment - 1) == 0 else { throw FlatBufferError(.misaligned, position: position) }
    return position
  }

  private mutating func field(_ step: Step, of table: Header, depth: Int) throws(FlatBufferError) {
    // Verify fields other than a single offset: inline ones, and unions, whose kind is a field too.
    if step.kind == .inline {
      if let field = try position(of: step.slot, size: step.size, alignment: step.alignment, in: table) {
        if step.arrays > 0 { try spend(memory: MemoryEstimate.array, times: step.arrays, at: field) }
      } else if step.isRequired {
        throw FlatBufferError(.missingRequiredField, position: table.position)
      }
      return
    }
    let field = try position(of: step.slot, size: 4, alignment: 4, in: table)
    if step.kind == .union {
      return try union(step, of: table, value: field, depth: depth)
    }
    if step.kind == .vectorOfUnions {
      return try vectorOfUnions(step, of: table, values: field, depth: depth)
    }
    // Follow the field's only offset.
    guard let field else {
      if step.isRequired { throw FlatBufferError(.missingRequiredField, position: table.position) }
      return
    }
    let target = try target(at: field)
    switch step.kind {
    case .inline, .union, .vectorOfUnions, .none: break
    case .string: try string(at: target)
    case .table: try self.table(at: target, route(of: step), depth: depth - 1)
    case .nested: try nested(at: target, route(of: step), depth: depth - 1)
    case .vector: _ = try vector(at: target, size: step.size, alignment: step.alignment, arrays: step.arrays)
    case .vectorOfStrings:
      let elements = try vector(at: target, size: 4, alignment: 4)
      // A decoded string takes 16 bytes, of which the vector has been charged 4.
      try spend(memory: 12, times: elements.count, at: target)
      for index in 0..<elements.count { try string(at: self.target(at: elements.start + 4 * index)) }
    case .vectorOfTables:
      let elements = try vector(at: target, size: 4, alignment: 4)
      let element = route(of: step)
      for index in 0..<elements.count {
        try self.table(at: self.target(at: elements.start + 4 * index), element, depth: depth - 1)
      }
    }
  }

  /// Returns the route of the layout that a step refers to. Steps of all kinds that need one have it.
  @inline(__always)
  private func route(of step: Step) -> UnsafePointer<Route> { step.link!.pointee.route }

  /// Returns the target of an offset whose four bytes lie inside the buffer.
  private func target(at position: Int) throws(FlatBufferError) -> Int {
    let offset = UInt32.flatBufferLoad(from: base + position)
    guard offset != 0, offset <= UInt32(Int32.max), Int(offset) < count - position else {
      throw FlatBufferError(.offsetOutOfBounds, position: position)
    }
    return position + Int(offset)
  }
}

// The targets of offsets.
extension VerificationPass {
  /// Verifies a vector, but not the targets of its elements, and charges the memory of its elements, but not of the
  /// objects that they refer to.
  ///
  /// - Parameters:
  ///   - size: The size of an element.
  ///   - arrays: The number of arrays in each decoded element.
  /// - Returns: The start and number of the elements.
  private mutating func vector(
    at position: Int, size: Int, alignment: Int, arrays: Int = 0
  ) throws(FlatBufferError) -> (start: Int, count: Int) {
    let elements = try self.elements(at: position, size: size, alignment: alignment)
    // All empty arrays share one allocation.
    if elements.count > 0 {
      try spend(memory: MemoryEstimate.allocation, at: position)
      try spend(memory: size + arrays * MemoryEstimate.array, times: elements.count, at: position)
    }
    return elements
  }

  /// Verifies the length of a vector or a string.
  ///
  /// - Returns: The start and number of the elements.
  private mutating func elements(
    at position: Int, size: Int, alignment: Int
  ) throws(FlatBufferError) -> (start: Int, count: Int) {
    guard position & 3 == 0 else { throw FlatBufferError(.misaligned, position: position) }
    guard count >= 4, position <= count - 4 else { throw FlatBufferError(.truncated, position: position) }
    let length = UInt32.flatBufferLoad(from: base + position)
    let start = position + 4
    guard UInt(length) <= UInt((count - start) / size) else {
      throw FlatBufferError(.truncated, position: position)
    }
    // An empty vector has no elements to align.
    guard length == 0 || start & (alignment - 1) == 0 else {
      throw FlatBufferError(.misaligned, position: start)
    }
    let bytes = 4 + Int(length) * size
    guard bytes <= bytesLeft else { throw FlatBufferError(.tooLarge, position: position) }
    bytesLeft -= bytes
    return (start, Int(length))
  }

  /// The maximum number of bytes that a `String` stores in place.
  private static let shortString = 15

  private mutating func string(at position: Int) throws(FlatBufferError) {
    let (start, length) = try elements(at: position, size: 1, alignment: 1)
    if length > Self.shortString { try spend(memory: MemoryEstimate.string + length, at: position) }
    guard start + length < count else { throw FlatBufferError(.truncated, position: start) }
    guard base.load(fromByteOffset: start + length, as: UInt8.self) == 0 else {
      throw FlatBufferError(.invalidUTF8, position: start + length)
    }
    guard UTF8Check.firstInvalid(in: UnsafeRawBufferPointer(start: base + start, count: length)) == nil else {
      throw FlatBufferError(.invalidUTF8, position: start)
    }
  }

  /// Verifies a buffer in a vector of bytes. Alignment is relative to the inner buffer's start. It charges the larger
  /// of the vector's bytes, which readers visit first, and the bytes that they visit inside it.
  private mutating func nested(
    at position: Int, _ route: UnsafePointer<Route>, depth: Int
  ) throws(FlatBufferError) {
    let left = bytesLeft
    let (start, length) = try vector(at: position, size: 1, alignment: 1)
    var inner = VerificationPass(
      UnsafeRawBufferPointer(start: base + start, count: length), tablesLeft: tablesLeft, bytesLeft: left,
      memoryLeft: memoryLeft)
    do throws(FlatBufferError) {
      try inner.buffer(route, depth: depth)
    } catch {
      throw FlatBufferError(error.code, table: error.table, field: error.field, position: start + error.position)
    }
    tablesLeft = inner.tablesLeft
    bytesLeft = min(bytesLeft, inner.bytesLeft)
    memoryLeft = min(memoryLeft, inner.memoryLeft)
    depthLeft = min(depthLeft, inner.depthLeft)
  }

  private mutating func buffer(_ route: UnsafePointer<Route>, depth: Int) throws(FlatBufferError) {
    guard count >= 4 else { throw FlatBufferError(.truncated) }
    try table(at: target(at: 0), route, depth: depth)
  }

  private mutating func union(
    _ step: Step, of table: Header, value: Int?, depth: Int
  ) throws(FlatBufferError) {
    let kindPosition = try position(of: step.slot - 2, size: 1, alignment: 1, in: table)
    let kind = kindPosition.map { base.load(fromByteOffset: $0, as: UInt8.self) } ?? 0
    guard (kind != 0) == (value != nil) else {
      throw FlatBufferError(.invalidUnion, position: value ?? kindPosition ?? table.position)
    }
    guard let value else {
      if step.isRequired { throw FlatBufferError(.missingRequiredField, position: table.position) }
      return
    }
    if try !member(kind, of: route(of: step), at: target(at: value), depth: depth), step.isRequired {
      throw FlatBufferError(.invalidUnion, position: value)
    }
  }

  /// Verifies the value of a union.
  ///
  /// - Returns: True if the kind is known. A value that a newer schema added can't be verified and won't be read.
  private mutating func member(
    _ kind: UInt8, of union: UnsafePointer<Route>, at position: Int, depth: Int
  ) throws(FlatBufferError) -> Bool {
    let members = union.pointee.steps
    guard Int(kind) < members.count else { return false }
    let member = members[Int(kind)]
    switch member.kind {
    case .table: try table(at: position, route(of: member), depth: depth - 1)
    case .string: try string(at: position)
    case .inline:
      guard position & (member.alignment - 1) == 0 else { throw FlatBufferError(.misaligned, position: position) }
      guard member.size <= count - position else { throw FlatBufferError(.truncated, position: position) }
      guard member.size <= bytesLeft else { throw FlatBufferError(.tooLarge, position: position) }
      bytesLeft -= member.size
      if member.arrays > 0 { try spend(memory: MemoryEstimate.array, times: member.arrays, at: position) }
    case .none, .union, .nested, .vector, .vectorOfStrings, .vectorOfTables, .vectorOfUnions: return false
    }
    return true
  }

  private mutating func vectorOfUnions(
    _ step: Step, of table: Header, values: Int?, depth: Int
  ) throws(FlatBufferError) {
    let kindsField = try position(of: step.slot - 2, size: 4, alignment: 4, in: table)
    guard (values == nil) == (kindsField == nil) else {
      throw FlatBufferError(.invalidUnion, position: values ?? kindsField ?? table.position)
    }
    guard let values, let kindsField else {
      if step.isRequired { throw FlatBufferError(.missingRequiredField, position: table.position) }
      return
    }
    let kinds = try vector(at: target(at: kindsField), size: 1, alignment: 1)
    let elements = try vector(at: target(at: values), size: 4, alignment: 4)
    guard kinds.count == elements.count else { throw FlatBufferError(.invalidUnion, position: elements.start) }
    let union = route(of: step)
    // An element has room for the largest member.
    let size = union.pointee.estimate.pointee.bytes(of: union, isUnion: true)
    try spend(memory: size, times: elements.count, at: elements.start)
    for index in 0..<elements.count {
      let kind = base.load(fromByteOffset: kinds.start + index, as: UInt8.self)
      // The offset must be valid even for an unknown kind: readers follow it.
      guard kind != 0 else { continue }
      _ = try member(kind, of: union, at: target(at: elements.start + 4 * index), depth: depth)
    }
  }
}
