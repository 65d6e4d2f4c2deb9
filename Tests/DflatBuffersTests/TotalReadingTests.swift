import DflatBuffers
import TestSupport
import Testing

/// Reading ends with a value or an error for any bytes.
@Suite struct TotalReadingTests {
  /// Reads the bytes without and with verification.
  private func read(_ bytes: [UInt8]) -> Monster? {
    bytes.withUnsafeBytes { bytes in
      _ = try? FlatBuffer.withUnverifiedRoot(in: bytes) { try Monster(reading: $0) }
      guard (try? FlatBufferVerifier().verify(root: Monster.flatBufferLayout, in: bytes)) != nil else { return nil }
      // Bytes that the verifier accepts can be decoded.
      do throws(FlatBufferError) {
        return try FlatBuffer.decode(Monster.self, from: bytes)
      } catch {
        Issue.record("The verifier accepted bytes that decoding refuses: \(error)")
        return nil
      }
    }
  }

  @Test("A buffer that is cut at any byte is refused or read whole") func truncation() throws {
    let bytes = try Buffer.of(Monster.rich)
    for count in 0..<bytes.count {
      if let monster = read(Array(bytes.prefix(count))) { #expect(monster == Monster.rich) }
    }
  }

  @Test("A buffer with any one bit flipped is refused or decoded") func bits() throws {
    let bytes = try Buffer.of(Monster.rich)
    var accepted = 0
    for index in bytes.indices {
      for bit in 0..<8 where read(bytes.patched(index, bytes[index] ^ (1 << bit))) != nil { accepted += 1 }
    }
    // Most of the accepted changes are in numbers and texts.
    #expect(accepted > 0 && accepted < bytes.count * 8)
  }

  @Test("A buffer with randomly replaced bytes is refused or decoded") func random() throws {
    let bytes = try Buffer.of(Monster.rich)
    var generator = SeededGenerator.announced(for: "Total reading")
    for _ in 0..<3_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        damaged[position] =
          [0, 1, 4, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      _ = read(damaged)
    }
  }

  /// Each table refers to the next one twice, so there are 2^60 paths through 60 of them.
  @Test("A shared table counts against the limit on tables at each visit") func shared() throws {
    let layout = TableLayout.pair
    var builder = FlatBufferBuilder()
    builder.startTable(slots: 2)
    var table = builder.endTable()
    for _ in 0..<60 {
      builder.startTable(slots: 2)
      builder.add(table, at: 4)
      builder.add(table, at: 6)
      table = builder.endTable()
    }
    try builder.finish(table)
    builder.withFinishedBytes { bytes in
      #expect(failure { try FlatBufferVerifier().verify(root: layout, in: bytes) }?.code == .tooManyTables)
      func walk(_ table: FlatBufferTable) throws {
        for slot in [4, 6] {
          if let next = try table.subtable(slot) { try walk(next) }
        }
      }
      #expect(
        failure {
          try FlatBuffer.withUnverifiedRoot(in: bytes, limits: FlatBufferLimits(maximumTables: 1000)) { try walk($0) }
        }?.code == .tooManyTables)
    }
  }

  @Test("The depth limit also holds without verification") func depth() throws {
    var node = Node(value: 1)
    for _ in 1..<64 { node = Node(value: 1, next: node) }
    let bytes = try Buffer.of(node)
    bytes.withUnsafeBytes { bytes in
      #expect(
        failure {
          try FlatBuffer.withUnverifiedRoot(in: bytes, limits: FlatBufferLimits(maximumDepth: 63)) { try Node($0) }
        }?.code == .tooDeep)
      let error = failure { try FlatBuffer.decode(Node.self, from: bytes, limits: FlatBufferLimits(maximumDepth: 63)) }
      #expect(error?.code == .tooDeep && error?.table == "Node")
    }
  }

  @Test("Unverified reading counts a shared string at each visit") func strings() throws {
    var monster = Monster(name: "x")
    monster.tags = Array(repeating: String(repeating: "y", count: 1000), count: 100)
    let bytes = try Buffer.of(monster)
    bytes.withUnsafeBytes { bytes in
      #expect(
        failure {
          try FlatBuffer.withUnverifiedRoot(in: bytes, limits: FlatBufferLimits(maximumSize: 50_000)) {
            try Monster(reading: $0)
          }
        }?.code == .tooLarge)
    }
  }
}

extension TableLayout {
  fileprivate static let pair: TableLayout = TableLayout(
    "Pair", fields: [.table("left", 4) { TableLayout.pair }, .table("right", 6) { TableLayout.pair }])
}
