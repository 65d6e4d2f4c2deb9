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

  /// Returns a buffer whose root has one vector of references, all to the same table.
  ///
  /// - Parameter table: Writes the table.
  private func references(
    _ count: Int, to table: (inout FlatBufferBuilder) -> FlatBufferOffset
  ) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    let shared = table(&builder)
    let all = builder.create(offsets: [FlatBufferOffset](repeating: shared, count: count))
    builder.startTable(slots: 1)
    builder.add(all, at: 4)
    let root = builder.endTable()
    try builder.finish(root)
    return builder.withFinishedBytes { Array($0) }
  }

  /// Expects that the verifier refuses bytes with a limit on memory, and accepts them with the next.
  private func expect(
    _ bytes: [UInt8], as layout: TableLayout, takesMoreThan less: Int, butNot more: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    func code(within memory: Int) -> FlatBufferError.Code? {
      self.code {
        try bytes.withUnsafeBytes { bytes in
          let limits = FlatBufferLimits(maximumMemory: memory)
          _ = try FlatBufferVerifier(limits: limits).verify(root: layout, in: bytes)
        }
      }
    }
    #expect(code(within: less) == .tooMuchMemory, sourceLocation: sourceLocation)
    #expect(code(within: more) == nil, sourceLocation: sourceLocation)
  }

  @Test("A short vector counts with its allocation")
  func shortVectors() throws {
    let inner = TableLayout("Inner", fields: (0..<50).map { .vector("v\($0)", 4 + 2 * $0, of: .scalar(size: 1)) })
    let outer = TableLayout("Outer", fields: [.vector("all", 4, of: .table { inner })])
    let bytes = try references(1_000) { builder in
      let vector = builder.create(vector: [1] as [UInt8])
      builder.startTable(slots: 50)
      for index in 0..<50 { builder.add(vector, at: 4 + 2 * index) }
      return builder.endTable()
    }
    // Each of the 50,000 arrays takes a reference of 8 bytes, and at least 32 bytes of memory elsewhere.
    expect(bytes, as: outer, takesMoreThan: 50_000 * (8 + 32), butNot: 50_000 * 80)
  }

  @Test("A string counts with its header, its breadcrumbs and the rounding of its storage")
  func longStrings() throws {
    // In the standard library, 313 bytes take 368: 32 before them and 8 behind, rounded up to a multiple of 16.
    let bytes = try tags(1_000, of: 312)
    expect(bytes, as: Monster.flatBufferLayout, takesMoreThan: 1_000 * (16 + 368), butNot: 1_000 * (16 + 368 + 16))
  }

  @Test("An entity counts with its reference, header and identity")
  func entities() throws {
    let inner = TableLayout("Inner", isEntity: true, fields: [.scalar("a", 4, size: 8)])
    let outer = TableLayout("Outer", fields: [.vector("all", 4, of: .table { inner })])
    let bytes = try references(1_000) { builder in
      builder.startTable(slots: 1)
      return builder.endTable()
    }
    expect(bytes, as: outer, takesMoreThan: 1_000 * (8 + 16 + 32 + 8), butNot: 1_000 * 96)
  }

  @Test("The arrays of a fixed struct count, each with its allocation")
  func arraysOfStructs() throws {
    // 16 bytes of the buffer become four arrays.
    let structure = StructLayout("Arrays", size: 16, alignment: 4, arrays: 4)
    let layout = TableLayout("Outer", fields: [.vector("all", 4, of: .structure(structure))])
    var builder = FlatBufferBuilder()
    let all = builder.create(vectorOf: 10_000, size: 16, alignment: 4) { _ in }
    builder.startTable(slots: 1)
    builder.add(all, at: 4)
    let root = builder.endTable()
    try builder.finish(root)
    let bytes = builder.withFinishedBytes { Array($0) }
    expect(bytes, as: layout, takesMoreThan: 40_000 * (8 + 32), butNot: 40_000 * 80)
  }

  @Test("The arrays of a fixed struct count in each table that has it, in a field or as a union's member")
  func arraysOfPresentStructs() throws {
    let union = UnionLayout("Any", members: [1: .structure(Nested.flatBufferLayout)])
    let inField = TableLayout("Inner", fields: [.structure("s", 4, Nested.flatBufferLayout)])
    let inUnion = TableLayout("Inner", fields: [.union("s", 6) { union }])
    let withField = try references(1_000) { builder in
      builder.startTable(slots: 1)
      builder.add(Nested(), at: 4)
      return builder.endTable()
    }
    let withMember = try references(1_000) { builder in
      let member = builder.create(Nested())
      builder.startTable(slots: 2)
      builder.add(UInt8(1), at: 4, default: 0)
      builder.add(member, at: 6)
      return builder.endTable()
    }
    for (bytes, inner) in [(withField, inField), (withMember, inUnion)] {
      let outer = TableLayout("Outer", fields: [.vector("all", 4, of: .table { inner })])
      expect(bytes, as: outer, takesMoreThan: 64_000 * (8 + 32), butNot: 64_000 * 80)
    }
    // A table without the struct has no arrays.
    let absent = try references(1_000) { builder in
      builder.startTable(slots: 0)
      return builder.endTable()
    }
    let outer = TableLayout("Outer", fields: [.vector("all", 4, of: .table { inField })])
    expect(absent, as: outer, takesMoreThan: 1_000 * 8, butNot: 1_000 * 64)
  }

  @Test("A small buffer whose structs have many arrays is verified when it is written") func writtenArrays() {
    var builder = FlatBufferBuilder()
    _ = builder.create(vector: [Nested](repeating: Nested(), count: 1_000))
    let isVerifiedWithFew = builder.mayTakeMuchMemory
    _ = builder.create(vector: [Nested](repeating: Nested(), count: 30_000))
    let isVerifiedWithMany = builder.mayTakeMuchMemory
    #expect(!isVerifiedWithFew)
    #expect(isVerifiedWithMany)
  }

  @Test("An element of a vector of unions counts as much as the union's largest member")
  func unions() throws {
    let large = TableLayout("Large", fields: (0..<50).map { .string("s\($0)", 4 + 2 * $0) })
    let union = UnionLayout("Any", members: [1: .table { large }, 2: .string])
    let layout = TableLayout("Outer", fields: [.vector("all", 6, of: .union { union })])
    var builder = FlatBufferBuilder()
    let text = builder.create("")
    let kinds = builder.create(vector: [UInt8](repeating: 2, count: 10_000))
    let values = builder.create(offsets: [FlatBufferOffset](repeating: text, count: 10_000))
    builder.startTable(slots: 2)
    builder.add(kinds, at: 4)
    builder.add(values, at: 6)
    let root = builder.endTable()
    try builder.finish(root)
    let bytes = builder.withFinishedBytes { Array($0) }
    expect(bytes, as: layout, takesMoreThan: 10_000 * 50 * 16, butNot: 10_000 * 50 * 24)
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

  @Test("Layouts that lead to each other on all paths are estimated in few steps") func mutualRecursion() {
    let sizes = InPlaceSizes(from: Mutual.tables[0].plan.route, isUnion: false)
    #expect(sizes.sizes.count == 2 * Mutual.count)
    #expect(sizes.visits < 1_000)
  }

  @Test("A layout whose estimate is known isn't visited again for another one that leads to it") func knownLayouts() {
    func chain() -> TableLayout {
      (1..<100).reduce(TableLayout("0", fields: [.string("s", 4)])) { inner, level in
        TableLayout("\(level)", fields: [.table("a", 4) { inner }])
      }
    }
    func sizes(holding inner: TableLayout) -> InPlaceSizes {
      let holder = TableLayout("Holder", fields: [.table("inner", 4) { inner }])
      return withExtendedLifetime(holder) { InPlaceSizes(from: holder.plan.route, isUnion: false) }
    }
    let (fresh, known) = (chain(), chain())
    let route = known.plan.route
    _ = route.pointee.estimate.pointee.bytes(of: route)
    let (all, few) = (sizes(holding: fresh), sizes(holding: known))
    withExtendedLifetime((fresh, known)) {
      #expect(all.visits == 101)
      #expect(few.visits == 1)
      #expect(all.sizes[0].size == few.sizes[0].size)
    }
  }

  @Test("A cycle keeps its sizes when one of its tables is estimated for another layout") func knownCycle() {
    let expected = InPlaceSizes(from: KnownCycle.outer.plan.route, isUnion: false).sizes.map(\.size)
    let route = KnownCycle.inner.plan.route
    _ = route.pointee.estimate.pointee.bytes(of: route)
    let sizes = InPlaceSizes(from: KnownCycle.outer.plan.route, isUnion: false).sizes.map(\.size)
    #expect(sizes == [expected[0]])
  }

  @Test("A table counts in the one that holds it, wherever the estimate of their cycle begins") func cycle() throws {
    // A Swift value of `Outer` has room for `Inner`, whose union is a box.
    for start in [Cycle.outer, Cycle.inner] {
      let sizes = InPlaceSizes(from: start.plan.route, isUnion: false).sizes
      let outer = try #require(sizes.first { $0.route == Cycle.outer.plan.route })
      #expect((100 * 16..<100 * 24).contains(outer.size))
    }
  }

  @Test("An entity in a field counts as a reference") func entityInField() throws {
    let entity = TableLayout("Entity", isEntity: true, fields: (0..<100).map { .string("s\($0)", 4 + 2 * $0) })
    let holder = TableLayout("Holder", fields: [.table("entity", 4) { entity }])
    let all = TableLayout("All", fields: [.vector("all", 4, of: .table { holder })])
    let bytes = try references(1_000) { builder in
      builder.startTable(slots: 1)
      return builder.endTable()
    }
    expect(bytes, as: all, takesMoreThan: 1_000 * 8, butNot: 1_000 * 64)
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

/// A byte in an array of a struct in an array of a struct, and so on: as many arrays as a struct can have.
private struct Nested: FlatBufferStructure {
  static let flatBufferLayout: StructLayout = StructLayout("Nested", size: 1, alignment: 1, arrays: 64)

  init() {}

  init(_ structure: FlatBufferStruct) throws(FlatBufferError) {}

  func write(to writer: inout FlatBufferStructWriter) {}
}

/// Tables that each have a union of all tables.
private enum Mutual {
  static let count = 14

  static let tables: [TableLayout] = (0..<count).map { index in
    TableLayout("T\(index)", fields: [.union("next", 6) { unions[index] }])
  }

  private static let unions: [UnionLayout] = (0..<count).map { index in
    var members: [UInt8: UnionLayout.Member] = [:]
    for member in 0..<count { members[UInt8(member + 1)] = .table { tables[member] } }
    return UnionLayout("U\(index)", members: members)
  }
}

/// Two tables in a cycle.
private enum KnownCycle {
  static let outer: TableLayout = TableLayout("Outer", fields: [.table("inner", 4) { inner }])

  static let inner: TableLayout = TableLayout(
    "Inner", fields: [.table("back", 4) { outer }] + (0..<100).map { .string("s\($0)", 6 + 2 * $0) })
}

/// Two tables in a cycle with a union: one holds the other, which has a hundred strings.
private enum Cycle {
  static let outer: TableLayout = TableLayout("Outer", fields: [.table("inner", 4) { inner }])

  static let inner: TableLayout = TableLayout(
    "Inner", fields: [.union("back", 6) { union }] + (0..<100).map { .string("s\($0)", 8 + 2 * $0) })

  private static let union: UnionLayout = UnionLayout("Any", members: [1: .table { outer }])
}
