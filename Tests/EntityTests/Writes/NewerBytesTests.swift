import DflatBuffers
import DflatEntities
import DflatKV
import DflatSQLite
import GoldenModels
import TestSupport
import Testing

/// Objects with stored fields that this program's schema doesn't know.
@Suite struct NewerBytesTests {
  private let test: TestWorkspace

  /// Stores a post with a field that a newer schema added.
  init() throws {
    test = try TestWorkspace()
    try test.workspace.transactAndWait([Post.self]) { txn in _ = try txn.insert(Post(title: "a", priority: 7)) }
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    let statement = try connection.prepare("UPDATE post SET payload = ?1")
    try Self.newerBytes.withUnsafeBytes { try statement.bind(blob: $0, at: 1) }
    try statement.run()
  }

  private static var newerBytes: [UInt8] {
    get throws {
      var builder = FlatBufferBuilder()
      let title = builder.create("a")
      builder.startTable(slots: 9)
      builder.add(Int32(7), at: 10, default: 0)
      builder.add(title, at: 4)
      builder.add(Int32(99), at: 20, default: 0)
      let root = builder.endTable()
      try builder.finish(root)
      return builder.withFinishedBytes { Array($0) }
    }
  }

  private func payload() throws -> [UInt8]? {
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    return try connection.prepare("SELECT payload FROM post").firstRow { row in row.withBytes(at: 0) { [UInt8]($0) } }
  }

  @Test("A request that changes no known field leaves the stored bytes unchanged")
  func identical() throws {
    try test.workspace.transactAndWait([Post.self]) { txn in
      let upserted = try txn.submit(PostChangeRequest.upsertRequest(Post(title: "a", priority: 7)))
      #expect(upserted.isIdentity && upserted.object?.priority == 7)
      let request = try #require(PostChangeRequest.changeRequest(Post(title: "a")))
      #expect(try txn.submit(request).isIdentity)
    }
    #expect(try payload() == Self.newerBytes)
  }

  @Test("Without a newer schema in the file, a change of a known field rewrites the object without the unknown fields")
  func changed() throws {
    try test.workspace.transactAndWait([Post.self]) { txn in _ = try txn.upsert(Post(title: "a", priority: 8)) }
    #expect(try payload()?.count ?? 0 < Self.newerBytes.count)
    #expect(test.workspace.fetch(for: Post.self).all().map(\.priority) == [8])
  }
}

extension UpdatedObject {
  fileprivate var isIdentity: Bool { if case .identity = self { true } else { false } }
}
