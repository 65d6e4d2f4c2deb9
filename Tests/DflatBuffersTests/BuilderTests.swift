import DflatBuffers
import TestSupport
import Testing

@Suite struct BuilderTests {
  @Test("A decoded buffer equals the value that was written") func roundTrip() throws {
    #expect(try Buffer.decode(Buffer.of(Monster.rich)) == Monster.rich)
    #expect(try Buffer.decode(Buffer.of(Monster(name: ""))) == Monster(name: ""))
  }

  @Test("Fields with their default values take no space") func defaults() throws {
    let bytes = try Buffer.of(Monster(name: "x"))
    for slot in stride(from: 6, through: 46, by: 2) { #expect(bytes.field(slot, of: bytes.root) == nil) }
    // The vtable ends with its last field.
    #expect(bytes.read16(bytes.vtable(of: bytes.root)) == 6)
    var monster = Monster(name: "x")
    monster.mana = 0
    monster.speed = -0.0
    let decoded: Monster = try Buffer.decode(Buffer.of(monster))
    #expect(decoded == monster)
    // -0.0 equals the default but isn't the same number.
    #expect(decoded.speed.sign == .minus)
  }

  @Test("A NaN takes no space if the default is a NaN, too") func notANumber() throws {
    var builder = FlatBufferBuilder()
    builder.startTable(slots: 2)
    builder.add(Double.nan, at: 4, default: -.nan)
    builder.add(Float.nan, at: 6, default: 0)
    try builder.finish(builder.endTable())
    let bytes = builder.withFinishedBytes { [UInt8]($0) }
    #expect(bytes.field(4, of: bytes.root) == nil)
    #expect(bytes.field(6, of: bytes.root) != nil)
  }

  /// The expected bytes are the output of flatc 2.0.8 for `{name: "Axt", damage: 5}`, and for a chain of nodes.
  @Test("The builder writes the same bytes as flatc") func bytes() throws {
    #expect(
      try Buffer.of(Weapon(name: "Axt", damage: 5)) == [
        12, 0, 0, 0, 8, 0, 12, 0, 8, 0, 6, 0, 8, 0, 0, 0, 0, 0, 5, 0, 4, 0, 0, 0, 3, 0, 0, 0, 65, 120, 116, 0,
      ])
    #expect(
      try Buffer.of(Node(value: 1, next: Node(value: 2))) == [
        12, 0, 0, 0, 8, 0, 14, 0, 4, 0, 8, 0, 8, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 0, 0, 6, 0, 8, 0, 4, 0, 6, 0, 0, 0,
        2, 0, 0, 0,
      ])
  }

  @Test("Equal vtables are written once") func vtables() throws {
    var monster = Monster(name: "x")
    monster.weapons = [Weapon(name: "a", damage: 1), Weapon(name: "b", damage: 2), Weapon(damage: 3)]
    let bytes = try Buffer.of(monster)
    let vector = try bytes.target(34)
    let tables = (0..<3).map { vector + 4 + 4 * $0 + bytes.read32(vector + 4 + 4 * $0) }
    #expect(bytes.vtable(of: tables[0]) == bytes.vtable(of: tables[1]))
    #expect(bytes.vtable(of: tables[0]) != bytes.vtable(of: tables[2]))
  }

  @Test("Equal strings are written once if the caller asks for it") func sharedStrings() throws {
    func size(_ tags: [String], shared: Bool) throws -> Int {
      var builder = FlatBufferBuilder()
      try builder.finish(builder.create(vector: tags, shared: shared))
      return builder.withFinishedBytes { $0.count }
    }
    let tags = (0..<100).map { "tag number \($0 % 10)" }
    let difference = try size(tags, shared: false) - size(tags, shared: true)
    #expect(difference == 90 * (4 + 16))
    var monster = Monster(name: "x")
    monster.tags = tags
    #expect(try Buffer.decode(Buffer.of(monster)) == monster)
  }

  @Test("A reset builder writes the same bytes and allocates nothing") func reuse() throws {
    let monster = Monster.rich
    let fresh = try Buffer.of(monster)
    var builder = FlatBufferBuilder(initialCapacity: 16)
    for turn in 0..<3 {
      var failure: FlatBufferError?
      let allocations = Allocations.count {
        do throws(FlatBufferError) {
          for _ in 0..<10 {
            builder.reset()
            let root = monster.to(flatBufferBuilder: &builder)
            try builder.finish(root, identifier: "MONS")
          }
        } catch {
          failure = error
        }
      }
      #expect(failure == nil)
      #expect(builder.withFinishedBytes { [UInt8]($0) } == fresh)
      if turn > 0 { #expect(allocations == 0) }
    }
  }

  @Test("A vector has the alignment that the caller asks for") func alignment() throws {
    for count in 0..<9 {
      var builder = FlatBufferBuilder()
      let text = builder.create(String(repeating: "x", count: count))
      let bytes = builder.create(vector: [1, 2, 3] as [UInt8], alignment: 32)
      builder.startTable(slots: 2)
      builder.add(text, at: 4)
      builder.add(bytes, at: 6)
      try builder.finish(builder.endTable())
      let buffer = builder.withFinishedBytes { [UInt8]($0) }
      #expect(try (buffer.target(6) + 4) % 32 == 0)
      #expect(buffer.count % 32 == 0)
    }
  }

  @Test("A vector of references has the alignment that the caller asks for")
  func alignmentOfReferences() throws {
    for count in 0..<9 {
      var builder = FlatBufferBuilder()
      let text = builder.create(String(repeating: "x", count: count))
      let strings = builder.create(vector: ["a", "b"], alignment: 32)
      let tables = builder.create(nonEmpty: [Node(value: 1)], alignment: 16)
      let unions = builder.create(vector: [Equipment.name("n")], alignment: 64)
      let offsets = builder.create(offsets: [text], alignment: 8)
      builder.startTable(slots: 4)
      builder.add(strings, at: 4)
      builder.add(tables, at: 6)
      builder.add(unions, at: 8)
      builder.add(offsets, at: 10)
      try builder.finish(builder.endTable())
      let buffer = builder.withFinishedBytes { [UInt8]($0) }
      for (slot, alignment) in [(4, 32), (6, 16), (8, 64), (10, 8)] {
        #expect(try (buffer.target(slot) + 4) % alignment == 0)
      }
      #expect(buffer.count % 64 == 0)
    }
  }

  @Test("Vectors and structs can be written without generated types") func dynamic() throws {
    var builder = FlatBufferBuilder()
    let numbers = builder.create(vectorOf: 3, size: 2, alignment: 2) { bytes in
      for index in 0..<3 { bytes[2 * index] = UInt8(index + 1) }
    }
    let names = builder.create(vector: ["a", "b"])
    let strings = builder.create(offsets: [builder.create("c"), builder.create("d")])
    builder.startTable(slots: 4)
    [1, 2, 3, 4].withUnsafeBytes {
      builder.add(structure: UnsafeRawBufferPointer(rebasing: $0[..<8]), alignment: 8, at: 10)
    }
    builder.add(strings, at: 8)
    builder.add(names, at: 6)
    builder.add(numbers, at: 4)
    try builder.finish(builder.endTable())
    let layout = TableLayout(
      "Dynamic",
      fields: [
        .vector("numbers", 4, of: .scalar(size: 2)), .vector("names", 6, of: .string),
        .vector("strings", 8, of: .string),
        .structure("one", 10, StructLayout("One", size: 8, alignment: 8)),
      ])
    try builder.withFinishedBytes { bytes in
      let table = try FlatBufferVerifier().verify(root: layout, in: bytes)
      let numbers: [UInt16]? = try table.scalars(4)
      #expect(numbers == [1, 2, 3])
      #expect(try table.strings(6) == ["a", "b"])
      #expect(try table.strings(8) == ["c", "d"])
      let one = try #require(try table.structure(10, layout: StructLayout("One", size: 8, alignment: 8)))
      let value: Int64 = try one.scalar(0)
      #expect(value == 1)
    }
  }
}
