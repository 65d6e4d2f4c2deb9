import DflatBuffers
import Testing

@Suite struct ReadingTests {
  @Test("A buffer can be read at any address") func unaligned() throws {
    let bytes = try Buffer.of(Monster.rich)
    for shift in 0..<16 {
      let shifted = [UInt8](repeating: 0xFF, count: shift) + bytes
      try shifted.withUnsafeBytes { all in
        let decoded = try FlatBuffer.decode(Monster.self, from: UnsafeRawBufferPointer(rebasing: all[shift...]))
        #expect(decoded == Monster.rich)
      }
    }
  }

  @Test("A vector is read without the alignment that its layout asks for") func vectorWithoutForcedAlignment() throws {
    let layout = TableLayout("Aligned", fields: [.vector("bytes", 4, alignment: 64, of: .scalar(size: 1))])
    for count in 0..<9 {
      var builder = FlatBufferBuilder()
      let bytes = builder.create(vector: [UInt8](repeating: 7, count: count))
      builder.startTable(slots: 1)
      builder.add(bytes, at: 4)
      try builder.finish(builder.endTable())
      try builder.withFinishedBytes { buffer in
        _ = try FlatBufferVerifier().verify(root: layout, in: buffer)
        let vector = try FlatBuffer.withUnverifiedRoot(in: buffer) { try $0.scalars(4) as [UInt8]? }
        #expect(vector?.count == count)
      }
    }
  }

  @Test("A size prefix is read and has to match the size of the buffer") func sizePrefixed() throws {
    let bytes = try Buffer.of(Monster.rich, sizePrefixed: true)
    #expect(bytes.read32(0) == bytes.count - 4)
    #expect(try Buffer.decode(Monster.self, bytes, sizePrefixed: true) == Monster.rich)
    let identifier = bytes.withUnsafeBytes { FlatBuffer.identifier(of: $0, sizePrefixed: true) }
    #expect(identifier == "MONS")
    for wrong in [bytes + [0], bytes.patched32(0, bytes.count), Array(bytes.dropLast())] {
      #expect(failure { try Buffer.decode(Monster.self, wrong, sizePrefixed: true) }?.code == .wrongSize)
    }
  }

  @Test("A struct can be the root of a buffer") func structure() throws {
    let box = Box(from: Vec3(x: 1), to: Vec3(y: 2, color: .blue))
    var builder = FlatBufferBuilder()
    try builder.finish(builder.create(box))
    let bytes = builder.withFinishedBytes { [UInt8]($0) }
    #expect(bytes.count == 56)
    let decoded = try bytes.withUnsafeBytes { try FlatBuffer.decode(Box.self, from: $0) }
    #expect(decoded == box)
    for (damaged, code) in [
      (bytes.patched32(0, 12), FlatBufferError.Code.misaligned), (bytes.patched32(0, 16), .truncated),
      (bytes.patched32(0, 0), .offsetOutOfBounds), (bytes.patched32(0, 1000), .offsetOutOfBounds),
    ] {
      damaged.withUnsafeBytes { bytes in
        let error = failure { try FlatBuffer.decode(Box.self, from: bytes) }
        #expect(error?.code == code && error?.table == "Box")
      }
    }
  }

  @Test("Unknown values of enums and unions are read as defaults or as absent") func newer() throws {
    let bytes = try Buffer.of(Monster.rich)
    let color = try #require(bytes.field(10, of: bytes.root))
    #expect(try Buffer.decode(Monster.self, bytes.patched(color, 77)).color == .blue)
    let mood = try #require(bytes.field(12, of: bytes.root))
    #expect(try Buffer.decode(Monster.self, bytes.patched(mood, 77)).mood == nil)
    let colors = try bytes.target(40)
    #expect(try Buffer.decode(Monster.self, bytes.patched(colors + 4, 77)).colors == [.red, .red, .green])
    let kind = try #require(bytes.field(24, of: bytes.root))
    #expect(try Buffer.decode(Monster.self, bytes.patched(kind, 99)).equipped == nil)
    let kinds = try bytes.target(36)
    let bag = Monster.rich.bag
    for unknown: UInt8 in [0, 99] {
      #expect(try Buffer.decode(Monster.self, bytes.patched(kinds + 5, unknown)).bag == [bag[0], bag[2], bag[3]])
    }
  }

  @Test("Unknown bits of flags are kept") func flags() throws {
    var monster = Monster(name: "x")
    monster.abilities = Abilities(rawValue: 0xFFFF)
    #expect(try Buffer.decode(Monster.self, Buffer.of(monster)).abilities.rawValue == 0xFFFF)
  }

  @Test("Any byte except zero is read as true") func bools() throws {
    let bytes = try Buffer.of(Monster.rich)
    let flags = try bytes.target(42)
    #expect(try Buffer.decode(Monster.self, bytes.patched(flags + 4, 2, 255, 0)).flags == [true, true, false])
  }

  @Test("Buffers can be read without generated types") func raw() throws {
    let bytes = try Buffer.of(Monster.rich)
    try bytes.withUnsafeBytes { bytes in
      let table = try FlatBufferVerifier().verify(root: Monster.flatBufferLayout, in: bytes)
      #expect(table.contains(4) && !table.contains(48) && !table.contains(2) && !table.contains(-4))
      #expect(try table.bytes(28).map([UInt8].init) == [0, 1, 2, 255])
      #expect(try table.subtable(22)?.scalar(4, default: Int32(0)) == 1)
      #expect(try table.unionKind(26) == 4)
      let (kind, member) = try #require(try table.union(26))
      #expect(kind == 4)
      #expect(try member.table().scalar(4, default: Int32(0)) == 9)
      let weapons = try #require(try table.vectorOfOffsets(34))
      #expect(weapons.count == 3)
      #expect(try weapons.table(at: 2).string(4) == "Speer")
      #expect(throws: FlatBufferError.self) { try weapons.table(at: 3) }
      #expect(throws: FlatBufferError.self) { try weapons.table(at: -1) }
      let path = try #require(try table.vector(30, of: Vec3.flatBufferLayout))
      let y: Float = try path.structure(at: 1, layout: Vec3.flatBufferLayout).scalar(4)
      #expect(y == 2)
      let longs = try #require(try table.vector(44, elementSize: 8))
      let last: Int64 = try longs.scalar(at: 2)
      #expect(last == .max)
      let bag = try #require(try table.vectorOfOffsets(38))
      let kinds = try table.unionKinds(38, count: bag.count)
      let third: UInt8 = try kinds.scalar(at: 2)
      #expect(third == 3)
      #expect(try bag.unionMember(at: 2).string() == "Seil")
      #expect(try table.nestedTable(46)?.string(4) == "Dolch")
      let dagger: Weapon? = try table.nested(46)
      #expect(dagger == Weapon(name: "Dolch", damage: 2))
    }
  }

  @Test("A struct refuses reads outside of its bytes") func members() throws {
    let bytes = try Buffer.of(Monster.rich)
    try bytes.withUnsafeBytes { bytes in
      let table = try FlatBufferVerifier().verify(root: Monster.flatBufferLayout, in: bytes)
      let pos = try #require(try table.structure(20, layout: Vec3.flatBufferLayout))
      for offset in [-1, 21, 24, Int.max, Int.min] {
        #expect(throws: FlatBufferError.self) {
          let _: Float = try pos.scalar(offset)
        }
      }
      #expect(throws: FlatBufferError.self) {
        let _: [Int16] = try pos.array(18, count: 4)
      }
      #expect(throws: FlatBufferError.self) {
        let _: [Int16] = try pos.array(18, count: -1)
      }
    }
  }

  @Test("Boxed members have value semantics") func indirect() {
    var node = Node(value: 1, next: Node(value: 2))
    let copy = node
    node.next?.value = 3
    #expect(copy.next?.value == 2)
    #expect(node != copy)
    #expect(Set([copy, Node(value: 1, next: Node(value: 2))]).count == 1)
  }
}
