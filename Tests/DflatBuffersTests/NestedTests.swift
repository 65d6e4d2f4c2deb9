import DflatBuffers
import Testing

@Suite struct NestedTests {
  /// A list whose letters are all the same table, which contains a nested buffer.
  private func letters(_ count: Int, holding inner: [UInt8]) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    let payload = builder.create(vector: inner)
    builder.startTable(slots: 1)
    builder.add(payload, at: 4)
    let letter = builder.endTable()
    let list = builder.create(offsets: Array(repeating: letter, count: count))
    builder.startTable(slots: 1)
    builder.add(list, at: 4)
    try builder.finish(builder.endTable())
    return builder.withFinishedBytes { [UInt8]($0) }
  }

  private static let letter = TableLayout("Letter", fields: [.nested("payload", 4) { Weapon.flatBufferLayout }])
  private static let list = TableLayout("List", fields: [.vector("letters", 4, of: .table { letter })])

  @Test("All bytes of a nested buffer count against the size limit each time they are read") func size() throws {
    let inner = try Buffer.of(Weapon()) + [UInt8](repeating: 0, count: 10_000)
    let bytes = try letters(100, holding: inner)
    let verifier = FlatBufferVerifier(limits: FlatBufferLimits(maximumSize: 50_000))
    let error = failure { try bytes.withUnsafeBytes { _ = try verifier.verify(root: Self.list, in: $0) } }
    #expect(error?.code == .tooLarge)
  }

  private static let middle = TableLayout("Middle", fields: [.nested("payload", 4) { Node.flatBufferLayout }])
  private static let outer = TableLayout("Outer", fields: [.nested("payload", 4) { middle }])

  /// Returns a buffer whose root has a nested buffer, which the builder verifies if it gets its layout.
  private func holder(of inner: [UInt8], _ layout: TableLayout?) throws -> [UInt8] {
    var builder = FlatBufferBuilder()
    let payload = layout.map { builder.create(nested: inner, of: $0) } ?? builder.create(vector: inner)
    builder.startTable(slots: 1)
    builder.add(payload, at: 4)
    let root = builder.endTable()
    try builder.finish(root)
    return builder.withFinishedBytes { [UInt8]($0) }
  }

  @Test("The levels inside a nested buffer of a nested buffer count", arguments: [61, 62, 63]) func depth(
    length: Int
  ) throws {
    var node = Node(value: 1)
    for _ in 1..<length { node = Node(value: 1, next: node) }
    let middle = try holder(of: Buffer.of(node), Node.flatBufferLayout)
    let unchecked = try holder(of: middle, nil)
    let verified = failure {
      try unchecked.withUnsafeBytes { _ = try FlatBufferVerifier().verify(root: Self.outer, in: $0) }
    }
    #expect(verified?.code == (length > 62 ? .tooDeep : nil))
    #expect(failure { try holder(of: middle, Self.middle) }?.code == verified?.code)
  }

  @Test(
    "The builder refuses an invalid nested buffer",
    arguments: [[1, 2, 3], [0, 0, 0, 0], [8, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
  func invalid(nested: [UInt8]) throws {
    var monster = Monster(name: "x")
    monster.nested = nested
    #expect(failure { try Buffer.of(monster) } != nil)
  }

  @Test("A nested buffer may have any file identifier or none") func identifiers() throws {
    let monster = Monster(name: "x")
    for identifier in [nil, "MONS", "ELSE"] {
      let bytes = try Buffer.of(monster, identifier: identifier)
      #expect(try FlatBuffer.decodeNested(Monster.self, from: bytes) == monster)
      let alone = failure { try FlatBuffer.decode(Monster.self, from: bytes) }
      #expect(alone?.code == (identifier == "MONS" ? nil : .wrongIdentifier))
    }
    let damaged: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0]
    #expect(failure { try FlatBuffer.decodeNested(Monster.self, from: damaged) }?.table == "Monster")
    let limits = FlatBufferLimits(maximumTables: 0)
    let bytes = try Buffer.of(monster)
    #expect(
      failure { try FlatBuffer.decodeNested(Monster.self, from: bytes, limits: limits) }?.code == .tooManyTables)
  }

  @Test("The tables and levels of a nested buffer count against the limits") func limits() throws {
    var monster = Monster(name: "x")
    monster.nested = try Buffer.of(Weapon(name: "y"))
    for (limits, expected) in [
      (FlatBufferLimits(maximumDepth: 2), nil), (FlatBufferLimits(maximumDepth: 1), FlatBufferError.Code.tooDeep),
      (FlatBufferLimits(maximumTables: 2), nil), (FlatBufferLimits(maximumTables: 1), .tooManyTables),
    ] {
      #expect(failure { try Buffer.of(monster, limits: limits) }?.code == expected)
      let bytes = try Buffer.of(monster)
      #expect(failure { try Buffer.decode(Monster.self, bytes, limits: limits) }?.code == expected)
    }
  }
}
