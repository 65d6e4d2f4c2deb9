import Testing

@testable import DflatBuffers

/// Small buffers that stand for much: the verifier counts what reading allocates.
@Suite struct MemoryLimitTests {
  private func code(_ body: () throws -> Void) -> FlatBufferError.Code? {
    do { try body() } catch { return (error as? FlatBufferError)?.code }
    return nil
  }

  /// A monster whose tags all refer to one string.
  private func tags(_ count: Int, of length: Int) throws -> [UInt8] {
    var monster = Monster(name: "x")
    monster.tags = Array(repeating: String(repeating: "y", count: length), count: count)
    return try Buffer.of(monster)
  }

  @Test("2 MB of references to one string of 4 KB are refused by default")
  func references() throws {
    let bytes = try tags(500_000, of: 4_000)
    #expect(bytes.count < 3_000_000)
    #expect(code { _ = try Buffer.decode(Monster.self, bytes) } == .tooMuchMemory)
    // The same text once more, and within a limit of one's own.
    #expect(code { _ = try Buffer.decode(Monster.self, tags(100, of: 4_000)) } == nil)
    let few = try tags(2_000, of: 4_000)
    let limits = FlatBufferLimits(maximumMemory: 2_000 * 4_000)
    #expect(code { _ = try Buffer.decode(Monster.self, few, limits: limits) } == .tooMuchMemory)
    #expect(code { _ = try Buffer.decode(Monster.self, few) } == nil)
  }

  @Test("Bytes that are what they seem are read, however many")
  func large() throws {
    var monster = Monster(name: "x")
    monster.inventory = [UInt8](repeating: 7, count: 150 << 20)
    let bytes = try Buffer.of(monster)
    #expect(try Buffer.decode(Monster.self, bytes).inventory.count == 150 << 20)
  }

  @Test("Tables count as what their structs take, absent fields included")
  func tables() throws {
    // Two bytes of vtable offsets each, shared: eight bytes of table for a struct of a hundred strings.
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

  @Test("Layouts that contain themselves, or double with each level, have an estimate")
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

  @Test("Unverified reading is bounded too")
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
