import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

/// Trees of pages that no writer makes. In most of them, one page is the child of others many times over: reading such a
/// tree to its end would take ages.
@Suite(.timeLimit(.minutes(15))) struct HostileTreeTests {
  private static let pageSize = 4_096
  private static let fanOut = 335

  /// Makes a closed file whose table of posts, or the index of its key, has three levels above a leaf of three rows.
  /// Each page of a level has the same child `fanOut` times.
  private static func makeFile(at path: String, hostile tree: String = "post") throws {
    let workspace = try TestWorkspace.open(path)
    try workspace.insert(["a": 1, "b": 2, "c": 3])
    workspace.shutdown(flags: .truncate)
    let raw = try RawDatabase(path)
    try raw.execute("CREATE TABLE pad0 (a); CREATE TABLE pad1 (a); CREATE TABLE pad2 (a)")
    func root(_ table: String) throws -> Int {
      try #require(try raw.text("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'").flatMap { Int($0) })
    }
    let post = try root(tree)
    // The leaf's cells stay where they are in the page, which is not the first of the file.
    let pages = try ["pad0", "pad1", "pad2"].map(root) + [post]
    try raw.execute("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name LIKE 'pad%'")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    func range(_ page: Int) -> Range<Int> { (page - 1) * pageSize..<page * pageSize }
    bytes.replaceSubrange(range(pages[0]), with: Data(bytes[range(post)]))
    for (child, page) in zip(pages, pages.dropFirst()) {
      bytes.replaceSubrange(range(page), with: interior(over: child, isIndex: tree != "post"))
    }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  /// Returns a page of SQLite's format: an interior page of a table, or of an index whose entries are all ("a", 1).
  private static func interior(over child: Int, isIndex: Bool) -> Data {
    let entry: [UInt8] = isIndex ? [5, 3, 15, 1, UInt8(ascii: "a"), 1] : [3]
    let cellSize = 4 + entry.count
    var page = [UInt8](repeating: 0, count: pageSize)
    func write(_ value: Int, _ count: Int, at position: Int) {
      for byte in 0..<count { page[position + byte] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - byte))) }
    }
    page[0] = isIndex ? 2 : 5
    write(fanOut, 2, at: 3)
    write(pageSize - cellSize * fanOut, 2, at: 5)
    write(child, 4, at: 8)
    for cell in 0..<fanOut {
      let place = pageSize - cellSize * (cell + 1)
      write(child, 4, at: place)
      page.replaceSubrange((place + 4)..<(place + cellSize), with: entry)
      write(place, 2, at: 12 + 2 * cell)
    }
    return Data(page)
  }

  @Test("Reading all objects fails once there are more than the file has room for")
  func readAll() throws {
    let directory = try TemporaryDirectory("tree")
    try Self.makeFile(at: directory.file())
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    // By the key's index, whose tree is sound.
    #expect(try workspace.query(for: Post.self).count() == 3)
    #expect(try errorCode { _ = try workspace.query(for: Post.self).fetch() } == .corrupt)
    #expect(try !workspace.checkIntegrity().isEmpty)
  }

  @Test("Counting by a key's index fails once there are more than the file has room for")
  func countByKey() throws {
    let directory = try TemporaryDirectory("tree")
    try Self.makeFile(at: directory.file(), hostile: "sqlite_autoindex_post_1")
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    let query = workspace.query(for: Post.self)
    #expect(try errorCode { _ = try query.count() } == .corrupt)
    #expect(try errorCode { _ = try query.where(Post.title >= "").count() } == .corrupt)
    #expect(try query.fetch().count == 3)
    #expect(try !workspace.checkIntegrity().isEmpty)
  }

  @Test("Reading in the order of a key's index fails as soon as an object comes again") func readInOrder() throws {
    let directory = try TemporaryDirectory("tree")
    try Self.makeFile(at: directory.file(), hostile: "sqlite_autoindex_post_1")
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    let query = workspace.query(for: Post.self)
    let ascending = #expect(throws: WorkspaceError.self) { try query.orderBy(Post.title.ascending).fetch() }
    let descending = #expect(throws: WorkspaceError.self) { try query.orderBy(Post.title.descending).fetch() }
    for error in [ascending, descending] {
      #expect(error?.code == .corrupt && error?.message.contains("not in order") == true)
    }
  }

  @Test("Deleting all objects of a hostile tree fails and doesn't change them")
  func deleteAll() throws {
    let directory = try TemporaryDirectory("tree")
    try Self.makeFile(at: directory.file())
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    #expect(try errorCode { try workspace.change { _ = try $0.deleteAll(Post.self) } } == .corrupt)
    // Each is found by its key, whose index is sound, and by its row, to which all paths of the tree lead.
    #expect(["a", "b", "c"].map { workspace.post($0)?.priority } == [1, 2, 3])
  }

  /// Makes a closed file whose table of posts has the rows 3, 2 and 3.
  private static func makeDisorderedFile(at path: String) throws {
    let workspace = try TestWorkspace.open(path)
    try workspace.insert(["a": 1, "b": 2, "c": 3])
    workspace.shutdown(flags: .truncate)
    let root = try #require(
      try RawDatabase(path).text("SELECT rootpage FROM sqlite_master WHERE name = 'post'").flatMap { Int($0) })
    // The first cell of the leaf: the size of the row, which is less than 128, and its number.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let page = (root - 1) * pageSize
    let cell = page + Int(bytes[page + 8]) << 8 + Int(bytes[page + 9])
    #expect(bytes[page] == 13 && bytes[cell] < 128 && bytes[cell + 1] == 1)
    bytes[cell + 1] = 3
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test("Filling an index from rows that are not in order is an error") func fillOutOfOrder() throws {
    let directory = try TemporaryDirectory("tree")
    let path = directory.file()
    try Self.makeDisorderedFile(at: path)
    // The index of priorities lacks the rows.
    try RawDatabase.execute("UPDATE dflat_index SET last = 3", on: path)
    let errors = EventLog<WorkspaceError>()
    let damaged = try TestWorkspace.open(path) { $0.errorHandler = { errors.append($0) } }
    defer { damaged.shutdown() }
    // The query wants the index, and fails itself.
    #expect(try errorCode { _ = try damaged.query(for: Post.self).where(Post.priority == 1).fetch() } == .corrupt)
    #expect(try errors.wait(forCount: 1).map(\.code) == [.corrupt])
  }

  @Test("A fetch or live query of objects whose rows are not in order is an error") func rowsOutOfOrder() throws {
    let directory = try TemporaryDirectory("tree")
    let path = directory.file()
    try Self.makeDisorderedFile(at: path)
    let errors = EventLog<WorkspaceError>()
    let damaged = try TestWorkspace.open(path) { $0.errorHandler = { errors.append($0) } }
    defer { damaged.shutdown() }
    #expect(try errorCode { _ = try damaged.query(for: Post.self).fetch() } == .corrupt)
    // The fetch reports its error, too.
    let subscription = damaged.subscribe(fetchedResult: damaged.fetch(for: Post.self).all()) { _ in }
    #expect(try errors.wait(forCount: 2).map(\.code) == [.corrupt, .corrupt])
    subscription.cancel()
  }

  @Test(
    "A list of types or schemas in which a name comes twice is an error: each of them would be read",
    arguments: ["dflat_entity", "dflat_schema"])
  func listOutOfOrder(list: String) throws {
    let directory = try TemporaryDirectory("tree")
    let path = directory.file()
    let workspace = try TestWorkspace.open(path)
    try workspace.insert(["a": 1])
    try workspace.transactAndWait { txn in
      for key in ["k", "l"] { txn.dictionary[key] = 1 }
    }
    workspace.shutdown(flags: .truncate)
    // The list's tree is that of the dictionary, whose first column is the namespace.
    try RawDatabase.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'dictionary')
      WHERE name = '\(list)'
      """, on: path)
    let damaged = try TestWorkspace.open(path)
    defer { damaged.shutdown() }
    #expect(try errorCode { _ = try damaged.storedTables() } == .corrupt)
  }
}
