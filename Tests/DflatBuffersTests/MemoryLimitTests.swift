import Testing

@testable import DflatBuffers

/// The verifier counts the memory that reading allocates, because a small buffer can decode to a large value.
@Suite struct MemoryLimitTests {
  private func code(_ body: () throws -> Void) -> FlatBufferError.Code? {
    do { try body() } catch { return (error as? FlatBufferError)?.code }
    return nil
  }

  /// Returns a monster whose tags all refer to one string.
  private func tags(_ count: Int, of length: Int) throws -> [UInt8] {
    var monster = Monster(name: "x")
    monster.tags = Array(repeating: String(repeating: "y", count: length), count: count)
    return try Buffer.of(monster)
  }

  @Test("A buffer with 2 MB of references to one string of 4 KB is refused by default")
  func references() throws {
    let bytes = try tags(500_000, of: 4_000)
    #expect(bytes.count < 3_000_000)
    #expect(code { _ = try Buffer.decode(Monster.self, bytes) } == .tooMuchMemory)
    // A hundred references are accepted, and 2,000 are refused only by a lower limit.
    #expect(code { _ = try Buffer.decode(Monster.self, tags(100, of: 4_000)) } == nil)
    let few = try tags(2_000, of: 4_000)
    let limits = FlatBufferLimits(maximumMemory: 2_000 * 4_000)
    #expect(code { _ = try Buffer.decode(Monster.self, few, limits: limits) } == .tooMuchMemory)
    #expect(code { _ = try Buffer.decode(Monster.self, few) } == nil)
  }

  @Test("A vector of 150 MB is read within the default limits")
  func large() throws {
    var monster = Monster(name: "x")
    monster.inventory = [UInt8](repeating: 7, count: 150 << 20)
    let bytes = try Buffer.of(monster)
    #expect(try Buffer.decode(Monster.self, bytes).inventory.count == 150 << 20)
  }

  @Test("A table counts as the size of its Swift struct, absent fields included")
  func tables() throws {
    // The tables share one vtable: each takes eight bytes of the buffer, but decodes to a struct that has room for
    // a hundred strings.
    let wide = TableLayout("Wide", fields: (0..<100).map { .string("s\($0)", 4 + 2 * $0) })
    let holder = TableLayout("Holder", fields: [.table("wide", 4) { wide }])
    let many = TableLayout("Many", fields: [.vector("all", 4, of: .table { holder })])
    var builder = FlatBufferBuilder()
    let offsets = (0..<100_000).map { _ in
      builder.startTable(slots: 1)
      return builder.endTable()
    }
    let all = builder.create(offsets: offsets)
    builder.startTable(slots: 1)
    builder.add(all, at: 4)
    let root = builder.endTable()
    try builder.finish(root)
    builder.withFinishedBytes { bytes in
      #expect(bytes.count < 1_000_000)
      #expect(code { _ = try FlatBufferVerifier().verify(root: many, in: bytes) } == .tooMuchMemory)
      let limits = FlatBufferLimits(maximumMemory: 1 << 30)
      #expect(code { _ = try FlatBufferVerifier(limits: limits).verify(root: many, in: bytes) } == nil)
    }
  }

  @Test("The verifier estimates layouts that are recursive or double in size at each level")
  func estimates() throws {
    func verify(_ layout: TableLayout, limits: FlatBufferLimits = FlatBufferLimits()) throws {
      var builder = FlatBufferBuilder()
      builder.startTable(slots: 0)
      let root = builder.endTable()
      try builder.finish(root)
      try builder.withFinishedBytes { _ = try FlatBufferVerifier(limits: limits).verify(root: layout, in: $0) }
    }
    try verify(Node.flatBufferLayout)
    var layout = TableLayout("0", fields: [.string("s", 4)])
    for level in 1...60 {
      let inner = layout
      layout = TableLayout("\(level)", fields: [.table("a", 4) { inner }, .table("b", 6) { inner }])
    }
    try verify(layout)
    #expect(code { try verify(layout, limits: FlatBufferLimits(maximumMemory: 1_000)) } == .tooMuchMemory)
  }

  @Test("Unverified reading of a shared string ends at a limit")
  func unverified() throws {
    let bytes = try tags(50_000, of: 4_000)
    let error = code {
      try bytes.withUnsafeBytes { bytes in
        _ = try FlatBuffer.withUnverifiedRoot(in: bytes) { try Monster($0) }
      }
    }
    #expect(error == .tooLarge)
  }
}
