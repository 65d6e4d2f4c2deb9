import DflatBuffers
import Testing

/// Each test damages a buffer in one way, and expects an error that names the table and the field.
@Suite struct DamageTests {
  private let bytes: [UInt8]

  init() throws {
    bytes = try Buffer.of(Monster.rich)
  }

  private func expect(
    _ damaged: [UInt8], _ code: FlatBufferError.Code, _ table: String? = "Monster", _ field: String? = nil,
    at position: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do throws(FlatBufferError) {
      _ = try Buffer.decode(Monster.self, damaged)
      Issue.record("The damaged buffer was decoded without an error", sourceLocation: sourceLocation)
    } catch {
      #expect(error.code == code, sourceLocation: sourceLocation)
      #expect(error.table == table, sourceLocation: sourceLocation)
      #expect(error.field == field, sourceLocation: sourceLocation)
      if let position { #expect(error.position == position, sourceLocation: sourceLocation) }
    }
  }

  private func field(_ slot: Int) throws -> Int { try #require(bytes.field(slot, of: bytes.root)) }

  @Test("A buffer that is too short for its header is refused") func short() {
    for count in 0..<4 { expect(Array(bytes.prefix(count)), .truncated, at: 0) }
    for count in 4..<8 { expect(Array(bytes.prefix(count)), .offsetOutOfBounds, at: 0) }
    expect([5, 0, 0, 0, 0, 0, 0], .truncated, at: 4)
  }

  @Test("An invalid offset of the root is refused") func root() {
    expect(bytes.patched32(0, 0), .offsetOutOfBounds, at: 0)
    expect(bytes.patched32(0, bytes.count), .offsetOutOfBounds, at: 0)
    expect(bytes.patched32(0, 0x8000_0000), .offsetOutOfBounds, at: 0)
    expect(bytes.patched32(0, 0xFFFF_FFFF), .offsetOutOfBounds, at: 0)
    expect(bytes.patched32(0, bytes.root + 2), .misaligned, at: bytes.root + 2)
  }

  @Test("A wrong identifier is refused") func identifier() {
    expect(bytes.patched(5, 0), .wrongIdentifier, at: 4)
  }

  @Test("An invalid vtable of the root is refused") func vtable() {
    let root = bytes.root
    let vtable = bytes.vtable(of: root)
    for distance in [Int(Int32.min), root + 1, -bytes.count, -(bytes.count - root - 2), root - vtable + 1] {
      expect(bytes.patched32(root, distance), .invalidVTable, at: root)
    }
    for size in [0, 2, 3, 47, 0xFFFE, 0xFFFF] {
      expect(bytes.patched(vtable, UInt8(size & 0xFF), UInt8(size >> 8)), .invalidVTable, at: vtable)
    }
    expect(bytes.patched(vtable + 2, 0, 0), .invalidVTable, at: vtable)
    expect(bytes.patched(vtable + 2, 0xFF, 0xFF), .invalidVTable, at: vtable)
    // Fields that reach out of the table, or into its start.
    let size = bytes.read16(vtable + 2)
    expect(bytes.patched(vtable + 18, UInt8(size - 4), 0), .invalidVTable, "Monster", "speed", at: vtable + 18)
    expect(bytes.patched(vtable + 4, UInt8(size - 2), 0), .invalidVTable, "Monster", "name", at: vtable + 4)
    expect(bytes.patched(vtable + 6, 2, 0), .invalidVTable, "Monster", "hp", at: vtable + 6)
    // Fields that are not aligned.
    let speed = bytes.read16(vtable + 18)
    expect(bytes.patched(vtable + 18, UInt8(speed + 4), 0), .misaligned, "Monster", "speed")
    let name = bytes.read16(vtable + 4)
    expect(bytes.patched(vtable + 4, UInt8(name + 2), 0), .misaligned, "Monster", "name")
  }

  @Test("A missing required field is an error that names the field") func required() throws {
    let vtable = bytes.vtable(of: bytes.root)
    expect(bytes.patched(vtable + 4, 0, 0), .missingRequiredField, "Monster", "name", at: bytes.root)
    var builder = FlatBufferBuilder()
    builder.startTable(slots: 0)
    try builder.finish(builder.endTable(), identifier: "MONS")
    expect(builder.withFinishedBytes { [UInt8]($0) }, .missingRequiredField, "Monster", "name")
    // Each kind of field, in a table without fields.
    let empty = try Buffer.of(Weapon())
    for field: TableLayout.Field in [
      .string("it", 4, required: true), .structure("it", 4, required: true, Vec3.flatBufferLayout),
      .table("it", 4, required: true) { Weapon.flatBufferLayout },
      .union("it", 6, required: true) { Equipment.flatBufferLayout },
      .vector("it", 4, required: true, of: .string), .vector("it", 4, required: true, of: .scalar(size: 1)),
      .vector("it", 6, required: true, of: .union { Equipment.flatBufferLayout }),
      .nested("it", 4, required: true) { Weapon.flatBufferLayout },
    ] {
      let layout = TableLayout("Strict", fields: [field])
      empty.withUnsafeBytes { bytes in
        let error = failure { try FlatBufferVerifier().verify(root: layout, in: bytes) }
        #expect(error?.code == .missingRequiredField && error?.table == "Strict" && error?.field == "it")
      }
    }
  }

  @Test("A damaged string is an error that names its field") func strings() throws {
    let name = try bytes.target(4)
    let length = bytes.read32(name)
    expect(bytes.patched(name + 4, 0xFF), .invalidUTF8, "Monster", "name", at: name + 4)
    expect(bytes.patched(name + 4 + length, 1), .invalidUTF8, "Monster", "name", at: name + 4 + length)
    expect(bytes.patched32(name, 0xFFFF_FFFF), .truncated, "Monster", "name", at: name)
    expect(bytes.patched32(name, bytes.count - name - 4), .truncated, "Monster", "name")
    let field = try field(4)
    expect(bytes.patched32(field, 0), .offsetOutOfBounds, "Monster", "name", at: field)
    expect(bytes.patched32(field, bytes.count - field), .offsetOutOfBounds, "Monster", "name", at: field)
    expect(bytes.patched32(field, 0xFFFF_FFFF), .offsetOutOfBounds, "Monster", "name", at: field)
    expect(bytes.patched32(field, bytes.read32(field) + 1), .misaligned, "Monster", "name")
    let tags = try bytes.target(32)
    let tag = tags + 4 + bytes.read32(tags + 4)
    expect(bytes.patched(tag + 4, 0xC0), .invalidUTF8, "Monster", "tags", at: tag + 4)
  }

  @Test("A damaged vector is an error that names its field") func vectors() throws {
    for (slot, name) in [(28, "inventory"), (30, "path"), (32, "tags"), (34, "weapons"), (44, "longs")] {
      let vector = try bytes.target(slot)
      expect(bytes.patched32(vector, 0xFFFF_FFFF), .truncated, "Monster", name, at: vector)
      expect(bytes.patched32(vector, 0x4000_0000), .truncated, "Monster", name, at: vector)
      expect(bytes.patched32(try field(slot), 0), .offsetOutOfBounds, "Monster", name)
    }
    for (slot, name) in [(32, "tags"), (34, "weapons"), (38, "bag")] {
      let element = try bytes.target(slot) + 4
      expect(bytes.patched32(element, 0), .offsetOutOfBounds, "Monster", name, at: element)
      expect(bytes.patched32(element, bytes.count), .offsetOutOfBounds, "Monster", name, at: element)
    }
    // A vector of longs that is aligned to 4 bytes only.
    let longs = try field(44)
    let shifted = bytes.patched32(longs, bytes.read32(longs) - 4).patched32(try bytes.target(44) - 4, 1)
    expect(shifted, .misaligned, "Monster", "longs")
  }

  @Test("Damage in an inner table is an error that names that table") func children() throws {
    let weapons = try bytes.target(34)
    let weapon = weapons + 4 + bytes.read32(weapons + 4)
    expect(bytes.patched32(weapon, 0x7FFF_FFFF), .invalidVTable, "Weapon", at: weapon)
    let name = try #require(bytes.field(4, of: weapon))
    expect(bytes.patched32(name, 0x7FFF_FFFF), .offsetOutOfBounds, "Weapon", "name", at: name)
    let home = try bytes.target(22)
    let next = try #require(bytes.field(6, of: home))
    expect(bytes.patched32(next, 0x7FFF_FFFF), .offsetOutOfBounds, "Node", "next", at: next)
  }

  @Test("A damaged union is an error that names its field") func unions() throws {
    let kind = try field(24)
    expect(bytes.patched(kind, 0), .invalidUnion, "Monster", "equipped")
    let vtable = bytes.vtable(of: bytes.root)
    expect(bytes.patched(vtable + 24, 0, 0), .invalidUnion, "Monster", "equipped")
    expect(bytes.patched(vtable + 26, 0, 0), .invalidUnion, "Monster", "equipped")
    // The kind says string, but the member is a node: the distance to its vtable is not a valid length.
    expect(bytes.patched(kind, 3), .truncated, "Monster", "equipped")
    let strict = TableLayout(
      "Strict", fields: [.union("equipped", 26, required: true) { Equipment.flatBufferLayout }])
    bytes.patched(kind, 99).withUnsafeBytes { bytes in
      #expect(failure { try FlatBufferVerifier().verify(root: strict, in: bytes) }?.code == .invalidUnion)
    }
  }

  @Test("A damaged vector of unions is an error that names its field") func vectorsOfUnions() throws {
    let vtable = bytes.vtable(of: bytes.root)
    expect(bytes.patched(vtable + 36, 0, 0), .invalidUnion, "Monster", "bag")
    expect(bytes.patched(vtable + 38, 0, 0), .invalidUnion, "Monster", "bag")
    let kinds = try bytes.target(36)
    expect(bytes.patched32(kinds, 3), .invalidUnion, "Monster", "bag")
    // A member of a kind that a newer schema added needs a valid offset, too.
    let values = try bytes.target(38)
    expect(bytes.patched(kinds + 4, 99).patched32(values + 4, 0), .offsetOutOfBounds, "Monster", "bag", at: values + 4)
    // A struct in a union has to be aligned and complete.
    expect(bytes.patched32(values + 8, bytes.read32(values + 8) + 4), .misaligned, "Monster", "bag")
    expect(bytes.patched32(values + 8, bytes.count - 8 - (values + 8)), .truncated, "Monster", "bag")
  }

  @Test("A nested buffer is verified with the buffer that contains it") func nested() throws {
    let vector = try bytes.target(46)
    expect(bytes.patched32(vector + 4, 0x7FFF_FFFF), .offsetOutOfBounds, "Monster", "nested", at: vector + 4)
    expect(bytes.patched32(vector, 3), .truncated, "Monster", "nested")
    let table = vector + 4 + bytes.read32(vector + 4)
    expect(bytes.patched32(table, 0x7FFF_FFFF), .invalidVTable, "Weapon", at: table)
  }

  @Test("The description of an error names the table, the field and the byte") func descriptions() {
    let error = FlatBufferError(.invalidUTF8, table: "Post", field: "title", position: 24)
    #expect("\(error)" == "Post.title at byte 24: the text is not UTF-8")
    #expect("\(FlatBufferError(.tooLarge))" == "byte 0: the buffer is too large")
    let all = Set(FlatBufferError.Code.allCases.map { "\(FlatBufferError($0))" })
    #expect(all.count == FlatBufferError.Code.allCases.count)
  }

  @Test("Errors of unverified reading name the table and the field, too") func unverified() throws {
    let name = try field(4)
    let weapons = try bytes.target(34)
    let weapon = weapons + 4 + bytes.read32(weapons + 4)
    let weaponName = try #require(bytes.field(4, of: weapon))
    for (damaged, table, field) in [
      (bytes.patched32(name, 0x7FFF_FFFF), "Monster", "name"), (bytes.patched32(weaponName, 0), "Weapon", "name"),
    ] {
      damaged.withUnsafeBytes { bytes in
        let error = failure { try FlatBuffer.withUnverifiedRoot(in: bytes) { try Monster(reading: $0) } }
        #expect(error?.code == .offsetOutOfBounds && error?.table == table && error?.field == field)
      }
    }
  }
}
