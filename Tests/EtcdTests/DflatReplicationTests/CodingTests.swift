import DflatEtcd
import Testing

@testable import DflatCore
@testable import DflatReplication

struct CodingTests {
  private static let list = ChunkList(id: ChunkID.make(.record, 12), count: 3, size: 3_000, checksum: .max)

  @Test("Entries are what was written, and every shortened one is refused")
  func entries() {
    for content in [LogEntry.Content.bytes([1, 2, 3]), .bytes([]), .chunks(Self.list)] {
      let entry = LogEntry(number: .max - 1, writer: -5, attempt: .max, content: content)
      let bytes = entry.encoded
      #expect(LogEntry(decoding: bytes) == entry)
      for length in 0..<bytes.count { #expect(LogEntry(decoding: [UInt8](bytes[..<length])) == nil) }
      #expect(LogEntry(decoding: bytes + [0]) == nil)
    }
    let snapshot = SnapshotEntry(chunks: Self.list)
    #expect(SnapshotEntry(decoding: snapshot.encoded) == snapshot)
    #expect(SnapshotEntry(decoding: snapshot.encoded + [0]) == nil)
  }

  @Test("Numbers have one spelling")
  func numbers() {
    for number in [0, 1, 255, UInt64.max] {
      #expect(LogKeys.number(in: LogKeys.record(number)) == number)
      #expect(DecimalNumber.value(DecimalNumber.bytes(number)) == number)
    }
    for text in ["", "01", "+1", " 1", "-1", "1a", "18446744073709551616"] {
      #expect(DecimalNumber.value(text.utf8) == nil)
    }
    for text in ["", "log/", "log/1", "log", "log/000000000000000g", "log/+00000000000001f"] {
      #expect(LogKeys.number(in: EtcdKey(text)) == nil, "\(text)")
    }
    let lease = EtcdLease.ID(-1)
    #expect(LogKeys.lease(ofWaiter: LogKeys.wait(lease)) == lease)
    #expect(LogKeys.lease(ofWaiter: "wait/0f") == nil)
  }

  @Test("A cluster's value has an identity and a number")
  func cluster() {
    let entry = ClusterEntry(identity: "abc", base: 7)
    #expect(ClusterEntry(decoding: entry.encoded) == entry)
    for text in ["", "abc", " 7", "abc 07", "abc 7 8", "abc x"] {
      #expect(ClusterEntry(decoding: Array(text.utf8)) == nil)
    }
  }
}
